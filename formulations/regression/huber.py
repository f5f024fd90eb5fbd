# SPDX-License-Identifier: BSD-3-Clause
r"""Huber's robust regression (D5): squared residuals up to delta, linear beyond.

With h(r) = r^2/2 for |r| <= delta and delta |r| - delta^2/2 beyond, primal and dual, and their Karush-Kuhn-Tucker
conditions, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i h(r_i)
    max  y'c - 1/2 c'Kc - sum c_i^2 / (2 C_i)        s.t.  1'c = 0,  |c_i| <= C_i delta

    f = sum_j c_j k(x_j, .),   c_i = C_i h'(r_i) = C_i clip(r_i, -delta, delta)

The optimal values are equal, and b is the multiplier of 1'c = 0. An outlier pulls with the force C_i delta however far
away it is. The primal is declared through h(r) = min over s of (r - s)^2/2 + delta |s|, so that C and delta may change
without compiling anew. Source: D5 of the catalogue; Huber (1964).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.hyperparameters import COSTS, DELTA, derived
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

__all__ = ["HuberDual", "HuberPrimal"]


class _Huber(Regressor):
    """What both forms share: delta, C and the KernelQP.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    delta
        Above 0, in the unit of y: the size from which a residual counts as an outlier.
    C
        Above 0: the cost of half a squared residual, one number or one for each sample.
    """

    hyperparameters = (COSTS, DELTA)
    C: cp.Parameter
    delta: cp.Parameter

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        delta: float = 1.0,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept, C=C, delta=delta)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.bound = derived(lambda: self.C.value * self.delta.value, len(self))
        self.ridge = derived(lambda: 1.0 / self.C.value, len(self))

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = c: bounded, with the ridge 1 / C_i."""
        bound = self.C.value * float(self.delta.value)
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-bound,
            upper=bound,
            total=self._total,
            ridge=1 / self.C.value,
            name="Huber",
            zero_tolerance=0.5 * float(self.C.value.sum()) * self.zero_tolerance() ** 2,
        )

    def outlying(self, candidate: Candidate) -> Vector:
        """Return the part of each residual beyond delta, with its sign."""
        residuals, delta = self.y - self.decision(candidate), float(self.delta.value)
        return np.asarray(residuals - np.clip(residuals, -delta, delta))

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return c_i - C_i clip(r_i, -delta, delta)."""
        delta = float(self.delta.value)
        return {"c - C clip(r, delta)": candidate.beta - self.C.value * np.clip(self.y - decision, -delta, delta)}


class HuberPrimal(_Huber, ResidualPrimal):
    """min 1/2 ||f||^2 + sum C_i ((r_i - s_i)^2/2 + delta |s_i|)  s.t.  y_i - f(x_i) - b = r_i.

    Variables: w or u, b, r, and s, the outlying part of r. Multipliers of ``residual``: c.

    Parameters
    ----------
    X, y, kernel, delta, C, fit_intercept
        As in the other form: delta above 0, C above 0.
    """

    catalogue = "D5-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.s = cp.Variable(len(self), name="s")

    def declare(self) -> cp.Problem:
        """State the problem."""
        huber = self.C @ cp.square(self.r - self.s) / 2 + self.bound @ cp.abs(self.s)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + huber), self._labelled(residual=self.residual))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b, the residuals and their outlying part, and return the multipliers."""
        self.s.value = self.outlying(candidate)
        return super().assign(candidate)

    def state_partner(self) -> HuberDual:
        """Return the dual."""
        return self._as(HuberDual)


class HuberDual(_Huber, ResidualDual):
    """max y'c - 1/2 c'Kc - sum c_i^2 / (2 C_i)  s.t.  1'c = 0,  |c_i| <= C_i delta.

    Variable: c. Multipliers: b of ``balance``, the outlying parts of r of ``lower`` and ``upper``.

    Parameters
    ----------
    X, y, kernel, delta, C, fit_intercept
        As in the other form: delta above 0, C above 0.
    """

    catalogue = "D5-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        value = self.y @ self.c - half_squared_norm(self.gram, self.c) - self.ridge @ cp.square(self.c) / 2
        balance, lower, upper = self.balance(cp.sum(self.c)), self.c >= -self.bound, self.c <= self.bound
        return cp.Problem(cp.Maximize(value), self._labelled(balance=balance, lower=lower, upper=upper))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write c, and return b of the balance and the outlying parts of the residuals."""
        outlying = self.outlying(candidate)
        bounds: Multipliers = {"lower": np.maximum(-outlying, 0.0), "upper": np.maximum(outlying, 0.0)}
        return super().assign(candidate) | bounds

    def state_partner(self) -> HuberPrimal:
        """Return the primal."""
        return self._as(HuberPrimal)
