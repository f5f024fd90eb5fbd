# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a perceptron: their sizes eta(k), and the compiled passes that correct one sample after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector, check_positive
from qpkernels.arrays.compiled import compiled
from qpkernels.errors import ParameterError

__all__ = ["Rate", "StepSizes", "check_range", "pass_by_kernel", "pass_by_weights"]

Rate: TypeAlias = float | Callable[[int], float]
"""One step size, or k -> eta(k) for k = 1, 2, ..."""


class StepSizes:
    """eta(k), checked where it is used: positive and finite.

    Parameters
    ----------
    rate
        A number above 0, or a function of k = 1, 2, ... that returns one.
    """

    def __init__(self, rate: Rate) -> None:
        self._function = rate if callable(rate) else None
        self._number = 1.0 if callable(rate) else check_positive(rate, "rate")

    @property
    def fixed(self) -> bool:
        """Whether eta(k) is the same for all k."""
        return self._function is None

    def __call__(self, k: int) -> float:
        """Return eta(k)."""
        return self._number if self._function is None else check_positive(self._function(k), f"rate({k})")

    def known(self, k: int, count: int) -> Vector:
        """Return eta(k), ..., eta(k + count - 1) of a fixed rate; of a function eta(k) alone, which is needed next."""
        return np.full(count, self._number) if self.fixed else np.array([self(k)])


def check_range(values: Vector, epoch: int) -> None:
    """Refuse values that overflowed, which would count as neither right nor wrong."""
    if not np.isfinite(values).all():
        raise ParameterError(
            f"the rates and samples must keep a within the range of float64, but epoch {epoch} left it; "
            "take smaller rates, or scale the samples."
        )


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
