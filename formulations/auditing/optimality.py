# SPDX-License-Identifier: BSD-3-Clause
r"""What each sample adds to the duality gap, and what its coefficient should be at its decision value.

By Fenchel and Young L_i(v) + L_i*(-beta) + beta v >= 0, with equality where -beta is a slope of L_i at v: this is how
far a sample is from optimal, in the unit of the objective. What all samples add is the gap, but for
1/2 ||f - f_beta||^2 where f is not the expansion in beta.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.modelling import Candidate
from qpkernels.arrays import Vector
from qpkernels.problems import Bounds, FenchelBounds, KernelQP, KernelQPBounds, MarginLevelBounds, TubeLevelBounds

__all__ = ["Optimality", "optimality", "stated_as"]


@dataclass(frozen=True, eq=False)
class Optimality:
    """How far each sample is from optimal.

    Attributes
    ----------
    violations
        What each adds to the gap, at least 0, shape (m,).
    slopes
        The coefficient that it should have at its decision value, shape (m,); at a kink of its loss, where there are
        several, the one nearest to 0.
    """

    violations: Vector
    slopes: Vector


def optimality(answer: Candidate, bounds: Bounds) -> Optimality | None:
    """Return how far each sample is from optimal; None of a problem that is no sum of losses of decision values."""
    if not answer.is_squarable:
        return None
    beta = bounds.feasible(answer.beta)
    if isinstance(bounds, FenchelBounds) and bounds.losses.slope is not None:
        v = answer.decision - bounds.losses.level
        gaps = bounds.losses.value(v) + bounds.losses.conjugate(beta) + beta * v
        return Optimality(np.maximum(gaps, 0.0), -bounds.losses.slope(v))
    program = stated_as(answer, bounds)
    return None if program is None else _of_program(program, answer, beta)


def stated_as(answer: Candidate, bounds: Bounds) -> KernelQP | None:
    """Return the KernelQP that the problem is, at the best level for this answer where the level is free."""
    if isinstance(bounds, KernelQPBounds):
        return bounds.program
    if isinstance(bounds, MarginLevelBounds | TubeLevelBounds):
        excess = bounds.excess(answer.at_samples.values, answer.intercept)
        return bounds.program.at_level(bounds.level(bounds.losses(excess)))
    return None


def _of_program(program: KernelQP, answer: Candidate, beta: Vector) -> Optimality:
    values, b = answer.at_samples.values, answer.intercept
    residuals, slopes = (program.target - b) - values, program.slopes(values, b)
    # Both are residual times coefficient less what this costs, and the slope is the best coefficient.
    gaps = residuals * (slopes - beta) - (program.costs(slopes) - program.costs(beta))
    return Optimality(np.maximum(gaps, 0.0), slopes)
