# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the kernels that are a function of a matrix product, in float32 or float64, on all processors."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Vector
from qpkernels.arrays.threads import in_parts, paired_strips, threads
from qpkernels.gram.panels.loops import add_stored_rows, gather_block, mirror, write_both
from qpkernels.gram.panels.products import PANEL, Product
from qpkernels.solvers.smo.rows.cache import RowCache
from qpkernels.solvers.smo.rows.rows import ONE_BLOCK, Rows

__all__ = ["ProductRows"]


_WRITING = 512
"""Features whose products with a sample cost what it costs to write their result to memory not used before."""

_WIDE = 200
"""Features from which rows are kept at once: half of the work is repaid by the next use, and more than one is usual.

From there on it also takes longer to make an entry of a block than to write it twice.
"""

_STRIP = 128
"""Rows of a block that are made at once."""

_EXP = 16
"""Multiplications that the entry takes once the product is there."""

_GATHERING = 10
"""Multiplications that take as long as reading an entry of a kept row."""

_PARTS, _PARTS_OF_WIDE = 4, 8
"""A block is no more than a quarter of the samples: of a few, most may not matter; of wide rows, an eighth.

These are kept, so that what a smaller block leaves to the next ones costs less than its own entries.
"""


class Scratch(NamedTuple):
    """Memory to be written over: for a block, and for a panel in each thread."""

    block: Floats
    buffers: tuple[Floats, ...]


class ProductRows(Rows):
    """Panels of the rows that change, made by both a matrix product and a loop while they are in a processor's cache.

    A row is kept once the work of making it again adds up to that of writing it to fresh memory, which is that of a
    product over some hundred features: then the sum of both is at most twice the least possible, whatever comes. Rows
    of many features are kept at once.
    """

    def __init__(self, product: Product, cache: RowCache, scratch: Scratch) -> None:
        self._product, self._cache, self._scratch = product, cache, scratch
        self._patience = 0 if product.width >= _WIDE else _WRITING // product.width
        self.block_size = _block_size(product)

    @classmethod
    def with_cache(cls, product: Product, size: int) -> ProductRows:
        """Keep rows in at most ``size`` bytes: what a row is worth keeping for is the product it saves."""
        cache = RowCache(product.size, int(size * min(1.0, product.width / _WRITING)), product.dtype)
        # What is left of the samples after shrinking may be one block, larger than those of all.
        rows = max(_block_size(product), min(product.size, ONE_BLOCK))
        buffers = tuple(np.empty(rows * PANEL, product.dtype) for _ in range(threads()))
        return cls(product, cache, Scratch(np.empty(rows**2, product.dtype), buffers))

    @property
    def exact(self) -> bool:
        return bool(self._product.dtype == np.float64)

    @cached_property
    def matrix(self) -> Floats | None:
        return self.block(np.arange(self._product.size)) if self._product.size <= ONE_BLOCK else None

    @property
    def lasting(self) -> bool:
        return self._patience == 0 and self._cache.growing

    def part(self, samples: Indices) -> Rows:
        return ProductRows(self._product.part(samples), self._cache.part(samples.size), self._scratch)

    def block(self, chosen: Indices) -> Floats:
        block = self._scratch.block[: chosen.size**2].reshape(chosen.size, chosen.size)
        slots = self._cache.find(chosen)
        old, new, order = np.flatnonzero(slots >= 0), np.flatnonzero(slots < 0), np.argsort(chosen)

        def gather(number: int, part: slice) -> None:
            del number
            gather_block(self._cache.store, slots[old[part]], chosen[order], old[part], order, block)

        in_parts(gather, old.size, 64, _GATHERING * old.size * chosen.size)
        if self._product.width >= _WIDE:
            self._make_half(chosen[new], new, block)
            in_parts(lambda _, part: mirror(block, new[part], old), new.size, 64, _GATHERING * old.size * new.size)
        else:
            self._make_rows(chosen, new, block)
        return block

    def _make_rows(self, chosen: Indices, new: Indices, block: Floats) -> None:
        """Write the rows that are ``new``, of all that are ``chosen``."""
        centers = self._product.part(chosen).centers()

        def work(number: int, part: slice) -> None:
            del number
            self._product.part(chosen[new[part]]).make_block(centers, new[part], block)

        in_parts(work, new.size, 64, new.size * chosen.size * (self._product.width + _EXP))

    def _make_half(self, samples: Indices, at: Indices, block: Floats) -> None:
        """Write the entries between ``samples``, which stand at these places: each is made once, and written twice."""
        product, strips = self._product.part(samples), paired_strips(at.size, _STRIP)

        def work(number: int, part: slice) -> None:
            for strip in strips[part]:
                rest = slice(strip.start, at.size)
                centers, rows = product.part(strip).centers(), np.arange(at.size - strip.start)
                panel = self._scratch.buffers[number][: rows.size * (strip.stop - strip.start)].reshape(rows.size, -1)
                product.part(rest).make_block(centers, rows, panel)
                write_both(panel, at[rest], at[strip], block)

        in_parts(work, len(strips), 2, 0.5 * at.size**2 * (product.width + _EXP))

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

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        part, sums = self._product.part(columns), np.zeros(values[columns].size)
        for first in range(0, chosen.size, self.block_size):
            rows = slice(first, first + self.block_size)
            self._add_new(part, chosen[rows], delta[rows], np.full(chosen[rows].size, -1), sums)
        values[columns] += sums

    def _add_new(self, columns: Product, chosen: Indices, delta: Vector, slots: Indices, values: Vector) -> None:
        """Add rows that are made now, and write those to their slots that have one."""
        if chosen.size == 0:
            return
        left = self._product.part(chosen).centers()

        def work(number: int, part: slice) -> None:
            buffer, store = self._scratch.buffers[number], self._cache.store
            columns.part(part).add_rows(left, delta, values[part], buffer, store, slots, part.start)

        in_parts(work, values.size, PANEL, chosen.size * values.size * (columns.width + _EXP))


def _block_size(product: Product) -> int:
    if product.size <= ONE_BLOCK:
        return product.size
    return min(2048, product.size // (_PARTS_OF_WIDE if product.width >= _WIDE else _PARTS))
