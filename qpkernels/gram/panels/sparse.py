# SPDX-License-Identifier: BSD-3-Clause
"""Rows of sparse samples: for each entry that is stored, a multiple of what all centers have in its feature.

The centers are made dense, feature by feature, of those features alone that occur in them: their transpose W has a row
a feature. For a sample j, the sum of a_jf W_f over its stored entries gives the products with all centers at once, in
vector registers, and no more is touched of W than that. W comes in tiles of some centers each, which a processor's
cache holds while many samples pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qpkernels.arrays import Floats, Indices, Samples, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled, copy, entries
from qpkernels.gram.panels.products import Product
from qpkernels.gram.panels.registers import LANES, STRIP, add_products, sum_multiples

__all__ = ["SparseProduct"]

_TILE = 2**16
"""Bytes up to which a tile has two strips: less work for each sample, as long as they stay next to the processor."""

_PASSING = 512
"""Samples that pass before the next tile is read."""

_LINE = 16
"""Samples whose values are made before they are written to kept rows: as many as share a line of the cache."""

_SCATTERED = 3
"""Multiplications of a matrix product that take as long as one of a stored entry."""

_NONE, _NO_STORE = np.empty(0), np.empty((0, 0))
"""In place of weights that are not asked for, and of rows that are not kept."""


class Sparse(NamedTuple):
    """Stored entries of features a_i as in a CSR array, offsets o_i, the number of features, and the degree."""

    data: Floats
    indices: Indices
    starts: Indices
    offsets: Floats
    features: int
    degree: int


class Centers(NamedTuple):
    """W, shape (tiles, features that occur, centers of one), the row for each feature or -1, offsets o_c, degree."""

    W: Floats
    row_of: Indices
    offsets: Floats
    degree: int


class Entries(NamedTuple):
    """Of some samples, the entries in features that occur in the centers: rows of W, values, where a sample's begin."""

    rows: Indices
    data: Floats
    starts: Indices


class SparseProduct(Product):
    """Features and offsets of CSR samples."""

    def __init__(self, data: Sparse) -> None:
        self._data: Sparse = data
        self.size = data.offsets.size
        self.width = max(1, _SCATTERED * int(data.starts[-1] - data.starts[0]) // max(1, self.size))
        self.dtype = data.data.dtype

    @classmethod
    def of(
        cls, X: Samples, origin: Vector, scale: Vector, offset: float, degree: int, dtype: np.dtype[Any]
    ) -> SparseProduct:
        """Return features and offsets of ``X``; the origin is 0."""
        del origin
        # Beyond the numbers of float32, what comes of it is told by its error bound.
        with np.errstate(over="ignore"):
            data, starts = (X.data * np.take(scale, X.indices)).astype(dtype), X.indptr.astype(np.intp)
        offsets = np.full(X.shape[0], offset, dtype)
        if degree == 0:
            stored = np.flatnonzero(np.diff(starts))
            offsets[stored] = 0.5 * np.add.reduceat(np.square(data, dtype=np.float64), starts[stored])
        return cls(Sparse(data, X.indices.astype(np.intp, copy=False), starts, offsets, X.shape[1], degree))

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
        row_of = np.full(features, -1)
        row_of[indices[stored]] = 0
        occurring = np.flatnonzero(row_of == 0)
        row_of[occurring] = np.arange(occurring.size)
        rows = row_of[indices[stored]]
        wide = self.size > STRIP and 2 * STRIP * occurring.size * data.itemsize <= _TILE
        width = 2 * STRIP if wide else STRIP
        tile, column = np.divmod(np.repeat(np.arange(self.size), np.diff(starts)), width)
        W = np.zeros((-(-self.size // width), max(1, occurring.size), width), data.dtype)
        W[tile, rows, column] = data[stored]
        return Centers(W, row_of, offsets, degree)

    def add_rows(
        self, left: Centers, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        del buffer
        _add_rows(left, self._data, delta, values, store, slots, first, _NONE, _NONE)

    def add_both(
        self, left: Centers, weights: tuple[Vector, Vector], sums: tuple[Vector, Vector], buffer: Floats
    ) -> None:
        del buffer
        slots = np.full(weights[0].size, -1)
        _add_rows(left, self._data, weights[0], sums[1], _NO_STORE, slots, 0, weights[1], sums[0])

    def make_block(self, left: Centers, rows: Indices, block: Floats) -> None:
        _make_block(left, self._data, rows, block)


@compiled
def _add_rows(
    left: Centers,
    right: Sparse,
    delta: Vector,
    values: Vector,
    store: Floats,
    slots: Indices,
    first: int,
    others: Vector,
    back: Vector,
) -> None:
    """Add rows to ``values``; and, where there are ``others``, the sums of the rows with these weights to ``back``."""
    tiles, _, width = left.W.shape
    lines, kept = np.empty((_LINE, width), store.dtype), np.flatnonzero(slots >= 0)
    # Of the centers that fill up the last tile, nothing is added.
    weights = np.zeros((tiles, width))
    copy(delta, weights.reshape(-1))
    for start in range(0, values.size, _PASSING):
        stop = min(start + _PASSING, values.size)
        some, lanes = _occurring(left, right, start, stop), np.zeros((stop - start, LANES))
        for tile in range(tiles):
            centers = slice(tile * width, min((tile + 1) * width, delta.size))
            offsets = left.offsets[centers]
            here = kept[np.searchsorted(kept, centers.start) : np.searchsorted(kept, centers.stop)]
            for line in range(start, stop, _LINE):
                end = min(line + _LINE, stop)
                for j in range(line, end):
                    row = lines[j - line]
                    for column in range(0, offsets.size, STRIP):
                        begin, after = some.starts[j - start], some.starts[j - start + 1]
                        sum_multiples(row, left.W[tile], column, some.rows, some.data, begin, after)
                    entries(row[: offsets.size], right.offsets[j], offsets, left.degree)
                    for column in range(0, offsets.size, STRIP):
                        add_products(lanes[j - start], weights[tile], row, column)
                    if others.size:
                        add_scaled(back[centers], others[j], row[: offsets.size])
                for c in here:
                    _keep(lines, c - centers.start, store[slots[c], first + line : first + end])
        for j in range(start, stop):
            values[j] += lanes[j - start].sum()


@compiled
def _keep(lines: Floats, column: int, target: Floats) -> None:
    for k in range(target.size):
        target[k] = lines[k, column]


@compiled
def _make_block(left: Centers, right: Sparse, rows: Indices, block: Floats) -> None:
    width, size = left.W.shape[2], block.shape[1]
    line = np.empty(width, block.dtype)
    for start in range(0, rows.size, _PASSING):
        stop = min(start + _PASSING, rows.size)
        some = _occurring(left, right, start, stop)
        for tile in range(left.W.shape[0]):
            W, first = left.W[tile], tile * width
            row = line[: min(width, size - first)]
            for j in range(start, stop):
                begin, after = some.starts[j - start], some.starts[j - start + 1]
                for column in range(0, row.size, STRIP):
                    sum_multiples(line, W, column, some.rows, some.data, begin, after)
                entries(row, right.offsets[j], left.offsets[first : first + width], left.degree)
                target = block[rows[j], first : first + row.size]
                for k in range(row.size):
                    target[k] = row[k]


@compiled
def _occurring(left: Centers, right: Sparse, start: int, stop: int) -> Entries:
    """Return the entries of the samples from ``start`` to ``stop``, as tiles take them."""
    most = right.starts[stop] - right.starts[start]
    some = Entries(np.empty(most, np.int32), np.empty(most, right.data.dtype), np.zeros(stop - start + 1, np.intp))
    size = 0
    for j in range(start, stop):
        for p in range(right.starts[j], right.starts[j + 1]):
            row = left.row_of[right.indices[p]]
            if row >= 0:
                some.rows[size], some.data[size] = row, right.data[p]
                size += 1
        some.starts[j - start + 1] = size
    return some
