# SPDX-License-Identifier: BSD-3-Clause
r"""Quantile regression (D4): a function with the share tau of the targets below it.

Primal and dual, with their Karush-Kuhn-Tucker conditions, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i max(tau r_i, (tau - 1) r_i)
    max  y'c - 1/2 c'Kc                              s.t.  1'c = 0,  C_i (tau - 1) <= c_i <= C_i tau

    f = sum_j c_j k(x_j, .),   (C_i tau - c_i) max(r_i, 0) = 0,   (c_i - C_i (tau - 1)) max(-r_i, 0) = 0

The optimal values are equal, and b is the multiplier of 1'c = 0. With an intercept, at most tau m targets lie below the
function and at most (1 - tau) m above. Source: D4 of the catalogue; Koenker and Bassett (1978), Takeuchi et al. (2006).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.hyperparameters import COSTS, TAU, derived
from formulations.hypothesis import half_squared_norm
from formulations.regressor import Regressor
from formulations.residual_forms import ResidualDual, ResidualPrimal
from formulations.solution import Candidate
from formulations.statement import Multipliers
from formulations.targets import Targets
from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["QuantileDual", "QuantilePrimal"]


class _Quantile(Regressor):
    """What both forms share: tau, C and the KernelQP.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    tau
        Between 0 and 1: the share of targets below the function; 0.5 is the median.
    C
        Above 0: the cost of a residual, one number or one for each sample. Raising it makes f more flexible.
    """

    hyperparameters = (COSTS, TAU)
    C: cp.Parameter
    tau: cp.Parameter

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        tau: float = 0.5,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept, C=C, tau=tau)

    def _make_variables(self) -> None:
        super()._make_variables()
        # Products of two parameters, which the rules of DPP would not let through.
        self.cost_above = derived(lambda: self.C.value * self.tau.value, len(self))
        self.cost_below = derived(lambda: self.C.value * (1.0 - self.tau.value), len(self))

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = c."""
        costs, tau = self.C.value, float(self.tau.value)
        return KernelQP(
            self.gram,
            target=self.y,
            lower=costs * (tau - 1),
            upper=costs * tau,
            total=self._total,
            name="quantile",
            zero_tolerance=float(costs.sum()) * min(tau, 1 - tau) * self.zero_tolerance(),
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return (C tau - c) max(r, 0) and (c - C (tau - 1)) max(-r, 0)."""
        c, residuals = candidate.beta, self.y - decision
        return {
            "(C tau - c) r+": (self.cost_above.value - c) * np.maximum(residuals, 0.0),
            "(c + C (1 - tau)) r-": (c + self.cost_below.value) * np.maximum(-residuals, 0.0),
        }


class QuantilePrimal(_Quantile, ResidualPrimal):
    """min 1/2 ||f||^2 + sum C_i max(tau r_i, (tau - 1) r_i)  s.t.  y_i - f(x_i) - b = r_i.

    Variables: w or u, b, r. Multipliers of ``residual``: c.

    Parameters
    ----------
    X, y, kernel, tau, C, fit_intercept
        As in the other form: tau between 0 and 1, C above 0.
    """

    catalogue = "D4-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        pinball = self.cost_above @ cp.pos(self.r) + self.cost_below @ cp.neg(self.r)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + pinball), self._labelled(residual=self.residual))

    def state_partner(self) -> QuantileDual:
        """Return the dual."""
        return self._as(QuantileDual)


class QuantileDual(_Quantile, ResidualDual):
    """max y'c - 1/2 c'Kc  s.t.  1'c = 0,  C_i (tau - 1) <= c_i <= C_i tau.

    Variable: c. Multipliers: b of ``balance``, the parts of r of ``lower`` and ``upper``.

    Parameters
    ----------
    X, y, kernel, tau, C, fit_intercept
        As in the other form: tau between 0 and 1, C above 0.
    """

    catalogue = "D4-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        balance, lower, upper = self.balance(cp.sum(self.c)), self.c >= -self.cost_below, self.c <= self.cost_above
        return cp.Problem(
            cp.Maximize(self.y @ self.c - half_squared_norm(self.gram, self.c)),
            self._labelled(balance=balance, lower=lower, upper=upper),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write c, and return b of the balance and both parts of the residuals."""
        residuals = self.y - self.decision(candidate)
        return super().assign(candidate) | {
            "lower": np.maximum(-residuals, 0.0),
            "upper": np.maximum(residuals, 0.0),
        }

    def state_partner(self) -> QuantilePrimal:
        """Return the primal."""
        return self._as(QuantilePrimal)
