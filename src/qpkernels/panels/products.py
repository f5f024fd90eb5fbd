# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that are a function of a matrix product, brought into the form of :mod:`qpkernels.panels.loops`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from qpkernels.arrays import Indices, Matrix, Samples, Vector, is_sparse
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial

__all__ = ["Floats", "Product", "ProductForm", "product_form"]

_ROWS = 1024
"""Samples whose features are made at once: in float64, whatever they become."""


Floats = NDArray[Any]
"""Of float32 or float64."""


class Product(NamedTuple):
    """Features a_i, offsets o_i and the degree of the form, of some samples."""

    features: Floats
    offsets: Floats
    degree: int

    def part(self, samples: Indices | slice) -> Product:
        """Return those of some of the samples."""
        return Product(self.features[samples], self.offsets[samples], self.degree)


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

    def of(self, X: Matrix, dtype: DTypeLike) -> Product:
        """Return features and offsets of the samples ``X`` in that precision."""
        features, offsets = np.empty(X.shape, dtype), np.full(len(X), self.offset, dtype)
        for start in range(0, len(X), _ROWS):
            rows = slice(start, start + _ROWS)
            features[rows] = (X[rows] - self.origin) * self.scale
            if self.degree == 0:
                # Of the features as they were rounded: then a sample is at distance 0 from itself.
                offsets[rows] = 0.5 * np.einsum("ij,ij->i", features[rows], features[rows], dtype=np.float64)
        return Product(features, offsets, self.degree)


def product_form(kernel: Kernel, X: Samples) -> ProductForm | None:
    """Return the form of ``kernel`` around the samples ``X``, or None if it has none, or they are not dense."""
    if is_sparse(X) or not isinstance(kernel, RBF | Polynomial | Linear):
        return None
    none, one = np.zeros(X.shape[1]), np.ones(X.shape[1])
    match kernel:
        case RBF():
            return ProductForm(X.mean(axis=0), np.sqrt(2.0 * np.log2(np.e) * np.asarray(kernel.gamma)) * one, 0.0, 0)
        case Polynomial():
            return ProductForm(none, np.sqrt(kernel.gamma) * one, -0.5 * kernel.coef0, kernel.degree)
        case Linear():
            return ProductForm(none, one, 0.0, 1)
