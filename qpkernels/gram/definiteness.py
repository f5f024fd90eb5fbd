# SPDX-License-Identifier: BSD-3-Clause
"""When a kernel matrix counts as positive semidefinite, and how an indefinite one is made so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh

from qpkernels.arrays import Matrix, Vector, frozen
from qpkernels.gram.panels.threads import blas_threads_for

__all__ = ["PSD_TOLERANCE", "Correction", "Formed", "corrected", "is_psd", "psd_threshold", "smallest_eigenvalue"]

PSD_TOLERANCE = 1e-10
"""A matrix counts as positive semidefinite when its smallest eigenvalue is above minus this times max K_ii."""


def psd_threshold(diagonal: Vector) -> float:
    """Return how far below 0 an eigenvalue may be: 1e-10 of the largest entry of the diagonal."""
    return PSD_TOLERANCE * max(float(np.abs(diagonal).max()), np.finfo(float).tiny)


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
    try:
        with blas_threads_for(len(K)):
            cholesky(K + psd_threshold(diagonal) * np.eye(len(K)), check_finite=False)
    except LinAlgError:
        return False
    return True


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
