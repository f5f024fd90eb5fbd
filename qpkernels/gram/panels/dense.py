# SPDX-License-Identifier: BSD-3-Clause
"""Rows of dense samples, a panel of columns at a time, so that no entry leaves a processor's cache.

For each panel one matrix product gives a_c'a_j for all rows c that are wanted, one loop makes the entries of them, and
another adds sum_c delta_c k_cj to the values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled, copy, entries, inner_product
from qpkernels.gram.panels.products import PANEL, Product

__all__ = ["DenseProduct"]

_ENTRIES = 2**15
"""Features that are made at once: in float64, whatever they become, they stay in a processor's cache."""

_STRIP = 64
"""Rows of a block that are made at once."""

_NONE, _NO_STORE = np.empty(0), np.empty((0, 0))
"""In place of weights that are not asked for, and of rows that are not kept."""


class Dense(NamedTuple):
    """Features a_i, shape (n, d), offsets o_i, and the degree."""

    features: Floats
    offsets: Floats
    degree: int


class DenseProduct(Product):
    """Features and offsets as arrays."""

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
        count = max(1, _ENTRIES // X.shape[1])
        memory = np.empty((count, X.shape[1]))
        for start in range(0, len(X), count):
            rows, exact = slice(start, start + count), memory[: len(X) - start]
            np.subtract(X[rows], origin, out=exact)
            exact *= scale
            # Beyond the numbers of float32, what comes of it is told by its error bound.
            with np.errstate(over="ignore"):
                features[rows] = exact
            if degree == 0:
                # Of the features as they were rounded: then a sample is at distance 0 from itself.
                exact[:] = features[rows]
                offsets[rows] = 0.5 * np.einsum("ij,ij->i", exact, exact)
        return cls(Dense(features, offsets, degree))

    def by_feature(self, samples: Indices) -> Dense:
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
