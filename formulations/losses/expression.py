# SPDX-License-Identifier: BSD-3-Clause
"""A user's own loss as a CVXPY expression, whose conjugate is bounded by the expression's values and slopes.

For a convex phi and two points a < b with slopes phi'(a) <= s <= phi'(b), both tangents bound phi from below, so that

    phi*(s) = sup_t s t - phi(t) <= the value of s t - tangent(t) where the two tangents meet

which bisection makes as near as float64 allows. With an upper bound of the conjugate, the dual value of a certificate
is still a lower bound of the optimum, so that proofs hold, however near the bound is.

For a loss with at most two kinks or bends, such as hinges, tubes and their squares, the rows of CVXPY's matrices
determine the conjugate itself, as they do where a loss is part of a statement about functions. Such models are
KernelQPs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import formulations.modelling.cvx as cp
from formulations.losses.loss import MarginLoss, QuadraticConjugate, ResidualLoss, Values
from qpkernels.arrays import shown
from qpkernels.errors import ParameterError, UnsupportedProgramError

__all__ = ["ExpressionLoss", "as_margin_loss", "as_residual_loss"]

_PROBES = np.array([-30.0, -3.0, -1.0, -0.3, 0.0, 0.2, 1.0, 2.5, 40.0])
"""Numbers at which a function is tried before it is taken for a loss."""

_FAR = 1e6
"""Where the slopes count as those that the loss approaches, if they are then level."""

_LEVEL = 1e-3
"""Share of a slope by which it may still change, from half of that distance on, and count as level."""

_NEAR, _BESIDE = 1e-9, 1e-4
"""Rounding of values, and the step by which slopes are compared with them."""

_MOVED = 1e-9
"""How far beside, over 1 + |t|, a slope is asked for."""

_STEPS = 200
"""Steps of the search for a conjugate."""

_MET = 1e-13
"""Share of the sizes of its terms to which the bound of a conjugate is met."""


@dataclass(frozen=True)
class ExpressionLoss(MarginLoss, ResidualLoss):
    """A convex function as a CVXPY expression: of the margin in classification, of the residual in regression.

    For piecewise linear and quadratic functions such as hinges, tubes and their squares, the conjugate is found, and
    the model is like that of a loss of the library. For other functions, cone solvers solve the primal, and the dual
    form needs ``conjugate_function``; the certificate then bounds the conjugate by values and slopes of the expression.

    Parameters
    ----------
    function
        A callable that takes a CVXPY vector variable and returns the losses of its entries as a convex expression, such
        as ``lambda z: cp.logistic(-z) + 0.1 * cp.square(cp.pos(1 - z))``. It must be finite everywhere.
    conjugate_function
        A callable for the conjugate, at the slopes that the loss takes. It states the dual form; no proof relies on it.

    Raises
    ------
    ParameterError
        If a function returns no such expression.
    UnsupportedProgramError
        If it is not convex by CVXPY's rules (DCP).

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations import ResidualLossRegression
    >>> from formulations.losses import ExpressionLoss
    >>> loss = ExpressionLoss(lambda r: cp.maximum(cp.abs(r), 2 * cp.abs(r) - 1))
    >>> print(loss.value([-3.0, 0.5]).round(6))
    [5.  0.5]
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> print(ResidualLossRegression(X, y, loss=loss, C=1.0).solve().status)
    optimal
    """

    function: Callable[[Any], Any]
    conjugate_function: Callable[[Any], Any] | None = None
    name: ClassVar[str] = "own"

    def __post_init__(self) -> None:
        if not callable(self.function) or not (self.conjugate_function is None or callable(self.conjugate_function)):
            raise ParameterError(
                f"an ExpressionLoss takes functions of a CVXPY variable, but {shown(self.function)} and "
                f"{shown(self.conjugate_function)} came."
            )
        values, slopes = _values(self.function, _PROBES), _slopes(self.function, _PROBES)
        if not (finite := np.isfinite(values) & np.isfinite(slopes)).all():
            raise ParameterError(
                f"a loss must have a finite value and slope everywhere, but {self} does not at {_PROBES[~finite][0]:g}."
            )
        alone = np.array([_values(self.function, _PROBES[[k]])[0] for k in range(_PROBES.size)])
        if np.abs(alone - values).max() > _NEAR * (1.0 + np.abs(values).max()):
            raise ParameterError(
                f"a loss must be a function of each entry alone, but {self} is not; leave sums, means and norms out."
            )
        beside = _values(self.function, _PROBES - _BESIDE), _values(self.function, _PROBES + _BESIDE)
        left, right = (values - beside[0]) / _BESIDE, (beside[1] - values) / _BESIDE
        allowed = _NEAR / _BESIDE * (1.0 + np.abs(values))
        if (slopes < left - allowed).any() or (slopes > right + allowed).any():
            raise ParameterError(
                f"the slopes that CVXPY has of {self} are not those of its values; state it by other atoms."
            )

    def __repr__(self) -> str:
        return f"ExpressionLoss({getattr(self.function, '__name__', None) or shown(self.function)})"

    @cached_property
    def _entry(self) -> tuple[QuadraticConjugate, tuple[float, float]] | None:
        """The conjugate and its domain, where the loss is one entry of a KernelQP that is 0 at its least."""
        # Statements about functions need CVXPY, which takes its time to import.
        from formulations.language.recognition import NotSeparable, StatementColumns, separate
        from formulations.modelling.lowering import lower

        t = cp.Variable(1)
        try:
            lowered = lower(cp.Problem(cp.Minimize(cp.sum(_convex(self.function, t)))), "loss")
            found = separate(lowered.program, StatementColumns(lowered.columns[t.id] + np.arange(1), np.arange(0)))
        except (NotSeparable, UnsupportedProgramError):
            return None
        entries, scale = found.entries, found.functionals.toarray()
        if entries.of.size != 1 or found.offset != 0.0 or found.directions.size or scale[entries.of] != 1.0:
            return None
        values = entries.ridge, entries.epsilon, entries.target, entries.lower, entries.upper
        ridge, epsilon, target, least, most = (float(each[0]) + 0.0 for each in values)
        return QuadraticConjugate(ridge, epsilon, target), (0.0 - most, 0.0 - least)

    @property
    def quadratic_conjugate(self) -> QuadraticConjugate | None:
        """The conjugate, where the matrices determine it."""
        return None if self._entry is None else self._entry[0]

    @cached_property
    def domain(self) -> tuple[float, float]:
        """The slopes that it takes or approaches. If only values tell, these are the slopes at 1e6 on both sides."""
        if self._entry is not None:
            return self._entry[1]
        ends = np.array([-_FAR, _FAR])
        near, far = _slopes(self.function, 0.5 * ends), _slopes(self.function, ends)
        with np.errstate(invalid="ignore"):
            level = np.isfinite(far) & (np.abs(far - near) <= _LEVEL * np.abs(far))
        return (float(far[0]) if level[0] else -np.inf, float(far[1]) if level[1] else np.inf)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return the loss of every entry."""
        return _convex(self.function, expression)

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        """Return the conjugate of every entry, as it was given.

        Raises
        ------
        UnsupportedProgramError
            If it was not given.
        """
        if self.conjugate_function is None and self.quadratic_conjugate is not None:
            return super().conjugate_atom(expression)
        if self.conjugate_function is None:
            raise UnsupportedProgramError(
                f"the dual form needs the conjugate of {self} as a CVXPY expression: "
                "ExpressionLoss(function, conjugate_function). The primal form needs none."
            )
        return _convex(self.conjugate_function, expression)

    def _value(self, t: Values) -> Values:
        return _values(self.function, t)

    def _slope(self, t: Values) -> Values:
        return np.clip(_slopes(self.function, t), *self.domain)

    def _conjugate(self, s: Values) -> Values:
        if self.quadratic_conjugate is not None:
            return super()._conjugate(s)
        return _largest(self.function, np.ravel(s)).reshape(np.shape(s))


def as_margin_loss(loss: object) -> MarginLoss:
    """Return a margin loss as it is, and a function of a CVXPY variable as one."""
    return loss if isinstance(loss, MarginLoss) else _of_function(loss, "a margin loss, such as LogisticLoss()")


def as_residual_loss(loss: object) -> ResidualLoss:
    """Return a residual loss as it is, and a function of a CVXPY variable as one."""
    return loss if isinstance(loss, ResidualLoss) else _of_function(loss, "a residual loss, such as AbsolutePower(1.5)")


def _of_function(loss: object, wanted: str) -> ExpressionLoss:
    if callable(loss) and not isinstance(loss, type):
        return ExpressionLoss(loss)
    raise ParameterError(f"loss must be {wanted}, but {shown(loss)} came.")


def _convex(function: Callable[[Any], Any], expression: cp.Expression) -> cp.Expression:
    """Return the function of an expression, if it is a convex expression of that shape."""
    try:
        made = function(expression)
    except Exception as error:
        raise ParameterError(
            f"a loss must take a CVXPY variable, but {function} raised {type(error).__name__}: {str(error).strip()}"
        ) from error
    if not isinstance(made, cp.Expression) or made.shape != expression.shape or not made.is_real():
        kind = f"one of shape {made.shape}" if isinstance(made, cp.Expression) else shown(made)
        raise ParameterError(
            f"a loss must return a real CVXPY expression of the shape {expression.shape} that it was given, but {kind} "
            "came; use atoms that act on each entry, such as cp.pos, cp.square and cp.logistic."
        )
    if made.parameters() or {each.id for each in made.variables()} - {each.id for each in expression.variables()}:
        raise ParameterError("a loss must have no variables or parameters of its own; write numbers.")
    if not made.is_convex():
        raise UnsupportedProgramError(
            f"a loss must be convex by CVXPY's rules (DCP), but the curvature of {shown(str(made))} is "
            f"{made.curvature.lower()}; look for the offending term with `term.is_convex()`."
        )
    return made


@dataclass(frozen=True, eq=False)
class _Points:
    """Points with the values and subgradients there; infinite or NaN where there is none."""

    t: Values
    value: Values
    slope: Values

    @classmethod
    def at(cls, function: Callable[[Any], Any], t: Values) -> _Points:
        """Evaluate at t, or a little beside where CVXPY has no gradient of an atom, as of |t|^1.5 at 0.

        The expression is made anew each time, as threads may do so side by side.
        """
        flat = np.ravel(t)
        with np.errstate(all="ignore"):
            for move in (0.0, 1.0, -1.0):
                variable = cp.Variable(flat.size)
                expression = _convex(function, variable)
                variable.value = flat + move * _MOVED * (1.0 + np.abs(flat))
                values = np.asarray(expression.value, dtype=np.float64)
                slopes = _gradient(expression, variable)
                if slopes is not None:
                    return cls(np.asarray(variable.value), values, slopes)
        return cls(flat, values, np.full(flat.size, np.nan))

    def where(self, chosen: NDArray[np.bool_], other: _Points) -> _Points:
        """Return these points where ``chosen``, and the other ones elsewhere."""
        return _Points(
            np.where(chosen, self.t, other.t),
            np.where(chosen, self.value, other.value),
            np.where(chosen, self.slope, other.slope),
        )

    def part(self, rows: NDArray[Any]) -> _Points:
        """Return some of the points."""
        return _Points(self.t[rows], self.value[rows], self.slope[rows])


def _gradient(expression: cp.Expression, variable: cp.Variable) -> Values | None:
    if not expression.variables():
        return np.zeros(variable.size)
    gradient = expression.grad[variable]
    if gradient is None:
        return None
    return np.asarray(gradient.diagonal() if np.ndim(gradient) == 2 else np.ravel(gradient), dtype=np.float64)


def _values(function: Callable[[Any], Any], t: Values) -> Values:
    variable = cp.Variable(np.size(t))
    expression = _convex(function, variable)
    with np.errstate(all="ignore"):
        variable.value = np.ravel(t)
        return np.asarray(expression.value, dtype=np.float64).reshape(np.shape(t))


def _slopes(function: Callable[[Any], Any], t: Values) -> Values:
    return _Points.at(function, t).slope.reshape(np.shape(t))


def _largest(function: Callable[[Any], Any], s: Values) -> Values:
    """Return upper bounds of s t - phi(t) over all t; infinity where no two slopes enclose s."""
    ends = [_reaching(function, s, sign) for sign in (-1.0, 1.0)]
    found = np.full(s.shape, np.inf)
    left = np.flatnonzero(~np.isnan(ends[0] + ends[1]))
    a, b = (_Points.at(function, end[left]) for end in ends)
    for step in range(_STEPS):
        if left.size == 0:
            break
        meeting = _meeting(a, b)
        with np.errstate(all="ignore"):
            terms = np.stack([s[left] * meeting, -a.value, -a.slope * (meeting - a.t)])
            # What rounding may take from the bound is added to it.
            size = np.abs(terms).sum(axis=0)
            bound = terms.sum(axis=0) + 8.0 * np.finfo(float).eps * size
            reached = np.maximum(s[left] * a.t - a.value, s[left] * b.t - b.value)
        found[left] = np.minimum(found[left], np.where(np.isfinite(bound), bound, np.inf))
        unmet = ~(found[left] - reached <= _MET * size)
        inside = np.isfinite(meeting) & (meeting > a.t) & (meeting < b.t) & bool(step % 2)
        t = np.where(inside, meeting, 0.5 * (a.t + b.t))
        more = np.flatnonzero(unmet & (t > a.t) & (t < b.t))
        left, a, b = left[more], a.part(more), b.part(more)
        new = _Points.at(function, t[more])
        below = new.slope <= s[left]
        a, b = new.where(below, a), b.where(below, new)
    return found


def _reaching(function: Callable[[Any], Any], s: Values, sign: float) -> Values:
    """Return points on that side whose slopes are not short of s, NaN where there is none within 1e12."""
    point, found = sign, np.full(s.shape, np.nan)
    while abs(point) <= _FAR**2 and np.isnan(found).any():
        slope = float(_slopes(function, np.array([point]))[0])
        found[np.isnan(found) & (sign * slope >= sign * s)] = point
        point *= 8.0
    return found


def _meeting(a: _Points, b: _Points) -> Values:
    """Return where the tangents at both ends meet; the lower end where they are one line."""
    with np.errstate(all="ignore"):
        rise = b.slope - a.slope
        beyond = (a.value - b.value + b.slope * (b.t - a.t)) / rise
        return np.where(rise > 0, np.clip(a.t + beyond, a.t, b.t), a.t)
