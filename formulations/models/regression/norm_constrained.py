# SPDX-License-Identifier: BSD-3-Clause
r"""Ivanov regularisation: the least sum of losses within a ball of the space, without a penalty on the norm.

With a loss psi and its conjugate psi*, primal and dual, and their optimality conditions, r = y - f - b::

    min  sum psi(r_i)                                       s.t.  ||f||^2 <= R
    max  y'c - sum psi*(c_i) - sqrt(R c'Kc)                 s.t.  1'c = 0,  c_i in dom psi*

    2 lambda f = sum_j c_j k(x_j, .),   c_i = psi'(r_i),   lambda (R - ||f||^2) = 0

The optimal values are equal, and b is the multiplier of 1'c = 0. The multiplier lambda >= 0 of the norm is the weight
of the penalty form: min sum psi(r_i) + lambda ||f||^2 has the same answer, as does
:class:`~formulations.ResidualLossRegression` with C = 1/(2 lambda). It is sqrt(c'Kc / R) / 2, and 0 where the ball is
wider than the fit needs. ``model.primal.constraint("norm").dual_value`` shows it, and ``regularisation_of`` and
``cost_of`` return lambda and C. Source: Ivanov (1962).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.losses import ResidualLoss, Squared
from formulations.modelling import Candidate, Conditions, ConeAnswer, Multipliers, Regression, Stated, labelled
from formulations.modelling.ball import BallModel, SupportOfBall
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import ResidualDual, ResidualPrimal
from formulations.models.regression.residual_loss import ResidualLossModel
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds

__all__ = ["NormConstrainedDual", "NormConstrainedPrimal", "NormConstrainedRegression"]


class NormConstrainedPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers: c of ``residual``, lambda of ``norm``."""

    textbook = TextbookProblem("min  sum psi(r_i)  s.t.  ||f||^2 <= R", ("r = y - f - b",))
    model: NormConstrainedRegression

    def declare(self) -> cp.Problem:
        """State the problem."""
        losses = cp.sum(self.model.loss.atom(self.r))
        return cp.Problem(cp.Minimize(losses), labelled(residual=self.residual, norm=self.model.norm_within(self.f)))

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read an answer, brought into the ball."""
        return self.model.read_primal(self, answer, bounds)

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the residuals, and return c and lambda."""
        return {**super().write(answer), "norm": self.model.regularisation_of(answer.beta)}


class NormConstrainedDual(ResidualDual):
    """The dual. Variables: c, and v of ``ball``, the coordinates of sum_j c_j k(x_j, .).

    Multipliers: w or u of ``function``, b of ``balance``, and those of ``lower`` and ``upper`` where the domain ends.
    """

    textbook = TextbookProblem("max  y'c - sum psi*(c_i) - sqrt(R c'Kc)  s.t.  1'c = 0,  c_i in dom psi*")
    model: NormConstrainedRegression

    @cached_property
    def ball(self) -> SupportOfBall:
        """The support function of the ball at sum_j c_j k(x_j, .)."""
        return SupportOfBall(self.model, self.beta)

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, loss, (low, high) = self.model, self.model.loss, self.model.loss.domain
        value = model.y @ self.c - cp.sum(loss.conjugate_atom(self.c)) - self.ball.value
        return cp.Problem(
            cp.Maximize(value),
            labelled(
                function=self.ball.definition,
                balance=self.balance(cp.sum(self.c)),
                lower=self.c >= low if np.isfinite(low) else None,
                upper=self.c <= high if np.isfinite(high) else None,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write c and v, and return b, w or u, and the multipliers of the ends."""
        model = self.model
        ends = model.loss.multipliers_of_ends(model.weight, answer.beta, model.residuals(answer))
        return {**super().write(answer), **self.ball.write(answer), **ends}

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read an answer, brought into the ball."""
        del answer, bounds
        return self.model.read_dual(self)

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        self.model.data.coordinates  # noqa: B018  a cached factor


class NormConstrainedRegression(ResidualLossModel, BallModel[Regression]):
    """The least empirical risk within a ball, for any convex loss of the residuals. The beta of an answer is c.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    loss
        A residual loss of :mod:`formulations.losses`, or your own loss, which may be a function of a CVXPY variable;
        see :class:`~formulations.losses.ExpressionLoss`.
    R
        Above 0: the largest ||f||^2. Raising it makes f more flexible.

    Examples
    --------
    >>> from formulations import NormConstrainedRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> solution = NormConstrainedRegression(X, y, R=0.5).solve(tol=1e-6)
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 0.176 w = 0.707, b = 0.439
    """

    entry = replace(ResidualLossModel.entry, parameters=BallModel.entry.parameters, expands=False)
    primal, dual = Stated(NormConstrainedPrimal), Stated(NormConstrainedDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: ResidualLoss | Callable[[Any], cp.Expression] = Squared(),  # noqa: B008  frozen
        R: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, loss=loss, fit_intercept=fit_intercept, R=R)

    @property
    def weight(self) -> float:
        """1: the objective is the sum of the losses."""
        return 1.0

    def conditions(self, answer: Candidate) -> Conditions:
        """Return psi(r) + psi*(c) - c r, the gap of each sample, and 2 lambda f - K c at the samples."""
        return {
            "psi(r) + psi*(c) - c r": self.gaps(answer, self.weights),
            "2 lambda f - K c": self.slack_of_function(answer),
        }
