# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the kernels that are a function of a matrix product, in float32 and on all processors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial
from qpkernels.smo.cache import RowCache
from qpkernels.smo.panels import PANEL, Singles, add_rows, add_stored_rows, make_block
from qpkernels.smo.rows import Rows
from qpkernels.smo.steps import Floats
from qpkernels.smo.threads import in_parts, threads

__all__ = ["Product", "ProductRows", "product_of"]


_WRITING = 512
"""Features whose products with a sample cost what it costs to write their result to memory not used before."""

_PARTS, _PART = 4, 256
"""A block is no more than a quarter of the samples, or 256: of a few samples, most may not matter."""


class Product(NamedTuple):
    """Features a_i, offsets o_i and degree of the form in :mod:`qpkernels.smo.panels`."""

    features: Singles
    offsets: Singles
    degree: int


def product_of(kernel: Kernel, X: Matrix) -> Product | None:
    """Return the kernel in the form of a function of products, or None if it has none."""
    match kernel:
        case RBF():
            origin, roots = X.mean(axis=0), np.sqrt(2.0 * np.log2(np.e) * np.asarray(kernel.gamma))
            features = np.empty(X.shape, np.float32)
            for start in range(0, len(X), 1024):
                features[start : start + 1024] = (X[start : start + 1024] - origin) * roots
            return Product(features, np.float32(0.5) * np.einsum("ij,ij->i", features, features), 0)
        case Polynomial():
            offsets = np.full(len(X), -0.5 * kernel.coef0, np.float32)
            return Product((np.sqrt(kernel.gamma) * X).astype(np.float32), offsets, kernel.degree)
        case Linear():
            return Product(X.astype(np.float32), np.zeros(len(X), np.float32), 1)
        case _:
            return None


class ProductRows(Rows):
    """Panels of the rows that change, made by both a matrix product and a loop while they are in a processor's cache.

    A row is kept once the work of making it again adds up to that of writing it to fresh memory, which is that of a
    product over some hundred features: then the sum of both is at most twice the least possible, whatever comes.
    """

    def __init__(self, product: Product, cache_size: int) -> None:
        self._product = product
        rows, columns = product.features.shape
        # What a row is worth keeping for is the product it saves.
        self._cache = RowCache(rows, rows, int(cache_size * min(1.0, columns / _WRITING)), np.float32)
        self._patience = _WRITING // columns
        self.block_size = min(2048 if columns <= 256 else 1024, max(_PART, rows // _PARTS))
        self._block = np.empty(self.block_size**2, np.float32)
        self._buffers = [np.empty(self.block_size * PANEL, np.float32) for _ in range(threads())]

    def block(self, chosen: Indices) -> Floats:
        features, offsets = self._product.features[chosen], self._product.offsets[chosen]
        block = self._block[: chosen.size**2].reshape(chosen.size, chosen.size)
        in_parts(
            lambda _, part: make_block(features, offsets, self._product.degree, block, part.start, part.stop),
            chosen.size,
            64,
            chosen.size**2 * features.shape[1],
        )
        return block

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        features, offsets, degree = self._product
        slots = self._cache.find(chosen)
        old, new = slots >= 0, slots < 0
        keep = new & (visits > self._patience)
        slots[keep] = self._cache.claim(chosen[keep])
        left, left_offsets = features[chosen[new]], offsets[chosen[new]]

        def work(number: int, part: slice) -> None:
            right, right_offsets, store = features[part], offsets[part], self._cache.store
            if left.size:
                add_rows(
                    left,
                    left_offsets,
                    degree,
                    right,
                    right_offsets,
                    delta[new],
                    values[part],
                    self._buffers[number],
                    store,
                    slots[new],
                    part.start,
                )
            add_stored_rows(store, slots[old], part.start, delta[old], values[part])

        in_parts(work, len(features), PANEL, left.size * len(features))
