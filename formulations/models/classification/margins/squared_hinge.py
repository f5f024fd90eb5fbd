# SPDX-License-Identifier: BSD-3-Clause
r"""The squared hinge: the soft margin with a cost C_i on the square of every slack (L2-SVM).

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 + sum C_i xi_i^2                        s.t.  y_i (f(x_i) + b) >= 1 - xi_i
    min  1/2 a'YKYa + sum a_i^2 / (4 C_i) - 1'a              s.t.  y'a = 0,  a >= 0

    f = sum_j a_j y_j k(x_j, .),   a_i = 2 C_i xi_i,   a_i (y_i (f(x_i) + b) - 1 + xi_i) = 0

It is the hard margin with 1 / (2 C_i) added to the diagonal of K, so it always has an answer. The value of the
minimised dual is minus that of the primal, and b is the multiplier of y'a = 0. LIBLINEAR's L2-loss has the same scaling
of C. Source: Cortes and Vapnik (1995).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Multipliers, Stated, absence, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import MARGIN_COSTS, derived, per_cost, times_cost
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal, TwoClassCostModel, signed_box
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import KernelQP, SampleTerms

__all__ = ["SquaredHinge", "SquaredHingeDual", "SquaredHingePrimal"]


class SquaredHingePrimal(MarginPrimal):
    """The primal. Variables: w or u, b, xi. Multipliers of ``margin``: a."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i xi_i^2  s.t.  y_i (f(x_i) + b) >= 1 - xi_i")
    model: SquaredHinge
    xi = per_sample("xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.model.y, self.g) >= 1 - self.xi
        cost = self.model.C @ cp.square(self.xi)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cost), labelled(margin=margin))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return the multipliers a."""
        self.xi.value = self.model.slacks(answer)
        return super().write(answer)


class SquaredHingeDual(MarginDual):
    """The dual. Variable: alpha. Multiplier of ``balance``: b."""

    textbook = TextbookProblem("min  1/2 a'YKYa + sum a_i^2 / (4 C_i) - 1'a  s.t.  y'a = 0,  a >= 0")
    model: SquaredHinge

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, alpha = self.model, self.alpha
        ridge = derived(lambda: per_cost(0.5, model.C.value), len(model))
        curvature = self.half_squared_norm(alpha, model.y) + ridge @ cp.square(alpha) / 2
        return cp.Problem(
            cp.Minimize(curvature - cp.sum(alpha)),
            labelled(balance=self.balance(model.y @ alpha), nonnegative=alpha >= 0, absent=absence(self.model, alpha)),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write a, and return b and the multipliers max(0, y_i (f(x_i) + b) - 1) of a >= 0."""
        return {**super().write(answer), "nonnegative": np.maximum(self.model.margins(answer) - 1.0, 0.0)}


class SquaredHinge(TwoClassCostModel):
    """The soft margin with squared slacks.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassCostModel`.

    Examples
    --------
    >>> from formulations import SquaredHinge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> solution = SquaredHinge(X, y, C=1.0).solve(tol=1e-9)
    >>> print(solution.status, f"{solution.objective:.3f}", solution.alpha.round(3))
    optimal 3.273 [0.909 2.364 2.364 0.909]
    >>> print(solution.slacks.round(3))
    [0.455 1.182 1.182 0.455]
    """

    entry = replace(TwoClassCostModel.entry, parameters=(MARGIN_COSTS,), most_points=5000)
    primal, dual = Stated(SquaredHingePrimal), Stated(SquaredHingeDual)

    @classmethod
    def _terms(cls, y: Vector, values: Mapping[str, Vector]) -> SampleTerms:
        """Return the target y_i, the sign of beta = y * a, and the ridge 1 / (2 C_i)."""
        costs = values["C"]
        return SampleTerms(y, *signed_box(y, times_cost(costs, np.inf)), ridge=per_cost(0.5, costs))

    def qp(self) -> KernelQP:
        """State the dual in beta = y * a: the hard margin with the ridge 1 / (2 C_i)."""
        terms = self._terms(self.y, {"C": self.value_of("C")})
        return KernelQP.of_terms(self.gram, terms, self.total, "squared hinge")

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i (y_i g(x_i) - 1 + xi_i) and a_i - 2 C_i xi_i."""
        slope = 2.0 * self.value_of("C") * self.slacks(answer)
        return {**super().conditions(answer), "a - 2 C xi": self.y * answer.beta - slope}
