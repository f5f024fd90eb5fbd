# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to data: the matrix K_ij = k(x_i, x_j), whole or in parts."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, eigvalsh, solve_triangular
from scipy.linalg.lapack import dpstrf

from qpkernels.arrays import Indices, Matrix, Vector, finite_vector, frozen, row_blocks
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, NonFiniteError, ParameterError
from qpkernels.kernels.base import Kernel

__all__ = ["PSD_TOLERANCE", "Gram"]

PSD_TOLERANCE = 1e-10
"""A matrix counts as positive semidefinite when its smallest eigenvalue is above minus this times max K_ii."""


def _overflow(kernel: Kernel) -> str:
    return f"{kernel} is not finite on these samples; scale the features, or choose other parameters."


class Gram:
    """The m x m kernel matrix K of m samples, computed once and when asked for.

    Parameters
    ----------
    kernel
        The kernel k.
    X
        The samples, as ``kernel`` takes them.
    memory_limit
        Largest size in bytes of the whole matrix in float64.

    Raises
    ------
    ShapeError, NonFiniteError
        If ``X`` does not fit the kernel, or the kernel overflows on it.
    """

    def __init__(self, kernel: Kernel, X: ArrayLike, memory_limit: int = 4 * 2**30) -> None:
        if not isinstance(kernel, Kernel):
            raise ParameterError(
                f"a Gram takes a Kernel first, then the samples, but {type(kernel).__name__} came first."
            )
        self.kernel = kernel
        self.X = frozen(kernel.samples(X))
        self.memory_limit = memory_limit
        if not np.isfinite(self.diagonal).all():
            raise NonFiniteError(_overflow(kernel))

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.X)

    @cached_property
    def diagonal(self) -> Vector:
        """The m values k(x_i, x_i)."""
        with np.errstate(over="ignore"):
            return frozen(self.kernel.diagonal(self.X))

    @cached_property
    def dense(self) -> Matrix:
        """The whole matrix, read-only.

        Raises
        ------
        GramTooLargeError
            If it would exceed ``memory_limit``.
        """
        size = 8 * len(self) ** 2
        if size > self.memory_limit:
            raise GramTooLargeError(
                f"the kernel matrix of {len(self)} samples takes {size / 2**30:.1f} GiB, above the limit of "
                f"{self.memory_limit / 2**30:.1f} GiB; bind the samples with Gram(kernel, X, memory_limit=...), "
                "or take fewer."
            )
        with np.errstate(over="ignore"):
            K = self.kernel.matrix(self.X, self.X)
        if not np.isfinite(K).all():
            raise NonFiniteError(_overflow(self.kernel))
        return frozen(K)

    def product(self, coefficients: ArrayLike) -> Vector:
        """Return K v for v of shape (m,), from the columns where v is not zero; the matrix need not fit in memory."""
        v = finite_vector(coefficients, "coefficients", len(self))
        (used,) = np.nonzero(v)
        if used.size == 0:
            return np.zeros(len(self))
        if "dense" in self.__dict__:
            return np.asarray(self.dense @ v)
        blocks = [self.kernel.matrix(self.X[rows], self.X[used]) @ v[used] for rows in row_blocks(len(self), used.size)]
        return np.concatenate(blocks)

    @cached_property
    def features(self) -> Matrix | None:
        """Explicit features Phi with K = Phi Phi', where the kernel has them and they are fewer than the samples."""
        features = self.kernel.features(self.X)
        return features if features is not None and features.shape[1] < len(self) else None

    @property
    def factor(self) -> Matrix:
        """A matrix Phi of shape (m, r) with K = Phi Phi': the samples in r coordinates of the space of the kernel.

        The features of the kernel if they are few, else the factor of a Cholesky decomposition with complete pivoting;
        then r is the numerical rank, and K is met to about 1e-13 of max K_ii.
        """
        return self._cholesky[0] if self.features is None else self.features

    def coefficients(self, coordinates: Vector | Matrix) -> Vector | Matrix:
        """Return a beta with Phi'beta = ``coordinates``: the expansion of the function <coordinates, .>; or several."""
        if self.features is not None:
            return np.asarray(np.linalg.lstsq(self.features.T, coordinates)[0])
        beta = np.zeros((len(self), *np.shape(coordinates)[1:]))
        if not self.diagonal.any():
            return beta
        factor, pivots = self._cholesky
        beta[pivots] = solve_triangular(factor[pivots], coordinates, trans="T", lower=True, check_finite=False)
        return beta

    @cached_property
    def _cholesky(self) -> tuple[Matrix, Indices]:
        """The factor, and the samples whose rows make it lower triangular."""
        factored, order, rank, _ = dpstrf(self.dense, lower=1)
        # A kernel that is 0 on all samples still has one coordinate, in which every sample is 0.
        rank = max(rank, 1)
        factor = np.empty((len(self), rank))
        factor[order - 1] = np.tril(factored)[:, :rank]
        return frozen(factor), frozen((order - 1)[:rank])

    def require_psd(self) -> None:
        """Settle that K is positive semidefinite.

        Kernels that are so by construction pass at once. Otherwise a Cholesky decomposition of K + shift I decides,
        with shift = 1e-10 max K_ii, and eigenvalues are computed only when it fails.

        Raises
        ------
        IndefiniteKernelError
            With the smallest eigenvalue.
        """
        if self.kernel.positive_semidefinite:
            return
        shift = PSD_TOLERANCE * max(float(np.abs(self.diagonal).max()), np.finfo(float).tiny)
        try:
            cholesky(self.dense + shift * np.eye(len(self)), check_finite=False)
        except LinAlgError:
            smallest = float(eigvalsh(self.dense, subset_by_index=[0, 0], check_finite=False)[0])
            raise IndefiniteKernelError(
                f"the kernel matrix of {self.kernel} is not positive semidefinite: its smallest eigenvalue is "
                f"{smallest:.6g} (largest diagonal entry {self.diagonal.max():.6g}), so the problem is not convex; "
                f"use another kernel, or add at least {-smallest:.6g} to the diagonal knowingly.",
                smallest,
            ) from None
