# SPDX-License-Identifier: BSD-3-Clause
"""The common part of all tubes: a half width epsilon, and the two sides with their multipliers a+ and a-."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, ConeAnswer, Dual, Multipliers, Primal, per_sample
from formulations.models.regression.regression_model import RegressionModel
from qpkernels.arrays import Vector
from qpkernels.problems import Bounds, KernelQP

__all__ = ["TubeDual", "TubeModel", "TubePrimal", "sides_of"]


def sides_of(beta: Vector) -> tuple[Vector, Vector]:
    """Return a+ and a- of beta = a+ - a-, of which at most one is not 0."""
    return np.maximum(beta, 0.0), np.maximum(-beta, 0.0)


class TubeModel(RegressionModel):
    """A model whose residuals r = y - f - b cost nothing up to epsilon, and C_i for each unit beyond it."""

    entry = replace(RegressionModel.entry, coefficient="beta = a+ - a-")

    C: cp.Parameter
    epsilon: cp.Parameter

    @property
    def half_width(self) -> float:
        """The value of epsilon, where it is a hyper-parameter."""
        return float(self.value_of("epsilon"))

    @property
    def costs(self) -> Vector:
        """C_i of at least 0, shape (m,): what |beta_i| is at most."""
        return self.value_of("C")

    def tube_width(self, residuals: Vector) -> float:
        """Return epsilon: the hyper-parameter, where it is not found along with f."""
        del residuals
        return self.half_width

    def qp(self) -> KernelQP | None:
        """State the dual in beta = a+ - a-: |beta_i| is at most C_i."""
        width = self.half_width
        return KernelQP(self.gram, self.y, -self.costs, self.costs, self.total, width, name="soft tube")

    def excess(self, answer: Candidate) -> tuple[Vector, Vector]:
        """Return how far r_i is above the tube, and how far below; negative inside."""
        residuals = self.residuals(answer)
        width = self.tube_width(residuals)
        return residuals - width, -residuals - width

    def slacks(self, answer: Candidate) -> tuple[Vector, Vector]:
        """Return xi+_i = max(0, r_i - epsilon) and xi-_i = max(0, -r_i - epsilon)."""
        above, below = self.excess(answer)
        return np.maximum(above, 0.0), np.maximum(below, 0.0)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a+_i (epsilon + xi+_i - r_i), a-_i (epsilon + xi-_i + r_i), and (C_i - |beta_i|) (xi+_i + xi-_i)."""
        above, below = self.excess(answer)
        plus, minus = sides_of(answer.beta)
        return {
            "a+ (epsilon + xi+ - r)": plus * np.maximum(-above, 0.0),
            "a- (epsilon + xi- + r)": minus * np.maximum(-below, 0.0),
            "(C - a) xi": (self.costs - np.abs(answer.beta)) * (np.maximum(above, 0.0) + np.maximum(below, 0.0)),
        }


class TubePrimal(Primal):
    """A problem in f and b, whose constraints ``above`` and ``below`` have the multipliers a+ and a-."""

    model: TubeModel

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return beta = a+ - a-."""
        del answer, bounds
        return self.dual_of("above") - self.dual_of("below")

    def write(self, answer: Candidate) -> Multipliers:
        """Write f and b, and return a+ and a-."""
        plus, minus = sides_of(answer.beta)
        return {**super().write(answer), "above": plus, "below": minus}


class TubeDual(Dual):
    """A problem in a+ and a-, with beta = a+ - a-."""

    model: TubeModel
    a_plus = per_sample("a+")
    a_minus = per_sample("a-")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients a+ - a-."""
        return self.a_plus - self.a_minus

    def write(self, answer: Candidate) -> Multipliers:
        """Write a+ and a-, and return b of the balance and the multipliers of both signs."""
        self.a_plus.value, self.a_minus.value = sides_of(answer.beta)
        above, below = self.model.excess(answer)
        return {**super().write(answer), "plus": np.maximum(-above, 0.0), "minus": np.maximum(-below, 0.0)}
