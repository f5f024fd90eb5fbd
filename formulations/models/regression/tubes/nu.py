# SPDX-License-Identifier: BSD-3-Clause
r"""The nu-tube: a soft tube whose width is found along with f, given the share of samples outside.

Primal and dual, with their Karush-Kuhn-Tucker conditions, r = y - f - b::

    min  1/2 ||f||^2 + nu 1'c epsilon + sum c_i (xi+_i + xi-_i)
         s.t.  r_i <= epsilon + xi+_i,  -r_i <= epsilon + xi-_i,  xi >= 0,  epsilon >= 0
    min  1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-)
         s.t.  1'(a+ - a-) = 0,  1'(a+ + a-) <= nu 1'c,  0 <= a+, a- <= c

    f = sum_j (a+_j - a-_j) k(x_j, .),   a+_i (epsilon + xi+_i - r_i) = 0,   (c_i - a+_i) xi+_i = 0,  the same for a-,
    epsilon (nu 1'c - 1'(a+ + a-)) = 0

Here c_i = C w_i, which is C without weights: a weight of 2 makes a sample count twice. The value of the minimised dual
is minus that of the primal; b is the multiplier of 1'(a+ - a-) = 0, and epsilon that of 1'(a+ + a-) <= nu 1'c. At most
nu m samples lie outside the tube; where epsilon > 0, at least nu m are support vectors. C has the scale that it has in
LIBSVM and scikit-learn. The soft tube with this epsilon and these costs has the same answer. Source: Schoelkopf et al.
(2000).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Multipliers, Stated, labelled, per_sample, scalar
from formulations.modelling.inputs.hyperparameters import COST, NU, WEIGHTS, derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.tubes.forms import TubeDual, TubeModel, TubePrimal, sides_of
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems.level_qp.bounds import TubeLevelBounds, best_level

__all__ = ["NuTube", "NuTubeDual", "NuTubePrimal"]


class NuTubePrimal(TubePrimal):
    """The primal. Variables: w or u, b, epsilon, xi_plus, xi_minus.

    Multipliers: a+ of ``above``, a- of ``below``, c - a+ of ``slack_plus``, c - a- of ``slack_minus``,
    nu 1'c - 1'(a+ + a-) of ``width``.
    """

    textbook = TextbookProblem(
        "min  1/2 ||f||^2 + nu 1'c epsilon + sum c_i (xi+_i + xi-_i)  s.t.  r_i <= epsilon + xi+_i,  "
        "-r_i <= epsilon + xi-_i,  xi >= 0,  epsilon >= 0",
        ("r = y - f - b", "c_i = C w_i"),
    )
    model: NuTube
    epsilon = scalar("epsilon")
    xi_plus, xi_minus = per_sample("xi+"), per_sample("xi-")

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, epsilon, residuals = self.model, self.epsilon, self.model.y - self.g
        cost = model.budget * epsilon + model.cost @ (self.xi_plus + self.xi_minus)
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + cost),
            labelled(
                above=residuals <= epsilon + self.xi_plus,
                below=-residuals <= epsilon + self.xi_minus,
                slack_plus=self.xi_plus >= 0,
                slack_minus=self.xi_minus >= 0,
                width=epsilon >= 0,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b, epsilon and the slacks, and return a+, a-, and what they leave of c and nu 1'c."""
        model, (plus, minus) = self.model, sides_of(answer.beta)
        self.epsilon.value = model.tube_width(model.residuals(answer))
        self.xi_plus.value, self.xi_minus.value = model.slacks(answer)
        c, spare = model.costs, float(model.budget.value) - float(np.abs(answer.beta).sum())
        return {**super().write(answer), "slack_plus": c - plus, "slack_minus": c - minus, "width": spare}


class NuTubeDual(TubeDual):
    """The dual. Variables: a_plus, a_minus.

    Multipliers: b of ``balance``, epsilon of ``share``, xi+ of ``upper_plus``, xi- of ``upper_minus``.
    """

    textbook = TextbookProblem(
        "min  1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-)  s.t.  1'(a+ - a-) = 0,  1'(a+ + a-) <= nu 1'c,  0 <= a+, a- <= c",
        ("c_i = C w_i",),
    )
    model: NuTube

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, beta = self.model, self.beta
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(beta) - model.y @ beta),
            labelled(
                balance=self.balance(cp.sum(beta)),
                share=cp.sum(self.a_plus + self.a_minus) <= model.budget,
                plus=self.a_plus >= 0,
                minus=self.a_minus >= 0,
                upper_plus=self.a_plus <= model.cost,
                upper_minus=self.a_minus <= model.cost,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write a+ and a-, and return b, epsilon, the slacks and the multipliers of both signs."""
        width = self.model.tube_width(self.model.residuals(answer))
        above, below = self.model.slacks(answer)
        return {**super().write(answer), "share": width, "upper_plus": above, "upper_minus": below}


class NuTube(TubeModel):
    """The tube with nu.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    nu
        Above 0 and at most 1: a bound on the share of samples outside the tube.
    C
        Above 0: the cost of a unit of residual beyond the tube.
    sample_weight
        Above 0, one number, or one for each sample and 0 for an absent one: how often it counts.

    Examples
    --------
    >>> from formulations import NuTube
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> solution = NuTube(X, y, nu=0.5, C=10.0).solve(tol=1e-6)
    >>> print(solution.status, f"epsilon = {solution.epsilon:.3f}", solution.predict([[4.0]]).round(3))
    optimal epsilon = 0.100 [4.]
    """

    entry = replace(
        TubeModel.entry,
        parameters=(COST, replace(NU, words="largest share outside the tube"), WEIGHTS),
        estimator="NuSVR",
        most_points=500,
    )
    C: cp.Parameter
    nu: cp.Parameter
    sample_weight: cp.Parameter
    primal, dual = Stated(NuTubePrimal), Stated(NuTubeDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        fit_intercept: bool = True,
        sample_weight: ArrayLike = 1.0,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, C=C, nu=nu, sample_weight=sample_weight)

    @cached_property
    def cost(self) -> cp.Parameter:
        """The costs, which follow C and the weights."""
        return derived(lambda: self.costs, len(self))

    @property
    def costs(self) -> Vector:
        """The costs c, C times the weights."""
        return np.asarray(float(self.value_of("C")) * self.value_of("sample_weight"))

    @cached_property
    def budget(self) -> cp.Parameter:
        """The share nu of the sum of all costs, which follows the costs."""
        return derived(lambda: self.bounds().budget)

    def qp(self) -> None:
        """Return None: with a free level the model is not a KernelQP."""

    def bounds(self) -> TubeLevelBounds:
        """State the tube whose level is free."""
        return TubeLevelBounds(self.gram, self.y, float(self.value_of("nu")), self.costs, self.total)

    def tube_width(self, residuals: Vector) -> float:
        """Return the best epsilon for these residuals, which no more of them exceed than nu allows."""
        return best_level(np.abs(residuals), float(self.value_of("nu")), self.costs)
