# SPDX-License-Identifier: BSD-3-Clause
r"""Regression by any convex loss of the residuals: |r|^p, the logistic loss, and the rest of the vocabulary.

With a loss psi and its conjugate psi*, primal and dual, and their optimality condition, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i psi(r_i)
    max  y'c - 1/2 c'Kc - sum C_i psi*(c_i / C_i)    s.t.  1'c = 0,  c_i / C_i in dom psi*

    f = sum_j c_j k(x_j, .),   c_i = C_i psi'(r_i)

The optimal values are equal, and b is the multiplier of 1'c = 0. For psi = |r|^p with p > 1, the conjugate is psi*(s) =
(p - 1) |s/p|^q with q = p/(p - 1), stated by power cones. For the logistic loss -log(4 e^r / (1 + e^r)^2) it is psi*(s)
= (1+s) log(1+s) + (1-s) log(1-s), stated by exponential cones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.losses import AbsolutePower, EpsilonInsensitive, ResidualLoss, SquaredEpsilonInsensitive
from formulations.losses.expression import as_residual_loss
from formulations.modelling import Candidate, Conditions, Multipliers, Stated, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import COSTS, per_cost, times_cost
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import RegressionModel, ResidualDual, ResidualPrimal
from qpkernels.arrays import Vector
from qpkernels.arrays.intervals import Interval, up
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, FenchelBounds, KernelQP, KernelQPBounds, LeastSquares, LinearSystem, SampleLosses

__all__ = ["ResidualLossDual", "ResidualLossModel", "ResidualLossPrimal", "ResidualLossRegression"]


class ResidualLossModel(RegressionModel):
    """A model with a loss of the residuals that is the same for all samples.

    Notes
    -----
    Arguments of the methods:

    C
        C_i of at least 0, shape (m,): what the loss of each sample is multiplied by.
    """

    entry = replace(RegressionModel.entry, coefficient="beta = c")
    loss: ResidualLoss

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: ResidualLoss | Callable[[Any], cp.Expression],
        fit_intercept: bool = True,
        **values: Any,
    ) -> None:
        self.loss = as_residual_loss(loss)
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, **values)

    def losses(self, C: Vector) -> SampleLosses:
        """Return C_i psi(y_i - v) as losses of the decision values v, with their conjugates.

        An intercept takes up any offset: both are taken around the middle of the targets.
        """
        loss, (low, high) = self.loss, self.loss.domain
        level = 0.5 * float(self.y.min() + self.y.max()) if self.fit_intercept else 0.0
        y = self.y - level

        def largest_value(v: Interval) -> Vector:
            residuals = self.y - v
            return up(times_cost(C, loss.largest_value(residuals.lower, residuals.upper)))

        def largest_conjugate(beta: Vector) -> Vector:
            slopes = Interval.of(beta).divided_by(np.where(C > 0, C, 1.0))
            largest = up(times_cost(C, loss.largest_conjugate(slopes.lower, slopes.upper)))
            return (Interval.of(largest) - Interval.of(self.y) * beta).upper

        return SampleLosses(
            value=lambda v: times_cost(C, loss.value(y - v)),
            conjugate=lambda beta: times_cost(C, loss.conjugate(np.clip(per_cost(beta, C), low, high))) - y * beta,
            lower=times_cost(C, low),
            upper=times_cost(C, high),
            level=level,
            slope=lambda v: -times_cost(C, loss.slope(y - v)),
            curvature=(lambda v: times_cost(C, loss.curvature(y - v))) if loss.is_smooth else None,
            largest_value=largest_value,
            largest_conjugate=largest_conjugate,
        )

    def gaps(self, answer: Candidate, C: Vector) -> Vector:
        """Return C_i (psi(r_i) + psi*(c_i/C_i)) - c_i r_i."""
        residuals, slopes = self.residuals(answer), np.clip(per_cost(answer.beta, C), *self.loss.domain)
        gaps = times_cost(C, self.loss.value(residuals) + self.loss.conjugate(slopes))
        return gaps - answer.beta * residuals

    def tube_width(self, residuals: Vector) -> float:
        """Return the epsilon of an epsilon-insensitive loss, else 0."""
        del residuals
        return self.loss.epsilon if isinstance(self.loss, EpsilonInsensitive | SquaredEpsilonInsensitive) else 0.0


class ResidualLossPrimal(ResidualPrimal):
    """The primal. Variables: w or u, b, r. Multipliers of ``residual``: c."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i psi(r_i)", ("r = y - f - b",))
    model: ResidualLossRegression

    def declare(self) -> cp.Problem:
        """State the problem."""
        cost = self.model.C @ self.model.loss.atom(self.r)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cost), labelled(residual=self.residual))


class ResidualLossDual(ResidualDual):
    """The dual. Variables: c, and s = c / C, which lets C change without compiling anew.

    Multipliers: b of ``balance``, r of ``share``, and those of ``lower`` and ``upper`` where the domain ends.
    """

    textbook = TextbookProblem("max  y'c - 1/2 c'Kc - sum C_i psi*(c_i / C_i)  s.t.  1'c = 0,  c_i / C_i in dom psi*")
    model: ResidualLossRegression
    s = per_sample("s")

    def declare(self) -> cp.Problem:
        """State the problem."""
        C, loss, (low, high) = self.model.C, self.model.loss, self.model.loss.domain
        value = self.model.y @ self.c - self.half_squared_norm(self.c)
        return cp.Problem(
            cp.Maximize(value - C @ loss.conjugate_atom(self.s)),
            labelled(
                balance=self.balance(cp.sum(self.c)),
                share=self.c == cp.multiply(C, self.s),
                lower=self.s >= low if np.isfinite(low) else None,
                upper=self.s <= high if np.isfinite(high) else None,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write c and s, and return b, r, and the multipliers of the ends."""
        model, C = self.model, self.model.value_of("C")
        residuals, slopes = model.residuals(answer), per_cost(answer.beta, C)
        self.s.value = np.clip(slopes, *model.loss.domain)
        ends = model.loss.multipliers_of_ends(C, slopes, residuals)
        return {**super().write(answer), "share": residuals, **ends}


class ResidualLossRegression(ResidualLossModel):
    """The least regularised empirical risk, for any convex loss of the residuals.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    loss
        A residual loss of :mod:`formulations.losses`: AbsolutePower(p), LogisticResidual(), or your own loss, which may
        be a function of a CVXPY variable; see :class:`~formulations.losses.ExpressionLoss`.
    C
        Above 0: the weight of a loss against 1/2 ||f||^2, one number, or one for each sample and 0 for an absent one.

    Examples
    --------
    >>> from formulations import ResidualLossRegression
    >>> from formulations.losses import AbsolutePower
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> solution = ResidualLossRegression(X, y, loss=AbsolutePower(1.5), C=10.0).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {solution.function.weights[0]:.3f}")
    optimal 1.399 w = 0.940
    """

    entry = replace(ResidualLossModel.entry, parameters=(COSTS,))
    C: cp.Parameter
    primal, dual = Stated(ResidualLossPrimal), Stated(ResidualLossDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: ResidualLoss | Callable[[Any], cp.Expression] = AbsolutePower(1.5),  # noqa: B008  frozen
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, loss=loss, fit_intercept=fit_intercept, C=C)

    def qp(self) -> KernelQP | None:
        """State the dual in beta = c, with slopes c / C; None where the conjugate is not quadratic."""
        conjugate, C, (low, high) = self.loss.quadratic_conjugate, self.value_of("C"), self.loss.domain
        if conjugate is None:
            return None
        return KernelQP(
            self.gram,
            target=self.y - conjugate.linear,
            lower=times_cost(C, low),
            upper=times_cost(C, high),
            total=self.total,
            epsilon=conjugate.epsilon,
            ridge=per_cost(conjugate.ridge, C),
            name=f"regression with the {self.loss.name} loss",
        )

    def bounds(self) -> Bounds:
        """State the KernelQP, or else the losses of the decision values."""
        if self.loss.quadratic_conjugate is not None:
            return super().bounds()
        return FenchelBounds(self.gram, self.losses(self.value_of("C")), self.total)

    def linear_system(self, bounds: Bounds) -> LinearSystem | LeastSquares | None:
        """State the optimality conditions, which are equations if the conjugate is a square on the whole line."""
        if not isinstance(bounds, KernelQPBounds):
            return None
        ends = bounds.program.has_epsilon or np.isfinite(self.loss.domain).any()
        return None if ends else bounds.program.linear_system()

    def conditions(self, answer: Candidate) -> Conditions:
        """Return C (psi(r) + psi*(c/C)) - c r, the gap of each sample."""
        return {"C (psi(r) + psi*(c/C)) - c r": self.gaps(answer, self.value_of("C"))}
