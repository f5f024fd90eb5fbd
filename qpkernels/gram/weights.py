# SPDX-License-Identifier: BSD-3-Clause
"""The weights w = sum_j c_j phi(x_j) of a function in explicit features."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.intervals import exact_sum

__all__ = ["weights_of"]


def weights_of(features: Matrix, coefficients: Vector, level: Vector) -> Vector:
    """Return Phi'c without losing the digits that the rows of Phi share: sum c_j (phi_j - level) + level sum c_j.

    Coefficients of a model with an intercept add up to 0. What rounding leaves of that counts for as much as the
    samples are far away, so that it is added up exactly, whatever the order. NaN where that sum overflows.
    """
    return np.asarray((features - level).T @ coefficients + level * exact_sum(coefficients))
