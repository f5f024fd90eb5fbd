# SPDX-License-Identifier: BSD-3-Clause
"""Real targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Vector, finite_vector, frozen, read_array
from qpkernels.errors import NonFiniteError, ShapeError

__all__ = ["real_targets"]


def real_targets(y: ArrayLike, samples: int) -> Vector:
    """Return y as a read-only vector of that many finite numbers.

    Raises
    ------
    ShapeError
        If y is no vector of that length; several outputs take a model each.
    NonFiniteError
        If a target is NaN or infinite, or the squares of all leave float64.
    """
    shape = read_array(y, "y").shape
    if len(shape) == 2:
        hint = "pass y.ravel()" if shape[1] == 1 else "fit one model to each column"
        raise ShapeError(
            f"y must have one dimension, one real target for each sample, but its shape is {shape}; {hint}."
        )
    targets = finite_vector(y, "y")
    if targets.size != samples:
        raise ShapeError(
            f"X and y must have the same length, but X has {samples} samples and y has {targets.size} targets."
        )
    largest = float(np.abs(targets).max())
    if largest > 0 and not 1e-100 < largest < 1e100:
        raise NonFiniteError(f"the squares of y leave float64, since max |y| is {largest:g}; scale the targets.")
    return frozen(targets)
