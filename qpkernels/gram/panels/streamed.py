# SPDX-License-Identifier: BSD-3-Clause
"""Rows of dense samples whose features do not fit in memory: they are made anew, a piece at a time, when panels ask.

To make the features of a sample takes a multiplication for each, and each row that is made of them as many again; of a
block of a thousand rows that is nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.gram.panels.dense import Dense, DenseProduct
from qpkernels.gram.panels.products import PANEL, Product
from qpkernels.kernels.base import ProductForm

__all__ = ["StreamedProduct"]

_PIECE = 8 * PANEL
"""Samples whose features are made at once; of no more they are held."""


class StreamedProduct(Product):
    """Features and offsets of ``samples``, which are rows of X; left out, all are."""

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

    def part(self, samples: Indices | slice) -> Product:
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
