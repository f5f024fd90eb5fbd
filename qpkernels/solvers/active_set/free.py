# SPDX-License-Identifier: BSD-3-Clause
r"""The minimum over the coefficients that are free, by the primal active set method.

``small`` in A = K_FF + diag(ridge_F) + small keeps apart from 0 what rounding leaves of an eigenvalue: the minimum is
that of the objective and small/2 ||d||^2.

Pair steps tell which coefficients are free long before they are close to the minimum over them: where bounds are far,
few are at one, and the equations are badly conditioned, which costs pair steps and not this.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.solvers.active_set.loops import Arrays, free_part, to_minimum

__all__ = ["is_worth_it", "to_minimum_over_free"]

_SMALL = 8.0 * float(np.finfo(np.float32).eps)
"""Part of the largest K_kk that is added to all: what rounding to float32 may take from an eigenvalue."""

_ENTRY = 8.0
"""Multiplications of an inverse in the time that a pair step takes for one sample."""

_FEWEST = 8
"""Free coefficients below which pair steps are as good."""


def is_worth_it(free: int, work: float) -> bool:
    """Return whether to invert the matrix of so many takes no longer than the pair steps since it was done last.

    ``work`` is the number of samples that these have passed over, summed over the steps.
    """
    return free >= _FEWEST and float(free) ** 3 <= _ENTRY * work


@compiled
def to_minimum_over_free(K: Matrix, p: Arrays, paired: bool, free: Indices, beta: Vector, values: Vector) -> Vector:
    """Go to the minimum over the samples ``free``, in place; return by how much each of them has moved.

    ``K`` is their matrix, which is written over; the values are left as they are.
    """
    n, small = free.size, 0.0
    for k in range(n):
        small = max(small, _SMALL * K[k, k])
    for k in range(n):
        K[k, k] += p.ridge[free[k]] + small
    x, slope, low, high = free_part(p, free, beta, beta, values)
    # Its rows are those of K, which in float32 may differ from its columns.
    inverse = np.ascontiguousarray(np.linalg.inv(K).T)
    u, w = inverse @ slope, inverse @ np.ones(n)
    to_minimum(inverse, np.arange(n), u, w, slope, low, high, x, paired, 0.0, n - int(paired))
    for k in range(n):
        slope[k] = x[k] - beta[free[k]]
        beta[free[k]] = x[k]
    return slope
