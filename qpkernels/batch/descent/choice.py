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
    """Return where the ``count`` least of ``values`` are that lie ``below``."""
    found = np.flatnonzero(values < below)
    if found.size <= count:
        return found
    edge = np.partition(values[found], count)[count]
    least = np.empty(count, np.intp)
    n = 0
    for strict in (True, False):
        for k in found:
            if n < count and (values[k] < edge if strict else values[k] == edge):
                least[n] = k
                n += 1
    return least
