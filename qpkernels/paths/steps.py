# SPDX-License-Identifier: BSD-3-Clause
r"""The compiled steps along a path: its direction, how far it goes, and the first sample to change.

Where 1'beta is given, entries of K have a constant added over the free samples F. With the inverse M of that matrix,
and the rates of targets, of epsilon with its sign, and of what coefficients at bounds move (h), the direction is

    d_F = M (t' - epsilon' s - h)_F - b' M 1,    1'd = 0.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_stored_rows
from qpkernels.paths.state import FREE, LOWER, UPPER, ZERO, Line, Point

__all__ = ["apply_inverse", "ends", "first_event", "largest_of", "moving", "offset", "total_size"]

_ROUNDING = 1e-14
"""Part of what a rate is the sum of, below which it is rounding."""

_SLACK = 1e-13
"""Part of its size by which a slack may be missed, so that of almost equal steps the safest is taken."""


@compiled
def largest_of(v: Vector) -> float:
    """Return the largest absolute value; loops, here and below, since methods of arrays take seconds to compile."""
    found = 0.0
    for k in range(v.size):
        found = max(found, abs(v[k]))
    return found


@compiled
def total_size(v: Vector) -> float:
    """Return the sum of absolute values."""
    found = 0.0
    for k in range(v.size):
        found += abs(v[k])
    return found


@compiled
def apply_inverse(point: Point, v: Vector) -> Vector:
    """Return M v."""
    found = np.zeros(v.size)
    add_stored_rows(point.memory, point.order[: v.size], 0, v, found)
    return found


@compiled
def moving(line: Line, point: Point, d: Vector, rates: Vector) -> tuple[float, float]:
    """Write the direction of beta and of the slopes for a rise of p by 1; return that of b, and the rounding of rates.

    ``rates`` are those of the slopes without b.
    """
    n = point.sizes[0]
    free = point.free[:n]
    moved, size, kept = 0.0, 0.0, 0.0
    here, drift, side = point.status, point.drift, point.side
    lower_rate, upper_rate, target_rate = line.lower_rate, line.upper_rate, line.target_rate
    epsilon_rate = line.epsilon_rate
    for k in range(d.size):
        status = here[k]
        d[k] = lower_rate[k] if status == LOWER else upper_rate[k] if status == UPPER else 0.0
        moved += d[k]
        size += abs(d[k])
        kept = max(kept, abs(target_rate[k]) + abs(epsilon_rate[k]))
        rates[k] = drift[k] - target_rate[k]
    w = apply_inverse(point, np.ones(n))
    right = np.empty(n)
    for a in range(n):
        right[a] = -rates[free[a]] - epsilon_rate[free[a]] * side[free[a]]
    step, rise = _solve(line, point, right, w, -moved)
    _advance(line, free, step, d, rates)
    rounding = _ROUNDING * (line.entry * (size + total_size(step)) + kept)
    # The rates of the free samples tell what the inverse has lost.
    for a in range(n):
        right[a] = -rates[free[a]] - epsilon_rate[free[a]] * side[free[a]] - rise
    if n > 0 and largest_of(right) > rounding:
        more, off = _solve(line, point, right, w, -d.sum())
        _advance(line, free, more, d, rates)
        rise += off
    return rise, rounding


@compiled
def _solve(line: Line, point: Point, right: Vector, w: Vector, total: float) -> tuple[Vector, float]:
    """Return d and c with K_FF d + c 1 = right and 1'd = total; without a b, c = 0 and the total is not asked.

    ``w`` is M 1.
    """
    step = apply_inverse(point, right)
    if not line.balanced or step.size == 0:
        return step, 0.0
    c = (step.sum() - total) / w.sum()
    return step - c * w, c + line.shift * total


@compiled
def _advance(line: Line, free: Indices, step: Vector, d: Vector, rates: Vector) -> None:
    """Add a step of the free samples to the direction."""
    add_stored_rows(line.K, free, 0, step, rates)
    for a in range(free.size):
        d[free[a]] += step[a]
        rates[free[a]] += line.ridge[free[a]] * step[a]


@compiled
def offset(line: Line, point: Point, k: int, side: float) -> float:
    """Return the slope of the objective at sample k towards that side of its kink, with b: 0 where it is free."""
    return float(point.slopes[k] + point.level[1] + side * (line.epsilon[k] + point.level[0] * line.epsilon_rate[k]))


@compiled
def ends(line: Line, point: Point, k: int) -> tuple[float, float, float, float]:
    """Return the ends of the interval of a free coefficient, and their rates."""
    p = point.level[0]
    low, low_rate = line.lower[k] + p * line.lower_rate[k], line.lower_rate[k]
    high, high_rate = line.upper[k] + p * line.upper_rate[k], line.upper_rate[k]
    if line.kinked[k] and point.side[k] > 0:
        low, low_rate = max(low, 0.0), low_rate if low > 0 else 0.0
    if line.kinked[k] and point.side[k] < 0:
        high, high_rate = min(high, 0.0), high_rate if high < 0 else 0.0
    return low, high, low_rate, high_rate


@compiled
def _slacks(line: Line, point: Point, d: Vector, rates: Vector, rise: float, rounding: float, found: Matrix) -> None:
    """Write two slacks of each sample, in the unit of their tolerance, and by how much each falls.

    ``found`` has the rows down, its fall, up, its fall. The first slack leads downwards (to the lower end, or to the
    negative side of a kink), the second upwards. What does not fall has the fall 0.
    """
    p, b = point.level
    status, side, beta, slopes, kinked = point.status, point.side, point.beta, point.slopes, line.kinked
    lower, lower_rate, upper, upper_rate = line.lower, line.lower_rate, line.upper, line.upper_rate
    epsilon, epsilon_rate, lower_side, upper_side = line.epsilon, line.epsilon_rate, line.lower_side, line.upper_side
    slope_unit, largest = _SLACK * line.size, largest_of(d)
    for k in range(d.size):
        down, falls, up, rises, unit, tiny = 0.0, 0.0, 0.0, 0.0, slope_unit, rounding
        here, width, change = status[k], epsilon[k] + p * epsilon_rate[k], epsilon_rate[k]
        value, rate = slopes[k] + b, rates[k] + rise
        if here == FREE:
            low, high = lower[k] + p * lower_rate[k], upper[k] + p * upper_rate[k]
            low_rate, high_rate = lower_rate[k], upper_rate[k]
            if kinked[k] and side[k] > 0 and low < 0:
                low, low_rate = 0.0, 0.0
            if kinked[k] and side[k] < 0 and high > 0:
                high, high_rate = 0.0, 0.0
            unit = _SLACK * max(high - low, 1e-3 * max(abs(low), abs(high)))
            tiny = _SLACK * (abs(low_rate) + abs(high_rate) + largest)
            down, falls, up, rises = beta[k] - low, low_rate - d[k], high - beta[k], d[k] - high_rate
        elif here == LOWER:
            up, rises = value + lower_side[k] * width, -rate - lower_side[k] * change
        elif here == UPPER:
            down, falls = -value - upper_side[k] * width, rate + upper_side[k] * change
        elif here == ZERO:
            down, falls, up, rises = width - value, rate - change, width + value, -rate - change
        found[0, k], found[1, k] = down / unit, falls / unit if falls > tiny else 0.0
        found[2, k], found[3, k] = up / unit, rises / unit if rises > tiny else 0.0


@compiled
def first_event(
    line: Line, point: Point, d: Vector, rates: Vector, rise: float, rounding: float, work: Matrix
) -> tuple[float, int, int]:
    """Return how far p may rise, the sample that ends it (-1: none), and whether that moves down (-1) or up (1).

    As by Harris: among the samples that are at their end when the first one is beyond its own by the tolerance, the
    one that gets there fastest.
    """
    _slacks(line, point, d, rates, rise, rounding, work)
    reach = np.inf
    for row in range(0, 4, 2):
        slack, fall = work[row], work[row + 1]
        for k in range(d.size):
            if fall[k] > 0:
                reach = min(reach, (slack[k] + 1.0) / fall[k])
    reach = max(reach, 0.0)
    step, sample, way, fastest = np.inf, -1, 0, 0.0
    for row in range(0, 4, 2):
        slack, fall = work[row], work[row + 1]
        for k in range(d.size):
            if fall[k] > fastest and slack[k] <= reach * fall[k]:
                step, sample, way, fastest = max(slack[k] / fall[k], 0.0), k, row - 1, fall[k]
    return step, sample, way
