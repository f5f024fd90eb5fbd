# SPDX-License-Identifier: BSD-3-Clause
"""Rows of dense samples: a matrix product for each panel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.panels.loops import add_rows, make_block
from qpkernels.panels.products import Floats, Product

__all__ = ["DenseProduct"]

_ROWS = 1024
"""Samples whose features are made at once: in float64, whatever they become."""


class Dense(NamedTuple):
    """Features a_i, shape (n, d), offsets o_i, and the degree."""

    features: Floats
    offsets: Floats
    degree: int


class DenseProduct(Product):
    """Features and offsets as arrays."""

    def __init__(self, data: Dense) -> None:
        self._data = data
        self.size, self.width = data.features.shape
        self.dtype = data.features.dtype

    @property
    def largest(self) -> float:
        return 0.0 if self._data.degree else 2.0 * float(self._data.offsets.max())

    @classmethod
    def of(
        cls, X: Matrix, origin: Vector, scale: Vector, offset: float, degree: int, dtype: np.dtype[Any]
    ) -> DenseProduct:
        """Return features and offsets of ``X``; see :class:`~qpkernels.panels.products.ProductForm`."""
        features, offsets = np.empty(X.shape, dtype), np.full(len(X), offset, dtype)
        for start in range(0, len(X), _ROWS):
            rows = slice(start, start + _ROWS)
            # Beyond the numbers of float32, what comes of it is told by its doubt.
            with np.errstate(over="ignore"):
                features[rows] = (X[rows] - origin) * scale
            if degree == 0:
                # Of the features as they were rounded: then a sample is at distance 0 from itself.
                offsets[rows] = 0.5 * np.einsum("ij,ij->i", features[rows], features[rows], dtype=np.float64)
        return cls(Dense(features, offsets, degree))

    def part(self, samples: Indices | slice) -> DenseProduct:
        features, offsets, degree = self._data
        return DenseProduct(Dense(features[samples], offsets[samples], degree))

    def centers(self) -> Dense:
        return self._data

    def add_rows(
        self, left: Dense, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        right = self._data
        add_rows(
            left.features,
            left.offsets,
            left.degree,
            right.features,
            right.offsets,
            delta,
            values,
            buffer,
            store,
            slots,
            first,
        )

    def make_block(self, left: Dense, rows: Indices, block: Floats) -> None:
        right = self._data
        make_block(left.features, left.offsets, left.degree, right.features, right.offsets, rows, block)
