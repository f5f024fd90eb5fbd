# SPDX-License-Identifier: BSD-3-Clause
r"""Kernel ridge regression: regularised least squares without an intercept.

These are the primal, and the dual up to the factor 2 lambda/m, whose optimality condition is a linear system::

    min  lambda/m ||f||^2 + 1/m sum (y_i - f(x_i))^2
    max  y'c - 1/2 c'(K + lambda I) c,   that is   (K + lambda I) c = y

    f = sum_j c_j k(x_j, .),   c_i = (y_i - f(x_i)) / lambda

The primal's value is 2 lambda/m times the dual's. Values of the model are in the scale of the dual: 1/2 ||f||^2 + 1/(2
lambda) sum r^2. There are no support vectors. lambda is the ``alpha`` of scikit-learn's KernelRidge, and 1/C of
LeastSquares. Source: Saunders et al. (1998).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Primal, Regression, Stated
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.modelling.mean_risk import MEAN_FACTOR, MeanRiskModel
from formulations.models.regression.regression_model import RegressionModel, ResidualDual
from qpkernels.display import TextbookProblem
from qpkernels.problems import KernelQP

__all__ = ["KernelRidge", "KernelRidgeDual", "KernelRidgePrimal"]


class KernelRidgePrimal(Primal):
    """The primal. Variable: w or u."""

    textbook = TextbookProblem("min  lambda/m ||f||^2 + 1/m sum (y_i - f(x_i))^2")
    factor_formula = MEAN_FACTOR
    model: KernelRidge

    @property
    def factor(self) -> float:
        """2 lambda/m."""
        return self.model.mean_factor

    def declare(self) -> cp.Problem:
        """State the problem."""
        return self.model.mean_risk(self.f, cp.sum_squares(self.model.y - self.g))


class KernelRidgeDual(ResidualDual):
    """The dual. Variable: c."""

    textbook = TextbookProblem("max  y'c - 1/2 c'(K + lambda I) c")
    is_system = True
    model: KernelRidge

    def declare(self) -> cp.Problem:
        """State the problem."""
        curvature = self.half_squared_norm(self.c) + self.model.regularisation * cp.sum_squares(self.c) / 2
        return cp.Problem(cp.Maximize(self.model.y @ self.c - curvature))


class KernelRidge(RegressionModel, MeanRiskModel[Regression]):
    """Kernel ridge regression.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    regularisation
        lambda, above 0. Raising it makes f flatter.

    Examples
    --------
    >>> from formulations import KernelRidge
    >>> from qpkernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.8, 0.9, 0.1, -0.8]
    >>> solution = KernelRidge(X, y, RBF(gamma=0.5), regularisation=0.1).solve()
    >>> print(solution.status, f"{solution.objective:.3f}", solution.predict([[1.5]]).round(3))
    optimal 0.874 [0.919]
    """

    # (K + lambda I) c = y
    entry = replace(
        MeanRiskModel.entry,
        coefficient="beta = c",
        estimator="KernelRidge",
        counts="1/2 ||f||^2 + C sum (y_i - f(x_i))^2, C = 1/(2 lambda)",
        linear=True,
        sparse=False,
        most_points=5000,
    )
    primal, dual = Stated(KernelRidgePrimal), Stated(KernelRidgeDual)

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, regularisation: float = 1.0
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=False, regularisation=regularisation)

    def qp(self) -> KernelQP:
        """State the dual in beta = c, with the ridge lambda, and without bounds or a balance."""
        ridge = float(self.value_of("regularisation"))
        return KernelQP(self.gram, self.y, -np.inf, np.inf, self.total, ridge=ridge, name="kernel ridge")

    def conditions(self, answer: Candidate) -> Conditions:
        """Return lambda c_i - r_i."""
        return {"lambda c - r": float(self.value_of("regularisation")) * answer.beta - self.residuals(answer)}
