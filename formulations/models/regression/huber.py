# SPDX-License-Identifier: BSD-3-Clause
r"""Huber's robust regression: residuals are squared up to delta, and linear beyond it.

With h(r) = r^2/2 for |r| <= delta and delta |r| - delta^2/2 beyond, primal and dual, and their Karush-Kuhn-Tucker
conditions, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i h(r_i)
    max  y'c - 1/2 c'Kc - sum c_i^2 / (2 C_i)        s.t.  1'c = 0,  |c_i| <= C_i delta

    f = sum_j c_j k(x_j, .),   c_i = C_i h'(r_i) = C_i clip(r_i, -delta, delta)

The optimal values are equal, and b is the multiplier of 1'c = 0. The influence of an outlier is bounded: |c_i| = C_i
delta however large its residual is. The primal is declared through h(r) = min over s of (r - s)^2/2 + delta |s|, so
that C and delta may change without another compilation. Source: Huber (1964).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Multipliers, Stated, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import COSTS, DELTA, derived, per_cost
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import RegressionModel, ResidualDual, ResidualPrimal
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import KernelQP

__all__ = ["Huber", "HuberDual", "HuberPrimal"]


class HuberPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r, and s, the outlying part of r. Multipliers of ``residual``: c."""

    textbook = TextbookProblem(
        "min  1/2 ||f||^2 + sum C_i h(r_i)",
        ("r = y - f - b", "h(r) = r^2/2 for |r| <= delta and delta |r| - delta^2/2 beyond"),
    )
    model: Huber
    s = per_sample("s")

    def declare(self) -> cp.Problem:
        """State the problem."""
        huber = self.model.C @ cp.square(self.r - self.s) / 2 + self.model.largest() @ cp.abs(self.s)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + huber), labelled(residual=self.residual))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b, the residuals and their outlying part, and return the multipliers."""
        self.s.value = self.model.outlying(answer)
        return super().write(answer)


class HuberDual(ResidualDual):
    """The dual. Variable: c. Multipliers: b of ``balance``, the outlying parts of r of ``lower`` and ``upper``."""

    textbook = TextbookProblem("max  y'c - 1/2 c'Kc - sum c_i^2 / (2 C_i)  s.t.  1'c = 0,  |c_i| <= C_i delta")
    model: Huber

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, c, largest = self.model, self.c, self.model.largest()
        ridge = derived(lambda: per_cost(1.0, model.C.value), len(model))
        value = model.y @ c - self.half_squared_norm(c) - ridge @ cp.square(c) / 2
        balance = self.balance(cp.sum(c))
        return cp.Problem(cp.Maximize(value), labelled(balance=balance, lower=c >= -largest, upper=c <= largest))

    def write(self, answer: Candidate) -> Multipliers:
        """Write c, and return b of the balance and the outlying parts of the residuals."""
        outlying = self.model.outlying(answer)
        parts = {"lower": np.maximum(-outlying, 0.0), "upper": np.maximum(outlying, 0.0)}
        return {**super().write(answer), **parts}


class Huber(RegressionModel):
    """Huber's robust regression.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    delta
        Above 0, in the unit of y: the size from which a residual counts as an outlier.
    C
        Above 0: the cost of half a squared residual, one number, or one for each sample and 0 for an absent one.

    Examples
    --------
    >>> from formulations import Huber
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 9.0]
    >>> solution = Huber(X, y, delta=0.5, C=10.0).solve(tol=1e-6)
    >>> print(solution.status, f"w = {solution.function.weights[0]:.3f}", solution.residuals.round(2))
    optimal w = 1.225 [ 0.21 -0.01 -0.24 -0.46  4.31]
    """

    entry = replace(RegressionModel.entry, parameters=(COSTS, DELTA), coefficient="beta = c", most_points=5000)
    C: cp.Parameter
    delta: cp.Parameter
    primal, dual = Stated(HuberPrimal), Stated(HuberDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        delta: float = 1.0,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, C=C, delta=delta)

    def largest(self) -> cp.Parameter:
        """Return C_i delta, the largest |c_i|, which an outlier has."""
        return derived(lambda: self.C.value * self.delta.value, len(self))

    def qp(self) -> KernelQP:
        """State the dual in beta = c, with bounds and the ridge 1/C_i."""
        costs, delta = self.value_of("C"), float(self.value_of("delta"))
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-costs * delta,
            upper=costs * delta,
            total=self.total,
            ridge=per_cost(1.0, costs),
            name="Huber",
        )

    def outlying(self, answer: Candidate) -> Vector:
        """Return the part of each residual beyond delta, with its sign."""
        residuals, delta = self.residuals(answer), float(self.value_of("delta"))
        return residuals - np.clip(residuals, -delta, delta)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return c_i - C_i clip(r_i, -delta, delta)."""
        delta = float(self.value_of("delta"))
        within = np.clip(self.residuals(answer), -delta, delta)
        return {"c - C clip(r, delta)": answer.beta - self.value_of("C") * within}
