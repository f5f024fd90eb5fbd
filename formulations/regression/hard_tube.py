# SPDX-License-Identifier: BSD-3-Clause
r"""The hard tube (D1): the flattest function within epsilon of every target.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2                                             s.t.  -epsilon <= f(x_i) + b - y_i <= epsilon
    min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)   s.t.  1'(a+ - a-) = 0,  a+, a- >= 0

    f = sum_j (a+_j - a-_j) k(x_j, .),   a+_i (epsilon - y_i + f(x_i) + b) = 0,   a-_i (epsilon + y_i - f(x_i) - b) = 0

The optimal values are each other's negative, and b is the multiplier of 1'(a+ - a-) = 0 in the sign of CVXPY's
minimisation. The tube may be too thin for any f; the smallest epsilon is that of the Chebyshev fit (A3). Source: D1 of
the catalogue; Smola and Schoelkopf (2004).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.hard_constraints import HardConstraints
from formulations.hyperparameters import EPSILON
from formulations.hypothesis import half_squared_norm
from formulations.regression.chebyshev_fit import ChebyshevFit
from formulations.solution import Candidate, Regression
from formulations.targets import Targets
from formulations.tube_forms import GivenTube, TubeDual, TubePrimal
from qpkernels.arrays import Vector
from qpkernels.errors import InfeasibleError, QPKernelsError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["HardTube", "HardTubeDual", "HardTubePrimal"]


class HardTube(HardConstraints[Regression], GivenTube):
    """What both forms share: epsilon, the KernelQP, and the smallest epsilon when the tube is too thin.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    epsilon
        At least 0, in the unit of y: half the width of the tube. Raising it makes f flatter.
    """

    hyperparameters = (EPSILON,)

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept, epsilon=epsilon)

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = a+ - a-, without bounds."""
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-np.inf,
            upper=np.inf,
            total=self._total,
            epsilon=self.half_width(),
            zero_tolerance=self.objective_tolerance(),
            name="hard tube",
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a+_i (epsilon - r_i), a-_i (epsilon + r_i), and how far r_i is outside the tube."""
        residuals, width = self.y - decision, self.half_width()
        return {
            "a+ (epsilon - r)": np.maximum(candidate.beta, 0.0) * (width - residuals),
            "a- (epsilon + r)": np.maximum(-candidate.beta, 0.0) * (width + residuals),
            "|r| - epsilon, where above 0": np.maximum(np.abs(residuals) - width, 0.0),
        }

    def contradiction(self, words: str) -> InfeasibleError | None:
        """Let the Chebyshev fit decide, whose value is the smallest feasible epsilon."""
        try:
            fit = ChebyshevFit._on(self.data, self.fit_intercept).solve("clarabel", tol=1e-8)
        except QPKernelsError:
            return None
        smallest = fit.certificate.dual_value
        if smallest <= self.half_width():
            return None
        return InfeasibleError(
            f"no function of this space comes within epsilon = {self.half_width():g} of every target ({words}): "
            f"the smallest feasible epsilon is {fit.certificate.primal_value:.8g}; widen the tube, allow slacks "
            "(SoftTubePrimal, SoftTubeDual), or use a kernel that bends more.",
            fit.certificate,
            fit.beta,
        )


class HardTubePrimal(HardTube, TubePrimal):
    """min 1/2 ||f||^2  s.t.  -epsilon <= f(x_i) + b - y_i <= epsilon.

    Variables: w (explicit features) or u (kernel), and b. Multipliers: a+ of ``above``, a- of ``below``.

    Parameters
    ----------
    X, y, kernel, epsilon, fit_intercept
        As in the other hard tube: epsilon at least 0.
    """

    catalogue = "D1-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        above, below = self.y - self.g <= self.epsilon, self.g - self.y <= self.epsilon
        return cp.Problem(cp.Minimize(self.f.half_squared_norm), self._labelled(above=above, below=below))

    def state_partner(self) -> HardTubeDual:
        """Return the dual."""
        return self._as(HardTubeDual)


class HardTubeDual(HardTube, TubeDual):
    """min 1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)  s.t.  1'(a+ - a-) = 0,  a+, a- >= 0.

    Variables: a_plus, a_minus. Multiplier of ``balance``: b. Without an intercept the balance is absent.

    Parameters
    ----------
    X, y, kernel, epsilon, fit_intercept
        As in the other hard tube: epsilon at least 0.
    """

    catalogue = "D1-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        cost = self.epsilon * cp.sum(self.a_plus + self.a_minus) - self.y @ self.beta
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.beta) + cost),
            self._labelled(balance=self.balance(cp.sum(self.beta)), plus=self.a_plus >= 0, minus=self.a_minus >= 0),
        )

    def state_partner(self) -> HardTubePrimal:
        """Return the primal."""
        return self._as(HardTubePrimal)
