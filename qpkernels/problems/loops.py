# SPDX-License-Identifier: BSD-3-Clause
"""The compiled passes that add up what samples say of an answer; :mod:`qpkernels.problems.sums` has the same in NumPy.

Machine p has the entries from ``starts[p]`` to ``starts[p + 1]`` of every array, and a column of the sums.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled_for, inlined

__all__ = ["add_expansion_sums", "add_gap_sums"]

_EPS = float(np.finfo(float).eps)

_VECTOR, _STARTS = "Array(float64, 1, 'C', readonly=True)", "Array(int64, 1, 'C', readonly=True)"
_FLAGS, _OWN, _SUMS = "Array(bool, 1, 'C', readonly=True)", "float64[::1]", "float64[:, ::1]"


@compiled_for(f"({_VECTOR}, {_VECTOR}, {_VECTOR}, {_STARTS}, {_FLAGS}, {_SUMS})")
def add_expansion_sums(
    beta: Vector, values: Vector, sizes: Vector, starts: Indices, balanced: NDArray[np.bool_], sums: Matrix
) -> None:
    """Write the fields of :class:`~qpkernels.problems.sums.ExpansionSums`, a row each."""
    for p in range(starts.size - 1):
        mean = 0.0
        if balanced[p]:
            for k in range(starts[p], starts[p + 1]):
                mean += values[k]
            mean /= starts[p + 1] - starts[p]
        used, reach, square, products, products_size = 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(starts[p], starts[p + 1]):
            if beta[k] != 0.0:
                term, product = abs(beta[k]) * sizes[k], beta[k] * (values[k] - mean)
                used, reach, square = used + 1.0, reach + term, square + term * term
                products, products_size = products + product, products_size + abs(product)
        sums[0, p], sums[1, p], sums[2, p], sums[3, p], sums[4, p] = used, reach, square, products, products_size


@inlined
def _loss(residual: float, lower: float, upper: float, epsilon: float, ridge: float) -> float:
    """Return L_i; a hard constraint contributes 0, told apart."""
    excess, s = abs(residual) - epsilon, upper if residual > 0.0 else -lower
    if ridge > 0.0:
        s = min(s, excess / ridge)
    return excess * s - 0.5 * ridge * s * s if excess > 0.0 and s < np.inf else 0.0


@compiled_for(f"({', '.join([*9 * [_VECTOR], _STARTS, *2 * [_VECTOR], _OWN, _SUMS])})")
def add_gap_sums(
    target: Vector,
    epsilon: Vector,
    ridge: Vector,
    lower: Vector,
    upper: Vector,
    beta: Vector,
    values: Vector,
    error: Vector,
    inexact: Vector,
    starts: Indices,
    levels: Vector,
    middles: Vector,
    parts: Vector,
    sums: Matrix,
) -> None:
    """Write the fields of :class:`~qpkernels.problems.sums.GapSums`, a row each, and its parts."""
    for p in range(starts.size - 1):
        losses, linear, costs, linear_sizes, squared_errors, errors = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        inexactness, imbalance, size, reach, vanishing, worst = 0.0, 0.0, 0.0, 0.0, 1.0, starts[p]
        for k in range(starts[p], starts[p + 1]):
            off = inexact[k] if inexact.size else 0.0
            own = error[k] if error.size else 0.0
            around = target[k] - levels[p]
            residual = around - values[k]
            loss = _loss(residual, lower[k], upper[k], epsilon[k], ridge[k])
            width = own + off + _EPS * (abs(around) + abs(residual) + epsilon[k])
            # A convex function changes most at an end of an interval.
            below = _loss(residual - width, lower[k], upper[k], epsilon[k], ridge[k])
            above = _loss(residual + width, lower[k], upper[k], epsilon[k], ridge[k])
            change, product = max(abs(below - loss), abs(above - loss)), (target[k] - middles[p]) * beta[k]
            cost = epsilon[k] * abs(beta[k]) + 0.5 * ridge[k] * beta[k] * beta[k]
            parts[k] = loss - residual * beta[k] + cost
            losses, linear, costs = losses + loss, linear + product, costs + cost
            linear_sizes, imbalance, size = linear_sizes + abs(product), imbalance + beta[k], size + abs(beta[k])
            if off > 0.0:
                errors, inexactness = errors + change, inexactness + abs(beta[k]) * off
            else:
                squared_errors += change * change
            reach = max(reach, abs(residual) + off)
            worst = k if parts[k] > parts[worst] else worst
            if loss > change or product != 0.0 or cost != 0.0:
                vanishing = 0.0
        sums[0, p], sums[1, p], sums[2, p], sums[3, p], sums[4, p] = losses, linear, costs, linear_sizes, squared_errors
        sums[5, p], sums[6, p], sums[7, p], sums[8, p] = errors, inexactness, imbalance, size
        sums[9, p], sums[10, p], sums[11, p] = reach, vanishing, worst - starts[p]
