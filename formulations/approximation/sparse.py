# SPDX-License-Identifier: BSD-3-Clause
r"""Sparse approximation in the space of the kernel (F1, F2): few kernel functions near a function known at the samples.

With y_i the values of the unknown function at the samples, and a = a+ - a-::

    F1   min  1/2 a'Ka - a'y + epsilon ||a||_1
    F2   min  1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-) + epsilon 1'(a+ + a-)   s.t.  a+, a- >= 0
    D1   min  1/2 ||f||^2   s.t.  |y_i - f(x_i)| <= epsilon, without b

F1 is 1/2 ||h - sum a_i k(x_i, .)||^2 + epsilon ||a||_1 less the constant 1/2 ||h||^2, for any h of the space with
h(x_i) = y_i. The values of F1 and F2 are equal, and the negative of that of the hard tube without intercept, whose dual
they are: a_i = 0 where |y_i - f(x_i)| < epsilon. Source: F1, F2 of the catalogue; Girosi (1998).
"""

from __future__ import annotations

import cvxpy as cp
from numpy.typing import ArrayLike

from formulations.forms import DualForm
from formulations.hyperparameters import EPSILON
from formulations.hypothesis import half_squared_norm
from formulations.regression.hard_tube import HardTube, HardTubeDual, HardTubePrimal
from formulations.solution import Candidate, Regression
from formulations.statement import Multipliers
from formulations.targets import Targets
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["SparseApproximation", "SparseApproximationSplit"]


class SparseApproximation(HardTube, DualForm[Regression]):
    """min 1/2 a'Ka - a'y + epsilon ||a||_1. Variable: a.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    epsilon
        At least 0, in the unit of y: how far from the values f may stay. Raising it leaves fewer terms.
    """

    catalogue = "F1"
    hyperparameters = (EPSILON,)

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, epsilon: float = 0.1
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept=False, epsilon=epsilon)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.a = cp.Variable(len(self), name="a")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients a."""
        return self.a

    def declare(self) -> cp.Problem:
        """State the problem."""
        fit = half_squared_norm(self.gram, self.a) - self.y @ self.a
        return cp.Problem(cp.Minimize(fit + self.epsilon * cp.norm1(self.a)))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a; no constraint has a multiplier."""
        self.a.value = candidate.beta
        return super().assign(candidate)

    def state_partner(self) -> HardTubePrimal:
        """Return the hard tube without intercept."""
        return self._as(HardTubePrimal)


class SparseApproximationSplit(HardTubeDual):
    """min 1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-) + epsilon 1'(a+ + a-)  s.t.  a+, a- >= 0: D1-dual without the balance.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    epsilon
        At least 0, in the unit of y: how far from the values f may stay.
    """

    catalogue = "F2"

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, epsilon: float = 0.1
    ) -> None:
        super().__init__(X, y, kernel, epsilon=epsilon, fit_intercept=False)
