# SPDX-License-Identifier: BSD-3-Clause
"""Factors of the matrix of the conditions of optimality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import block_array, csc_array, eye_array
from scipy.sparse.linalg import splu

from qpkernels.arrays import Vector
from qpkernels.gram.panels.threads import blas_threads_for

__all__ = ["Factors", "factorise"]

_DENSE_ABOVE = 0.2
"""Share of nonzeros from which a matrix is factorised as a dense one."""


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
    if K.nnz > _DENSE_ABOVE * K.shape[0] ** 2:
        with blas_threads_for(K.shape[0]):
            factors = lu_factor(K.toarray(), check_finite=False)
        return Factors(lambda right: np.asarray(lu_solve(factors, right, check_finite=False)), K.shape[0] ** 3)
    try:
        # The matrix is quasi-definite: it has factors in any symmetric order.
        sparse = splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=1e-3, options={"SymmetricMode": True})
    except RuntimeError:
        return None
    return Factors(sparse.solve, sparse.nnz**2 / K.shape[0])
