# SPDX-License-Identifier: BSD-3-Clause
r"""The Chebyshev fit (A3): the fit whose largest residual is least.

Primal and dual, r = y - F w - b::

    min  max |r_i|                        max  y'v   s.t.  F'v = 0,  1'v = 0,  sum |v_i| <= 1

The optimal values are equal, and only samples with the largest residual have v_i != 0, of its sign. The value is the
smallest epsilon for which a hard tube (D1) exists. Source: A3 of the catalogue; Chebyshev (1854).
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from scipy.optimize import lsq_linear

from formulations.fit_forms import FitDual, FitPrimal, LinearFit
from qpkernels.arrays import Vector

__all__ = ["ChebyshevFit", "ChebyshevFitDual"]

_LARGEST = 1e-6
"""Share of the largest residual within which another counts as largest too."""

_EXACT = 1e-9
"""Share of the largest target within which a fit is exact, so that no residual is larger than another."""


class _Chebyshev(LinearFit):
    def loss(self, residuals: Vector) -> float:
        """Return max |r_i|."""
        return float(np.abs(residuals).max())

    def bound(self, v: Vector) -> float:
        """Return y'v with v shrunk until sum |v_i| <= 1."""
        return float(self.y @ v) / max(1.0, float(np.abs(v).sum()))

    @property
    def unit(self) -> float:
        """The share of one sample."""
        return 1.0 / len(self)

    def complete(self, residuals: Vector) -> Vector:
        """Return the signs of the largest residuals, shared such that v is nearest to F'v = 0 and 1'v = 0."""
        size, v = float(np.abs(residuals).max()), np.zeros(len(self))
        if size <= _EXACT * float(np.abs(self.y).max()):
            return v
        largest = np.abs(residuals) >= (1 - _LARGEST) * size
        signed = np.sign(residuals[largest])[:, None] * self.spanning()[largest]
        weight = float(np.abs(signed).max()) or 1.0
        columns = np.column_stack([signed, np.full(len(signed), weight)])
        shares = lsq_linear(columns.T, np.append(np.zeros(signed.shape[1]), weight), (0.0, np.inf), method="bvls").x
        v[largest] = np.sign(residuals[largest]) * shares / shares.sum()
        return v


class ChebyshevFit(_Chebyshev, FitPrimal):
    """min max_i |r_i|,  r_i = y_i - f(x_i) - b.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A3"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.norm_inf(self.r)), self._labelled(residual=self.residual))

    def state_partner(self) -> ChebyshevFitDual:
        """Return the dual."""
        return self._as(ChebyshevFitDual)


class ChebyshevFitDual(_Chebyshev, FitDual):
    """max y'v  s.t.  F'v = 0,  1'v = 0,  sum |v_i| <= 1.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A3-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = cp.norm1(self.v) <= 1
        return cp.Problem(cp.Maximize(self.y @ self.v), self._labelled(**self.orthogonal(), unit=unit))

    def state_partner(self) -> ChebyshevFit:
        """Return the primal."""
        return self._as(ChebyshevFit)
