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

    def part(self, samples: Indices) -> Product:
        """Return those of some samples."""
        return Product(self.features[samples], self.offsets[samples], self.degree)


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


class Scratch(NamedTuple):
    """Memory to be written over: for a block, and for a panel in each thread."""

    block: Singles
    buffers: tuple[Singles, ...]


class ProductRows(Rows):
    """Panels of the rows that change, made by both a matrix product and a loop while they are in a processor's cache.

    A row is kept once the work of making it again adds up to that of writing it to fresh memory, which is that of a
    product over some hundred features: then the sum of both is at most twice the least possible, whatever comes.
    """

    def __init__(self, product: Product, cache: RowCache, scratch: Scratch) -> None:
        self._product, self._cache, self._scratch = product, cache, scratch
        self._patience = _WRITING // product.features.shape[1]
        self.block_size = _block_size(product)

    @classmethod
    def with_cache(cls, product: Product, size: int) -> ProductRows:
        """Keep rows in at most ``size`` bytes: what a row is worth keeping for is the product it saves."""
        samples, columns = product.features.shape
        cache = RowCache(samples, int(size * min(1.0, columns / _WRITING)), np.float32)
        rows = _block_size(product)
        buffers = tuple(np.empty(rows * PANEL, np.float32) for _ in range(threads()))
        return cls(product, cache, Scratch(np.empty(rows**2, np.float32), buffers))

    @property
    def lasting(self) -> bool:
        return self._patience == 0 and self._cache.growing

    def part(self, samples: Indices) -> Rows:
        return ProductRows(self._product.part(samples), self._cache.part(samples.size), self._scratch)

    def block(self, chosen: Indices) -> Floats:
        features, offsets = self._product.features[chosen], self._product.offsets[chosen]
        block = self._scratch.block[: chosen.size**2].reshape(chosen.size, chosen.size)
        in_parts(
            lambda _, part: make_block(features, offsets, self._product.degree, block, part.start, part.stop),
            chosen.size,
            64,
            chosen.size**2 * features.shape[1],
        )
        return block

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        slots = self._cache.find(chosen)
        old, new = slots >= 0, slots < 0
        keep = new & (visits > self._patience)
        slots[keep] = self._cache.claim(chosen[keep])
        self._add_new(self._product, chosen[new], delta[new], slots[new], values)
        in_parts(
            lambda _, part: add_stored_rows(self._cache.store, slots[old], part.start, delta[old], values[part]),
            values.size,
            PANEL,
            float(old.sum()) * values.size,
        )

    def add_to(self, columns: Indices, chosen: Indices, delta: Vector, values: Vector) -> None:
        part, sums = self._product.part(columns), np.zeros(columns.size)
        for first in range(0, chosen.size, self.block_size):
            rows = slice(first, first + self.block_size)
            self._add_new(part, chosen[rows], delta[rows], np.full(chosen[rows].size, -1), sums)
        values[columns] += sums

    def _add_new(self, columns: Product, chosen: Indices, delta: Vector, slots: Indices, values: Vector) -> None:
        """Add rows that are made now, and write those to their slots that have one."""
        left = self._product.part(chosen)

        def work(number: int, part: slice) -> None:
            add_rows(
                left.features,
                left.offsets,
                left.degree,
                columns.features[part],
                columns.offsets[part],
                delta,
                values[part],
                self._scratch.buffers[number],
                self._cache.store,
                slots,
                part.start,
            )

        if chosen.size:
            in_parts(work, values.size, PANEL, chosen.size * values.size)


def _block_size(product: Product) -> int:
    samples, columns = len(product.features), product.features.shape[1]
    return min(2048 if columns <= 256 else 1024, max(_PART, samples // _PARTS))
