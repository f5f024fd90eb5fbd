# SPDX-License-Identifier: BSD-3-Clause
"""What the engine needs of a kernel matrix K, from whatever there is: its entries, features, or only the kernel.

The matrix itself is never formed: a block is small, and rows are used as they come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Samples, Vector, row_blocks
from qpkernels.gram.changing import Stored
from qpkernels.gram.panels.loops import gather_block
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.kernels.kernel import Kernel
from qpkernels.solvers.smo.rows.cache import RowCache

__all__ = ["ONE_BLOCK", "FeatureRows", "KernelRows", "MatrixRows", "Rows"]


ONE_BLOCK = 2000
"""Samples up to which all of them are one block: to make its matrix takes less than to choose smaller ones."""


class Rows(ABC):
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

    @property
    def matrix(self) -> Floats | None:
        """The whole matrix, where the samples are few enough for it to be one block."""
        return None

    @property
    def lasting(self) -> bool:
        """Whether all rows made so far are kept: then shorter ones would save little, and have to be made anew."""
        return False

    @abstractmethod
    def block(self, chosen: Indices) -> Floats:
        """Return K between the ``chosen`` samples, shape (q, q), contiguous."""

    @abstractmethod
    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        """Add sum over c of delta_c K_c to ``values``; row c was asked for ``visits[c]`` times, this one included."""

    @abstractmethod
    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        """Add sum over c of delta_c K_cj to ``values[j]``, for the ``columns`` j."""

    @abstractmethod
    def part(self, samples: Indices) -> Rows:
        """Return K of these ``samples`` alone, in ascending order; it may take over the memory of kept rows."""


class MatrixRows(Rows):
    """From a matrix in memory, whose rows ``samples`` are the samples; left out, all are."""

    def __init__(self, matrix: Matrix, samples: Indices | None = None) -> None:
        self._matrix = matrix
        self._samples: Indices = np.arange(len(matrix)) if samples is None else samples

    @property
    def matrix(self) -> Floats | None:
        return self._matrix if len(self._matrix) == self._samples.size <= ONE_BLOCK else None

    def block(self, chosen: Indices) -> Floats:
        at = self._samples[chosen]
        block = np.empty((at.size, at.size))
        order = np.argsort(at)
        gather_block(self._matrix, at, at[order], np.arange(at.size), order, block)
        return block

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        self.add_to(slice(None), chosen, delta, values)

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        values[columns] += Stored(self._matrix, self._samples).sums(chosen, delta)[columns]

    def part(self, samples: Indices) -> Rows:
        # Few samples are worth a matrix of their own, over all of which steps are taken at once.
        return MatrixRows(self.block(samples)) if samples.size <= ONE_BLOCK else self._part(samples)

    def _part(self, samples: Indices) -> Rows:
        return MatrixRows(self._matrix, self._samples[samples])


class FeatureRows(Rows):
    """From features Phi with K = Phi Phi': a step changes the weights w = Phi'beta, and the values are Phi w.

    Far from the origin K loses the digits that the features share. So a step adds what they differ by from their mean,
    which is all of it where the coefficients keep their sum; in ``pairs``, which see nothing else, blocks are made of
    these differences.
    """

    def __init__(self, features: Matrix, pairs: bool, level: Vector | None = None) -> None:
        self._features, self._pairs = features, pairs
        self._level: Vector = features.mean(axis=0) if level is None else level

    def block(self, chosen: Indices) -> Floats:
        part = self._features[chosen]
        if self._pairs:
            part = part - self._level
        return part @ part.T

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        self.add_to(slice(None), chosen, delta, values)

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        change = delta @ (self._features[chosen] - self._level) + float(delta.sum()) * self._level
        values[columns] += self._features[columns] @ change

    def part(self, samples: Indices) -> Rows:
        return FeatureRows(self._features[samples], self._pairs, self._level)


class KernelRows(Rows):
    """From any kernel, in float64; rows are kept in a cache."""

    def __init__(self, kernel: Kernel, X: Samples, cache: RowCache) -> None:
        self._kernel, self._X, self._cache = kernel, X, cache

    @property
    def lasting(self) -> bool:
        return self._cache.growing

    def block(self, chosen: Indices) -> Floats:
        slots = self._cache.find(chosen)
        if (slots >= 0).all():
            return np.ascontiguousarray(self._cache.store[slots[:, None], chosen])
        part = self._X[chosen]
        return self._kernel.matrix(part, part)

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        slots = self._cache.find(chosen)
        new = slots < 0
        slots[new] = self._cache.claim(chosen[new])
        kept = slots[new] >= 0
        if new.any():
            centers = self._X[chosen[new]]
            for columns in row_blocks(values.size, len(delta[new])):
                panel = self._kernel.matrix(centers, self._X[columns])
                self._cache.store[slots[new][kept], columns] = panel[kept]
                values[columns] += delta[new] @ panel
        for slot, change in zip(slots[~new], delta[~new], strict=True):
            values += change * self._cache.store[slot]

    def add_to(self, columns: Indices | slice, chosen: Indices, delta: Vector, values: Vector) -> None:
        sums = np.zeros(values[columns].size)
        add_kernel_sums(self._kernel, self._X[chosen], delta, self._X[columns], sums)
        values[columns] += sums

    def part(self, samples: Indices) -> Rows:
        return KernelRows(self._kernel, self._X[samples], self._cache.part(samples.size))
