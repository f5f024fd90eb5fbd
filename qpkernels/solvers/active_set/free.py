# SPDX-License-Identifier: BSD-3-Clause
r"""The minimum over the coefficients that are free, by the primal active set method.

``small`` in A = K_FF + diag(ridge_F) + small keeps apart from 0 what rounding leaves of an eigenvalue: the minimum is
that of the objective and small/2 ||d||^2.

Pair steps tell which coefficients are free long before they are close to the minimum over them: where bounds are far,
few are at one, and the equations are badly conditioned, which costs pair steps and not this.

Where the coefficients of each sign have a sum of their own, the inverse M of A is projected to those that keep the sum
of the second group N, M - M e_N (M e_N)' / e_N'M e_N: this is a block of the inverse of A bordered by e_N, and loses
rows as M does.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled, vectorised
from qpkernels.gram.panels.loops import STRIP, sum_multiples
from qpkernels.solvers.active_set.loops import Arrays, free_part, to_minimum

__all__ = ["ENTRY", "inverse_of", "invert", "is_worth_it", "to_minimum_over_free"]

_SMALL = 8.0 * float(np.finfo(np.float32).eps)
"""Part of the largest K_kk that is added to all: what rounding to float32 may take from an eigenvalue."""

ENTRY = 8.0
"""Multiplications of an inverse in the time that a pair step takes for one sample."""

_FEWEST = 8
"""Free coefficients below which pair steps are as good."""

_WIDTH = 32
"""Pivots that are taken at once."""


@compiled
def is_worth_it(free: int, work: float) -> bool:
    """Return whether to invert the matrix of so many takes no longer than the pair steps since it was done last.

    ``work`` is the number of samples that these have passed over, summed over the steps.
    """
    return free >= _FEWEST and float(free) ** 3 <= ENTRY * work


def inverse_of(K: Matrix, ridge: Vector) -> Matrix:
    """Return the inverse of the matrix of free samples and their ridge, which rounding to float32 may have changed."""
    A = K + np.diag(ridge + _SMALL * K.diagonal().max(initial=0.0))
    # Its rows are those of K, which in float32 may differ from its columns.
    return np.ascontiguousarray(np.linalg.inv(A).T)


@vectorised
def _sweep(B: Matrix, column: Vector) -> bool:
    """Write -B^-1 in place of a positive definite matrix, one pivot after the other; False: it is none."""
    n = len(B)
    for k in range(n):
        pivot = B[k, k]
        if not pivot > 0.0:
            return False
        for c in range(n):
            column[c] = B[k, c]
        for a in range(n):
            factor = column[a] / pivot
            for c in range(n):
                B[a, c] -= factor * column[c]
        for a in range(n):
            B[a, k] = B[k, a] = column[a] / pivot
        B[k, k] = -1.0 / pivot
    return True


@vectorised
def invert(A: Matrix) -> bool:  # noqa: C901, PLR0912  loops over entries, of which slices take seconds to compile
    """Write the inverse of a positive definite matrix, of which the lower triangle is read, in its place.

    False: rounding has made it indefinite, and it is written over. With the block B of some pivots and their columns C,
    what is left of A is A - C B^-1 C', with C B^-1 in these columns and -B^-1 in the block; after the last of them this
    is the inverse times -1.
    """
    n = len(A)
    factors, sums, every = np.empty(max(n, _WIDTH)), np.empty(n), np.arange(_WIDTH)
    panel, solved = np.empty((_WIDTH, n)), np.empty((_WIDTH, n))
    for begin in range(0, n, _WIDTH):
        width = min(_WIDTH, n - begin)
        B = np.empty((width, width))
        for q in range(width):
            k = begin + q
            for c in range(n):
                panel[q, c] = A[k, c] if c <= k else A[c, k]
            for r in range(width):
                B[q, r] = panel[q, begin + r]
        if not _sweep(B, factors):
            return False
        for q in range(width):
            for c in range(n):
                solved[q, c] = 0.0
            for r in range(width):
                for c in range(n):
                    solved[q, c] -= B[q, r] * panel[r, c]
        for a in range(n):
            for q in range(width):
                factors[q] = -solved[q, a]
            whole = min((a + STRIP) // STRIP, n // STRIP) * STRIP
            for column in range(0, whole, STRIP):
                sum_multiples(sums, panel, column, every, factors, 0, width)
            for c in range(whole):
                A[a, c] += sums[c]
            for q in range(width):
                for c in range(whole, a + 1):
                    A[a, c] += factors[q] * panel[q, c]
        for q in range(width):
            k = begin + q
            for c in range(n):
                A[max(k, c), min(k, c)] = solved[q, c]
        for q in range(width):
            for r in range(q + 1):
                A[begin + q, begin + r] = B[q, r]
    for a in range(n):
        for c in range(a + 1):
            A[a, c] = A[c, a] = -A[a, c]
    return True


@compiled
def _project(inverse: Matrix, group: Vector, v: Vector) -> None:
    """Leave of an inverse what keeps the sum over the ``group``, which is 1 there and 0 elsewhere."""
    n, stiffness = len(inverse), 0.0
    for a in range(n):
        for c in range(n):
            v[a] += inverse[a, c] * group[c]
        stiffness += v[a] * group[a]
    for a in range(n):
        for c in range(n):
            inverse[a, c] -= v[a] / stiffness * v[c]


@compiled
def to_minimum_over_free(
    inverse: Matrix, p: Arrays, groups: int, free: Indices, beta: Vector, values: Vector
) -> Vector:
    """Go to the minimum over the samples ``free``, in place; return by how much each of them has moved.

    ``inverse`` is that of their matrix, which is written over; the values are left as they are. The sum of all
    coefficients together (``groups`` = 1), or of those of each sign (2), is kept.
    """
    n = free.size
    x, slope, low, high = free_part(p, free, beta, beta, values)
    u, w, v, second = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    if groups == 2:
        for a in range(n):
            second[a] = 1.0 if p.lower[free[a]] < 0.0 else 0.0
        if 0.0 < second.sum() < n:
            _project(inverse, second, v)
    for a in range(n):
        for c in range(n):
            u[a] += inverse[a, c] * slope[c]
            w[a] += inverse[a, c]
    to_minimum(inverse, np.arange(n), u, w, slope, low, high, x, groups > 0, 0.0, n - int(groups > 0))
    for k in range(n):
        slope[k] = x[k] - beta[free[k]]
        beta[free[k]] = x[k]
    return slope
