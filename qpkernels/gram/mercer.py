# SPDX-License-Identifier: BSD-3-Clause
"""Mercer's condition on a finite sample: the eigenvalues of the kernel matrix, and the features they give."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from qpkernels.arrays import Matrix, Vector, frozen
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import IndefiniteKernelError
from qpkernels.gram.definiteness import psd_threshold
from qpkernels.gram.gram import Gram
from qpkernels.kernels.kernel import Kernel, Samples

__all__ = ["Mercer"]


@dataclass(frozen=True, init=False, eq=False)
class Mercer:
    r"""The decomposition :math:`K = \sum_t \lambda_t v_t v_t'` of the kernel matrix of m samples.

    Where no eigenvalue is negative, the map :math:`x_i \mapsto (\sqrt{\lambda_t} v_{ti})_t` reproduces K: on these
    samples the kernel is an inner product of features. A negative eigenvalue proves that it is not a Mercer kernel.

    Parameters
    ----------
    kernel
        The kernel k.
    X
        The samples, as ``kernel`` takes them.
    memory_limit
        The largest size of K in float64, in bytes.

    Attributes
    ----------
    eigenvalues
        lambda, shape (m,), in descending order.
    eigenvectors
        v_t in column t, shape (m, m), orthonormal.

    Raises
    ------
    ShapeError, NonFiniteError, GramTooLargeError
        As for :class:`~qpkernels.gram.Gram`.

    Notes
    -----
    Source: section H of the catalogue; for points outside the sample, Williams and Seeger, Using the Nystroem method to
    speed up kernel machines (NIPS 13, 2001).

    Examples
    --------
    >>> from qpkernels import RBF, Mercer, Sigmoid
    >>> X = [[0.0], [1.0], [2.0]]
    >>> for kernel in (RBF(gamma=0.5), Sigmoid(kappa=1.0, b=-1.0)):
    ...     decomposition = Mercer(kernel, X)
    ...     print(decomposition.is_psd, decomposition.eigenvalues.round(3))
    True [1.928 0.865 0.207]
    False [ 2.606  0.133 -0.014]
    """

    kernel: Kernel
    X: Samples = field(repr=False)
    eigenvalues: Vector = field(repr=False)
    eigenvectors: Matrix = field(repr=False)
    threshold: float = field(repr=False)

    def __init__(self, kernel: Kernel, X: ArrayLike, memory_limit: int = 4 * 2**30) -> None:
        gram = Gram(kernel, X, memory_limit)
        with blas_threads_for(len(gram)):
            eigenvalues, eigenvectors = eigh(gram.dense, check_finite=False)
        parts = {
            "kernel": kernel,
            "X": gram.X,
            "eigenvalues": frozen(eigenvalues[::-1]),
            "eigenvectors": frozen(eigenvectors[:, ::-1]),
            "threshold": psd_threshold(gram.diagonal),
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        """Return a sentence that says what the eigenvalues prove."""
        word = "is positive semidefinite" if self.is_psd else "is not positive semidefinite: this is no Mercer kernel"
        return (
            f"the matrix of {self.kernel!r} on {self.X.shape[0]} samples {word} "
            f"(smallest eigenvalue {self.smallest_eigenvalue:.6g}, largest {float(self.eigenvalues[0]):.6g})"
        )

    @property
    def smallest_eigenvalue(self) -> float:
        """The least lambda_t."""
        return float(self.eigenvalues[-1])

    @property
    def is_psd(self) -> bool:
        """Whether no eigenvalue is below minus 1e-10 of the largest k(x_i, x_i)."""
        return self.smallest_eigenvalue >= -self.threshold

    @property
    def rank(self) -> int:
        """Number of eigenvalues above rounding: the number of features."""
        rounding = self.X.shape[0] * np.finfo(float).eps * float(np.abs(self.eigenvalues).max())
        return int((self.eigenvalues > rounding).sum())

    @property
    def features(self) -> Matrix:
        """The features sqrt(lambda_t) v_ti of the samples, shape (m, rank); their inner products are K.

        Raises
        ------
        IndefiniteKernelError
            If K is indefinite.
        """
        self._require_psd()
        return np.asarray(self.eigenvectors[:, : self.rank] * np.sqrt(self.eigenvalues[: self.rank]))

    def features_of(self, X: ArrayLike) -> Matrix:
        """Return the features of any samples, shape (len(X), rank), by the Nystroem extension.

        They are phi_t(x) = sum_i v_ti k(x_i, x) / sqrt(lambda_t). On the samples they equal :attr:`features`. Elsewhere
        their inner products are those of the projections onto the span of the k(x_i, .).

        Parameters
        ----------
        X
            Samples as the kernel takes them.

        Raises
        ------
        IndefiniteKernelError
            If K is indefinite.
        """
        self._require_psd()
        rank = self.rank
        return np.asarray(self.kernel(X, self.X) @ self.eigenvectors[:, :rank] / np.sqrt(self.eigenvalues[:rank]))

    def _require_psd(self) -> None:
        if not self.is_psd:
            raise IndefiniteKernelError(
                f"the matrix of {self.kernel!r} has the negative eigenvalue {self.smallest_eigenvalue:.6g}, so no "
                "features have it as their inner products; use another kernel, or work with the corrected matrix of "
                'Gram(kernel, X, indefinite="clip"), whose factor takes the place of features.',
                self.smallest_eigenvalue,
            )
