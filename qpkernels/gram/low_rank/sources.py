# SPDX-License-Identifier: BSD-3-Clause
"""Samples that are visited block by block: arrays, memory-mapped files, sparse matrices, or streams of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Indices, Samples, feature_names, is_dask, row_blocks
from qpkernels.arrays.threads import in_parts, without_blas_threads
from qpkernels.errors import MissingPackageError, ParameterError, ShapeError
from qpkernels.gram.low_rank.block_source import BlockSource, Visit, in_order
from qpkernels.kernels.base import Kernel

__all__ = ["ArraySource", "StreamSource", "as_source"]


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


def as_source(kernel: Kernel, X: Any) -> BlockSource:
    """Return the source that stands for what a user passes: samples, or a function that returns blocks of them.

    Samples of Dask stay with its workers.

    Raises
    ------
    ParameterError
        If an iterator came: it cannot begin anew.
    MissingPackageError
        If an array of Dask came, but its workers are not installed.
    """
    if isinstance(X, BlockSource):
        return X
    if is_dask(X):
        try:
            from qpkernels.gram.low_rank.workers import DaskSource
        except ImportError as error:
            raise MissingPackageError(
                f"samples of Dask need dask[distributed], which is not all there ({error}); run: "
                'pip install "dask[distributed]"'
            ) from error
        return DaskSource(kernel, X)
    if callable(X):
        return StreamSource(kernel, X)
    if isinstance(X, Iterator):
        raise ParameterError(
            f"samples are visited more than once, but {type(X).__name__} can be only once; pass a function that "
            "returns it anew: lambda: ..."
        )
    return ArraySource(kernel, X)
