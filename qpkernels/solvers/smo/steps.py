# SPDX-License-Identifier: BSD-3-Clause
"""The compiled inner loops of sequential minimal optimisation: choose two coefficients, minimise over them, repeat.

Notation: with v = K beta, the smooth part of the objective has the gradient g_i = v_i + ridge_i beta_i - target_i.
Since |beta_i| has a kink at 0, moving beta_i up costs ``slope_up`` = g_i + epsilon_i (or - epsilon_i below 0), and
moving it down gains ``slope_down``. beta is optimal when a number -b separates the slopes:

    max over i that can go down of slope_down_i  <=  -b  <=  min over i that can go up of slope_up_i.

Working-set choice: Fan, Chen and Lin, Working set selection using second order information (JMLR 6, 2005), extended
to the kink. Where no equation ties the coefficients, b is 0 and a step moves one of them. Where the coefficients of
each sign have a sum of their own, each of these groups has its -b, and a step moves the pair of either group that gains
most (C.-C. Chang and C.-J. Lin, Training nu-support vector classifiers, Neural Computation 13, 2001).

A step costs two passes over the samples. Pairs see differences of gradients alone; so the gradient is held less a level
close to -b, and loses nothing to float32 that K has not lost. The share of a bound or a kink in it is held in arrays,
infinite where beta_i cannot move, so that a pass runs in vector registers (:mod:`~qpkernels.solvers.smo.passes`).

Each variant is one function, into which the parts that each step takes are written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import choose, compiled_for, greater, inlined, lesser, vectorised
from qpkernels.gram.panels.loops import STRIP, entries, sum_multiples
from qpkernels.solvers.smo.passes import FLAT, find_partner, find_single, find_up, pair_gain

__all__ = [
    "BETTER",
    "PATIENCE",
    "ROUNDED",
    "Block",
    "group_steps",
    "level_of",
    "look",
    "make_row",
    "pair_steps",
    "row_of_features",
    "single_steps",
    "working_set",
]

_FAR = 1e100
"""Longest step: without curvature and bound there is no end, and the engine recognises the direction."""

ROUNDED = 1e-12
"""Share of its reach by which rounding may keep a coefficient from an end of its range."""

_LOOKS, _LEAST = 8, 16
"""Looks at the gap in as many steps as there are samples, and the least number of steps between two."""

_LEAST_RIDGE = float(np.finfo(float).tiny)
"""The divisor where there is no ridge; the quotient is not used then."""

PATIENCE, BETTER = 60, 0.9
"""Looks after which the gap must be that part of what it was, or the value better; else it is rounding that changes."""


class Block(NamedTuple):
    """K between the samples of a block: row k is ``source[k]``, or, where there is memory for them, made on demand.

    A step reads the rows of the two coefficients that it changes. Among a few hundred samples or more, most are never
    changed. Its loops are compiled once for each precision, whatever the rows are made of.

    Attributes
    ----------
    source
        The matrix; or a larger one of which the block has the rows and columns named ``columns``; or features in a
        product form, with a row for each feature. It is read-only.
    offsets, degree
        Those of the product form; empty where ``source`` is a matrix.
    columns
        Those of the larger matrix; else empty.
    memory, slots
        Where rows are written to, one after the other as they are made, and which row of memory has that of each
        sample, -1: none yet; its last entry is their number. Both are empty where ``source`` is the block.
    squares
        The diagonal of the block.
    """

    source: Floats
    offsets: Floats
    degree: int
    columns: Indices
    memory: Floats
    slots: Indices
    squares: Vector

    @classmethod
    def whole(cls, matrix: Floats) -> Block:
        """Return the block that ``matrix`` is."""
        matrix = np.ascontiguousarray(matrix)
        squares = np.array(matrix.diagonal(), np.float64)
        none, memory, nobody = np.empty(0, matrix.dtype), np.empty((0, 0), matrix.dtype), np.empty(0, np.intp)
        return cls(_read_only(matrix), none, 0, nobody, memory, nobody, squares)

    @classmethod
    def within(cls, matrix: Floats, columns: Indices, memory: Floats | None = None) -> Block:
        """Return the block of these rows and columns of a ``matrix``; ``memory``, if there is some, is written over."""
        memory, slots = _square(memory, columns.size, matrix), np.full(columns.size + 1, -1, np.intp)
        slots[-1] = 0
        squares = matrix[columns, columns].astype(np.float64)
        none = np.empty(0, matrix.dtype)
        return cls(_read_only(matrix), none, 0, np.array(columns, np.intp), memory, slots, squares)

    @property
    def matrix(self) -> Floats:
        """The block as an array, where it is part of a matrix."""
        return self.source if self.columns.size == 0 else self.source[np.ix_(self.columns, self.columns)]

    def rows(self, samples: Indices) -> Matrix:
        """Return the rows of some samples of the block, in float64."""
        part = self.source[samples] if self.columns.size == 0 else self.source[self.columns[samples]][:, self.columns]
        return part.astype(np.float64)


def _square(memory: Floats | None, n: int, like: Floats) -> Floats:
    """Return n x n numbers of memory, of which the first row, which a pass reads before any is made, is 0."""
    square = np.empty((n, n), like.dtype) if memory is None else memory[: n * n].reshape(n, n)
    square[:1] = 0.0
    return square


def _read_only(matrix: Floats) -> Floats:
    """Return a view that is not written to, so that code is compiled once."""
    view = matrix.view()
    view.flags.writeable = False
    return view


@inlined
def _offset_up(at: float, upper: float, epsilon: float) -> float:
    """Return slope_up - g of a coefficient, infinite where it cannot go up."""
    offset: float = choose(at >= upper, np.inf, choose(at >= 0, epsilon, -epsilon))
    return offset


@inlined
def _offset_down(at: float, lower: float, epsilon: float) -> float:
    """Return slope_down - g of a coefficient, infinite where it cannot go down."""
    offset: float = choose(at <= lower, -np.inf, choose(at > 0, epsilon, -epsilon))
    return offset


@vectorised
def look(
    box: Matrix, beta: Vector, values: Vector, share: float, up: Floats, down: Floats, gradient: Floats
) -> tuple[float, float, float, float, float]:
    """Write g less a level, and what the slopes add to it; return what is seen at the point.

    That is the least slope that goes up, the greatest that goes down, the level, which is a ``share`` of their sum,
    P - D, and D; a hard constraint counts as satisfied.
    """
    target, epsilon, ridge, lower, upper = box[0], box[1], box[2], box[3], box[4]
    lowest, highest = np.inf, -np.inf
    for k in range(beta.size):
        slope = values[k] + ridge[k] * beta[k] - target[k]
        rise, fall = _offset_up(beta[k], upper[k], epsilon[k]), _offset_down(beta[k], lower[k], epsilon[k])
        up[k], down[k] = rise, fall
        lowest, highest = lesser(lowest, slope + rise), greater(highest, slope + fall)
    level = share * (lowest + highest) if lowest < np.inf and highest > -np.inf else 0.0
    gap, dual = 0.0, 0.0
    for k in range(beta.size):
        size, residual = abs(beta[k]), target[k] - values[k] + level
        gradient[k] = ridge[k] * beta[k] - residual
        cost, excess = epsilon[k] * size + 0.5 * ridge[k] * size * size, abs(residual) - epsilon[k]
        end = choose(residual > 0, upper[k], -lower[k])
        s = choose(ridge[k] > 0, lesser(end, excess / greater(ridge[k], _LEAST_RIDGE)), end)
        loss = choose(excess > 0, choose(s < np.inf, excess * s - 0.5 * ridge[k] * s * s, 0.0), 0.0)
        gap += loss - residual * beta[k] + cost
        dual += (target[k] - 0.5 * values[k]) * beta[k] - cost
    return lowest, highest, level, gap, dual


_VECTOR = "Array(float64, 1, 'C', readonly=True)"


@compiled_for(f"({', '.join(7 * [_VECTOR])})")
def level_of(
    target: Vector, epsilon: Vector, ridge: Vector, lower: Vector, upper: Vector, beta: Vector, values: Vector
) -> float:
    """Return -b for the b in the middle of what the slopes allow; 0 where they allow any.

    A coefficient that rounding keeps from its end counts as there: else b would be at an end of the interval of every b
    that is as good, and the path to beta would tell which. With a ridge, a small one has a slope of its own.
    """
    largest, lowest, highest = 0.0, np.inf, -np.inf
    for k in range(beta.size):
        largest = max(largest, abs(beta[k]))
    for k in range(beta.size):
        at, end = beta[k], upper[k] if beta[k] >= 0 else -lower[k]
        near = ROUNDED * min(end, largest) if ridge[k] == 0 else 0.0
        if abs(at) <= near:
            at = 0.0
        elif end - abs(at) <= near:
            at = upper[k] if at >= 0 else lower[k]
        slope = values[k] + ridge[k] * at - target[k]
        lowest = min(lowest, slope + _offset_up(at, upper[k], epsilon[k]))
        highest = max(highest, slope + _offset_down(at, lower[k], epsilon[k]))
    if lowest < np.inf and highest > -np.inf:
        return 0.5 * (lowest + highest)
    return lowest if lowest < np.inf else (highest if highest > -np.inf else 0.0)


@inlined
def _least(costs: Vector, taken: NDArray[np.bool_], heap: Indices) -> int:
    """Write where the least costs below 0 are, of those not ``taken``, as many as there is room for; return how many.

    The greatest of them is on top of the heap.
    """
    size = 0
    for k in range(costs.size):
        cost = costs[k]
        if taken[k] or not cost < 0 or (size == heap.size and (size == 0 or cost >= costs[heap[0]])):
            continue
        if size < heap.size:
            at = size
            size += 1
            while at > 0 and costs[heap[(at - 1) // 2]] < cost:
                heap[at] = heap[(at - 1) // 2]
                at = (at - 1) // 2
        else:
            at = 0
            while True:
                child = 2 * at + 1
                if child + 1 < size and costs[heap[child + 1]] > costs[heap[child]]:
                    child += 1
                if child >= size or costs[heap[child]] <= cost:
                    break
                heap[at] = heap[child]
                at = child
        heap[at] = k
    return size


@vectorised
def working_set(
    box: Matrix, beta: Vector, values: Vector, recent: Indices, size: int, paired: bool
) -> tuple[Indices, Indices, int, float, float, float]:
    """Choose up to ``size`` samples: those that violate optimality most by either slope, and the ``recent`` ones.

    Returns
    -------
    Them in ascending order; those to stay for the next time; how many of all coefficients are inside their bounds and
    off their kinks; by how much optimality is violated; P - D, and D.
    """
    n = beta.size
    up, down, slope = np.empty(n), np.empty(n), np.empty(n)
    lowest, highest, level, gap, dual = look(box, beta, values, 0.5 if paired else 0.0, up, down, slope)
    if not paired:
        # Without b it is 0 that slopes are to be on their side of.
        lowest, highest = min(lowest, 0.0), max(highest, 0.0)
    inside, violation = 0, highest - lowest
    highest, lowest = (highest - level, lowest - level) if paired else (0.0, 0.0)
    for k in range(n):
        inside += up[k] == down[k]
        up[k], down[k] = slope[k] + up[k] - highest, lowest - slope[k] - down[k]
    taken, most = np.zeros(n, np.bool_), (size - recent.size) // 2
    order, heap = np.empty(2 * most + recent.size, np.intp), np.empty(most, np.intp)
    for k in range(recent.size):
        taken[recent[k]] = True
    found = 0
    for side in range(2):
        for a in range(_least(up if side == 0 else down, taken, heap)):
            order[found], taken[heap[a]] = heap[a], True
            found += 1
    for k in range(recent.size):
        order[found] = recent[k]
        found += 1
    chosen, at = np.empty(found, np.intp), 0
    for k in range(n):
        if taken[k]:
            chosen[at] = k
            at += 1
    return chosen, order[: min(found, size // 2)], inside, violation, gap, dual


@vectorised
def row_of_features(features: Floats, offsets: Floats, factors: Floats, offset: Any, degree: int, row: Floats) -> None:
    """Write to ``row`` the kernel values of samples, a row of ``features`` for each feature, with another sample.

    That one has ``factors`` for features.
    """
    width, every = factors.size, np.arange(factors.size)
    if row.size < STRIP:
        for c in range(row.size):
            row[c] = 0
        for f in range(width):
            feature, factor = features[f], factors[f]
            for c in range(row.size):
                row[c] += factor * feature[c]
    else:
        for column in range(0, row.size - STRIP + 1, STRIP):
            sum_multiples(row, features, column, every, factors, 0, width)
        sum_multiples(row, features, row.size - STRIP, every, factors, 0, width)
    entries(row, offset, offsets, degree)


@vectorised
def make_row(
    source: Floats, offsets: Floats, degree: int, columns: Indices, memory: Floats, slots: Indices, k: int
) -> None:
    """Let row k of a block be there, from a larger matrix or, where there are ``offsets``, from features."""
    row = memory[slots[-1]]
    if offsets.size == 0:
        whole = source[columns[k]]
        for c in range(row.size):
            row[c] = whole[columns[c]]
    else:
        row_of_features(source, offsets, source[:, k].copy(), offsets[k], degree, row)
    slots[k] = slots[-1]
    slots[-1] += 1


@inlined
def _length(slope: float, curvature: float, near: float, rise: float, far: float, second_rise: float) -> float:
    """Minimise curvature/2 d^2 - slope d over d >= 0, whose slope rises by ``rise`` at ``near``, then at ``far``."""
    delta = slope / curvature
    if delta > near:
        slope -= rise
        delta = max(near, slope / curvature)
    if delta > far:
        slope -= second_rise
        delta = max(far, slope / curvature)
    return delta


Steps = Callable[..., tuple[int, bool]]


def _steps(paired: bool, grouped: bool = False) -> Steps:  # noqa: C901, PLR0915  a called one is compiled twice
    """Return the function for problems with or without 1'beta, of which there may be two; it has these as constants.

    Where it is ``grouped``, coefficients of at least 0 come first, and those of at most 0 after them.
    """

    def steps(  # noqa: C901, PLR0912, PLR0915
        source: Floats,
        offsets: Floats,
        degree: int,
        columns: Indices,
        memory: Floats,
        slots: Indices,
        squares: Vector,
        box: Matrix,
        beta: Vector,
        values: Vector,
        limit: int,
        tolerance: float,
        goal: float,
    ) -> tuple[int, bool]:
        """Take up to ``limit`` steps in place; return how many, and whether no further one is left.

        None is left where optimality is violated by at most ``tolerance``, or rounding alone changes. A ``goal`` above
        0 is the relative duality gap with which to return.

        The first arguments are a :class:`Block`; ``box`` has target, epsilon, ridge, lower and upper as its rows.
        """
        n, number, whole = beta.size, memory.dtype.type, slots.size == 0
        epsilon, ridge, lower, upper = box[1], box[2], box[3], box[4]
        gradient, up, down = np.empty(n, memory.dtype), np.empty(n, memory.dtype), np.empty(n, memory.dtype)
        square = np.empty(n, memory.dtype)
        for k in range(n):
            square[k] = squares[k] + ridge[k]
        floor, taken, idle, best, most, ended = number(tolerance), 0, 0, np.inf, -np.inf, False
        unit = float(np.finfo(memory.dtype).eps)
        # No literal, for each of which there would be another version of what is called with it.
        share = 0.5 if paired else 0.0
        split, second_level = n, 0.0
        if grouped:
            split = int((lower >= 0).sum())
            first_box, second_box = np.ascontiguousarray(box[:, :split]), np.ascontiguousarray(box[:, split:])
        while True:
            if grouped:
                _, _, level, gap, dual = look(
                    first_box, beta[:split], values[:split], share, up[:split], down[:split], gradient[:split]
                )
                _, _, second_level, more, rest = look(
                    second_box, beta[split:], values[split:], share, up[split:], down[split:], gradient[split:]
                )
                gap, dual = gap + more, dual + rest
            else:
                _, _, level, gap, dual = look(box, beta, values, share, up, down, gradient)
            scale = max(abs(dual), abs(dual + gap))
            # A long way at an even pace lowers the gap by little from look to look, but it shows in the value.
            idle = 0 if gap < BETTER * best or dual > most + unit * scale else idle + 1
            if idle == 0:
                best, most = min(gap, best), max(dual, most)
            ended = ended or idle > PATIENCE
            if ended or taken >= limit or (goal > 0.0 and gap <= goal * scale):
                break
            stop = min(limit, taken + max(_LEAST, n // _LOOKS)) if goal > 0.0 else limit
            i, j, moved = 0, 0, 0.0
            while True:
                row_i = source[i] if whole else memory[max(slots[i], 0)]
                first_i, second_i = -1, -1
                if grouped:
                    row_j, step = source[j] if whole else memory[max(slots[j], 0)], number(moved)
                    first_i = find_up(gradient[:split], up[:split], row_i[:split], row_j[:split], step)
                    second_i = find_up(gradient[split:], up[split:], row_i[split:], row_j[split:], step)
                    i = max(first_i, second_i)
                elif paired:
                    row_j = source[j] if whole else memory[max(slots[j], 0)]
                    i = find_up(gradient, up, row_i, row_j, number(moved))
                else:
                    i = find_single(gradient, up, down, square, row_i, number(moved), floor)
                if taken == stop or i < 0:
                    ended = i < 0
                    break
                if grouped:
                    j, most_gain = -1, number(0)
                    for part in range(2):
                        start, end = (0, split) if part == 0 else (split, n)
                        up_one = first_i if part == 0 else split + second_i
                        if up_one < start:
                            continue
                        if not whole and slots[up_one] < 0:
                            make_row(source, offsets, degree, columns, memory, slots, up_one)
                        row, cost = source[up_one] if whole else memory[slots[up_one]], gradient[up_one] + up[up_one]
                        other = start + find_partner(
                            gradient[start:end],
                            down[start:end],
                            square[start:end],
                            row[start:end],
                            square[up_one],
                            cost,
                            floor,
                        )
                        if other < start:
                            continue
                        both = square[up_one] + square[other]
                        gain = pair_gain(gradient[other] + down[other] - cost, both, row[other], floor)
                        if gain > most_gain:
                            i, j, most_gain = up_one, other, gain
                elif not whole and slots[i] < 0:
                    make_row(source, offsets, degree, columns, memory, slots, i)
                row_i = source[i] if whole else memory[slots[i]]
                room_j, kink_j, sign = np.inf, np.inf, 1.0
                if paired:
                    cost = gradient[i] + up[i]
                    if not grouped:
                        j = find_partner(gradient, down, square, row_i, square[i], cost, floor)
                    if j < 0:
                        ended = True
                        break
                    if not whole and slots[j] < 0:
                        make_row(source, offsets, degree, columns, memory, slots, int(j))
                    slope = float(gradient[j] + down[j] - cost)
                    squared, bent = squares[i] + squares[j], ridge[i] + ridge[j] - 2.0 * row_i[j]
                    room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
                    kink_i = -beta[i] if beta[i] < 0 else np.inf
                    kink_j = beta[j] if beta[j] > 0 else np.inf
                else:
                    climb, slope = -float(gradient[i] + up[i]), float(gradient[i] + down[i])
                    sign, slope = (1.0, climb) if climb >= slope else (-1.0, slope)
                    squared, bent = squares[i], ridge[i]
                    room_i = upper[i] - beta[i] if sign > 0 else beta[i] - lower[i]
                    kink_i = abs(beta[i]) if sign * beta[i] < 0 else np.inf
                first, second = (i, j) if kink_i <= kink_j else (j, i)
                near, far = min(kink_i, kink_j), max(kink_i, kink_j)
                curvature = max(squared + bent, FLAT * squared + 1e-300)
                delta = _length(slope, curvature, near, 2.0 * epsilon[first], far, 2.0 * epsilon[second])
                delta = min(delta, room_i, room_j, _FAR)
                moved = sign * delta
                beta[i] = (upper[i] if sign > 0 else lower[i]) if delta == room_i else beta[i] + moved
                gradient[i] += ridge[i] * moved
                if paired:
                    beta[j] = lower[j] if delta == room_j else beta[j] - moved
                    gradient[j] -= ridge[j] * moved
                for k in (i, j):
                    up[k] = _offset_up(beta[k], upper[k], epsilon[k])
                    down[k] = _offset_down(beta[k], lower[k], epsilon[k])
                taken += 1
            for k in range(split):
                values[k] = gradient[k] - ridge[k] * beta[k] + box[0, k] + level
            for k in range(split, n):
                values[k] = gradient[k] - ridge[k] * beta[k] + box[0, k] + second_level
        return taken, ended

    return vectorised(steps)


pair_steps, single_steps, group_steps = _steps(True), _steps(False), _steps(True, True)
