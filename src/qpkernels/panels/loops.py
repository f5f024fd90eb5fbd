# SPDX-License-Identifier: BSD-3-Clause
"""What is done with rows of a kernel matrix, a panel of columns at a time, so that no entry leaves a processor's cache.

For each panel of columns one matrix product gives a_c'a_j for all rows c that are wanted, one loop makes the entries of
them, and another adds sum_c delta_c k_cj to the values; the form of the entries is that of
:mod:`qpkernels.panels.products`.
"""

from typing import Any

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.compiled import compiled, vectorised
from qpkernels.panels.exponential import exp2
from qpkernels.panels.products import Floats

__all__ = ["PANEL", "add_rows", "add_stored_rows", "entries", "gather_block", "make_block"]

PANEL = 512
_STRIP = 64
_WIDE = 4096
"""Columns of a panel: with 1024 rows it takes the 2 MiB of a processor's own cache."""


@compiled
def add_rows(
    left: Floats,
    left_offsets: Floats,
    degree: int,
    right: Floats,
    right_offsets: Floats,
    delta: Vector,
    values: Vector,
    buffer: Floats,
    store: Floats,
    slots: Indices,
    first: int,
) -> None:
    """Add delta'K(left, right) to ``values``, and write row c of K to ``store[slots[c], first:]`` if slots[c] >= 0."""
    n, part = left.shape[0], np.empty(PANEL)
    for start in range(0, right.shape[0], PANEL):
        stop = min(start + PANEL, right.shape[0])
        panel = buffer[: n * (stop - start)].reshape(n, stop - start)
        np.dot(left, right[start:stop].T, panel)
        sums = part[: stop - start]
        sums[:] = 0
        for c in range(n):
            entries(panel[c], left_offsets[c], right_offsets[start:stop], degree)
            _add_scaled(sums, delta[c], panel[c])
            if slots[c] >= 0:
                store[slots[c], first + start : first + stop] = panel[c]
        for k in range(stop - start):
            values[start + k] += sums[k]


@compiled
def add_stored_rows(store: Floats, slots: Indices, first: int, delta: Vector, values: Vector) -> None:
    """Add delta'K to ``values``, where row c of K was written to ``store[slots[c], first:]``."""
    part = np.empty(_WIDE)
    for start in range(0, values.size, _WIDE):
        stop = min(start + _WIDE, values.size)
        sums = part[: stop - start]
        sums[:] = 0
        for c in range(slots.size):
            _add_scaled(sums, delta[c], store[slots[c], first + start : first + stop])
        for k in range(stop - start):
            values[start + k] += sums[k]


@compiled
def make_block(
    left: Floats, left_offsets: Floats, degree: int, right: Floats, right_offsets: Floats, rows: Indices, block: Floats
) -> None:
    """Write row c of K(left, right) to ``block[rows[c]]``."""
    strip = np.empty((_STRIP, right.shape[0]), block.dtype)
    for start in range(0, rows.size, _STRIP):
        stop = min(start + _STRIP, rows.size)
        part = strip[: stop - start]
        np.dot(left[start:stop], right.T, part)
        for c in range(stop - start):
            entries(part[c], left_offsets[start + c], right_offsets, degree)
            block[rows[start + c]] = part[c]


@compiled
def gather_block(store: Floats, slots: Indices, columns: Indices, rows: Indices, block: Floats) -> None:
    """Write ``store[slots[c], columns]`` to ``block[rows[c]]``."""
    for c in range(rows.size):
        source, target = store[slots[c]], block[rows[c]]
        for k in range(columns.size):
            target[k] = source[columns[k]]


@vectorised
def entries(row: Floats, offset: Any, offsets: Floats, degree: int) -> None:
    """Make of the products a_c'a_j in ``row`` the entries k_cj, in place."""
    zero = row.dtype.type(0)
    if degree == 0:
        for k in range(row.size):
            exponent = row[k] - offset - offsets[k]
            # Rounding may leave equal samples a little more than equal.
            row[k] = exp2(exponent if exponent < zero else zero)
        return
    for k in range(row.size):
        base = row[k] - offset - offsets[k]
        power = base
        for _ in range(degree - 1):
            power *= base
        row[k] = power


@vectorised
def _add_scaled(sums: Vector, factor: float, row: Floats) -> None:
    """Add in float64: a sum of thousands of rows in float32 would err a hundred times more than the rows do."""
    for k in range(row.size):
        sums[k] += factor * row[k]
