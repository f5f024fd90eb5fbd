# SPDX-License-Identifier: BSD-3-Clause
"""Incremental and decremental learning: a model whose samples change, and the certified answer after each change.

A change of one sample moves the optimum a little. The descent starts from the previous answer, whose values K beta are
known up to one row of K. K itself is kept, so that a change computes only that row (the idea of Cauwenberghs and
Poggio, Incremental and decremental support vector machine learning, 2001). The answer is certified like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling import Model, Solution
from formulations.modelling.inputs.samples import BoundSamples, checked_labels, real_targets
from formulations.modelling.routes import solve_structure
from formulations.modelling.solving import SolveRequest
from qpkernels.arrays import (
    ChecksKeywords,
    Indices,
    Samples,
    Vector,
    check_count,
    check_feature_names,
    check_positive,
    check_tolerance,
    frozen,
    is_sparse,
    read_array,
    shown,
    shown_label,
)
from qpkernels.display import Card, Carded, Fact
from qpkernels.errors import LabelError, OneClassError, ParameterError, QPKernelsError, ShapeError, SolverFailedError
from qpkernels.gram import Gram
from qpkernels.gram.changing import ChangingGram, changed
from qpkernels.problems import KernelQP, KernelQPBounds, Status
from qpkernels.solvers import Request

if TYPE_CHECKING:
    from qpkernels.families.incremental import ActiveSet

__all__ = ["Incremental"]

Answered = TypeVar("Answered", bound=Solution)


def restated(model: Model[Answered], gram: Gram, y: Vector | None, values: Mapping[str, Vector]) -> Model[Answered]:
    """Return the same model of the samples of ``gram``, with these labels as signs, or targets."""
    entries = {} if y is None else {"y": frozen(y)}
    return model.with_samples(BoundSamples(gram, model.data.explicit), entries, values)


def values_of(model: Model[Any]) -> dict[str, Vector]:
    """Return the values of the hyper-parameters."""
    return {name: model.value_of(name) for name in model.entry.names}


def names_per_sample(model: Model[Any]) -> tuple[str, ...]:
    """Return the names of those of which every sample has its own, such as C."""
    return tuple(each.name for each in model.entry.parameters if each.per_sample)


def shared_value(name: str, values: Vector) -> float:
    """Return the value that all samples have."""
    if values.min() != values.max():
        raise ParameterError(
            f"{name} differs from sample to sample, so a new one needs its own: add(x, y, {name}=...)."
        )
    return float(values[0])


def numbers_of(i: ArrayLike, samples: int) -> Indices:
    """Return the number of a sample, or of several different ones.

    Raises
    ------
    ParameterError
        If they are no such numbers.
    """
    given = np.atleast_1d(read_array(i, "i"))
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.size == 0:
        raise ParameterError(f"i must be the number of a sample, or a list of such, but {shown(i)} came.")
    outside = (given < 0) | (given >= samples)
    if outside.any():
        raise ParameterError(
            f"a sample has a number from 0 to {samples - 1}, but {int(given[outside][0])} came; they are numbered in "
            "their present order, without gaps."
        )
    if np.unique(given).size != given.size:
        raise ParameterError(f"i must name each sample once, but {shown(given.tolist())} came.")
    return given.astype(np.intp)


def read_samples(x: Any, gram: Gram) -> Samples:
    """Return one sample, or several, as those of ``gram``.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError, FeatureNamesError
        If the kernel does not take them, or they have other features.
    """
    fields: tuple[str, ...] | None = getattr(gram.X, "dtype", np.dtype(float)).names
    by_name = fields is not None and gram.kernel.names is not None
    check_feature_names(x, gram.feature_names, frozenset(fields or ()) if by_name else None)
    alone = not is_sparse(x) and np.ndim(x) == gram.X.ndim - 1
    X = gram.kernel.samples([x] if alone else x)
    if X.shape[1:] != gram.X.shape[1:]:
        raise ShapeError(
            f"a sample must have {gram.X.shape[1]} features, as those that are there, but {X.shape[1]} came."
        )
    return X[list(fields)] if by_name and fields is not None else X


def read_targets(model: Model[Any], y: Any, count: int) -> Vector | None:
    """Return labels as signs, or targets, of so many samples; None in a model without.

    Raises
    ------
    LabelError
        If a label is neither of the two of the model.
    ShapeError, NonFiniteError, ParameterError
        If they are no such labels or targets.
    """
    if not hasattr(model, "y"):
        if y is not None:
            raise ParameterError(f"a {model.name} has no labels and no targets, but y = {shown(y)} came; leave y out.")
        return None
    if y is None:
        raise ParameterError(f"each new sample of a {model.name} needs its y, which is missing.")
    values: Any = [y] if np.ndim(y) == 0 else y
    if model.classes is None:
        return real_targets(values, count)
    labels, (negative, positive) = checked_labels(values, count), model.classes
    new = (labels != negative) & (labels != positive)
    if np.any(new):
        raise LabelError(
            f"a label must be {' or '.join(map(shown_label, model.classes.tolist()))}, as those that are there, "
            f"but {shown_label(labels[new].tolist()[0])} came; a further class takes OneVersusRest or OneVersusOne."
        )
    return np.where(labels == positive, 1.0, -1.0)


def require_classes(model: Model[Any], y: Vector) -> None:
    """Refuse labels, as signs, that leave a class of the model without samples.

    Raises
    ------
    OneClassError
        With the class.
    """
    if model.classes is None:
        return
    for sign, label in zip((-1.0, 1.0), model.classes.tolist(), strict=True):
        if not (y == sign).any():
            raise OneClassError(
                f"class {shown_label(label)} would be left without samples, and there would be nothing to separate; "
                "add others of it first."
            )


@dataclass(frozen=True, eq=False)
class WarmStart:
    """A point to start from: beta, and K beta."""

    beta: Vector
    values: Vector


def start_after(solution: Solution, gram: Gram, rows: Indices, moved: Indices, program: KernelQP) -> WarmStart:
    """Return where to start on ``program``, whose samples are ``rows`` of those of ``solution``, and of new ones.

    Parameters
    ----------
    solution
        The answer before the change.
    gram
        The kernel matrix before the change.
    rows
        The samples after it: numbers beyond those of ``gram`` are new.
    moved
        The samples before it that became the new ones, in the order of these; none where these are further ones.
    """
    stay = rows < len(gram)
    kept = rows[stay]
    beta, values = np.zeros(rows.size), np.zeros(rows.size)
    # The function that is handed out may have been moved to where every constraint holds, away from K beta.
    moves = program.is_hard or solution.certificate.primal_residual > 0.0
    before = gram.product(solution.beta) if moves else solution.decision - solution.intercept
    leaving = np.ones(len(gram), bool)
    leaving[kept] = False
    leaving &= solution.beta != 0
    if leaving.any():
        before = before - gram.product(np.where(leaving, solution.beta, 0.0))
    beta[stay], values[stay] = solution.beta[kept], before[kept]
    arriving = np.flatnonzero(~stay)
    if moved.size:
        beta[arriving] = solution.beta[moved[rows[arriving] - len(gram)]]
    if beta[arriving].any():
        values[stay] += program.gram.product(np.where(stay, 0.0, beta))[stay]
    room = np.where(beta > 0, program.upper, -program.lower)[stay]
    scale = _scale(solution, kept, room)
    beta *= scale
    values *= scale
    if arriving.size:
        values[arriving] = _values_at(program.gram, beta, arriving)
    return WarmStart(beta, values)


def _values_at(gram: Gram, beta: Vector, samples: Indices) -> Vector:
    """Return K beta at some samples, by their rows of K."""
    unit, values = np.zeros(len(gram)), np.empty(samples.size)
    for k, sample in enumerate(samples):
        unit[sample] = 1.0
        values[k] = gram.product(unit) @ beta
        unit[sample] = 0.0
    return values


def _scale(solution: Solution, kept: Indices, room: Vector) -> float:
    """Return the factor by which the ``room`` of the coefficients that stay has changed, as those at a bound tell."""
    bounded = np.zeros(solution.beta.size, bool)
    bounded[solution.support.bounded] = True
    told = bounded[kept] & (room > 0)
    if not told.any():
        return 1.0
    factor = float(np.median(room[told] / np.abs(solution.beta[kept][told])))
    return factor if factor < np.inf else 1.0


_NONE: Indices = np.empty(0, np.intp)


class Incremental(Carded, Generic[Answered], metaclass=ChecksKeywords):
    """A model whose samples and hyper-parameters change; each change returns the certified answer to the new model.

    The given model is not changed. Where a change is refused, or its model has no answer, the machine stays as it was.

    Parameters
    ----------
    model
        The first model: any that can be solved. It is solved at once.
    tol
        Above 0 and below 1: the relative duality gap and residuals that every certificate must show for ``optimal``.
    time_limit
        Seconds above 0 for each answer. When they are over, the best point so far is returned, and :meth:`improve`
        continues from it. None: no limit. A change may take twice as long if its starting point is poor.
    window
        At least 1: how many of the latest samples stay when others are added; None: all.

    Raises
    ------
    ParameterError
        If ``model`` is not a model, or ``tol`` or ``time_limit`` is not above 0.
    InfeasibleError, SolverFailedError
        If the model has no answer.

    Notes
    -----
    Arguments of the methods:

    i
        Number of a sample, from 0 in their present order, or several different numbers, shape (n,).
    x
        The features of one sample, or n samples as the kernel takes them.
    y
        The label of each sample, one of the two labels of the model, or its target.

    Examples
    --------
    >>> from formulations import Incremental, SoftMargin
    >>> machine = Incremental(SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=1.0))
    >>> print(machine.add([2.0], 1).status, f"{machine.solution.objective:.3f}")
    optimal 1.500
    """

    def __init__(
        self,
        model: Model[Answered],
        *,
        tol: float = 1e-6,
        time_limit: float | None = None,
        window: int | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise ParameterError(f"Incremental takes a model, such as SoftMargin(X, y), but {shown(model)} came.")
        self._tol = check_tolerance(tol)
        self._window = None if window is None else check_count(window, "window")
        self._time_limit = None if time_limit is None else check_positive(time_limit, "time_limit")
        program = isinstance(model.bounds(), KernelQPBounds)
        self._solver = _active_set() if program else None
        gram = ChangingGram.of(model.gram) if program else model.gram
        self._model = restated(model, gram, getattr(model, "y", None), values_of(model))
        self._solution = self._model.solve(tol=self._tol, time_limit=self._time_limit)

    @property
    def model(self) -> Model[Answered]:
        """The present model."""
        return self._model

    @property
    def solution(self) -> Answered:
        """The answer to the present model."""
        return self._solution

    def __len__(self) -> int:
        """Return the present number m of samples."""
        return len(self._model)

    def card(self) -> Card:
        """Return the present model, and what is proved about its answer."""
        model, solution = self._model.card(), self._solution.card()
        stated = [fact for fact in model.facts if fact.name not in ("forms", "solvers", "intercept")]
        facts = (Fact("model", model.title), *stated, *solution.facts)
        return Card(type(self).__name__, model.formulas, facts, solution.figure)

    def __repr__(self) -> str:
        return f"<Incremental: {self._model!r}, {self._solution.status} to {self._tol:g}>"

    def add(self, x: ArrayLike, y: ArrayLike | None = None, **costs: ArrayLike) -> Answered:
        """Add one sample or several after the present ones; with a window the oldest ones leave.

        Parameters
        ----------
        x
            One sample, or several as the kernel takes them.
        y
            Its label, one of the two labels of the model, or its target. It is left out in a model that has neither.
        **costs
            Hyper-parameters of single samples, such as C, for the new samples. Where all samples have the same value,
            it is the default.

        Raises
        ------
        ShapeError, NonFiniteError, LabelError, ParameterError
            If the samples, labels, targets or costs are not valid for the model.
        """
        X = read_samples(x, self._model.gram)
        count = int(X.shape[0])
        targets = read_targets(self._model, y, count)
        parameters = values_of(self._model)
        # Those that a window has no place for are never there.
        first = 0 if self._window is None else max(0, count - self._window)
        rows = np.arange(len(self) + count - first)[-(self._window or 0) :]
        for name in costs:
            if name not in names_per_sample(self._model):
                raise ParameterError(f"a {self._model.name} has no {name} of single samples; leave it out.")
        for name in names_per_sample(self._model):
            added = costs[name] if name in costs else shared_value(name, parameters[name])
            every = np.broadcast_to(np.asarray(added, dtype=float), count)[first:]
            parameters[name] = np.append(parameters[name], every)[rows]
        y_all = None if self._y is None or targets is None else np.append(self._y, targets[first:])[rows]
        return self._change(rows, X[first:], y_all, parameters)

    def remove(self, i: ArrayLike) -> Answered:
        """Remove the sample of number ``i``, or several samples; later samples move up.

        Raises
        ------
        ParameterError
            If there are no such samples, or no others would be left.
        OneClassError
            If a class would be left without samples.
        """
        gone = numbers_of(i, len(self))
        rows = np.delete(np.arange(len(self)), gone)
        if rows.size == 0:
            raise ParameterError("a model needs a sample, but all would be removed; add others first.")
        parameters = values_of(self._model)
        for name in names_per_sample(self._model):
            parameters[name] = parameters[name][rows]
        return self._change(rows, self._none, None if self._y is None else self._y[rows], parameters)

    def move(self, i: ArrayLike, x: ArrayLike, y: ArrayLike | None = None) -> Answered:
        """Give the sample of number ``i``, or several samples, new features ``x``, and a new label or target ``y``.

        Parameters
        ----------
        y
            None: labels and targets stay, as costs do.

        Raises
        ------
        ShapeError, NonFiniteError, LabelError, ParameterError
            If there are no such samples, or the new features, labels or targets are not valid for the model.
        OneClassError
            If a class would be left without samples.
        """
        moved, X = numbers_of(i, len(self)), read_samples(x, self._model.gram)
        if X.shape[0] != moved.size:
            raise ParameterError(f"{moved.size} samples are to be moved, but the features of {X.shape[0]} came.")
        rows = np.arange(len(self))
        rows[moved] = len(self) + np.arange(moved.size)
        y_all = self._y if y is None else self._relabelled(moved, y)
        return self._change(rows, X, y_all, values_of(self._model), moved)

    def relabel(self, i: ArrayLike, y: ArrayLike) -> Answered:
        """Give the sample of number ``i``, or several samples, a new label or target.

        Raises
        ------
        LabelError, ShapeError, NonFiniteError, ParameterError
            If there are no such samples, or the labels or targets are not valid for the model.
        OneClassError
            If a class would be left without samples.
        """
        y_all = self._relabelled(numbers_of(i, len(self)), y)
        return self._change(np.arange(len(self)), self._none, y_all, values_of(self._model))

    def set_params(self, **values: Any) -> Answered:
        """Set hyper-parameters by name; see :meth:`formulations.modelling.model.Model.set_params`.

        Parameters
        ----------
        **values
            New values by the names of hyper-parameters, such as ``C=10.0``: one number, or an array of shape (m,) where
            the model has a value for each sample.

        Raises
        ------
        ParameterError, ShapeError
            If there is no such hyper-parameter, it is one of the kernel, or a value is outside its range.
        """
        after = self._model.copy().set_params(**values)
        if after.gram is not self._model.gram:
            raise ParameterError(
                "an Incremental keeps its kernel, from whose values it goes on; make another one of "
                "model.set_params(...)."
            )
        return self._answer(after, np.arange(len(self)))

    def improve(self, time_limit: float | None = None) -> Answered:
        """Continue from an answer that a time limit cut short; return a better one, or the same answer.

        Parameters
        ----------
        time_limit
            Seconds above 0; None: the solver continues until the answer is proved.

        Raises
        ------
        ParameterError
            If ``time_limit`` is not above 0.
        """
        try:
            found = self._model.solve(tol=self._tol, time_limit=time_limit, warm_start=self._solution)
        except SolverFailedError:
            return self._solution
        if found.certificate.error <= self._solution.certificate.error:
            self._solution = found
        return self._solution

    @property
    def _y(self) -> Vector | None:
        return getattr(self._model, "y", None)

    def _relabelled(self, chosen: Indices, y: ArrayLike) -> Vector:
        """Return labels as signs, or targets, with those of the samples ``chosen`` replaced."""
        targets = read_targets(self._model, y, chosen.size)
        y_all = np.array(self._y)
        y_all[chosen] = targets
        return y_all

    @property
    def _none(self) -> Samples:
        """No samples."""
        return self._model.gram.X[:0]

    def _change(
        self, rows: Indices, X: Samples, y: Vector | None, parameters: Mapping[str, Vector], moved: Indices = _NONE
    ) -> Answered:
        """Go over to the model of these samples, numbered as by :func:`changed`; X are new ones, or were ``moved``."""
        if y is not None:
            require_classes(self._model, y)
        before, same = self._model.gram, X.shape[0] == 0 and rows.size == len(self)
        gram = before if same else changed(before, rows, X)
        try:
            if self._model.entry.needs_psd:
                gram.require_psd()
            answer = self._answer(restated(self._model, gram, y, parameters), rows, moved)
        except BaseException:
            _leave(gram, before)
            # What it has noted of the new samples is of no use now.
            if self._solver is not None:
                self._solver.forget()
            raise
        _leave(before, gram)
        return answer

    def _answer(self, after: Model[Answered], rows: Indices, moved: Indices = _NONE) -> Answered:
        """Solve the model ``after`` a change, from the present answer where that is a start, and go over to it."""
        solution = None if self._solver is None else self._from_present(after, rows, moved, self._solver)
        if solution is None or solution.status is not Status.OPTIMAL:
            if isinstance(after.gram, ChangingGram):
                after.gram.forget_product()
            solution = after.solve(tol=self._tol, time_limit=self._time_limit)
        self._model, self._solution = after, solution
        return solution

    def _from_present(
        self, after: Model[Answered], rows: Indices, moved: Indices, solver: ActiveSet
    ) -> Answered | None:
        """Solve the model from the present answer; None where this fails, and a solve from nothing has the word."""
        bounds, before = after.bounds(), self._model.bounds()
        assert isinstance(bounds, KernelQPBounds)
        assert isinstance(before, KernelQPBounds)
        if after.gram is self._model.gram and not np.array_equal(bounds.program.ridge, before.program.ridge):
            # All free coefficients change, and so does the matrix whose inverse was kept.
            solver.forget()
            return None
        start = start_after(self._solution, self._model.gram, rows, moved, bounds.program)
        request = SolveRequest(
            None, Request(self._tol, time_limit=self._time_limit), start.beta, {"values": start.values}
        )
        try:
            return solve_structure(after, bounds.program, solver, request, bounds)
        except QPKernelsError:
            return None


def _active_set() -> ActiveSet:
    """Return what follows a change; its compiled loops need numba, which takes its time to import."""
    from qpkernels.families.incremental import ActiveSet

    return ActiveSet()


def _leave(gram: Any, other: Any) -> None:
    """Let ``gram`` share no entries with ``other`` any more."""
    if isinstance(gram, ChangingGram) and gram is not other:
        gram.leave(other)
