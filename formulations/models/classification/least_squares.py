# SPDX-License-Identifier: BSD-3-Clause
r"""Least squares of the margins: the least-squares support vector machine for two classes.

These are the primal, without and with constraints, the dual, which is a linear system, and the optimality conditions::

    min  1/2 ||f||^2 + 1/2 sum C_i (1 - y_i (f(x_i) + b))^2
    min  1/2 ||f||^2 + 1/2 sum C_i xi_i^2                     s.t.  y_i (f(x_i) + b) = 1 - xi_i
    max  1'a - 1/2 a'(YKY + diag(1/C)) a                      s.t.  y'a = 0
         that is   [0, y'; y, YKY + diag(1/C)] [b; a] = [0; 1]

    f = sum_j a_j y_j k(x_j, .),   a_i = C_i xi_i

Primal and dual have the same optimal value. The a_i are the multipliers of the constraints and have either sign; b is
the multiplier of y'a = 0. Every sample off its margin has a coefficient, so the solution is not sparse. Since y_i^2 =
1, the model is least squares with the labels as targets. Source: Suykens and Vandewalle (1999).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Multipliers, Primal, Stated, absence, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import derived, per_cost, times_cost
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal, TwoClassCostModel
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import KernelQP

__all__ = [
    "LeastSquaresClassifier",
    "LeastSquaresClassifierConstrained",
    "LeastSquaresClassifierDual",
    "LeastSquaresClassifierPrimal",
]


class LeastSquaresClassifierPrimal(Primal):
    """Without constraints. Variables: w or u, and b."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + 1/2 sum C_i (1 - y_i (f(x_i) + b))^2")
    model: LeastSquaresClassifier

    def declare(self) -> cp.Problem:
        """State the problem."""
        loss = self.model.C @ cp.square(1 - cp.multiply(self.model.y, self.g)) / 2
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + loss))


class LeastSquaresClassifierConstrained(MarginPrimal):
    """With slacks. Variables: w or u, b, xi. Multipliers of ``margin``: a."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + 1/2 sum C_i xi_i^2  s.t.  y_i (f(x_i) + b) = 1 - xi_i")
    model: LeastSquaresClassifier
    xi = per_sample("xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = 1 - cp.multiply(self.model.y, self.g) == self.xi
        loss = self.model.C @ cp.square(self.xi) / 2
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + loss), labelled(margin=margin))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return a."""
        self.xi.value = self.model.slacks(answer)
        return super().write(answer)


class LeastSquaresClassifierDual(MarginDual):
    """The dual. Variable: alpha. Multiplier of ``balance``: b."""

    textbook = TextbookProblem("max  1'a - 1/2 a'(YKY + diag(1/C)) a  s.t.  y'a = 0")
    is_system = True
    maximised = True
    model: LeastSquaresClassifier

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, alpha = self.model, self.alpha
        ridge = derived(lambda: per_cost(1.0, model.C.value), len(model))
        curvature = self.half_squared_norm(alpha, model.y) + ridge @ cp.square(alpha) / 2
        return cp.Problem(
            cp.Maximize(cp.sum(alpha) - curvature),
            labelled(balance=self.balance(model.y @ alpha), absent=absence(self.model, alpha)),
        )


class LeastSquaresClassifier(TwoClassCostModel):
    """Least squares of the margins. Raising C, the cost of half a squared slack, makes the slacks smaller.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassCostModel`.

    Examples
    --------
    >>> from formulations import LeastSquaresClassifier
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1]
    >>> solution = LeastSquaresClassifier(X, y, C=1.0).solve()
    >>> print(solution.status, f"b = {solution.intercept:.3f}", solution.decision.round(3))
    optimal b = -1.091 [-1.091 -0.545  0.545  1.091]
    """

    # [0, 1'; 1, K + diag(1/C)] [b; beta] = [0; y]
    entry = replace(TwoClassCostModel.entry, linear=True, sparse=False, most_points=5000)
    primal = Stated(LeastSquaresClassifierPrimal)
    constrained = Stated(LeastSquaresClassifierConstrained)
    dual = Stated(LeastSquaresClassifierDual)

    def qp(self) -> KernelQP:
        """State the dual in beta = y * a, with the ridge 1/C_i and with bounds only for absent samples."""
        costs = self.value_of("C")
        reach, ridge = times_cost(costs, np.inf), per_cost(1.0, costs)
        return KernelQP(self.gram, self.y, -reach, reach, self.total, ridge=ridge, name="least squares of margins")

    def slacks(self, answer: Candidate) -> Vector:
        """Return xi_i = 1 - y_i (f(x_i) + b), of either sign."""
        return 1.0 - self.margins(answer)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i - C_i xi_i."""
        return {"a - C xi": self.y * answer.beta - self.value_of("C") * self.slacks(answer)}
