# SPDX-License-Identifier: BSD-3-Clause
r"""Passes over the samples, compiled; they load the compiler.

At the residual e_i = target_i + shift_i - v_i the slope is the s that attains

    max over lower_i <= s <= upper_i of e_i s - epsilon_i |s| - (ridge_i + extra)/2 s^2.

It is constant but for the residuals strictly between epsilon_i and epsilon_i + (ridge_i + extra) upper_i, or between
the same on the negative side, where its derivative is 1 / (ridge_i + extra): there the sample is free.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.compiled import compiled, compiled_for

__all__ = ["loss_sum", "slope_sums", "slopes"]

_VECTOR = "Array(float64, 1, 'C', readonly=True)"
_PROGRAM = ", ".join(5 * [_VECTOR])
_OWN = "float64[::1]"


@compiled
def _slope(residual: float, lower: float, upper: float, epsilon: float, weight: float) -> float:
    if residual > epsilon:
        if upper == 0.0:
            return 0.0
        return min(upper, (residual - epsilon) / weight) if weight > 0.0 else upper
    if residual < -epsilon:
        if lower == 0.0:
            return 0.0
        return max(lower, (residual + epsilon) / weight) if weight > 0.0 else lower
    return 0.0


@compiled
def _distance(residual: float, lower: float, upper: float, epsilon: float, weight: float) -> float:
    """Return how far the residual is from where the slope is not constant; 0 where the sample is free."""
    near = np.inf
    if upper > 0.0:
        near = max(epsilon - residual, residual - epsilon - weight * upper, 0.0)
    if lower < 0.0:
        near = min(near, max(epsilon + residual, -residual - epsilon + weight * lower, 0.0))
    return near


@compiled_for(f"({_PROGRAM}, {_VECTOR}, float64, {_VECTOR}, {_OWN}, {_OWN})")
def slopes(
    target: Vector,
    lower: Vector,
    upper: Vector,
    epsilon: Vector,
    ridge: Vector,
    shift: Vector,
    extra: float,
    v: Vector,
    slope: Vector,
    distance: Vector,
) -> float:
    """Write the slopes, and the distances of the samples from being free; return the sum of the slopes."""
    total = 0.0
    for i in range(v.size):
        residual, weight = target[i] + shift[i] - v[i], ridge[i] + extra
        slope[i] = _slope(residual, lower[i], upper[i], epsilon[i], weight)
        distance[i] = _distance(residual, lower[i], upper[i], epsilon[i], weight)
        total += slope[i]
    return total


@compiled_for(f"({_PROGRAM}, {_VECTOR}, float64, {_VECTOR}, {_VECTOR}, float64)")
def slope_sums(
    target: Vector,
    lower: Vector,
    upper: Vector,
    epsilon: Vector,
    ridge: Vector,
    shift: Vector,
    extra: float,
    v: Vector,
    direction: Vector,
    step: float,
) -> float:
    """Return sum_i s_i(v_i + step d_i) d_i: minus the derivative of the losses along a direction d."""
    total = 0.0
    for i in range(v.size):
        residual = target[i] + shift[i] - v[i] - step * direction[i]
        total += _slope(residual, lower[i], upper[i], epsilon[i], ridge[i] + extra) * direction[i]
    return total


@compiled_for(f"({_PROGRAM}, {_VECTOR})")
def loss_sum(
    target: Vector, lower: Vector, upper: Vector, epsilon: Vector, ridge: Vector, v: Vector
) -> tuple[float, float]:
    """Return the sum of the losses, and the largest violation of a hard constraint, which counts as no loss."""
    total, violation = 0.0, 0.0
    for i in range(v.size):
        residual = target[i] - v[i]
        slope = _slope(residual, lower[i], upper[i], epsilon[i], ridge[i])
        if np.isinf(slope):
            violation = max(violation, abs(residual) - epsilon[i])
        else:
            total += residual * slope - epsilon[i] * abs(slope) - 0.5 * ridge[i] * slope**2
    return total, violation
