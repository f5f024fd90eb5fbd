# SPDX-License-Identifier: BSD-3-Clause
"""A symmetric matrix whose rows and columns come and go, without moving the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.threads import in_parts

__all__ = ["GrowingMatrix", "Stored"]

_SPARE = 8
"""One row in so many is room for more: a larger matrix is copied after as many additions."""

_COLUMNS = 512
"""Columns that a thread sums at least."""

_READING = 4
"""Multiplications that take as long as reading an entry of a row."""


class Stored(NamedTuple):
    """Entries in memory: K_ij is ``matrix[slots[i], slots[j]]``."""

    matrix: Matrix
    slots: Indices

    def sums(self, samples: Indices, factors: Vector) -> Vector:
        """Return sum over c of factors_c K_cj over some ``samples`` c, for all j."""
        from qpkernels.gram.panels.loops import add_stored_rows

        rows, sums = self.slots[samples], np.zeros(int(self.slots.max()) + 1)
        in_parts(
            lambda _, part: add_stored_rows(self.matrix, rows, part.start, factors, sums[part]),
            sums.size,
            _COLUMNS,
            float(_READING) * samples.size * sums.size,
        )
        return np.asarray(sums[self.slots])


class GrowingMatrix:
    """A symmetric matrix in memory with room for more rows.

    A row, with its column, has a slot; that of one that is gone is used again. What is not in use is 0.

    Parameters
    ----------
    matrix
        The first rows, which take the first slots.
    """

    def __init__(self, matrix: Matrix) -> None:
        self._free: list[int] = []
        self.entries: Matrix = np.zeros((0, 0))
        self._resize(matrix, len(matrix))

    def _resize(self, matrix: Matrix, size: int) -> None:
        """Make room for ``size`` rows and some more, the first of which are those of ``matrix``."""
        capacity, known = size + size // _SPARE + _SPARE, len(matrix)
        before, self.entries = len(self.entries), np.zeros((capacity, capacity))
        self.entries[:known, :known] = matrix
        self._free = [*range(capacity - 1, max(before, known) - 1, -1), *self._free]

    def claim(self, count: int) -> Indices:
        """Return so many slots that are free, for rows to be written."""
        if count > len(self._free):
            self._resize(self.entries, len(self.entries) + count)
        return np.array([self._free.pop() for _ in range(count)], dtype=np.intp)

    def give_back(self, slots: Indices) -> None:
        """Let ``slots`` be used again."""
        self._free.extend(slots.tolist())

    def write(self, slots: Indices, others: Indices, rows: Matrix) -> None:
        """Write ``rows``, those in ``slots``, at the columns ``others``, and the same as columns."""
        self.entries[slots[:, None], others] = rows
        self.entries[others[:, None], slots] = rows.T

    def product(self, slots: Indices, v: Vector) -> Vector:
        """Return the product with v of the matrix in ``slots``, from the rows where v is not 0."""
        used = np.flatnonzero(v)
        return Stored(self.entries, slots).sums(used, v[used])

    def part(self, slots: Indices) -> Matrix:
        """Return a copy of the matrix in ``slots``."""
        return self.entries[np.ix_(slots, slots)]
