# SPDX-License-Identifier: BSD-3-Clause
r"""Least absolute deviations (A2), and Laplace's fit whose residuals add up to zero (A2L).

Primal and dual, r = y - F w - b::

    min  sum |r_i|                        max  y'v   s.t.  F'v = 0,  1'v = 0,  |v_i| <= 1
    min  sum |r_i|  s.t.  sum r_i = 0     max  y'v   s.t.  F'v = 0,  1'v = 0,  |v_i - mu| <= 1

The optimal values are equal. A sample off the fit has v_i = sign r_i (Laplace: mu + sign r_i), and some optimal fit
meets as many samples as it has unknowns. An outlier pulls with a force that does not grow with its distance. mu is the
multiplier of sum r_i = 0. Source: A2, A2L of the catalogue; Boscovich (1757), Laplace (1799).
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import lsq_linear

from formulations.fit_forms import FitDual, FitPrimal, LinearFit
from formulations.solution import Candidate
from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates import Support
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["LaplaceFit", "LaplaceFitDual", "LeastAbsoluteFit", "LeastAbsoluteFitDual"]

_MET = 1e-6
"""Share of the largest target within which a sample lies on the fit."""


class _LeastAbsolute(LinearFit):
    def loss(self, residuals: Vector) -> float:
        """Return sum |r_i|."""
        return float(np.abs(residuals).sum())

    def bound(self, v: Vector) -> float:
        """Return y'v with v shrunk until |v_i| <= 1."""
        return float(self.y @ v) / max(1.0, float(np.abs(v).max()))

    unit = 1.0

    def complete(self, residuals: Vector) -> Vector:
        """Return the signs off the fit, and on it what brings v nearest to F'v = 0 and 1'v = 0."""
        return self.signs(residuals, self.spanning())

    def signs(self, residuals: Vector, columns: Matrix) -> Vector:
        """Return the signs of the residuals; where one is 0, a number within [-1, 1] that helps against ``columns``."""
        v = np.sign(residuals)
        met = np.abs(residuals) <= _MET * float(np.abs(self.y).max())
        if met.any():
            v[met] = lsq_linear(columns[met].T, -columns[~met].T @ v[~met], (-1.0, 1.0), method="bvls").x
        return v

    def interval(self, candidate: Candidate, decision: Vector, support: Support) -> tuple[float, float]:
        """Return the medians of y - f."""
        del support
        b = candidate.intercept
        if not self.fit_intercept:
            return b, b
        ordered = np.sort(self.y - decision + b)
        return min(float(ordered[(len(self) - 1) // 2]), b), max(float(ordered[len(self) // 2]), b)

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples that the fit meets (free) and those off it, whose multipliers are +-1 (bounded)."""
        del decision
        off = np.abs(candidate.beta) > 1 - 1e-6
        return Support(free=np.flatnonzero(~off), bounded=np.flatnonzero(off))


class LeastAbsoluteFit(_LeastAbsolute, FitPrimal):
    """min sum_i |r_i|,  r_i = y_i - f(x_i) - b.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A2"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.norm1(self.r)), self._labelled(residual=self.residual))

    def state_partner(self) -> LeastAbsoluteFitDual:
        """Return the dual."""
        return self._as(LeastAbsoluteFitDual)


class LeastAbsoluteFitDual(_LeastAbsolute, FitDual):
    """max y'v  s.t.  F'v = 0,  1'v = 0,  |v_i| <= 1.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A2-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = cp.norm_inf(self.v) <= 1
        return cp.Problem(cp.Maximize(self.y @ self.v), self._labelled(**self.orthogonal(), unit=unit))

    def state_partner(self) -> LeastAbsoluteFit:
        """Return the primal."""
        return self._as(LeastAbsoluteFit)


class _Laplace(_LeastAbsolute):
    # The residuals add up to 0 by the choice of b, so there always is one.
    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None) -> None:
        super().__init__(X, y, kernel)

    def feasible(self, residuals: Vector) -> Vector:
        """Return the residuals less their mean, which b takes up."""
        return np.asarray(residuals - residuals.mean())

    def bound(self, v: Vector) -> float:
        """Return y'v with v shrunk until its entries span at most 2."""
        return float(self.y @ v) / max(1.0, 0.5 * float(np.ptp(v)))

    def complete(self, residuals: Vector) -> Vector:
        """Return mu + the signs of the feasible residuals, with the mu of 1'v = 0."""
        centred = self.coordinates() - self.coordinates().mean(axis=0)
        signs = self.signs(self.feasible(residuals), centred)
        return np.asarray(signs - signs.mean())

    def interval(self, candidate: Candidate, decision: Vector, support: Support) -> tuple[float, float]:
        """Return b twice: the sum of the residuals leaves no choice."""
        del decision, support
        return candidate.intercept, candidate.intercept

    def support(self, candidate: Candidate, decision: Vector) -> Support:
        """Return the samples that the fit meets (free) and those off it (bounded)."""
        del decision
        v = candidate.beta
        off = np.abs(v - 0.5 * (v.max() + v.min())) > 1 - 1e-6
        return Support(free=np.flatnonzero(~off), bounded=np.flatnonzero(off))


class LaplaceFit(_Laplace, FitPrimal):
    """min sum_i |r_i|  s.t.  sum_i r_i = 0,  r_i = y_i - f(x_i) - b.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A2L"

    def declare(self) -> cp.Problem:
        """State the problem."""
        zero_sum = cp.sum(self.r) == 0
        return cp.Problem(cp.Minimize(cp.norm1(self.r)), self._labelled(residual=self.residual, zero_sum=zero_sum))

    def state_partner(self) -> LaplaceFitDual:
        """Return the dual."""
        return self._as(LaplaceFitDual)


class LaplaceFitDual(_Laplace, FitDual):
    """max y'v  s.t.  F'v = 0,  1'v = 0,  |v_i - mu| <= 1.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A2L-dual"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.mu = cp.Variable(name="mu")

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = cp.norm_inf(self.v - self.mu) <= 1
        return cp.Problem(cp.Maximize(self.y @ self.v), self._labelled(**self.orthogonal(), unit=unit))

    def state_partner(self) -> LaplaceFit:
        """Return the primal."""
        return self._as(LaplaceFit)
