# SPDX-License-Identifier: BSD-3-Clause
r"""The hard margin: the hyperplane in the middle of the widest strip between two separable classes.

These are the primal, the same with the margin itself maximised, the dual, and the Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2           s.t.  y_i (f(x_i) + b) >= 1
    max  gamma                 s.t.  y_i (f(x_i) + b) >= gamma,  ||f|| <= 1
    min  1/2 a'YKYa - 1'a      s.t.  y'a = 0,  a >= 0

    f = sum_j a_j y_j k(x_j, .),   a_i (y_i (f(x_i) + b) - 1) = 0

The optimal value of the dual is minus that of the primal. The margin in the units of the features is gamma = 1/||f|| =
(sum a_i)^(-1/2), with the f of the primal, and b is the multiplier of y'a = 0 in the sign of CVXPY's minimisation.
Source: Boser, Guyon and Vapnik (1992).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, ConeAnswer, Multipliers, Stated, labelled, scalar
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.classification.separation.separability import Separability
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal, TwoClassModel
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.errors import InseparableError, SolverFailedError
from qpkernels.problems import Bounds, Certificate, KernelQP

__all__ = ["HardMargin", "HardMarginDual", "HardMarginGeometric", "HardMarginPrimal"]

_NO_MARGIN = 1e-6
"""Below this share of the samples' radius, the linear program of separability is asked whether there is a margin."""


class HardMarginPrimal(MarginPrimal):
    """The primal. Variables: w or u, and b. Multipliers of ``margin``: a."""

    textbook = TextbookProblem("min  1/2 ||f||^2  s.t.  y_i (f(x_i) + b) >= 1")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.model.y, self.g) >= 1
        return cp.Problem(cp.Minimize(self.f.half_squared_norm), labelled(margin=margin))


class HardMarginGeometric(MarginPrimal):
    """The margin itself, by a second-order cone program. Variables: w or u, b, gamma.

    The solution's function is scaled as the primal's (margins at +-1), so that all forms can be compared.
    """

    textbook = TextbookProblem("max  gamma  s.t.  y_i (f(x_i) + b) >= gamma,  ||f|| <= 1")
    model: HardMargin
    gamma = scalar("gamma")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.model.y, self.g) >= self.gamma
        return cp.Problem(cp.Maximize(self.gamma), labelled(margin=margin, norm=self.f.norm <= 1))

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Divide f and b by gamma, and the multipliers (which add up to 1) by gamma^2."""
        model, gamma = self.model, float(self.gamma.value)
        if (
            gamma <= _NO_MARGIN * (model.data.radius or 1.0)
            and not self.is_extended
            and (error := model._contradiction(""))
        ):
            raise error
        # Without a margin there is nothing to divide by, and the certificate says how far that is from an answer.
        scale = 1.0 / gamma if gamma > 0 else 1.0
        return self.at_variables(scale**2 * self.read_beta(answer, bounds), scale)

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and gamma at unit norm, and return the multipliers at unit sum; all are 0 where f is."""
        norm = float(np.sqrt(max(0.0, answer.at_samples.squared_norm)))
        scale = 1.0 / norm if norm > 0 else 0.0
        super().write(answer)
        self.f.variable.value = scale * self.f.variable.value
        if self.model.fit_intercept:
            self.b.value = scale * answer.intercept
        self.gamma.value = scale
        return {"margin": scale**2 * self.model.y * answer.beta, "norm": scale}

    @property
    def factor(self) -> float:
        """NaN: the margin is 1 / sqrt(2 P) where P is the value of the model."""
        return float("nan")

    def objective_of(self, certificate: Certificate) -> float:
        """Return gamma = 1 / ||f||."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(1.0 / np.sqrt(2.0 * np.float64(certificate.primal_value)))


class HardMarginDual(MarginDual):
    """The dual. Variable: alpha. Multiplier of ``balance``: b."""

    textbook = TextbookProblem("min  1/2 a'YKYa - 1'a  s.t.  y'a = 0,  a >= 0")

    def declare(self) -> cp.Problem:
        """State the problem."""
        y, alpha = self.model.y, self.alpha
        return cp.Problem(
            cp.Minimize(self.half_squared_norm(alpha, y) - cp.sum(alpha)),
            labelled(balance=self.balance(y @ alpha), nonnegative=alpha >= 0),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write a, and return b and the multipliers y_i (f(x_i) + b) - 1 of a >= 0."""
        return {**super().write(answer), "nonnegative": np.maximum(self.model.margins(answer) - 1.0, 0.0)}


class HardMargin(TwoClassModel):
    """The hard margin.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.

    Examples
    --------
    >>> from formulations import HardMargin
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1]
    >>> solution = HardMargin(X, y).solve(tol=1e-6)
    >>> print(solution.status, solution.support.free, f"margin = {solution.margin:.3f}, b = {solution.intercept:.3f}")
    optimal [1 2] margin = 1.000, b = -2.000
    """

    entry = replace(TwoClassModel.entry, hard=True, most_points=500)
    primal, geometric, dual = Stated(HardMarginPrimal), Stated(HardMarginGeometric), Stated(HardMarginDual)

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, fit_intercept: bool = True
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept)

    def qp(self) -> KernelQP:
        """State the dual in beta = y * a: beta_i has the sign of y_i and no bound."""
        return self._hard_margin()

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i (y_i (f(x_i) + b) - 1), and the violation max(0, 1 - y_i (f(x_i) + b))."""
        margins = self.margins(answer)
        return {
            "a (y (f(x) + b) - 1)": self.y * answer.beta * (margins - 1.0),
            "1 - y (f(x) + b), where above 0": np.maximum(1.0 - margins, 0.0),
        }

    def _explain_divergence(self, beta: Vector, message: str) -> Exception:
        """Return the error with the common point of both hulls, if beta shows one, else that of separability."""
        error = self._separability._explain_divergence(beta, message)
        return error if isinstance(error, InseparableError) else self._explain_failure(message)

    def _contradiction(self, message: str) -> InseparableError | None:
        """Let the linear program of separability decide, which has a message of its own."""
        del message
        try:
            self._separability.solve("clarabel")
        except InseparableError as error:
            return error
        except SolverFailedError:
            pass
        return None

    @property
    def _separability(self) -> Separability:
        return Separability(self.data, self.y, fit_intercept=self.fit_intercept)
