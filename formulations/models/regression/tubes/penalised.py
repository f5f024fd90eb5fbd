# SPDX-License-Identifier: BSD-3-Clause
r"""Tube regression as regularised empirical risk: the mean loss, a penalty on the norm, and no intercept.

These are the primal, and its dual up to the factor 2 lambda/m::

    min  lambda/m ||f||^2 + 1/m sum max(0, |y_i - f(x_i)| - epsilon)
    min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)   s.t.  0 <= a+, a- <= 1/(2 lambda)

    f = sum_j (a+_j - a-_j) k(x_j, .)

It is the soft tube without b and with C = 1/(2 lambda). The value of the primal is 2 lambda/m times that of the soft
tube. Values of the model are in the scale of the soft tube.
"""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import ConeAnswer, Regression, Stated
from formulations.modelling.inputs.hyperparameters import EPSILON, LAMBDA
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.modelling.mean_risk import MEAN_FACTOR, MeanRiskModel
from formulations.models.regression.tubes.forms import TubeModel
from formulations.models.regression.tubes.soft import SoftTubeDual, SoftTubeLoss
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds

__all__ = ["PenalisedTube", "PenalisedTubeLoss"]


class PenalisedTubeLoss(SoftTubeLoss):
    """Without constraints. Variable: w or u."""

    textbook = TextbookProblem("min  lambda/m ||f||^2 + 1/m sum max(0, |y_i - f(x_i)| - epsilon)")
    factor_formula = MEAN_FACTOR
    model: PenalisedTube

    @property
    def factor(self) -> float:
        """2 lambda/m."""
        return self.model.mean_factor

    def declare(self) -> cp.Problem:
        """State the problem."""
        return self.model.mean_risk(self.f, cp.sum(cp.pos(cp.abs(self.model.y - self.g) - self.model.epsilon)))

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return the multipliers of the rows t_i >= r_i less those of t_i >= -r_i, in the soft tube's scale."""
        return super().read_beta(answer, bounds) / self.factor


class PenalisedTube(MeanRiskModel[Regression], TubeModel):
    """The penalised tube. Its dual and its certificate are those of the soft tube.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    regularisation
        lambda, above 0. Raising it makes f flatter.
    epsilon
        At least 0, in the unit of y: half the width of the tube.

    Examples
    --------
    >>> from formulations import PenalisedTube
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.1, 1.9, 3.2, 3.8]
    >>> solution = PenalisedTube(X, y, regularisation=0.1, epsilon=0.1).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {solution.function.weights[0]:.3f}")
    optimal 1.475 w = 0.975
    """

    entry = replace(
        TubeModel.entry,
        parameters=(LAMBDA, EPSILON),
        counts="1/2 ||f||^2 + C sum max(0, |y_i - f(x_i)| - epsilon), C = 1/(2 lambda)",
    )
    loss, dual = Stated(PenalisedTubeLoss), Stated(SoftTubeDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        regularisation: float = 0.5,
        epsilon: float = 0.1,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=False, regularisation=regularisation, epsilon=epsilon)
