# SPDX-License-Identifier: BSD-3-Clause
"""Losses of the residual r = y - f(x) - b that are 0 within a tube around the function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import formulations.cvx as cp
from formulations.losses.base import QuadraticConjugate, ResidualLoss, Values, checked, share_of
from qpkernels.intervals import UNIT

__all__ = ["EpsilonInsensitive", "SquaredEpsilonInsensitive"]


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

    def __post_init__(self) -> None:
        checked(self, "epsilon", least=0.0, meaning="half the width of the tube that costs nothing")

    @property
    def domain(self) -> tuple[float, float]:
        """[-1, 1]."""
        return -1.0, 1.0

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

    def _value_error(self, t: Values) -> Values:
        return share_of(self._value(t), 2.0 * UNIT)

    def _conjugate_error(self, s: Values) -> Values:
        return share_of(self._conjugate(s), 2.0 * UNIT)


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

    def __post_init__(self) -> None:
        checked(self, "epsilon", least=0.0, meaning="half the width of the tube that costs nothing")

    @property
    def domain(self) -> tuple[float, float]:
        """All numbers."""
        return -np.inf, np.inf

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

    def _value_error(self, t: Values) -> Values:
        return share_of(self._value(t), 4.0 * UNIT)

    def _conjugate_error(self, s: Values) -> Values:
        return share_of(self._conjugate(s), 4.0 * UNIT)
