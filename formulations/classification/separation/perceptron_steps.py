# SPDX-License-Identifier: BSD-3-Clause
"""The sizes eta(k) of the steps of a perceptron."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from qpkernels.arrays import Vector, check_positive
from qpkernels.errors import ParameterError

__all__ = ["Rate", "StepSizes", "check_range"]

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

    def __str__(self) -> str:
        return f"{self._number:g}" if self._function is None else "a function of k"

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
