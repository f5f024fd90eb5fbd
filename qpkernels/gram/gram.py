# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to data: the matrix K_ij = k(x_i, x_j), whole or in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dsymv
from scipy.sparse import csr_array

from qpkernels.arrays import (
    ChecksKeywords,
    FeatureNames,
    Indices,
    Matrix,
    Vector,
    check_choice,
    check_nonnegative,
    feature_names,
    frozen,
    is_sparse,
    row_blocks,
    shown,
)
from qpkernels.arrays.checks import add_samples, finite_rows, finite_view, same_entries
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.display import Card, Carded, Fact, count
from qpkernels.display.problem import TextbookLine
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram.definiteness import (
    PSD_TOLERANCE,
    Correction,
    Formed,
    check_diagonal,
    check_few,
    check_whole,
    corrected,
    indefinite,
    is_psd,
    kernel_matrix,
    psd_threshold,
)
from qpkernels.gram.features import (
    Features,
    FeaturesInMemory,
    PivotedCholesky,
    SparseFeatures,
    pivoted_cholesky,
)
from qpkernels.gram.functions import Expansion, Expansions
from qpkernels.gram.panels.sums import (
    Suffices,
    add_kernel_sums,
    add_sums_where,
    add_symmetric_products,
    add_symmetric_sums,
    taken_among,
)
from qpkernels.kernels.functionals import FunctionalKernel
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.products import ProductForm
from qpkernels.kernels.spec import kernel_to_spec

__all__ = ["BoundedProduct", "Gram", "Selection"]

_OF_SAMPLES = (
    *("kernel", "memory_limit", "indefinite", "feature_names", "_by_construction", "_may_be_corrected", "_settled"),
    *("kernel_diagonal", "diagonal", "lengths", "correction", "factored", "explicit"),
)
"""The attributes of a matrix that are no larger than the samples."""


class Gram(Carded, metaclass=ChecksKeywords):
    """The m x m kernel matrix K of m samples, computed once and when asked for.

    Parameters
    ----------
    kernel
        The kernel k.
    X
        The samples in a form that ``kernel`` takes; sparse samples stay sparse. The column names of a data frame are
        kept as ``feature_names``.
    memory_limit
        The largest size of the whole matrix in float64, in bytes.
    indefinite
        The treatment of a matrix with a negative eigenvalue. With "refuse", :meth:`require_psd` raises. With "clip",
        negative eigenvalues are set to 0. With "shift", the smallest one is subtracted from the diagonal, which amounts
        to a ridge. All members then refer to the corrected matrix, and :attr:`correction` says what was done. A
        correction takes an eigenvalue decomposition and needs memory for three matrices while it is computed.

    Raises
    ------
    ShapeError, NonFiniteError
        If ``X`` does not fit the kernel, or if the kernel overflows or underflows on it.
    ParameterError
        If ``kernel`` is not a kernel, or if ``indefinite`` is not one of these words.

    Notes
    -----
    Arguments of the methods:

    v, beta, coefficients
        One number for each sample, shape (m,), of any sign.
    V
        A matrix with vectors v in its columns, shape (m, k).
    product
        Kv, shape (m,).
    suffices
        A function of numbers of samples, the values of Kv there and bounds on their errors: it says which suffice.
    B, intercept, intercepts, classes
        The coefficients of n functions over some samples, shape (number of samples, n); b; the b_k, shape (n,); and the
        labels of negative and positive values, or None where values are targets.
    other
        Another matrix.
    digest
        An object with a method ``update`` that takes bytes.
    function
        A function that is called with samples, or one that a kernel machine found.
    coordinates
        Coordinates for the r columns of :attr:`factor`, shape (r,), or (r, n) for n functions.
    whole
        The kernel matrix of all samples, of which this one may be a part.
    rows, columns
        Numbers of samples, counted from 0: an array of n >= 1 integers in any order, shape (n,). A slice is also
        accepted where entries are asked for.
    c
        One number for each of the ``rows``.
    compressed
        Whether there is memory for the nonzeros of dense samples in addition to the samples.

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
        check_diagonal(kernel, self.X, self.kernel_diagonal)

    @classmethod
    def weighted_sum(cls, grams: Sequence[Gram], weights: Vector) -> Gram:
        """Return sum_j w_j K_j for matrices K_j of the same samples.

        Parameters
        ----------
        grams
            The matrices K_j, none of which may be corrected.
        weights
            The weights w_j, each at least 0 and not all of them 0.

        Raises
        ------
        ParameterError
            If a matrix is corrected or is of other samples, or if the weights are not such numbers.
        """
        first = grams[0]
        if not all(_are_equal(gram.X, first.X) and gram.correction is None for gram in grams):
            raise ParameterError("only uncorrected kernel matrices of the same samples can be added.")
        if not ((weights >= 0).all() and weights.any()):
            raise ParameterError(
                f"weights of kernel matrices must be at least 0, and one above, but {shown(weights)} came."
            )
        used = [(gram, float(w)) for gram, w in zip(grams, weights, strict=True) if w]
        made, kernels = cls.__new__(cls), [gram.kernel if w == 1.0 else gram.kernel * w for gram, w in used]
        made._begin(reduce(add, kernels), first.memory_limit, "refuse")
        made.X, made.feature_names = first.X, first.feature_names
        if all(gram._settled is not None for gram, _ in used):
            # No eigenvalue of a sum is below the sum of the least ones.
            made._settled = sum(w * (gram._settled or 0.0) for gram, w in used)
        return made

    @property
    def selection(self) -> Selection | None:
        """The larger matrix and its rows that form this one, or None if it is not a part of another matrix."""
        return self._source

    def _begin(self, kernel: Kernel, memory_limit: float, indefinite: Any, source: Selection | None = None) -> None:
        self.kernel, self.memory_limit, self.indefinite = kernel, memory_limit, indefinite
        self._by_construction, self._source = kernel.positive_semidefinite, source
        self._may_be_corrected = indefinite != "refuse" and not self._by_construction
        self._formed: Formed | None = None
        self._settled: float | None = None

    @cached_property
    def X(self) -> Samples:
        """The samples, read-only; a part takes them from the whole matrix when they are asked for."""
        assert self._source is not None
        return self._source.samples

    def __len__(self) -> int:
        """Return the number m of samples."""
        return int(self.X.shape[0]) if self._source is None else self._source.rows.size

    @cached_property
    def kernel_diagonal(self) -> Vector:
        """The m values k(x_i, x_i), whether the matrix is corrected or not."""
        if self._source is not None:
            return frozen(self._source.whole.kernel_diagonal[self._source.rows])
        with np.errstate(over="ignore", invalid="ignore"):
            return frozen(self.kernel.diagonal(self.X))

    def _form(self) -> Formed:
        """Return the matrix, formed on first use, and corrected if it is indefinite and a correction was asked for."""
        if self._formed is None and self._source is not None and self._source.is_formed:
            self._formed = self._source.form()
        if self._formed is None:
            K = kernel_matrix(self.kernel, self.X, self.memory_limit)
            if self.indefinite == "refuse" or not self._may_be_corrected or is_psd(K, self.kernel_diagonal):
                self._formed = Formed(frozen(K))
            else:
                self._formed = corrected(K, self.kernel_diagonal, self.indefinite)
        return self._formed

    @cached_property
    def correction(self) -> Correction | None:
        """The correction of an indefinite matrix, or None if the matrix is as the kernel gives it.

        Reading this attribute decides whether the matrix is indefinite. That takes the whole matrix, unless the kernel
        is positive semidefinite by construction or ``indefinite`` is "refuse".
        """
        return self._form().correction if self._may_be_corrected else None

    @property
    def trusted(self) -> bool:
        """Whether K is positive semidefinite up to rounding, by the construction of its kernel or by correction.

        Otherwise it has at best been checked to within 1e-10 of max K_ii.
        """
        return self._by_construction or self.correction is not None

    @cached_property
    def diagonal(self) -> Vector:
        """The m values K_ii."""
        return self.kernel_diagonal if self.correction is None else frozen(self.dense.diagonal())

    @property
    def is_formed(self) -> bool:
        """Whether the whole matrix is in memory, or is a part of one that is."""
        return self._formed is not None or (self._source is not None and self._source.is_formed)

    @property
    def dense(self) -> Matrix:
        """The whole matrix, read-only.

        Raises
        ------
        GramTooLargeError
            If it would exceed ``memory_limit``.
        """
        return self._form().matrix if self._formed is None else self._formed.matrix

    def product(self, coefficients: ArrayLike) -> Vector:
        """Return K v for v of shape (m,) from the columns where v is not 0; the matrix need not fit in memory.

        The product is not kept; a caller that needs it twice passes it on.
        """
        m = len(self)
        with blas_threads_for(m):
            return self._product(finite_view(coefficients, "coefficients", m))

    def bounded_product(self, v: Vector, suffices: Suffices) -> BoundedProduct:
        """Return K v with bounds on its error, computed in float32 where that ``suffices`` and saves time.

        Where v is not 0 the values are computed in float64, and so is v'Kv.
        """
        summed = self.is_formed or self.factored is not None or self.mixture is not None
        if v.any() and self.correction is None and not summed:
            with blas_threads_for(len(self)):
                return streamed_product(self.kernel, self.X, finite_view(v, "coefficients", len(self)), suffices)
        return BoundedProduct(v, self.product(v), np.zeros(v.size))

    def products(self, V: Matrix) -> Matrix:
        """Return K V for V of shape (m, k); if the matrix is not in memory, each entry is computed once."""
        summed = self.correction is None and self.factored is not None
        if summed or (V.shape[1] == 1 and not self.is_formed):
            return np.column_stack([self.product(v) for v in V.T])
        with blas_threads_for(len(self)):
            if self.is_formed or self.correction is not None:
                # Half of a symmetric matrix is half of what is read from memory.
                return dsymv(1.0, self.dense.T, V[:, 0])[:, None] if V.shape[1] == 1 else np.asarray(self.dense @ V)
            values = np.zeros_like(V)
            taken = taken_among(self.kernel, self.X, np.arange(len(self)))
            if taken is None:
                for rows in row_blocks(len(self), len(self)):
                    values[rows] = self.kernel.matrix(self.X[rows], self.X) @ V
            else:
                add_symmetric_products(taken, V, values)
            return values

    def _product(self, v: Vector) -> Vector:
        if not v.any():
            return np.zeros(len(self))
        if self.correction is None and self.factored is not None:
            return self.factored.product(v)
        if self.is_formed or self.correction is not None:
            return matrix_product(self.dense, v)
        if self.mixture is not None:
            M, G = self.mixture
            return np.asarray(M @ (G @ (v @ M)))
        return streamed_product(self.kernel, self.X, v).values

    # The kernel as it is, whether the matrix is corrected or not: what there is beside whole products

    @property
    def by_construction(self) -> bool:
        """Whether K is positive semidefinite by the construction of its kernel, so that a check only finds rounding."""
        return self._by_construction

    def entries(self, rows: Indices | slice, columns: Indices | slice | None = None) -> Matrix:
        """Return the entries in these ``rows`` and ``columns``, newly computed; by default among the rows."""
        left = self.X[rows]
        return self.kernel.matrix(left, left if columns is None else self.X[columns])

    def sums_at(self, columns: Indices | slice, rows: Indices, c: Vector) -> Vector:
        """Return sum_i c_i K_ij over these ``rows`` i, at the ``columns`` j, in float64; no entry is kept."""
        X = self.X[columns]
        sums = np.zeros(X.shape[0])
        add_kernel_sums(self.kernel, self.X[rows], c, X, sums)
        return sums

    @property
    def product_form(self) -> ProductForm | None:
        """How entries are computed from inner products, or None if each entry is computed by itself."""
        return self.kernel.product_form(self.X)

    def panels(self, *, compressed: bool = True) -> tuple[ProductForm | None, Samples]:
        """Return the product form, and the samples to compute panels from, ``compressed`` where that is faster."""
        if not compressed:
            return self.product_form, self.X
        # It loads the compiler, which not everyone needs.
        from qpkernels.gram.panels.samples import form_and_samples

        return form_and_samples(self.kernel, self.X)

    @property
    def dense_features(self) -> Features | None:
        """Explicit features Phi with K = Phi Phi', even if they outnumber the samples, or None if K has none."""
        if self.correction is not None:
            return None
        features = self.kernel.features(self.X) if self.explicit is None else None
        return self.explicit if features is None else FeaturesInMemory(features)

    @property
    def terms(self) -> int:
        """The largest number of terms in the sums that Kv is made of."""
        return int(max((len(self), *self.X.shape[1:])))

    # Coordinates in the space of the kernel

    @property
    def features(self) -> Matrix | None:
        """Explicit features Phi with K = Phi Phi', if the kernel has them and they are fewer than the samples."""
        return None if self.explicit is None else self.explicit.matrix

    @cached_property
    def explicit(self) -> Features | None:
        """The same features with sums over them, wherever they are held."""
        return self.factored if isinstance(self.factored, Features) else None

    @cached_property
    def sparse_features(self) -> Any:
        """The features as a csr_array, however many there are, if the kernel and the samples have sparse features."""
        return self.kernel.sparse_features(self.X) if self._source is None else self._source.sparse_features

    @cached_property
    def factored(self) -> Features | SparseFeatures | None:
        """The features by which K multiplies a vector: dense if they are few, or sparse."""
        if self._source is not None:
            return self._source.features
        dense = self.kernel.features(self.X)
        if dense is not None and dense.shape[1] < dense.shape[0]:
            return FeaturesInMemory(dense)
        return None if self.sparse_features is None else SparseFeatures(self.sparse_features)

    @cached_property
    def mixture(self) -> tuple[csr_array, Matrix] | None:
        """A sparse M and a dense G with K = M G M', if K has this form and G is smaller than K."""
        found = self.kernel.mixture(self.X) if isinstance(self.kernel, FunctionalKernel) else None
        return found if found is not None and found[1].shape[0] < len(self) else None

    @property
    def factor(self) -> Matrix:
        """A matrix Phi of shape (m, r) with K = Phi Phi': the samples in r coordinates of the space of the kernel.

        It holds the features of the kernel if they are few, and otherwise the factor of a Cholesky decomposition with
        complete pivoting. In that case r is the numerical rank, and the factor reproduces K to about 1e-13 of max K_ii.
        """
        return self._cholesky.factor if self.explicit is None else self.explicit.matrix

    def coefficients(self, coordinates: Vector | Matrix) -> Vector | Matrix:
        """Return a beta with Phi'beta = ``coordinates``, finite and one per column of :attr:`factor`; or several."""
        coordinates = finite_rows(coordinates, "coordinates", self.factor.shape[1])
        if self.features is not None:
            with blas_threads_for(self.features.shape[1]):
                return np.asarray(np.linalg.lstsq(self.features.T, coordinates)[0])
        return self._cholesky.coefficients(coordinates)

    def coordinates(self, points: Samples) -> Matrix:
        """Return the matrix, shape (n, r), that maps the coordinates of a function to its values at other points.

        Parameters
        ----------
        points
            As the kernel returns them from ``samples``.
        """
        if self.features is not None:
            with blas_threads_for(self.features.shape[1]):
                return np.asarray(np.linalg.lstsq(self.features, self.kernel.matrix(self.X, points))[0].T)
        return self._cholesky.rows_of(self.kernel.matrix(self.X[self._cholesky.pivots], points))

    @cached_property
    def _cholesky(self) -> PivotedCholesky:
        return pivoted_cholesky(self.dense, self.diagonal)

    @property
    def linear(self) -> Samples | None:
        """The samples X if K = XX', so that f has a weight for each feature of the samples; otherwise None."""
        return self.X if isinstance(self.kernel, Linear) else None

    # Functions in the space of the kernel

    def contains(self, function: Expansion) -> bool:
        """Return whether a ``function`` belongs to the space."""
        return function.kernel == self.kernel

    def require_function(self, function: Expansion) -> None:
        """Refuse a ``function`` that does not belong to the space or has other features.

        Raises
        ------
        ParameterError, ShapeError
            If it is refused; the message states both kernels or both shapes.
        """
        if not self.contains(function):
            raise ParameterError(
                f"the function must be in the space of the kernel {self.space}, but it is in that of "
                f"{function.kernel!r}; fit it with the same kernel."
            )
        if function.centers.shape[1:] != self.X.shape[1:]:
            raise ShapeError(
                f"the function is of samples of shape {function.centers.shape[1:]}, and those of the model have "
                f"{self.X.shape[1:]}."
            )

    def is_over(self, function: Expansion) -> bool:
        """Return whether a ``function`` of the space is a sum over all samples, in their order; a sparse one is not."""
        dense = not is_sparse(self.X) and not is_sparse(function.centers)
        return dense and same_entries(function.centers, self.X)

    def expansion(
        self,
        beta: Vector,
        intercept: float = 0.0,
        classes: NDArray[Any] | None = None,
        rows: Indices | slice | None = None,
    ) -> Expansion:
        """Return f + b with f = sum_j beta_j k(x_j, .) over the samples with a coefficient, or over fewer points.

        For a clipped matrix the sum is over all samples, since even a sample without a multiplier has a coefficient.
        With ``rows`` it is over all of these, and beta holds one coefficient for each, with the uncorrected kernel.

        Raises
        ------
        ShapeError, NonFiniteError
            If beta does not fit the ``rows`` that are given.
        """
        if rows is not None:
            return Expansion(self.kernel, self.X[rows], beta, intercept, classes, self.feature_names)
        has_points = type(self.kernel).condensed is not Kernel.condensed
        explicit = self.explicit if has_points and self.correction is None else None
        if explicit is not None:
            few = self.kernel.condensed(explicit.weights(beta))
            if few is not None:
                return Expansion.over(self.kernel, *few, intercept, classes, self.feature_names)
        coefficients = beta if self.correction is None else self.expansion_coefficients(beta)
        used = np.flatnonzero(coefficients) if coefficients.any() else np.arange(1)
        return Expansion.over(self.kernel, self.X[used], coefficients[used], intercept, classes, self.feature_names)

    def expansions(self, B: Matrix | csr_array, intercepts: Vector, rows: Indices) -> Expansions:
        """Return the functions f_k + b_k with coefficients of these ``rows``, one function a column of B.

        They are sums over fewer points where the kernel has such points.
        """
        return Expansions(self.kernel, self.X[rows], B, intercepts, self.feature_names).condensed()

    def values(self, function: Callable[[Samples], ArrayLike], rows: Indices | slice | None = None) -> NDArray[Any]:
        """Return the values of a ``function`` of samples at these ``rows``, or at all samples."""
        return np.asarray(function(self.X if rows is None else self.X[rows]))

    # What is settled

    def indefiniteness(self, coefficients: Vector) -> float:
        """Return how far 1/2 v'Kv may be from its value for a positive semidefinite matrix: 0 where K is trusted.

        Raises
        ------
        NotSymmetricError, IndefiniteKernelError
            If K is not such a matrix; see :meth:`require_psd`.
        """
        below = self._indefiniteness() if self._settled is None else self._settled
        return 0.5 * below * float(coefficients @ coefficients) if below else 0.0

    @cached_property
    def lengths(self) -> Vector:
        """The m values sqrt(K_ii), the distances of the samples from the origin of the space, or bounds on them."""
        if isinstance(self.kernel, FunctionalKernel) and self.correction is None:
            return frozen(self.kernel.lengths(self.X))
        return frozen(np.sqrt(np.maximum(self.diagonal, 0.0)))

    @cached_property
    def radii(self) -> Vector:
        """The distances of the samples from their mean, in the space of the kernel, shape (m,)."""
        if self.correction is None and self.factored is not None:
            return frozen(self.factored.radii())
        means = self.product(np.full(len(self), 1.0 / len(self)))
        return frozen(np.sqrt(np.maximum(self.diagonal - 2.0 * means + means.mean(), 0.0)))

    def require_nonnegative(self, v: Vector, product: Vector) -> None:
        """Require that v'Kv, given Kv, is not negative beyond rounding, whatever the kernel claims about itself.

        Raises
        ------
        IndefiniteKernelError
            If it is; the message states v'Kv / v'v, and the smallest eigenvalue of K is at most that.
        """
        squared, size = float(v @ product), float(np.abs(v) @ self.lengths)
        if squared < -PSD_TOLERANCE * (size * size):
            raise indefinite(self.kernel, float(self.diagonal.max()), squared / float(v @ v), "at most ")

    def part(self, rows: Indices) -> Gram:
        """Return the kernel matrix of some of the samples; its entries are taken from this one where they are known.

        Nothing is computed or copied before it is needed, so a part costs little.

        Raises
        ------
        ShapeError
            If ``rows`` are not numbers of samples, or if there are none.
        """
        if not isinstance(rows, np.ndarray) or rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
            raise ShapeError(f"rows must be an array of numbers of samples, but {type(rows).__name__} came.")
        part = Gram.__new__(Gram)
        part._begin(self.kernel, self.memory_limit, self.indefinite, Selection(self, frozen(rows)))
        part.feature_names = self.feature_names
        return part

    def unformed(self) -> Gram:
        """Return the same matrix with no entry computed yet, so that keeping it only keeps the samples."""
        made, known = Gram.__new__(Gram), vars(self)
        vars(made).update({name: known[name] for name in _OF_SAMPLES if name in known}, X=self.X)
        made._formed = made._source = None
        return made

    def is_part_of(self, whole: Gram, rows: Indices) -> bool:
        """Return whether this is ``whole.part(rows)``, or the same part by several steps, or ``whole`` itself."""
        gram, numbers = self, np.arange(len(self))
        while gram is not whole:
            source = gram._source
            if source is None:
                return False
            gram, numbers = source.whole, source.rows[numbers]
        return np.array_equal(numbers, rows)

    def expansion_coefficients(self, beta: ArrayLike) -> Vector:
        """Return the c of the function sum_j c_j k(x_j, .), with the uncorrected kernel, that ``beta`` stands for.

        This is beta itself, unless the matrix was clipped; then c = V+ V+' beta, with the eigenvectors V+ of the
        eigenvalues that were kept, and the values at the samples are the corrected matrix times beta.

        If the matrix was shifted, the function takes the values K beta with the uncorrected kernel matrix. Those of the
        corrected matrix are larger by ``correction.shift * beta``, at the samples only. This is how a ridge works.
        """
        coefficients = finite_view(beta, "beta", len(self)).copy()
        kept = self._form().kept if self._may_be_corrected else None
        return coefficients if kept is None else np.asarray(kept @ (kept.T @ coefficients))

    def require_psd(self) -> None:
        """Require that K is symmetric and positive semidefinite; this is done once, and every certificate asks for it.

        If the kernel is positive semidefinite by construction, only the matrix of a few samples is checked, in case the
        claim is wrong. Otherwise a Cholesky decomposition of K + shift I decides, with shift = 1e-10 max K_ii, and
        eigenvalues are computed only when it fails. For a K above the memory limit, Lanczos' method looks for a
        negative eigenvalue: it can prove that there is one, but not that there is none. Any correction is made now.

        Raises
        ------
        NotSymmetricError
            If K is not symmetric; the message states two values that differ.
        IndefiniteKernelError
            If K is indefinite and ``indefinite`` is "refuse"; the message states the smallest eigenvalue.
        """
        if self._settled is None:
            self._indefiniteness()

    def _indefiniteness(self) -> float:
        """Return how far below 0 an eigenvalue of K may be; 0 where that is rounding."""
        if self._source is not None and not self._may_be_corrected:
            self._settled = self._source.settled
        if self._settled is None:
            within = 8 * len(self) ** 2 <= self.memory_limit
            if self._by_construction or not within:
                check_few(self.kernel, self.X)
            trusted = self.trusted
            if not trusted:
                check_whole(self.kernel, self.diagonal, self.dense if within else None, self.product)
            self._settled = 0.0 if trusted else psd_threshold(self.diagonal)
        return self._settled

    # What tells it from others

    def differences(self, other: Gram) -> Iterator[str]:
        """Yield in words how this matrix and ``other`` differ: in the kernel, the samples, or the correction."""
        if other is self:
            return
        if self.kernel != other.kernel:
            yield f"the kernel ({self.kernel!r} and {other.kernel!r})"
        if not _are_equal(self.X, other.X):
            yield "the samples"
        if self.correction != other.correction:
            kinds = [each.kind if each else "none" for each in (self.correction, other.correction)]
            yield f"the correction of the kernel matrix ({kinds[0]} and {kinds[1]})"

    def add_samples_to(self, digest: Any) -> None:
        """Add the samples to a ``digest`` of hashlib."""
        add_samples(digest, self.X)

    def specification(self) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Return the kernel as a JSON object, and the arrays that it names by position.

        Raises
        ------
        ParameterError
            If the kernel holds something that a file cannot, such as a Python function.
        """
        arrays: list[NDArray[Any]] = []
        return kernel_to_spec(self.kernel, arrays), arrays

    # What is shown

    @property
    def space(self) -> str:
        """The kernel, as Python writes it, in one line."""
        return " ".join(repr(self.kernel).split())

    @property
    def formula(self) -> str:
        """The formula of k(x, z)."""
        return self.kernel.formula()

    @property
    def extent(self) -> str:
        """The number of samples in words, with the number of their features if they are numbers."""
        shape: tuple[int, ...] = getattr(self.X, "shape", ())
        samples = count(len(self), "sample")
        return f"{samples}, {count(shape[1], 'feature')}" if len(shape) == 2 else samples

    def card(self) -> Card:
        """Return the samples, the kernel, and how much of the matrix is in memory."""
        m = len(self)
        size = f"{m} x {m}, {8 * m**2 / 2**20:.3g} MiB in float64"
        facts = [
            Fact("data", self.extent),
            Fact("kernel", self.space),
            Fact("matrix", f"{size}, {'in memory' if self.is_formed else 'not formed yet'}"),
        ]
        if not self.kernel.positive_semidefinite:
            facts.append(Fact("indefinite", self.indefinite))
        formulas = (
            TextbookLine("", "K_(ij) = k(x_i, x_j)"),
            TextbookLine("with", f"k(x, z) = {self.formula}"),
        )
        return Card(type(self).__name__, formulas, tuple(facts))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.extent}, {self.space}>"


@dataclass(frozen=True, eq=False)
class Selection:
    """Rows of a kernel matrix, whose entries are taken from there once they are known.

    Attributes
    ----------
    whole
        The kernel matrix of more samples.
    rows
        The numbers of the selected samples, in order.
    """

    whole: Gram
    rows: Indices

    @property
    def samples(self) -> Samples:
        """A copy of the samples, read-only."""
        return frozen(self.whole.X[self.rows])

    @property
    def features(self) -> Features | SparseFeatures | None:
        """The explicit features: dense if the whole has dense ones and they are fewer than these samples, or sparse."""
        explicit = self.whole.explicit
        if explicit is not None and explicit.shape[1] < self.rows.size:
            return FeaturesInMemory(explicit.rows(self.rows))
        return None if self.sparse_features is None else SparseFeatures(self.sparse_features)

    @cached_property
    def sparse_features(self) -> Any:
        """Their sparse features, where the whole has such."""
        sparse = self.whole.sparse_features
        return None if sparse is None else sparse[self.rows]

    @property
    def settled(self) -> float | None:
        """How far below 0 an eigenvalue of the whole may be, if that is known of it or of the matrix it is part of.

        No eigenvalue of a part is below the smallest eigenvalue of the whole.
        """
        above = self.whole._source
        return above.settled if self.whole._settled is None and above is not None else self.whole._settled

    @property
    def is_formed(self) -> bool:
        """Whether the entries are known, and those of the kernel: each matrix is corrected by itself."""
        return self.whole.is_formed and self.whole.correction is None

    def form(self) -> Formed:
        """Return a copy of the entries."""
        # By their places in memory: five times as fast as by rows and columns.
        n = len(self.whole)
        rows = np.arange(n)[self.rows]
        return Formed(frozen(self.whole.dense.take(n * rows[:, None] + rows)))


@dataclass(frozen=True, eq=False)
class BoundedProduct:
    """The computed K v, and bounds on how far it may be from the result in float64.

    Attributes
    ----------
    coefficients
        v, shape (m,).
    values
        K v, shape (m,).
    error
        Bounds on the error of float32 in the values, shape (m,): 0 where they were computed in float64.
    """

    coefficients: Vector
    values: Vector
    error: Vector


def _are_equal(one: Samples, other: Samples) -> bool:
    if one is not other and (is_sparse(one) or is_sparse(other)):
        return is_sparse(one) and is_sparse(other) and one.shape == other.shape and (one != other).nnz == 0
    return one is other or np.array_equal(one, other)


def matrix_product(K: Matrix, v: Vector) -> Vector:
    """Return K v, from the rows of the symmetric K where v is not zero, if these are few."""
    (used,) = np.nonzero(v)
    return np.asarray(v[used] @ K[used] if 4 * used.size < v.size else K @ v)


def streamed_product(kernel: Kernel, X: Samples, v: Vector, suffices: Suffices | None = None) -> BoundedProduct:
    """Return K v without K in memory: in float64, or in float32 where v is 0 and that ``suffices``."""
    used, rest = np.flatnonzero(v), np.flatnonzero(v == 0)
    values, error, c = np.zeros(v.size), np.zeros(v.size), v[used]
    taken = taken_among(kernel, X, used)
    if taken is None:
        add_kernel_sums(kernel, X[used], c, X, values)
        return BoundedProduct(v, values, error)
    sums = np.zeros(used.size)
    add_symmetric_sums(taken, c, sums)
    values[used] = sums
    add_sums_where(taken, c, rest, suffices, values, error)
    return BoundedProduct(v, values, error)
