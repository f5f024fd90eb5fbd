# SPDX-License-Identifier: BSD-3-Clause
"""The tube around targets: its half width epsilon is the level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.problems.level_qp.bounds import FreeLevelBounds, best_level
from qpkernels.problems.level_qp.enclosure import FreeLevel
from qpkernels.problems.level_qp.margin import MarginLevelBounds
from qpkernels.problems.level_qp.program import LevelQP

__all__ = [
    "TubeLevelBounds",
]


class TubeLevelBounds(FreeLevelBounds):
    """The tube around targets, whose half width epsilon is the level."""

    @property
    def target(self) -> Vector:
        """The targets."""
        return self.y

    def excess(self, values: Vector, intercept: float) -> Vector:
        """Return y_i - v_i."""
        return np.asarray((self.y - intercept) - values)

    def losses(self, excess: Vector) -> Vector:
        """Return |y_i - v_i|."""
        return np.abs(excess)

    def vanishing(self) -> tuple[Vector, float]:
        """Return no coefficients, and the middle of the targets: if they are all equal, nothing costs anything."""
        middle = 0.5 * float(self.y.min() + self.y.max())
        return np.zeros(self.y.size), 0.0 if self.total is None else middle

    def level(self, losses: Vector) -> float:
        """Return epsilon."""
        return best_level(losses, self.nu, self.costs)

    def feasible(self, beta: Vector) -> Vector:
        """Project beta to the bounds and the sum, and shrink it to the budget."""
        feasible = nearest_feasible(beta, -self.costs, self.costs, self.total)
        spent = float(np.abs(feasible).sum())
        return feasible * min(1.0, self.budget / spent) if spent else feasible

    def free_level(self) -> FreeLevel:
        """Bound |y_i - v_i| from above, and 1'|beta| by the budget at most."""
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
            largest_losses=lambda v: np.maximum((self.y - v).upper, (v - self.y).upper),
            level=self.level,
        )

    @property
    def program(self) -> LevelQP:
        """The tube, whose 1'|beta| is at most the budget."""
        return LevelQP(self.gram, self.y, -self.costs, self.costs, self.total, self.budget, least=False)

    def side(self, sign: float) -> NDArray[np.bool_]:
        """Return all samples."""
        del sign
        return np.ones(self.y.size, dtype=bool)

    def between(self, upper: tuple[float, float], lower: tuple[float, float]) -> tuple[float, float]:
        """Let the sum of l + b and l - b, 2 epsilon, be at least 0."""
        least = 0.5 * (max(upper[0], -lower[1]) - lower[1])
        return least, 0.5 * (upper[1] - max(lower[0], -upper[1]))


def level_bounds(program: LevelQP) -> MarginLevelBounds | TubeLevelBounds:
    """Return the bounds of a program that a margin or a tube states."""
    costs = np.maximum(program.upper, -program.lower)
    nu = program.budget / float(costs.sum())
    if program.least:
        return MarginLevelBounds(program.gram, np.where(program.upper > 0, 1.0, -1.0), nu, costs, program.total)
    return TubeLevelBounds(program.gram, program.target, nu, costs, program.total)
