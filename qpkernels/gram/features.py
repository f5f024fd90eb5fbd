# SPDX-License-Identifier: BSD-3-Clause
"""The samples in explicit features Phi with K = Phi Phi', dense or sparse and held anywhere, and sums over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from qpkernels.arrays import Indices, Matrix, Samples, Vector, frozen
from qpkernels.arrays.intervals import exact_sum
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.kernels.products import squared_lengths

__all__ = [
    "Features",
    "FeaturesInMemory",
    "PivotedCholesky",
    "SparseFeatures",
    "pivoted_cholesky",
    "weights_of",
]

_CACHED = 2**17
"""Numbers that a processor keeps near between two passes."""


class Features(ABC):
    """Dense features Phi of m samples, shape (m, r), in blocks of rows.

    All sums are built from functions of the rows of a block by :meth:`mapped` and :meth:`summed`. Only these two depend
    on where the rows are held. The functions are defined at the level of modules, so that they can be sent.
    """

    in_memory: bool
    """Whether :attr:`matrix` costs nothing."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(m, r)."""

    @property
    @abstractmethod
    def matrix(self) -> Matrix:
        """Phi."""

    @abstractmethod
    def mapped(self, function: Callable[..., Vector], *arguments: Any) -> Vector:
        """Return ``function(rows, *arguments)`` for all rows, one number for each."""

    @abstractmethod
    def summed(self, function: Callable[..., Vector], vectors: tuple[Vector, ...], *arguments: Any) -> Vector:
        """Return the sum of ``function(rows, *vectors, *arguments)``, each of the vectors cut to the rows."""

    @abstractmethod
    def rows(self, which: Indices) -> Matrix:
        """Return a copy of some rows, in the order of ``which``."""

    @abstractmethod
    def around(self, level: Vector) -> Features:
        """Return Phi - 1 level'."""

    @cached_property
    def level(self) -> Vector:
        """The mean of the rows."""
        return np.asarray(self.summed(_sums, ()) / self.shape[0])

    def dot(self, w: Vector) -> Vector:
        """Return Phi w."""
        return self.mapped(np.matmul, w)

    def transposed_dot(self, v: Vector) -> Vector:
        """Return Phi'v."""
        return self.summed(_combined, (v,))

    def product(self, v: Vector) -> Vector:
        """Return Phi Phi'v."""
        return self.values(self.weights(v))

    def weights(self, v: Vector) -> Vector:
        """Return Phi'v without losing the digits that the rows share; see :func:`weights_of`."""
        return np.asarray(self.weights_around(v, self.level) + self.level * exact_sum(v))

    def weights_around(self, v: Vector, level: Vector | None) -> Vector:
        """Return (Phi - 1 level')'v; without a level, Phi'v."""
        return self.transposed_dot(v) if level is None else self.summed(_combined_around, (v,), level)

    def values(self, weights: Vector) -> Vector:
        """Return Phi w without losing the digits that the rows share."""
        values = self.mapped(_values_around, weights, self.level)
        values += self.level @ weights
        return values

    def radii(self) -> Vector:
        """Return the distances of the rows from their mean."""
        return self.mapped(_distances, self.level)

    def squared_lengths(self) -> Vector:
        """Return the diagonal of Phi Phi'."""
        return self.mapped(_squared_lengths)

    def absolute_weights(self, v: Vector, level: Vector | None) -> Vector:
        """Return |Phi - 1 level'|'|v|."""
        return self.summed(_absolute_weights, (v,), level)

    def absolute_values(self, weights: Vector, level: Vector | None) -> Vector:
        """Return |Phi - 1 level'| |w|."""
        return self.mapped(_absolute_values, weights, level)


class FeaturesInMemory(Features):
    """Features that are one matrix."""

    in_memory = True

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix

    @property
    def shape(self) -> tuple[int, int]:
        """(m, r)."""
        m, r = self._matrix.shape
        return m, r

    @property
    def matrix(self) -> Matrix:
        """Phi."""
        return self._matrix

    def mapped(self, function: Callable[..., Vector], *arguments: Any) -> Vector:
        """Return ``function(rows, *arguments)``."""
        return np.asarray(function(self._matrix, *arguments))

    def summed(self, function: Callable[..., Vector], vectors: tuple[Vector, ...], *arguments: Any) -> Vector:
        """Return ``function(rows, *vectors, *arguments)``."""
        return np.asarray(function(self._matrix, *vectors, *arguments))

    def rows(self, which: Indices) -> Matrix:
        """Return a copy of some rows."""
        return self._matrix[which]

    def around(self, level: Vector) -> Features:
        """Return Phi - 1 level'."""
        return FeaturesInMemory(self._matrix - level)


class SparseFeatures:
    """Sparse features: a product takes two passes over their entries."""

    level = None
    """Subtracting a level would fill them in."""

    def __init__(self, matrix: Samples) -> None:
        self.matrix = matrix

    @property
    def shape(self) -> tuple[int, int]:
        """(m, r)."""
        m, r = self.matrix.shape
        return m, r

    def rows(self, which: Indices) -> Samples:
        """Return some rows, in the order of ``which``."""
        return self.matrix[which]

    def dot(self, w: Vector) -> Vector:
        """Return Phi w."""
        return np.asarray(self.matrix @ w)

    def transposed_dot(self, v: Vector) -> Vector:
        """Return Phi'v."""
        return np.asarray(v @ self.matrix)

    def product(self, v: Vector) -> Vector:
        """Return Phi Phi'v."""
        return self.dot(self.transposed_dot(v))

    def radii(self) -> Vector:
        """Return the distances of the rows from their mean."""
        mean = np.asarray(self.matrix.mean(axis=0)).ravel()
        squares = squared_lengths(self.matrix) - 2.0 * (self.matrix @ mean) + mean @ mean
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    def weights_around(self, v: Vector, level: Vector | None) -> Vector:
        """Return Phi'v."""
        assert level is None
        return np.asarray(v @ self.matrix)

    def absolute_weights(self, v: Vector, level: Vector | None) -> Vector:
        """Return |Phi|'|v|."""
        assert level is None
        return np.asarray(np.abs(v) @ abs(self.matrix))

    def absolute_values(self, weights: Vector, level: Vector | None) -> Vector:
        """Return |Phi| |w|."""
        assert level is None
        return np.asarray(abs(self.matrix) @ np.abs(weights))


def weights_of(features: Matrix, coefficients: Vector, level: Vector) -> Vector:
    """Return Phi'c without losing the digits that the rows of Phi share: sum c_j (phi_j - level) + level sum c_j.

    The coefficients of a model with an intercept sum to 0. The rounding error of that sum matters more the farther the
    samples are from the origin, so it is computed exactly, in any order. It is NaN where the sum overflows.
    """
    return np.asarray(_combined_around(features, coefficients, level) + level * exact_sum(coefficients))


def _strips(rows: Matrix) -> list[slice]:
    """Return parts that stay in a processor's cache between two operations."""
    step = max(1, _CACHED // rows.shape[1])
    return [slice(start, start + step) for start in range(0, len(rows), step)]


def _sums(rows: Matrix) -> Vector:
    return np.asarray(rows.sum(axis=0))


def _combined(rows: Matrix, v: Vector) -> Vector:
    return np.asarray(v @ rows)


def _combined_around(rows: Matrix, v: Vector, level: Vector) -> Vector:
    if rows.size <= _CACHED:
        return np.asarray((rows - level).T @ v)
    sums = np.zeros(rows.shape[1])
    for part in _strips(rows):
        sums += v[part] @ (rows[part] - level)
    return sums


def _values_around(rows: Matrix, weights: Vector, level: Vector) -> Vector:
    if rows.size <= _CACHED:
        return np.asarray((rows - level) @ weights)
    values = np.empty(len(rows))
    for part in _strips(rows):
        values[part] = (rows[part] - level) @ weights
    return values


def _distances(rows: Matrix, level: Vector) -> Vector:
    return np.concatenate([np.linalg.norm(rows[part] - level, axis=1) for part in _strips(rows)])


def _squared_lengths(rows: Matrix) -> Vector:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def _absolute(rows: Matrix, part: slice, level: Vector | None) -> Matrix:
    return np.abs(rows[part] if level is None else rows[part] - level)


def _absolute_weights(rows: Matrix, v: Vector, level: Vector | None) -> Vector:
    sums = np.zeros(rows.shape[1])
    for part in _strips(rows):
        sums += np.abs(v[part]) @ _absolute(rows, part, level)
    return sums


def _absolute_values(rows: Matrix, weights: Vector, level: Vector | None) -> Vector:
    size = np.abs(weights)
    return np.concatenate([_absolute(rows, part, level) @ size for part in _strips(rows)])


_ROUNDING = 4 * np.finfo(float).eps
"""The rounding error of a difference of equal entries of K, relative to the largest of them."""


@dataclass(frozen=True, eq=False)
class PivotedCholesky:
    """Phi with K = Phi Phi'.

    Attributes
    ----------
    factor
        Phi, shape (m, r), where r is the numerical rank of K.
    pivots
        The r samples whose rows make Phi lower triangular.
    """

    factor: Matrix
    pivots: Indices

    def coefficients(self, coordinates: Vector | Matrix) -> Vector | Matrix:
        """Return a beta with Phi'beta = ``coordinates`` that is 0 outside the pivots, or several of them."""
        beta, triangle = np.zeros((len(self.factor), *np.shape(coordinates)[1:])), self.factor[self.pivots]
        if not triangle.any():
            return beta
        with blas_threads_for(len(triangle)):
            beta[self.pivots] = solve_triangular(triangle, coordinates, trans="T", lower=True, check_finite=False)
        return beta

    def rows_of(self, crossed: Matrix) -> Matrix:
        """Return the rows of the factor for further samples, given the entries of K for the pivots and these samples.

        Parameters
        ----------
        crossed
            Shape (r, n).
        """
        triangle = self.factor[self.pivots]
        if not triangle.any():
            return np.zeros(crossed.shape[::-1])
        with blas_threads_for(len(triangle)):
            return np.asarray(solve_triangular(triangle, crossed, lower=True, check_finite=False).T)


def pivoted_cholesky(K: Matrix, diagonal: Vector) -> PivotedCholesky:
    """Return the factor of a positive semidefinite K; it reproduces K to about 1e-13 of max K_ii."""
    # LAPACK's own tolerance, m u max K_ii, is within the rounding of K itself where m is small.
    tolerance = (len(K) + 50) * 0.5 * np.finfo(float).eps * float(diagonal.max())
    with blas_threads_for(len(K)):
        factored, order, rank, _ = dpstrf(K, tol=tolerance, lower=1)
    # A kernel that is 0 on all samples still has one coordinate, in which every sample is 0.
    rank = max(rank, 1)
    columns = np.tril(factored)[:, :rank]
    # With L_ij L_jj below the rounding of K, L_ij is a remnant of cancellation: equal samples have equal rows.
    remnants = np.abs(columns) * np.diag(columns) <= _ROUNDING * float(diagonal.max())
    factor = np.empty((len(K), rank))
    factor[order - 1] = np.where(remnants, 0.0, columns)
    return PivotedCholesky(frozen(factor), frozen((order - 1)[:rank]))
