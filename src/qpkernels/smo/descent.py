# SPDX-License-Identifier: BSD-3-Clause
"""Block descent: choose a block of coefficients, minimise over it by pair steps, bring the values up to date."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.rows import Rows
from qpkernels.smo.steps import Arrays, Floats, pair_steps, single_steps
from qpkernels.smo.working_set import WorkingSet, slopes

__all__ = ["Descent"]

_INNER = 0.1
"""A block is left when its violation is this part of that of all: beyond, it would fit what the next one changes."""

_STEPS = 32
"""Steps for each coefficient of a block, at most: more would follow the rounding of its values, or a bad condition."""

_NO_MATRIX: Floats = np.empty((0, 0))


class Descent:
    """A point of a KernelQP on some ``samples``, and how to lower its objective there.

    Attributes
    ----------
    beta, values
        The point and K beta at the samples, with what samples outside add.
    steps
        Pair steps taken so far.
    violation
        By how much the slopes fail to be separated, before the last round.
    """

    def __init__(self, program: KernelQP, samples: Indices, rows: Rows, beta: Vector, values: Vector) -> None:
        self._bound = program.total is not None
        self._rows = rows
        self._data = Arrays(
            _NO_MATRIX,
            *(part[samples] for part in (program.target, program.epsilon, program.ridge, program.lower, program.upper)),
        )
        self.beta, self.values = beta[samples], values[samples]
        self.steps, self.violation = 0, np.inf
        self._up, self._down = np.empty(samples.size), np.empty(samples.size)
        self._working_set = WorkingSet(rows.block_size)
        self._visits = np.zeros(samples.size, np.int64)

    def round(self, limit: int, floor: float) -> int:
        """Minimise over one block, in at most ``limit`` steps; return how many.

        None means that the slopes are separated to within ``floor``.
        """
        p = self._data
        lowest, highest = slopes(p, self.beta, self.values, self._up, self._down)
        if not self._bound:
            lowest, highest = min(lowest, 0.0), max(highest, 0.0)
        self.violation = highest - lowest
        if self.violation <= floor:
            return 0
        level = (lowest, highest) if self._bound else (0.0, 0.0)
        chosen = self._working_set.choose(self._up, self._down, *level)
        block = Arrays(self._rows.block(chosen), *(part[chosen] for part in p[1:]))
        beta, values = self.beta[chosen], self.values[chosen]
        step = pair_steps if self._bound else single_steps
        limit = min(limit, _STEPS * chosen.size)
        taken = step(block, beta, values, limit, max(_INNER * self.violation, floor))
        delta = beta - self.beta[chosen]
        moved = np.flatnonzero(delta)
        self.beta[chosen] = beta
        changed = chosen[moved]
        self._visits[changed] += 1
        self._rows.add(changed, delta[moved], self._visits[changed], self.values)
        self.steps += taken
        return taken
