# SPDX-License-Identifier: BSD-3-Clause
"""One data set: its name, its samples, its targets."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, finite_matrix, finite_vector
from qpkernels.errors import ShapeError

__all__ = ["Dataset"]


# Equality is left to identity: comparing the fields would compare arrays, which has no single truth value.
@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """Samples x_1 ... x_n in R^d as the rows of X, with one target y_i for each.

    Attributes
    ----------
    name
        What the set is called in tables and figures.
    X
        Array of shape (n, d), float64, finite, n and d at least 1.
    y
        Array of shape (n,): numbers (finite) or text (class names).

    Raises
    ------
    ShapeError
        If X is not a matrix, or y is not a vector of n numbers or n texts.
    NonFiniteError
        If X or y holds NaN or infinity.
    """

    name: str
    X: Matrix
    y: NDArray[Any]

    def __post_init__(self) -> None:
        matrix = finite_matrix(self.X, "X")
        targets = np.asarray(self.y)
        if targets.shape != matrix.shape[:1]:
            raise ShapeError(
                f"y must have shape ({matrix.shape[0]},), one target for each row of X, but its shape is "
                f"{targets.shape}; flatten y, or drop the samples without a target."
            )
        if targets.dtype.kind not in "fiubU":
            raise ShapeError(
                f"y must hold real numbers or text, but its type is {targets.dtype}; convert it with "
                "y.astype(float) or y.astype(str)."
            )
        if targets.dtype.kind != "U":
            finite_vector(targets, "y")
        object.__setattr__(self, "X", np.ascontiguousarray(matrix))
        object.__setattr__(self, "y", targets)
