# SPDX-License-Identifier: BSD-3-Clause
r"""How far a function may be from the optimal one, by its duality gap.

P(f, b) is 1-strongly convex in f, and so is -D(beta) in the expansion f_beta of its point, so that

    1/2 ||f - f*||^2 + 1/2 ||f_beta - f*||^2 <= P(f, b) - D(beta).

Hence ||f - f*||^2 <= 2 gap, and even <= gap where f is the expansion in beta; and no value of f differs from that of f*
by more than this radius times sqrt(k(x, x)). For each f near f the optimal b is where the slopes of the losses add up
to what the intercept demands; they rise with b, which encloses every b* there can be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from formulations.modelling import Candidate
from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.problems import Bounds, Certificate, FenchelBounds, KernelQPBounds, MarginLevelBounds, TubeLevelBounds

__all__ = ["Nearness", "nearness"]

_STEPS = 40
"""Halvings of the interval of intercepts."""

_WIDEST = 60
"""Doublings of the distance within which its ends are looked for."""

_ROUNDING = 1e-12
"""Share of a decision value, and of a target, by which rounding may change it."""


@dataclass(frozen=True, eq=False)
class Nearness:
    """What the gap says of the function.

    Attributes
    ----------
    radius
        The optimal function is within this distance in the space of the kernel: ||f - f*|| is at most that.
    lower, upper
        Between which the decision values f*(x_i) + b* of the optimal machine lie, shape (m,); infinite where nothing is
        known of b*.
    """

    radius: float
    lower: Vector
    upper: Vector

    @property
    def certain(self) -> int:
        """For how many samples the optimal machine's decision values have one sign for certain."""
        return int(np.count_nonzero((self.lower > 0) | (self.upper < 0)))


def nearness(answer: Candidate, bounds: Bounds, certificate: Certificate, gram: Gram) -> Nearness | None:
    """Return what the gap says; None where it says nothing: without a proved gap, or another penalty than ||f||^2."""
    gap = certificate.primal_value - certificate.dual_value + certificate.rounding
    known = isinstance(bounds, KernelQPBounds | MarginLevelBounds | TubeLevelBounds) or (
        isinstance(bounds, FenchelBounds) and bounds.regulariser.is_half_square and bounds.losses.slope is not None
    )
    if not known or not np.isfinite(gap) or certificate.primal_residual > _ROUNDING or not certificate.is_counted:
        return None
    joint = answer.is_expansion and np.array_equal(bounds.feasible(answer.beta), answer.beta)
    radius = float(np.sqrt(max(gap, 0.0) * (1.0 if joint else 2.0)))
    f = answer.at_samples
    reach = radius * gram.lengths + _ROUNDING * np.abs(answer.decision)
    if f.product is not None:
        reach = reach + f.product.error
    low, high = _intercepts(bounds, f.values, reach, answer.intercept)
    return Nearness(radius, f.values - reach + low, f.values + reach + high)


def _intercepts(bounds: Bounds, values: Vector, reach: Vector, b: float) -> tuple[float, float]:
    """Return the ends between which every optimal b lies, if f* is within ``reach`` of ``values``."""
    slopes: Callable[[Vector, float], Vector]
    if isinstance(bounds, KernelQPBounds):
        program = bounds.program
        if program.is_hard and program.total is not None:
            return -np.inf, np.inf
        slopes, total, size = program.slopes, program.total, float(np.abs(program.target).max())
    elif isinstance(bounds, FenchelBounds):
        slope, level = bounds.losses.slope, bounds.losses.level
        assert slope is not None
        slopes, total, size = lambda v, b: -slope(v + (b - level)), bounds.total, abs(level)
    else:
        return -np.inf, np.inf
    if total is None:
        return b, b
    # A kink that is met exactly has several slopes, of which the program names one; beside it there is one only.
    beside = reach + _ROUNDING * (size + float(np.abs(values).max()) + abs(b))
    unit = float(beside.max()) + _ROUNDING
    up = _end(lambda t: float(slopes(values - beside, b + t).sum()) < total, unit)
    down = _end(lambda t: float(slopes(values + beside, b - t).sum()) > total, unit)
    return b - down, b + up


def _end(beyond: Callable[[float], bool], unit: float) -> float:
    """Return a t from which on a condition holds, that holds nowhere below the least such t; infinity without one."""
    far = unit
    for _ in range(_WIDEST):
        if beyond(far):
            break
        far *= 2.0
    else:
        return np.inf
    near = 0.0
    for _ in range(_STEPS):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if beyond(middle) else (middle, far)
    return far
