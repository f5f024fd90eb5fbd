# SPDX-License-Identifier: BSD-3-Clause
"""Losses phi(z) of the margin z = y (f(x) + b), which penalise small margins; one penalises large margins as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np
import scipy

import formulations.modelling.cvx as cp
from formulations.losses.loss import MarginLoss, QuadraticConjugate, Values, share_of
from qpkernels.arrays.intervals import ELEMENTARY
from qpkernels.errors import UnsupportedProgramError

__all__ = ["Hinge", "LogisticLoss", "SquaredHinge", "SquaredMargin", "ZeroOne"]


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """max(0, 1 - z); its conjugate is s on [-1, 0].

    Examples
    --------
    >>> from formulations.losses import Hinge
    >>> loss, margins = Hinge(), [-1.0, 0.5, 2.0]
    >>> print(loss.value(margins), loss.slope(margins), loss.conjugate([-0.5]))
    [2.  0.5 0. ] [-1. -1.  0.] [-0.5]
    """

    name: ClassVar[str] = "hinge"
    domain = (-1.0, 0.0)
    quadratic_conjugate = QuadraticConjugate(linear=1.0)
    _value_units, _conjugate_units = 2.0, 0.0

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return max(0, 1 - z)."""
        return cp.pos(1 - expression)

    def _value(self, t: Values) -> Values:
        return np.maximum(0.0, 1.0 - t)

    def _slope(self, t: Values) -> Values:
        return np.where(t < 1.0, -1.0, 0.0)


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """max(0, 1 - z)^2, without a factor 1/2; its conjugate is s + s^2 / 4 for s <= 0.

    Examples
    --------
    >>> from formulations.losses import SquaredHinge
    >>> loss, margins = SquaredHinge(), [-1.0, 0.0, 0.5]
    >>> print(loss.value(margins), loss.slope(margins), loss.conjugate([-1.0]))
    [4.   1.   0.25] [-4. -2. -1.] [-0.75]
    """

    name: ClassVar[str] = "squared hinge"
    domain = (-np.inf, 0.0)
    quadratic_conjugate = QuadraticConjugate(ridge=0.5, linear=1.0)
    _value_units, _conjugate_units = 4.0, 4.0

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return max(0, 1 - z)^2."""
        return cp.square(cp.pos(1 - expression))

    def _value(self, t: Values) -> Values:
        return np.maximum(0.0, 1.0 - t) ** 2

    def _slope(self, t: Values) -> Values:
        return -2.0 * np.maximum(0.0, 1.0 - t)


@dataclass(frozen=True)
class SquaredMargin(MarginLoss):
    """(1 - z)^2 / 2, half the square of y - f(x) - b for labels y of +-1; its conjugate is s + s^2 / 2 everywhere.

    Margins above 1 cost something too.

    Examples
    --------
    >>> from formulations.losses import SquaredMargin
    >>> loss, margins = SquaredMargin(), [-1.0, 1.0, 2.0]
    >>> print(loss.value(margins), loss.slope(margins), loss.conjugate([-1.0]))
    [2.  0.  0.5] [-2.  0.  1.] [-0.5]
    """

    name: ClassVar[str] = "squared margin"
    domain = (-np.inf, np.inf)
    quadratic_conjugate = QuadraticConjugate(ridge=1.0, linear=1.0)
    _value_units, _conjugate_units = 4.0, 4.0

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return (1 - z)^2 / 2."""
        return 0.5 * cp.square(1 - expression)

    def _value(self, t: Values) -> Values:
        return 0.5 * (1.0 - t) ** 2

    def _slope(self, t: Values) -> Values:
        return t - 1.0


@dataclass(frozen=True)
class LogisticLoss(MarginLoss):
    """log(1 + exp(-z)); with p = -s its conjugate is p log p + (1 - p) log(1 - p), for p in [0, 1].

    Divided by log 2 it touches the 0/1 loss from above at z = 0.

    Examples
    --------
    >>> from formulations.losses import LogisticLoss
    >>> loss, margins = LogisticLoss(), [-1.0, 0.0, 2.0]
    >>> print(loss.value(margins).round(3), loss.slope(margins).round(3), loss.conjugate([-0.5]).round(3))
    [1.313 0.693 0.127] [-0.731 -0.5   -0.119] [-0.693]
    """

    name: ClassVar[str] = "logistic"
    domain = (-1.0, 0.0)

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Return log(1 + exp(-z))."""
        return cp.logistic(-expression)

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        """Return p log p + (1 - p) log(1 - p) for p = -s."""
        return -cp.entr(-expression) - cp.entr(1 + expression)

    def _value(self, t: Values) -> Values:
        return np.maximum(0.0, -t) + np.log1p(np.exp(-np.abs(t)))

    def _slope(self, t: Values) -> Values:
        return np.asarray(-scipy.special.expit(-t))

    def _curvature(self, t: Values) -> Values:
        return np.asarray(scipy.special.expit(t) * scipy.special.expit(-t))

    def _conjugate(self, s: Values) -> Values:
        return np.asarray(scipy.special.xlogy(-s, -s) + scipy.special.xlog1py(1.0 + s, s))

    def _value_error(self, t: Values) -> Values:
        # With e = exp(-|t|) <= 1, e is at most 1.45 log1p(e), which passes its error on.
        return share_of(self._value(t), 3.0 * ELEMENTARY)

    def _conjugate_error(self, s: Values) -> Values:
        return share_of(self._conjugate(s), 2.0 * ELEMENTARY)


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """1 where z <= 0, and 0 elsewhere: the count of errors, which the convex losses bound from above.

    It is meant for drawing and counting. It is not convex, so every other method refuses.

    Examples
    --------
    >>> from formulations.losses import ZeroOne
    >>> print(ZeroOne().value([-1.0, 0.5, 2.0]))
    [1. 0. 0.]
    """

    name: ClassVar[str] = "0/1"

    @property
    def domain(self) -> tuple[float, float]:
        """Refused."""
        self._refuse()

    def atom(self, expression: cp.Expression) -> cp.Expression:
        """Refuse."""
        del expression
        self._refuse()

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        """Refuse."""
        del expression
        self._refuse()

    def _value(self, t: Values) -> Values:
        return np.where(np.isnan(t), np.nan, np.where(t <= 0.0, 1.0, 0.0))

    def _slope(self, t: Values) -> Values:
        del t
        self._refuse()

    def _conjugate(self, s: Values) -> Values:
        del s
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UnsupportedProgramError(
            "the 0/1 loss is not convex: it has values only, no subgradient, no conjugate and no CVXPY expression; "
            "state the problem with Hinge(), SquaredHinge() or LogisticLoss(), which bound it from above."
        )
