# SPDX-License-Identifier: BSD-3-Clause
r"""Least squares (A1): the fit with the least sum of squared residuals.

Primal and dual, r = y - F w - b::

    min  sum r_i^2                    max  y'v - ||v||^2 / 4   s.t.  F'v = 0,  1'v = 0

The optimal values are equal, and v = 2r. Where the columns of F are linearly dependent w is not unique; the solver
``linear`` returns the one of least norm and says so. Source: A1 of the catalogue; Gauss (1809).
"""

from __future__ import annotations

from dataclasses import replace

import formulations.cvx as cp
from formulations.modelling import Stated, labelled
from formulations.regression.fits.forms import FitDual, LinearFit
from formulations.regression.regression_model import ResidualPrimal
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, LeastSquares, SquaredFitBounds

__all__ = ["LeastSquaresFit", "LeastSquaresFitDual", "LeastSquaresFitPrimal"]


class LeastSquaresFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    catalogue = "A1"
    textbook = TextbookProblem("min  sum r_i^2", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.sum_squares(self.r)), labelled(residual=self.residual))


class LeastSquaresFitDual(FitDual):
    """The dual. Variable: v. Multipliers: w or u of ``normal``, b of ``balance``."""

    catalogue = "A1-dual"
    textbook = TextbookProblem("max  y'v - ||v||^2 / 4  s.t.  F'v = 0,  1'v = 0")

    def declare(self) -> cp.Problem:
        """State the problem."""
        value = self.model.y @ self.v - cp.sum_squares(self.v) / 4
        return cp.Problem(cp.Maximize(value), labelled(**self.orthogonal()))


class LeastSquaresFit(LinearFit):
    """Least squares. The solver ``linear``, the default, returns the w of least norm where there are several.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regression.fits.forms.LinearFit`.

    Examples
    --------
    >>> from formulations import LeastSquaresFit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 7.0]
    >>> solution = LeastSquaresFit(X, y).solve()
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 4.800 w = 2.200, b = -0.800
    """

    entry = replace(LinearFit.entry, catalogue="A1")
    norm = SquaredFitBounds
    primal, dual = Stated(LeastSquaresFitPrimal), Stated(LeastSquaresFitDual)

    def linear_system(self, bounds: Bounds) -> LeastSquares:
        """State the same problem."""
        del bounds
        return self.least_squares()
