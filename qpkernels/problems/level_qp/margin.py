# SPDX-License-Identifier: BSD-3-Clause
"""The margin between labels: the negative of its level rho is ours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.problems.kernel_qp.bounds import null_combination
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.problems.level_qp.bounds import FreeLevelBounds, best_level
from qpkernels.problems.level_qp.enclosure import FreeLevel
from qpkernels.problems.level_qp.program import LevelQP

__all__ = [
    "MarginLevelBounds",
]


class MarginLevelBounds(FreeLevelBounds):
    """The margin between labels +-1, whose level rho is the negative of ours."""

    @property
    def target(self) -> Vector:
        """Zeros."""
        return np.zeros(self.y.size)

    def excess(self, values: Vector, intercept: float) -> Vector:
        """Return -v_i."""
        return -(values + intercept)

    def losses(self, excess: Vector) -> Vector:
        """Return -y_i v_i."""
        return self.y * excess

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return weights of two equal means, one of each class: the reduced hulls meet."""
        groups, half = np.array([self.y > 0, self.y < 0], dtype=float), 0.5 * self.budget
        if self.total is None:
            groups, sums = np.ones((1, self.y.size)), np.array([self.budget])
        else:
            sums = np.array([half, half])
        alpha = null_combination(self.gram, self.y, self.costs, groups, sums, balanced=self.total == 0.0)
        return None if alpha is None else (self.y * alpha, 0.0)

    def level(self, losses: Vector) -> float:
        """Return -rho."""
        return min(0.0, best_level(losses, self.nu, self.costs))

    def feasible(self, beta: Vector) -> Vector:
        """Let each class add up to half of the budget at least, and both to the same."""
        inside = np.clip(self.y * beta, 0.0, self.costs)
        smaller = min(float(self.costs[self.side(sign)].sum()) for sign in (1.0, -1.0))
        half = min(0.5 * max(self.budget, float(inside.sum())), smaller)
        feasible = np.empty(beta.size)
        for sign in (1.0, -1.0):
            own = self.side(sign)
            bound = self.costs[own]
            feasible[own] = sign * nearest_feasible(inside[own], np.zeros_like(bound), bound, half)
        return feasible

    def free_level(self) -> FreeLevel:
        """Bound -y_i v_i from above, and 1'|beta| by the budget at least."""
        program = self.program
        return FreeLevel(
            self.gram,
            self.nu,
            self.costs,
            self.total,
            program.target,
            program.lower,
            program.upper,
            least=program.least,
            largest_losses=lambda v: np.where(self.y > 0, -v.lower, v.upper),
            level=self.level,
        )

    @property
    def program(self) -> LevelQP:
        """The margin, whose 1'|beta| is at least the budget."""
        lower, upper = np.where(self.y > 0, 0.0, -self.costs), np.where(self.y > 0, self.costs, 0.0)
        return LevelQP(self.gram, self.target, lower, upper, self.total, self.budget, least=True)

    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return the samples of that class."""
        return np.equal(self.y, sign)

    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Let the sum of l + b and l - b, -2 rho, be at most 0."""
        least = 0.5 * (upper[0] - min(lower[1], -upper[0]))
        return least, 0.5 * (min(upper[1], -lower[0]) - lower[0])
