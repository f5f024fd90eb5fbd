# SPDX-License-Identifier: BSD-3-Clause
"""Samples in an array of Dask, and how their factor is made where they are."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from dask import delayed
from distributed import Future

from qpkernels.arrays import Indices, Matrix, Samples, Vector, row_blocks, rows_together
from qpkernels.errors import NonFiniteError, ShapeError
from qpkernels.gram.features import Features
from qpkernels.gram.low_rank.block_source import BlockSource, Columns, GrowingFactor, Visit, in_order
from qpkernels.gram.low_rank.workers.features import FeaturesOnWorkers
from qpkernels.gram.low_rank.workers.places import Place, by_block, sample_count, taken
from qpkernels.gram.low_rank.workers.waiting import current_client, gathered
from qpkernels.kernels.base import Kernel

__all__ = ["DaskSource"]


class DaskSource(BlockSource):
    """Samples of an array of Dask, with the workers of the client that is there.

    Each visit computes the array anew, unless it was persisted.

    Raises
    ------
    ShapeError
        If the array has not two dimensions, or does not know how many samples a block has.
    ParameterError
        If there is no client.
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        whole = rows_together(X)
        sizes = whole.chunks[0]
        if any(np.isnan(size) for size in sizes):
            raise ShapeError(
                "the blocks of X must know their numbers of samples, but these are unknown; call "
                "X.compute_chunk_sizes(), or to_dask_array(lengths=True) of a data frame."
            )
        if not sum(sizes):
            raise ShapeError("X must hold at least one sample, but its blocks are empty.")
        self._kernel, self.client = kernel, current_client()
        firsts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        blocks = zip(whole.to_delayed().ravel(), map(Place, firsts, sizes), strict=False)
        self._blocks = [(block, place) for block, place in blocks if place.count]
        self.largest_block = max(sizes)

    def __len__(self) -> int:
        return sample_count(self.places)

    @property
    def places(self) -> list[Place]:
        """The samples of each block."""
        return [place for _, place in self._blocks]

    def visit(self, visit: Visit, columns: int) -> None:
        """Call ``visit`` here for one block after the other."""
        for block, place in self._blocks:
            (samples,) = gathered(self.computed([delayed(_samples)(self._kernel, place, block)]))
            for part in row_blocks(place.count, columns):
                visit(slice(place.first + part.start, place.first + part.stop), samples[part])

    def take(self, rows: Indices) -> Samples:
        """Return some of the samples, from those blocks that have them."""
        wanted, order = by_block(self.places, rows)
        tasks = [
            delayed(taken)(delayed(_samples)(self._kernel, place, block), own)
            for (block, place), own in zip(self._blocks, wanted, strict=True)
            if own.size
        ]
        return in_order(gathered(self.computed(tasks)), order)

    def diagonal(self, kernel: Kernel) -> Vector:
        """Return k(x_i, x_i)."""
        tasks = [delayed(kernel.diagonal)(delayed(_samples)(self._kernel, *each[::-1])) for each in self._blocks]
        return np.concatenate(gathered(self.computed(tasks)))

    def factor(self, rank: int) -> GrowingFactor:
        """Return a Z without columns, with the workers."""
        del rank
        return _FactorOnWorkers(self)

    def columns(self, columns: Columns, count: int, before: Sequence[Sequence[Future]]) -> list[Future]:
        """Return tasks that compute columns of each block, given the parts of those before."""
        shared = delayed(columns)
        tasks = [
            delayed(_columns)(shared, count, delayed(_samples)(self._kernel, place, block), *parts)
            for (block, place), parts in zip(self._blocks, before, strict=True)
        ]
        return self.computed(tasks)

    def computed(self, tasks: list[Any]) -> list[Future]:
        """Let the workers begin."""
        futures: list[Future] = self.client.compute(tasks)
        return futures


class _FactorOnWorkers(GrowingFactor):
    """Z in blocks, each in parts of the columns that were added together."""

    def __init__(self, source: DaskSource) -> None:
        self._source = source
        self._parts: list[list[Future]] = [[] for _ in source.places]

    def rows(self, which: Indices) -> Matrix:
        """Return a copy of some rows."""
        if not self._parts[0]:
            return np.empty((which.size, 0))
        wanted, order = by_block(self._source.places, which)
        submit = self._source.client.submit
        futures = [
            submit(_taken_of_parts, own, *parts, pure=False)
            for parts, own in zip(self._parts, wanted, strict=True)
            if own.size
        ]
        return np.asarray(in_order(gathered(futures), order))

    def extend(self, columns: Columns, count: int) -> Vector:
        """Let the workers add columns."""
        both = self._source.columns(columns, count, self._parts)
        submit = self._source.client.submit
        beside = [submit(itemgetter(1), pair, pure=False) for pair in both]
        for parts, pair in zip(self._parts, both, strict=True):
            parts.append(submit(itemgetter(0), pair, pure=False))
        return np.concatenate(gathered(beside))

    def finished(self) -> Features:
        """Return Z, the parts of each block put together."""
        submit = self._source.client.submit
        blocks = [
            parts[0] if len(parts) == 1 else submit(_together, place.count, *parts, pure=False)
            for parts, place in zip(self._parts, self._source.places, strict=True)
        ]
        (columns,) = gathered([submit(_width, blocks[0], pure=False)])
        return FeaturesOnWorkers(self._source.client, blocks, self._source.places, columns)


def _samples(kernel: Kernel, place: Place, block: Any) -> Samples:
    """Return the samples of a block, as the kernel takes them; in the words of the whole where it does not."""
    where = f"samples {place.rows.start} to {place.rows.stop - 1} of X, a block of Dask"
    try:
        samples = kernel.samples(block)
    except (ShapeError, NonFiniteError) as error:
        raise type(error)(f"in {where}: {error}") from None
    if samples.shape[0] != place.count:
        raise ShapeError(
            f"{where}, must be {place.count}, but {samples.shape[0]} came; whatever loads the block must load as many "
            "as the array says."
        )
    return samples


def _taken_of_parts(which: Indices, *parts: Matrix) -> Matrix:
    return np.hstack([part[which] for part in parts])


def _columns(columns: Columns, count: int, samples: Samples, *parts: Matrix) -> tuple[Matrix, Vector]:
    m = int(samples.shape[0])
    made, beside = np.empty((m, count)), np.empty(m)
    for rows in row_blocks(m, 4 * count):
        before = np.hstack([part[rows] for part in parts]) if parts else np.empty((rows.stop - rows.start, 0))
        made[rows], beside[rows] = columns(samples[rows], before)
    return made, beside


def _together(count: int, *parts: Matrix) -> Matrix:
    return np.hstack(parts) if parts else np.zeros((count, 1))


def _width(rows: Matrix) -> int:
    return int(rows.shape[1])
