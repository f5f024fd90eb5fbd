# SPDX-License-Identifier: BSD-3-Clause
r"""Least absolute deviations (A2), and Laplace's fit whose residuals add up to zero (A2L).

Primal and dual, r = y - F w - b::

    min  sum |r_i|                        max  y'v   s.t.  F'v = 0,  1'v = 0,  |v_i| <= 1
    min  sum |r_i|  s.t.  sum r_i = 0     max  y'v   s.t.  F'v = 0,  1'v = 0,  |v_i - mu| <= 1

The optimal values are equal. A sample off the fit has v_i = sign r_i (Laplace: mu + sign r_i), and some optimal fit
meets as many samples as it has unknowns. The influence of an outlier is bounded: it does not grow with its residual. mu
is the multiplier of sum r_i = 0. Source: A2, A2L of the catalogue; Boscovich (1757), Laplace (1799).
"""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

import formulations.cvx as cp
from formulations.inputs.samples import KernelLike, SamplesLike
from formulations.modelling import Candidate, Multipliers, Stated, labelled, scalar
from formulations.regression.fits.forms import LinearFit, UnitFitDual
from formulations.regression.regression_model import ResidualPrimal
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import AbsoluteFitBounds, BalancedAbsoluteFitBounds

__all__ = [
    "LaplaceFit",
    "LaplaceFitDual",
    "LaplaceFitPrimal",
    "LeastAbsoluteFit",
    "LeastAbsoluteFitDual",
    "LeastAbsoluteFitPrimal",
]


class LeastAbsoluteFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: v."""

    catalogue = "A2"
    textbook = TextbookProblem("min  sum |r_i|", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(cp.norm1(self.r)), labelled(residual=self.residual))


class LeastAbsoluteFitDual(UnitFitDual):
    """The dual. Variable: v. Multipliers: w or u of ``normal``, b of ``balance``, sum |r_i| of ``unit``."""

    catalogue = "A2-dual"
    textbook = TextbookProblem("max  y'v  s.t.  F'v = 0,  1'v = 0,  |v_i| <= 1")

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = cp.norm_inf(self.v) <= 1
        return cp.Problem(cp.Maximize(self.model.y @ self.v), labelled(**self.orthogonal(), unit=unit))


class LeastAbsoluteFit(LinearFit):
    """Least absolute deviations.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regression.fits.forms.LinearFit`.

    Examples
    --------
    >>> from formulations import LeastAbsoluteFit
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [2.0, 3.0, 4.0, 5.0, 10.0]
    >>> solution = LeastAbsoluteFit(X, y).solve()
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 4.000 w = 1.000, b = 1.000
    """

    entry = replace(LinearFit.entry, catalogue="A2")
    norm = AbsoluteFitBounds
    primal, dual = Stated(LeastAbsoluteFitPrimal), Stated(LeastAbsoluteFitDual)


class LaplaceFitPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers: v of ``residual``, mu of ``zero_sum``."""

    catalogue = "A2L"
    textbook = TextbookProblem("min  sum |r_i|  s.t.  sum r_i = 0", ("r = y - F w - b",))

    def declare(self) -> cp.Problem:
        """State the problem."""
        zero_sum = cp.sum(self.r) == 0
        return cp.Problem(cp.Minimize(cp.norm1(self.r)), labelled(residual=self.residual, zero_sum=zero_sum))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the residuals, and return v and mu."""
        return {**super().write(answer), "zero_sum": _middle(answer.beta)}


class LaplaceFitDual(UnitFitDual):
    """The dual. Variables: v, mu. Multipliers: w or u of ``normal``, b of ``balance``, sum |r_i| of ``unit``."""

    catalogue = "A2L-dual"
    textbook = TextbookProblem("max  y'v  s.t.  F'v = 0,  1'v = 0,  |v_i - mu| <= 1")
    mu = scalar("mu")

    def declare(self) -> cp.Problem:
        """State the problem."""
        unit = cp.norm_inf(self.v - self.mu) <= 1
        return cp.Problem(cp.Maximize(self.model.y @ self.v), labelled(**self.orthogonal(), unit=unit))

    def write(self, answer: Candidate) -> Multipliers:
        """Write v and mu, and return w or u, b and the norm."""
        self.mu.value = _middle(answer.beta)
        return super().write(answer)


def _middle(v: Vector) -> float:
    """Return the mu nearest to all v_i."""
    return 0.5 * float(v.max() + v.min())


class LaplaceFit(LinearFit):
    """Laplace's fit; its residuals add up to 0 by the choice of b, so there always is one.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regression.fits.forms.LinearFit`.

    Examples
    --------
    >>> from formulations import LaplaceFit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 8.0]
    >>> solution = LaplaceFit(X, y).solve()
    >>> print(solution.status, f"{solution.objective:.3f}", f"sum of residuals: {abs(solution.residuals.sum()):.3f}")
    optimal 4.000 sum of residuals: 0.000
    """

    entry = replace(LinearFit.entry, catalogue="A2L")
    norm = BalancedAbsoluteFitBounds
    primal, dual = Stated(LaplaceFitPrimal), Stated(LaplaceFitDual)

    def __init__(self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None) -> None:
        super().__init__(X, y, kernel)
