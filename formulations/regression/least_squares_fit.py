# SPDX-License-Identifier: BSD-3-Clause
r"""Least squares (A1): the fit with the least sum of squared residuals.

Primal and dual, r = y - F w - b::

    min  sum r_i^2                    max  y'v - ||v||^2 / 4   s.t.  F'v = 0,  1'v = 0

The optimal values are equal, and v = 2r. Where the columns of F are linearly dependent w is not unique; the solver
``linear`` returns the one of least norm and says so. Source: A1 of the catalogue; Gauss (1809).
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from formulations.fit_forms import FitDual, FitPrimal, LinearFit
from formulations.solution import Candidate
from qpkernels.arrays import Vector
from qpkernels.programs import LeastSquares

__all__ = ["LeastSquaresFit", "LeastSquaresFitDual"]


class _LeastSquares(LinearFit):
    def loss(self, residuals: Vector) -> float:
        """Return sum r_i^2."""
        return float(residuals @ residuals)

    def bound(self, v: Vector) -> float:
        """Return y'v - ||v||^2 / 4."""
        return float(self.y @ v - 0.25 * v @ v)

    @property
    def unit(self) -> float:
        """The largest target: v = 2r."""
        return float(np.abs(self.y).max()) or 1.0

    def complete(self, residuals: Vector) -> Vector:
        """Return 2r."""
        return 2.0 * residuals

    def system(self) -> LeastSquares:
        """Return the same problem for the solver ``linear``."""
        return LeastSquares(self.coordinates(), self.y, self.fit_intercept, self.name)

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read w or u and b."""
        self.write_coordinates(point, intercept)
        residuals = self.y - np.asarray(self.g.value)
        return self.at_variables(2.0 * residuals)


class LeastSquaresFit(_LeastSquares, FitPrimal):
    """min sum_i r_i^2,  r_i = y_i - f(x_i) - b.

    Variables: w or u, b, r. The solver ``linear``, the default, returns the w of least norm where there are several.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A1"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.sum_squares(self.r)), self._labelled(residual=self.residual))

    def state_partner(self) -> LeastSquaresFitDual:
        """Return the dual."""
        return self._as(LeastSquaresFitDual)


class LeastSquaresFitDual(_LeastSquares, FitDual):
    """max y'v - ||v||^2 / 4  s.t.  F'v = 0,  1'v = 0.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.fit_forms.LinearFit`.
    """

    catalogue = "A1-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        value = self.y @ self.v - cp.sum_squares(self.v) / 4
        return cp.Problem(cp.Maximize(value), self._labelled(**self.orthogonal()))

    def state_partner(self) -> LeastSquaresFit:
        """Return the primal."""
        return self._as(LeastSquaresFit)
