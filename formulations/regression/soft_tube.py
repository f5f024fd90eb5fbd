# SPDX-License-Identifier: BSD-3-Clause
r"""The soft tube (D2): support vector regression, with a cost C_i on every residual beyond epsilon.

Primal (with slacks, and without constraints) and dual, with their Karush-Kuhn-Tucker conditions, r = y - f - b::

    min  1/2 ||f||^2 + sum C_i (xi+_i + xi-_i)       s.t.  r_i <= epsilon + xi+_i,  -r_i <= epsilon + xi-_i,  xi >= 0
    min  1/2 ||f||^2 + sum C_i max(0, |r_i| - epsilon)
    min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)   s.t.  1'(a+ - a-) = 0,  0 <= a+, a- <= C

    f = sum_j beta_j k(x_j, .) with beta = a+ - a-,   a+_i a-_i = 0,
    a+_i (epsilon + xi+_i - r_i) = 0,   (C_i - a+_i) xi+_i = 0,   and the same for a-

The value of the minimised dual is the negative of the primal's, and b is the multiplier of 1'(a+ - a-) = 0 in the sign
of CVXPY's minimisation: b = y_i - f(x_i) - epsilon where 0 < a+_i < C_i. Source: D2 of the catalogue; Smola and
Schoelkopf (2004).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.forms import PrimalForm
from formulations.hyperparameters import EPSILON, TUBE_COSTS, derived
from formulations.hypothesis import half_squared_norm
from formulations.lowering import Lowered
from formulations.solution import Candidate, Regression
from formulations.statement import Multipliers
from formulations.targets import Targets
from formulations.tube_forms import GivenTube, TubeDual, TubePrimal
from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["SoftTubeDual", "SoftTubeLoss", "SoftTubePrimal"]


class _SoftTube(GivenTube):
    """What the three forms share: C, epsilon and the KernelQP.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.regressor.Regressor`.
    C
        Above 0: the cost of a unit of residual beyond the tube, one number or one for each sample.
    epsilon
        At least 0, in the unit of y: half the width of the tube. Raising it leaves fewer support vectors.
    """

    hyperparameters = (TUBE_COSTS, EPSILON)
    C: cp.Parameter

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        C: ArrayLike = 1.0,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept, C=C, epsilon=epsilon)

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = a+ - a-: |beta_i| is at most C_i."""
        costs = self.C.value
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-costs,
            upper=costs,
            total=self._total,
            epsilon=self.half_width(),
            zero_tolerance=self.objective_tolerance(),
            name="soft tube",
        )

    def least_cost(self) -> float:
        """Return the smallest C_i."""
        return float(self.C.value.min())

    def slacks(self, candidate: Candidate) -> tuple[Vector, Vector]:
        """Return xi+_i = max(0, r_i - epsilon) and xi-_i = max(0, -r_i - epsilon)."""
        above, below = self.excess(candidate)
        return np.maximum(above, 0.0), np.maximum(below, 0.0)

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return the products of both sides of the tube, and (C_i - |beta_i|) (xi+_i + xi-_i)."""
        return {**super().conditions(candidate, decision), **self.slack_conditions(candidate, decision, self.C.value)}


class SoftTubePrimal(_SoftTube, TubePrimal):
    """min 1/2 ||f||^2 + sum C_i (xi+_i + xi-_i)  s.t.  r_i <= epsilon + xi+_i,  -r_i <= epsilon + xi-_i,  xi >= 0.

    Variables: w (explicit features) or u (kernel), b, xi_plus, xi_minus. Multipliers: a+ of ``above``, a- of ``below``,
    C - a+ of ``slack_plus``, C - a- of ``slack_minus``.

    Parameters
    ----------
    X, y, kernel, C, epsilon, fit_intercept
        As in the other soft tubes: C above 0, epsilon at least 0.
    """

    catalogue = "D2-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.xi_plus = cp.Variable(len(self), name="xi+")
        self.xi_minus = cp.Variable(len(self), name="xi-")

    def declare(self) -> cp.Problem:
        """State the problem."""
        above = self.y - self.g <= self.epsilon + self.xi_plus
        below = self.g - self.y <= self.epsilon + self.xi_minus
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + self.C @ (self.xi_plus + self.xi_minus)),
            self._labelled(above=above, below=below, slack_plus=self.xi_plus >= 0, slack_minus=self.xi_minus >= 0),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return a+, a- and what they leave of C."""
        self.xi_plus.value, self.xi_minus.value = self.slacks(candidate)
        costs, beta = np.asarray(self.C.value), candidate.beta
        rest: Multipliers = {
            "slack_plus": costs - np.maximum(beta, 0.0),
            "slack_minus": costs - np.maximum(-beta, 0.0),
        }
        return super().assign(candidate) | rest

    def state_partner(self) -> SoftTubeDual:
        """Return the dual."""
        return self._as(SoftTubeDual)


class SoftTubeLoss(_SoftTube, PrimalForm[Regression]):
    """min 1/2 ||f||^2 + sum C_i max(0, |y_i - f(x_i) - b| - epsilon).

    Variables: w (explicit features) or u (kernel), and b.

    Parameters
    ----------
    X, y, kernel, C, epsilon, fit_intercept
        As in the other soft tubes: C above 0, epsilon at least 0.
    """

    catalogue = "D2-loss"

    def _make_variables(self) -> None:
        super()._make_variables()
        # C max(0, |r| - epsilon) = max(0, C |r| - C epsilon), where no parameter multiplies another.
        self.C_epsilon = derived(lambda: self.C.value * self.epsilon.value, len(self))

    def declare(self) -> cp.Problem:
        """State the problem."""
        costs = cp.multiply(self.C, cp.abs(self.y - self.g)) - self.C_epsilon
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cp.sum(cp.pos(costs))))

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return the multipliers of the epigraph rows t_i >= r_i less those of t_i >= -r_i."""
        plus, minus = lowered.epigraphs(z, self.g)[:2]
        return np.asarray(plus - minus)

    def state_partner(self) -> SoftTubeDual:
        """Return the dual."""
        return self._as(SoftTubeDual)


class SoftTubeDual(_SoftTube, TubeDual):
    """min 1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)  s.t.  1'(a+ - a-) = 0,  0 <= a+, a- <= C.

    Variables: a_plus, a_minus. Multipliers: b of ``balance``, xi+ of ``upper_plus``, xi- of ``upper_minus``.

    Parameters
    ----------
    X, y, kernel, C, epsilon, fit_intercept
        As in the other soft tubes: C above 0, epsilon at least 0.
    """

    catalogue = "D2-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        cost = self.epsilon * cp.sum(self.a_plus + self.a_minus) - self.y @ self.beta
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.beta) + cost),
            self._labelled(
                balance=self.balance(cp.sum(self.beta)),
                plus=self.a_plus >= 0,
                minus=self.a_minus >= 0,
                upper_plus=self.a_plus <= self.C,
                upper_minus=self.a_minus <= self.C,
            ),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a+ and a-, and return b of the balance and the multipliers of all bounds."""
        above, below = self.slacks(candidate)
        return super().assign(candidate) | {"upper_plus": above, "upper_minus": below}

    def state_partner(self) -> SoftTubePrimal:
        """Return the primal, with slacks."""
        return self._as(SoftTubePrimal)
