# SPDX-License-Identifier: BSD-3-Clause
"""The choice of a block in compiled code."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.arrays.compiled import compiled

__all__ = ["most_violating"]


@compiled
def most_violating(up: Vector, down: Vector, recent: Indices, size: int, lowest: float, highest: float) -> Indices:
    """Return up to ``size`` samples: those that violate optimality most by either slope, then the ``recent`` ones.

    ``up`` and ``down`` are written over.
    """
    up[recent], down[recent] = np.inf, -np.inf
    half = (size - recent.size) // 2
    rising = _least(up, half, highest)
    down[rising] = -np.inf
    for k in range(down.size):
        down[k] = -down[k]
    return np.concatenate((rising, _least(down, half, -lowest), recent))


@compiled
def _least(values: Vector, count: int, below: float) -> Indices:
    """Return where the ``count`` least of ``values`` ``below`` are, from a heap with the worst of them on top."""
    heap = np.empty(count, np.intp)
    size = 0
    for k in range(values.size):
        value = values[k]
        if not value < below or (size == count and (count == 0 or value >= values[heap[0]])):
            continue
        if size < count:
            at = size
            size += 1
            while at > 0 and values[heap[(at - 1) // 2]] < value:
                heap[at] = heap[(at - 1) // 2]
                at = (at - 1) // 2
        else:
            at = 0
            while True:
                child = 2 * at + 1
                if child + 1 < size and values[heap[child + 1]] > values[heap[child]]:
                    child += 1
                if child >= size or values[heap[child]] <= value:
                    break
                heap[at] = heap[child]
                at = child
        heap[at] = k
    return heap[:size]
