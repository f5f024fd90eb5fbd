# SPDX-License-Identifier: BSD-3-Clause
"""A kernel given by its matrix."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, finite_matrix, frozen, is_sparse, read_array
from qpkernels.display import Card, Fact
from qpkernels.errors import NotSquareError, NotSymmetricError, ParameterError, ShapeError
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.enclosed import EnclosedMatrix, EnclosedRows
from qpkernels.kernels.kernel import Kernel, Samples

__all__ = [
    "Precomputed",
]


@dataclass(frozen=True, eq=False)
class Precomputed(Kernel):
    """The kernel k(i, j) = K_ij on objects that are only known by their number.

    Samples are row numbers of K: ``np.arange(len(K))`` stands for all of them. Any subset is allowed too, so that one
    matrix over training and test objects serves both.

    Parameters
    ----------
    K
        Symmetric (to 1e-10 of its largest entry), shape (n, n). A model that uses it checks whether it is positive
        semidefinite.

    Raises
    ------
    NotSquareError, NotSymmetricError, NonFiniteError
        If K is not such a matrix.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels import Precomputed
    >>> K = [[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]
    >>> solution = SoftMargin([0, 1, 2], [-1, 1, 1], Precomputed(K), C=1.0).solve(tol=1e-6)
    >>> print(solution.status, solution.predict([0, 2]))
    optimal [-1  1]
    """

    K: Matrix = field(repr=False)
    entry = KernelEntry("precomputed", "Precomputed", takes="a matrix of kernel values", libsvm=True)

    def __post_init__(self) -> None:
        K = finite_matrix(self.K, "K")
        if K.shape[0] != K.shape[1]:
            raise NotSquareError(
                f"a precomputed kernel matrix must be square, but K has shape {K.shape}; "
                "take one matrix over training and test objects together, and let X pick its rows."
            )
        skew = np.abs(K - K.T)
        worst = np.unravel_index(int(skew.argmax()), K.shape)
        if skew[worst] > 1e-10 * np.abs(K).max():
            i, j = (int(k) for k in worst)
            raise NotSymmetricError(
                f"a kernel matrix must be symmetric, but K[{i}, {j}] = {K[i, j]:.17g} and "
                f"K[{j}, {i}] = {K[j, i]:.17g}; "
                "pass (K + K.T) / 2 if the difference is rounding."
            )
        object.__setattr__(self, "K", frozen(0.5 * (K + K.T)))

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"K[{x}, {z}]"

    def card(self) -> Card:
        """Return the shape of the matrix."""
        card = super().card()
        return replace(card, facts=(Fact("K", f"{len(self.K)} x {len(self.K)}"),))

    @property
    def positive_semidefinite(self) -> bool:
        """False: nothing is known of K by construction, so a model checks it."""
        return False

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` as row numbers of K, shape (number of samples,); a single column is accepted.

        Raises
        ------
        ShapeError
            If ``X`` has several columns.
        ParameterError
            If an entry is not a row number of K.
        """
        if is_sparse(X):
            raise ShapeError(
                "with a Precomputed kernel, X lists row numbers of K, such as np.arange(len(K)), "
                "but a sparse matrix came."
            )
        numbers = read_array(X, "X")
        if numbers.ndim == 2 and numbers.shape[1] == 1:
            numbers = numbers[:, 0]
        if numbers.ndim != 1:
            raise ShapeError(
                "with a Precomputed kernel, X lists row numbers of K, such as np.arange(len(K)), "
                f"but an array of shape {numbers.shape} came."
            )
        integral = numbers.dtype.kind in "iu" or (numbers.dtype.kind == "f" and np.isfinite(numbers).all())
        rows = numbers.astype(np.intp) if integral else np.arange(0)
        if not np.array_equal(rows, numbers) or rows.size == 0 or rows.min() < 0 or rows.max() >= len(self.K):
            raise ParameterError(
                f"with a Precomputed kernel, X lists row numbers of K, integers from 0 to {len(self.K) - 1}, "
                f"but {numbers[:5].tolist()} ... came."
            )
        return rows

    def portable(self) -> dict[str, Any]:
        return {"name": "matrix"}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray(self.K[np.ix_(X, Z)])

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the entries unchanged, with an error of 0."""

        def rows(part: slice) -> EnclosedMatrix:
            values = self.matrix(X[part], Z)
            return EnclosedMatrix(values, np.zeros_like(values))

        return rows

    def diagonal(self, X: Samples) -> Vector:
        return np.asarray(self.K[X, X])
