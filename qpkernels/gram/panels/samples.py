# SPDX-License-Identifier: BSD-3-Clause
"""From samples to what panels are made of, dense or sparse, whichever is faster; it loads the compiler.

A panel of columns is made and summed at once, so that no entry leaves a processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_array

from qpkernels.arrays import Floats, Indices, Matrix, Samples, Vector, is_sparse
from qpkernels.arrays.compiled import compiled
from qpkernels.arrays.threads import in_parts
from qpkernels.gram.panels.loops import (
    LANES,
    STRIP,
    add_products,
    add_scaled,
    copy,
    entries,
    inner_product,
    sum_multiples,
)
from qpkernels.gram.panels.products import PANEL, PanelProduct, mostly_zero
from qpkernels.kernels.kernel import Kernel
from qpkernels.kernels.products import ProductForm

__all__ = [
    "DenseProduct",
    "SparseProduct",
    "StreamedProduct",
    "compressed",
    "form_and_samples",
    "make_product",
]

_ENTRIES = 2**15
"""Features that are made at once: in float64, whatever they become, they stay in a processor's cache."""

_STRIP = 64
"""Rows of a block that are made at once."""

_NONE, _NO_STORE = np.empty(0), np.empty((0, 0))
"""In place of weights that are not asked for, and of rows that are not kept."""


_TILE = 2**16
"""Bytes up to which a tile has two strips: less work for each sample, as long as they stay next to the processor."""

_PASSING = 512
"""Samples that pass before the next tile is read."""

_LINE = 16
"""Samples whose values are made before they are written to kept rows: as many as share a line of the cache."""

_SCATTERED = 3
"""Multiplications of a matrix product that take as long as one of a stored entry."""

_PIECE = 8 * PANEL
"""Samples whose features are made at once; of no more they are held."""


class Dense(NamedTuple):
    """Features a_i, shape (n, d), offsets o_i, and the degree."""

    features: Floats
    offsets: Floats
    degree: int


class DenseProduct(PanelProduct):
    """Features and offsets as arrays.

    For each panel one matrix product gives a_c'a_j for all rows c that are wanted, one loop makes the entries of them,
    and another adds sum_c delta_c k_cj to the values.
    """

    def __init__(self, data: Dense) -> None:
        self._data: Dense = data
        self.size, self.width = data.features.shape
        self.dtype = data.features.dtype

    @classmethod
    def of(
        cls, X: Matrix, origin: Vector, scale: Vector, offset: float, degree: int, dtype: np.dtype[Any]
    ) -> DenseProduct:
        """Return features and offsets of ``X``; see :class:`~qpkernels.kernels.ProductForm`."""
        features, offsets = np.empty(X.shape, dtype), np.full(len(X), offset, dtype)
        rounds = features.dtype != np.float64
        count = max(1, _ENTRIES // X.shape[1] if rounds else len(X))
        memory = np.empty((count, X.shape[1])) if rounds else features
        for start in range(0, len(X), count):
            rows, exact = slice(start, start + count), memory[: len(X) - start]
            np.subtract(X[rows], origin, out=exact)
            exact *= scale
            if rounds:
                # Beyond the numbers of float32, what comes of it is told by its error bound.
                with np.errstate(over="ignore"):
                    features[rows] = exact
                # Then a sample is at distance 0 from itself.
                exact[:] = features[rows]
            if degree == 0:
                offsets[rows] = 0.5 * np.einsum("ij,ij->i", exact, exact)
        return cls(Dense(features, offsets, degree))

    def by_feature(self, samples: Indices | slice) -> Dense:
        """Return those of some of the samples, with a row for each feature."""
        features, offsets, degree = self._data
        return Dense(np.ascontiguousarray(features[samples].T), offsets[samples], degree)

    @property
    def terms(self) -> int:
        return self.width

    def part(self, samples: Indices | slice) -> DenseProduct:
        features, offsets, degree = self._data
        return DenseProduct(Dense(features[samples], offsets[samples], degree))

    def centers(self) -> Dense:
        return self._data

    def add_rows(
        self, left: Dense, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        _add_rows(left, self._data, delta, values, buffer, store, slots, first, _NONE, _NONE)

    def add_both(
        self, left: Dense, weights: tuple[Vector, Vector], sums: tuple[Vector, Vector], buffer: Floats
    ) -> None:
        slots = np.full(weights[0].size, -1)
        _add_rows(left, self._data, weights[0], sums[1], buffer, _NO_STORE, slots, 0, weights[1], sums[0])

    def make_block(self, left: Dense, rows: Indices, block: Floats) -> None:
        _make_block(self._data, left, rows, block)


@compiled
def _add_rows(
    left: Dense,
    right: Dense,
    delta: Vector,
    values: Vector,
    buffer: Floats,
    store: Floats,
    slots: Indices,
    first: int,
    others: Vector,
    back: Vector,
) -> None:
    """Add rows to ``values``; and, where there are ``others``, the sums of the rows with these weights to ``back``."""
    n, part = delta.size, np.empty(PANEL)
    for start in range(0, values.size, PANEL):
        stop = min(start + PANEL, values.size)
        panel = buffer[: n * (stop - start)].reshape(n, stop - start)
        np.dot(left.features, right.features[start:stop].T, panel)
        sums = part[: stop - start]
        sums[:] = 0
        for c in range(n):
            entries(panel[c], left.offsets[c], right.offsets[start:stop], left.degree)
            add_scaled(sums, delta[c], panel[c])
            if others.size:
                back[c] += inner_product(others[start:stop], panel[c])
            if slots[c] >= 0:
                copy(panel[c], store[slots[c], first + start : first + stop])
        for k in range(stop - start):
            values[start + k] += sums[k]


@compiled
def _make_block(left: Dense, right: Dense, rows: Indices, block: Floats) -> None:
    strip = np.empty((_STRIP, right.offsets.size), block.dtype)
    for start in range(0, rows.size, _STRIP):
        stop = min(start + _STRIP, rows.size)
        part = strip[: stop - start]
        np.dot(left.features[start:stop], right.features.T, part)
        for c in range(stop - start):
            entries(part[c], left.offsets[start + c], right.offsets, left.degree)
            copy(part[c], block[rows[start + c]])


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
    """The entries of samples in features that occur in the centers: rows of W, values, and where each sample begins."""

    rows: Indices
    data: Floats
    starts: Indices


class SparseProduct(PanelProduct):
    """Features and offsets of CSR samples.

    The centers are made dense, feature by feature, of those features alone that occur in them: their transpose W has a
    row a feature. For a sample j, the sum of a_jf W_f over its stored entries gives the products with all centers at
    once, in vector registers, and no more is touched of W than that. W comes in tiles of some centers each, which a
    processor's cache holds while many samples pass.
    """

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
        _add_sparse_rows(left, self._data, delta, values, store, slots, first, _NONE, _NONE)

    def add_both(
        self, left: Centers, weights: tuple[Vector, Vector], sums: tuple[Vector, Vector], buffer: Floats
    ) -> None:
        del buffer
        slots = np.full(weights[0].size, -1)
        _add_sparse_rows(left, self._data, weights[0], sums[1], _NO_STORE, slots, 0, weights[1], sums[0])

    def make_block(self, left: Centers, rows: Indices, block: Floats) -> None:
        _make_sparse_block(left, self._data, rows, block)


@compiled
def _add_sparse_rows(
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
                    copy(lines[: end - line, c - centers.start], store[slots[c], first + line : first + end])
        for j in range(start, stop):
            values[j] += lanes[j - start].sum()


@compiled
def _make_sparse_block(left: Centers, right: Sparse, rows: Indices, block: Floats) -> None:
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


class StreamedProduct(PanelProduct):
    """Features and offsets of ``samples``, which are rows of X; left out, all are.

    They do not fit in memory, and are made anew, a piece at a time, when panels ask. To make the features of a sample
    takes a multiplication for each, and each row that is made of them as many again; of a block of a thousand rows that
    is nothing.
    """

    def __init__(self, form: ProductForm, X: Matrix, dtype: DTypeLike, samples: slice | Indices | None = None) -> None:
        self._form, self._X, self.dtype = form, X, np.dtype(dtype)
        self._samples: slice | Indices = slice(0, len(X)) if samples is None else samples
        chosen = self._samples
        self.size = chosen.stop - chosen.start if isinstance(chosen, slice) else chosen.size
        self.width = int(X.shape[1])

    @property
    def largest(self) -> float:
        return max(piece.largest for _, piece in self._pieces())

    @property
    def lengths(self) -> Vector:
        return np.concatenate([piece.lengths for _, piece in self._pieces()])

    @property
    def terms(self) -> int:
        return self.width

    def part(self, samples: Indices | slice) -> PanelProduct:
        chosen = self._rows(samples)
        part = StreamedProduct(self._form, self._X, self.dtype, chosen)
        return part if part.size > _PIECE else part._made(slice(0, part.size))

    def centers(self) -> Dense:
        return self._made(slice(0, self.size)).centers()

    def add_rows(
        self, left: Dense, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        for rows, piece in self._pieces():
            piece.add_rows(left, delta, values[rows], buffer, store, slots, first + rows.start)

    def add_both(
        self, left: Dense, weights: tuple[Vector, Vector], sums: tuple[Vector, Vector], buffer: Floats
    ) -> None:
        for rows, piece in self._pieces():
            piece.add_both(left, (weights[0], weights[1][rows]), (sums[0], sums[1][rows]), buffer)

    def make_block(self, left: Dense, rows: Indices, block: Floats) -> None:
        for part, piece in self._pieces():
            piece.make_block(left, rows[part], block)

    def _pieces(self) -> Iterator[tuple[slice, DenseProduct]]:
        for start in range(0, self.size, _PIECE):
            rows = slice(start, min(start + _PIECE, self.size))
            yield rows, self._made(rows)

    def _made(self, rows: slice) -> DenseProduct:
        form = self._form
        X = self._X[self._rows(rows)]
        return DenseProduct.of(X, form.origin, form.scale, form.offset, form.degree, np.dtype(self.dtype))

    def _rows(self, samples: Indices | slice) -> slice | Indices:
        """Return the rows of X that some of the samples are."""
        own: Any = self._samples
        if not isinstance(own, slice):
            chosen: Indices = own[samples]
            return chosen
        if isinstance(samples, slice):
            start, stop, _ = samples.indices(self.size)
            return slice(own.start + start, own.start + max(start, stop))
        return np.add(own.start, samples)


def form_and_samples(kernel: Kernel, X: Samples) -> tuple[ProductForm | None, Samples]:
    """Return the kernel's product form, if it has one, and ``X``, compressed where panels are faster so."""
    form = kernel.product_form(X)
    if form is None or not mostly_zero(X):
        return form, X
    sparse = compressed(X)
    return kernel.product_form(sparse), sparse


def compressed(X: Samples) -> Samples:
    """Return ``X`` as a CSR array."""
    if is_sparse(X):
        return X
    counts = np.zeros(len(X), np.intp)
    in_parts(lambda _, part: _count(X[part], counts[part]), len(X), 1, X.size)
    starts = np.concatenate([[0], np.cumsum(counts)])
    data, indices = np.empty(starts[-1]), np.empty(starts[-1], np.intp)
    in_parts(lambda _, part: _compress(X[part], starts[part], indices, data), len(X), 1, X.size)
    return csr_array((data, indices, starts), shape=X.shape)


def make_product(form: ProductForm, X: Samples, dtype: DTypeLike) -> PanelProduct:
    """Return features and offsets of the samples ``X`` in that precision."""
    kind = SparseProduct if is_sparse(X) else DenseProduct
    return kind.of(X, form.origin, form.scale, form.offset, form.degree, np.dtype(dtype))


@compiled
def _count(X: Matrix, counts: Indices) -> None:
    for i in range(counts.size):
        count = 0
        for k in range(X.shape[1]):
            count += X[i, k] != 0
        counts[i] = count


@compiled
def _compress(X: Matrix, starts: Indices, indices: Indices, data: Vector) -> None:
    for i in range(starts.size):
        p = starts[i]
        for k in range(X.shape[1]):
            if X[i, k] != 0:
                indices[p], data[p] = k, X[i, k]
                p += 1
