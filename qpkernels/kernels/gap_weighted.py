# SPDX-License-Identifier: BSD-3-Clause
"""The compiled loops of the gap-weighted subsequence kernel.

Notation: P_k(i, j) is the sum, over all pairs of equal subsequences of k letters in the first i letters of x and the
first j of z, of decay^(letters left out from the first one chosen up to i, and up to j). With

    S_k(i, j) = P_(k-1)(i-1, j-1) where x_i = z_j, else 0      (P_0 = 1)
    R_k(i, j) = decay R_k(i, j-1) + S_k(i, j)
    P_k(i, j) = decay P_k(i-1, j) + R_k(i, j)

the sum of S_n(i, j) over all i, j is k(x, z) / decay^(2n). Every term is positive, so nothing cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.kernels.sequences import Codes

__all__ = [
    "all_pairs",
    "own_pairs",
]

_Lengths = NDArray[np.intp]


@compiled
def all_pairs(
    X: Codes, lengths: _Lengths, Z: Codes, other_lengths: _Lengths, order: int, decay: float, symmetric: bool
) -> Matrix:
    """Return k(x_i, z_j) / decay^(2 order) for all pairs; ``symmetric`` means that X and Z are the same."""
    K = np.empty((len(X), len(Z)))
    for i in range(len(X)):
        for j in range(i if symmetric else 0, len(Z)):
            K[i, j] = _pair(X[i, : lengths[i]], Z[j, : other_lengths[j]], order, decay)
            if symmetric:
                K[j, i] = K[i, j]
    return K


@compiled
def own_pairs(X: Codes, lengths: _Lengths, order: int, decay: float) -> Vector:
    """Return k(x_i, x_i) / decay^(2 order)."""
    diagonal = np.empty(len(X))
    for i in range(len(X)):
        diagonal[i] = _pair(X[i, : lengths[i]], X[i, : lengths[i]], order, decay)
    return diagonal


@compiled
def _pair(x: Codes, z: Codes, order: int, decay: float) -> float:
    """Return the sum of S_order; row k of ``above`` holds P_k(i-1, .), and becomes P_k(i, .) after its last use."""
    above = np.zeros((order, z.size + 1))
    above[0] = 1.0
    total = 0.0
    for letter in x:
        below = above[order - 1]
        for j in range(z.size):
            if z[j] == letter:
                total += below[j]
        for k in range(order - 1, 0, -1):
            level, below, row = above[k], above[k - 1], 0.0
            for j in range(z.size):
                row *= decay
                if z[j] == letter:
                    row += below[j]
                level[j + 1] = decay * level[j + 1] + row
    return total
