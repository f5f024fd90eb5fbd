# SPDX-License-Identifier: BSD-3-Clause
"""The base class of losses: a convex function of one number, with its conjugate, in NumPy and in CVXPY."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import formulations.modelling.cvx as cp
from qpkernels.arrays import ChecksKeywords, real_number, shown
from qpkernels.arrays.checks import float_array
from qpkernels.arrays.intervals import UNDERFLOW, UNIT, up
from qpkernels.errors import NoEnclosureError, ParameterError

__all__ = ["Loss", "MarginLoss", "QuadraticConjugate", "ResidualLoss", "Values", "checked", "share_of"]

Values: TypeAlias = NDArray[np.float64]
"""float64 array of any shape; losses work elementwise."""


_AT_END = 1e-6
"""Distance within which a slope of an answer counts as one at an end of the domain."""

_OF_VALUES = {
    "_value": ("_value_error", "_value_units", "_curvature"),
    "_conjugate": ("_conjugate_error", "_conjugate_units", "quadratic_conjugate"),
}
"""Attributes that are true of values, and no longer true of others."""


@dataclass(frozen=True)
class QuadraticConjugate:
    """The conjugate ridge/2 s^2 + epsilon |s| + linear s on the domain of a loss, which holds 0."""

    ridge: float = 0.0
    epsilon: float = 0.0
    linear: float = 0.0

    def __call__(self, s: Values) -> Values:
        """Return its values."""
        smooth = s * (self.linear + 0.5 * self.ridge * s)
        return smooth + self.epsilon * np.abs(s) if self.epsilon else smooth

    def slope(self, s: Values) -> Values:
        """Return its slope, the middle one where there are several."""
        return self.linear + self.ridge * s + self.epsilon * np.sign(s)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return its values as a convex CVXPY expression, for an affine ``expression``."""
        terms = [
            0.5 * self.ridge * cp.square(expression) if self.ridge else None,
            self.epsilon * cp.abs(expression) if self.epsilon else None,
            self.linear * expression if self.linear else None,
        ]
        return sum((term for term in terms if term is not None), start=cp.Constant(np.zeros(expression.shape)))


class Loss(metaclass=ChecksKeywords):
    r"""A convex function phi of one number, and its conjugate :math:`\phi^*(s) = \sup_t s t - \phi(t)`.

    A subclass is a frozen dataclass whose fields are its parameters. The laws that the tests check for each:

    * ``value(t) + conjugate(s) >= s * t``, with equality where ``s == slope(t)``
    * ``atom`` and ``conjugate_atom`` have these values, and are convex by CVXPY's rules
    * ``value(t)`` is the largest ``s * t - conjugate(s)`` over all s
    * ``quadratic_conjugate``, where there is one, is the conjugate
    * ``curvature``, where there is one, is the derivative of ``slope``.

    A loss times C > 0 has the conjugate ``C * conjugate(s / C)``. Values too large for float64 are infinite.

    Notes
    -----
    Arguments of the methods:

    t
        Arguments of phi: margins or residuals, of any shape.
    s
        Slopes of phi, of any shape.
    expression
        An affine CVXPY expression.
    low, high
        Ends of intervals, ``low`` at most ``high``.
    costs
        C_i of the samples, at least 0.
    """

    name: ClassVar[str]
    """The name of the loss in tables and figures."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Drop what is inherited about values from a subclass with values of its own: errors, curvature, form."""
        super().__init_subclass__(**options)
        for values, others in _OF_VALUES.items():
            for name in others if values in vars(cls) else ():
                if name not in vars(cls):
                    setattr(cls, name, vars(Loss)[name])

    # What a subclass gives: the conjugate either as quadratic_conjugate, or as _conjugate and conjugate_atom ------

    @property
    @abstractmethod
    def domain(self) -> tuple[float, float]:
        """The ends of the interval where the conjugate is finite: the slopes that the loss takes or approaches."""

    @abstractmethod
    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return the loss of every entry as a convex CVXPY expression, for an affine ``expression``."""

    @abstractmethod
    def _value(self, t: Values) -> Values:
        """Return the losses."""

    @abstractmethod
    def _slope(self, t: Values) -> Values:
        """Return one subgradient for each entry."""

    @property
    def quadratic_conjugate(self) -> QuadraticConjugate | None:
        """The conjugate if it is quadratic except for |s|, so that a model with it is a KernelQP; otherwise None."""
        return None

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        """Return the conjugate of every entry as a convex CVXPY expression, for an affine ``expression``.

        It is the conjugate only on :attr:`domain`; a problem must state the finite ends as constraints.
        """
        return self._quadratic().atom(expression)

    def _conjugate(self, s: Values) -> Values:
        """Return the conjugate of entries within the domain."""
        return self._quadratic()(s)

    def _quadratic(self) -> QuadraticConjugate:
        conjugate = self.quadratic_conjugate
        if conjugate is None:
            raise NotImplementedError(
                f"{type(self).__name__} must state its conjugate: as quadratic_conjugate, or by the methods _conjugate "
                "and conjugate_atom."
            )
        return conjugate

    def _curvature(self, t: Values) -> Values:
        """Return the second derivative at each entry: a loss that has one everywhere, above 0, gives this method."""
        del t
        raise NotImplementedError(f"{type(self).__name__} has no second derivative everywhere.")

    _value_units: ClassVar[float | None] = None
    _conjugate_units: ClassVar[float | None] = None
    """How many units of rounding computed values may be off; None: nobody knows, unless the methods below say it."""

    def _value_error(self, t: Values) -> Values:
        """Return how far the computed losses may be from the exact ones; refused where the loss does not know."""
        return self._off(self._value, t, self._value_units)

    def _conjugate_error(self, s: Values) -> Values:
        """Return how far the computed conjugate may be from the exact one, within the domain."""
        return self._off(self._conjugate, s, self._conjugate_units)

    def _off(self, function: Callable[[Values], Values], x: Values, units: float | None) -> Values:
        if units is None:
            raise NoEnclosureError(
                f"{self} states no bound of its rounding errors, so nothing is proved in exact arithmetic; give its "
                "class the methods _value_error(t) and _conjugate_error(s)."
            )
        return share_of(function(x), units * UNIT) if units else np.zeros_like(x)

    # What a user calls ----------------------------------------------------------------------------------------

    def value(self, t: ArrayLike) -> Values:
        """Return phi(t), elementwise."""
        with np.errstate(over="ignore"):
            return np.asarray(self._value(float_array(t, "t")))

    def slope(self, t: ArrayLike) -> Values:
        """Return a subgradient of phi at t, elementwise; it lies within :attr:`domain`."""
        with np.errstate(over="ignore"):
            return np.asarray(self._slope(float_array(t, "t")))

    @property
    def is_smooth(self) -> bool:
        """Whether the second derivative is above 0 everywhere, so that Newton's method solves a model with the loss."""
        return type(self)._curvature is not Loss._curvature

    def curvature(self, t: ArrayLike) -> Values:
        """Return the second derivative of phi at t, elementwise; it may underflow to 0.

        Raises
        ------
        NotImplementedError
            If the loss is not :attr:`is_smooth`.
        """
        return np.asarray(self._curvature(float_array(t, "t")))

    def conjugate(self, s: ArrayLike) -> Values:
        """Return the conjugate at s, elementwise; infinity outside :attr:`domain`."""
        slopes, (lower, upper) = float_array(s, "s"), self.domain
        with np.errstate(over="ignore"):
            inside = self._conjugate(np.clip(slopes, lower, upper))
        return np.where((slopes < lower) | (slopes > upper), np.inf, inside)

    def multipliers_of_ends(self, costs: Values | float, s: Values, t: Values) -> dict[str, Values]:
        """Return the multipliers of the finite ends of the domain, ``lower`` and ``upper``, where t is that of s.

        They are the costs times how far t is beyond the slope of the conjugate where s is at an end. A smooth loss only
        approaches the ends, so that they are 0. For any other loss without a quadratic conjugate they are not known.
        """
        conjugate, (low, high) = self.quadratic_conjugate, self.domain
        if conjugate is not None:
            excess = costs * (t - conjugate.slope(np.clip(s, low, high)))
        elif self.is_smooth:
            excess = np.zeros_like(s)
        else:
            return {}
        multipliers: dict[str, Values] = {}
        if np.isfinite(low):
            multipliers["lower"] = np.where(s <= low + _AT_END, np.maximum(-excess, 0.0), 0.0)
        if np.isfinite(high):
            multipliers["upper"] = np.where(s >= high - _AT_END, np.maximum(excess, 0.0), 0.0)
        return multipliers

    def largest_value(self, low: Values, high: Values) -> Values:
        """Return upper bounds, in exact arithmetic, of phi between two numbers. It is convex, so largest at an end.

        Raises
        ------
        NoEnclosureError
            If the loss does not know its rounding errors.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return np.maximum(*(up(self._value(t) + self._value_error(t)) for t in (low, high)))

    def largest_conjugate(self, low: Values, high: Values) -> Values:
        """Return such bounds of the conjugate between two slopes, on the part that lies in :attr:`domain`.

        Raises
        ------
        NoEnclosureError
            If the loss does not know its rounding errors.
        """
        ends = (np.clip(s, *self.domain) for s in (low, high))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.maximum(*(up(self._conjugate(s) + self._conjugate_error(s)) for s in ends))


def share_of(values: Values, share: float) -> Values:
    """Return an error that is so large a share of the values, or has underflowed."""
    return np.asarray(share * np.abs(values) + UNDERFLOW)


class MarginLoss(Loss):
    """A loss of the margin z = y (f(x) + b), which is above 0 where f(x) + b has the correct sign."""


class ResidualLoss(Loss):
    """A loss of the residual r = y - f(x) - b."""


def checked(
    loss: Loss, name: str, *, above: float = -np.inf, least: float = -np.inf, below: float = np.inf, meaning: str
) -> None:
    """Replace the field ``name`` of a frozen loss by a float, or refuse one outside its range."""
    given = getattr(loss, name)
    bounds = [
        *([f"above {above:g}"] if np.isfinite(above) else []),
        *([f"of at least {least:g}"] if np.isfinite(least) else []),
        *([f"below {below:g}"] if np.isfinite(below) else []),
    ]
    wanted = f"{name} must be a finite number {' and '.join(bounds)}"
    try:
        number = real_number(given, name)
    except ParameterError:
        raise ParameterError(f"{wanted}, but {shown(given)} came; it is {meaning}.") from None
    if not (np.isfinite(number) and above < number < below and number >= least):
        raise ParameterError(f"{wanted}, but {number:g} came; it is {meaning}.")
    object.__setattr__(loss, name, number)
