# SPDX-License-Identifier: BSD-3-Clause
r"""What an upper bound has to pay where K is not positive semidefinite by the construction of its kernel.

With the coefficients c of f, any feasible beta satisfies P(f, b) >= D(beta) + 1/2 (beta - c)'K (beta - c). If K + tau I
is positive semidefinite, the last term is at least -tau/2 sum (beta_i - c_i)^2, and so P + tau/2 sum (beta_i - c_i)^2
is an upper bound, with the worst beta_i within the bounds.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.errors import GramTooLargeError
from qpkernels.gram import Gram
from qpkernels.gram.enclosed import largest_row_error
from qpkernels.intervals import UNIT, semidefinite_shift, sum_bounds, up

__all__ = ["farthest_square", "least_shift", "payment"]


def least_shift(gram: Gram) -> float:
    """Return a proved tau with K + tau I positive semidefinite: 0 by construction, inf if none is found.

    It takes a Cholesky decomposition of the whole matrix, where K is not positive semidefinite by construction.
    """
    if gram.correction is None and gram.kernel.positive_semidefinite:
        return 0.0
    try:
        K = gram.dense
    except GramTooLargeError:
        return float("inf")
    error = largest_row_error(gram)
    if error == 0.0:
        return semidefinite_shift(K)
    if not np.isfinite(error):
        return float("inf")
    # What is definite by more than its errors is so without them.
    moved = up(1.01 * error + 4.0 * UNIT * float(np.abs(K.diagonal()).max()))
    return 0.0 if semidefinite_shift(K - moved * np.eye(len(K))) == 0.0 else float(up(semidefinite_shift(K) + error))


def farthest_square(coefficients: Vector, lower: Vector, upper: Vector) -> Vector:
    """Return upper bounds of (beta_i - c_i)^2 for any beta within the bounds, where c is rounded once or twice."""
    with np.errstate(over="ignore"):
        distance = np.maximum(up(upper - coefficients), up(coefficients - lower))
        return up(up(distance + 2.0**-50 * np.abs(coefficients)) ** 2)


def payment(tau: float, squares: Vector) -> float:
    """Return an upper bound of tau/2 times the sum of the squares."""
    return 0.0 if tau == 0.0 else float(up(0.5 * tau * sum_bounds(squares)[1]))
