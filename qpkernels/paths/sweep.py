# SPDX-License-Identifier: BSD-3-Clause
r"""The compiled loop along a path: from one breakpoint to the next, with one change of the active set at each.

A sample that would be free but depends on those that are (its Schur complement is rounding) takes the place of one of
them: beta goes along the null vector of their matrix, which changes no value of the function, until one comes to an
end. Where the last free sample of a problem with 1'beta given comes to its bound, b goes on until another one is free.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled
from qpkernels.paths.state import FREE, LOWER, UPPER, ZERO, Line, Point, Record
from qpkernels.paths.steps import apply_inverse, ends, first_event, largest_of, moving, offset, total_size
from qpkernels.solvers.active_set.loops import add_row, drop_row

__all__ = ["BLOCKED", "DONE", "FULL", "STUCK", "enter", "sweep"]

DONE, FULL, STUCK, BLOCKED = 0, 1, 2, 3
"""How a sweep ends: where it was to go, for want of room, for steps without a length, for a problem without bounds."""

_SAFE = 1e-3
"""Part of a diagonal entry above which a Schur complement needs no refinement."""

_ROUNDING = 2e-14
"""Part of the sum of its terms below which a Schur complement is rounding."""

_NEAR = 1e-13
"""Part of its interval by which a coefficient may miss an end, so that of almost equal steps the safest is taken."""

_NULL = 1e-9
"""Part of the largest entry of a null vector below which one is rounding."""

_SAME = 1e-12
"""Part of p by which two breakpoints differ at least."""


@compiled
def sweep(line: Line, point: Point, until: float, patience: int, record: Record) -> int:
    """Go on along the path until p is ``until``, and note the pieces; return how it ended.

    It is stuck after ``patience`` steps without a length, one after the other.
    """
    m = point.beta.size
    d, rates, work, sizes, idle = np.empty(m), np.empty(m), np.empty((4, m)), point.sizes, 0
    sizes[1:] = 0
    while _has_room(point, record):
        rise, rounding = moving(line, point, d, rates)
        step, sample, way = first_event(line, point, d, rates, rise, rounding, work)
        left = until - point.level[0]
        if step >= left:
            step, sample = left, -1
        long = step > _SAME * (abs(point.level[0]) + abs(until))
        _note(point, record.ends[sizes[1]], record.first[sizes[2] :], record, 0)
        _move(point, d, rates, rise, step)
        if sample < 0:
            point.level[0] = until
        if long or (sample < 0 and step > 0):
            _note(point, record.ends[sizes[1]], record.last[sizes[2] :], record, 2)
            sizes[1], sizes[2], idle = sizes[1] + 1, sizes[2] + sizes[0], 0
        else:
            idle += 1
        if sample < 0:
            return DONE
        if not _pivot(line, point, sample, way):
            return BLOCKED
        if idle > patience:
            return STUCK
    return FULL


@compiled
def _has_room(point: Point, record: Record) -> bool:
    free, pieces, used, changes = point.sizes
    wide = free + 2 <= len(point.memory) and used + free <= record.samples.size
    return bool(wide and changes + 4 <= len(point.changes) and pieces < record.counts.size)


@compiled
def _note(point: Point, ends: Vector, values: Vector, record: Record, place: int) -> None:
    """Write where a piece begins, or ends."""
    n, _, used, _ = point.sizes
    ends[place], ends[place + 1] = point.level
    record.counts[point.sizes[1]] = n
    for a in range(n):
        record.samples[used + a] = point.free[a]
        values[a] = point.beta[point.free[a]]


@compiled
def _move(point: Point, d: Vector, rates: Vector, rise: float, step: float) -> None:
    """Raise p by ``step``."""
    point.level[0] += step
    point.level[1] += step * rise
    add_scaled(point.beta, step, d)
    add_scaled(point.slopes, step, rates)


@compiled
def _pivot(line: Line, point: Point, sample: int, way: int) -> bool:
    """Let a sample be free, or free no more; return whether the path goes on."""
    if point.status[sample] != FREE:
        point.side[sample] = _side_of(line, point, sample, way)
        return enter(line, point, sample, way)
    last = line.balanced and point.sizes[0] == 1
    _leave(line, point, sample, way)
    if not last:
        return True
    chosen = _next_level(line, point, way)
    return chosen >= 0 and enter(line, point, chosen, way)


@compiled
def _side_of(line: Line, point: Point, sample: int, way: int) -> float:
    """Return the sign that epsilon has for a sample that is to be free."""
    if not line.kinked[sample]:
        return 0.0
    if point.status[sample] == ZERO:
        return 1.0 if way > 0 else -1.0
    return float(line.lower_side[sample] if point.status[sample] == LOWER else line.upper_side[sample])


@compiled
def _leave(line: Line, point: Point, sample: int, way: int) -> None:
    """Let a free sample stay at its lower end (``way`` -1) or its upper one."""
    n = point.sizes[0]
    for k in range(n):
        if point.free[k] == sample:
            drop_row(point.memory, n, k)
            point.free[k] = point.free[n - 1]
            break
    point.sizes[0] = n - 1
    _settle(line, point, sample, way)


@compiled
def _settle(line: Line, point: Point, sample: int, way: int) -> None:
    """Put a coefficient at its end, note it, and count what it moves from there on."""
    low, high, _, _ = ends(line, point, sample)
    p, side = point.level[0], point.side[sample]
    point.beta[sample] = low if way < 0 else high
    inside = line.kinked[sample] and (
        (way < 0 and side > 0 and line.lower[sample] + p * line.lower_rate[sample] < 0)
        or (way > 0 and side < 0 and line.upper[sample] + p * line.upper_rate[sample] > 0)
    )
    point.status[sample] = ZERO if inside else LOWER if way < 0 else UPPER
    _count_moving(line, point, sample, 1.0)
    noted = point.changes[point.sizes[3]]
    noted[0], noted[1], noted[2] = sample, point.status[sample], point.sizes[1]
    point.sizes[3] += 1


@compiled
def _count_moving(line: Line, point: Point, sample: int, sign: float) -> None:
    """Count, or no longer count, what a coefficient at its bound moves."""
    status = point.status[sample]
    rate = line.lower_rate[sample] if status == LOWER else line.upper_rate[sample] if status == UPPER else 0.0
    if rate != 0.0:
        add_scaled(point.drift, sign * rate, line.K[sample])
        point.drift[sample] += sign * rate * line.ridge[sample]
        if sign < 0.0 and not _others_move(line, point, sample):
            # What is left is rounding, and steps may be long where nothing moves.
            for k in range(point.drift.size):
                point.drift[k] = 0.0


@compiled
def _others_move(line: Line, point: Point, sample: int) -> bool:
    """Return whether the bound of another coefficient than that of ``sample`` moves it."""
    for k in range(point.status.size):
        at_lower, at_upper = point.status[k] == LOWER, point.status[k] == UPPER
        if k != sample and ((at_lower and line.lower_rate[k] != 0.0) or (at_upper and line.upper_rate[k] != 0.0)):
            return True
    return False


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
        more = apply_inverse(point, missed)
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
    return s if s > _ROUNDING * corner * (1.0 + total_size(u)) ** 2 else 0.0


@compiled
def _exchange(line: Line, point: Point, sample: int, way: int, u: Vector) -> int:
    """Go along the null vector of a dependent sample; return which sample came to an end of its interval (-1: none).

    As by Harris, of those that do so almost at once the one with the largest entry.
    """
    n = point.sizes[0]
    null, moved = np.empty(n + 1), np.empty(n + 1, np.intp)
    share, ones = _share(line, point, u), apply_inverse(point, np.ones(n))
    null[n], moved[n] = way, sample
    for a in range(n):
        null[a], moved[a] = -way * (u[a] + share * ones[a]), point.free[a]
    least, reach = _NULL * largest_of(null), np.inf
    for a in range(n + 1):
        if abs(null[a]) > least:
            reach = min(reach, _room(line, point, moved[a], null[a], _NEAR))
    if reach == np.inf:
        return -1
    chosen, step = n, 0.0
    for a in range(n + 1):
        if abs(null[a]) > least:
            room = _room(line, point, moved[a], null[a], 0.0)
            if room <= reach:
                chosen, step, least = a, max(room, 0.0), abs(null[a])
    for a in range(n + 1):
        _advance(line, point, moved[a], null[a] * step)
    out_way = 1 if null[chosen] > 0 else -1
    if chosen == n:
        _settle(line, point, sample, out_way)
    else:
        _leave(line, point, moved[chosen], out_way)
    return int(moved[chosen])


@compiled
def _room(line: Line, point: Point, sample: int, direction: float, beyond: float) -> float:
    """Return how far a coefficient may go, and beyond its end by that part of its interval."""
    low, high, _, _ = ends(line, point, sample)
    end = high if direction > 0 else low
    return float((end - point.beta[sample]) / direction + beyond * (high - low) / abs(direction))


@compiled
def _share(line: Line, point: Point, u: Vector) -> float:
    """Return by how much M 1 makes the sum of a null vector 0; nothing where no sum is given."""
    if not line.balanced:
        return 0.0
    total = 1.0
    for a in range(u.size):
        total -= u[a]
    whole = 0.0
    for a in range(u.size):
        for b in range(u.size):
            whole += point.memory[a, b]
    return total / whole


@compiled
def _advance(line: Line, point: Point, sample: int, by: float) -> None:
    """Move one coefficient, and the slopes with it."""
    if by != 0.0:
        point.beta[sample] += by
        add_scaled(point.slopes, by, line.K[sample])
        point.slopes[sample] += by * line.ridge[sample]


@compiled
def _next_level(line: Line, point: Point, way: int) -> int:
    """Move b, where no sample is free, until one may be: down if the last one came to its upper end, else up."""
    best, chosen = np.inf, -1
    for k in range(point.beta.size):
        status = point.status[k]
        if way > 0 and status in (LOWER, ZERO):
            slack = offset(line, point, k, line.lower_side[k] if status == LOWER else 1.0)
        elif way < 0 and status in (UPPER, ZERO):
            slack = -offset(line, point, k, line.upper_side[k] if status == UPPER else -1.0)
        else:
            continue
        if slack < best:
            best, chosen = slack, k
    if chosen >= 0:
        point.level[1] -= way * max(best, 0.0)
        point.side[chosen] = _side_of(line, point, chosen, way)
    return chosen
