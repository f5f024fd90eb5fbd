# SPDX-License-Identifier: BSD-3-Clause
"""Rows of sparse samples: for each entry that is stored, a multiple of what all centers have in its feature.

The centers are made dense, feature by feature, of those features alone that occur in them: their transpose W has a row
a feature. For a sample j, the sum of a_jf W_f over its stored entries gives the products with all centers at once, in
vector registers, and no more is touched of W than that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qpkernels.arrays import Floats, Indices, Samples, Vector
from qpkernels.arrays.compiled import compiled, vectorised
from qpkernels.gram.panels.loops import add_scaled, entries
from qpkernels.gram.panels.products import Product

__all__ = ["SparseProduct"]

_TILE = 16
"""Samples whose values are made before they are written to kept rows: as many as share a line of the cache."""

_LANES = 64
"""Parts of a sum that are added side by side."""


class Sparse(NamedTuple):
    """Stored entries of features a_i as in a CSR array, offsets o_i, the number of features, and the degree."""

    data: Floats
    indices: Indices
    starts: Indices
    offsets: Floats
    features: int
    degree: int


class Centers(NamedTuple):
    """W, shape (features that occur, n), the row of W for each feature or -1, offsets o_c, and the degree."""

    W: Floats
    row_of: Indices
    offsets: Floats
    degree: int


class SparseProduct(Product):
    """Features and offsets of CSR samples."""

    def __init__(self, data: Sparse) -> None:
        self._data: Sparse = data
        self.size = data.offsets.size
        self.width = max(1, int(data.starts[-1] - data.starts[0]) // max(1, self.size))
        self.dtype = data.data.dtype

    @classmethod
    def of(
        cls, X: Samples, origin: Vector, scale: Vector, offset: float, degree: int, dtype: np.dtype[Any]
    ) -> SparseProduct:
        """Return features and offsets of ``X``; the origin is 0."""
        del origin
        # Beyond the numbers of float32, what comes of it is told by its error bound.
        with np.errstate(over="ignore"):
            data, starts = (X.data * scale[X.indices]).astype(dtype), X.indptr.astype(np.intp)
        offsets = np.full(X.shape[0], offset, dtype)
        if degree == 0:
            rows = np.repeat(np.arange(X.shape[0]), np.diff(starts))
            offsets[:] = 0.5 * np.bincount(rows, weights=data.astype(np.float64) ** 2, minlength=X.shape[0])
        return cls(Sparse(data, X.indices.astype(np.intp), starts, offsets, X.shape[1], degree))

    @property
    def terms(self) -> int:
        return int(np.diff(self._data.starts).max(initial=0))

    def part(self, samples: Indices | slice) -> SparseProduct:
        data, indices, starts, offsets, features, degree = self._data
        if isinstance(samples, slice):
            begin, end, _ = samples.indices(self.size)
            return SparseProduct(Sparse(data, indices, starts[begin : end + 1], offsets[begin:end], features, degree))
        counts = starts[samples + 1] - starts[samples]
        ends = np.concatenate([[0], np.cumsum(counts)])
        taken = np.repeat(starts[samples] - ends[:-1], counts) + np.arange(ends[-1])
        return SparseProduct(Sparse(data[taken], indices[taken], ends, offsets[samples], features, degree))

    def centers(self) -> Centers:
        data, indices, starts, offsets, features, degree = self._data
        stored = slice(starts[0], starts[-1])
        occurring, rows = np.unique(indices[stored], return_inverse=True)
        row_of = np.full(features, -1)
        row_of[occurring] = np.arange(occurring.size)
        W = np.zeros((max(1, occurring.size), self.size), data.dtype)
        W[rows, np.repeat(np.arange(self.size), np.diff(starts))] = data[stored]
        return Centers(W, row_of, offsets, degree)

    def add_rows(
        self, left: Centers, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        tile = buffer[: _TILE * delta.size].reshape(_TILE, delta.size)
        _add_rows(left, self._data, delta, values, tile, store, slots, first)

    def make_block(self, left: Centers, rows: Indices, block: Floats) -> None:
        _make_block(left, self._data, np.empty((_TILE, rows.size), self.dtype), rows, block)


@compiled
def _add_rows(
    left: Centers,
    right: Sparse,
    delta: Vector,
    values: Vector,
    tile: Floats,
    store: Floats,
    slots: Indices,
    first: int,
) -> None:
    kept = np.flatnonzero(slots >= 0)
    for start in range(0, values.size, _TILE):
        stop = min(start + _TILE, values.size)
        for j in range(start, stop):
            _make_row(left, right, j, tile[j - start])
            values[j] += _weighted_sum(delta, tile[j - start])
        for c in kept:
            store[slots[c], first + start : first + stop] = tile[: stop - start, c]


@compiled
def _make_block(left: Centers, right: Sparse, tile: Floats, rows: Indices, block: Floats) -> None:
    for start in range(0, right.offsets.size, _TILE):
        stop = min(start + _TILE, right.offsets.size)
        for j in range(start, stop):
            _make_row(left, right, j, tile[j - start])
        for c in range(rows.size):
            block[rows[c], start:stop] = tile[: stop - start, c]


@compiled
def _make_row(left: Centers, right: Sparse, j: int, row: Floats) -> None:
    """Write k_cj for all centers c."""
    row[:] = 0
    for p in range(right.starts[j], right.starts[j + 1]):
        feature = left.row_of[right.indices[p]]
        if feature >= 0:
            add_scaled(row, right.data[p], left.W[feature])
    entries(row, right.offsets[j], left.offsets, left.degree)


@vectorised
def _weighted_sum(weights: Vector, row: Floats) -> float:
    lanes = np.zeros(_LANES)
    for start in range(0, row.size, _LANES):
        part, weight = row[start : start + _LANES], weights[start : start + _LANES]
        for k in range(part.size):
            lanes[k] += weight[k] * part[k]
    return float(lanes.sum())
