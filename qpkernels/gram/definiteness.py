# SPDX-License-Identifier: BSD-3-Clause
"""When a kernel matrix counts as symmetric and positive semidefinite, and how an indefinite one is made so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh, eigvalsh_tridiagonal

from qpkernels.arrays import Matrix, Vector, frozen, row_blocks
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import NotSymmetricError

__all__ = [
    "PSD_TOLERANCE",
    "Correction",
    "Formed",
    "corrected",
    "is_psd",
    "psd_threshold",
    "require_symmetric",
    "smallest_eigenvalue",
    "smallest_ritz_value",
]

PSD_TOLERANCE = 1e-10
"""A matrix counts as positive semidefinite when its smallest eigenvalue is above minus this times max K_ii."""

_SYMMETRY_TOLERANCE = 1e-10
"""Difference of k(x, z) and k(z, x), against the largest entry, that counts as rounding."""

_TINY = float(np.finfo(float).tiny)

_LANCZOS_STEPS = 60
"""Products with a matrix that is too large to be formed."""


def psd_threshold(diagonal: Vector) -> float:
    """Return how far below 0 an eigenvalue may be: 1e-10 of the largest entry of the diagonal."""
    return PSD_TOLERANCE * max(float(np.abs(diagonal).max()), _TINY)


@dataclass(frozen=True)
class Correction:
    """How an indefinite kernel matrix was made positive semidefinite.

    Attributes
    ----------
    kind
        "clip": its negative eigenvalues were set to 0. "shift": the smallest one was taken from its diagonal.
    smallest_eigenvalue
        The smallest eigenvalue of the kernel matrix as it was.
    negative_eigenvalues
        How many of its eigenvalues were negative.
    """

    kind: Literal["clip", "shift"]
    smallest_eigenvalue: float
    negative_eigenvalues: int

    @property
    def shift(self) -> float:
        """What was added to each diagonal entry; 0 where the matrix was clipped."""
        return -self.smallest_eigenvalue if self.kind == "shift" else 0.0

    def __str__(self) -> str:
        """Say in a sentence what was done."""
        done = "set to 0" if self.kind == "clip" else f"lifted by adding {self.shift:.6g} to the diagonal"
        return (
            f"the kernel matrix was indefinite: {self.negative_eigenvalues} of its eigenvalues were negative, "
            f"the smallest {self.smallest_eigenvalue:.6g}; they were {done}"
        )


@dataclass(frozen=True, eq=False)
class Formed:
    """A kernel matrix, read-only, as it is used.

    Attributes
    ----------
    matrix
        The matrix, corrected if need be.
    correction
        How it was corrected; None: it is as the kernel gives it.
    kept
        The eigenvectors V+ of the eigenvalues that were kept, where it was clipped.
    """

    matrix: Matrix
    correction: Correction | None = None
    kept: Matrix | None = None


def is_psd(K: Matrix, diagonal: Vector) -> bool:
    """Return whether K has a Cholesky decomposition once the threshold is added to its diagonal."""
    shifted = np.array(K, order="C")
    shifted.ravel()[:: len(K) + 1] += psd_threshold(diagonal)
    try:
        with blas_threads_for(len(K)):
            # Transposed it is in the order of LAPACK, which then needs no copy.
            cholesky(shifted.T, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def require_symmetric(K: Matrix, exchanged: Matrix, name: object) -> None:
    """Settle that k(x_i, z_j) of ``K`` is k(z_j, x_i) of ``exchanged``, up to rounding.

    Raises
    ------
    NotSymmetricError
        Otherwise; ``name`` is that of the kernel.
    """
    allowed = _SYMMETRY_TOLERANCE * max(float(np.abs(K).max()), float(np.abs(exchanged).max()))
    for rows in row_blocks(*K.shape):
        skew = np.abs(K[rows] - exchanged[:, rows].T)
        if skew.max() > allowed:
            i, j = (int(k) for k in np.unravel_index(int(skew.argmax()), skew.shape))
            i += rows.start
            raise NotSymmetricError(
                f"a kernel must be symmetric, but {name} gives k(x, z) = {K[i, j]:.17g} and "
                f"k(z, x) = {exchanged[j, i]:.17g} for a pair of these samples; correct its matrix(X, Z), of which "
                "matrix(Z, X) must be the transpose."
            )


def smallest_ritz_value(product: Callable[[Vector], Vector], m: int) -> float:
    """Return an upper bound of the smallest eigenvalue of a symmetric m x m matrix, by Lanczos' method from products.

    It is near that eigenvalue where this is apart from the others, as a negative one among those of a smooth kernel.
    """
    basis, diagonal, beside = np.empty((min(m, _LANCZOS_STEPS), m)), np.empty(0), np.empty(0)
    q = np.random.default_rng(0).normal(size=m)
    for step in range(len(basis)):
        basis[step] = q / np.linalg.norm(q)
        q = product(basis[step])
        diagonal = np.append(diagonal, basis[step] @ q)
        for _ in range(2):  # Twice, since the first subtraction leaves rounding.
            q = q - (basis[: step + 1] @ q) @ basis[: step + 1]
        length = float(np.linalg.norm(q))
        if length <= np.finfo(float).eps * float(np.abs(diagonal).max()):
            break
        beside = np.append(beside, length)
    return float(eigvalsh_tridiagonal(diagonal, beside[: diagonal.size - 1])[0])


def smallest_eigenvalue(K: Matrix) -> float:
    """Return the smallest eigenvalue of K."""
    with blas_threads_for(len(K)):
        return float(eigvalsh(K, subset_by_index=[0, 0], check_finite=False)[0])


def corrected(K: Matrix, diagonal: Vector, kind: Literal["clip", "shift"]) -> Formed:
    """Return K made positive semidefinite."""
    # Half of what the check allows: below this, an eigenvalue is negative beyond rounding.
    rounding = 0.5 * psd_threshold(diagonal)
    with blas_threads_for(len(K)):
        return _shifted(K, rounding) if kind == "shift" else _clipped(K, rounding)


def _shifted(K: Matrix, rounding: float) -> Formed:
    eigenvalues = eigvalsh(K, check_finite=False)
    correction = Correction("shift", float(eigenvalues[0]), int((eigenvalues < -rounding).sum()))
    return Formed(frozen(K + correction.shift * np.eye(len(K))), correction)


def _clipped(K: Matrix, rounding: float) -> Formed:
    eigenvalues, vectors = eigh(K, check_finite=False)
    kept = vectors[:, eigenvalues > 0]
    roots = kept * np.sqrt(eigenvalues[eigenvalues > 0])
    correction = Correction("clip", float(eigenvalues[0]), int((eigenvalues < -rounding).sum()))
    return Formed(frozen(roots @ roots.T), correction, frozen(kept))
