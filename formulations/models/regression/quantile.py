# SPDX-License-Identifier: BSD-3-Clause
r"""Quantile regression: the share tau of the targets lies below the function.

Primal and dual, with their Karush-Kuhn-Tucker conditions, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i max(tau r_i, (tau - 1) r_i)
    max  y'c - 1/2 c'Kc                              s.t.  1'c = 0,  C_i (tau - 1) <= c_i <= C_i tau

    f = sum_j c_j k(x_j, .),   (C_i tau - c_i) max(r_i, 0) = 0,   (c_i - C_i (tau - 1)) max(-r_i, 0) = 0

The optimal values are equal, and b is the multiplier of 1'c = 0. With an intercept, at most tau m targets lie below the
function and at most (1 - tau) m above. Source: Koenker and Bassett (1978), Takeuchi et al. (2006).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Multipliers, Stated, labelled
from formulations.modelling.inputs.hyperparameters import COSTS, TAU, derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import RegressionModel, ResidualDual, ResidualPrimal
from qpkernels.display import TextbookProblem
from qpkernels.problems import KernelQP

__all__ = ["Quantile", "QuantileDual", "QuantilePrimal"]


class QuantilePrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: c."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i max(tau r_i, (tau - 1) r_i)", ("r = y - f - b",))
    model: Quantile

    def declare(self) -> cp.Problem:
        """State the problem."""
        above, below = self.model.slopes()
        pinball = above @ cp.pos(self.r) + below @ cp.neg(self.r)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + pinball), labelled(residual=self.residual))


class QuantileDual(ResidualDual):
    """The dual. Variable: c. Multipliers: b of ``balance``, the parts of r of ``lower`` and ``upper``."""

    textbook = TextbookProblem("max  y'c - 1/2 c'Kc  s.t.  1'c = 0,  C_i (tau - 1) <= c_i <= C_i tau")
    model: Quantile

    def declare(self) -> cp.Problem:
        """State the problem."""
        above, below = self.model.slopes()
        return cp.Problem(
            cp.Maximize(self.model.y @ self.c - self.half_squared_norm(self.c)),
            labelled(balance=self.balance(cp.sum(self.c)), lower=self.c >= -below, upper=self.c <= above),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write c, and return b of the balance and both parts of the residuals."""
        residuals = self.model.residuals(answer)
        parts = {"lower": np.maximum(-residuals, 0.0), "upper": np.maximum(residuals, 0.0)}
        return {**super().write(answer), **parts}


class Quantile(RegressionModel):
    """Quantile regression.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    tau
        Between 0 and 1: the share of targets below the function; 0.5 is the median.
    C
        Above 0: the cost of a residual, one number, or one for each sample and 0 for an absent one. Raising it makes f
        more flexible.

    Examples
    --------
    >>> from formulations import Quantile
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 9.0]
    >>> for tau in (0.5, 0.9):
    ...     solution = Quantile(X, y, tau=tau, C=100.0).solve(tol=1e-6)
    ...     print(solution.status, f"{solution.objective:.3f}", solution.predict([[5.0]]).round(3))
    optimal 250.500 [5.]
    optimal 77.531 [11.25]
    """

    entry = replace(RegressionModel.entry, parameters=(COSTS, TAU), coefficient="beta = c", most_points=5000)
    C: cp.Parameter
    tau: cp.Parameter
    primal, dual = Stated(QuantilePrimal), Stated(QuantileDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        tau: float = 0.5,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, C=C, tau=tau)

    def slopes(self) -> tuple[cp.Parameter, cp.Parameter]:
        """Return C_i tau and C_i (1 - tau), in which no parameter multiplies another, as DPP requires."""
        above = derived(lambda: self.C.value * self.tau.value, len(self))
        return above, derived(lambda: self.C.value * (1.0 - self.tau.value), len(self))

    def qp(self) -> KernelQP:
        """State the dual in beta = c."""
        costs, tau = self.value_of("C"), float(self.value_of("tau"))
        return KernelQP(
            self.gram, target=self.y, lower=costs * (tau - 1), upper=costs * tau, total=self.total, name="quantile"
        )

    def conditions(self, answer: Candidate) -> Conditions:
        """Return (C tau - c) max(r, 0) and (c - C (tau - 1)) max(-r, 0)."""
        c, residuals, (above, below) = answer.beta, self.residuals(answer), self.slopes()
        return {
            "(C tau - c) r+": (above.value - c) * np.maximum(residuals, 0.0),
            "(c + C (1 - tau)) r-": (c + below.value) * np.maximum(-residuals, 0.0),
        }
