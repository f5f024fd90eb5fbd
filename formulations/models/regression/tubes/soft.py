# SPDX-License-Identifier: BSD-3-Clause
r"""The soft tube: support vector regression, with a cost C_i on every residual beyond epsilon.

These are the primal, with slacks and without constraints, the dual, and the Karush-Kuhn-Tucker conditions, where r = y
- f - b::

    min  1/2 ||f||^2 + sum C_i (xi+_i + xi-_i)       s.t.  r_i <= epsilon + xi+_i,  -r_i <= epsilon + xi-_i,  xi >= 0
    min  1/2 ||f||^2 + sum C_i max(0, |r_i| - epsilon)
    min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)   s.t.  1'(a+ - a-) = 0,  0 <= a+, a- <= C

    f = sum_j beta_j k(x_j, .) with beta = a+ - a-,   a+_i a-_i = 0,
    a+_i (epsilon + xi+_i - r_i) = 0,   (C_i - a+_i) xi+_i = 0,   and the same for a-

The value of the minimised dual is minus that of the primal, and b is the multiplier of 1'(a+ - a-) = 0 in the sign of
CVXPY's minimisation: b = y_i - f(x_i) - epsilon where 0 < a+_i < C_i. Source: Smola and Schoelkopf (2004).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, ConeAnswer, Multipliers, Primal, Stated, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import EPSILON, TUBE_COSTS, derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.tubes.forms import TubeDual, TubeModel, TubePrimal, sides_of
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, KernelQPBounds

__all__ = ["SoftTube", "SoftTubeDual", "SoftTubeLoss", "SoftTubePrimal"]


class SoftTubePrimal(TubePrimal):
    """With slacks. Variables: w or u, b, xi_plus, xi_minus.

    Multipliers: a+ of ``above``, a- of ``below``, C - a+ of ``slack_plus``, C - a- of ``slack_minus``.
    """

    textbook = TextbookProblem(
        "min  1/2 ||f||^2 + sum C_i (xi+_i + xi-_i)  s.t.  r_i <= epsilon + xi+_i,  -r_i <= epsilon + xi-_i,  xi >= 0",
        ("r = y - f - b",),
    )
    model: TubeModel
    xi_plus = per_sample("xi+")
    xi_minus = per_sample("xi-")

    def declare(self) -> cp.Problem:
        """State the problem."""
        model = self.model
        above = model.y - self.g <= model.epsilon + self.xi_plus
        below = self.g - model.y <= model.epsilon + self.xi_minus
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + model.C @ (self.xi_plus + self.xi_minus)),
            labelled(above=above, below=below, slack_plus=self.xi_plus >= 0, slack_minus=self.xi_minus >= 0),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return a+, a- and what they leave of C."""
        self.xi_plus.value, self.xi_minus.value = self.model.slacks(answer)
        costs, (plus, minus) = self.model.C.value, sides_of(answer.beta)
        return {**super().write(answer), "slack_plus": costs - plus, "slack_minus": costs - minus}


class SoftTubeLoss(Primal):
    """Without constraints. Variables: w or u, and b."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i max(0, |r_i| - epsilon)", ("r = y - f - b",))
    model: TubeModel

    def declare(self) -> cp.Problem:
        """State the problem."""
        C, epsilon = self.model.C, self.model.epsilon
        # C max(0, |r| - epsilon) = max(0, C |r| - C epsilon), where no parameter multiplies another.
        within = derived(lambda: C.value * epsilon.value, len(self.model))
        loss = cp.pos(cp.multiply(C, cp.abs(self.model.y - self.g)) - within)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cp.sum(loss)))

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return the multipliers of the epigraph rows t_i >= r_i less those of t_i >= -r_i."""
        assert isinstance(bounds, KernelQPBounds)
        rows = answer.epigraphs(self.g)[:2]
        # Where all samples are 0 and there is no b, no row holds a variable of f, which is 0.
        return rows[0] - rows[1] if rows else bounds.program.slopes(np.zeros(len(self.model)))


class SoftTubeDual(TubeDual):
    """The dual. Variables: a_plus, a_minus. Multipliers: b of ``balance``, xi+ and xi- of the ``upper`` bounds."""

    textbook = TextbookProblem(
        "min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)  s.t.  1'(a+ - a-) = 0,  0 <= a+, a- <= C"
    )
    model: TubeModel

    def declare(self) -> cp.Problem:
        """State the problem."""
        C, width = self.model.C, self.model.epsilon * cp.sum(self.a_plus + self.a_minus)
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(self.beta) + width - self.model.y @ self.beta),
            labelled(
                balance=self.balance(cp.sum(self.beta)),
                plus=self.a_plus >= 0,
                minus=self.a_minus >= 0,
                upper_plus=self.a_plus <= C,
                upper_minus=self.a_minus <= C,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write a+ and a-, and return b of the balance and the multipliers of all bounds."""
        above, below = self.model.slacks(answer)
        return {**super().write(answer), "upper_plus": above, "upper_minus": below}


class SoftTube(TubeModel):
    """Support vector regression.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    C
        Above 0: the cost of a unit of residual beyond the tube, one number, or one for each sample and 0 for an absent
        one.
    epsilon
        At least 0, in the unit of y: half the width of the tube. Raising it leaves fewer support vectors.

    Examples
    --------
    >>> from formulations import SoftTube
    >>> from qpkernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.8, 0.9, 0.1, -0.8]
    >>> solution = SoftTube(X, y, RBF(gamma=0.5), C=10.0, epsilon=0.1).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", solution.n_support, solution.predict([[1.5]]).round(2))
    optimal 0.694 5 [0.87]
    """

    entry = replace(TubeModel.entry, parameters=(TUBE_COSTS, EPSILON), most_points=5000)
    primal, loss, dual = Stated(SoftTubePrimal), Stated(SoftTubeLoss), Stated(SoftTubeDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        C: ArrayLike = 1.0,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, C=C, epsilon=epsilon)
