# SPDX-License-Identifier: BSD-3-Clause
"""Many fits of one set of data: what earlier results leave to do is trained, and kept as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from formulations.modelling import Model, Solution
from formulations.modelling.batch import Part, Trained, check_jobs, train
from formulations.selection.results import Fit, Judged, ResultsFile
from qpkernels.arrays import check_tolerance
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Gram
from qpkernels.problems import Status
from qpkernels.solvers import SolverLike, find_solver

__all__ = ["Effort", "Kept", "proved", "weakest"]

J = TypeVar("J", bound=Judged)


@dataclass(frozen=True, eq=False)
class Kept:
    """A fit, and how its Solution is had: from this run, or by solving anew what an earlier one kept the proof of."""

    part: Part
    fit: Fit
    trained: Trained[Any] | None
    tol: float

    @property
    def solution(self) -> Solution:
        """The Solution, as solving the model alone returns it."""
        if self.trained is not None:
            return self.trained.solution  # type: ignore[no-any-return]
        answer: Solution = self.part.model.solve(tol=self.tol)
        return answer


@dataclass(frozen=True, eq=False)
class Effort:
    """How many fits are made, and how well.

    Attributes
    ----------
    tol, solver, options
        As in :meth:`formulations.modelling.model.Model.solve`, for each fit.
    n_jobs
        Number of threads; -1: one for each core.
    progress
        Whether to show a bar.
    store
        File of earlier results, which further ones are appended to.
    """

    tol: float
    solver: SolverLike | None
    n_jobs: int
    progress: bool
    store: str | Path | None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_tolerance(self.tol)
        check_jobs(self.n_jobs)
        if self.solver is not None:
            find_solver(self.solver)

    def file(self, model: Model[Any]) -> ResultsFile | None:
        """Open the file of results of the data of this model, where one is wanted."""
        return None if self.store is None else ResultsFile(self.store, model)

    def run(
        self,
        gram: Gram,
        parts: Sequence[Part],
        file: ResultsFile | None,
        done: Callable[[int], None],
    ) -> list[Kept | QPKernelsError]:
        """Return a fit, or its error, for each part; ``done`` is told each number.

        A part that earlier results answer is not solved; one that would start from it starts cold.
        """
        found: dict[int, Kept | QPKernelsError] = {}
        for number, part in enumerate(parts):
            fit = None if file is None else file.find(part, self.tol)
            if fit is not None:
                found[number] = Kept(part, fit, None, self.tol)
                done(number)
        left = [number for number in range(len(parts)) if number not in found]
        place = {number: k for k, number in enumerate(left)}
        tasks = [replace(parts[n], after=None if (a := parts[n].after) is None else place.get(a)) for n in left]

        def keep(k: int, answer: Trained[Any] | QPKernelsError) -> None:
            if isinstance(answer, Trained):
                fit = Fit.of(answer)
                if file is not None:
                    file.add(tasks[k], self.tol, fit)
                found[left[k]] = Kept(tasks[k], fit, answer, self.tol)
            else:
                found[left[k]] = answer
            done(left[k])

        train(gram, tasks, tol=self.tol, solver=self.solver, options=self.options, n_jobs=self.n_jobs, report=keep)
        return [found[number] for number in range(len(parts))]


def proved(fits: Sequence[Judged | None], tol: float) -> str:
    """Return in words how many of the fits are proved."""
    count = sum(fit is not None and fit.status is Status.OPTIMAL for fit in fits)
    which = "every fit is" if count == len(fits) else f"{count} of {len(fits)} fits are"
    return f"{which} proved at {tol:g}"


def weakest(fits: Sequence[J]) -> J:
    """Return the fit whose certificate proves least; the first whose is undefined."""
    return max(fits, key=lambda fit: fit.certificate.error)
