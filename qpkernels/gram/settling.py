# SPDX-License-Identifier: BSD-3-Clause
"""What is settled of a kernel before anything is proved with it: its symmetry and definiteness on some samples."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Samples
from qpkernels.errors import IndefiniteKernelError, NonFiniteError
from qpkernels.gram.definiteness import is_psd, require_symmetric, smallest_eigenvalue
from qpkernels.kernels.base import Kernel

__all__ = ["check_few", "indefinite", "overflow"]

_FEW = 32
"""Samples on whose kernel matrix it is checked what a kernel says of itself."""


def overflow(kernel: Kernel) -> NonFiniteError:
    """Return the error of kernel values that are not finite."""
    return NonFiniteError(kernel.overflow)


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


def check_few(kernel: Kernel, X: Samples) -> None:
    """Check a kernel on samples spread over all: its symmetry, and its definiteness if it claims that.

    Raises
    ------
    NonFiniteError, NotSymmetricError, IndefiniteKernelError
        If it fails.
    """
    rows = np.unique(np.linspace(0, X.shape[0] - 1, _FEW).astype(np.intp))
    left, right = X[rows], X[rows[::-1]]
    with np.errstate(over="ignore"):
        K, exchanged = kernel.matrix(left, right), kernel.matrix(right, left)
    if not (np.isfinite(K).all() and np.isfinite(exchanged).all()):
        raise overflow(kernel)
    require_symmetric(K, exchanged, kernel)
    K = K[:, ::-1]
    diagonal = np.asarray(K.diagonal())
    if kernel.positive_semidefinite and not is_psd(K, diagonal):
        raise indefinite(kernel, float(diagonal.max()), smallest_eigenvalue(K), "at most ")
