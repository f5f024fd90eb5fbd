# SPDX-License-Identifier: BSD-3-Clause
"""Sums K v over the samples: by explicit features, by the whole matrix, or from the kernel alone."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.intervals import exact_sum
from qpkernels.kernels.base import Kernel

__all__ = ["Features", "matrix_product", "streamed_product", "weights_of"]


def weights_of(features: Matrix, coefficients: Vector, level: Vector) -> Vector:
    """Return Phi'c without losing the digits that the rows of Phi share: sum c_j (phi_j - level) + level sum c_j.

    Coefficients of a model with an intercept add up to 0. What rounding leaves of that counts for as much as the
    samples are far away, so that it is added up exactly, whatever the order. NaN where that sum overflows.
    """
    return np.asarray((features - level).T @ coefficients + level * exact_sum(coefficients))


class Features:
    """The samples in explicit features Phi, K = Phi Phi', and sums around their mean.

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
        return np.asarray((self.matrix - self.level) @ weights + self.level @ weights)

    def radii(self) -> Vector:
        """Return the distances of the rows from their mean."""
        return np.asarray(np.linalg.norm(self.matrix - self.level, axis=1))


def matrix_product(K: Matrix, v: Vector) -> Vector:
    """Return K v, from the rows of the symmetric K where v is not zero, if these are few."""
    (used,) = np.nonzero(v)
    return np.asarray(v[used] @ K[used] if 4 * used.size < v.size else K @ v)


def streamed_product(kernel: Kernel, X: Samples, v: Vector) -> Vector:
    """Return K v without K in memory."""
    (used,) = np.nonzero(v)
    values = np.zeros(v.size)
    add_kernel_sums(kernel, X[used], v[used], X, values)
    return values
