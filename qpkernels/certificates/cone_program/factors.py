# SPDX-License-Identifier: BSD-3-Clause
"""Factors of the matrix of the conditions of optimality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import block_array, csc_array, eye_array
from scipy.sparse.linalg import splu

from qpkernels.arrays import Matrix, Vector
from qpkernels.gram.panels.threads import blas_threads_for

__all__ = ["Factors", "factorise"]

_DENSE_ABOVE = 0.2
"""Share of nonzeros from which a matrix is factorised as a dense one."""

_FULL_ABOVE = 10.0
"""Columns with more nonzeros than this times the root of their length are full (Amestoy, Davis and Duff, 2004)."""

_LARGEST_BORDER = 5e7
"""Entries that all full columns may have together to be eliminated last, as dense ones."""


@dataclass(frozen=True, eq=False)
class Factors:
    """What solves with a matrix, and about how many operations it took to get."""

    solve: Callable[[Vector], Vector]
    work: float


def factorise(P: csc_array, A: csc_array, regularisation: float) -> Factors | None:
    """Return factors of [[P + t I, A'], [A, -t I]] for a regularisation t; None if it has none."""
    n, k = P.shape[0], A.shape[0]
    blocks: Any = [[P + regularisation * eye_array(n), A.T], [A, -regularisation * eye_array(k)]]
    K = csc_array(block_array(blocks) if k else blocks[0][0])
    full = np.diff(K.indptr) > _FULL_ABOVE * np.sqrt(K.shape[0])
    if K.nnz > _DENSE_ABOVE * K.shape[0] ** 2 or full.all():
        return _dense(K.toarray())
    return _bordered(K, full) if 0 < full.sum() * K.shape[0] <= _LARGEST_BORDER else _sparse(K)


def _dense(K: Matrix) -> Factors:
    with blas_threads_for(K.shape[0]):
        factors = lu_factor(K, check_finite=False)
    return Factors(lambda right: np.asarray(lu_solve(factors, right, check_finite=False)), K.shape[0] ** 3)


def _sparse(K: csc_array) -> Factors | None:
    try:
        # Small pivots are exchanged, which an order for symmetric pivots (MMD_AT_PLUS_A) pays with full factors.
        factors = splu(K, permc_spec="COLAMD", diag_pivot_thresh=1e-3, options={"SymmetricMode": True})
    except RuntimeError:
        return None
    return Factors(factors.solve, factors.nnz**2 / K.shape[0])


def _bordered(K: csc_array, full: NDArray[np.bool_]) -> Factors | None:
    """Eliminate the rows and columns that are full last: among them an order that keeps others sparse cannot be found.

    [[S, B'], [B, D]] (x, y) = (u, v) is (D - B S^-1 B') y = v - B S^-1 u and S x = u - B'y.
    """
    S, B, D = csc_array(K[~full][:, ~full]), csc_array(K[full][:, ~full]), K[full][:, full].toarray()
    inner = _sparse(S)
    if inner is None:
        return None
    outer = _dense(D - B @ inner.solve(B.T.toarray()))

    def solve(right: Vector) -> Vector:
        solution = np.empty_like(right)
        solution[full] = outer.solve(right[full] - B @ inner.solve(right[~full]))
        solution[~full] = inner.solve(right[~full] - B.T @ solution[full])
        return solution

    return Factors(solve, inner.work + outer.work + B.shape[0] * (B.nnz + S.nnz))
