# SPDX-License-Identifier: BSD-3-Clause
"""A path: one model at several values of a hyper-parameter, where each fit starts from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from formulations.modelling import Solution
from formulations.selection.fits import Effort, Fit, Kept, Rowed, Selectable, asked, proved, status_of_all
from formulations.selection.folds import checked_model
from formulations.selection.grid import cell, listed, with_numbers
from qpkernels.display import Column, TableReport, TextTable, progress_bar
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.problems import Status
from qpkernels.solvers import SolverLike

__all__ = ["SolutionPath", "path"]


@dataclass(frozen=True, eq=False, repr=False)
class SolutionPath(Sequence[Solution], Rowed):
    """The certified fits along a hyper-parameter, as a sequence of solutions. It prints as a table.

    Attributes
    ----------
    parameter
        Name of the hyper-parameter.
    values
        Its values, in the given order.
    fits
        The proved fit at each value; None where there is no answer.
    errors
        The reasons for missing answers, by the number of the value.
    tol
        The requested tolerance.
    kept
        At each value the fit and how its Solution is obtained, or the error. ``path[k]`` is made from these.

    Examples
    --------
    >>> from formulations import SoftMargin, path
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1])
    >>> found = path(model, C=[0.1, 10.0], progress=False)
    >>> print(found.parameter, [f"{solution.objective:.2f}" for solution in found])
    C ['0.32', '2.00']
    """

    parameter: str
    values: tuple[Any, ...]
    fits: tuple[Fit | None, ...]
    errors: Mapping[int, QPKernelsError]
    tol: float
    kept: tuple[Kept | QPKernelsError, ...]

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        """Return the solution at a value, made when it is first asked for, or several by a slice.

        Raises
        ------
        QPKernelsError
            If the model has no answer there.
        """
        if isinstance(index, slice):
            return [self[k] for k in range(len(self))[index]]
        kept = self.kept[index]
        if isinstance(kept, QPKernelsError):
            raise kept
        return kept.solution

    @property
    def status(self) -> Status:
        """``optimal`` if every fit is, and otherwise the status of the first fit that is not."""
        return status_of_all(self.fits)

    @property
    def of_several(self) -> bool:
        """Whether a fit is one of several classes, whose machines have no common value and intercept."""
        return any(fit is not None and np.ndim(fit.intercept) for fit in self.fits)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, one value a row. With several classes it has no objective values and intercepts."""
        nan = float("nan")
        for value, fit in zip(self.values, self.fits, strict=True):
            proof = None if fit is None else fit.certificate
            of_one = {
                "primal_value": nan if proof is None else proof.primal_value,
                "dual_value": nan if proof is None else proof.dual_value,
                "intercept": nan if fit is None else fit.intercept,
            }
            yield {
                self.parameter: value,
                "status": str(Status.FAILED if fit is None else fit.status),
                **({} if self.of_several else of_one),
                "relative_gap": nan if proof is None else proof.relative_gap,
                "n_support": None if fit is None else fit.n_support,
                "seconds": nan if fit is None else fit.seconds,
            }

    def report(self) -> TableReport:
        """Return a line for each value."""
        values = () if self.of_several else (Column("primal value", key="primal_value", form=".10g"),)
        intercepts = () if self.of_several else (Column("intercept", key="intercept", form=".7g"),)
        columns = (
            Column(self.parameter, key=self.parameter, form=".6g"),
            Column("status", key="status"),
            *values,
            Column("rel. gap", key="relative_gap", form=".0e"),
            Column("SV", key="n_support"),
            *intercepts,
            Column("solve s", key="seconds", form=".3f"),
        )
        notes = tuple(f"{self.parameter}={cell(self.values[k])}: {error}" for k, error in self.errors.items())
        return TableReport((TextTable.of(columns, self.rows()),), proved(self.fits, self.tol), notes=notes)


def path(
    model: Selectable,
    *,
    tol: float = 1e-3,
    solver: SolverLike | None = None,
    n_jobs: int = -1,
    progress: bool = True,
    store: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **parameter: Iterable[Any],
) -> SolutionPath:
    """Solve the model at several values of one hyper-parameter, each from the previous answer, and prove every answer.

    Parameters
    ----------
    model
        Any model, or OneVersusOne or OneVersusRest for several classes, whose machines all have the same values. Other
        hyper-parameters are not changed.
    tol, solver, n_jobs, progress, store, options
        As in :func:`grid`.
    **parameter
        One name with its values: ``C=[0.1, 1, 10]``. Fits start from each other in the given order, so let C ascend,
        and epsilon descend.

    Raises
    ------
    ParameterError, ShapeError
        If the model has no such hyper-parameter, or a value is outside its range. Nothing is computed then.
    ForeignResultsError, FileFormatError
        If the file belongs to other data, or is damaged.

    Examples
    --------
    >>> from formulations import SoftMargin, path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> for solution in path(SoftMargin(X, y), C=[0.1, 1.0, 10.0], progress=False):
    ...     print(solution.status, f"{solution.objective:.3f}", solution.n_support)
    optimal 0.380 4
    optimal 2.889 4
    optimal 26.889 4
    """
    checked_model(model, "path")
    effort = Effort(tol, solver, n_jobs, progress, store, options or {})
    if len(parameter) != 1:
        raise ParameterError(
            f"a path takes one hyper-parameter with its values, such as C=[1, 10], but {len(parameter)} came; several "
            "make a grid."
        )
    (name, given), rows = next(iter(parameter.items())), np.arange(len(model))
    names = model.entry.names
    if name not in names:
        has = f"its hyper-parameters are {', '.join(names)}" if names else "it has none"
        raise ParameterError(
            f"a {model.name} has no hyper-parameter {name!r}; {has}. Parameters of a kernel, which start nothing warm, "
            "make a grid."
        )
    values = listed(name, given)
    (hyperparameter,) = (each for each in model.entry.parameters if each.name == name)
    for value in values:
        hyperparameter.checked(value, len(model))
    parts = [
        asked(with_numbers(model, {name: value}, rows), rows, None if k == 0 else k - 1)
        for k, value in enumerate(values)
    ]
    file = effort.file(model)
    with progress_bar(len(parts), progress) as step:
        step("path")
        found = effort.run(model.gram, parts, file, lambda number: step(f"{name}={cell(values[number])}"))
    errors = {k: each for k, each in enumerate(found) if isinstance(each, QPKernelsError)}
    fits = tuple(each.fit if isinstance(each, Kept) else None for each in found)
    return SolutionPath(name, tuple(values), fits, errors, tol, tuple(found))
