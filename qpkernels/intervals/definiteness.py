# SPDX-License-Identifier: BSD-3-Clause
"""How far a symmetric matrix of floats can be from a positive semidefinite one.

Source: Rump, Verification of positive definiteness (BIT 46, 2006): where the Cholesky decomposition of a matrix H runs
to its end in floating-point arithmetic, no eigenvalue of H is below -gamma_{n+1} / (1 - gamma_{n+1}) tr H, up to
underflow.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.intervals.rounding import TINY, UNIT, gamma, up

__all__ = ["semidefinite_shift"]

_EXACT = 24
"""Order up to which a block that is not clearly definite is decomposed in rational arithmetic."""


_LARGEST = 10_000
"""Order above which a block of a sparse matrix is not made dense, and nothing proved of it."""


def semidefinite_shift(P: Any) -> float:
    """Return a tau >= 0, proved, such that P + tau I is positive semidefinite; inf where none is found.

    Parameters
    ----------
    P
        Symmetric, dense or sparse, shape (n, n). What a matrix is that is symmetric up to rounding only, 1/2 (P + P')
        says: x'P x knows no other.

    Notes
    -----
    Each block of variables that P couples stands for itself. A block that is clearly definite needs one decomposition,
    and no tau; a small one is settled in rational arithmetic; another is proved up to a tau of about 4 n u times its
    trace.
    """
    if not issparse(P):
        return _shift_of(np.asarray(P, dtype=np.float64))
    rows = _rows(P)
    coupled = [members for members in _components(rows) if members.size > 1]
    if not rows.diagonal().min(initial=0.0) >= 0 or max(map(len, coupled), default=0) > _LARGEST:
        return float("inf")
    return max((_shift_of(rows[members][:, members].toarray()) for members in coupled), default=0.0)


def _components(rows: csr_array) -> list[Indices]:
    """Return the sets of variables that P couples."""
    count, label = connected_components(rows, directed=False)
    return np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label, minlength=count))[:-1])


def _rows(P: Any) -> csr_array:
    rows = csr_array(P, copy=True)
    rows.eliminate_zeros()
    return rows


def _shift_of(block: Matrix) -> float:
    diagonal = np.asarray(block.diagonal())
    if diagonal.size == 0:
        return 0.0
    if not np.isfinite(diagonal).all() or diagonal.min() < 0:
        return float("inf")
    symmetric, asymmetry = _symmetric(block)
    loss = asymmetry + _loss(diagonal)
    if _runs(symmetric, -2.0 * loss):
        return 0.0
    if diagonal.size <= _EXACT:
        return 0.0 if _is_semidefinite(block) else float("inf")
    tau = 2.0 * loss
    # The loss once more pays for the rounding of the shifted diagonal.
    return float(up(tau + loss)) if _runs(symmetric, tau) else float("inf")


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


def _is_semidefinite(P: Matrix) -> bool:
    """Return whether P is, by its elimination in rational arithmetic."""
    left = [[Fraction(entry) for entry in row] for row in P.tolist()]
    left = [[entry + left[j][i] for j, entry in enumerate(row)] for i, row in enumerate(left)]
    while left:
        pivot, *rest = left[0]
        if pivot < 0 or (pivot == 0 and any(rest)):
            return False
        left = [
            [entry - row[0] * other / pivot if pivot else entry for entry, other in zip(row[1:], rest, strict=True)]
            for row in left[1:]
        ]
    return True
