# SPDX-License-Identifier: BSD-3-Clause
"""The compiled steps of an active-set method: the free samples, their inverse, and how far a step goes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled

__all__ = [
    "SLACK",
    "Arrays",
    "add_row",
    "drop_row",
    "first_end",
    "free_part",
    "free_samples",
    "interval",
    "tie",
    "to_minimum",
]

SLACK = 1e-13
"""Part of its size by which a slack may be missed, so that of almost equal steps the safest is taken."""


class Arrays(NamedTuple):
    """A KernelQP's numbers for each sample beside its kernel, shape (m,) each, as compiled code takes them."""

    target: Vector
    epsilon: Vector
    ridge: Vector
    lower: Vector
    upper: Vector


@compiled
def interval(lower: float, upper: float, side: float) -> tuple[float, float]:
    """Return the ends between which a coefficient on that side of its kink may move; 0: there is no kink."""
    return max(lower, 0.0) if side > 0.0 else lower, min(upper, 0.0) if side < 0.0 else upper


@compiled
def free_samples(p: Arrays, beta: Vector) -> Indices:
    """Return the samples whose coefficients are inside their bounds, and off their kinks."""
    found, size = np.empty(beta.size, np.intp), 0
    for k in range(beta.size):
        if p.lower[k] < beta[k] < p.upper[k] and (beta[k] != 0 or p.epsilon[k] == 0):
            found[size] = k
            size += 1
    return found[:size]


@compiled
def free_part(
    p: Arrays, free: Indices, side: Vector, beta: Vector, values: Vector
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the coefficients of free samples, their slopes without b, and the ends of their intervals.

    ``side`` has the sign of each coefficient with a kink, or that which it will have.
    """
    n = free.size
    x, slope, low, high = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for a in range(n):
        k = free[a]
        sign = 0.0 if p.epsilon[k] == 0 else 1.0 if side[k] > 0 else -1.0
        x[a] = beta[k]
        slope[a] = values[k] + p.ridge[k] * beta[k] - p.target[k] + sign * p.epsilon[k]
        low[a], high[a] = interval(p.lower[k], p.upper[k], sign)
    return x, slope, low, high


@compiled
def add_row(memory: Matrix, u: Vector, s: float) -> None:
    """Add a row to the inverse in the first rows of ``memory``, given u and the Schur complement s."""
    n = u.size
    for k in range(n):
        add_scaled(memory[k, :n], 1.0 / s * u[k], u)
    for k in range(n):
        memory[n, k] = memory[k, n] = -u[k] / s
    memory[n, n] = 1.0 / s


@compiled
def drop_row(memory: Matrix, n: int, k: int) -> None:
    """Leave out row k of the inverse in the first n rows of ``memory``; the last one takes its place."""
    row, column, factor = memory[k, :n].copy(), memory[:n, k].copy(), -1.0 / memory[k, k]
    for a in range(n):
        add_scaled(memory[a, :n], factor * column[a], row)
    # Loops, since assigned slices take seconds to compile.
    for a in range(n):
        memory[k, a] = memory[n - 1, a]
    for a in range(n):
        memory[a, k] = memory[a, n - 1]


@compiled
def tie(d: Vector, w: Vector, total: float) -> float:
    """Make of A^-1 r the d with A d + b 1 = r and 1'd = total, in place, given w = A^-1 1; return b."""
    size, stiffness = 0.0, 0.0
    for k in range(d.size):
        size, stiffness = size + d[k], stiffness + w[k]
    b = (size - total) / stiffness
    add_scaled(d, -b, w)
    return b


@compiled
def first_end(slack: Vector, fall: Vector) -> tuple[float, int]:
    """Return how far to go until the first of some slacks ends, and which does; infinity and -1: none.

    Slacks, and by how much they fall, are in units of what they may be missed by. As by Harris: among those that end
    before the first one is missed by its unit, the one that falls fastest. What does not fall has the fall 0.
    """
    reach, step, found, fastest = np.inf, np.inf, -1, 0.0
    for k in range(fall.size):
        if fall[k] > 0:
            reach = min(reach, (slack[k] + 1.0) / fall[k])
    if reach == np.inf:
        return step, found
    reach = max(reach, 0.0)
    for k in range(fall.size):
        if fall[k] > fastest and slack[k] <= reach * fall[k]:
            step, found, fastest = max(slack[k] / fall[k], 0.0), k, fall[k]
    return step, found


@compiled
def to_minimum(
    memory: Matrix,
    order: Indices,
    u: Vector,
    w: Vector,
    slope: Vector,
    low: Vector,
    high: Vector,
    x: Vector,
    tied: bool,
    lack: float,
    most: int,
) -> tuple[int, float]:
    """Go from x to the minimum over free coefficients, in place; those that come to an end on the way stay there.

    After the part t of a step the slopes are (1 - t) g - t b, and what the sum lacks is 1 - t times what it was.
    Without row k of M, u and w lose their entries k times M_k / M_kk.

    Parameters
    ----------
    memory
        In its first rows and columns the inverse M; in the end that of those that are still free.
    order
        The numbers from 0 on; in the end those of the free coefficients, in the order of the rows of M, come first.
    u, w
        M g and M 1, in the order of the rows of M.
    slope, low, high, x
        The slopes g without b, the ends of the intervals, and the coefficients. All but these two are written over.
    tied, lack
        Whether the sum is given, and what it lacks.
    most
        How many may come to an end.

    Returns
    -------
    How many are still free, and b.
    """
    size, b = order.size, 0.0
    step, slack, fall = np.empty(size), np.empty(size), np.empty(size)
    for n in range(size, max(size - most, 0), -1):
        for a in range(n):
            step[a] = -u[a]
        b = tie(step[:n], w[:n], lack) if tied else 0.0
        gain = 0.0
        for a in range(n):
            k, way = order[a], step[a]
            gain -= way * (slope[k] + b)
            unit = SLACK * (abs(x[k]) + abs(way))
            slack[a] = (high[k] - x[k] if way > 0 else x[k] - low[k]) / unit
            fall[a] = abs(way) / unit if way != 0.0 else 0.0
        if lack == 0.0 and not gain > 0.0:
            # Nothing but rounding is left, or it has made M indefinite.
            return n, b
        part, out = first_end(slack[:n], fall[:n])
        part = min(part, 1.0)
        for a in range(n):
            k = order[a]
            x[k] = min(max(x[k] + part * step[a], low[k]), high[k])
            slope[k] = (1.0 - part) * slope[k] - part * b
        if part == 1.0 or not memory[out, out] > 0.0:
            return n, b
        gone, last = order[out], n - 1
        x[gone] = high[gone] if step[out] > 0 else low[gone]
        lack *= 1.0 - part
        of_u, of_w = u[out] / memory[out, out], w[out] / memory[out, out]
        for a in range(n):
            w[a] -= of_w * memory[a, out]
            u[a] = (1.0 - part) * (u[a] - of_u * memory[a, out]) - part * b * w[a]
        u[out], w[out] = u[last], w[last]
        drop_row(memory, n, out)
        order[out], order[last] = order[last], gone
    return max(size - most, 0), b
