# SPDX-License-Identifier: BSD-3-Clause
"""Tiles of a kernel matrix: the values between two parts of the samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from qpkernels.arrays import Floats, Indices, Samples
from qpkernels.gram import Gram
from qpkernels.gram.panels.products import EXPONENT_ERROR, Product
from qpkernels.gram.panels.samples import Dense, DenseProduct, form_and_samples, make_product
from qpkernels.kernels import Kernel

__all__ = ["Tiles", "tiles_of"]

_SINGLE_ERROR = 1e-2
"""Error of an exponent beyond which float32 tells too little of the kernel matrix to be worth a descent."""


class Tiles(ABC):
    """The kernel matrix of some samples, made a tile at a time by any thread."""

    dtype: np.dtype[Any] = np.dtype(np.float64)
    width = 1
    """Multiplications that one kernel value takes."""

    def by_feature(self, samples: Indices) -> Dense | None:
        """Return dense features of some of the samples, a row each, or None where the kernel is none of them."""
        del samples
        return None

    @abstractmethod
    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        """Return K between samples of these numbers."""


class ProductTiles(Tiles):
    """From features in compiled code."""

    def __init__(self, product: Product) -> None:
        self._product, self.dtype, self.width = product, product.dtype, product.width

    def by_feature(self, samples: Indices) -> Dense | None:
        return self._product.by_feature(samples) if isinstance(self._product, DenseProduct) else None

    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        left, right = self._product.part(rows), self._product.part(columns)
        block = np.empty((left.size, right.size), self.dtype)
        left.make_block(right.centers(), np.arange(left.size), block)
        return block


class MatrixTiles(Tiles):
    """From the whole matrix."""

    def __init__(self, matrix: Floats, order: Indices) -> None:
        self._matrix, self._order = matrix, order

    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        return np.ascontiguousarray(self._matrix[np.ix_(self._order[rows], self._order[columns])])


class KernelTiles(Tiles):
    """From any kernel."""

    def __init__(self, kernel: Kernel, X: Samples) -> None:
        self._kernel, self._X = kernel, X

    def tile(self, rows: Indices | slice, columns: Indices | slice) -> Floats:
        return self._kernel.matrix(self._X[rows], self._X[columns])


def tiles_of(gram: Gram, order: Indices, dtype: DTypeLike, *, by_feature: bool = False) -> Tiles | None:
    """Return tiles of the matrix of ``order``, a part of ``gram``; None: float32 would tell too little of it.

    Samples that are mostly zeros are compressed, unless they are wanted ``by_feature``.
    """
    single = np.dtype(dtype) == np.float32
    if gram.is_formed or gram.correction is not None:
        return MatrixTiles(gram.dense, order)
    X = gram.X[order]
    form, X = (gram.kernel.product_form(X), X) if by_feature else form_and_samples(gram.kernel, X)
    if form is None:
        return KernelTiles(gram.kernel, X)
    product = make_product(form, X, dtype)
    unit = float(np.finfo(product.dtype).eps)
    if product.largest * unit <= (_SINGLE_ERROR if single else EXPONENT_ERROR):
        return ProductTiles(product)
    return None if single else KernelTiles(gram.kernel, X)
