# SPDX-License-Identifier: BSD-3-Clause
"""What is done with rows of a kernel matrix, dense or sparse samples alike: made of products, kept, summed.

Sums of rows are taken in float64: a sum of thousands of rows in float32 would err a hundred times more than the rows.
The form of the entries is that of :class:`~qpkernels.kernels.ProductForm`.
"""

from typing import Any

import numpy as np

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled, vectorised
from qpkernels.gram.panels.exponential import exp2

__all__ = [
    "add_scaled",
    "add_stored_rows",
    "copy",
    "entries",
    "gather_block",
    "inner_product",
    "mirror",
    "write_both",
    "write_symmetric",
]

_WIDE = 8192
"""Columns that are summed at once: their sums stay in a processor's cache, whatever the rows."""

_LINE = 8
"""Numbers of float64 in a line of a processor's cache, and half of those of float32."""

_LANES = 64
"""Parts of a sum of products."""

_TOGETHER = 4
"""Rows that are added in one pass: the sums are read and written once for all of them."""


@compiled
def add_stored_rows(store: Floats, slots: Indices, first: int, delta: Vector, values: Vector) -> None:
    """Add delta'K to ``values``, where row c of K was written to ``store[slots[c], first:]``."""
    part = np.empty(_WIDE)
    for start in range(0, values.size, _WIDE):
        stop = min(start + _WIDE, values.size)
        sums = part[: stop - start]
        sums[:] = 0
        whole = slots.size - slots.size % _TOGETHER
        for c in range(0, whole, _TOGETHER):
            _add_four(sums, delta[c : c + _TOGETHER], store, slots[c : c + _TOGETHER], first + start)
        for c in range(whole, slots.size):
            add_scaled(sums, delta[c], store[slots[c], first + start : first + stop])
        for k in range(stop - start):
            values[start + k] += sums[k]


@compiled
def gather_block(
    store: Floats, slots: Indices, columns: Indices, rows: Indices, places: Indices, block: Floats
) -> None:
    """Write ``store[slots[c], columns[k]]`` to ``block[rows[c], places[k]]``.

    With ascending ``columns`` a row is read from its beginning to its end: a third less time where it is long.
    """
    for c in range(rows.size):
        source, target = store[slots[c]], block[rows[c]]
        for k in range(columns.size):
            target[places[k]] = source[columns[k]]


@compiled
def write_both(panel: Floats, rows: Indices, columns: Indices, block: Floats) -> None:
    """Write ``panel[b, a]`` to ``block[rows[b], columns[a]]`` and to the place mirrored at the diagonal."""
    for start in range(0, rows.size, 2 * _LINE):
        stop = min(start + 2 * _LINE, rows.size)
        for b in range(start, stop):
            target = block[rows[b]]
            for a in range(columns.size):
                target[columns[a]] = panel[b, a]
        for a in range(columns.size):
            target = block[columns[a]]
            for b in range(start, stop):
                target[rows[b]] = panel[b, a]


@compiled
def mirror(block: Floats, rows: Indices, columns: Indices) -> None:
    """Write ``block[columns[a], rows[b]]`` to the place mirrored at the diagonal."""
    for start in range(0, rows.size, 2 * _LINE):
        for a in range(columns.size):
            source = block[columns[a]]
            for b in range(start, min(start + 2 * _LINE, rows.size)):
                block[rows[b], columns[a]] = source[rows[b]]


@compiled
def write_symmetric(products: Matrix, start: int, offsets: Vector, degree: int, K: Matrix) -> None:
    """Write what is left of the diagonal in the rows from ``start`` on, of these ``products``, and its mirror image.

    ``start`` is a multiple of 8: so many numbers are read at once, and written to as many rows.
    """
    for c in range(len(products)):
        i, made = start + c, products[c, : start + c]
        entries(made, offsets[i], offsets[:i], degree)
        copy(made, K[i])
    for first in range(0, start, _LINE):
        for c in range(len(products)):
            line = products[c, first : first + _LINE]
            for k in range(_LINE):
                K[first + k, start + c] = line[k]
    for c in range(len(products)):
        row = K[start + c]
        for j in range(c + 1, len(products)):
            row[start + j] = products[j, start + c]


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
def inner_product(weights: Vector, row: Floats) -> float:
    """Return sum over k of weights_k row_k in float64, so many parts of it side by side as fill the registers."""
    lanes, whole = np.zeros(_LANES), row.size - row.size % _LANES
    for start in range(0, whole, _LANES):
        factors, part = weights[start : start + _LANES], row[start : start + _LANES]
        for k in range(_LANES):
            lanes[k] += factors[k] * part[k]
    total = 0.0
    for k in range(_LANES):
        total += lanes[k]
    for k in range(whole, row.size):
        total += weights[k] * row[k]
    return total


@vectorised
def _add_four(sums: Floats, factors: Vector, store: Floats, slots: Indices, first: int) -> None:
    """Add the rows in four ``slots`` times their factors, from the column ``first`` on."""
    a, b, c, d = factors[0], factors[1], factors[2], factors[3]
    stop = first + sums.size
    one, two, three, four = (
        store[slots[0], first:stop],
        store[slots[1], first:stop],
        store[slots[2], first:stop],
        store[slots[3], first:stop],
    )
    for k in range(sums.size):
        sums[k] += (a * one[k] + b * two[k]) + (c * three[k] + d * four[k])


@vectorised
def add_scaled(sums: Floats, factor: Any, row: Floats) -> None:
    """Add factor times ``row`` to ``sums``, in the precision of these."""
    for k in range(row.size):
        sums[k] += factor * row[k]


@compiled
def copy(row: Floats, target: Floats) -> None:
    """Copy a row; numba compiles ``target[:] = row`` with the words of an error, which takes it seconds."""
    for k in range(row.size):
        target[k] = row[k]
