# SPDX-License-Identifier: BSD-3-Clause
r"""Losses within a ball of the space: the common part of models that bound ||f||^2 by R in place of a penalty on it.

With losses psi_i of the decision values, all multiplied by the weight w, these are the primal and the dual::

    min  w sum psi_i(f(x_i) + b)                              s.t.  ||f||^2 <= R
    max  -w sum psi_i*(-beta_i / w) - sqrt(R beta'K beta)     s.t.  1'beta = 0,  -beta_i / w in dom psi_i*

    2 lambda f = sum_j beta_j k(x_j, .),   lambda (R - ||f||^2) = 0

The multiplier lambda >= 0 of the ball is the weight of the penalty form: min w sum psi_i + lambda ||f||^2 has the same
answer, and so does min 1/2 ||f||^2 + C sum psi_i with C = w/(2 lambda).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling.batch import Answered
from formulations.modelling.candidate import Candidate, at_coordinates
from formulations.modelling.inputs.hyperparameters import SQUARED_RADIUS, derived
from formulations.modelling.lowering import ConeAnswer
from formulations.modelling.model import Model
from formulations.modelling.sides import Dual, Hypothesis, Primal
from formulations.modelling.statement import Multipliers
from qpkernels.arrays import Vector
from qpkernels.problems import Bounds, FenchelBounds, SampleLosses
from qpkernels.problems.norms import SquaredFitBounds
from qpkernels.problems.smooth_risk import Ball

__all__ = ["BallModel", "SupportOfBall"]


class BallModel(Model[Answered]):
    """A model of losses within a ball. The beta of an answer are the multipliers of the losses.

    Notes
    -----
    Arguments of the methods:

    beta
        Multipliers of the losses, shape (m,): the beta of an answer.
    C
        The factor of the loss of each sample, shape (m,).
    f, form
        The function in the expressions of a form, and the form.
    answer, bounds
        As a form reads them; see :meth:`formulations.modelling.form.Form.read`.
    """

    entry = replace(Model.entry, parameters=(SQUARED_RADIUS,), expands=False)
    R: cp.Parameter
    y: Vector

    @property
    @abstractmethod
    def weight(self) -> float:
        """The factor of every loss in the objective: 1 for a sum, 1/m for a mean."""

    @abstractmethod
    def losses(self, C: Vector) -> SampleLosses:
        """Return the losses of the decision values, with their conjugates."""

    @property
    def weights(self) -> Vector:
        """The weight of the loss of each sample."""
        return np.full(len(self), self.weight)

    @property
    def ball(self) -> Ball:
        """The ball that contains f, at the present R."""
        return Ball(float(self.value_of("R")))

    def bounds(self) -> FenchelBounds:
        """State the losses of the decision values, and the ball."""
        return FenchelBounds(self.gram, self.losses(self.weights), self.total, self.ball)

    def within_ball(self, w: Vector, b: float, beta: Vector) -> Candidate:
        """Return the answer with these coordinates of f, shrunk where they lie outside the ball.

        Parameters
        ----------
        w
            Weights w or coordinates u of f, shape (d,).
        b
            The intercept.
        """
        w = self.ball.shrinkage(float(w @ w)) * w
        return at_coordinates(self.data, w, b, beta, self.classes, expands=self.entry.expands)

    def _vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the nearest f that meets every target, if one does, brought into the ball."""
        del bounds
        fit = SquaredFitBounds(self.data.coordinates, self.y, self.fit_intercept)
        start = answer.coordinates if np.ptp(self.y) else None
        return self.within_ball(*fit.least_squares(start), np.zeros(len(self)))

    def _from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta, with the multipliers of its losses."""
        answer = super()._from_coefficients(beta, intercept)
        return self._completed(answer) if answer.is_squarable else answer

    def _completed(self, answer: Candidate) -> Candidate:
        """Return the answer with the best multiple of beta, or the slopes of the losses where they prove more."""
        bounds = self.bounds()
        assert bounds.losses.slope is not None
        slopes = -bounds.losses.slope(answer.decision - bounds.losses.level)
        found = max(bounds.best_multiple(answer.beta), slopes, key=bounds.lower_bound)
        return replace(answer, beta=bounds.feasible(found), is_expansion=False)

    def regularisation_of(self, beta: Vector) -> float:
        """Return the multiplier of the ball, lambda = sqrt(beta'K beta / R) / 2, the equivalent penalty on ||f||^2.

        It is in the scale of the objective: the optimal value falls at this rate as R grows.
        """
        return 0.5 * float(np.sqrt(max(0.0, float(beta @ self.gram.product(beta))) / self.value_of("R")))

    def cost_of(self, beta: Vector) -> float:
        """Return C = w/(2 lambda), with which min 1/2 ||f||^2 + C sum psi_i has the same answer; w as :attr:`weight`.

        It is infinite where lambda is 0. The ball is then wider than the losses need, and maybe no finite C has its f.
        """
        regularisation = self.regularisation_of(beta)
        return 0.5 * self.weight / regularisation if regularisation > 0 else float("inf")

    def norm_within(self, f: Hypothesis) -> cp.Constraint:
        """State ||f||^2 <= R, whose multiplier is lambda."""
        return 2 * f.half_squared_norm <= self.R

    def read_primal(self, form: Primal, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read w or u, brought into the ball, and b from the variables of a form, beta from its multipliers."""
        w = np.asarray(form.f.variable.value)
        return self.within_ball(w, float(form.b.value), form.read_beta(answer, bounds))

    def read_dual(self, form: Dual) -> Candidate:
        """Read w or u, brought into the ball, and b from the multipliers of a form, beta from its variables."""
        w = np.atleast_1d(form.dual_of("function"))
        return self.within_ball(w, form.multiplier_of_balance(), np.asarray(form.beta.value))

    def slack_of_function(self, answer: Candidate) -> Vector:
        """Return 2 lambda f - K beta at the samples, which vanishes at an optimum."""
        doubled = 2.0 * self.regularisation_of(answer.beta) * answer.at_samples.values
        return np.asarray(doubled - self.gram.product(answer.beta))


class SupportOfBall:
    """sqrt(R) ||v||, the largest <f, h> of the ball, with the coordinates v of h = sum_j beta_j k(x_j, .).

    Attributes
    ----------
    v
        The coordinates, a CVXPY variable of shape (d,).
    definition
        The constraint that makes them those of h; its multipliers are w or u.
    value
        The expression.
    """

    def __init__(self, model: BallModel[Any], beta: cp.Expression) -> None:
        self._coordinates = model.data.coordinates
        self.v = cp.Variable(self._coordinates.shape[1], name="v")
        self.definition = self._coordinates.T @ beta == self.v
        self.value = derived(lambda: np.sqrt(model.R.value)) * cp.norm(self.v)

    def write(self, answer: Candidate) -> Multipliers:
        """Write v, and return w or u."""
        self.v.value = self._coordinates.T @ answer.beta
        return {} if answer.coordinates is None else {"function": answer.coordinates}
