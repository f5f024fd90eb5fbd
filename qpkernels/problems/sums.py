# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of all samples of an answer at once, each in one compiled pass; it loads the compiler.

At the residual r_i = target_i - b - f(x_i) of a KernelQP, with L_i(r) the largest of r s - epsilon_i |s| -
ridge_i/2 s^2 over the bounds of s, a sample adds L_i(r_i) to P, and (target_i - middle) beta_i - epsilon_i |beta_i| -
ridge_i/2 beta_i^2 to D.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.compiled import compiled, compiled_for

__all__ = [
    "BoxSums",
    "ExpansionSums",
    "GapTerms",
    "box_sums",
    "expansion_sums",
    "gap_terms",
]

_VECTOR = "Array(float64, 1, 'C', readonly=True)"


class BoxSums(NamedTuple):
    """Whether all coefficients are within bounds, which NaN never is, their sum, and that of their sizes."""

    inside: bool
    total: float
    size: float


@compiled_for(f"({', '.join(3 * [_VECTOR])})")
def box_sums(beta: Vector, lower: Vector, upper: Vector) -> BoxSums:
    """Return them for lower <= beta <= upper."""
    inside, total, size = True, 0.0, 0.0
    for k in range(beta.size):
        inside = inside and lower[k] <= beta[k] <= upper[k]
        total, size = total + beta[k], size + abs(beta[k])
    return BoxSums(inside, total, size)


class ExpansionSums(NamedTuple):
    """Sums over the samples of f = sum_j beta_j k(x_j, .), whose values are f_i.

    Attributes
    ----------
    used
        How many beta_i are not 0.
    reach, square
        The sum of |beta_i| s_i for sizes s_i, and that of (beta_i s_i)^2.
    products, products_size
        The sum of beta_i f_i, and that of the absolute values.
    """

    used: int
    reach: float
    square: float
    products: float
    products_size: float


@compiled_for(f"({', '.join(3 * [_VECTOR] + ['boolean'])})")
def expansion_sums(beta: Vector, values: Vector, sizes: Vector, balanced: bool) -> ExpansionSums:
    """Return them; ``balanced`` takes the values around their mean."""
    mean = 0.0
    if balanced:
        for k in range(values.size):
            mean += values[k]
        mean /= values.size
    used, reach, square, products, products_size = 0, 0.0, 0.0, 0.0, 0.0
    for k in range(beta.size):
        if beta[k] != 0.0:
            term, product = abs(beta[k]) * sizes[k], beta[k] * (values[k] - mean)
            used, reach, square = used + 1, reach + term, square + term**2
            products, products_size = products + product, products_size + abs(product)
    return ExpansionSums(used, reach, square, products, products_size)


_EPS = float(np.finfo(float).eps)


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
