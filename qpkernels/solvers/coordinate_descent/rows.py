# SPDX-License-Identifier: BSD-3-Clause
"""Explicit features row by row, dense or sparse, and their products in compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Samples, Vector, frozen, is_sparse
from qpkernels.arrays.compiled import compiled, inlined, vectorised
from qpkernels.problems import KernelQP

__all__ = ["Rows", "add_row", "add_rows", "inner", "row_values", "rows_of"]


class Rows(NamedTuple):
    """The rows z_i of features Z with K = Z Z', up to a shift of all of them where 1'beta = 0.

    Attributes
    ----------
    starts
        Where each row begins in ``values``, and the last one ends, shape (m + 1,).
    columns
        The feature of each value; empty where rows have all of them, in order.
    values
        The values.
    squares
        ||z_i||^2, shape (m,).
    """

    starts: NDArray[np.uint64]
    columns: NDArray[np.uint32]
    values: Floats
    squares: Vector


def rows_of(program: KernelQP) -> tuple[Rows, int]:
    """Return the features of a problem row by row, and their number; the factor of K where its kernel has none.

    Dense ones are taken around their mean where 1'beta = 0: that changes b only, and spares the descent the direction
    that all samples share.
    """
    gram = program.gram
    Z: Samples = gram.sparse_features
    if Z is None:
        Z = gram.kernel.features(gram.X) if gram.correction is None else None
        Z = gram.factor if Z is None else Z
        Z = np.ascontiguousarray(Z - Z.mean(axis=0) if program.total == 0.0 else Z, dtype=np.float64)
    m, count = Z.shape
    if is_sparse(Z):
        # Of an unsigned index compiled code need not ask whether it counts from the end.
        starts, columns = Z.indptr.astype(np.uint64), Z.indices.astype(np.int32, copy=False).view(np.uint32)
        values = Z.data
    else:
        starts, columns, values = (
            np.arange(m + 1, dtype=np.uint64) * np.uint64(count),
            np.zeros(0, np.uint32),
            Z.ravel(),
        )
    # Read-only as samples are, whatever they come from: loops are compiled once.
    starts, columns, values = (frozen(part) for part in (starts, columns, values))
    return Rows(starts, columns, values, _squares(starts, values)), int(count)


@compiled
def _squares(starts: NDArray[np.uint64], values: Floats) -> Vector:
    squares = np.zeros(starts.size - 1)
    for i in range(squares.size):
        for p in range(starts[i], starts[i + 1]):
            squares[i] += values[p] * values[p]
    return squares


@inlined
def inner(rows: Rows, i: int, w: Vector) -> float:
    """Return z_i'w."""
    start, stop, value = rows.starts[i], rows.starts[i + 1], 0.0
    if rows.columns.size == 0:
        for p in range(start, stop):
            value += rows.values[p] * w[p - start]
    else:
        for p in range(start, stop):
            value += rows.values[p] * w[rows.columns[p]]
    return value


@inlined
def add_row(rows: Rows, i: int, factor: float, w: Vector) -> None:
    """Add factor z_i to ``w``."""
    start, stop = rows.starts[i], rows.starts[i + 1]
    if rows.columns.size == 0:
        for p in range(start, stop):
            w[p - start] += factor * rows.values[p]
    else:
        for p in range(start, stop):
            w[rows.columns[p]] += factor * rows.values[p]


@vectorised
def row_values(rows: Rows, samples: Indices, w: Vector) -> Vector:
    """Return z_i'w of these samples."""
    found = np.empty(samples.size)
    for k in range(samples.size):
        found[k] = inner(rows, samples[k], w)
    return found


@vectorised
def add_rows(rows: Rows, samples: Indices, coefficients: Vector, w: Vector) -> None:
    """Add the sum of coefficients_k z_i over these samples i to ``w``."""
    for k in range(samples.size):
        if coefficients[k] != 0.0:
            add_row(rows, samples[k], coefficients[k], w)
