# SPDX-License-Identifier: BSD-3-Clause
r"""The product K v of a matrix in memory whose rows come and go, from the product before it.

With v = v0 + d, K v = K v0 + K d takes the rows where d is not 0 alone. What rounding did to K v0 stays in it, and each
update adds to that what it does itself: in the terms of :mod:`qpkernels.problems.rounding`, with l_i = sqrt(K_ii),

    sqrt(n) eps sum_j |d_j| l_j l_i  +  eps |K v|_i

for the sum over n rows and for adding it. These bounds come with the product, so that a certificate counts them. Once
they are some times those of a product made afresh, it is made afresh.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.gram.changing.growing import GrowingMatrix, Stored
from qpkernels.gram.products import BoundedProduct

__all__ = ["FollowedProduct"]

_EPS = float(np.finfo(float).eps)

_WORSE = 8.0
"""Bounds, as multiples of those of a product made afresh, from which on it is made afresh."""

_SPARED = 2
"""It is made afresh, too, where this saves less than so many of the rows."""


class FollowedProduct:
    """The last product of a :class:`~qpkernels.gram.changing.growing.GrowingMatrix` with a vector, by its slots."""

    def __init__(self, memory: GrowingMatrix) -> None:
        self._memory = memory
        self.forget()

    def forget(self) -> None:
        """Make the next product afresh."""
        capacity = len(self._memory.entries)
        self._v, self._values, self._error = np.zeros(capacity), np.zeros(capacity), np.zeros(capacity)
        self._known = np.zeros(capacity, bool)

    def written(self, slots: Indices) -> None:
        """Take note that the rows in ``slots`` are others now."""
        if len(self._v) != len(self._memory.entries) or self._v[slots].any():
            self.forget()
        self._known[slots] = False

    def product(self, slots: Indices, v: Vector) -> BoundedProduct:
        """Return the product with v of the matrix in ``slots``, with bounds of what updates did to it."""
        full = np.zeros(self._v.size)
        full[slots] = v
        changed = np.flatnonzero(full != self._v)
        used = int(np.count_nonzero(v))
        lengths = self._lengths(slots)
        afresh = np.sqrt(used) * _EPS * float(np.abs(v) @ lengths) * lengths
        if _SPARED * (changed.size + int((~self._known[slots]).sum())) < used:
            self._update(slots, full, changed, lengths)
            if (self._error[slots] <= _WORSE * afresh).all():
                return BoundedProduct(v, self._values[slots], self._error[slots])
        values = self._memory.product(slots, v)
        self.forget()
        self._v, self._known[slots] = full, True
        self._values[slots], self._error[slots] = values, afresh
        return BoundedProduct(v, values, np.zeros(v.size))

    def _lengths(self, slots: Indices) -> Vector:
        return np.asarray(np.sqrt(np.maximum(self._memory.entries[slots, slots], 0.0)))

    def _update(self, slots: Indices, full: Vector, changed: Indices, lengths: Vector) -> None:
        """Bring the product up to date; of rows that are new, it is made afresh."""
        entries = self._memory.entries
        d = full[changed] - self._v[changed]
        if changed.size:
            # Rows that are gone are in memory until others are written there.
            at = Stored(entries, np.arange(len(entries)))
            self._values += at.sums(changed, d)
            own = np.sqrt(changed.size) * _EPS * float(np.abs(d) @ self._lengths(changed)) * lengths
            self._error[slots] += own + _EPS * np.abs(self._values[slots])
        (new,) = np.nonzero(~self._known[slots])
        used = np.flatnonzero(full)
        for k in new:
            slot = slots[k]
            self._values[slot] = entries[slot, used] @ full[used]
            size = np.sqrt(used.size) * _EPS * float(np.abs(full[used]) @ self._lengths(used))
            self._error[slot] = size * lengths[k]
        self._v, self._known[slots] = full, True
