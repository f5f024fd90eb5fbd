# SPDX-License-Identifier: BSD-3-Clause
"""Losses psi(r) of the residual r = y - f(x) - b: they are 0 at 0 and penalise both signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

import formulations.modelling.cvx as cp
from formulations.losses.loss import QuadraticConjugate, ResidualLoss, Values, checked, share_of
from qpkernels.arrays.intervals import ELEMENTARY, UNDERFLOW, UNIT

__all__ = [
    "AbsolutePower",
    "EpsilonInsensitive",
    "Huber",
    "LogisticResidual",
    "Pinball",
    "Squared",
    "SquaredEpsilonInsensitive",
]


@dataclass(frozen=True)
class Pinball(ResidualLoss):
    """max(tau r, (tau - 1) r); its conjugate is 0 on [tau - 1, tau].

    Parameters
    ----------
    tau
        Between 0 and 1: the share of samples that should lie below the fit. 1/2 gives half the absolute loss.

    Examples
    --------
    >>> from formulations.losses import Pinball
    >>> loss, residuals = Pinball(tau=0.75), [-2.0, 1.0, 2.0]
    >>> print(loss.value(residuals), loss.slope(residuals), loss.conjugate([0.5]))
    [0.5  0.75 1.5 ] [-0.25  0.75  0.75] [0.]
    """

    tau: float
    name: ClassVar[str] = "pinball"
    quadratic_conjugate = QuadraticConjugate()
    _value_units, _conjugate_units = 4.0, 0.0

    def __post_init__(self) -> None:
        checked(self, "tau", above=0.0, below=1.0, meaning="the quantile wanted")

    @property
    def domain(self) -> tuple[float, float]:
        """[tau - 1, tau]."""
        return self.tau - 1.0, self.tau

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return max(tau r, (tau - 1) r)."""
        return cp.maximum(self.tau * expression, (self.tau - 1.0) * expression)

    def _value(self, t: Values) -> Values:
        return np.maximum(self.tau * t, (self.tau - 1.0) * t)

    def _slope(self, t: Values) -> Values:
        return np.where(t >= 0.0, self.tau, self.tau - 1.0)


@dataclass(frozen=True)
class Huber(ResidualLoss):
    """r^2 / 2 for |r| <= delta, and delta |r| - delta^2 / 2 beyond; its conjugate is s^2 / 2 on [-delta, delta].

    Parameters
    ----------
    delta
        Above 0, in the unit of y: the size from which a residual counts as an outlier.

    Examples
    --------
    >>> from formulations.losses import Huber
    >>> loss, residuals = Huber(delta=1.0), [-3.0, 0.5, 2.0]
    >>> print(loss.value(residuals), loss.slope(residuals), loss.conjugate([0.5]))
    [2.5   0.125 1.5  ] [-1.   0.5  1. ] [0.125]
    """

    delta: float
    name: ClassVar[str] = "Huber"
    quadratic_conjugate = QuadraticConjugate(ridge=1.0)
    _value_units, _conjugate_units = 4.0, 2.0

    def __post_init__(self) -> None:
        checked(self, "delta", above=0.0, meaning="the size from which a residual counts as an outlier")

    @property
    def domain(self) -> tuple[float, float]:
        """[-delta, delta]."""
        return -self.delta, self.delta

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return the loss by CVXPY's Huber function, which is twice this one."""
        return 0.5 * cp.huber(expression, self.delta)

    def _value(self, t: Values) -> Values:
        near = np.minimum(np.abs(t), self.delta)
        return near * (np.abs(t) - 0.5 * near)

    def _slope(self, t: Values) -> Values:
        return np.clip(t, -self.delta, self.delta)


@dataclass(frozen=True)
class Squared(ResidualLoss):
    """r^2 / 2; its conjugate is s^2 / 2 everywhere.

    Examples
    --------
    >>> from formulations.losses import Squared
    >>> loss, residuals = Squared(), [-2.0, 0.5, 1.0]
    >>> print(loss.value(residuals), loss.slope(residuals), loss.conjugate([1.0]))
    [2.    0.125 0.5  ] [-2.   0.5  1. ] [0.5]
    """

    name: ClassVar[str] = "squared"
    domain = (-np.inf, np.inf)
    quadratic_conjugate = QuadraticConjugate(ridge=1.0)
    _value_units, _conjugate_units = 2.0, 2.0

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return r^2 / 2."""
        return 0.5 * cp.square(expression)

    def _value(self, t: Values) -> Values:
        return 0.5 * t**2

    def _slope(self, t: Values) -> Values:
        return t.copy()


@dataclass(frozen=True)
class AbsolutePower(ResidualLoss):
    """|r|^p; its conjugate is (p - 1) |s / p|^(p / (p - 1)), and for p = 1 it is 0 on [-1, 1].

    Parameters
    ----------
    p
        At least 1, so that the loss is convex. Raising it gives large residuals more weight.

    Examples
    --------
    >>> from formulations.losses import AbsolutePower
    >>> loss, residuals = AbsolutePower(p=1.5), [-4.0, 0.25, 1.0]
    >>> print(loss.value(residuals), loss.slope(residuals), loss.conjugate([1.5]).round(3))
    [8.    0.125 1.   ] [-3.    0.75  1.5 ] [0.5]
    """

    p: float
    name: ClassVar[str] = "absolute power"

    def __post_init__(self) -> None:
        checked(self, "p", least=1.0, meaning="the power of |r|, and below 1 the loss is not convex")

    @property
    def domain(self) -> tuple[float, float]:
        """All numbers, and [-1, 1] for p = 1."""
        return (-1.0, 1.0) if self.p == 1.0 else (-np.inf, np.inf)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return |r|^p."""
        # The power cone is exact; CVXPY's default would round p to a fraction.
        return cp.power(cp.abs(expression), self.p, approx=False)

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        """Return (p - 1) |s / p|^(p / (p - 1)), and 0 for p = 1."""
        if self.quadratic_conjugate is not None:
            return super().conjugate_atom(expression)
        return (self.p - 1.0) * cp.power(cp.abs(expression / self.p), self._dual_power, approx=False)

    @property
    def quadratic_conjugate(self) -> QuadraticConjugate | None:
        """0 for p = 1, and s^2 / 4 for p = 2."""
        return {1.0: QuadraticConjugate(), 2.0: QuadraticConjugate(ridge=0.5)}.get(self.p)

    def _value(self, t: Values) -> Values:
        return np.abs(t) ** self.p

    def _slope(self, t: Values) -> Values:
        return np.sign(t) * self.p * np.abs(t) ** (self.p - 1.0)

    def _conjugate(self, s: Values) -> Values:
        if self.quadratic_conjugate is not None:
            return super()._conjugate(s)
        return np.asarray((self.p - 1.0) * np.abs(s / self.p) ** self._dual_power)

    def _value_error(self, t: Values) -> Values:
        return share_of(self._value(t), 2.0 * ELEMENTARY)

    def _conjugate_error(self, s: Values) -> Values:
        if self.p == 1.0:
            return np.zeros_like(s)
        # The exponent is rounded twice, and |s / p| once: the logarithm of the power is off by so much.
        with np.errstate(divide="ignore"):
            logarithm = np.log(np.abs(s / self.p))
        off = np.where(s == 0.0, 0.0, self._dual_power * UNIT * (4.0 * np.abs(logarithm) + 2.0))
        return np.asarray(np.abs(self._conjugate(s)) * (1.01 * np.expm1(off) + 2.0 * ELEMENTARY) + UNDERFLOW)

    @property
    def _dual_power(self) -> float:
        return self.p / (self.p - 1.0)


@dataclass(frozen=True)
class LogisticResidual(ResidualLoss):
    """-log(4 e^r / (1 + e^r)^2) = 2 log cosh(r / 2); its conjugate is (1+s) log(1+s) + (1-s) log(1-s) on [-1, 1].

    It is the negative logarithm of the logistic density, up to a constant: quadratic near 0, and linear far away.

    Examples
    --------
    >>> from formulations.losses import LogisticResidual
    >>> loss, residuals = LogisticResidual(), [-1.0, 0.0, 2.0]
    >>> print(loss.value(residuals).round(3), loss.slope(residuals).round(3))
    [0.24  0.    0.868] [-0.462  0.     0.762]
    """

    name: ClassVar[str] = "logistic residual"
    domain = (-1.0, 1.0)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return 2 log(1 + e^r) - r - log 4."""
        return 2 * cp.logistic(expression) - expression - np.log(4.0)

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        """Return (1 + s) log(1 + s) + (1 - s) log(1 - s)."""
        return -cp.entr(1 + expression) - cp.entr(1 - expression)

    def _value(self, t: Values) -> Values:
        size = np.abs(t)
        # cosh(r / 2) = 1 + 2 sinh(r / 4)^2 keeps the digits of small residuals; far away it overflows.
        near = 2.0 * np.log1p(2.0 * np.sinh(0.25 * np.minimum(size, 1.0)) ** 2)
        far = size + 2.0 * (np.log1p(np.exp(-size)) - np.log(2.0))
        return np.where(size < 1.0, near, far)

    def _slope(self, t: Values) -> Values:
        return np.tanh(0.5 * t)

    def _curvature(self, t: Values) -> Values:
        return np.asarray(2.0 * scipy.special.expit(t) * scipy.special.expit(-t))

    def _conjugate(self, s: Values) -> Values:
        # The same as 2 s artanh(s) + log(1 - s^2), which keeps the digits of small slopes.
        inner = np.clip(s, -0.5, 0.5)
        near = 2.0 * inner * np.arctanh(inner) + np.log1p(-inner * inner)
        far = scipy.special.xlog1py(1.0 + s, s) + scipy.special.xlog1py(1.0 - s, -s)
        return np.where(inner == s, near, far)

    def _value_error(self, t: Values) -> Values:
        # Near 0 nothing cancels; from 1 on, 63 u are what the difference from 2 log 2 makes of the errors.
        return share_of(self._value(t), 10.0 * ELEMENTARY)

    def _conjugate_error(self, s: Values) -> Values:
        # Up to 1/2 the parts are 2 s^2 and -s^2 but for a tenth, and so at most four times what is left of them.
        parts = np.abs(scipy.special.xlog1py(1.0 + s, s)) + np.abs(scipy.special.xlog1py(1.0 - s, -s))
        return share_of(np.where(np.abs(s) <= 0.5, 4.0 * self._conjugate(s), parts), 2.0 * ELEMENTARY)


@dataclass(frozen=True)
class EpsilonInsensitive(ResidualLoss):
    """max(0, |r| - epsilon); its conjugate is epsilon |s| on [-1, 1].

    Parameters
    ----------
    epsilon
        At least 0, in the unit of y: half the width of the tube that costs nothing. 0 is the absolute loss.

    Examples
    --------
    >>> from formulations.losses import EpsilonInsensitive
    >>> loss, residuals = EpsilonInsensitive(epsilon=0.5), [-2.0, 0.25, 1.0]
    >>> print(loss.value(residuals), loss.slope(residuals), loss.conjugate([0.5]))
    [1.5 0.  0.5] [-1.  0.  1.] [0.25]
    """

    epsilon: float
    name: ClassVar[str] = "epsilon-insensitive"
    domain = (-1.0, 1.0)
    _value_units, _conjugate_units = 2.0, 2.0

    def __post_init__(self) -> None:
        checked(self, "epsilon", least=0.0, meaning="half the width of the tube that costs nothing")

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return max(0, |r| - epsilon)."""
        return cp.pos(cp.abs(expression) - self.epsilon)

    @property
    def quadratic_conjugate(self) -> QuadraticConjugate:
        """The conjugate."""
        return QuadraticConjugate(epsilon=self.epsilon)

    def _value(self, t: Values) -> Values:
        return np.maximum(0.0, np.abs(t) - self.epsilon)

    def _slope(self, t: Values) -> Values:
        return np.where(np.abs(t) > self.epsilon, np.sign(t), 0.0)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(ResidualLoss):
    """max(0, |r| - epsilon)^2, without a factor 1/2; its conjugate is epsilon |s| + s^2 / 4 everywhere.

    Parameters
    ----------
    epsilon
        At least 0, in the unit of y: half the width of the tube that costs nothing.

    Examples
    --------
    >>> from formulations.losses import SquaredEpsilonInsensitive
    >>> loss, residuals = SquaredEpsilonInsensitive(epsilon=0.5), [-2.0, 0.25, 1.0]
    >>> print(loss.value(residuals), loss.slope(residuals), loss.conjugate([1.0]))
    [2.25 0.   0.25] [-3.  0.  1.] [0.75]
    """

    epsilon: float
    name: ClassVar[str] = "squared epsilon-insensitive"
    domain = (-np.inf, np.inf)
    _value_units, _conjugate_units = 4.0, 4.0

    def __post_init__(self) -> None:
        checked(self, "epsilon", least=0.0, meaning="half the width of the tube that costs nothing")

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return max(0, |r| - epsilon)^2."""
        return cp.square(cp.pos(cp.abs(expression) - self.epsilon))

    @property
    def quadratic_conjugate(self) -> QuadraticConjugate:
        """The conjugate."""
        return QuadraticConjugate(ridge=0.5, epsilon=self.epsilon)

    def _value(self, t: Values) -> Values:
        return np.maximum(0.0, np.abs(t) - self.epsilon) ** 2

    def _slope(self, t: Values) -> Values:
        return 2.0 * np.copysign(np.maximum(0.0, np.abs(t) - self.epsilon), t)
