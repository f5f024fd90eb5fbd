# SPDX-License-Identifier: BSD-3-Clause
"""The space that a kernel makes of the samples of a fit: of a Kernel, of low rank, or known by kernel values only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from qpkernels.arrays import Indices, Matrix, Samples, Vector, is_sparse
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.functions import Expansions
from qpkernels.gram import Gram, LowRank
from qpkernels.kernels import Kernel, Precomputed

__all__ = [
    "FunctionValues",
    "Functions",
    "Indefinite",
    "OfKernel",
    "OfLowRank",
    "Space",
    "Sums",
    "by_function",
    "by_matrix",
]

Indefinite: TypeAlias = Literal["refuse", "clip", "shift"]
"""What becomes of a kernel matrix with a negative eigenvalue."""

_PROBES = 50
"""Samples at most that show whether a function gives the same values of a pair among all samples and among few."""


class Functions(Protocol):
    """Decision functions of new samples."""

    def __call__(self, X: Any) -> Matrix:
        """Return their values, one function a column."""


class Space(Protocol):
    """What a kernel makes of the samples of a fit."""

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the kernel matrix of these samples, of all for None."""

    def functions(self, rows: Indices, coefficients: Matrix | csr_array, intercepts: Vector) -> Functions:
        """Return the functions with these coefficients of the samples ``rows``, one function a column."""


@dataclass(frozen=True, eq=False)
class OfKernel:
    """The space of a kernel, and samples as it takes them."""

    kernel: Kernel
    X: Samples

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the kernel matrix."""
        return Gram(self.kernel, self.X if rows is None else self.X[rows], indefinite=indefinite)

    def functions(self, rows: Indices, coefficients: Matrix | csr_array, intercepts: Vector) -> Expansions:
        """Return expansions in these samples, and in no other; without any, constants."""
        centers = self.kernel.samples(self.X[rows if rows.size else slice(1)])
        return Expansions(self.kernel, centers[: rows.size], coefficients, intercepts)


class OfLowRank:
    """The space of a kernel of low rank in place of another, spanned by some of the samples that count."""

    def __init__(self, kernel: Kernel, X: Samples, rank: int) -> None:
        self._base, self._X, self._rank = kernel, X, rank

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the matrix of low rank of these samples, of all for None.

        Raises
        ------
        ParameterError
            If another kernel than a positive semidefinite one is to be corrected: it has no factor.
        """
        if indefinite != "refuse":
            raise ParameterError(
                f"with a rank, the kernel must be positive semidefinite, and nothing is corrected: leave out "
                f"indefinite={indefinite!r}, or rank={self._rank}."
            )
        made = LowRank(self._base, self._X if rows is None else self._X[rows], self._rank)
        self._kernel = made.kernel
        return made

    def functions(self, rows: Indices, coefficients: Matrix | csr_array, intercepts: Vector) -> Functions:
        """Return expansions in the landmarks, after :meth:`gram`."""
        return OfKernel(self._kernel, self._X).functions(rows, coefficients, intercepts).condensed()


@dataclass(frozen=True, eq=False)
class FunctionValues(Precomputed):
    """The values of a function among the samples of a fit.

    No file takes one, as none takes its function: the matrix would come back for a kernel that knows these samples by
    their numbers, and no new ones.
    """

    function: Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class OfMatrix:
    """The space that a matrix of kernel values is all that is known of.

    Attributes
    ----------
    K
        The values among the samples of the fit, shape (m, m).
    between
        New samples to their values with those of the fit, shape (number of new samples, m).
    """

    K: Matrix
    between: _Between

    def gram(self, rows: Indices | None, indefinite: Indefinite) -> Gram:
        """Return the matrix, or a part of it."""
        function = self.between.function if isinstance(self.between, _ByFunction) else None
        kernel = Precomputed(self.K) if function is None else FunctionValues(self.K, function)
        return Gram(kernel, np.arange(len(self.K)) if rows is None else rows, indefinite=indefinite)

    def functions(self, rows: Indices, coefficients: Matrix | csr_array, intercepts: Vector) -> Functions:
        """Return sums of the values with these samples."""
        return Sums(self.between, rows, coefficients, intercepts)


class _Between(Protocol):
    def __call__(self, X: Any) -> Matrix:
        """Return the kernel values between new samples and those of the fit."""

    def among(self, rows: Indices) -> tuple[_Between, Indices]:
        """Return what gives the values with these samples and holds no other, and the numbers of its columns."""


@dataclass(frozen=True, eq=False)
class _Given:
    """New samples come as their kernel values."""

    samples: int

    def __call__(self, X: Any) -> Matrix:
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.samples:
            raise ShapeError(
                f"with kernel='precomputed', X holds the kernel values of new samples with all {self.samples} samples "
                f"of the fit, one new sample a row, but an array of shape {values.shape} came."
            )
        return values

    def among(self, rows: Indices) -> tuple[_Given, Indices]:
        return self, rows


@dataclass(frozen=True, eq=False)
class _ByFunction:
    """A user's function gives them, asked of all samples at once as by scikit-learn; FunctionKernel asks for parts."""

    function: Callable[[Any, Any], Any]
    X: Any

    def __call__(self, X: Any) -> Matrix:
        return _dense(self.function(X, self.X))

    def among(self, rows: Indices) -> tuple[_ByFunction, Indices]:
        alone, probes = replace(self, X=_safe_indexing(self.X, rows)), _safe_indexing(self.X, rows[:_PROBES])
        if rows.size and not np.allclose(alone(probes), self(probes)[:, rows], rtol=1e-9, atol=0.0):
            raise ParameterError(
                "a pickle holds the support vectors and no other training sample, but this kernel gives other values "
                "with them alone; let the value of a pair depend on this pair alone, or pass the matrix of kernel "
                "values, with kernel='precomputed'."
            )
        return alone, np.arange(rows.size)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of kernel values with some of the samples of a fit, which are known by these values only."""

    between: _Between
    rows: Indices
    coefficients: Matrix | csr_array
    intercepts: Vector

    def __call__(self, X: Any) -> Matrix:
        """Return the values, one function a column."""
        if not self.rows.size:
            return np.tile(self.intercepts, (_num_samples(X), 1))
        return np.asarray(self.between(X)[:, self.rows] @ self.coefficients + self.intercepts)

    def alone(self) -> Sums:
        """Return the same functions, holding no other samples than those with a coefficient.

        Raises
        ------
        ParameterError
            If a function gives other kernel values with these samples alone.
        """
        between, rows = self.between.among(self.rows)
        return replace(self, between=between, rows=rows)


def by_function(function: Callable[[Any, Any], Any], X: Any) -> OfMatrix:
    """Return the space of a function of two lists of samples that returns the matrix of their kernel values.

    Raises
    ------
    ShapeError
        If the matrix of the samples is not square.
    """
    return OfMatrix(_square(_dense(function(X, X))), _ByFunction(function, X))


def by_matrix(K: ArrayLike) -> OfMatrix:
    """Return the space of which these kernel values are known.

    Raises
    ------
    ShapeError
        If the matrix is not square.
    """
    matrix = np.asarray(K)
    return OfMatrix(_square(matrix), _Given(len(matrix)))


def _dense(values: Any) -> Matrix:
    return np.asarray(values.todense() if is_sparse(values) else values, dtype=np.float64)


def _square(K: ArrayLike) -> Matrix:
    matrix = np.asarray(K, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(
            f"Precomputed matrix must be a square matrix of kernel values among the samples, but its shape is "
            f"{matrix.shape}."
        )
    return matrix
