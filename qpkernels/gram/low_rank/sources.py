# SPDX-License-Identifier: BSD-3-Clause
"""Samples that are visited block by block: arrays, memory-mapped files, sparse matrices, or streams of blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, vstack

from qpkernels.arrays import (
    FeatureNames,
    Indices,
    Matrix,
    Samples,
    Vector,
    feature_names,
    frozen,
    is_sparse,
    row_blocks,
)
from qpkernels.arrays.threads import in_parts, without_blas_threads
from qpkernels.errors import ShapeError
from qpkernels.gram.features import Features, FeaturesInMemory
from qpkernels.kernels.kernel import Kernel

__all__ = [
    "ArraySource",
    "BlockSource",
    "Columns",
    "FactorInMemory",
    "GrowingFactor",
    "StreamSource",
    "Visit",
    "in_order",
]

Visit: TypeAlias = Callable[[slice, Samples], object]
"""The function that is called with each block: the numbers of its samples, and these."""


Columns: TypeAlias = Callable[[Samples, Matrix], tuple[Matrix, Vector]]
"""Given samples and their columns of Z so far: their next columns, and a number for each that is asked for beside."""


class GrowingFactor(ABC):
    """Z, to which columns are added."""

    @abstractmethod
    def rows(self, which: Indices) -> Matrix:
        """Return a copy of some rows, with the columns so far."""

    @abstractmethod
    def extend(self, columns: Columns, count: int) -> Vector:
        """Add ``count`` columns, and return what ``columns`` returns beside, shape (m,)."""

    @abstractmethod
    def finished(self) -> Features:
        """Return Z, of at least one column; it grows no more."""


class BlockSource(ABC):
    """Samples in blocks, which can be visited more than once."""

    feature_names: FeatureNames = None
    largest_block: int | None = None
    """Number of samples whose rows of Z are one array; None: those of all are."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples."""

    @abstractmethod
    def visit(self, visit: Visit, columns: int) -> None:
        """Call ``visit`` for each block, such that a matrix of its rows and so many ``columns`` is small."""

    @abstractmethod
    def take(self, rows: Indices) -> Samples:
        """Return some of the samples, in the order of ``rows``."""

    def diagonal(self, kernel: Kernel) -> Vector:
        """Return k(x_i, x_i)."""
        values = np.empty(len(self))

        def visit(rows: slice, samples: Samples) -> None:
            values[rows] = kernel.diagonal(samples)

        self.visit(visit, 1)
        return values

    def factor(self, rank: int) -> GrowingFactor:
        """Return a Z without columns, with room for so many."""
        return FactorInMemory(self, rank)


class FactorInMemory(GrowingFactor):
    """Z as one matrix."""

    def __init__(self, source: BlockSource, rank: int) -> None:
        self._source, self._made = source, 0
        self._matrix = np.zeros((len(source), rank))

    def rows(self, which: Indices) -> Matrix:
        """Return a copy of some rows."""
        return self._matrix[which, : self._made]

    def extend(self, columns: Columns, count: int) -> Vector:
        """Add columns by a visit of the samples."""
        old, new = slice(0, self._made), slice(self._made, self._made + count)
        beside = np.empty(len(self._source))

        def visit(rows: slice, samples: Samples) -> None:
            self._matrix[rows, new], beside[rows] = columns(samples, self._matrix[rows, old])

        self._source.visit(visit, count)
        self._made += count
        return beside

    def finished(self) -> Features:
        """Return Z, in memory of its own size."""
        Z = self._matrix if self._made == self._matrix.shape[1] else self._matrix[:, : max(self._made, 1)].copy()
        return FeaturesInMemory(frozen(Z))


def in_order(parts: Sequence[Samples], order: Indices) -> Samples:
    """Return rows that were asked for in another order, one part after the other, as they were asked for."""
    together = csr_array(vstack(parts)) if any(map(is_sparse, parts)) else np.concatenate(parts)
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return together[back]


class ArraySource(BlockSource):
    """Samples in memory, or in a file that is mapped to it; blocks are visited by all processors."""

    def __init__(self, kernel: Kernel, X: ArrayLike) -> None:
        self.samples, self.feature_names = kernel.samples(X), feature_names(X)

    def __len__(self) -> int:
        return int(self.samples.shape[0])

    def visit(self, visit: Visit, columns: int) -> None:
        """Call ``visit`` for blocks in parallel."""

        def part(_: int, rows: slice) -> None:
            for block in row_blocks(rows.stop - rows.start, 16 * columns):
                own = slice(rows.start + block.start, rows.start + block.stop)
                visit(own, self.samples[own])

        with without_blas_threads():
            in_parts(part, len(self), 1, effort=float(len(self)) * columns)

    def take(self, rows: Indices) -> Samples:
        """Return some of the samples, in the order of ``rows``."""
        return self.samples[rows]


class StreamSource(BlockSource):
    """Samples that come block by block from a function which begins anew each time it is called.

    Parameters
    ----------
    kernel
        What checks the blocks.
    blocks
        Called without arguments, returns the blocks in order: always the same.

    Raises
    ------
    ShapeError
        If the blocks are of different widths, or a later visit brings more or fewer samples than the first.
    """

    def __init__(self, kernel: Kernel, blocks: Callable[[], Iterable[Any]]) -> None:
        self._kernel, self._blocks = kernel, blocks
        self._count: int | None = None
        self._width: tuple[int, ...] | None = None
        self._count = sum(block.shape[0] for _, block in self._pass())
        if not self._count:
            raise ShapeError("a stream of samples must bring at least one, but it brought none.")

    def __len__(self) -> int:
        assert self._count is not None
        return self._count

    def visit(self, visit: Visit, columns: int) -> None:
        """Call ``visit`` for the blocks in order, divided where they are large."""
        for start, block in self._pass():
            for part in row_blocks(block.shape[0], columns):
                visit(slice(start + part.start, start + part.stop), block[part])

    def take(self, rows: Indices) -> Samples:
        """Return some of the samples, by a visit of all."""
        order = np.argsort(rows, kind="stable")
        wanted, found = rows[order], []
        for start, block in self._pass():
            here = slice(*np.searchsorted(wanted, [start, start + block.shape[0]]))
            found.append(block[wanted[here] - start])
        return in_order(found, order)

    def _pass(self) -> Iterator[tuple[int, Samples]]:
        """Yield the number of the first sample of each block, and the block."""
        start = 0
        for block in self._blocks():
            samples = self._kernel.samples(block)
            if self._width not in (None, samples.shape[1:]):
                raise ShapeError(
                    f"all blocks of a stream must have the same features, but samples of shape {samples.shape[1:]} "
                    f"came after sample {start}, and of shape {self._width} before."
                )
            self._width, first = samples.shape[1:], start
            start += int(samples.shape[0])
            if self._count is not None and start > self._count:
                break
            yield first, samples
        if self._count is not None and start != self._count:
            raise ShapeError(
                f"a stream must bring the same samples at each visit, but it brought {self._count} at first, and then "
                f"{'more' if start > self._count else start}; pass a function that begins anew at each call, and reads "
                "what does not change meanwhile."
            )
