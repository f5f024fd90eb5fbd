# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of categories: samples are alike in the features that are equal."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, finite_matrix, is_sparse, read_array
from qpkernels.arrays.intervals import UNIT
from qpkernels.errors import ShapeError
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.enclosed import EnclosedMatrix, EnclosedRows
from qpkernels.kernels.kernel import Kernel, Samples

__all__ = [
    "Matching",
]


@dataclass(frozen=True)
class Matching(Kernel):
    """The share of the d features in which x and z are equal: 1 minus their Hamming distance divided by d.

    It is the mean over the features of the delta kernel, which is 1 where both samples have the same category and 0
    otherwise. Features are categories, given as numbers or text; no category is closer to one than to another. With the
    Hamming distance h, ``(a * Matching()).exp()`` is exp(a) exp(-a h / d).

    Notes
    -----
    A category that does not occur among the training samples differs from all of theirs.

    Examples
    --------
    >>> from qpkernels import Matching
    >>> X = [["red", "small"], ["red", "large"], ["blue", "large"]]
    >>> print(Matching()(X, X))
    [[1.  0.5 0. ]
     [0.5 1.  0.5]
     [0.  0.5 1. ]]
    """

    entry = KernelEntry("matching", "Matching")
    tested = True

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return the mean of the delta kernels."""
        return f"1/d sum_j delta({x}_j, {z}_j)"

    @property
    def positive_semidefinite(self) -> bool:
        return True

    def samples(self, X: ArrayLike) -> Samples:
        """Return categories, one sample per row, as a matrix of numbers or of text; a list of text is one feature.

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` holds anything else, or has a missing value.
        """
        if is_sparse(X):
            return super().samples(X)
        array = read_array(X, "X")
        if array.dtype.kind == "O":
            array = _of_objects(array)
        if array.dtype.kind != "U":
            return finite_matrix(array, "X")
        table = array[:, None] if array.ndim == 1 else array
        if table.ndim != 2 or 0 in table.shape:
            raise ShapeError(
                "X must hold categories, at least one sample and one feature in two dimensions (samples x features), "
                f"but its shape is {array.shape}."
            )
        return table.copy()

    def portable(self) -> dict[str, Any]:
        return {"name": "matching"}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        left, right = (X, X) if X is Z else _numbered(X, Z)
        matches = np.zeros((len(left), len(right)))
        for x, z in zip(left.T, right.T, strict=True):
            matches += x[:, None] == z
        return np.asarray(matches / left.shape[1])

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the shares, each of them rounded once."""

        def rows(part: slice) -> EnclosedMatrix:
            shares = self.matrix(X[part], Z)
            return EnclosedMatrix(shares, shares * UNIT)

        return rows

    def diagonal(self, X: Samples) -> Vector:
        return np.ones(len(X))


def _of_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of objects as one of numbers, or of text where there is text among them."""
    items = array.ravel().tolist()
    if all(isinstance(item, Real) for item in items):
        return array.astype(np.float64)
    wrong = next((item for item in items if not isinstance(item, str | Real) or item != item), None)
    if wrong is not None or any(item is None for item in items):
        raise ShapeError(f"X must hold categories, numbers or text, but it holds {wrong!r}; convert it first.")
    return array.astype(np.str_)


def _numbered(X: Samples, Z: Samples) -> tuple[Samples, Samples]:
    """Return both with the same numbers for the same texts, which are compared faster."""
    if (X.dtype.kind == "U") != (Z.dtype.kind == "U"):
        raise ShapeError("the categories of X and Z must be of one kind, but one is text and the other numbers.")
    if X.dtype.kind != "U":
        return X, Z
    _, numbers = np.unique(np.concatenate([X, Z]), return_inverse=True)
    numbers = numbers.reshape(len(X) + len(Z), -1)
    return numbers[: len(X)], numbers[len(X) :]
