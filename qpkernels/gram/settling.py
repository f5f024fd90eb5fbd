# SPDX-License-Identifier: BSD-3-Clause
"""What is settled of a kernel before anything is proved with it: its symmetry and definiteness on the samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, NonFiniteError
from qpkernels.gram.definiteness import (
    is_psd,
    psd_threshold,
    require_symmetric,
    smallest_eigenvalue,
    smallest_ritz_value,
)
from qpkernels.gram.panels.threads import blas_threads_for
from qpkernels.kernels.base import Kernel

__all__ = ["check_diagonal", "check_few", "check_whole", "indefinite", "kernel_matrix"]

_FEW = 32
"""Samples on whose kernel matrix it is checked what a kernel says of itself."""

_TINY = float(np.finfo(float).tiny)
"""The least number of full precision."""

_LARGE = 2000
"""Samples above which a negative eigenvalue is looked for by Lanczos' method first."""


def check_diagonal(kernel: Kernel, X: Samples, diagonal: Vector) -> None:
    """Refuse samples of which the kernel sees too much for float64, or nothing though they are not 0.

    Raises
    ------
    NonFiniteError
        What is proved would be of other samples.
    """
    if not np.isfinite(diagonal).all():
        raise NonFiniteError(kernel.overflow)
    (small,) = np.nonzero(np.abs(diagonal) < _TINY)
    if small.size and not kernel.vanishes(X[small]).all():
        raise NonFiniteError(kernel.underflow)


def indefinite(kernel: Kernel, largest: float, smallest: float, bound: str = "") -> IndefiniteKernelError:
    """Return the error of a matrix with a negative eigenvalue; ``bound`` tells in words if that is not the smallest."""
    return IndefiniteKernelError(
        f"the kernel matrix of {kernel} is not positive semidefinite: its smallest eigenvalue is {bound}"
        f"{smallest:.6g} (largest diagonal entry {largest:.6g}), so the problem is not convex; "
        'use another kernel, or change the matrix knowingly: Gram(kernel, X, indefinite="clip") sets its negative '
        f'eigenvalues to 0, and indefinite="shift" will add at least {-smallest:.6g} to its diagonal. '
        "A kernel of your own must not say that it is positive_semidefinite then.",
        smallest,
    )


def kernel_matrix(kernel: Kernel, X: Samples, memory_limit: float) -> Matrix:
    """Return the whole matrix, symmetric by construction or by a check.

    Raises
    ------
    GramTooLargeError
        If it takes more than ``memory_limit`` bytes.
    NonFiniteError, NotSymmetricError
        If the kernel fails on these samples.
    """
    m = int(X.shape[0])
    size = 8 * m**2
    if size > memory_limit:
        raise GramTooLargeError(
            f"the kernel matrix of {m} samples takes {size / 2**30:.1f} GiB, above the limit of "
            f"{memory_limit / 2**30:.1f} GiB; bind the samples with Gram(kernel, X, memory_limit=...), or take fewer."
        )
    with np.errstate(over="ignore", invalid="ignore"), blas_threads_for(m):
        K = kernel.matrix(X, X)
    if not np.isfinite(K).all():
        raise NonFiniteError(kernel.overflow)
    if not kernel.positive_semidefinite:
        require_symmetric(K, K, kernel)
    return K


def check_few(kernel: Kernel, X: Samples) -> None:
    """Check a kernel on samples spread over all: its symmetry, and its definiteness if it claims that.

    Raises
    ------
    NonFiniteError, NotSymmetricError, IndefiniteKernelError
        If it fails.
    """
    m = int(X.shape[0])
    rows = np.arange(m) if m <= _FEW else np.linspace(0, m - 1, _FEW).astype(np.intp)
    left, right = X[rows], X[rows[::-1]]
    with np.errstate(over="ignore"), blas_threads_for(len(rows)):
        K, exchanged = kernel.matrix(left, right), kernel.matrix(right, left)
    if not (np.isfinite(K).all() and np.isfinite(exchanged).all()):
        raise NonFiniteError(kernel.overflow)
    require_symmetric(K, exchanged, kernel)
    K = K[:, ::-1]
    diagonal = np.asarray(K.diagonal())
    if kernel.positive_semidefinite and not is_psd(K, diagonal):
        raise indefinite(kernel, float(diagonal.max()), smallest_eigenvalue(K), "at most ")


def check_whole(kernel: Kernel, diagonal: Vector, K: Matrix | None, product: Callable[[Vector], Vector]) -> None:
    """Refuse a matrix K with a negative eigenvalue.

    Parameters
    ----------
    K
        The matrix; None where it does not fit in memory, and only its products are there.

    Raises
    ------
    IndefiniteKernelError
        With that eigenvalue.
    """
    largest = float(diagonal.max())
    if K is not None and is_psd(K, diagonal):
        return
    # Where it is enough of a proof, it takes a hundredth of the time of the eigenvalue itself.
    if K is None or diagonal.size > _LARGE:
        smallest = smallest_ritz_value(product, diagonal.size)
        if smallest < -psd_threshold(diagonal):
            raise indefinite(kernel, largest, smallest, "at most ")
    if K is not None:
        raise indefinite(kernel, largest, smallest_eigenvalue(K))
