# SPDX-License-Identifier: BSD-3-Clause
"""How sure a machine is over the window, where it says so."""

from __future__ import annotations

import numpy as np

from formulations.lab.frames.plane import Grid
from formulations.modelling.solution import Solution
from formulations.prediction import Labels
from formulations.relevance.solution import RelevanceSolution
from qpkernels.arrays import Matrix, Vector

__all__ = ["deviation_of", "has_probability", "probability_of"]


def has_probability(solution: Solution | RelevanceSolution) -> bool:
    """Whether the decision values have a probability of the class +1 each."""
    decision = solution.predictor.decision
    return isinstance(decision, Labels) and decision.sigmoids is not None


def probability_of(solution: Solution | RelevanceSolution, grid: Grid, values: Matrix) -> Matrix:
    """Return the probability of the class +1 on a grid, whose decision values are given; the machine has one."""
    if isinstance(solution, RelevanceSolution):
        return solution.probability(grid.points()).reshape(values.shape)
    return solution.predictor.decision.probabilities(values.reshape(-1, 1))[:, 1].reshape(values.shape)


def deviation_of(solution: RelevanceSolution, X: Matrix) -> Vector:
    """Return the standard deviation of a new target at each x."""
    return np.sqrt(solution.variance(X))
