# SPDX-License-Identifier: BSD-3-Clause
r"""The soft margin: the support vector machine, with a cost C_i on every slack.

These are the primal, with slacks and without constraints, the dual, and the Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 + sum C_i xi_i                          s.t.  y_i (f(x_i) + b) >= 1 - xi_i,  xi_i >= 0
    min  1/2 ||f||^2 + sum C_i max(0, 1 - y_i (f(x_i) + b))
    min  1/2 a'YKYa - 1'a                                    s.t.  y'a = 0,  0 <= a_i <= C_i

    f = sum_j a_j y_j k(x_j, .),   a_i (y_i (f(x_i) + b) - 1 + xi_i) = 0,   (C_i - a_i) xi_i = 0

The value of the minimised dual is minus that of the primal, and b is the multiplier of y'a = 0 in the sign of CVXPY's
minimisation. With lambda = 1/(2C) the hinge form is C times (sum of hinge losses + lambda ||f||^2). Source: Cortes and
Vapnik (1995).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, ConeAnswer, Multipliers, Primal, Stated, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import MARGIN_COSTS
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal, TwoClassCostModel, signed_box
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, KernelQP, SampleTerms

__all__ = ["SoftMargin", "SoftMarginDual", "SoftMarginHinge", "SoftMarginPrimal"]


class SoftMarginPrimal(MarginPrimal):
    """With slacks. Variables: w or u, b, xi. Multipliers: a of ``margin``, C - a of ``slack``."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i xi_i  s.t.  y_i (f(x_i) + b) >= 1 - xi_i,  xi_i >= 0")
    model: SoftMargin
    xi = per_sample("xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.model.y, self.g) >= 1 - self.xi
        cost = self.model.C @ self.xi
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cost), labelled(margin=margin, slack=self.xi >= 0))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return the multipliers a and C - a."""
        self.xi.value = self.model.slacks(answer)
        return {**super().write(answer), "slack": self.model.C.value - self.model.y * answer.beta}


class SoftMarginHinge(Primal):
    """Without constraints. Variables: w or u, and b."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i max(0, 1 - y_i (f(x_i) + b))")
    model: SoftMargin

    def declare(self) -> cp.Problem:
        """State the problem."""
        hinge = cp.pos(1 - cp.multiply(self.model.y, self.g))
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + self.model.C @ hinge))

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return the multipliers of the epigraph rows t_i >= 1 - y_i (f(x_i) + b) of the hinge."""
        del bounds
        rows = answer.epigraphs(self.g)
        # Where all samples are 0 and there is no b, no row holds a variable of f, which is 0.
        return self.model.y * rows[0] if rows else self.model.qp().slopes(np.zeros(len(self.model)))


class SoftMarginDual(MarginDual):
    """The dual. Variable: alpha. Multipliers: b of ``balance``, xi of ``upper``."""

    textbook = TextbookProblem("min  1/2 a'YKYa - 1'a  s.t.  y'a = 0,  0 <= a_i <= C_i")
    model: SoftMargin

    def declare(self) -> cp.Problem:
        """State the problem."""
        y, alpha = self.model.y, self.alpha
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(alpha, y) - cp.sum(alpha)),
            labelled(balance=self.balance(y @ alpha), lower=alpha >= 0, upper=alpha <= self.model.C),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write a, and return b and the multipliers of both bounds: max(0, margin - 1) and the slacks."""
        beyond, slacks = np.maximum(self.model.margins(answer) - 1.0, 0.0), self.model.slacks(answer)
        return {**super().write(answer), "lower": beyond, "upper": slacks}


class SoftMargin(TwoClassCostModel):
    """The soft margin. Raising C, the cost of a slack, allows fewer margin violations.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassCostModel`.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels import RBF
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["same", "same", "other", "other"]
    >>> solution = SoftMargin(X, y, RBF(gamma=1.0), C=10.0).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", solution.predict([[0.1, 0.9], [0.9, 0.8]]))
    optimal 5.005 ['other' 'same']
    >>> lower, upper = solution.certificate.dual_value, solution.certificate.primal_value
    >>> print(f"the optimum lies between {lower:.3f} and {upper:.3f}")
    the optimum lies between 5.005 and 5.005
    """

    entry = replace(TwoClassCostModel.entry, parameters=(MARGIN_COSTS,), most_points=5000)
    primal, hinge, dual = Stated(SoftMarginPrimal), Stated(SoftMarginHinge), Stated(SoftMarginDual)

    @classmethod
    def _terms(cls, y: Vector, values: Mapping[str, Vector]) -> SampleTerms:
        """Return the target y_i, and the bounds of beta = y * a: beta_i lies between 0 and y_i C_i."""
        return SampleTerms(y, *signed_box(y, values["C"]))

    def qp(self) -> KernelQP:
        """State the dual in beta = y * a."""
        terms = self._terms(self.y, {"C": self.value_of("C")})
        return KernelQP.of_terms(self.gram, terms, self.total, "soft margin")

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i (y_i g(x_i) - 1 + xi_i) and (C_i - a_i) xi_i."""
        left = self.value_of("C") - self.y * answer.beta
        return {**super().conditions(answer), "(C - a) xi": left * self.slacks(answer)}
