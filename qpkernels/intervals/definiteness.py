# SPDX-License-Identifier: BSD-3-Clause
"""How far a symmetric matrix of floats can be from a positive semidefinite one.

Source: Rump, Verification of positive definiteness (BIT 46, 2006): where the Cholesky decomposition of a matrix H runs
to its end in floating-point arithmetic, no eigenvalue of H is below -gamma_{n+1} / (1 - gamma_{n+1}) tr H, up to
underflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.sparse import coo_array, issparse

from qpkernels.arrays import Matrix, Vector
from qpkernels.intervals.rounding import TINY, UNIT, gamma, up

__all__ = ["semidefinite_shift"]


def semidefinite_shift(P: Any) -> float:
    """Return a tau >= 0, proved, such that P + tau I is positive semidefinite: 0 where P is diagonal and so itself.

    Parameters
    ----------
    P
        Symmetric, dense or sparse, shape (n, n). What a matrix is that is symmetric up to rounding only, 1/2 (P + P')
        says: x'P x knows no other.

    Notes
    -----
    A matrix that is clearly definite needs a first decomposition only, and its tau is 0. Otherwise tau is about
    4 n u tr P, or inf where even that does not do.
    """
    rows = _entries(P) if issparse(P) else None
    diagonal = np.asarray(P.diagonal(), dtype=np.float64)
    if diagonal.size == 0:
        return 0.0
    if not np.isfinite(diagonal).all() or diagonal.min() < 0:
        return float("inf")
    touched = np.unique(np.concatenate([rows.row, rows.col])) if rows is not None else np.arange(diagonal.size)
    if rows is not None and not np.any((rows.row != rows.col) & (rows.data != 0)):
        return 0.0
    block = rows.tocsr()[touched][:, touched].toarray() if rows is not None else np.asarray(P, dtype=np.float64)
    symmetric, asymmetry = _symmetric(block)
    loss = asymmetry + _loss(np.asarray(symmetric.diagonal()))
    if _runs(symmetric, -2.0 * loss):
        return 0.0
    tau = 2.0 * loss
    # Rounding of the shifted diagonal is paid for by the factor of 2.
    return float(up(tau + loss)) if _runs(symmetric, tau) else float("inf")


def _entries(P: Any) -> Any:
    return coo_array(P)


def _symmetric(block: Matrix) -> tuple[Matrix, float]:
    """Return 1/2 (P + P') as it is rounded, and a bound of the spectral norm of what the rounding changed."""
    if np.array_equal(block, block.T):
        return block, 0.0
    symmetric = 0.5 * (block + block.T)
    return symmetric, float(up(2.0 * UNIT * np.abs(symmetric).sum(axis=1).max() * (1.0 + gamma(len(block)))))


def _loss(diagonal: Vector) -> float:
    n = diagonal.size
    g = gamma(n + 2)
    trace = float(np.sum(diagonal)) * (1.0 + gamma(n))
    return float(up(2.0 * g / (1.0 - g) * trace + 4.0 * n * (n + 1) * TINY))


def _runs(P: Matrix, shift: float) -> bool:
    moved = P.copy()
    moved[np.diag_indices(len(P))] += shift
    try:
        cholesky(moved, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True
