# SPDX-License-Identifier: BSD-3-Clause
"""The compiled passes of coordinate descent, which change one weight after the other."""

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.arrays.compiled import compiled

__all__ = ["descend"]

_DESCENT, _HALVINGS = 0.01, 30
"""Part of the descent that the slope promises which a step must make, and how often a step is halved."""

Places = Indices | NDArray[np.int32]
"""Places in compressed columns."""


@compiled
def descend(
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
