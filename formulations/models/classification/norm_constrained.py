# SPDX-License-Identifier: BSD-3-Clause
r"""Classification with a bound on the norm: the least mean loss of the margins within a ball of the space.

With a convex loss psi of the margins z_i = y_i (f(x_i) + b) and its conjugate psi*, primal and dual, and their
optimality conditions::

    min  1/m sum psi(z_i)                                s.t.  ||f||^2 <= R
    max  -1/m sum psi*(-m a_i) - sqrt(R a'YKYa)          s.t.  y'a = 0,  -m a_i in dom psi*

    2 lambda f = sum_j a_j y_j k(x_j, .),   a_i = -psi'(z_i) / m,   lambda (R - ||f||^2) = 0

The optimal values are equal, and b is the multiplier of y'a = 0. Multipliers are in the scale of the mean: a_i is at
most 1/m times the steepest slope, and lambda = sqrt(a'YKYa / R) / 2 is the weight with which min 1/m sum psi(z_i) +
lambda ||f||^2 has the same answer. That problem is the classifier of any margin loss with C = 1/(2 m lambda);
conversely, R is its ||f||^2. The multiplier lambda is 0 where the ball is wider than the losses need, and then perhaps
no C gives this f. ``regularisation_of`` and ``cost_of`` return lambda and C, and
``model.primal.constraint("norm").dual_value`` shows lambda. Source: Ivanov (1962), Oneto, Ridella and Anguita (2016).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.losses import Hinge, MarginLoss
from formulations.modelling import (
    Candidate,
    Classification,
    Conditions,
    ConeAnswer,
    Multipliers,
    Stated,
    labelled,
    per_sample,
)
from formulations.modelling.ball import BallModel, SupportOfBall
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.classification.margin_loss import MarginLossModel
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds

__all__ = ["NormConstrainedClassifier", "NormConstrainedClassifierDual", "NormConstrainedClassifierPrimal"]


class NormConstrainedClassifierPrimal(MarginPrimal):
    """The primal. Variables: w or u, b, z. Multipliers: a of ``margin``, lambda of ``norm``."""

    textbook = TextbookProblem("min  1/m sum psi(z_i)  s.t.  ||f||^2 <= R", ("z_i = y_i (f(x_i) + b)",))
    model: NormConstrainedClassifier
    z = per_sample("z")

    def declare(self) -> cp.Problem:
        """State the problem."""
        mean = cp.sum(self.model.loss.atom(self.z)) / len(self.model)
        margin = self.z == cp.multiply(self.model.y, self.g)
        return cp.Problem(cp.Minimize(mean), labelled(margin=margin, norm=self.model.norm_within(self.f)))

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read an answer, brought into the ball."""
        return self.model.read_primal(self, answer, bounds)

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the margins, and return a and lambda."""
        self.z.value = self.model.margins(answer)
        return {**super().write(answer), "norm": self.model.regularisation_of(answer.beta)}


class NormConstrainedClassifierDual(MarginDual):
    """The dual. Variables: alpha, and v of ``ball``, the coordinates of sum_j a_j y_j k(x_j, .).

    Multipliers: w or u of ``function``, b of ``balance``, and those of ``lower`` and ``upper``, the ends of -m a_i.
    """

    textbook = TextbookProblem("max  -1/m sum psi*(-m a_i) - sqrt(R a'YKYa)  s.t.  y'a = 0,  -m a_i in dom psi*")
    maximised = True
    model: NormConstrainedClassifier

    @cached_property
    def ball(self) -> SupportOfBall:
        """The support function of the ball at sum_j a_j y_j k(x_j, .)."""
        return SupportOfBall(self.model, self.beta)

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, loss, (low, high) = self.model, self.model.loss, self.model.loss.domain
        slopes = -len(model) * self.alpha
        conjugates = cp.sum(loss.conjugate_atom(slopes)) / len(model)
        return cp.Problem(
            cp.Maximize(-conjugates - self.ball.value),
            labelled(
                function=self.ball.definition,
                balance=self.balance(model.y @ self.alpha),
                lower=slopes >= low if np.isfinite(low) else None,
                upper=slopes <= high if np.isfinite(high) else None,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write alpha and v, and return b, w or u, and the multipliers of the ends."""
        model = self.model
        slopes = -len(model) * model.y * answer.beta
        ends = model.loss.multipliers_of_ends(model.weight, slopes, model.margins(answer))
        return {**super().write(answer), **self.ball.write(answer), **ends}

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read an answer, brought into the ball."""
        del answer, bounds
        return self.model.read_dual(self)

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        self.model.data.coordinates  # noqa: B018  a cached factor


class NormConstrainedClassifier(MarginLossModel, BallModel[Classification]):
    """The least mean loss of the margins within a ball, for any convex loss. The beta of an answer is y a.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    loss
        A margin loss of :mod:`formulations.losses`: Hinge(), SquaredHinge(), SquaredMargin(), LogisticLoss(), or your
        own loss, which may be a function of a CVXPY variable; see :class:`~formulations.losses.ExpressionLoss`.
    R
        Above 0: the largest ||f||^2. Raising it makes f more flexible.

    Examples
    --------
    >>> from formulations import MarginLossClassifier, NormConstrainedClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> model = NormConstrainedClassifier(X, y, R=0.25)
    >>> solution = model.solve(tol=1e-8)
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.4f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 0.7500 w = 0.500, b = -0.750
    >>> C = model.cost_of(solution.beta)
    >>> print(f"lambda = {model.regularisation_of(solution.beta):.3f}, C = {C:.3f}")
    lambda = 0.500, C = 0.250
    """

    entry = replace(MarginLossModel.entry, parameters=BallModel.entry.parameters, expands=False)
    primal, dual = Stated(NormConstrainedClassifierPrimal), Stated(NormConstrainedClassifierDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: MarginLoss | Callable[[Any], cp.Expression] = Hinge(),  # noqa: B008  frozen
        R: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, loss=loss, fit_intercept=fit_intercept, R=R)

    @property
    def weight(self) -> float:
        """1/m: the objective is the mean of the losses."""
        return 1.0 / len(self)

    def _vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the largest multiple in the ball, of a loss that only falls, or else the f + b nearest the labels."""
        w = answer.coordinates
        if self.loss.domain[1] > 0.0 or w is None or self.margins(answer).min() <= 0.0:
            return super()._vanishing(answer, bounds)
        rise = float(np.sqrt(self.value_of("R") / (w @ w)))
        return self.within_ball(rise * w, rise * answer.intercept, np.zeros(len(self)))

    def conditions(self, answer: Candidate) -> Conditions:
        """Return (psi(z_i) + psi*(-m a_i)) / m + a_i z_i, the gap of each sample, and 2 lambda f - K Y a there."""
        return {
            "(psi(z) + psi*(-m a)) / m + a z": self.gaps(answer, self.weights),
            "2 lambda f - K Y a": self.slack_of_function(answer),
        }
