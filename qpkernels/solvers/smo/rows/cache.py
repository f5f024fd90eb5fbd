# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a kernel matrix in a bounded piece of memory, the least recently used giving way."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from qpkernels.arrays import Floats, Indices

__all__ = ["RowCache"]


class RowCache:
    """Slots for rows of the kernel matrix of ``samples`` samples, as many as fit in ``size`` bytes.

    A fresh page of memory costs more than the entries computed into it. So the pages are touched only as slots are
    first used, one after the other, and a slot is used again rather than given back.
    """

    def __init__(self, samples: int, size: int, dtype: DTypeLike) -> None:
        entries = min(samples**2, size // np.dtype(dtype).itemsize)
        self._memory: Floats = np.empty(entries, dtype)
        self._begin(samples)

    def _begin(self, samples: int) -> None:
        capacity = min(samples, self._memory.size // samples)
        self.store: Floats = self._memory[: capacity * samples].reshape(capacity, samples)
        self._slot_of = np.full(samples, -1, np.intp)
        self._owner = np.full(capacity, -1, np.intp)
        self._used = np.zeros(capacity, np.int64)
        self._clock, self._touched = 0, 0

    @property
    def growing(self) -> bool:
        """Whether there are rows, and room for more."""
        return 0 < self._touched < self._used.size

    def part(self, samples: int) -> RowCache:
        """Return an empty cache for so many of the samples, in the same memory, which this one must not use meanwhile.

        It empties this one: to make the rows again costs less than to move what they have in common.
        """
        self._begin(self._slot_of.size)
        part = RowCache.__new__(RowCache)
        part._memory = self._memory
        part._begin(samples)
        return part

    def find(self, rows: Indices) -> Indices:
        """Return the slots of ``rows``, -1 where there is none, and note that they were used."""
        slots = self._slot_of[rows]
        self._clock += 1
        self._used[slots[slots >= 0]] = self._clock
        return slots

    def claim(self, rows: Indices) -> Indices:
        """Return slots for ``rows``, which have none, to be written; -1 where all slots are in use just now."""
        slots = np.full(rows.size, -1, np.intp)
        free = np.arange(self._touched, min(self._touched + rows.size, self._used.size))
        if free.size < rows.size:
            idle = np.flatnonzero(self._used[: self._touched] < self._clock)
            oldest = np.argsort(self._used[idle], kind="stable")[: rows.size - free.size]
            free = np.concatenate([free, idle[oldest]])
        self._touched = max(self._touched, int(free.max(initial=-1)) + 1)
        given = rows[: free.size]
        slots[: free.size] = free
        before = self._owner[free]
        self._slot_of[before[before >= 0]] = -1
        self._owner[free], self._slot_of[given], self._used[free] = given, free, self._clock
        return slots
