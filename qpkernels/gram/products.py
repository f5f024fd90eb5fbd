# SPDX-License-Identifier: BSD-3-Clause
"""Sums K v over the samples: by explicit features, by the whole matrix, or from the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector, finite_vector
from qpkernels.gram.panels.single import Suffices, add_sums_where
from qpkernels.gram.panels.sums import add_kernel_sums, add_symmetric_sums, taken_among
from qpkernels.gram.panels.threads import blas_threads_for
from qpkernels.intervals import exact_sum
from qpkernels.kernels.base import Kernel

if TYPE_CHECKING:
    from qpkernels.gram.gram import Gram

__all__ = ["BoundedProduct", "Features", "bounded_product", "matrix_product", "streamed_product", "weights_of"]

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


@dataclass(frozen=True, eq=False)
class BoundedProduct:
    """K v as it was computed, and how far that may be from what float64 gives.

    Attributes
    ----------
    coefficients
        v, shape (m,).
    values
        K v, shape (m,).
    error
        Bounds of what float32 did to the values, shape (m,): 0 where they were made in float64.
    """

    coefficients: Vector
    values: Vector
    error: Vector


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
        return self.values(self.weights(v))

    def weights(self, v: Vector) -> Vector:
        """Return Phi'v."""
        return weights_of(self.matrix, v, self.level)

    def values(self, weights: Vector) -> Vector:
        """Return Phi w."""
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


def matrix_product(K: Matrix, v: Vector) -> Vector:
    """Return K v, from the rows of the symmetric K where v is not zero, if these are few."""
    (used,) = np.nonzero(v)
    return np.asarray(v[used] @ K[used] if 4 * used.size < v.size else K @ v)


def streamed_product(kernel: Kernel, X: Samples, v: Vector, suffices: Suffices | None = None) -> BoundedProduct:
    """Return K v without K in memory: in float64, or as far as it ``suffices`` in float32 where v is 0."""
    used, rest = np.flatnonzero(v), np.flatnonzero(v == 0)
    values, error, c = np.zeros(v.size), np.zeros(v.size), v[used]
    taken = taken_among(kernel, X, used)
    if taken is None:
        add_kernel_sums(kernel, X[used], c, X, values)
        return BoundedProduct(v, values, error)
    sums = np.zeros(used.size)
    add_symmetric_sums(taken, c, sums)
    values[used] = sums
    add_sums_where(taken, c, rest, suffices, values, error)
    return BoundedProduct(v, values, error)


def bounded_product(gram: Gram, v: Vector, suffices: Suffices) -> BoundedProduct:
    """Return K v with bounds of its error, made in float32 where that ``suffices`` and saves time.

    Where v is not 0 the values are made in float64, and so v'Kv is.

    Parameters
    ----------
    suffices
        Called with the numbers of some samples, their values and the bounds of their errors: says which will do.
    """
    if v.any() and gram.correction is None and gram.features is None and not gram.is_formed:
        with blas_threads_for(len(gram)):
            return streamed_product(gram.kernel, gram.X, finite_vector(v, "coefficients", len(gram)), suffices)
    return BoundedProduct(v, gram.product(v), np.zeros(len(gram)))
