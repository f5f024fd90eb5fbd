# SPDX-License-Identifier: BSD-3-Clause
"""Shrinking: the descent goes on with the samples that may still change, and comes back to all of them at the end.

A sample at a bound or a kink whose slopes are on their side of -b, beyond every violation, stays where it is in most
cases. Rows over the others are shorter. Meanwhile such a sample adds nothing to the duality gap, if it stays on its
side; so the gap of the others estimates that of all. Once the estimate is small enough, the values of those left out
are brought up to date, by the rows of all that changed, and the gap is computed for all.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.descent.descent import Descent
from qpkernels.solvers.smo.iterate import Iterate, Stepped, measure
from qpkernels.solvers.smo.rows.rows import Rows

__all__ = ["ShrinkingDescent"]

_WORTH = 0.8
"""Part of the samples down to which it is not worth leaving out the others."""


class ShrinkingDescent:
    """Block descent from a point of a KernelQP over the samples that may still change.

    Attributes
    ----------
    steps
        Pair steps taken so far.
    """

    def __init__(self, program: KernelQP, rows: Rows, beta: Vector, values: Vector) -> None:
        self._program, self._rows = program, rows
        self._target_size = float(np.abs(program.target).max())
        self.steps = 0
        self._begin(beta, values)

    def _begin(self, beta: Vector, values: Vector) -> None:
        self.samples: Indices = np.arange(beta.size)
        self._descent = Descent(self._program, self._rows, beta, values)
        # All samples: as the descent left them with each shrinking, and as they were before the first.
        self._all: tuple[Vector, Vector] | None = None
        self._before = Stepped(beta, values)

    @property
    def exact(self) -> bool:
        """Whether the rows are made in float64."""
        return self._rows.exact

    @property
    def in_one_block(self) -> bool:
        """Whether the samples are few enough to minimise over all of them at once."""
        return self._descent.rows.matrix is not None

    @property
    def settled(self) -> bool:
        """Whether no step over one block of all samples is left."""
        return self._descent.settled

    @property
    def unshrunk(self) -> bool:
        """Whether no sample is left out."""
        return self._all is None

    def point(self) -> tuple[Vector, Vector]:
        """Return beta and K beta; K beta is older than beta at the samples left out."""
        if self._all is None:
            return self._descent.beta, self._descent.values
        self._write_back()
        return self._all

    @property
    def size(self) -> float:
        """The largest of the values and targets, whose rounding limits what can be told apart."""
        return max(float(np.abs(self._descent.values).max()), self._target_size)

    def measure(self, steps: int) -> Iterate:
        """Return where the method stands after ``steps`` earlier ones, which is an estimate if samples are left out."""
        return measure(
            self._program, *self.point(), steps + self.steps, stepped=None if self.unshrunk else self._before
        )

    def outer_iteration(self, limit: int, tolerance: float) -> int:
        """Minimise over one block, in at most ``limit`` steps; return how many; see :meth:`Descent.outer_iteration`."""
        taken = self._descent.outer_iteration(limit, tolerance)
        self.steps += taken
        return taken

    def shrink(self) -> None:
        """Leave out what may not change, if that is enough to be worth it."""
        if self.in_one_block or self._descent.rows.lasting:
            return
        active = self._descent.may_change()
        if active.size > _WORTH * self.samples.size:
            return
        if self._all is None:
            self._before = Stepped(self._descent.beta, self._descent.values)
            self._all = self._before.point.copy(), self._before.values.copy()
        self._write_back()
        self.samples = self.samples[active]
        self._descent.keep(active)

    def restore(self) -> None:
        """Take in again what was left out, with its values as they are now."""
        if self._all is None:
            return
        before, (beta, values) = self._before, self.point()
        out = np.ones(beta.size, bool)
        out[self.samples] = False
        left, changed = np.flatnonzero(out), np.flatnonzero(beta != before.point)
        # Those left out later hold values of then: all of them start from the same point.
        values[left] = before.values[left]
        self._rows.add_to(left, changed, (beta - before.point)[changed], values)
        self._begin(beta, values)

    def _write_back(self) -> None:
        if self._all is not None:
            beta, values = self._all
            beta[self.samples], values[self.samples] = self._descent.beta, self._descent.values
