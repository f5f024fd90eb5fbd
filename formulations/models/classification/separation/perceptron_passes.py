# SPDX-License-Identifier: BSD-3-Clause
"""The compiled passes of a perceptron, which correct one sample after another."""

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled

__all__ = ["pass_by_kernel", "pass_by_weights"]


@compiled
def pass_by_weights(
    X: Matrix, y: Vector, order: Indices, begin: int, rates: Vector, a: Vector, alpha: Vector
) -> tuple[int, int]:
    """Correct a = (b, w) and alpha by each sample not on its right side, as long as there are rates.

    Returns the place in ``order`` where it stopped, its length at the end of a pass, and the number of corrections.
    """
    made = 0
    for place in range(begin, order.size):
        i = order[place]
        value = a[0]
        for j in range(X.shape[1]):
            value += a[j + 1] * X[i, j]
        # Not <= 0: what overflowed to NaN is on no side.
        if not y[i] * value > 0.0:
            if made == rates.size:
                return place, made
            step = rates[made] * y[i]
            a[0] += step
            for j in range(X.shape[1]):
                a[j + 1] += step * X[i, j]
            alpha[i] += rates[made]
            made += 1
    return order.size, made


@compiled
def pass_by_kernel(
    K: Matrix, y: Vector, order: Indices, begin: int, rates: Vector, decision: Vector, alpha: Vector
) -> tuple[int, int]:
    """Correct the decision values at all samples, and alpha, in the same way."""
    made = 0
    for place in range(begin, order.size):
        i = order[place]
        if not y[i] * decision[i] > 0.0:
            if made == rates.size:
                return place, made
            step = rates[made] * y[i]
            for j in range(y.size):
                decision[j] += step * (K[i, j] + 1.0)
            alpha[i] += rates[made]
            made += 1
    return order.size, made
