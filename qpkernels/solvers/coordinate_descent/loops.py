# SPDX-License-Identifier: BSD-3-Clause
r"""Sweeps of exact steps in one coefficient each, in compiled loops.

With w = sum_j beta_j z_j and c the multiplier of 1'beta = total as far as it is known, the slopes of sample i are

    g_i + [-epsilon_i, epsilon_i],    g_i = z_i'w + c + ridge_i beta_i - target_i

(one end of the interval where beta_i is not 0), and the step minimises over beta_i within its bounds.

So do passes over few weights, each of which adds its size to the losses of all samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled, inlined, vectorised

__all__ = [
    "BETA",
    "Box",
    "Rows",
    "Sweep",
    "add_row",
    "add_rows",
    "best_intercept",
    "descend_weights",
    "inner",
    "row_values",
    "squared_norms",
    "sweep",
]

BETA = 6
"""The column of beta."""

_DESCENT, _HALVINGS = 0.01, 30
"""Part of the descent that the slope promises which a step must make, and how often a step is halved."""

Places = Indices | NDArray[np.int32]
"""Places in compressed columns."""


class Rows(NamedTuple):
    """The rows z_i of features Z with K = Z Z', up to a shift of all of them where 1'beta = 0.

    Attributes
    ----------
    starts
        Where each row begins in ``values``, and the last one ends, shape (m + 1,).
    columns
        The feature of each value; empty where rows have all of them, in order.
    values
        The values.
    squares
        ||z_i||^2, shape (m,).
    """

    starts: NDArray[np.uint64]
    columns: NDArray[np.uint32]
    values: Floats
    squares: Vector


class Box(NamedTuple):
    """A KernelQP's numbers for each sample beside its kernel, shape (m,) each."""

    target: Vector
    lower: Vector
    upper: Vector
    epsilon: Vector
    ridge: Vector

    def table(self, squares: Vector) -> Matrix:
        """Return all that a step reads of a sample in a row, so that it is one line of a processor's cache.

        The columns are those above, then ||z_i||^2, beta_i, which is 0 here, and room that makes it a line.
        """
        return np.column_stack([*self, squares, np.zeros((squares.size, 2))])


class Sweep(NamedTuple):
    """The result of a sweep.

    Attributes
    ----------
    kept
        How many samples are left in; those left out follow them in the order.
    violation
        The largest slope along which a coefficient could move.
    gain
        By how much the objective fell.
    change
        By how much 1'beta grew.
    """

    kept: int
    violation: float
    gain: float
    change: float


@compiled
def squared_norms(starts: NDArray[np.uint64], values: Floats) -> Vector:
    """Return ||z_i||^2 of the rows."""
    squares = np.zeros(starts.size - 1)
    for i in range(squares.size):
        for p in range(starts[i], starts[i + 1]):
            squares[i] += values[p] * values[p]
    return squares


@inlined
def inner(rows: Rows, i: int, w: Vector) -> float:
    """Return z_i'w."""
    start, stop, value = rows.starts[i], rows.starts[i + 1], 0.0
    if rows.columns.size == 0:
        for p in range(start, stop):
            value += rows.values[p] * w[p - start]
        return value
    second, third, fourth = 0.0, 0.0, 0.0
    whole = start + ((stop - start) >> np.uint64(2) << np.uint64(2))
    for p in range(start, whole, np.uint64(4)):
        value += rows.values[p] * w[rows.columns[p]]
        second += rows.values[p + np.uint64(1)] * w[rows.columns[p + np.uint64(1)]]
        third += rows.values[p + np.uint64(2)] * w[rows.columns[p + np.uint64(2)]]
        fourth += rows.values[p + np.uint64(3)] * w[rows.columns[p + np.uint64(3)]]
    for p in range(whole, stop):
        value += rows.values[p] * w[rows.columns[p]]
    return (value + second) + (third + fourth)


@inlined
def add_row(rows: Rows, i: int, factor: float, w: Vector) -> None:
    """Add factor z_i to ``w``."""
    start, stop = rows.starts[i], rows.starts[i + 1]
    if rows.columns.size == 0:
        for p in range(start, stop):
            w[p - start] += factor * rows.values[p]
    else:
        for p in range(start, stop):
            w[rows.columns[p]] += factor * rows.values[p]


@vectorised
def row_values(rows: Rows, samples: Indices, w: Vector) -> Vector:
    """Return z_i'w of these samples."""
    found = np.empty(samples.size)
    for k in range(samples.size):
        found[k] = inner(rows, samples[k], w)
    return found


@vectorised
def add_rows(rows: Rows, samples: Indices, coefficients: Vector, w: Vector) -> None:
    """Add the sum of coefficients_k z_i over these samples i to ``w``."""
    for k in range(samples.size):
        if coefficients[k] != 0.0:
            add_row(rows, samples[k], coefficients[k], w)


@compiled
def _shuffle(order: Indices, count: int, seed: NDArray[np.uint64]) -> None:
    """Shuffle the first so many, by Marsaglia's xorshift."""
    x = seed[0]
    for k in range(count - 1, 0, -1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        # Of the upper half of the bits; a remainder takes as long as a row does.
        other = ((x >> np.uint64(32)) * np.uint64(k + 1)) >> np.uint64(32)
        order[k], order[other] = order[other], order[k]
    seed[0] = x


@vectorised
def sweep(
    rows: Rows,
    table: Matrix,
    w: Vector,
    level: float,
    penalty: float,
    order: Indices,
    count: int,
    margin: float,
    seed: NDArray[np.uint64],
) -> Sweep:
    """Take a step in each of the first ``count`` samples of ``order``, in random order.

    Parameters
    ----------
    table
        See :meth:`Box.table`; its beta is changed.
    level, penalty
        c, and by how much it grows for each unit of 1'beta.
    margin
        A coefficient that is held where it is by a slope above this is left out from now on.
    """
    _shuffle(order, count, seed)
    violation, gain, change, k = 0.0, 0.0, 0.0, 0
    while k < count:
        i = order[k]
        target, lower, upper, epsilon = table[i, 0], table[i, 1], table[i, 2], table[i, 3]
        ridge, square, old = table[i, 4], table[i, 5], table[i, BETA]
        g = inner(rows, i, w) + level + penalty * change + ridge * old - target
        left, right = g + epsilon if old > 0 else g - epsilon, g - epsilon if old < 0 else g + epsilon
        slope = max(-right if old < upper else -np.inf, left if old > lower else -np.inf)
        if slope < -margin:
            count -= 1
            order[k], order[count] = order[count], i
            continue
        k += 1
        if slope <= 0.0:
            continue
        violation, curvature = max(violation, slope), square + ridge + penalty
        new = min(max(_minimiser(old, g, curvature, epsilon), lower), upper)
        step = new - old
        # Along a row of 0 without a ridge the objective falls for ever: there is no step to take.
        if np.isinf(new) or step == 0.0:
            continue
        table[i, BETA] = new
        change += step
        gain -= step * (g + 0.5 * curvature * step) + epsilon * (abs(new) - abs(old))
        add_row(rows, i, step, w)
    return Sweep(count, violation, gain, change)


@compiled
def _minimiser(old: float, g: float, curvature: float, epsilon: float) -> float:
    """Return where g (x - old) + curvature/2 (x - old)^2 + epsilon |x| is least; it is not so at ``old``."""
    if curvature == 0.0:
        return -np.inf if g > 0.0 else np.inf
    free, width = old - g / curvature, epsilon / curvature
    return free - width if free > width else min(free + width, 0.0)


@compiled
def _excess(box: Box, values: Vector, b: float, total: float) -> float:
    """Return the sum of the slopes -L_i' at values + b, less ``total``: it falls as b grows."""
    found = -total
    for i in range(values.size):
        residual = box.target[i] - b - values[i]
        size = abs(residual) - box.epsilon[i]
        if size > 0.0:
            steep = size / box.ridge[i] if box.ridge[i] > 0.0 else np.inf
            found += min(steep, box.upper[i]) if residual > 0.0 else max(-steep, box.lower[i])
    return found


@compiled
def best_intercept(box: Box, values: Vector, total: float, near: float, width: float) -> float:
    """Return the b of the least P for these f(x_i), by bisection from an interval of that ``width`` around ``near``."""
    low, high = near - width, near + width
    # 2^60 times the width is as good as no bound: the losses have no slope there.
    for _ in range(60):
        if _excess(box, values, low, total) >= 0.0:
            break
        low = near - 2.0 * (near - low)
    for _ in range(60):
        if _excess(box, values, high, total) <= 0.0:
            break
        high = near + 2.0 * (high - near)
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if _excess(box, values, middle, total) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled
def descend_weights(
    starts: Places,
    rows: Places,
    entries: Vector,
    costs: Vector,
    roofs: Vector,
    columns: Indices,
    w: Vector,
    excess: Vector,
) -> float:
    """Take these weights towards the minimum of the objective in each; return the largest violation found.

    ``starts``, ``rows`` and ``entries`` are A in compressed columns, ``excess`` is 1 - Aw, and ``roofs`` are half the
    curvatures that the losses have at most, by feature.
    """
    largest = 0.0
    for j in columns:
        slope, curvature = 0.0, 0.0
        for k in range(starts[j], starts[j + 1]):
            i = rows[k]
            if excess[i] > 0.0:
                slope -= 2.0 * costs[i] * entries[k] * excess[i]
                curvature += 2.0 * costs[i] * entries[k] * entries[k]
        largest = max(largest, abs(slope + np.sign(w[j])) if w[j] != 0.0 else abs(slope) - 1.0)
        step = -w[j]
        if slope + 1.0 < curvature * w[j]:
            step = -(slope + 1.0) / curvature
        elif slope - 1.0 > curvature * w[j]:
            step = -(slope - 1.0) / curvature
        if step != 0.0:
            begin, end = starts[j], starts[j + 1]
            w[j] += _advance(rows[begin:end], entries[begin:end], costs, excess, w[j], step, slope, roofs[j])
    return largest


@compiled
def _advance(
    rows: Places, entries: Vector, costs: Vector, excess: Vector, w: float, step: float, slope: float, roof: float
) -> float:
    """Change ``excess`` by as much of a step of one weight as lets the objective fall enough; return that."""
    for _ in range(_HALVINGS):
        promised = abs(w + step) - abs(w)
        enough = _DESCENT * (promised + slope * step)
        change = promised + slope * step + roof * step * step
        if change > enough:
            change = promised
            for k in range(rows.size):
                i = rows[k]
                before, after = max(excess[i], 0.0), max(excess[i] - step * entries[k], 0.0)
                change += costs[i] * (after - before) * (after + before)
        if change <= enough:
            for k in range(rows.size):
                excess[rows[k]] -= step * entries[k]
            return step
        step *= 0.5
    return 0.0
