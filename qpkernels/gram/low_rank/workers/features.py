# SPDX-License-Identifier: BSD-3-Clause
"""Explicit features in blocks of rows, each with a worker of Dask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from distributed import Client, Future

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.errors import GramTooLargeError
from qpkernels.gram.features import Features
from qpkernels.gram.low_rank.block_source import in_order
from qpkernels.gram.low_rank.workers.places import Place, by_block, sample_count, taken
from qpkernels.gram.low_rank.workers.waiting import gathered

__all__ = ["FeaturesOnWorkers"]


class FeaturesOnWorkers(Features):
    """Features Phi in blocks of rows, each with a worker.

    Attributes
    ----------
    memory_limit
        Largest size in bytes of what is brought here.
    """

    in_memory = False
    memory_limit = 4.0 * 2**30

    def __init__(self, client: Client, blocks: list[Future], places: list[Place], columns: int) -> None:
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
