# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that are a function of a matrix product, and samples in the form that their rows are made of.

For the exponent or base

    x_cj = a_c'a_j - o_c - o_j,       k_cj = 2^x_cj  (degree 0)   or   x_cj^degree,

the Gaussian kernel has a_i = sqrt(2 gamma log2 e) (x_i - mean) and o_i = |a_i|^2 / 2, the polynomial one
a_i = sqrt(gamma) x_i and o_i = -coef0 / 2. Sparse samples keep their zeros: their origin is 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from qpkernels.arrays import Indices, Samples, Vector, is_sparse
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial
from qpkernels.kernels.products import squared_lengths

__all__ = ["EXPONENT_ERROR", "Floats", "Product", "ProductForm", "product_form"]

EXPONENT_ERROR = 1e-11
"""Largest error of an exponent that is left to rounding; beyond, the kernel's own matrix is asked for."""

Floats = NDArray[Any]
"""Of float32 or float64."""


class Product(ABC):
    """Features a_i and offsets o_i of some samples, in float32 or float64.

    Attributes
    ----------
    size
        Number of samples.
    width
        Multiplications that one kernel value takes.
    dtype
        Of the features, and of the kernel values made of them.
    """

    size: int
    width: int
    dtype: np.dtype[Any]

    _data: Any

    @property
    def largest(self) -> float:
        """The largest |a_i|^2 of an exponential, whose rounding is that of the exponents; else 0."""
        return 0.0 if self._data.degree else 2.0 * float(self._data.offsets.max())

    @abstractmethod
    def part(self, samples: Indices | slice) -> Product:
        """Return those of some of the samples."""

    @abstractmethod
    def centers(self) -> Any:
        """Return these samples as the other methods take those whose rows are wanted."""

    @abstractmethod
    def add_rows(
        self, left: Any, delta: Vector, values: Vector, buffer: Floats, store: Floats, slots: Indices, first: int
    ) -> None:
        """Add sum over c of delta_c k_cj to ``values[j]``; write k_cj to ``store[slots[c], first + j]``.

        It is not written where slots[c] < 0. ``left`` are :meth:`centers`; ``buffer``, to be written over, has
        ``PANEL`` entries for each of them.
        """

    @abstractmethod
    def make_block(self, left: Any, rows: Indices, block: Floats) -> None:
        """Write k_cj to ``block[rows[c], j]``."""


class ProductForm(NamedTuple):
    """How a kernel's features and offsets come from samples x: a = scale (x - origin), o = |a|^2 / 2 or a constant.

    Attributes
    ----------
    origin, scale
        One number a feature. The origin is free for an exponential, and the nearer the samples are, the smaller is
        what cancels in the exponent.
    offset
        The constant, where the degree is not 0.
    degree
        0 for an exponential.
    """

    origin: Vector
    scale: Vector
    offset: float
    degree: int

    def error(self, X: Samples) -> float:
        """Return a bound on the rounding error of an exponent in float64, from what cancels in it: |a|^2 eps."""
        if self.degree > 0:
            return 0.0
        with np.errstate(over="ignore"):
            if is_sparse(X):
                largest = float(squared_lengths(X).max()) * float((self.scale**2).max())
            else:
                reach = np.maximum(np.abs(X.max(axis=0) - self.origin), np.abs(X.min(axis=0) - self.origin))
                largest = float(((self.scale * reach) ** 2).sum())
        return largest * float(np.finfo(np.float64).eps)

    def of(self, X: Samples, dtype: DTypeLike) -> Product:
        """Return features and offsets of the samples ``X`` in that precision."""
        # They load the compiler, which not everyone needs.
        from qpkernels.panels.dense import DenseProduct
        from qpkernels.panels.sparse import SparseProduct

        kind = SparseProduct if is_sparse(X) else DenseProduct
        return kind.of(X, self.origin, self.scale, self.offset, self.degree, np.dtype(dtype))


def product_form(kernel: Kernel, X: Samples) -> ProductForm | None:
    """Return the form of ``kernel`` around the samples ``X``, or None if it has none."""
    # A subclass may be another function.
    if type(kernel) not in (RBF, Polynomial, Linear):
        return None
    none, one = np.zeros(X.shape[1]), np.ones(X.shape[1])
    match kernel:
        case RBF():
            origin = none if is_sparse(X) else X.mean(axis=0)
            return ProductForm(origin, np.sqrt(2.0 * np.log2(np.e) * np.asarray(kernel.gamma)) * one, 0.0, 0)
        case Polynomial():
            return ProductForm(none, np.sqrt(kernel.gamma) * one, -0.5 * kernel.coef0, kernel.degree)
        case _:
            return ProductForm(none, one, 0.0, 1)
