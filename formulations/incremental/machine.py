# SPDX-License-Identifier: BSD-3-Clause
"""Incremental and decremental learning: a model whose samples change, and the certified answer after each change.

A change of one sample moves the optimum a little. The descent starts from the answer before, with its values K beta
known up to one row of K, and K itself is kept, so that a change computes that row alone (the idea of Cauwenberghs and
Poggio, Incremental and decremental support vector machine learning, 2001). The certificate is that of any other answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from formulations.incremental.restated import names_per_sample, restated, shared_value, values_of
from formulations.incremental.samples import numbers_of, read_samples, read_targets, require_classes
from formulations.incremental.start import start_after
from formulations.modelling import Model, Solution
from formulations.modelling.solving import SolveRequest
from formulations.modelling.structures import solve_structure
from qpkernels.arrays import ChecksKeywords, Indices, Samples, Vector, check_positive, check_tolerance, shown
from qpkernels.display import Card, Carded, Fact
from qpkernels.errors import ParameterError, QPKernelsError, SolverFailedError
from qpkernels.gram import ChangingGram, changed
from qpkernels.problems import KernelQPBounds, Status

if TYPE_CHECKING:
    from qpkernels.incremental import ActiveSet

__all__ = ["Incremental"]

Answered = TypeVar("Answered", bound=Solution)

_NONE: Indices = np.empty(0, np.intp)


class Incremental(Carded, Generic[Answered], metaclass=ChecksKeywords):
    """A model whose samples and hyper-parameters change; each change returns the certified answer to the new model.

    The model given stays as it is. Where a change is refused, or its model has no answer, the machine stays as it was.

    Parameters
    ----------
    model
        Where to start: any model that can be solved. It is solved at once.
    tol
        Above 0 and below 1: the relative duality gap and residuals that every certificate must show for ``optimal``.
    time_limit
        Seconds above 0 for each answer, then the best point so far comes back, which :meth:`improve` goes on from;
        None: no limit. Where its start is no good, a change may take twice as long.

    Raises
    ------
    ParameterError
        If ``model`` is none, or ``tol`` or ``time_limit`` not above 0.
    InfeasibleError, SolverFailedError
        If the model has no answer.

    Notes
    -----
    Arguments of the methods:

    i
        Number of a sample, from 0 in their present order, or several different ones, shape (n,).
    x
        The features of one sample, or of n samples as the kernel takes them.
    y
        The label of each, one of the two of the model, or its target.

    Examples
    --------
    >>> from formulations import Incremental, SoftMargin
    >>> machine = Incremental(SoftMargin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=1.0))
    >>> print(machine.add([2.0], 1).status, f"{machine.solution.objective:.3f}")
    optimal 1.500
    """

    def __init__(self, model: Model[Answered], *, tol: float = 1e-6, time_limit: float | None = None) -> None:
        if not isinstance(model, Model):
            raise ParameterError(f"Incremental takes a model, such as SoftMargin(X, y), but {shown(model)} came.")
        self._tol = check_tolerance(tol)
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
        """Return the present model, and what is proved of its answer."""
        model, solution = self._model.card(), self._solution.card()
        stated = [fact for fact in model.facts if fact.name not in ("forms", "solvers", "intercept")]
        facts = (Fact("model", model.title), *stated, *solution.facts)
        return Card(type(self).__name__, model.formulas, facts, solution.figure)

    def __repr__(self) -> str:
        return f"<Incremental: {self._model!r}, {self._solution.status} to {self._tol:g}>"

    def add(self, x: ArrayLike, y: ArrayLike | None = None, **costs: ArrayLike) -> Answered:
        """Add a sample, or several, after those that are there.

        Parameters
        ----------
        x
            One sample, or several as the kernel takes them.
        y
            Its label, one of the two of the model, or its target; left out in a model without.
        **costs
            Hyper-parameters of single samples, such as C, for the new ones; where all have the same, that is the
            default.

        Raises
        ------
        ShapeError, NonFiniteError, LabelError, ParameterError
            If these are no such samples, labels, targets or costs.
        """
        X = read_samples(x, self._model.gram)
        count = int(X.shape[0])
        targets = read_targets(self._model, y, count)
        parameters = values_of(self._model)
        for name in costs:
            if name not in names_per_sample(self._model):
                raise ParameterError(f"a {self._model.name} has no {name} of single samples; leave it out.")
        for name in names_per_sample(self._model):
            added = costs[name] if name in costs else shared_value(name, parameters[name])
            parameters[name] = np.append(parameters[name], np.broadcast_to(np.asarray(added, dtype=float), count))
        y_all = None if self._y is None or targets is None else np.append(self._y, targets)
        return self._change(np.arange(len(self) + count), X, y_all, parameters)

    def remove(self, i: ArrayLike) -> Answered:
        """Remove the sample of number ``i``, or several; those after it move up.

        Raises
        ------
        ParameterError
            If there are no such samples, or no others.
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
        """Give the sample of number ``i``, or several, other features ``x``, and another label or target ``y``.

        Parameters
        ----------
        y
            None: labels and targets stay, as costs do.

        Raises
        ------
        ShapeError, NonFiniteError, LabelError, ParameterError
            If there are no such samples, labels or targets, or these are none.
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
        """Give the sample of number ``i``, or several, another label or target.

        Raises
        ------
        LabelError, ShapeError, NonFiniteError, ParameterError
            If there are no such samples, or these are no labels or targets of the model.
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
            New values by the names of hyper-parameters, such as ``C=10.0``: one number, or where the model has one for
            each sample also shape (m,).

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
        """Go on from an answer that a time limit ended, and return the better one; the same if nobody gets further.

        Parameters
        ----------
        time_limit
            Seconds above 0; None: until it is proved.

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
            if self._model.needs_psd:
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
        request = SolveRequest(None, self._tol, None, self._time_limit, start.beta, False, {"values": start.values})
        try:
            return solve_structure(after, bounds.program, solver, request, bounds)
        except QPKernelsError:
            return None


def _active_set() -> ActiveSet:
    """Return what follows a change; its compiled loops need numba, which takes its time to import."""
    from qpkernels.incremental import ActiveSet

    return ActiveSet()


def _leave(gram: Any, other: Any) -> None:
    """Let ``gram`` share no entries with ``other`` any more."""
    if isinstance(gram, ChangingGram) and gram is not other:
        gram.leave(other)
