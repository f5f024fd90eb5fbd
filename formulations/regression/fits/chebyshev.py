# SPDX-License-Identifier: BSD-3-Clause
r"""The Chebyshev fit (A3): the fit whose largest residual is least.

Primal and dual, r = y - F w - b::

    min  max |r_i|                        max  y'v   s.t.  F'v = 0,  1'v = 0,  sum |v_i| <= 1

The optimal values are equal, and only samples with the largest residual have v_i != 0, of its sign. The value is the
smallest epsilon for which a hard tube (D1) exists. Source: A3 of the catalogue; Chebyshev (1854).
"""

from __future__ import annotations

from dataclasses import replace

import formulations.cvx as cp
from formulations.modelling import Stated, labelled
from formulations.regression.fits.forms import LinearFit, UnitFitDual
from formulations.regression.regression_model import ResidualPrimal
from qpkernels.display import TextbookProblem
from qpkernels.problems import LargestResidualBounds

__all__ = ["ChebyshevFit", "ChebyshevFitDual", "ChebyshevFitPrimal"]


class ChebyshevFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    catalogue = "A3"
    textbook = TextbookProblem("min  max |r_i|", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.norm_inf(self.r)), labelled(residual=self.residual))


class ChebyshevFitDual(UnitFitDual):
    """The dual. Variable: v. Multipliers: w or u of ``normal``, b of ``balance``, max |r_i| of ``unit``."""

    catalogue = "A3-dual"
    textbook = TextbookProblem("max  y'v  s.t.  F'v = 0,  1'v = 0,  sum |v_i| <= 1")

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = cp.norm1(self.v) <= 1
        return cp.Problem(cp.Maximize(self.model.y @ self.v), labelled(**self.orthogonal(), unit=unit))


class ChebyshevFit(LinearFit):
    """The Chebyshev fit.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regression.fits.forms.LinearFit`.

    Examples
    --------
    >>> from formulations import ChebyshevFit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 7.0]
    >>> solution = ChebyshevFit(X, y).solve()
    >>> print(solution.status, f"largest residual {solution.objective:.3f}, w = {solution.function.weights[0]:.3f}")
    optimal largest residual 1.333, w = 2.333
    """

    entry = replace(LinearFit.entry, catalogue="A3")
    norm = LargestResidualBounds
    primal, dual = Stated(ChebyshevFitPrimal), Stated(ChebyshevFitDual)
