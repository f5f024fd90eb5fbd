# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of all coefficients of an answer at once, each in one compiled pass; it loads the compiler."""

from __future__ import annotations

from typing import NamedTuple

from qpkernels.arrays.checks import Vector
from qpkernels.arrays.compiled import compiled_for

__all__ = ["BoxSums", "ExpansionSums", "box_sums", "expansion_sums"]

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
