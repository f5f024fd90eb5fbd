# SPDX-License-Identifier: BSD-3-Clause
"""Real targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Vector, finite_vector, frozen
from qpkernels.errors import ShapeError

__all__ = ["real_targets"]


def real_targets(y: ArrayLike, samples: int) -> Vector:
    """Return y as a read-only vector of that many finite numbers.

    Raises
    ------
    ShapeError
        If y is no vector of that length; several outputs take a model each.
    NonFiniteError
        If a target is NaN or infinite.
    """
    shape = np.shape(y)
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
    return frozen(targets)
