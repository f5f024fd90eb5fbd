# SPDX-License-Identifier: BSD-3-Clause
r"""Leave-one-out: the decision value of each sample by the model that is trained on all others.

Where nothing bounds beta, the answer of all samples has that of all but one in it. With A = K + diag(ridge), and
M = [0, 1'; 1, A] in the place of A where there is a b, c_i its coefficients::

    y_i - g_{-i}(x_i) = c_i / (A^-1)_ii

which is row i of A c = y solved for the coefficients of the others. (Allen's PRESS; Cawley and Talbot, 2004.)

Otherwise, a sample with beta_i = 0 need not be left out at all. Without it, beta is feasible still, and the dual value
the same; the primal value at (f, b) only loses the loss L_i(g(x_i)) >= 0 of that sample. So no gap is wider than that
of all samples, and the answer proved for these is proved for the others: f_{-i} = f. This holds where leaving a sample
out changes nothing else of the problem, as it does with a cost 1/(nu m). A free support vector is among the others and
determines b without the sample: g_{-i} = g. Where there is a b and none is free, b is the middle of an interval that
sample i may have helped to choose, and nothing is kept. The samples that this leaves are left out one by one, each fit
starting from that of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from formulations.modelling import Model, Solution
from formulations.modelling.batch import Part, Trained, train
from formulations.selection.fits import Effort, Fit, Kept, ResultsFile, proved, status_of_all
from formulations.selection.folds import (
    Scoring,
    check_classes,
    checked_machine,
    decision_of,
    predicted,
    scorer,
    scoring_name,
    truth,
)
from qpkernels.arrays import Indices, Vector
from qpkernels.display import Card, Carded, Fact, count, progress_bar
from qpkernels.errors import QPKernelsError
from qpkernels.problems import KernelQP, Status
from qpkernels.solvers import SolverLike

__all__ = ["LeaveOneOut", "leave_one_out"]

_ROOM = 2**28
"""Bytes of answers that are held at a time."""

_BYTES = 64
"""Of a machine, for each of its samples: beta, K beta, targets, bounds, numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Carded):
    """What each sample is worth to the model of all others.

    Attributes
    ----------
    decision
        The decision value of each sample by the model trained without it, shape (m,).
    score
        How good the machine is, given all of these values together: by :attr:`scoring`.
    scoring
        Name of the score, such as "accuracy" or "r2".
    fits
        What is proved of the fits that were made, by the sample left out; none where the values have a closed form.
    closed_form
        Whether the values come from the fit of all samples by a formula, and no others were made.
    model, tol
        The model of all samples, and the tolerance asked for.
    y
        Labels or targets of all samples.
    """

    decision: Vector
    score: float
    scoring: str
    fits: dict[int, Fit]
    closed_form: bool
    model: Model[Any]
    tol: float
    y: NDArray[Any]

    @property
    def predictions(self) -> NDArray[Any]:
        """The label, or value, that each decision value stands for, shape (m,)."""
        return predicted(decision_of(self.model), self.decision)

    @property
    def status(self) -> Status:
        """``optimal`` if every fit is; otherwise the status of the first that is not."""
        return status_of_all(self.fits.values())

    def solution(self, sample: int) -> Solution:
        """Return the certified Solution without that sample, solved when asked for.

        Parameters
        ----------
        sample
            The number of the sample left out, from 0.
        """
        solution: Solution = _without(self.model, sample).solve(tol=self.tol)
        return solution

    def card(self) -> Card:
        """Return the score, and how it was found."""
        facts = (
            Fact(self.scoring, f"{self.score:.6g}"),
            Fact("samples", str(self.decision.size)),
            Fact("found", self._how()),
        )
        return Card("leave-one-out", facts=facts)

    def _how(self) -> str:
        if self.closed_form:
            return "in closed form"
        return f"{len(self.fits)} fits; {proved(list(self.fits.values()), self.tol)}"

    def __repr__(self) -> str:
        return f"<LeaveOneOut: {self.scoring} {self.score:.6g}, {count(self.decision.size, 'sample')}>"

    def __str__(self) -> str:
        return f"leave-one-out {self.scoring} {self.score:.6g} over {self.decision.size} samples: {self._how()}"


def leave_one_out(
    model: Model[Any],
    *,
    scoring: Scoring = None,
    tol: float = 1e-3,
    solver: SolverLike | None = None,
    n_jobs: int = -1,
    progress: bool = True,
    store: str | Path | None = None,
    **options: Any,
) -> LeaveOneOut:
    """Return the decision value of each sample by the model of all others.

    Parameters
    ----------
    model
        Any model. Of kernel ridge and least squares the values have a closed form; of other KernelQPs, only samples
        with a coefficient are left out where a free support vector determines b, or there is none; of any other, or
        where the others do not determine b, each sample.
    scoring, tol, solver, n_jobs, progress, store, **options
        As in :func:`cross_validate`. The score is that of all values together. A rerun makes the fit of all samples
        anew, from which the others start.

    Raises
    ------
    LabelError
        If a class has a single sample.
    QPKernelsError
        The error of the first fit without an answer, with a note that names the sample left out.

    Examples
    --------
    >>> from formulations import SoftMargin, leave_one_out
    >>> X, y = [[0.0], [1.0], [2.0], [2.5], [3.0], [4.0]], [-1, -1, 1, -1, 1, 1]
    >>> result = leave_one_out(SoftMargin(X, y, C=1.0), progress=False)
    >>> print(result.status, f"{result.score:.3f}", result.predictions)
    optimal 0.667 [-1 -1 -1  1  1  1]
    """
    checked_machine(model, "leave_one_out")
    effort = Effort(tol, solver, n_jobs, progress, store, options)
    score, y = scorer(model, scoring), truth(model)
    check_classes(model, y)
    file = effort.file(model)
    program = model.qp() if solver in (None, "smo", "linear") and _is_kept(model) else None
    is_linear = model.entry.linear and model.absent.size == 0
    values = _closed_form(program) if program is not None and is_linear else None
    closed_form, fits = values is not None, dict[int, Fit]()
    if values is None:
        values, left_out = np.empty(len(model)), np.arange(len(model))
        warm = program is not None and not model.entry.linear
        whole = _whole(model, effort) if warm else None
        if whole is not None and whole.status is Status.OPTIMAL:
            values = whole.solution.decision.copy()
            if not model.fit_intercept or whole.solution.support.free.size:
                left_out = np.flatnonzero(whole.beta)
        fits = _refit(model, left_out, effort, file, warm)
        values[list(fits)] = [fit.held_out[0] for fit in fits.values()]
    return LeaveOneOut(values, score(y, values), scoring_name(model, scoring), fits, closed_form, model, tol, y)


def _without(model: Model[Any], sample: int) -> Model[Any]:
    return model.on(np.delete(np.arange(len(model)), sample))


def _is_kept(model: Model[Any]) -> bool:
    """Return whether leaving a sample out changes nothing else of the KernelQP, tried on the last sample."""
    gram = model.gram
    if gram.indefinite != "refuse" and not gram.by_construction:
        return False
    program, last = model.qp(), len(model) - 1
    rest = None if program is None else _without(model, last).qp()
    if program is None or rest is None:
        return False
    parts = ("target", "lower", "upper", "epsilon", "ridge")
    same = all(np.array_equal(getattr(program, part)[:last], getattr(rest, part)) for part in parts)
    return same and program.total == rest.total


def _closed_form(program: KernelQP) -> Vector | None:
    """Return g_{-i}(x_i) of each sample, or None where A has no Cholesky factor."""
    A = np.array(program.gram.dense)
    A[np.diag_indices_from(A)] += program.ridge
    try:
        factor = cho_factor(A, overwrite_a=True)
    except LinAlgError:
        return None
    inverse = cho_solve(factor, np.eye(program.size), overwrite_b=True)
    diagonal, c = inverse.diagonal().copy(), inverse @ program.target
    if program.total is not None:
        sums = inverse.sum(axis=1)
        c -= sums * (c.sum() / sums.sum())
        diagonal -= sums**2 / sums.sum()
    values: Vector = program.target - c / diagonal
    return values if np.isfinite(values).all() else None


def _whole(model: Model[Any], effort: Effort) -> Trained[Any]:
    """Return the fit of all samples."""
    whole = Part.of(model.copy(), np.arange(len(model)))
    (answer,) = train(
        model.gram, [whole], tol=effort.tol, solver=effort.solver, options=effort.options, n_jobs=effort.n_jobs
    )
    if isinstance(answer, QPKernelsError):
        raise answer
    return answer


def _refit(model: Model[Any], samples: Indices, effort: Effort, file: ResultsFile | None, warm: bool) -> dict[int, Fit]:
    """Return the fits without each of these samples; ``warm``: they start from that of all samples."""
    fits: dict[int, Fit] = {}
    size = max(64, _ROOM // (_BYTES * len(model)))
    with progress_bar(samples.size, effort.progress) as step:
        step("leave-one-out")
        for start in range(0, samples.size, size):
            chosen = samples[start : start + size].tolist()
            first = [Part.of(model.copy(), np.arange(len(model)))] if warm else []
            parts = first + [_part_without(model, sample, 0 if warm else None) for sample in chosen]
            found = effort.run(model.gram, parts, file, lambda _: step("leave-one-out"))
            for sample, each in zip(chosen, found[len(first) :], strict=True):
                if not isinstance(each, Kept):
                    each.add_note(f"without sample {sample}")
                    raise each
                fits[sample] = each.fit
    return fits


def _part_without(model: Model[Any], sample: int, after: int | None) -> Part:
    rest = np.delete(np.arange(len(model)), sample)
    return Part.of(model.on(rest), rest, after, np.array([sample]))
