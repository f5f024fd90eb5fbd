# SPDX-License-Identifier: BSD-3-Clause
r"""Leave-one-out: the decision value of each sample by the model trained on all others.

Where nothing bounds beta, the answer of all samples contains that of all but one. Let A = K + diag(ridge), or M = [0,
1'; 1, A] in its place where there is a b, and let c_i be the coefficients. Then::

    y_i - g_{-i}(x_i) = c_i / (A^-1)_ii

which is row i of A c = y solved for the coefficients of the others. (Allen's PRESS; Cawley and Talbot, 2004.)

Otherwise, a sample with beta_i = 0 need not be left out at all. Without it, beta is still feasible, and the dual value
is the same. The primal value at (f, b) only loses the loss L_i(g(x_i)) >= 0 of that sample. So the gap is no wider than
that of all samples, and the answer that is proved for all is proved for the others: f_{-i} = f. This holds where
leaving a sample out changes nothing else in the problem, whereas it does with a cost 1/(nu m). A free support vector is
among the others and determines b without the sample: g_{-i} = g. Where there is a b and no support vector is free, b is
the middle of an interval that sample i may have helped to determine, and nothing is kept. The remaining samples are
left out one by one, and each fit starts from that of all samples.

With several classes the same is true for each machine: leaving out a sample changes only the machines trained on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from formulations.modelling import Model
from formulations.modelling.batch import Part, Trained, train
from formulations.modelling.machines import Scheme
from formulations.selection.fits import (
    Effort,
    Fit,
    Kept,
    ResultsFile,
    Selectable,
    proved,
    solved,
    status_of_all,
    weakest,
)
from formulations.selection.folds import (
    Scoring,
    check_classes,
    checked_model,
    decision_of,
    predicted,
    scorer,
    scoring_name,
    truth,
)
from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.display import Card, Carded, Fact, count, progress_bar
from qpkernels.errors import QPKernelsError
from qpkernels.problems import KernelQP, Status
from qpkernels.solvers import SolverLike

__all__ = ["LeaveOneOut", "leave_one_out"]

_ROOM = 2**28
"""Bytes of answers that are held at a time."""

_BYTES = 64
"""For each sample of a machine: beta, K beta, targets, bounds, numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Carded):
    """The decision value of each sample by the model of all others.

    Attributes
    ----------
    decision
        The decision value of each sample by the model trained without it, shape (m,), or with several classes the
        values of all machines, shape (m, machines).
    score
        The score of the machine by :attr:`scoring`, given all of these values together.
    scoring
        Name of the score, such as "accuracy" or "r2".
    fits
        The proved fits by the sample left out; there are none where the values have a closed form. With several
        machines, only those that were fitted without the sample count, and support vectors are not counted.
    closed_form
        Whether the values come from the fit of all samples by a formula, without other fits.
    model, tol
        The model of all samples, and the requested tolerance.
    y
        Labels or targets of all samples.

    Examples
    --------
    >>> from formulations import SoftMargin, leave_one_out
    >>> found = leave_one_out(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]), progress=False)
    >>> print(found.scoring, found.score, f"{len(found.fits)} fits")
    accuracy 0.75 4 fits
    """

    decision: Vector | Matrix
    score: float
    scoring: str
    fits: dict[int, Fit]
    closed_form: bool
    model: Selectable
    tol: float
    y: NDArray[Any]

    @property
    def predictions(self) -> NDArray[Any]:
        """The label, or value, that each decision value stands for, shape (m,)."""
        return predicted(decision_of(self.model), self.decision)

    @property
    def status(self) -> Status:
        """``optimal`` if every fit is, and otherwise the status of the first fit that is not."""
        return status_of_all(self.fits.values())

    def solution(self, sample: int) -> Any:
        """Return the certified Solution without that sample, which is solved on request.

        Parameters
        ----------
        sample
            The number of the sample left out, from 0.
        """
        return solved(_without(self.model, sample), self.tol)

    def card(self) -> Card:
        """Return the score, and how it was computed."""
        facts = (
            Fact(self.scoring, f"{self.score:.6g}"),
            Fact("samples", str(self.y.size)),
            Fact("found", self._how()),
        )
        return Card("leave-one-out", facts=facts)

    def _how(self) -> str:
        if self.closed_form:
            return "in closed form"
        return f"{len(self.fits)} fits; {proved(list(self.fits.values()), self.tol)}"

    def __repr__(self) -> str:
        return f"<LeaveOneOut: {self.scoring} {self.score:.6g}, {count(self.y.size, 'sample')}>"

    def __str__(self) -> str:
        return f"leave-one-out {self.scoring} {self.score:.6g} over {self.y.size} samples: {self._how()}"


def leave_one_out(
    model: Selectable,
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
        Any model. For kernel ridge and least squares the values have a closed form. For other KernelQPs, only samples
        with a coefficient are left out if a free support vector determines b or there is no b. For all other models, or
        where the others do not determine b, each sample is left out. It may also be OneVersusOne or OneVersusRest for
        several classes, whose machines are such models.
    scoring, tol, solver, n_jobs, progress, store, **options
        As in :func:`cross_validate`. The score is that of all values together. A rerun repeats the fit of all samples,
        from which the others start.

    Raises
    ------
    LabelError
        If a class has a single sample, or with OneVersusOne fewer than three samples.
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
    checked_model(model, "leave_one_out")
    effort = Effort(tol, solver, n_jobs, progress, store, options)
    score, y = scorer(model, scoring), truth(model)
    check_classes(model, y)
    file, name = effort.file(model), scoring_name(model, scoring)
    if isinstance(model, Scheme):
        _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        try:
            _without(model, int(np.argmin(counts[codes])))
        except QPKernelsError as error:
            error.add_note("leaving out a sample of the smallest class")
            raise
        values, fits, closed_form = _of_several(model, effort, file)
        return LeaveOneOut(values, score(y, values), name, fits, closed_form, model, tol, y)
    found = _left_out(model, effort, file, np.arange(len(model)))
    return LeaveOneOut(found.values, score(y, found.values), name, dict(found.fits), found.closed_form, model, tol, y)


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """The known values of a machine without each of its samples.

    Attributes
    ----------
    values
        The decision value of each sample by the machine of the others.
    fits
        Those that were made, by the place of the sample.
    closed_form
        Whether none was.
    whole
        The fit of all samples, where that was made.
    """

    values: Vector
    fits: Mapping[int, Fit]
    closed_form: bool
    whole: Trained[Any] | None


def _of_several(model: Scheme, effort: Effort, file: ResultsFile | None) -> tuple[Matrix, dict[int, Fit], bool]:
    """Return all values, what is proved of the fits that were made by the sample left out, and whether none was."""
    values, intercepts = np.empty((len(model), len(model.parts))), np.full(len(model.parts), np.nan)
    fits: dict[int, dict[int, Fit]] = defaultdict(dict)
    closed_form, quiet = True, replace(effort, progress=False)
    with progress_bar(len(model.parts), effort.progress) as step:
        for k, (part, pair) in enumerate(zip(model.parts, model.votes.pairs, strict=True)):
            step("leave-one-out")
            own = part.samples
            found = _left_out(part.model, quiet, None if file is None else file.of_machine(pair), own)
            values[own, k] = found.values
            for place, fit in found.fits.items():
                fits[int(own[place])][k] = fit
            others, whole = np.setdiff1d(np.arange(len(model)), own), found.whole
            if others.size:
                whole = whole or _whole(part.model, quiet)
                values[others, k] = model.gram.values(whole.solution.function, others)
                if whole.status is not Status.OPTIMAL:
                    for other in others.tolist():
                        fits[other][k] = Fit.of(whole)
            if whole is not None:
                intercepts[k] = whole.intercept
            closed_form &= found.closed_form
    together = {sample: _together(fits[sample], intercepts, values[[sample]]) for sample in sorted(fits)}
    return values, together, closed_form


def _together(fits: Mapping[int, Fit], intercepts: Vector, values: Matrix) -> Fit:
    """Return what is kept of the machines without a sample, given the fits of some and the intercepts of all others."""
    every = intercepts.copy()
    every[list(fits)] = [fit.intercept for fit in fits.values()]
    made = list(fits.values())
    return Fit(
        weakest(made).certificate,
        status_of_all(made),
        every,
        None,
        values,
        sum(fit.seconds for fit in made),
        all(fit.earlier for fit in made),
    )


def _left_out(model: Model[Any], effort: Effort, file: ResultsFile | None, names: Indices) -> _LeftOut:
    """Leave each sample out of a machine; ``names`` are their numbers for a user."""
    program = model.qp() if effort.solver in (None, "smo", "linear") and _is_kept(model) else None
    is_linear = model.entry.linear and model.absent.size == 0
    values = _closed_form(program) if program is not None and is_linear else None
    if values is not None:
        return _LeftOut(values, {}, True, None)
    values, left_out = np.empty(len(model)), np.arange(len(model))
    warm = program is not None and not model.entry.linear
    whole = _whole(model, effort) if warm else None
    if whole is not None and whole.status is Status.OPTIMAL:
        values = whole.solution.decision.copy()
        if not model.fit_intercept or whole.solution.support.free.size:
            left_out = np.flatnonzero(whole.beta)
    fits = _refit(model, left_out, effort, file, warm, names)
    values[list(fits)] = [fit.held_out[0] for fit in fits.values()]
    return _LeftOut(values, fits, False, whole)


def _without(model: Selectable, sample: int) -> Selectable:
    return model.on(np.delete(np.arange(len(model)), sample))


def _is_kept(model: Model[Any]) -> bool:
    """Return whether leaving a sample out changes nothing else of the KernelQP, tried on the last sample."""
    gram = model.gram
    if gram.indefinite != "refuse" and not gram.by_construction:
        return False
    program, last = model.qp(), len(model) - 1
    rest = None if program is None else model.on(np.arange(last)).qp()
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


def _refit(
    model: Model[Any], samples: Indices, effort: Effort, file: ResultsFile | None, warm: bool, names: Indices
) -> dict[int, Fit]:
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
                    each.add_note(f"without sample {names[sample]}")
                    raise each
                fits[sample] = each.fit
    return fits


def _part_without(model: Model[Any], sample: int, after: int | None) -> Part:
    rest = np.delete(np.arange(len(model)), sample)
    return Part.of(model.on(rest), rest, after, np.array([sample]))
