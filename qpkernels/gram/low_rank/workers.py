# SPDX-License-Identifier: BSD-3-Clause
"""Samples in an array of Dask, and how their factor is made where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from operator import itemgetter
from time import perf_counter
from typing import Any

import numpy as np
from dask import delayed
from distributed import Client, Future, get_client
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from qpkernels.arrays import Indices, Matrix, Samples, Vector, row_blocks
from qpkernels.arrays.containers import rows_together
from qpkernels.errors import GramTooLargeError, NonFiniteError, ParameterError, ShapeError, WorkersLostError
from qpkernels.gram.features import Features
from qpkernels.gram.low_rank.sources import BlockSource, Columns, GrowingFactor, Visit, in_order
from qpkernels.kernels.kernel import Kernel

__all__ = [
    "BlockOfSamples",
    "DaskSource",
    "FeaturesOnWorkers",
    "by_block",
    "current_client",
    "gathered",
    "sample_count",
    "taken",
]


@dataclass(frozen=True)
class BlockOfSamples:
    """The first sample of a block, and the number of its samples."""

    first: int
    count: int

    @property
    def rows(self) -> slice:
        """All of them."""
        return slice(self.first, self.first + self.count)


def sample_count(places: list[BlockOfSamples]) -> int:
    """Return the number of all samples."""
    return places[-1].first + places[-1].count


def by_block(places: list[BlockOfSamples], which: Indices) -> tuple[list[Indices], Indices]:
    """Return the numbers within each block of the samples ``which``, and the order that brought these to the blocks."""
    order = np.argsort(which, kind="stable")
    wanted, edges = which[order], [*(place.first for place in places), sample_count(places)]
    ends = np.searchsorted(wanted, edges)
    return [
        wanted[start:stop] - place.first for place, start, stop in zip(places, ends[:-1], ends[1:], strict=True)
    ], order


def taken(rows: Any, which: Indices) -> Any:
    """Return some rows of a block."""
    return rows[which]


_PATIENCE, _POLL = 60.0, 1.0
"""Seconds without a worker after which none is expected any more, and between two looks."""


def current_client() -> Client:
    """Return the client that is there, or say how to start one."""
    try:
        return get_client()
    except ValueError:
        raise ParameterError(
            "samples of Dask are visited by its workers, but there is no client; start one first: "
            "from dask.distributed import Client; client = Client()."
        ) from None


def gathered(futures: Sequence[Future]) -> list[Any]:
    """Wait for the results, whatever happens to workers meanwhile.

    Raises
    ------
    WorkersLostError
        If a task was lost with several workers in turn, no worker is left, or the client or its scheduler is gone.
    """
    client = futures[0].client

    async def collect() -> Any:
        return await client.gather(list(futures), asynchronous=True)

    waiting = asyncio.run_coroutine_threadsafe(collect(), client.loop.asyncio_loop)
    alive = perf_counter()
    try:
        while True:
            try:
                results: list[Any] = waiting.result(_POLL)
            except NotYet:
                alive = perf_counter() if client.nthreads() else alive
                if perf_counter() - alive > _PATIENCE:
                    raise WorkersLostError(
                        f"no worker of Dask was left for {_PATIENCE:g} seconds, and their blocks are lost; start "
                        "workers again, and repeat the call."
                    ) from None
            else:
                return results
    except KilledWorker as error:
        raise WorkersLostError(
            "workers of Dask died again and again at the same block, most likely for want of memory; rechunk X to "
            f"smaller blocks, choose a smaller rank, or give workers more memory ({error})."
        ) from error
    except (CancelledError, asyncio.CancelledError, CommClosedError) as error:
        raise WorkersLostError(
            f"the scheduler of Dask no longer knows the request ({error}); it, or the client, was "
            "closed or started anew: make the LowRank anew."
        ) from error
    finally:
        waiting.cancel()


class FeaturesOnWorkers(Features):
    """Features Phi in blocks of rows, each with a worker.

    Attributes
    ----------
    memory_limit
        Largest size in bytes of what is brought here.
    """

    in_memory = False
    memory_limit = 4.0 * 2**30

    def __init__(self, client: Client, blocks: list[Future], places: list[BlockOfSamples], columns: int) -> None:
        self._client, self._blocks, self._places, self._columns = client, blocks, places, columns

    @property
    def shape(self) -> tuple[int, int]:
        """(m, r)."""
        return sample_count(self._places), self._columns

    @property
    def matrix(self) -> Matrix:
        """Phi, brought here.

        Raises
        ------
        GramTooLargeError
            If it exceeds the memory limit.
        """
        self._check_size(self.shape[0])
        return np.concatenate(gathered(self._blocks))

    def mapped(self, function: Callable[..., Vector], *arguments: Any) -> Vector:
        """Return ``function(rows, *arguments)`` of all blocks."""
        return np.concatenate(gathered([self._submit(function, block, *arguments) for block in self._blocks]))

    def summed(self, function: Callable[..., Vector], vectors: tuple[Vector, ...], *arguments: Any) -> Vector:
        """Return the sum over the blocks."""
        futures = [
            self._submit(function, block, *(v[place.rows] for v in vectors), *arguments)
            for block, place in zip(self._blocks, self._places, strict=True)
        ]
        return np.asarray(np.sum(gathered(futures), axis=0))

    def rows(self, which: Indices) -> Matrix:
        """Return some rows, brought here.

        Raises
        ------
        GramTooLargeError
            If they exceed the memory limit.
        """
        self._check_size(which.size)
        wanted, order = by_block(self._places, which)
        futures = [self._submit(taken, block, own) for block, own in zip(self._blocks, wanted, strict=True) if own.size]
        return np.asarray(in_order(gathered(futures), order))

    def around(self, level: Vector) -> Features:
        """Return Phi - 1 level', which the workers hold beside Phi."""
        blocks = [self._submit(np.subtract, block, level) for block in self._blocks]
        return FeaturesOnWorkers(self._client, blocks, self._places, self._columns)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        return self._client.submit(function, *arguments, pure=False)

    def _check_size(self, rows: int) -> None:
        size = 8 * rows * self._columns
        if size > self.memory_limit:
            raise GramTooLargeError(
                f"the factor of a kernel matrix stays with the workers of Dask, but {rows} of its rows were asked for "
                f"here, {size / 2**30:.1f} GiB against a limit of {self.memory_limit / 2**30:.1f} GiB; solve by "
                "'semismooth-newton', which works on the workers, or choose a smaller rank."
            )


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
        blocks = zip(whole.to_delayed().ravel(), map(BlockOfSamples, firsts, sizes), strict=False)
        self._blocks = [(block, place) for block, place in blocks if place.count]
        self.largest_block = max(sizes)

    def __len__(self) -> int:
        return sample_count(self.places)

    @property
    def places(self) -> list[BlockOfSamples]:
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


def _samples(kernel: Kernel, place: BlockOfSamples, block: Any) -> Samples:
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
