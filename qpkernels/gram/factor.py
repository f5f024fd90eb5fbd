# SPDX-License-Identifier: BSD-3-Clause
"""The factor K = Phi Phi' of a kernel matrix, by a Cholesky decomposition with complete pivoting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from qpkernels.arrays import Indices, Matrix, Vector, frozen
from qpkernels.arrays.threads import blas_threads_for

__all__ = ["PivotedCholesky", "pivoted_cholesky"]

_ROUNDING = 4 * np.finfo(float).eps
"""What rounding leaves of a difference of equal entries of K, against the largest of them."""


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
        """Return a beta with Phi'beta = ``coordinates``, 0 outside the pivots; or several."""
        beta, triangle = np.zeros((len(self.factor), *np.shape(coordinates)[1:])), self.factor[self.pivots]
        if not triangle.any():
            return beta
        with blas_threads_for(len(triangle)):
            beta[self.pivots] = solve_triangular(triangle, coordinates, trans="T", lower=True, check_finite=False)
        return beta


def pivoted_cholesky(K: Matrix, diagonal: Vector) -> PivotedCholesky:
    """Return the factor of a positive semidefinite K, which it meets to about 1e-13 of max K_ii."""
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
