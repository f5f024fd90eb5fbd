# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a tube machine: constraints on |y - f - b| with multipliers a+ and a-, and a dual in both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import cvxpy as cp
import numpy as np

from formulations.forms import DualForm, PrimalForm
from formulations.lowering import Lowered
from formulations.regressor import Regressor
from formulations.solution import Candidate, Regression
from formulations.statement import Multipliers
from qpkernels.arrays import Vector

__all__ = ["GivenTube", "TubeDual", "TubeMachine", "TubePrimal"]


class TubeMachine(Regressor):
    """A model whose residuals r = y - f - b cost nothing within a tube of half width epsilon, given or found."""

    @abstractmethod
    def width(self, residuals: Vector) -> float:
        """Return epsilon."""

    def excess(self, candidate: Candidate) -> tuple[Vector, Vector]:
        """Return how far r_i is above the tube, and how far below; negative inside."""
        residuals = self.y - self.decision(candidate)
        width = self.width(residuals)
        return residuals - width, -residuals - width

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a+_i (epsilon + xi+_i - r_i) and a-_i (epsilon + xi-_i + r_i)."""
        residuals = self.y - decision
        width = self.width(residuals)
        return {
            "a+ (epsilon + xi+ - r)": np.maximum(candidate.beta, 0.0) * np.maximum(width - residuals, 0.0),
            "a- (epsilon + xi- + r)": np.maximum(-candidate.beta, 0.0) * np.maximum(width + residuals, 0.0),
        }

    def slack_conditions(self, candidate: Candidate, decision: Vector, costs: Vector | float) -> Mapping[str, Vector]:
        """Return (C_i - |beta_i|) (xi+_i + xi-_i), the condition that a cost adds."""
        residuals = np.abs(self.y - decision)
        slack = np.maximum(residuals - self.width(residuals), 0.0)
        return {"(C - a) xi": (costs - np.abs(candidate.beta)) * slack}


class GivenTube(TubeMachine):
    """A tube whose epsilon is a hyper-parameter."""

    epsilon: cp.Parameter

    def half_width(self) -> float:
        """Return epsilon."""
        return float(self.epsilon.value)

    def width(self, residuals: Vector) -> float:
        """Return epsilon."""
        del residuals
        return self.half_width()

    def objective_tolerance(self) -> float:
        """Return a thousandth of what epsilon costs, as a residual or as a move of f: the optimum is 0 where b fits."""
        largest, width = float(self.gram.diagonal.max()), self.half_width()
        move = 0.5 * width**2 / largest if largest > 0 else 0.0
        return 1e-3 * min(move, width * self.least_cost())

    def least_cost(self) -> float:
        """Return the least cost of a unit of residual beyond the tube; infinity where there are no slacks."""
        return float("inf")


class TubePrimal(TubeMachine, PrimalForm[Regression]):
    """A problem in f and b, whose constraints ``above`` and ``below`` have the multipliers a+ and a-."""

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return beta = a+ - a-."""
        del lowered, z
        return np.asarray(self.constraint("above").dual_value - self.constraint("below").dual_value)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f and b, and return a+ and a-."""
        plus, minus = np.maximum(candidate.beta, 0.0), np.maximum(-candidate.beta, 0.0)
        return super().assign(candidate) | {"above": plus, "below": minus}


class TubeDual(TubeMachine, DualForm[Regression]):
    """A problem in a+ and a-, with beta = a+ - a-.

    Attributes
    ----------
    a_plus, a_minus
        The multipliers of the two sides of the tube, CVXPY variables of shape (m,).
    """

    a_plus: cp.Variable
    a_minus: cp.Variable

    def _make_variables(self) -> None:
        super()._make_variables()
        self.a_plus = cp.Variable(len(self), name="a+")
        self.a_minus = cp.Variable(len(self), name="a-")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients a+ - a-."""
        return self.a_plus - self.a_minus

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a+ and a-, and return b of the balance and the multipliers of both signs."""
        self.a_plus.value = np.maximum(candidate.beta, 0.0)
        self.a_minus.value = np.maximum(-candidate.beta, 0.0)
        above, below = self.excess(candidate)
        signs: Multipliers = {"plus": np.maximum(-above, 0.0), "minus": np.maximum(-below, 0.0)}
        return super().assign(candidate) | signs
