# SPDX-License-Identifier: BSD-3-Clause
"""Where the machines of a batch have rows of the kernel matrix from, in float32."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from qpkernels.arrays import Floats, Indices, Vector
from qpkernels.batch.matrix.layout import runs_of
from qpkernels.batch.matrix.tiles import Tiles
from qpkernels.gram.panels.loops import add_stored_rows
from qpkernels.solvers.smo.descent.lazy_rows import Source
from qpkernels.solvers.smo.rows.product_rows import ProductRows

__all__ = ["CompiledRows", "KeptRows", "OwnRows", "Rows", "SharedRows", "shared_matrix"]

_TILE = 1024
"""Samples of a side of a tile."""

_WIDE = 64
"""Multiplications for a kernel value beyond which to copy it to the other half costs less than to make it again."""

_NO_FEATURES: Floats = np.empty((0, 0), np.float32)
_NO_OFFSETS: Floats = np.empty(0, np.float32)


def shared_matrix(tiles: Tiles, size: int, apply: Callable[[Callable[[int], None], int], None]) -> Floats:
    """Return the matrix of all samples in float32."""
    K = np.empty((size, size), np.float32)
    edges = [*range(0, size, _TILE), size]
    parts = [slice(start, stop) for start, stop in pairwise(edges)]
    halves = tiles.width >= _WIDE
    pairs = [(a, b) for k, a in enumerate(parts) for b in (parts[k:] if halves else parts)]

    def work(number: int) -> None:
        rows, columns = pairs[number]
        tile = tiles.tile(rows, columns)
        K[rows, columns] = tile
        if halves and rows != columns:
            K[columns, rows] = tile.T

    apply(work, len(pairs))
    return K


class Rows(ABC):
    """Rows of the kernel matrix over the samples of one machine, which are at ``columns`` of the layout."""

    columns: Indices

    @abstractmethod
    def add_to(self, values: Vector, columns: Indices, delta: Vector) -> None:
        """Add delta'K to the ``values`` of the machine, of the samples at these ``columns`` of the layout."""


@dataclass(frozen=True, eq=False)
class KeptRows(Rows):
    """Rows of all samples of a machine, ``inside`` telling which is at which column, kept as memory allows."""

    kept: ProductRows
    columns: Indices
    inside: Indices

    def add_to(self, values: Vector, columns: Indices, delta: Vector) -> None:
        """Add them in the order of the machine."""
        sums = np.zeros(values.size)
        self.kept.add_to(slice(None), self.inside[np.searchsorted(self.columns, columns)], delta, sums)
        values += sums[self.inside]


class CompiledRows(Rows):
    """Rows that compiled code makes or reads.

    Attributes
    ----------
    runs
        For each run of samples whose columns follow each other, its first column, first sample and end.
    """

    runs: Indices

    @property
    @abstractmethod
    def source(self) -> Source:
        """What compiled code reads."""


@dataclass(frozen=True, eq=False)
class OwnRows(CompiledRows):
    """Rows that a machine makes of the features of its samples as it needs them, where these are few."""

    tiles: Tiles
    columns: Indices
    squares: Vector

    @property
    def source(self) -> Source:
        """Features of the samples of this machine."""
        own = self.tiles.by_feature(self.columns)
        assert own is not None
        return Source(_NO_FEATURES, np.arange(self.columns.size), self.squares, own.features, own.offsets, own.degree)

    def add_to(self, values: Vector, columns: Indices, delta: Vector) -> None:
        """Add them from tiles that are made for it."""
        values += self.tiles.tile(self.columns, columns) @ delta


@dataclass(frozen=True, eq=False)
class SharedRows(CompiledRows):
    """A matrix over the samples of all machines, and where one machine finds its own."""

    matrix: Floats
    columns: Indices
    runs: Indices
    squares: Vector

    @classmethod
    def of(cls, matrix: Floats, columns: Indices) -> SharedRows:
        """Return the rows of the samples at ``columns``."""
        return cls(matrix, columns, runs_of(columns), matrix[columns, columns].astype(np.float64))

    @property
    def source(self) -> Source:
        """The matrix that all share."""
        return Source(self.matrix, self.columns, self.squares, _NO_FEATURES, _NO_OFFSETS, 0)

    def add_to(self, values: Vector, columns: Indices, delta: Vector) -> None:
        """Add them from the matrix."""
        for first, start, stop in self.runs:
            add_stored_rows(self.matrix, columns, first, delta, values[start:stop])
