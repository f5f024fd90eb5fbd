# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to data: the matrix K_ij = k(x_i, x_j), whole or in parts."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import (
    ChecksKeywords,
    FeatureNames,
    Indices,
    Matrix,
    Vector,
    check_choice,
    check_nonnegative,
    feature_names,
    finite_view,
    frozen,
)
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram.coordinates import InCoordinates
from qpkernels.gram.definiteness import PSD_TOLERANCE, Correction, Formed, corrected, is_psd, psd_threshold
from qpkernels.gram.panels.sums import Suffices
from qpkernels.gram.products import BoundedProduct, bounded_product, matrix_product, streamed_product
from qpkernels.gram.selection import Selection
from qpkernels.gram.settling import check_diagonal, check_few, check_whole, indefinite, kernel_matrix
from qpkernels.kernels.base import Kernel, Samples

__all__ = ["Gram"]


class Gram(InCoordinates, metaclass=ChecksKeywords):
    """The m x m kernel matrix K of m samples, computed once and when asked for.

    Parameters
    ----------
    kernel
        The kernel k.
    X
        The samples, as ``kernel`` takes them; sparse ones stay so. The names of the columns of a data frame are kept as
        ``feature_names``.
    memory_limit
        Largest size in bytes of the whole matrix in float64.
    indefinite
        What becomes of a matrix with a negative eigenvalue. "refuse": :meth:`require_psd` raises. "clip": such
        eigenvalues are set to 0. "shift": the smallest one is taken from the diagonal, which amounts to a ridge. All
        members then speak of the corrected matrix, and :attr:`correction` says what was done. A correction holds three
        matrices in memory while it is made, and takes an eigenvalue decomposition.

    Raises
    ------
    ShapeError, NonFiniteError
        If ``X`` does not fit the kernel, or the kernel overflows or underflows on it.
    ParameterError
        If ``kernel`` is none, or ``indefinite`` is no such word.

    Notes
    -----
    Arguments of the methods:

    v, beta, coefficients
        One number for each sample, shape (m,), of any sign.
    product
        Kv, shape (m,).
    suffices
        Called with numbers of samples, the values of Kv there and bounds of their errors: says which of them will do.
    coordinates
        Shape (r,) for the r columns of :attr:`factor`, or (r, n) for n functions.
    whole
        The kernel matrix of all samples, of which this one may be a part.
    rows
        Numbers of samples from 0, an array of integers of shape (n,), in any order, n at least 1.

    Examples
    --------
    >>> from qpkernels import RBF, Gram
    >>> gram = Gram(RBF(gamma=0.5), [[0.0], [1.0], [2.0]])
    >>> print(gram.dense.round(3))
    [[1.    0.607 0.135]
     [0.607 1.    0.607]
     [0.135 0.607 1.   ]]
    >>> print(gram.product([1.0, 0.0, 1.0]).round(3))
    [1.135 1.213 1.135]
    """

    feature_names: FeatureNames = None

    def __init__(
        self,
        kernel: Kernel,
        X: ArrayLike,
        memory_limit: float = 4 * 2**30,
        indefinite: Literal["refuse", "clip", "shift"] = "refuse",
    ) -> None:
        if not isinstance(kernel, Kernel):
            raise ParameterError(f"a Gram takes a Kernel first, then samples, but {type(kernel).__name__} came first.")
        check_choice(indefinite, "indefinite", ("refuse", "clip", "shift"))
        self._begin(kernel, check_nonnegative(memory_limit, "memory_limit"), indefinite)
        self.X, self.feature_names = frozen(kernel.samples(X)), feature_names(X)
        check_diagonal(kernel, self.X, self._diagonal_of_kernel)

    def _begin(self, kernel: Kernel, memory_limit: float, indefinite: Any, source: Selection | None = None) -> None:
        self.kernel, self.memory_limit, self.indefinite = kernel, memory_limit, indefinite
        self._by_construction, self._source = kernel.positive_semidefinite, source
        self._may_be_corrected = indefinite != "refuse" and not self._by_construction
        self._formed: Formed | None = None
        self._settled: float | None = None

    @cached_property
    def X(self) -> Samples:
        """The samples, read-only; those of a part are taken from the whole when asked for."""
        assert self._source is not None
        return self._source.samples

    def __len__(self) -> int:
        """Return the number m of samples."""
        return int(self.X.shape[0]) if self._source is None else self._source.rows.size

    @cached_property
    def _diagonal_of_kernel(self) -> Vector:
        if self._source is not None:
            return frozen(self._source.whole._diagonal_of_kernel[self._source.rows])
        with np.errstate(over="ignore", invalid="ignore"):
            return frozen(self.kernel.diagonal(self.X))

    def _form(self) -> Formed:
        """Return the matrix, formed when first asked for, and corrected if that was asked for and it is indefinite."""
        if self._formed is None and self._source is not None and self._source.is_formed:
            self._formed = self._source.form()
        if self._formed is None:
            K = kernel_matrix(self.kernel, self.X, self.memory_limit)
            if self.indefinite == "refuse" or not self._may_be_corrected or is_psd(K, self._diagonal_of_kernel):
                self._formed = Formed(frozen(K))
            else:
                self._formed = corrected(K, self._diagonal_of_kernel, self.indefinite)
        return self._formed

    @cached_property
    def correction(self) -> Correction | None:
        """What was done to an indefinite matrix, or None: it is as the kernel gives it.

        Asking for it settles whether the matrix is indefinite, which takes the whole matrix, unless the kernel is
        positive semidefinite by construction or ``indefinite`` is "refuse".
        """
        return self._form().correction if self._may_be_corrected else None

    @property
    def trusted(self) -> bool:
        """Whether K is positive semidefinite up to rounding: by the construction of its kernel, or by correction.

        Otherwise it has at most been checked, to within 1e-10 of max K_ii.
        """
        return self._by_construction or self.correction is not None

    @cached_property
    def diagonal(self) -> Vector:
        """The m values K_ii."""
        return self._diagonal_of_kernel if self.correction is None else frozen(self.dense.diagonal())

    @property
    def is_formed(self) -> bool:
        """Whether the whole matrix is there, or is a part of one that is."""
        return self._formed is not None or (self._source is not None and self._source.is_formed)

    @property
    def dense(self) -> Matrix:
        """The whole matrix, read-only.

        Raises
        ------
        GramTooLargeError
            If it would exceed ``memory_limit``.
        """
        return self._form().matrix

    def product(self, coefficients: ArrayLike) -> Vector:
        """Return K v for v of shape (m,), from the columns where v is not zero; the matrix need not fit in memory.

        Nothing is kept: who needs the product twice passes it on.
        """
        with blas_threads_for(len(self)):
            return self._product(finite_view(coefficients, "coefficients", len(self)))

    def bounded_product(self, v: Vector, suffices: Suffices) -> BoundedProduct:
        """Return K v and bounds of its error; see :func:`~qpkernels.gram.products.bounded_product`."""
        return bounded_product(self, v, suffices)

    def _product(self, v: Vector) -> Vector:
        if not v.any():
            return np.zeros(len(self))
        if self.correction is None and self.factored is not None:
            return self.factored.product(v)
        if self.is_formed or self.correction is not None:
            return matrix_product(self.dense, v)
        return streamed_product(self.kernel, self.X, v).values

    def indefiniteness(self, coefficients: Vector) -> float:
        """Return how far 1/2 v'Kv may be from that of a positive semidefinite matrix: 0 where K is trusted.

        Raises
        ------
        NotSymmetricError, IndefiniteKernelError
            If K is no such matrix; see :meth:`require_psd`.
        """
        return 0.5 * below * float(coefficients @ coefficients) if (below := self._indefiniteness()) else 0.0

    @cached_property
    def lengths(self) -> Vector:
        """The m values sqrt(K_ii): the distances of the samples from the origin of the space."""
        return frozen(np.sqrt(np.maximum(self.diagonal, 0.0)))

    @cached_property
    def radii(self) -> Vector:
        """The distances of the samples from their mean, in the space of the kernel, shape (m,)."""
        if self.correction is None and self.factored is not None:
            return frozen(self.factored.radii())
        means = self.product(np.full(len(self), 1.0 / len(self)))
        return frozen(np.sqrt(np.maximum(self.diagonal - 2.0 * means + means.mean(), 0.0)))

    def require_nonnegative(self, v: Vector, product: Vector) -> None:
        """Settle that v'Kv, given Kv, is not negative beyond rounding: whatever a kernel says of itself, that tells.

        Raises
        ------
        IndefiniteKernelError
            With v'Kv / v'v, which no eigenvalue of a positive semidefinite matrix is above.
        """
        squared, size = float(v @ product), float(np.abs(v) @ self.lengths)
        if squared < -PSD_TOLERANCE * (size * size):
            raise indefinite(self.kernel, float(self.diagonal.max()), squared / float(v @ v), "at most ")

    def part(self, rows: Indices) -> Gram:
        """Return the kernel matrix of some of the samples; its entries are taken from this one where they are known.

        Nothing is computed or copied before it is asked for, so that a part costs little.

        Raises
        ------
        ShapeError
            If ``rows`` are no numbers of samples, or none.
        """
        if not isinstance(rows, np.ndarray) or rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
            raise ShapeError(f"rows must be an array of numbers of samples, but {type(rows).__name__} came.")
        part = Gram.__new__(Gram)
        part._begin(self.kernel, self.memory_limit, self.indefinite, Selection(self, frozen(rows)))
        part.feature_names = self.feature_names
        return part

    def is_part_of(self, whole: Gram, rows: Indices) -> bool:
        """Return whether this is ``whole.part(rows)``, or ``whole`` itself with all rows in order."""
        if self is whole:
            return rows.size == len(whole) and bool((rows == np.arange(rows.size)).all())
        return self._source is not None and self._source.whole is whole and np.array_equal(self._source.rows, rows)

    def expansion_coefficients(self, beta: ArrayLike) -> Vector:
        """Return the c of the function sum_j c_j k(x_j, .), with the kernel as it is, that stands for ``beta``.

        beta itself, unless the matrix was clipped: then c = V+ V+' beta, with the eigenvectors V+ of the eigenvalues
        that were kept, so that the function takes the values of the corrected matrix times beta at the samples.

        Where the matrix was shifted, the function takes the values K beta of the kernel matrix as it was; those of the
        corrected matrix are larger by ``correction.shift * beta``, at the samples only. This is how a ridge works.
        """
        coefficients = finite_view(beta, "beta", len(self)).copy()
        kept = self._form().kept if self._may_be_corrected else None
        return coefficients if kept is None else np.asarray(kept @ (kept.T @ coefficients))

    def require_psd(self) -> None:
        """Settle that K is symmetric and positive semidefinite; it is done once, and every certificate asks for it.

        Of a kernel that is so by construction, the matrix of a few samples is checked, in case it only says so.
        Otherwise a Cholesky decomposition of K + shift I decides, with shift = 1e-10 max K_ii, and eigenvalues are
        computed only when it fails. Of a K above the memory limit, Lanczos' method looks for a negative eigenvalue: it
        proves one, but not that there is none. A matrix that is to be corrected is so now.

        Raises
        ------
        NotSymmetricError
            With two values that differ.
        IndefiniteKernelError
            With the smallest eigenvalue, where ``indefinite`` is "refuse".
        """
        self._indefiniteness()

    def _indefiniteness(self) -> float:
        """Return how far below 0 an eigenvalue of K may be; 0 where that is rounding."""
        if self._settled is None and self._source is not None and not self._may_be_corrected:
            self._settled = self._source.settled
        if self._settled is None:
            within = 8 * len(self) ** 2 <= self.memory_limit
            if self._by_construction or not within:
                check_few(self.kernel, self.X)
            if not self.trusted:
                check_whole(self.kernel, self.diagonal, self.dense if within else None, self.product)
            self._settled = 0.0 if self.trusted else psd_threshold(self.diagonal)
        return self._settled
