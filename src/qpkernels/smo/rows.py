# SPDX-License-Identifier: BSD-3-Clause
"""What the engine needs of a kernel matrix K, from whatever there is: its entries, features, or only the kernel.

The matrix itself is never formed: a block is small, and rows are used as they come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.kernels.base import Kernel, Samples
from qpkernels.smo.cache import RowCache
from qpkernels.smo.steps import Floats
from qpkernels.smo.threads import in_parts

__all__ = ["FeatureRows", "KernelRows", "MatrixRows", "Rows"]


class Rows(ABC):
    """The kernel matrix K of some samples, numbered from 0.

    Attributes
    ----------
    block_size
        How many coefficients to minimise over at once: in a larger block fewer rows change in vain, but the block
        itself takes a product of its square.
    """

    block_size = 1024

    @abstractmethod
    def block(self, chosen: Indices) -> Floats:
        """Return K between the ``chosen`` samples, shape (q, q), contiguous."""

    @abstractmethod
    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        """Add sum over c of delta_c K_c to ``values``; row c was asked for ``visits[c]`` times, this one included."""


class MatrixRows(Rows):
    """From the whole matrix."""

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix

    def block(self, chosen: Indices) -> Floats:
        return self._matrix[np.ix_(chosen, chosen)]

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        values += delta @ self._matrix[chosen]


class FeatureRows(Rows):
    """From features Phi with K = Phi Phi': a step changes the weights w = Phi'beta, and the values are Phi w."""

    def __init__(self, features: Matrix) -> None:
        self._features = features

    def block(self, chosen: Indices) -> Floats:
        part = self._features[chosen]
        return part @ part.T

    def add(self, chosen: Indices, delta: Vector, visits: NDArray[np.int64], values: Vector) -> None:
        del visits
        values += self._features @ (delta @ self._features[chosen])


class KernelRows(Rows):
    """From any kernel, in float64; rows are kept in a cache.

    The kernel is called from several threads at once only where ``in_threads`` says that it may be.
    """

    def __init__(self, kernel: Kernel, X: Samples, cache_size: int, in_threads: bool = False) -> None:
        self._kernel, self._X, self._effort = kernel, X, np.inf if in_threads else 0.0
        self._cache = RowCache(len(X), len(X), cache_size, np.float64)

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
        centers, kept = self._X[chosen[new]], np.flatnonzero(slots[new] >= 0)

        def work(number: int, part: slice) -> None:
            del number
            if new.any():
                panel = self._kernel.matrix(centers, self._X[part])
                self._cache.store[slots[new][kept], part] = panel[kept]
                values[part] += delta[new] @ panel
            for slot, change in zip(slots[~new], delta[~new], strict=True):
                values[part] += change * self._cache.store[slot, part]

        in_parts(work, len(self._X), 1024, self._effort)
