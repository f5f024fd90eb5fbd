# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a kernel matrix K as the engine needs them, made from entries, from features, or from the kernel alone.

The matrix itself is never formed: a block is small, rows are used as they come, and those that are worth it are kept in
a bounded piece of memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Floats, Indices, Matrix, Samples, Vector, is_sparse, row_blocks
from qpkernels.arrays.threads import in_parts, paired_strips, threads
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.gram.panels.loops import add_stored_rows, gather_block, mirror, write_both
from qpkernels.gram.panels.products import PANEL, PanelProduct
from qpkernels.gram.panels.samples import StreamedProduct, make_product
from qpkernels.kernels.products import ProductForm
from qpkernels.problems import KernelQP, LevelQP
from qpkernels.solvers.smo.steps import Block

__all__ = [
    "ONE_BLOCK",
    "FeatureRows",
    "KernelRows",
    "MatrixRows",
    "Memory",
    "MixtureRows",
    "ProductRows",
    "RowCache",
    "SampleRows",
    "VariableRows",
    "remaining",
]

ONE_BLOCK = 2000
"""Samples up to which all of them are one block: to make its matrix takes less than to choose smaller ones."""

_LEFT = 3000
"""Samples that shrinking leaves up to which all of them are one block: most of these are inside their bounds, and small
blocks of them in turn take many more steps. Its matrix takes 34 MiB in float32."""

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

_RUN = 64
"""Samples that follow each other in a matrix, on an average, from which on to read them alone."""

_PARTS, _PARTS_OF_WIDE = 4, 8
"""A block is no more than a quarter of the samples: of a few, most may not matter; of wide rows, an eighth.

These are kept, so that what a smaller block leaves to the next ones costs less than its own entries.
"""


_VECTORS = 40
"""Vectors of a number for each sample that a descent and its certificate hold at most, as it was measured."""

_LARGEST = 2048
"""Samples of a block, at most."""

_TWICE = 1.8
"""Times the features of all samples that are held: while some are left out, at most 0.8 of them are beside all."""

_HELD = 0.5
"""Share of what remains that samples compressed to their nonzeros may take, of which features are made beside them."""

_OF_NONZERO = 32
"""Bytes that a nonzero takes in both."""

_SEEN = 256
"""Samples that tell their number."""


class SampleRows(ABC):
    """The kernel matrix K of some samples, numbered from 0.

    Attributes
    ----------
    block_size
        How many coefficients to minimise over at once: in a larger block fewer rows change in vain, but the block
        itself takes a product of its square.
    """

    block_size = 1024

    @property
    def exact(self) -> bool:
        """Whether the entries are made in float64."""
        return True

    def one_block(self) -> Block | None:
        """Return all of K, where the samples are few enough for it to be one block."""
        return None

    @property
    def lasting(self) -> bool:
        """Whether all rows made so far are kept: then shorter ones would save little, and have to be made anew."""
        return False

    @abstractmethod
    def block(self, chosen: Indices) -> Block:
        """Return K between the ``chosen`` samples."""

    @abstractmethod
    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        """Add sum over c of delta_c K_c to ``values``; row c was asked for ``visits[c]`` times, this one included."""

    @abstractmethod
    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        """Add sum over c of delta_c K_cj to ``values[j]``, for the ``columns`` j."""

    @abstractmethod
    def part(self, samples: Indices) -> SampleRows:
        """Return K of these ``samples`` alone, in ascending order; it may take over the memory of kept rows."""


class MatrixRows(SampleRows):
    """From a matrix in memory, in float32 or float64, whose rows ``samples`` are the samples; left out, all are.

    ``memory``, where it is given, has room for a block, each of which is written over the last one.
    """

    def __init__(self, matrix: Floats, samples: Indices | None = None, memory: Floats | None = None) -> None:
        self.memory = memory
        self._matrix, self._is_whole = matrix, samples is None
        self._samples: Indices = np.arange(len(matrix)) if samples is None else samples
        self.block_size = min(1024, max(2, self._samples.size // _PARTS))

    @property
    def exact(self) -> bool:
        return bool(self._matrix.dtype == np.float64)

    def one_block(self) -> Block | None:
        if self._samples.size > ONE_BLOCK:
            return None
        return Block.whole(self._matrix) if self._is_whole else Block.within(self._matrix, self._samples, self.memory)

    def block(self, chosen: Indices) -> Block:
        return Block.within(self._matrix, self._samples[chosen], self.memory)

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        self.add_to(slice(None), chosen, delta, values)

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        rows = self._samples[chosen]
        if isinstance(columns, slice) and columns == slice(None):
            self._add(rows, delta, values)
        else:
            sums = np.zeros(values[columns].size)
            MatrixRows(self._matrix, self._samples[columns])._add(rows, delta, sums)
            values[columns] += sums

    @cached_property
    def _edges(self) -> Indices:
        """Where a run of samples that follow each other in the matrix begins; and their number."""
        return np.concatenate([[0], np.flatnonzero(np.diff(self._samples) != 1) + 1, [self._samples.size]])

    def _add(self, rows: Indices, delta: Vector, values: Vector) -> None:
        """Add delta'K to the ``values`` of all samples, where K has these ``rows`` of the matrix."""
        if (self._edges.size - 1) * _RUN <= values.size:
            for start, stop in pairwise(self._edges.tolist()):
                self._add_from(int(self._samples[start]), rows, delta, values[start:stop])
        elif values.size:
            # Few of them follow each other in the matrix: what lies between is read as well.
            first = int(self._samples.min())
            sums = np.zeros(int(self._samples.max()) + 1 - first)
            self._add_from(first, rows, delta, sums)
            values += sums[self._samples - first]

    def _add_from(self, first: int, rows: Indices, delta: Vector, values: Vector) -> None:
        """Add delta'K to ``values``, which belong to the columns from the ``first`` one on."""
        in_parts(
            lambda _, part: add_stored_rows(self._matrix, rows, first + part.start, delta, values[part]),
            values.size,
            PANEL,
            float(rows.size) * values.size,
        )

    def part(self, samples: Indices) -> SampleRows:
        return MatrixRows(self._matrix, self._samples[samples], self.memory)


class FeatureRows(SampleRows):
    """From features Phi with K = Phi Phi': a step changes the weights w = Phi'beta, and the values are Phi w.

    Far from the origin K loses the digits that the features share. So a step adds what they differ by from their mean,
    which is all of it where the coefficients keep their sum; in ``pairs``, which see nothing else, blocks are made of
    these differences.
    """

    def __init__(self, features: Matrix, pairs: bool, level: Vector | None = None) -> None:
        self._features, self._pairs = features, pairs
        self._level: Vector = features.mean(axis=0) if level is None else level

    def block(self, chosen: Indices) -> Block:
        part = self._features[chosen]
        if self._pairs:
            part = part - self._level
        return Block.whole(part @ part.T)

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        self.add_to(slice(None), chosen, delta, values)

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        change = delta @ (self._features[chosen] - self._level) + float(delta.sum()) * self._level
        values[columns] += self._features[columns] @ change

    def part(self, samples: Indices) -> SampleRows:
        return FeatureRows(self._features[samples], self._pairs, self._level)


class MixtureRows(SampleRows):
    """From K = M G M' with a sparse M: a step changes G M'beta, and the values are those times M."""

    def __init__(self, M: csr_array, G: Matrix) -> None:
        self._M, self._G = M, G

    def block(self, chosen: Indices) -> Block:
        some = self._M[chosen]
        return Block.whole(np.ascontiguousarray((some @ (some @ self._G).T).T))

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        self.add_to(slice(None), chosen, delta, values)

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        every = isinstance(columns, slice) and columns == slice(None)
        M = self._M if every else self._M[columns]
        values[columns] += M @ ((delta @ self._M[chosen]) @ self._G)

    def part(self, samples: Indices) -> SampleRows:
        return MixtureRows(self._M[samples], self._G)


class VariableRows(SampleRows):
    """The variables, one or two of which belong to a sample, with a sign: K_ij times the signs of both.

    Parameters
    ----------
    rows
        Those of the samples.
    samples, signs
        The sample and the sign of each variable, +1 or -1.
    size
        The number of samples.
    """

    def __init__(self, rows: SampleRows, samples: Indices, signs: Vector, size: int) -> None:
        self._rows, self._samples, self._signs, self._size = rows, samples, signs, size
        self.block_size = rows.block_size

    @property
    def exact(self) -> bool:
        return self._rows.exact

    @property
    def lasting(self) -> bool:
        return self._rows.lasting

    def one_block(self) -> Block | None:
        block = self._rows.one_block() if self._samples.size <= ONE_BLOCK else None
        return None if block is None else self._of_variables(block, self._samples, self._signs)

    def block(self, chosen: Indices) -> Block:
        samples, at = np.unique(self._samples[chosen], return_inverse=True)
        return self._of_variables(self._rows.block(samples), at, self._signs[chosen])

    def _of_variables(self, block: Block, samples: Indices, signs: Vector) -> Block:
        """Return a block of samples with a row for each variable, given which of them it is of."""
        columns = samples if block.columns.size == 0 else block.columns[samples]
        if (signs > 0).all():
            return Block.within(block.source, columns)
        both = (signs * signs[:, None]).astype(block.source.dtype)
        return Block.whole(block.source[np.ix_(columns, columns)] * both)

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        samples, first, at = np.unique(self._samples[chosen], return_index=True, return_inverse=True)
        sums = np.zeros(self._size)
        self._rows.add(samples, self._changes(at, chosen, delta), visits[first], sums)
        values += self._signs * sums[self._samples]

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        samples, at = np.unique(self._samples[chosen], return_inverse=True)
        sums, own = np.zeros(self._size), self._samples[columns]
        self._rows.add_to(np.unique(own), samples, self._changes(at, chosen, delta), sums)
        values[columns] += self._signs[columns] * sums[own]

    def _changes(self, at: Indices, chosen: Indices, delta: Vector) -> Vector:
        """Return by how much the coefficients of samples change, ``at`` which those of the variables add up."""
        return np.bincount(at, self._signs[chosen] * delta).astype(float)

    def part(self, samples: Indices) -> SampleRows:
        own, at = np.unique(self._samples[samples], return_inverse=True)
        return VariableRows(self._rows.part(own), at, self._signs[samples], own.size)


class Scratch(NamedTuple):
    """Memory to be written over: for a block, and for a panel in each thread.

    The block has room for so many samples as are ``left`` where others are left out.
    """

    block: Floats
    buffers: tuple[Floats, ...]
    left: int


class ProductRows(SampleRows):
    """Panels of the rows that change, made by both a matrix product and a loop while they are in a processor's cache.

    A row is kept once the work of making it again adds up to that of writing it to fresh memory, which is that of a
    product over some hundred features: then the sum of both is at most twice the least possible, whatever comes. Rows
    of many features are kept at once.
    """

    def __init__(self, product: PanelProduct, cache: RowCache, scratch: Scratch, most: int) -> None:
        self._product, self._cache, self._scratch, self._most = product, cache, scratch, most
        self._patience = 0 if product.width >= _WIDE else _WRITING // product.width
        self.block_size = _block_size(product)

    @classmethod
    def with_cache(cls, product: PanelProduct, size: int, left: int = 0) -> ProductRows:
        """Keep rows in at most ``size`` bytes: what a row is worth keeping for is the product it saves.

        Where it is more than ``ONE_BLOCK``, so many samples as are ``left`` by shrinking may be one block.
        """
        cache = RowCache(product.size, int(size * min(1.0, product.width / _WRITING)), product.dtype)
        # What is left of the samples after shrinking may be one block, larger than those of all.
        left = max(left, ONE_BLOCK)
        rows = max(_block_size(product), min(product.size, left))
        buffers = tuple(np.empty(rows * PANEL, product.dtype) for _ in range(threads()))
        return cls(product, cache, Scratch(np.empty(rows**2, product.dtype), buffers, left), ONE_BLOCK)

    @property
    def exact(self) -> bool:
        return bool(self._product.dtype == np.float64)

    def one_block(self) -> Block | None:
        return self.block(np.arange(self._product.size)) if self._product.size <= self._most else None

    @property
    def lasting(self) -> bool:
        return self._patience == 0 and self._cache.growing

    def part(self, samples: Indices) -> SampleRows:
        product, cache = self._product.part(samples), self._cache.part(samples.size)
        return ProductRows(product, cache, self._scratch, self._scratch.left)

    def block(self, chosen: Indices) -> Block:
        block = self._scratch.block[: chosen.size**2].reshape(chosen.size, chosen.size)
        slots = self._cache.find(chosen)
        old, new, order = np.flatnonzero(slots >= 0), np.flatnonzero(slots < 0), np.argsort(chosen)

        def gather(number: int, part: slice) -> None:
            del number
            gather_block(self._cache.store, slots[old[part]], chosen[order], old[part], order, block)

        if old.size:
            in_parts(gather, old.size, 64, _GATHERING * old.size * chosen.size)
        if self._product.width >= _WIDE:
            self._make_half(chosen[new], new, block)
            in_parts(lambda _, part: mirror(block, new[part], old), new.size, 64, _GATHERING * old.size * new.size)
        else:
            self._make_rows(chosen, new, block)
        return Block.whole(block)

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
        if old.any():
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

    def _add_new(self, columns: PanelProduct, chosen: Indices, delta: Vector, slots: Indices, values: Vector) -> None:
        """Add rows that are made now, and write those to their slots that have one."""
        if chosen.size == 0:
            return
        left = self._product.part(chosen).centers()

        def work(number: int, part: slice) -> None:
            buffer, store = self._scratch.buffers[number], self._cache.store
            columns.part(part).add_rows(left, delta, values[part], buffer, store, slots, part.start)

        in_parts(work, values.size, PANEL, chosen.size * values.size * (columns.width + _EXP))


def _block_size(product: PanelProduct) -> int:
    if product.size <= ONE_BLOCK:
        return product.size
    return min(2048, product.size // (_PARTS_OF_WIDE if product.width >= _WIDE else _PARTS))


class KernelRows(SampleRows):
    """From any kernel, in float64; rows are kept in a cache."""

    def __init__(self, gram: Gram, cache: RowCache) -> None:
        self._gram, self._cache = gram, cache

    @property
    def lasting(self) -> bool:
        return self._cache.growing

    def block(self, chosen: Indices) -> Block:
        slots = self._cache.find(chosen)
        if (slots >= 0).all():
            return Block.whole(self._cache.store[slots[:, None], chosen])
        return Block.whole(self._gram.entries(chosen))

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        slots = self._cache.find(chosen)
        new = slots < 0
        slots[new] = self._cache.claim(chosen[new])
        kept = slots[new] >= 0
        if new.any():
            for columns in row_blocks(values.size, len(delta[new])):
                panel = self._gram.entries(chosen[new], columns)
                self._cache.store[slots[new][kept], columns] = panel[kept]
                values[columns] += delta[new] @ panel
        for slot, change in zip(slots[~new], delta[~new], strict=True):
            values += change * self._cache.store[slot]

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        values[columns] += self._gram.sums_at(columns, chosen, delta)

    def part(self, samples: Indices) -> SampleRows:
        return KernelRows(self._gram.part(samples), self._cache.part(samples.size))


class RowCache:
    """Slots for rows of the kernel matrix of ``samples`` samples, as many as fit in ``size`` bytes.

    A fresh page of memory costs more than the entries computed into it. So the pages are touched only as slots are
    first used, one after the other, and a slot is used again rather than given back.
    """

    def __init__(self, samples: int, size: int, dtype: DTypeLike) -> None:
        entries = min(samples**2, size // np.dtype(dtype).itemsize)
        self._memory: Floats = np.empty(entries, dtype)
        self._begin(samples)

    def _begin(self, samples: int) -> None:
        capacity = min(samples, self._memory.size // samples)
        self.store: Floats = self._memory[: capacity * samples].reshape(capacity, samples)
        self._slot_of = np.full(samples, -1, np.intp)
        self._owner = np.full(capacity, -1, np.intp)
        self._used = np.zeros(capacity, np.int64)
        self._clock, self._touched = 0, 0

    @property
    def growing(self) -> bool:
        """Whether there are rows, and room for more."""
        return 0 < self._touched < self._used.size

    def part(self, samples: int) -> RowCache:
        """Return an empty cache for so many of the samples, in the same memory, which this one must not use meanwhile.

        It empties this one: to make the rows again costs less than to move what they have in common.
        """
        self._begin(self._slot_of.size)
        part = RowCache.__new__(RowCache)
        part._memory = self._memory
        part._begin(samples)
        return part

    def find(self, rows: Indices) -> Indices:
        """Return the slots of ``rows``, -1 where there is none, and note that they were used."""
        slots = self._slot_of[rows]
        self._clock += 1
        self._used[slots[slots >= 0]] = self._clock
        return slots

    def claim(self, rows: Indices) -> Indices:
        """Return slots for ``rows``, which have none, to be written; -1 where all slots are in use just now."""
        slots = np.full(rows.size, -1, np.intp)
        free = np.arange(self._touched, min(self._touched + rows.size, self._used.size))
        if free.size < rows.size:
            idle = np.flatnonzero(self._used[: self._touched] < self._clock)
            oldest = np.argsort(self._used[idle], kind="stable")[: rows.size - free.size]
            free = np.concatenate([free, idle[oldest]])
        self._touched = max(self._touched, int(free.max(initial=-1)) + 1)
        given = rows[: free.size]
        slots[: free.size] = free
        before = self._owner[free]
        self._slot_of[before[before >= 0]] = -1
        self._owner[free], self._slot_of[given], self._used[free] = given, free, self._clock
        return slots


@dataclass(frozen=True)
class Memory:
    """Bytes that may be held.

    Attributes
    ----------
    cache
        By rows that are kept.
    remaining
        By these and the features of all samples together; infinity: as much as they take.
    """

    cache: int
    remaining: float = np.inf

    @property
    def left(self) -> int:
        """Samples left by shrinking up to which they are one block: more than of all where memory is not bounded."""
        return _LEFT if np.isinf(self.remaining) else ONE_BLOCK

    def product(self, form: ProductForm, X: Samples, dtype: DTypeLike) -> PanelProduct:
        """Return features of the samples in that precision: held where they fit, else made as they are asked for."""
        if is_sparse(X) or _held(X.shape[0], X.shape[1], dtype) <= self.remaining:
            return make_product(form, X, dtype)
        return StreamedProduct(form, X, dtype)

    def for_rows(self, product: PanelProduct) -> int:
        """Return what remains for rows beside the features."""
        if isinstance(product, StreamedProduct) or np.isinf(self.remaining):
            return int(min(self.cache, self.remaining))
        return int(max(0.0, min(self.cache, self.remaining - _held(product.size, product.width, product.dtype))))

    def compresses(self, X: Samples) -> bool:
        """Return whether there is room for the nonzeros of dense samples beside them."""
        if np.isinf(self.remaining) or is_sparse(X):
            return True
        nonzero = float(X.size * (X[:: max(1, len(X) // _SEEN)] != 0).mean())
        return bool(_OF_NONZERO * nonzero <= _HELD * self.remaining)


def remaining(program: KernelQP | LevelQP, budget: float, *, forms_matrix: bool) -> float:
    """Return what a ``budget`` of bytes leaves for features and kept rows.

    Raises
    ------
    ParameterError
        If it does not suffice for the vectors and one block, or the matrix where the problem is one.
    """
    m = program.size
    block = 8 * (m**2 if forms_matrix else min(m, _LARGEST) * (min(m, _LARGEST) + threads() * PANEL))
    needed = _VECTORS * 8 * m + block
    if budget < needed:
        raise ParameterError(
            f"memory_budget must be at least {np.ceil(needed / 2**20):.0f} MiB for {m} samples, which is what vectors "
            f"of that length and one block of the kernel matrix take, but {budget / 2**20:g} came; raise it, or take "
            "fewer samples."
        )
    return budget - needed


def _held(samples: int, features: int, dtype: DTypeLike) -> float:
    """Return the bytes of features and offsets."""
    return _TWICE * samples * (features + 1) * np.dtype(dtype).itemsize
