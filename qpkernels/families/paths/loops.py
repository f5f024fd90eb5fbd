# SPDX-License-Identifier: BSD-3-Clause
r"""The compiled loop along a path: from one breakpoint to the next, with one change of the active set at each.

Where 1'beta is given, entries of K have a constant added over the free samples F. With the inverse M of that matrix,
and the rates of targets, of epsilon with its sign, and of what coefficients at bounds move (h), the direction is

    d_F = M (t' - epsilon' s - h)_F - b' M 1,    1'd = 0.

A sample that would be free but depends on those that are (its Schur complement is rounding) takes the place of one of
them: beta goes along the null vector of their matrix, which changes no value of the function, until one comes to an
end. Where the last free sample of a problem with 1'beta given comes to its bound, b goes on until another one is free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled, vectorised
from qpkernels.gram.panels.loops import add_scaled, add_stored_rows
from qpkernels.solvers.active_set.loops import SLACK, add_row, drop_row, first_end, interval, tie

__all__ = [
    "BLOCKED",
    "DONE",
    "FIXED",
    "FREE",
    "FULL",
    "LOWER",
    "STUCK",
    "UPPER",
    "ZERO",
    "Line",
    "Point",
    "Record",
    "enter",
    "sweep",
]

DONE, FULL, STUCK, BLOCKED = 0, 1, 2, 3
"""How a sweep ends: where it was to go, for want of room, for steps without a length, for a problem without bounds."""

FIXED, LOWER, UPPER, ZERO, FREE = -1, 0, 1, 2, 3
"""Where a coefficient is: at 0 for good, at its lower or upper bound, at the kink of epsilon |beta|, or free."""

_RATE = 1e-14
"""Part of what a rate is the sum of, below which it is rounding."""

_SAFE = 1e-3
"""Part of a diagonal entry above which a Schur complement needs no refinement."""

_ROUNDING = 2e-14
"""Part of the sum of its terms below which a Schur complement is rounding."""

_NULL = 1e-9
"""Part of the largest entry of a null vector below which one is rounding."""

_SAME = 1e-12
"""Part of p by which two breakpoints differ at least."""


class Line(NamedTuple):
    """The vectors of a KernelQP, each ``base + p * rate``, of shape (m,).

    Attributes
    ----------
    K, shift
        The kernel matrix, and what is added to each entry where 1'beta is given, so that the matrix of free samples is
        definite whenever the equations have one solution: it changes nothing but b.
    ridge
        What is added to the diagonal.
    target, epsilon, bounds
        The bases; the lower bounds and the upper ones are two rows, shape (2, m).
    target_rate, epsilon_rate, bound_rates
        The rates.
    sides
        The sign that epsilon has inside each bound, shape (2, m): -1, 1, or 0 for samples without an epsilon.
    balanced
        Whether 1'beta is given, so that there is a b.
    size
        The largest |target| and epsilon: what the slopes, and the tolerance of their signs, are measured by.
    entry
        The largest entry of the diagonal, with the ridge.
    """

    K: Matrix
    shift: float
    ridge: Vector
    target: Vector
    target_rate: Vector
    epsilon: Vector
    epsilon_rate: Vector
    bounds: Matrix
    bound_rates: Matrix
    sides: Matrix
    balanced: bool
    size: float
    entry: float


class Point(NamedTuple):
    """A point of the path, which the loops move.

    Attributes
    ----------
    beta, slopes
        beta, and (K + diag(ridge)) beta - target, shape (m,).
    level
        The parameter p, and b.
    status, side
        Where each coefficient is, and the sign that epsilon has there while it is free.
    free, sizes
        The free samples in the order of the rows of ``memory``; and the numbers of free samples, of pieces, of free
        samples noted in these, and of changes.
    memory
        In its first rows and columns the inverse of K + shift + diag(ridge) over the free samples.
    drift
        (K + diag(ridge)) d over what the coefficients at bounds move, shape (m,).
    order
        The numbers from 0 on, as many as there are rows of ``memory``.
    changes
        Room for what becomes of samples that are free no more, shape (n, 3): the sample, where it is then, and the
        number of the piece that it begins with.
    """

    beta: Vector
    slopes: Vector
    level: Vector
    status: NDArray[np.int8]
    side: Vector
    free: Indices
    sizes: Indices
    memory: Matrix
    drift: Vector
    order: Indices
    changes: NDArray[np.intp]


class Record(NamedTuple):
    """The pieces that a sweep passed, with room for a number of them.

    Attributes
    ----------
    ends
        p and b where each piece begins and ends, shape (n, 4): p, b, p, b.
    counts
        Number of free samples on each.
    samples, first, last
        The free samples of all pieces, one after the other, with their coefficients where it begins and ends.
    """

    ends: Matrix
    counts: Indices
    samples: Indices
    first: Vector
    last: Vector


@compiled
def sweep(line: Line, point: Point, until: float, patience: int, record: Record) -> int:
    """Go on along the path until p is ``until``, and note the pieces; return how it ended.

    It is stuck after ``patience`` steps without a length, one after the other.
    """
    m, sizes, free, beta, level = point.beta.size, point.sizes, point.free, point.beta, point.level
    d, rates, slack, fall, idle = np.empty(m), np.empty(m), np.empty(2 * m), np.empty(2 * m), 0
    sizes[1:] = 0
    while True:
        n, piece, used, changes = sizes
        wide = n + 2 <= len(point.memory) and used + n <= record.samples.size
        if not wide or changes + 4 > len(point.changes) or piece == record.counts.size:
            return FULL
        rise, rounding = _moving(line, point, d, rates)
        _slacks(line, point, d, rates, rise, rounding, slack, fall)
        step, at = first_end(slack, fall)
        done = step >= until - level[0]
        if done:
            step = until - level[0]
        long = step > _SAME * (abs(level[0]) + abs(until))
        ends = record.ends[piece]
        ends[0], ends[1] = level
        for a in range(n):
            record.first[used + a] = beta[free[a]]
        level[0] = until if done else level[0] + step
        level[1] += step * rise
        add_scaled(beta, step, d)
        add_scaled(point.slopes, step, rates)
        idle += 1
        if long or (done and step > 0):
            ends[2], ends[3] = level
            record.counts[piece] = n
            for a in range(n):
                record.samples[used + a], record.last[used + a] = free[a], beta[free[a]]
            sizes[1], sizes[2], idle = piece + 1, used + n, 0
        if done:
            return DONE
        if not _pivot(line, point, at % m, 1 if at >= m else -1):
            return BLOCKED
        if idle > patience:
            return STUCK


@compiled
def _moving(line: Line, point: Point, d: Vector, rates: Vector) -> tuple[float, float]:
    """Write the direction of beta and of the slopes for a rise of p by 1; return that of b, and the rounding of rates.

    ``rates`` are those of the slopes without b.
    """
    n, free, here, drift, side = point.sizes[0], point.free, point.status, point.drift, point.side
    lower_rate, upper_rate, target_rate = line.bound_rates[0], line.bound_rates[1], line.target_rate
    epsilon_rate, moved, size, kept, rise = line.epsilon_rate, 0.0, 0.0, 0.0, 0.0
    for k in range(d.size):
        status = here[k]
        d[k] = lower_rate[k] if status == LOWER else upper_rate[k] if status == UPPER else 0.0
        moved += d[k]
        size += abs(d[k])
        kept = max(kept, abs(target_rate[k]) + abs(epsilon_rate[k]))
        rates[k] = drift[k] - target_rate[k]
    w, right = _apply_inverse(point, np.ones(n)), np.empty(n)
    rounding = _RATE * (line.entry * size + kept)
    for attempt in range(2):
        for a in range(n):
            k = free[a]
            right[a] = -rates[k] - epsilon_rate[k] * side[k] - rise
        # The rates of the free samples tell what the inverse has lost.
        if n == 0 or (attempt > 0 and not _sizes(right)[1] > rounding):
            break
        step = _apply_inverse(point, right)
        if line.balanced:
            rise += tie(step, w, -moved) - line.shift * moved
        add_stored_rows(line.K, free[:n], 0, step, rates)
        for a in range(n):
            k = free[a]
            d[k] += step[a]
            rates[k] += line.ridge[k] * step[a]
            moved += step[a]
        if attempt == 0:
            rounding += _RATE * line.entry * _sizes(step)[0]
    return rise, rounding


@compiled
def _slacks(
    line: Line, point: Point, d: Vector, rates: Vector, rise: float, rounding: float, slack: Vector, fall: Vector
) -> None:
    """Write two slacks of each sample, in the unit of their tolerance, and by how much each falls.

    The first half leads downwards (to the lower end, or to the negative side of a kink), the second upwards. A
    component that does not fall has the fall 0.
    """
    p, b = point.level
    status, side, beta, slopes, m = point.status, point.side, point.beta, point.slopes, d.size
    lower, lower_rate, upper, upper_rate = line.bounds[0], line.bound_rates[0], line.bounds[1], line.bound_rates[1]
    epsilon, epsilon_rate, lower_side, upper_side = line.epsilon, line.epsilon_rate, line.sides[0], line.sides[1]
    slope_unit, largest = SLACK * line.size, _sizes(d)[1]
    for k in range(m):
        down, falls, up, rises, unit, tiny = 0.0, 0.0, 0.0, 0.0, slope_unit, rounding
        here, width, change = status[k], epsilon[k] + p * epsilon_rate[k], epsilon_rate[k]
        value, rate = slopes[k] + b, rates[k] + rise
        if here == FREE:
            lowest, highest = lower[k] + p * lower_rate[k], upper[k] + p * upper_rate[k]
            low, high = interval(lowest, highest, side[k])
            low_rate, high_rate = lower_rate[k] if low == lowest else 0.0, upper_rate[k] if high == highest else 0.0
            unit = _unit(low, high)
            tiny = SLACK * (abs(low_rate) + abs(high_rate) + largest)
            down, falls, up, rises = beta[k] - low, low_rate - d[k], high - beta[k], d[k] - high_rate
        elif here == LOWER:
            up, rises = value + lower_side[k] * width, -rate - lower_side[k] * change
        elif here == UPPER:
            down, falls = -value - upper_side[k] * width, rate + upper_side[k] * change
        elif here == ZERO:
            down, falls, up, rises = width - value, rate - change, width + value, -rate - change
        slack[k], fall[k] = down / unit, falls / unit if falls > tiny else 0.0
        slack[m + k], fall[m + k] = up / unit, rises / unit if rises > tiny else 0.0


@compiled
def _unit(low: float, high: float) -> float:
    """Return by how much a coefficient may miss an end of its interval."""
    return SLACK * max(high - low, 1e-3 * max(abs(low), abs(high)))


@compiled
def _pivot(line: Line, point: Point, sample: int, way: int) -> bool:
    """Let a sample be free, or free no more; return whether the path goes on.

    Where the last one comes to its end, b goes on until another may be free: down if the end is the upper one, else up.
    """
    p, b = point.level
    if point.status[sample] == FREE:
        _settle(line, point, sample, way)
        if point.sizes[0] > 0 or not line.balanced:
            return True
        least, sample = np.inf, -1
        for k in range(point.beta.size):
            status = point.status[k]
            if status == ZERO or status == (LOWER if way > 0 else UPPER):
                side = way if status == ZERO else line.sides[status, k]
                slack = way * (point.slopes[k] + b + side * (line.epsilon[k] + p * line.epsilon_rate[k]))
                if slack < least:
                    least, sample = slack, k
        if sample < 0:
            return False
        point.level[1] -= way * max(least, 0.0)
    status = point.status[sample]
    point.side[sample] = way if status == ZERO else line.sides[status, sample]
    return enter(line, point, sample, way)


@compiled
def _settle(line: Line, point: Point, sample: int, way: int) -> None:
    """Put a coefficient at its lower end (``way`` -1) or its upper one, note it, and count what it moves from there."""
    n, free = point.sizes[0], point.free
    for a in range(n):
        if free[a] == sample:
            drop_row(point.memory, n, a)
            free[a] = free[n - 1]
            point.sizes[0] = n - 1
            break
    lower, upper = _bounds(line, point, sample)
    low, high = interval(lower, upper, point.side[sample])
    point.beta[sample] = low if way < 0 else high
    inside = low > lower if way < 0 else high < upper
    point.status[sample] = ZERO if inside else LOWER if way < 0 else UPPER
    _count_moving(line, point, sample, 1.0)
    noted = point.changes[point.sizes[3]]
    noted[0], noted[1], noted[2] = sample, point.status[sample], point.sizes[1]
    point.sizes[3] += 1


@compiled
def _count_moving(line: Line, point: Point, sample: int, sign: float) -> None:
    """Count, or no longer count, what a coefficient at its bound moves."""
    status = point.status
    if status[sample] not in (LOWER, UPPER) or line.bound_rates[status[sample], sample] == 0.0:
        return
    change = sign * line.bound_rates[status[sample], sample]
    add_scaled(point.drift, change, line.K[sample])
    point.drift[sample] += change * line.ridge[sample]
    if sign < 0.0:
        for k in range(status.size):
            if k != sample and status[k] in (LOWER, UPPER) and line.bound_rates[status[k], k] != 0.0:
                return
        # What is left is rounding, and steps may be long where nothing moves.
        for k in range(status.size):
            point.drift[k] = 0.0


@compiled
def enter(line: Line, point: Point, sample: int, way: int) -> bool:
    """Let a sample that is not free be so; where it depends on those that are, it takes the place of one.

    ``way`` is where it goes then, -1 or 1. Returns whether there is a place.
    """
    _count_moving(line, point, sample, -1.0)
    for _ in range(2):
        n = point.sizes[0]
        u = np.empty(n)
        s = _schur_complement(line, point, sample, u)
        if s > 0.0:
            add_row(point.memory, u, s)
            point.free[n] = sample
            point.sizes[0] = n + 1
            point.status[sample] = FREE
            return True
        out = _exchange(line, point, sample, way, u)
        if out < 0 or out == sample:
            return out >= 0
    return False


@compiled
def _schur_complement(line: Line, point: Point, sample: int, u: Vector) -> float:
    """Write M a, for the column a of a sample, and return its Schur complement; 0 where that is rounding.

    It is x'Ax for x = (-u, 1), whose error is of second order in that of u.
    """
    n, corner = u.size, line.K[sample, sample] + line.shift + line.ridge[sample]
    column, missed = np.empty(n), np.empty(n)
    for a in range(n):
        column[a] = missed[a] = line.K[sample, point.free[a]] + line.shift
        u[a] = 0.0
    s = corner
    for _ in range(2):
        more = _apply_inverse(point, missed)
        for a in range(n):
            u[a] += more[a]
        s = corner
        for a in range(n):
            own = point.free[a]
            missed[a] = column[a] - line.ridge[own] * u[a]
            for c in range(n):
                missed[a] -= (line.K[own, point.free[c]] + line.shift) * u[c]
            s -= (column[a] + missed[a]) * u[a]
        if s > _SAFE * corner:
            break
    return s if s > _ROUNDING * corner * (1.0 + _sizes(u)[0]) ** 2 else 0.0


@compiled
def _exchange(line: Line, point: Point, sample: int, way: int, u: Vector) -> int:
    """Go along the null vector of a dependent sample; return which sample came to an end of its interval (-1: none)."""
    n = point.sizes[0]
    null, moved = np.empty(n + 1), np.empty(n + 1, np.intp)
    slack, fall = np.zeros(n + 1), np.zeros(n + 1)
    for a in range(n):
        null[a], moved[a] = -u[a], point.free[a]
    null[n], moved[n] = 1.0, sample
    if line.balanced:
        tie(null[:n], _apply_inverse(point, np.ones(n)), -1.0)
    least = _NULL * _sizes(null)[1]
    for a in range(n + 1):
        null[a] *= way
        if abs(null[a]) > least:
            k = moved[a]
            lower, upper = _bounds(line, point, k)
            low, high = interval(lower, upper, point.side[k])
            unit = _unit(low, high)
            slack[a] = (high - point.beta[k] if null[a] > 0 else point.beta[k] - low) / unit
            fall[a] = abs(null[a]) / unit
    step, out = first_end(slack, fall)
    if out < 0:
        return -1
    for a in range(n + 1):
        k, by = moved[a], null[a] * step
        if by != 0.0:
            point.beta[k] += by
            add_scaled(point.slopes, by, line.K[k])
            point.slopes[k] += by * line.ridge[k]
    out_way = 1 if null[out] > 0 else -1
    _settle(line, point, moved[out], out_way)
    return int(moved[out])


@compiled
def _bounds(line: Line, point: Point, k: int) -> tuple[float, float]:
    """Return the bounds of a coefficient at the parameter."""
    p = point.level[0]
    return line.bounds[0, k] + p * line.bound_rates[0, k], line.bounds[1, k] + p * line.bound_rates[1, k]


@vectorised
def _sizes(v: Vector) -> tuple[float, float]:
    """Return the sum of absolute values, and the largest; a loop, since methods of arrays take seconds to compile."""
    total, largest = 0.0, 0.0
    for k in range(v.size):
        total, largest = total + abs(v[k]), max(largest, abs(v[k]))
    return total, largest


@compiled
def _apply_inverse(point: Point, v: Vector) -> Vector:
    """Return M v."""
    found = np.zeros(v.size)
    add_stored_rows(point.memory, point.order[: v.size], 0, v, found)
    return found
