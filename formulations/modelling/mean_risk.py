# SPDX-License-Identifier: BSD-3-Clause
r"""Regularised mean losses: the common part of models whose textbook form divides by m and weighs the norm by lambda.

With losses L_i of f(x_i), and C = 1/(2 lambda)::

    lambda/m ||f||^2 + 1/m sum L_i   =   2 lambda/m (1/2 ||f||^2 + C sum L_i)

The values of the model, its dual and its certificate are those of the parentheses on the right, where beta are
coefficients of f. The primal form is that of the textbook, with the value on the left.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling.batch import Answered
from formulations.modelling.inputs.hyperparameters import LAMBDA, derived
from formulations.modelling.model import Model
from formulations.modelling.sides import Hypothesis
from qpkernels.arrays import Vector

__all__ = ["MEAN_FACTOR", "MeanRiskModel"]

MEAN_FACTOR = "2 lambda/m"
"""The factor of the textbook's form in the letters of the model."""


class MeanRiskModel(Model[Answered]):
    """A model of a mean loss with the weight lambda/m of ||f||^2, whose value is 1/2 ||f||^2 + C sum L_i."""

    entry = replace(Model.entry, parameters=(LAMBDA,))
    regularisation: cp.Parameter

    @cached_property
    def C(self) -> cp.Parameter:
        """The cost 1/(2 lambda) of every sample."""
        return derived(lambda: np.full(len(self), 0.5 / self.regularisation.value), len(self))

    @property
    def costs(self) -> Vector:
        """The values of C."""
        return np.full(len(self), 0.5 / self.value_of("regularisation"))

    @property
    def mean_factor(self) -> float:
        """2 lambda/m, the value of the textbook form divided by that of the model."""
        return 2.0 * float(self.value_of("regularisation")) / len(self)

    def mean_risk(self, f: Hypothesis, loss: cp.Expression) -> cp.Problem:
        """State the problem in the scale of the mean.

        Parameters
        ----------
        f
            The function as a form has it.
        loss
            The sum of the L_i.
        """
        return cp.Problem(cp.Minimize((2 * self.regularisation * f.half_squared_norm + loss) / len(self)))
