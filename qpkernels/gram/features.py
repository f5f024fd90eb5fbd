# SPDX-License-Identifier: BSD-3-Clause
"""The samples in explicit features Phi, K = Phi Phi', dense or sparse, and sums through them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector
from qpkernels.intervals import exact_sum
from qpkernels.kernels.base import Kernel
from qpkernels.kernels.base.products import squared_lengths

__all__ = ["Features", "SparseFeatures", "explicit_features", "weights_of"]

_CACHED = 2**17
"""Numbers that a processor keeps near between two passes."""


def weights_of(features: Matrix, coefficients: Vector, level: Vector) -> Vector:
    """Return Phi'c without losing the digits that the rows of Phi share: sum c_j (phi_j - level) + level sum c_j.

    Coefficients of a model with an intercept add up to 0. What rounding leaves of that counts for as much as the
    samples are far away, so that it is added up exactly, whatever the order. NaN where that sum overflows.
    """
    return np.asarray(_sums_around(features, coefficients, level) + level * exact_sum(coefficients))


def _sums_around(features: Matrix, coefficients: Vector, level: Vector) -> Vector:
    """Return (Phi - 1 level')'c, from rows that stay in a processor's cache between the difference and the product."""
    if features.size <= _CACHED:
        return np.asarray((features - level).T @ coefficients)
    sums = np.zeros(features.shape[1])
    for rows in _strips(features):
        sums += coefficients[rows] @ (features[rows] - level)
    return sums


def _strips(features: Matrix) -> list[slice]:
    step = max(1, _CACHED // features.shape[1])
    return [slice(start, start + step) for start in range(0, len(features), step)]


class Features:
    """Dense features, and sums around their mean.

    The samples' offset costs no digits of what they differ by.
    """

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    @cached_property
    def level(self) -> Vector:
        """The mean of the rows."""
        return np.asarray(self.matrix.mean(axis=0))

    def product(self, v: Vector) -> Vector:
        """Return Phi Phi'v."""
        weights = weights_of(self.matrix, v, self.level)
        base = self.level @ weights
        if self.matrix.size <= _CACHED:
            return np.asarray((self.matrix - self.level) @ weights + base)
        values = np.empty(len(self.matrix))
        for rows in _strips(self.matrix):
            values[rows] = (self.matrix[rows] - self.level) @ weights
        values += base
        return values

    def radii(self) -> Vector:
        """Return the distances of the rows from their mean."""
        return np.concatenate([np.linalg.norm(self.matrix[rows] - self.level, axis=1) for rows in _strips(self.matrix)])


class SparseFeatures:
    """Sparse features: a product takes two passes over their entries."""

    def __init__(self, matrix: Samples) -> None:
        self.matrix = matrix

    def product(self, v: Vector) -> Vector:
        """Return Phi Phi'v."""
        return np.asarray(self.matrix @ (v @ self.matrix))

    def radii(self) -> Vector:
        """Return the distances of the rows from their mean."""
        mean = np.asarray(self.matrix.mean(axis=0)).ravel()
        squares = squared_lengths(self.matrix) - 2.0 * (self.matrix @ mean) + mean @ mean
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def explicit_features(kernel: Kernel, X: Samples) -> Features | SparseFeatures | None:
    """Return dense features where they are fewer than the samples, else sparse ones; None: there are neither."""
    dense = kernel.features(X)
    if dense is not None and dense.shape[1] < X.shape[0]:
        return Features(dense)
    sparse = kernel.sparse_features(X)
    return None if sparse is None else SparseFeatures(sparse)
