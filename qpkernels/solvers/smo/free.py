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

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled

__all__ = ["Arrays", "free_samples", "is_worth_it", "to_minimum_over_free"]

_SMALL = 8.0 * float(np.finfo(np.float32).eps)
"""Part of the largest K_kk that is added to all: what rounding to float32 may take from an eigenvalue."""

_ENTRY = 8.0
"""Multiplications of an inverse in the time that a pair step takes for one sample."""

_FEWEST = 8
"""Free coefficients below which pair steps are as good."""


class Arrays(NamedTuple):
    """What a KernelQP says of each sample beside its kernel, shape (m,) each, as compiled code takes it."""

    target: Vector
    epsilon: Vector
    ridge: Vector
    lower: Vector
    upper: Vector


@compiled
def free_samples(p: Arrays, beta: Vector) -> Indices:
    """Return the samples whose coefficients are inside their bounds, and off their kinks."""
    found, size = np.empty(beta.size, np.intp), 0
    for k in range(beta.size):
        if p.lower[k] < beta[k] < p.upper[k] and (beta[k] != 0 or p.epsilon[k] == 0):
            found[size] = k
            size += 1
    return found[:size]


@compiled
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
    x, gradient, lower, upper = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        small = max(small, _SMALL * K[k, k])
    for k in range(n):
        i = free[k]
        x[k], lower[k], upper[k] = beta[i], p.lower[i], p.upper[i]
        gradient[k] = values[i] + p.ridge[i] * beta[i] - p.target[i]
        if p.epsilon[i] > 0:
            gradient[k] += p.epsilon[i] if beta[i] > 0 else -p.epsilon[i]
            lower[k], upper[k] = (0.0, upper[k]) if beta[i] > 0 else (lower[k], 0.0)
        K[k, k] += p.ridge[i] + small
    # Its rows are those of K, which in float32 may differ from its columns.
    _follow(np.ascontiguousarray(np.linalg.inv(K).T), small, paired, gradient, lower, upper, x)
    for k in range(n):
        lower[k] = x[k] - beta[free[k]]
        beta[free[k]] = x[k]
    return lower


@compiled
def _follow(
    inverse: Matrix, small: float, paired: bool, gradient: Vector, lower: Vector, upper: Vector, x: Vector
) -> None:
    """Go from ``x`` to the minimum, coefficient after coefficient staying where it meets a bound.

    Rows and columns of those that stay become 0.
    """
    rigid = inverse @ np.ones(x.size)
    for left in range(x.size, int(paired), -1):
        step = inverse @ gradient
        level = _turn_down(step, rigid, gradient, paired)
        if not level > -np.inf:
            # Rounding: the matrix is semidefinite no more.
            return
        length, hit = _until_bound(step, lower, upper, x)
        for k in range(x.size):
            x[k] = min(max(x[k] + length * step[k], lower[k]), upper[k])
            gradient[k] = (1.0 - length) * gradient[k] - length * (level + small * step[k])
        if hit < 0:
            return
        x[hit] = upper[hit] if step[hit] > 0 else lower[hit]
        pivot = inverse[hit, hit]
        if not pivot > 0 or left == 1:
            return
        row, factor = inverse[hit].copy(), rigid[hit] / pivot
        for k in range(x.size):
            part = inverse[k, hit] / pivot
            rigid[k] -= factor * inverse[k, hit]
            add_scaled(inverse[k], -part, row)
            inverse[k, hit] = 0.0
        inverse[hit, :] = 0.0
        rigid[hit] = gradient[hit] = 0.0


@compiled
def _turn_down(step: Vector, rigid: Vector, gradient: Vector, paired: bool) -> float:
    """Make of the inverse times the gradient the step, in place, and return the level b; -inf: it goes up."""
    total, stiffness, slope = 0.0, 0.0, 0.0
    for k in range(step.size):
        total, stiffness = total + step[k], stiffness + rigid[k]
    level = -total / stiffness if paired else 0.0
    for k in range(step.size):
        step[k] = -(step[k] + level * rigid[k])
        slope += step[k] * gradient[k]
    return level if slope < 0 else -np.inf


@compiled
def _until_bound(step: Vector, lower: Vector, upper: Vector, x: Vector) -> tuple[float, int]:
    """Return the part of ``step``, at most 1, to where a coefficient meets its bound, and which, or -1."""
    length, hit = 1.0, -1
    for k in range(step.size):
        room = (upper[k] if step[k] > 0 else lower[k]) - x[k]
        if abs(room) < length * abs(step[k]):
            length, hit = room / step[k], k
    return length, hit
