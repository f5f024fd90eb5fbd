# SPDX-License-Identifier: BSD-3-Clause
"""Products and quotients with the costs of the samples, where a cost of 0 stands for an absent sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Vector

__all__ = ["per_cost", "times_cost"]


def times_cost(costs: Vector, values: ArrayLike) -> Vector:
    """Return costs * values, and 0 for an absent sample, whatever the value: infinite, or a bound that is."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(costs > 0, costs * np.asarray(values), 0.0)


def per_cost(values: ArrayLike, costs: Vector) -> Vector:
    """Return values / costs, and 0 for an absent sample."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.where(costs > 0, np.asarray(values) / costs, 0.0)
