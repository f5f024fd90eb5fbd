# SPDX-License-Identifier: BSD-3-Clause
"""The choice of the coefficients that the next block holds: this decides how many rows of K are ever made.

The samples that violate optimality most are new to the block, half of them because they should go up, half because
they should go down. A block of them alone would drive them too far, since the others that would hold them back are
outside: then those are the most violating, and so on to and fro. So a sample stays for a second outer
iteration, against those that the first one made violating.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.solvers.smo.descent.passes import Arrays, offset_down, offset_up

__all__ = ["WorkingSet", "slopes"]


@compiled
def slopes(p: Arrays, beta: Vector, values: Vector, up: Vector, down: Vector) -> tuple[float, float]:
    """Write what going up costs and what going down gains, infinite where it cannot; return the least, the greatest."""
    lowest, highest = np.inf, -np.inf
    for k in range(beta.size):
        gradient = values[k] + p.ridge[k] * beta[k] - p.target[k]
        up[k] = gradient + offset_up(beta[k], p.upper[k], p.epsilon[k])
        down[k] = gradient + offset_down(beta[k], p.lower[k], p.epsilon[k])
        lowest, highest = min(lowest, up[k]), max(highest, down[k])
    return lowest, highest


class WorkingSet:
    """Chooses up to ``size`` samples in each outer iteration."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._recent = np.empty(0, np.intp)

    def choose(self, up: Vector, down: Vector, lowest: float, highest: float) -> Indices:
        """Return the most violating samples and those of the iteration before.

        ``up`` and ``down`` are as :func:`slopes` wrote them, and are written over. ``lowest`` and ``highest`` bound
        the slopes that do not violate optimality: down_k <= lowest and up_k >= highest.
        """
        up[self._recent], down[self._recent] = np.inf, -np.inf
        half = (self.size - self._recent.size) // 2
        rising = _least(up, half, highest)
        down[rising] = -np.inf
        np.negative(down, out=down)
        falling = _least(down, half, -lowest)
        chosen = np.concatenate([rising, falling, self._recent])
        self._recent = chosen[: self.size // 2]
        return chosen

    def keep(self, samples: Indices, size: int) -> None:
        """Choose among these ``samples`` alone from now on, numbered anew, up to ``size`` at once."""
        self.size = size
        found = np.searchsorted(samples, self._recent)
        found[found == samples.size] = 0
        self._recent = found[samples[found] == self._recent][: size // 2]


def _least(values: Vector, count: int, below: float) -> Indices:
    """Return where the ``count`` least of ``values`` are that lie ``below``."""
    if count < values.size:
        least = np.argpartition(values, count)[:count]
        return least[values[least] < below]
    return np.flatnonzero(values < below)
