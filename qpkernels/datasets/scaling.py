# SPDX-License-Identifier: BSD-3-Clause
"""Features brought to a common range."""

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, finite_matrix

__all__ = ["scale_features"]


def scale_features(X: ArrayLike) -> Matrix:
    """Map each feature linearly to [-1, 1]: x -> 2 (x - min) / (max - min) - 1.

    The minimum and maximum are those of the feature's column. The smallest entry maps to -1 exactly and the
    largest to 1 exactly, and no entry leaves the interval through rounding. A constant feature, for which the
    quotient is undefined, maps to 0.

    Parameters
    ----------
    X
        Array of shape (n, d), finite.

    Returns
    -------
    Matrix
        A new array of shape (n, d) with entries in [-1, 1].

    Raises
    ------
    ShapeError
        If X is not a matrix with at least one entry.
    NonFiniteError
        If X holds NaN or infinity.
    """
    matrix = finite_matrix(X, "X")
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    with np.errstate(over="ignore"):
        overflows = np.isinf(high - low)
    # max - min can exceed the largest float64, so such a column is halved first. Halving every column would
    # lose the smallest subnormal numbers.
    factor = np.where(overflows, 0.5, 1.0)
    low, high = low * factor, high * factor
    constant = low == high
    span = np.where(constant, 1.0, high - low)
    scaled: Matrix = 2.0 * ((matrix * factor - low) / span) - 1.0
    scaled[:, constant] = 0.0
    return scaled
