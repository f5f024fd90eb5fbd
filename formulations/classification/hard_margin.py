# SPDX-License-Identifier: BSD-3-Clause
r"""The hard margin (C1): the hyperplane in the middle of the widest strip between two separable classes.

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2           s.t.  y_i (f(x_i) + b) >= 1
    min  1/2 a'YKYa - 1'a      s.t.  y'a = 0,  a >= 0

    f = sum_j a_j y_j k(x_j, .),   a_i (y_i (f(x_i) + b) - 1) = 0

The optimal values are each other's negative, the margin is 1/||f|| = (sum a_i)^(-1/2), and b is the multiplier of
y'a = 0 in the sign of CVXPY's minimisation. Source: C1 of the catalogue; Boser, Guyon and Vapnik (1992).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np

from formulations.binary import BinaryClassifier
from formulations.hard_constraints import HardConstraints
from formulations.hypothesis import half_squared_norm
from formulations.lowering import Lowered
from formulations.margin_forms import MarginDual, MarginPrimal
from formulations.separation import Separability
from formulations.solution import Candidate, Classification
from formulations.statement import Multipliers
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.errors import InseparableError, SolverFailedError
from qpkernels.programs import KernelQP

__all__ = ["HardMarginDual", "HardMarginGeometric", "HardMarginPrimal"]


class _HardMargin(HardConstraints[Classification], BinaryClassifier):
    """What the three forms share: the KernelQP, and the proof when the classes cannot be separated."""

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = y * a: beta_i has the sign of y_i and no bound."""
        return KernelQP(
            self.gram,
            target=self.y,
            lower=np.where(self.y > 0, 0.0, -np.inf),
            upper=np.where(self.y > 0, np.inf, 0.0),
            total=self._total,
            name="hard margin",
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a_i (y_i g(x_i) - 1), and what a margin lacks of 1."""
        margins = self.y * decision
        return {
            "a (y g(x) - 1)": self.y * candidate.beta * (margins - 1.0),
            "1 - y g(x), where above 0": np.maximum(1.0 - margins, 0.0),
        }

    def contradiction(self, words: str) -> InseparableError | None:
        """Let the linear program B3 decide, which has words of its own."""
        del words
        try:
            Separability._on(self.data, self.fit_intercept).solve("clarabel")
        except InseparableError as error:
            return error
        except SolverFailedError:
            pass
        return None


class HardMarginPrimal(_HardMargin, MarginPrimal):
    """min 1/2 ||f||^2  s.t.  y_i (f(x_i) + b) >= 1.

    Variables: w (explicit features) or u (kernel), and b. Multipliers of ``margin``: a.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    """

    catalogue = "C1-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.y, self.g) >= 1
        return cp.Problem(cp.Minimize(self.f.half_squared_norm), self._labelled(margin=margin))

    def state_partner(self) -> HardMarginDual:
        """Return the dual."""
        return self._as(HardMarginDual)


class HardMarginGeometric(_HardMargin, MarginPrimal):
    """max gamma  s.t.  y_i (f(x_i) + b) >= gamma,  ||f|| <= 1: a second-order cone program.

    The objective is the margin in the units of the features: gamma = 1 / ||f|| of the primal. The solution's function
    is scaled as the primal's (margins at +-1), so that all forms can be compared. Variables: w or u, b, gamma.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    """

    catalogue = "C1-geometric"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.gamma = cp.Variable(name="gamma")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.y, self.g) >= self.gamma
        return cp.Problem(cp.Maximize(self.gamma), self._labelled(margin=margin, norm=self.f.norm <= 1))

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Divide f and b by gamma, and the multipliers (which add up to 1) by gamma^2."""
        del lowered, z
        gamma = float(self.gamma.value)
        if (
            gamma <= _NO_MARGIN * (self.data.radius or 1.0)
            and not self.is_extended
            and (error := self.contradiction(""))
        ):
            raise error
        # Without a margin there is nothing to divide by, and the certificate says how far that is from an answer.
        scale = 1.0 / gamma if gamma > 0 else 1.0
        return self.at_variables(self.y * self.constraint("margin").dual_value * scale**2, scale)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and gamma at unit norm, and return the multipliers at unit sum."""
        norm = float(np.sqrt(candidate.function.squared_norm))
        self.assign_function(candidate.beta / norm)
        self.assign_intercept(candidate.intercept / norm)
        self.gamma.value = 1.0 / norm
        return {"margin": self.y * candidate.beta / norm**2, "norm": 1.0 / norm}

    def objective_of(self, certificate: Certificate) -> float:
        """Return gamma = 1 / ||f||."""
        return float((2.0 * certificate.primal_value) ** -0.5)

    def state_partner(self) -> HardMarginDual:
        """Return the dual."""
        return self._as(HardMarginDual)


_NO_MARGIN = 1e-6
"""For a margin below this part of the samples' radius, the linear program B3 is asked whether there is one."""


class HardMarginDual(_HardMargin, MarginDual):
    """min 1/2 a'YKYa - 1'a  s.t.  y'a = 0,  a >= 0.

    Variable: alpha. Multiplier of ``balance``: b.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    """

    catalogue = "C1-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.alpha, self.y) - cp.sum(self.alpha)),
            self._labelled(balance=self.balance(self.y @ self.alpha), nonnegative=self.alpha >= 0),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a, and return b and the multipliers y_i (f(x_i) + b) - 1 of a >= 0."""
        return super().assign(candidate) | {"nonnegative": np.maximum(self.margins(candidate) - 1.0, 0.0)}

    def state_partner(self) -> HardMarginPrimal:
        """Return the primal."""
        return self._as(HardMarginPrimal)
