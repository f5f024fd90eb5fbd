# SPDX-License-Identifier: BSD-3-Clause
"""Compiled passes over machines that are held as arrays: their descent, and their values elsewhere.

Machine p has the entries from ``starts[p]`` to ``starts[p + 1]`` of every array over the samples of all machines.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import inlined, read_only, vectorised
from qpkernels.families.batch.machine import LEAST, MOST, STEPS, MachineArrays, Points
from qpkernels.gram.panels.loops import add_scaled
from qpkernels.solvers.active_set.free import ENTRY, invert, is_worth_it, to_minimum_over_free
from qpkernels.solvers.active_set.loops import Arrays, free_samples
from qpkernels.solvers.smo.steps import group_steps, level_of, look, make_row, pair_steps, row_of_features, single_steps

__all__ = ["descend_each", "evaluate_each"]

_ROUNDS = 4
"""Times at most that steps go on from K beta made afresh."""

_STRETCH, _PASSED = 2.0, 4e6
"""Steps for each sample, and samples that they have passed, after which the free coefficients are moved at once."""

_FADING = 8.0
"""Part of their gain that further steps of as much work have, that of the free coefficients being moved at once."""

_PATIENCE, _LEAST_PATIENCE, _MOST_PATIENCE, _LONGER = 4.0, 2.0, 128.0, 4
"""How many times the work of the steps before it a move of the free coefficients may take, at first, and at most where
it gains more; and how many times the steps that are usual are taken then."""

_SMALL = 1e-10
"""Part of the largest K_kk that keeps the matrix of free samples apart from what rounding makes of it."""

_OF_MARGINS = 25
"""How many times the steps that others may take those of a free margin may: other means to that take longer. Near a
margin of 0 descents over blocks take hundreds of times the steps, without moves of the free coefficients."""

_ROUNDED = 1e-12
"""Part of a bound by which rounding may keep a coefficient from it."""

_EPS = float(np.finfo(float).eps)


@inlined
def _take_up(beta: Vector, values: Vector, box: Matrix, before: Vector, known: Vector) -> None:
    """Begin at the multiple of the answer ``before`` that is feasible and lowers the objective most."""
    most, curvature, gain = np.inf, 0.0, 0.0
    for k in range(beta.size):
        if before[k] != 0.0:
            most = min(most, (box[4, k] if before[k] > 0.0 else box[3, k]) / before[k])
            curvature += before[k] * (known[k] + box[2, k] * before[k])
            gain += box[0, k] * before[k] - box[1, k] * abs(before[k])
    factor = min(most, max(gain, 0.0) / curvature if curvature > 0.0 else 1.0)
    for k in range(beta.size):
        point, values[k] = factor * before[k], factor * known[k]
        bound = box[4, k] if point > 0.0 else box[3, k]
        # What is at its bound is there exactly, whatever the rounding of the factor.
        beta[k] = bound if abs(point - bound) <= _ROUNDED * abs(point) else point


@vectorised
def _taken(machines: MachineArrays, samples: Indices) -> tuple[Matrix, Vector]:
    """Return features, a row each, and offsets of some samples; none where there is a matrix."""
    width = machines.source.shape[0] if machines.offsets.size else 0
    features, offsets = np.empty((width, samples.size)), np.empty(samples.size if width else 0)
    for k in range(offsets.size):
        offsets[k] = machines.offsets[samples[k]]
    for f in range(width):
        for k in range(samples.size):
            features[f, k] = machines.source[f, samples[k]]
    return features, offsets


@vectorised
def _multiply(
    source: Matrix,
    offsets: Vector,
    degree: int,
    columns: Indices,
    memory: Matrix,
    slots: Indices,
    beta: Vector,
    values: Vector,
) -> None:
    """Write K beta to ``values``, making the rows of it that are not there."""
    values[:] = 0.0
    for k in range(beta.size):
        if beta[k] != 0.0:
            if slots[k] < 0:
                make_row(source, offsets, degree, columns, memory, slots, k)
            add_scaled(values, beta[k], memory[slots[k]])


@inlined
def _objective(sides: Matrix, beta: Vector, values: Vector) -> float:
    objective = 0.0
    for k in range(beta.size):
        size = abs(beta[k])
        objective += (0.5 * values[k] - sides[0, k]) * beta[k] + (sides[1, k] + 0.5 * sides[2, k] * size) * size
    return objective


@vectorised
def _move_free(
    source: Matrix,
    offsets: Vector,
    degree: int,
    columns: Indices,
    memory: Matrix,
    slots: Indices,
    squares: Vector,
    sides: Matrix,
    beta: Vector,
    values: Vector,
    groups: int,
    work: float,
    latest: float,
    patience: float,
    before: float,
) -> tuple[float, float, float]:
    """Go to the minimum over the free coefficients, if that takes no more than ``patience`` times the ``work`` so far.

    Where it gains more for its work than the ``latest`` part of that, the steps since the objective was ``before``,
    there is more patience the next time.

    Returns
    -------
    The work since it was done, the patience, and the objective.
    """
    p = Arrays(sides[0], sides[1], sides[2], sides[3], sides[4])
    free = free_samples(p, beta)
    n = free.size
    between = _objective(sides, beta, values)
    if not is_worth_it(n, patience * work):
        return work, patience, between
    largest = 0.0
    for a in range(n):
        largest = max(largest, squares[free[a]])
    inverse = np.empty((n, n))
    for a in range(n):
        k = free[a]
        if slots[k] < 0:
            make_row(source, offsets, degree, columns, memory, slots, k)
        row = memory[slots[k]]
        for c in range(a + 1):
            inverse[a, c] = row[free[c]]
        inverse[a, a] += sides[2, k] + _SMALL * largest
    if not invert(inverse):
        return 0.0, _LEAST_PATIENCE, between
    moved = to_minimum_over_free(inverse, p, groups, free, beta, values)
    for a in range(n):
        add_scaled(values, moved[a], memory[slots[free[a]]])
    after = _objective(sides, beta, values)
    better = _FADING * (between - after) * latest * ENTRY >= (before - between) * float(n) ** 3
    return 0.0, min(4.0 * patience, _MOST_PATIENCE) if better else max(0.25 * patience, _LEAST_PATIENCE), after


@inlined
def _margin(sides: Matrix, beta: Vector, values: Vector, level: float) -> tuple[float, float, float, float]:
    """Return b and the margin in the middle of what the slopes of both signs allow, P - D and D.

    A margin below 0 is none: it is 0. ``level`` is the share of a sum that a level is, as :func:`look` has it.
    """
    n, split = beta.size, int((sides[4] > 0).sum())
    risen, fallen, gradient, levels = np.empty(n), np.empty(n), np.empty(n), np.zeros(2)
    whole, least = 0.0, 0.0
    for part in range(2):
        start, end = (0, split) if part == 0 else (split, n)
        own = np.ascontiguousarray(sides[:, start:end])
        _, _, _, gap, dual = look(
            own, beta[start:end], values[start:end], level, risen[start:end], fallen[start:end], gradient[start:end]
        )
        levels[part] = level_of(own[0], own[1], own[2], own[3], own[4], beta[start:end], values[start:end])
        whole, least = whole + gap, least + dual
    return -0.5 * (levels[0] + levels[1]), max(0.5 * (levels[0] - levels[1]), 0.0), whole, least


@vectorised
def descend_each(  # noqa: C901, PLR0912, PLR0915  a called part is compiled twice
    machines: MachineArrays, groups: int, first: int, stop: int, goal: float, memory: Floats, points: Points
) -> None:
    """Lower the relative gap of the machines from ``first`` to before ``stop`` to ``goal``, in place.

    They begin at the beta that is there, and their last K beta is made of rows, not of steps. ``memory`` has room
    for the matrix of the largest, of which the rows that are asked for are made. One that takes many steps is left
    where it is.

    ``groups`` are the sums of coefficients that are kept: none without b, that of all, or, where the margin is free,
    that of each sign.
    """
    box = machines.box
    none, slots, block = np.empty(0, np.intp), np.empty(0, np.intp), memory[:0].reshape(0, 0)
    part, shifts = _taken(machines, none)
    formed = machines.offsets.size == 0
    for p in range(first, stop):
        begin, end = machines.starts[p], machines.starts[p + 1]
        n, own = end - begin, machines.samples[begin:end]
        beta, values, sides = points.beta[begin:end], points.values[begin:end], np.empty((5, n))
        for row in range(5):
            for k in range(n):
                sides[row, k] = box[row, begin + k]
        if p > first and machines.follows[p]:
            last = machines.starts[p - 1]
            _take_up(beta, values, sides, points.beta[last:begin], points.values[last:begin])
        else:
            part, shifts = _taken(machines, own)
            block, slots = memory[: n * n].reshape(n, n), np.full(n + 1, -1, np.intp)
            block[0], slots[n] = 0.0, 0
        source = machines.source if formed else read_only(part)
        columns, squares, floor = own if formed else none, np.empty(n), 0.0
        if groups == 2:
            floor = 4.0 * _EPS * machines.totals[p]
        for k in range(n):
            squares[k] = machines.diagonal[own[k]]
            floor = max(floor, 4.0 * _EPS * abs(sides[0, k]))
        rows = (source, shifts, machines.degree, columns, block, slots, squares)
        risen, fallen, gradient = np.empty(n), np.empty(n), np.empty(n)
        # No literal, for each of which there would be another version of what is called with it.
        if not (p > first and machines.follows[p]):
            _multiply(*rows[:6], beta, values)
        limit = min(max(STEPS * n, LEAST // n), (_OF_MARGINS if groups == 2 else 1) * MOST // n)
        wanted, taken, share, rounds = goal, 0, 0.5 if groups else 0.0, 0
        work, patience, before = 0.0, _PATIENCE, _objective(sides, beta, values)
        most = int(max(16.0, min(_STRETCH * n, _PASSED / n)))
        while True:
            most = min(most, limit - taken)
            if groups == 2:
                count, ended = group_steps(*rows, sides, beta, values, most, floor, wanted)
            elif groups == 1:
                count, ended = pair_steps(*rows, sides, beta, values, most, floor, wanted)
            else:
                count, ended = single_steps(*rows, sides, beta, values, most, floor, wanted)
            taken, work = taken + count, work + float(count * n)
            if not ended and count == most and taken < limit:
                work, patience, before = _move_free(
                    *rows, sides, beta, values, groups, work, float(count * n), patience, before
                )
                most = int(max(16.0, min(n / (8.0 if patience > _PATIENCE else 2.0), _PASSED / n)))
                if patience > _PATIENCE:
                    limit = max(limit, min(_LONGER * STEPS * n, taken + most))
                continue
            _multiply(*rows[:6], beta, values)
            if groups == 2:
                points.intercepts[p], points.margins[p], gap, dual = _margin(sides, beta, values, share)
            else:
                _, _, level, gap, dual = look(sides, beta, values, share, risen, fallen, gradient)
                if groups == 1:
                    level = level_of(sides[0], sides[1], sides[2], sides[3], sides[4], beta, values)
                points.intercepts[p] = -level
            rounds += 1
            if ended or rounds == _ROUNDS or taken >= limit or gap <= goal * max(abs(dual), abs(dual + gap)):
                break
            wanted *= 0.5
        points.steps[p] = taken


@inlined
def _last_alike(machines: MachineArrays, first: int, stop: int) -> int:
    """Return the end of the machines from ``first`` on that have its samples, and its samples held out."""
    others = machines.held_out[machines.ends[first] : machines.ends[first + 1]]
    for p in range(first + 1, stop):
        own = machines.held_out[machines.ends[p] : machines.ends[p + 1]]
        if not machines.follows[p] or own.size != others.size:
            return p
        for c in range(own.size):
            if own[c] != others[c]:
                return p
    return stop


@vectorised
def evaluate_each(machines: MachineArrays, first: int, stop: int, points: Points) -> None:
    """Write the function of the machines from ``first`` to before ``stop`` at the samples held out, as rows are made.

    One row serves all machines that follow each other.
    """
    none = np.empty(0, np.intp)
    there, shifts = _taken(machines, none)
    while first < stop:
        last = _last_alike(machines, first, stop)
        starts, ends = machines.starts[first : last + 1], machines.ends[first : last + 1]
        others = machines.held_out[ends[0] : ends[1]]
        row = np.empty(others.size)
        points.outside[ends[0] : ends[-1]] = 0.0
        there, shifts = _taken(machines, others)
        for k in range(starts[1] - starts[0] if others.size else 0):
            sample, made = machines.samples[starts[0] + k], False
            for p in range(last - first):
                beta = points.beta[starts[p] + k]
                if beta == 0.0:
                    continue
                if not made and machines.offsets.size:
                    factors, offset = machines.source[:, sample].copy(), machines.offsets[sample]
                    row_of_features(read_only(there), shifts, factors, offset, machines.degree, row)
                elif not made:
                    whole = machines.source[sample]
                    for c in range(others.size):
                        row[c] = whole[others[c]]
                made = True
                add_scaled(points.outside[ends[p] : ends[p + 1]], beta, row)
        first = last
