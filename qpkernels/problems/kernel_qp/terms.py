# SPDX-License-Identifier: BSD-3-Clause
"""What the samples add to P and D, to their rounding and to the gap, in one compiled pass; it loads the compiler.

At the residual r_i = target_i - b - f(x_i), with L_i(r) the largest of r s - epsilon_i |s| - ridge_i/2 s^2 over the
bounds of s, a sample adds L_i(r_i) to P, and (target_i - middle) beta_i - epsilon_i |beta_i| - ridge_i/2 beta_i^2 to D.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.compiled import compiled, compiled_for

__all__ = [
    "GapTerms",
    "gap_terms",
]

_EPS = float(np.finfo(float).eps)

_VECTOR = "Array(float64, 1, 'C', readonly=True)"


class GapTerms(NamedTuple):
    """Sums over the samples, and what each adds to the gap.

    Attributes
    ----------
    parts
        L_i(r_i) - r_i beta_i and what epsilon and ridge cost, shape (m,).
    losses, linear, costs
        The sums of L_i(r_i), of (target_i - middle) beta_i, and of what epsilon and ridge cost.
    linear_sizes
        The sum of the absolute values of the second.
    squared_errors, errors
        How far losses may be off: the sum of the squares, and the sum where f(x_i) is inexact.
    inexact
        The sum of |beta_i| times the inexactness of f(x_i).
    imbalance, reach
        The sum of beta_i, and the largest |r_i|, with the inexactness of f(x_i).
    worst
        The sample that adds most to the gap.
    vanishing
        Whether all terms are 0, of the losses up to their rounding.
    """

    parts: Vector
    losses: float
    linear: float
    costs: float
    linear_sizes: float
    squared_errors: float
    errors: float
    inexact: float
    imbalance: float
    reach: float
    worst: int
    vanishing: bool


@compiled
def _branch(slope: float, bound: float, ridge: float) -> float:
    """Return max over 0 <= s <= bound of slope s - ridge/2 s^2, with 0 in place of infinity."""
    if slope <= 0:
        return 0.0
    s = min(bound, slope / ridge) if ridge > 0 else bound
    return slope * s - 0.5 * ridge * s**2 if not np.isinf(s) else 0.0


@compiled
def _loss(residual: float, lower: float, upper: float, epsilon: float, ridge: float) -> float:
    """Return L_i; a hard constraint contributes 0, told apart."""
    return max(_branch(residual - epsilon, upper, ridge), _branch(-residual - epsilon, -lower, ridge))


@compiled_for(f"({', '.join(9 * [_VECTOR] + 3 * ['float64'])})")
def gap_terms(
    target: Vector,
    lower: Vector,
    upper: Vector,
    epsilon: Vector,
    ridge: Vector,
    beta: Vector,
    values: Vector,
    error: Vector,
    inexact: Vector,
    level: float,
    scaling: float,
    middle: float,
) -> GapTerms:
    """Return the terms for f(x_i) = ``scaling`` times ``values``, known up to rounding of ``error``, and b = ``level``.

    ``inexact`` bounds how far values are off beside that; empty: they are not.
    """
    parts = np.empty(target.size)
    losses, linear, costs, linear_sizes, squared_errors, errors = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    inexactness, imbalance, reach, worst, vanishing = 0.0, 0.0, 0.0, 0, True
    for k in range(target.size):
        off = inexact[k] if inexact.size else 0.0
        residual = (target[k] - level) - scaling * values[k]
        loss = _loss(residual, lower[k], upper[k], epsilon[k], ridge[k])
        width = scaling * (error[k] + off) + _EPS * (abs(target[k] - level) + abs(residual) + epsilon[k])
        # A convex function changes most at an end of an interval.
        below = _loss(residual - width, lower[k], upper[k], epsilon[k], ridge[k])
        above = _loss(residual + width, lower[k], upper[k], epsilon[k], ridge[k])
        change, product = max(abs(below - loss), abs(above - loss)), (target[k] - middle) * beta[k]
        cost = epsilon[k] * abs(beta[k]) + 0.5 * ridge[k] * beta[k] ** 2
        parts[k] = loss - residual * beta[k] + cost
        losses, linear, costs = losses + loss, linear + product, costs + cost
        linear_sizes, imbalance = linear_sizes + abs(product), imbalance + beta[k]
        if off > 0:
            errors, inexactness = errors + change, inexactness + abs(beta[k]) * off
        else:
            squared_errors += change**2
        reach = max(reach, abs(residual) + off)
        worst = k if parts[k] > parts[worst] else worst
        vanishing = vanishing and loss <= change and product == 0 and cost == 0
    return GapTerms(
        parts,
        losses,
        linear,
        costs,
        linear_sizes,
        squared_errors,
        errors,
        inexactness,
        imbalance,
        reach,
        worst,
        vanishing,
    )
