# SPDX-License-Identifier: BSD-3-Clause
r"""Ivanov regularisation (D8): the least sum of losses within a ball of the space, not with a penalty on the norm.

With a loss psi and its conjugate psi*, primal and dual, and their optimality conditions, r = y - f - b::

    min  sum psi(r_i)                                       s.t.  ||f||^2 <= R
    max  y'c - sum psi*(c_i) - sqrt(R c'Kc)                 s.t.  1'c = 0,  c_i in dom psi*

    2 lambda f = sum_j c_j k(x_j, .),   c_i = psi'(r_i),   lambda (R - ||f||^2) = 0

The optimal values are equal, and b is the multiplier of 1'c = 0. The multiplier lambda >= 0 of the norm is the one of
the penalty form: min sum psi(r_i) + lambda ||f||^2 has the same answer, that of D6 with C = 1/(2 lambda); it is
sqrt(c'Kc / R) / 2, and 0 where the ball is wider than the fit needs. ``model.primal.constraint("norm").dual_value``
shows it. Source: Ivanov (1962).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.cvx as cp
from formulations.inputs.hyperparameters import SQUARED_RADIUS, derived
from formulations.inputs.samples import KernelLike, SamplesLike
from formulations.losses import ResidualLoss, Squared
from formulations.modelling import Candidate, Conditions, ConeAnswer, Multipliers, Stated, labelled
from formulations.modelling.candidate import at_coordinates
from formulations.regression.base import ResidualDual, ResidualPrimal
from formulations.regression.residual_loss import ResidualLossModel
from qpkernels.arrays import Vector
from qpkernels.certificates import Ball, Bounds, FenchelBounds, SquaredFitBounds
from qpkernels.display import TextbookProblem

__all__ = ["NormConstrainedDual", "NormConstrainedPrimal", "NormConstrainedRegression"]


class NormConstrainedPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers: c of ``residual``, lambda of ``norm``."""

    catalogue = "D8-primal"
    textbook = TextbookProblem("min  sum psi(r_i)  s.t.  ||f||^2 <= R", ("r = y - f - b",))
    model: NormConstrainedRegression

    def declare(self) -> cp.Problem:
        """State the problem."""
        norm = 2 * self.f.half_squared_norm <= self.model.R
        losses = cp.sum(self.model.loss.atom(self.r))
        return cp.Problem(cp.Minimize(losses), labelled(residual=self.residual, norm=norm))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the residuals, and return c and lambda."""
        return {**super().write(answer), "norm": self.model.regularisation_of(answer.beta)}

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read w or u, brought into the ball, and b from the variables, c from the multipliers."""
        w = np.asarray(self.f.variable.value)
        return self.model.within_ball(w, float(self.b.value), self.read_beta(answer, bounds))


class NormConstrainedDual(ResidualDual):
    """The dual. Variables: c, and v, the coordinates of sum_j c_j k(x_j, .).

    Multipliers: w or u of ``function``, b of ``balance``, and those of ``lower`` and ``upper`` where the domain ends.
    """

    catalogue = "D8-dual"
    textbook = TextbookProblem("max  y'c - sum psi*(c_i) - sqrt(R c'Kc)  s.t.  1'c = 0,  c_i in dom psi*")
    model: NormConstrainedRegression

    @cached_property
    def v(self) -> cp.Variable:
        """The coordinates, a CVXPY variable."""
        return cp.Variable(self.model.data.coordinates.shape[1], name="v")

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, loss, (low, high) = self.model, self.model.loss, self.model.loss.domain
        radius = derived(lambda: np.sqrt(model.R.value))
        value = model.y @ self.c - cp.sum(loss.conjugate_atom(self.c)) - radius * cp.norm(self.v)
        return cp.Problem(
            cp.Maximize(value),
            labelled(
                function=model.data.coordinates.T @ self.c == self.v,
                balance=self.balance(cp.sum(self.c)),
                lower=self.c >= low if np.isfinite(low) else None,
                upper=self.c <= high if np.isfinite(high) else None,
            ),
        )

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read w or u, brought into the ball, and b from the multipliers, c from the variable."""
        del answer, bounds
        w = np.atleast_1d(self.dual_of("function"))
        return self.model.within_ball(w, self.multiplier_of_balance(), np.asarray(self.c.value))

    def write(self, answer: Candidate) -> Multipliers:
        """Write c and v, and return b, and w or u."""
        self.v.value = self.model.data.coordinates.T @ answer.beta
        function = {} if answer.coordinates is None else {"function": answer.coordinates}
        return {**super().write(answer), **function}

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        self.model.data.coordinates  # noqa: B018  a cached factor


class NormConstrainedRegression(ResidualLossModel):
    """Empirical risk within a ball, with any convex loss of the residuals. The beta of its answers are c.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regression.base.RegressionModel`.
    loss
        A residual loss of :mod:`formulations.losses`.
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

    catalogue = "D8"
    hyperparameters = (SQUARED_RADIUS,)
    expands = False
    R: cp.Parameter
    primal, dual = Stated(NormConstrainedPrimal), Stated(NormConstrainedDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: ResidualLoss = Squared(),  # noqa: B008  frozen
        R: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, loss=loss, fit_intercept=fit_intercept, R=R)

    def bounds(self) -> FenchelBounds:
        """State the losses of the decision values, and the ball."""
        ball = Ball(float(self.value_of("R")))
        return FenchelBounds(self.gram, self.losses(np.ones(len(self))), self.total, ball)

    def within_ball(self, w: Vector, b: float, c: Vector) -> Candidate:
        """Return the answer with these coordinates of f, shrunk where they lie outside the ball.

        Parameters
        ----------
        w
            Weights w or coordinates u of f, shape (d,).
        b
            The intercept.
        c
            Multipliers of the residuals, shape (m,).
        """
        w = Ball(float(self.value_of("R"))).shrinkage(float(w @ w)) * w
        return at_coordinates(self.data, w, b, c, expands=self.expands)

    def vanishing(self, answer: Candidate, bounds: Bounds) -> Candidate:
        """Return the nearest f that meets every target, if one does, brought into the ball."""
        del bounds
        fit = SquaredFitBounds(self.data.coordinates, self.y, self.fit_intercept)
        start = answer.coordinates if np.ptp(self.y) else None
        return self.within_ball(*fit.least_squares(start), np.zeros(len(self)))

    def from_coefficients(self, beta: Any, intercept: Any) -> Candidate:
        """Return the answer whose function is the expansion in beta, with the multipliers c of its residuals."""
        answer = super().from_coefficients(beta, intercept)
        return self.completed(answer) if answer.is_squarable else answer

    def completed(self, answer: Candidate) -> Candidate:
        """Return the answer with the best multiple of beta, or the slopes of the losses where they prove more."""
        bounds, slopes = self.bounds(), self.loss.slope(self.residuals(answer))
        found = max(bounds.best_multiple(answer.beta), slopes, key=bounds.lower_bound)
        return replace(answer, beta=bounds.feasible(found), is_expansion=False)

    def regularisation_of(self, c: Vector) -> float:
        """Return lambda = sqrt(c'Kc / R) / 2.

        Parameters
        ----------
        c
            Multipliers of the residuals, shape (m,): the beta of an answer.
        """
        return 0.5 * float(np.sqrt(max(0.0, float(c @ self.gram.product(c))) / self.value_of("R")))

    def conditions(self, answer: Candidate) -> Conditions:
        """Return psi(r) + psi*(c) - c r, the gap of each sample, and 2 lambda f - K c at the samples."""
        c = answer.beta
        doubled = 2.0 * self.regularisation_of(c) * answer.at_samples.values
        return {
            "psi(r) + psi*(c) - c r": self.gaps(answer, np.ones(len(self))),
            "2 lambda f - K c": doubled - self.gram.product(c),
        }
