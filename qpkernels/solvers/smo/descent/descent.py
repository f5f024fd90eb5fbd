# SPDX-License-Identifier: BSD-3-Clause
"""Block descent: choose a block of coefficients, minimise over it by pair steps, bring the values up to date."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Vector
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.descent.passes import Arrays
from qpkernels.solvers.smo.descent.steps import pair_steps, single_steps
from qpkernels.solvers.smo.descent.working_set import WorkingSet, slopes
from qpkernels.solvers.smo.rows.rows import Rows

__all__ = ["Descent"]

_INNER, _INNER_OF_MANY = 0.1, 0.3
"""A block is left when its violation is this part of that of all: beyond, it would fit what the next one changes.

The second is for more coefficients inside their bounds than two blocks hold: those outside change it sooner.
In float64, where the last digits are wanted, none is left early.
"""

_STEPS = 32
"""Steps for each coefficient of a block, at most: more would follow the rounding of its values, or a bad condition."""

_AT_ONCE = 500
"""Least number of steps between two looks at a problem that is one block."""

_BEYOND = 0.25
"""Violations by which a slope is on the right side of optimality where its sample is not expected to change."""

_NO_MATRIX: Floats = np.empty((0, 0))


class Descent:
    """A point of a KernelQP, and how to lower its objective over some samples.

    Attributes
    ----------
    rows
        K of these samples.
    beta, values
        The point and K beta at them; others may add to K beta.
    settled
        Whether no step over the one block that all of them are is left.
    """

    def __init__(self, program: KernelQP, rows: Rows, beta: Vector, values: Vector) -> None:
        self._bound = program.total is not None
        self._steps = pair_steps if self._bound else single_steps
        self.rows = rows
        parts = (program.target, program.epsilon, program.ridge, program.lower, program.upper)
        # Copies, since compiled code is another for arrays that are read-only.
        self._data = Arrays(_NO_MATRIX, *(part.copy() for part in parts))
        self.beta, self.values = beta.copy(), values.copy()
        self._up, self._down = np.empty(beta.size), np.empty(beta.size)
        self._working_set = WorkingSet(rows.block_size)
        self._visits = np.zeros(beta.size, np.int64)
        self.settled = False

    def outer_iteration(self, limit: int, tolerance: float) -> int:
        """Minimise over one block, in at most ``limit`` steps; return how many.

        0 means that the slopes are separated to within ``tolerance``.
        """
        lowest, highest = self._slopes()
        violation = highest - lowest
        if violation <= tolerance:
            return 0
        if self.rows.matrix is not None:
            return self._in_one_block(self.rows.matrix, limit, tolerance)
        level = (lowest, highest) if self._bound else (0.0, 0.0)
        chosen = self._working_set.choose(self._up, self._down, *level)
        block = Arrays(self.rows.block(chosen), *(part[chosen] for part in self._data[1:]))
        beta, values = self.beta[chosen], self.values[chosen]
        limit = min(limit, _STEPS * chosen.size)
        many = not self.rows.exact and np.count_nonzero(self._inside()) > 2 * self.rows.block_size
        inner = _INNER_OF_MANY if many else _INNER
        taken = self._steps(block, beta, values, limit, max(inner * violation, tolerance))
        delta = beta - self.beta[chosen]
        moved = np.flatnonzero(delta)
        self.beta[chosen] = beta
        changed = chosen[moved]
        self._visits[changed] += 1
        self.rows.add(changed, delta[moved], self._visits[changed], self.values)
        return taken

    def _in_one_block(self, matrix: Floats, limit: int, tolerance: float) -> int:
        limit = min(limit, max(self.beta.size, _AT_ONCE))
        taken = self._steps(Arrays(matrix, *self._data[1:]), self.beta, self.values, limit, tolerance)
        self.settled = taken < limit
        return taken

    def may_change(self) -> Indices:
        """Return the samples that are inside their bounds and off their kinks, or violate optimality, or almost do."""
        lowest, highest = self._slopes()
        beyond = _BEYOND * max(highest - lowest, 0.0)
        return np.flatnonzero(self._inside() | (self._up <= highest + beyond) | (self._down >= lowest - beyond))

    def _inside(self) -> NDArray[np.bool_]:
        """Return which coefficients are inside their bounds and off their kinks."""
        p, beta = self._data, self.beta
        return np.asarray((beta > p.lower) & (beta < p.upper) & ((beta != 0) | (p.epsilon == 0)))

    def keep(self, samples: Indices) -> None:
        """Go on with these ``samples`` alone, in ascending order and numbered anew."""
        self.rows = self.rows.part(samples)
        self._data = Arrays(_NO_MATRIX, *(part[samples] for part in self._data[1:]))
        self.beta, self.values, self._visits = self.beta[samples], self.values[samples], self._visits[samples]
        self._up, self._down = self._up[: samples.size], self._down[: samples.size]
        self._working_set.keep(samples, self.rows.block_size)

    def _slopes(self) -> tuple[float, float]:
        """Write the slopes, and return the least that goes up and the greatest that goes down."""
        lowest, highest = slopes(self._data, self.beta, self.values, self._up, self._down)
        return (lowest, highest) if self._bound else (min(lowest, 0.0), max(highest, 0.0))
