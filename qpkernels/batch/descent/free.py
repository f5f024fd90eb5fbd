# SPDX-License-Identifier: BSD-3-Clause
r"""The minimum over the coefficients that are free: strictly inside their bounds, and off their kinks.

With F the free ones and g their gradient, the others where they are, the minimum over all steps d of F solves

    (K_FF + ridge_F + small) d + b 1 = -g,    1'd = 0,

without b and the last equation where none ties the coefficients. ``small`` keeps apart from 0 what rounding leaves of
an eigenvalue. On the way to x + d a coefficient may meet a bound or a kink: it stays there, and the equations of the
others are solved again, each time by one change of rank 1 of the inverse: the primal active set method.

Pair steps tell which coefficients are free long before they are close to the minimum over them: where bounds are far,
few are at one, and the equations are badly conditioned, which costs pair steps and not this.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled
from qpkernels.solvers.smo.descent.passes import Arrays

__all__ = ["free_samples", "is_worth_it", "to_minimum_over_free"]

_SMALL = 8.0 * float(np.finfo(np.float32).eps)
"""Part of the largest K_kk that is added to all: what rounding to float32 may take from an eigenvalue."""

_ENTRY = 8.0
"""Multiplications of an inverse in the time that a pair step takes for one sample."""

_FEWEST = 8
"""Free coefficients below which pair steps are as good."""


@compiled
def free_samples(p: Arrays, beta: Vector) -> Indices:
    """Return the samples whose coefficients are inside their bounds, and off their kinks."""
    return np.flatnonzero((beta > p.lower) & (beta < p.upper) & ((beta != 0) | (p.epsilon == 0)))


@compiled
def is_worth_it(free: int, work: float) -> bool:
    """Return whether to invert the matrix of so many takes no longer than the pair steps since it was done last.

    ``work`` is the number of samples that these have passed over, summed over the steps.
    """
    return free >= _FEWEST and float(free) ** 3 <= _ENTRY * work


@compiled
def to_minimum_over_free(
    K: Matrix, p: Arrays, paired: bool, free: Indices, beta: Vector, values: Vector
) -> tuple[Indices, Vector]:
    """Go to the minimum over the samples ``free``, in place; return which have moved, and by how much.

    ``K`` is their matrix, which is written over; the values are left as they are.
    """
    x, lower, upper = beta[free], p.lower[free], p.upper[free]
    gradient = values[free] + p.ridge[free] * x - p.target[free] + np.sign(x) * p.epsilon[free]
    small = 0.0
    for k in range(free.size):
        small = max(small, _SMALL * K[k, k])
        if p.epsilon[free[k]] > 0:
            lower[k], upper[k] = (0.0, upper[k]) if x[k] > 0 else (lower[k], 0.0)
    for k in range(free.size):
        K[k, k] += p.ridge[free[k]] + small
    _follow(np.ascontiguousarray(np.linalg.inv(K).T), small, paired, gradient, lower, upper, x)
    delta = x - beta[free]
    beta[free] = x
    moved = np.flatnonzero(delta)
    return free[moved], delta[moved]


@compiled
def _follow(
    inverse: Matrix, small: float, paired: bool, gradient: Vector, lower: Vector, upper: Vector, x: Vector
) -> None:
    """Go from ``x`` to the minimum, coefficient after coefficient staying where it meets a bound."""
    rigid = inverse.sum(axis=1)
    for left in range(x.size, int(paired), -1):
        # Rows and columns of those that stay are 0.
        step, level = -(inverse @ gradient), 0.0
        if paired:
            level = step.sum() / rigid.sum()
            step -= level * rigid
        if not gradient @ step < 0:
            # Rounding: the matrix is semidefinite no more.
            return
        length, hit = _until_bound(step, lower - x, upper - x)
        for k in range(x.size):
            x[k] = min(max(x[k] + length * step[k], lower[k]), upper[k])
            gradient[k] = (1.0 - length) * gradient[k] - length * (level + small * step[k])
        if hit < 0:
            return
        x[hit] = upper[hit] if step[hit] > 0 else lower[hit]
        pivot = inverse[hit, hit]
        if not pivot > 0 or left == 1:
            return
        row, column = inverse[hit].copy(), inverse[:, hit] / pivot
        rigid -= rigid[hit] * column
        for k in range(x.size):
            add_scaled(inverse[k], -column[k], row)
        inverse[hit, :] = inverse[:, hit] = 0.0
        rigid[hit] = gradient[hit] = 0.0


@compiled
def _until_bound(step: Vector, fall: Vector, rise: Vector) -> tuple[float, int]:
    """Return the part of ``step``, at most 1, to where a coefficient meets its bound, and which, or -1."""
    length, hit = 1.0, -1
    for k in range(step.size):
        room = rise[k] if step[k] > 0 else fall[k]
        if abs(room) < length * abs(step[k]):
            length, hit = room / step[k], k
    return length, hit
