# SPDX-License-Identifier: BSD-3-Clause
"""What samples in blocks can be asked, wherever they are, and how their factor Z is made there.

Columns are added a few at a time, by a function of a block and of its columns so far.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array, vstack

from qpkernels.arrays import FeatureNames, Indices, Matrix, Samples, Vector, frozen, is_sparse
from qpkernels.gram.features import Features, FeaturesInMemory
from qpkernels.kernels.base import Kernel

__all__ = ["BlockSource", "Columns", "FactorInMemory", "GrowingFactor", "Visit", "in_order"]

Visit: TypeAlias = Callable[[slice, Samples], object]
"""What is done with each block: given the numbers of its samples, and these."""


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
