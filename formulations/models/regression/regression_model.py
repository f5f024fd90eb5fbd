# SPDX-License-Identifier: BSD-3-Clause
"""The common part of all regression models: real targets, residuals, and how an answer is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, ConeAnswer, Dual, Model, Multipliers, Primal, Regression, per_sample
from formulations.modelling.inputs.estimators import Coefficients
from formulations.modelling.inputs.samples import KernelLike, SamplesLike, bind, real_targets
from qpkernels.arrays import Vector
from qpkernels.errors import ParameterError
from qpkernels.problems import Bounds

__all__ = ["RegressionModel", "ResidualDual", "ResidualPrimal"]


class RegressionModel(Model[Regression]):
    """A model that predicts a real target by f(x) + b.

    Parameters
    ----------
    X, kernel, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    y
        Real targets, shape (m,).

    Notes
    -----
    Argument of the methods:

    residuals
        r_i = y_i - f(x_i) - b, shape (m,), in the unit of y.
    """

    entry = replace(Model.entry, estimator="SVR")
    y: Vector

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        fit_intercept: bool = True,
        **values: Any,
    ) -> None:
        data = bind(X, kernel)
        vars(self)["y"] = real_targets(y, len(data.gram))
        data.gram.require_psd()
        super().__init__(data, fit_intercept, **values)

    def residuals(self, answer: Candidate) -> Vector:
        """Return r_i = y_i - f(x_i) - b."""
        return self.y - answer.decision

    def tube_width(self, residuals: Vector) -> float:
        """Return epsilon, the half width of the tube within which a residual costs nothing; 0 without a tube."""
        del residuals
        return 0.0

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): dual_coef_ holds beta."""
        if fitted.classes is not None:
            raise ParameterError(
                f"a {self.name} has real targets, but the estimator was fitted to the classes "
                f"{fitted.classes.tolist()}; pass a regression estimator."
            )
        return super().translate(fitted)

    def _interpret(self, answer: Candidate, **fields: Any) -> Regression:
        """Make the solution, with its targets and the width of its tube."""
        return Regression(_y=self.y, epsilon=self.tube_width(self.residuals(answer)), **fields)


class ResidualPrimal(Primal):
    """A problem in f, b and the residuals r, whose constraint ``residual`` has the multipliers beta."""

    model: RegressionModel
    r = per_sample("r")

    @property
    def residual(self) -> cp.Constraint:
        """The definition of the residuals, y - f - b = r."""
        return self.model.y - self.g == self.r

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return the multipliers of the residuals."""
        del answer, bounds
        return self.dual_of("residual")

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the residuals, and return their multipliers."""
        self.r.value = self.model.residuals(answer)
        return {**super().write(answer), "residual": answer.beta}


class ResidualDual(Dual):
    """A maximisation in c = beta."""

    maximised = True
    model: RegressionModel
    c = per_sample("c")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients c."""
        return self.c

    def write(self, answer: Candidate) -> Multipliers:
        """Write c, and return b of the balance."""
        self.c.value = answer.beta
        return super().write(answer)
