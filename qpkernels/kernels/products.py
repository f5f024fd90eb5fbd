# SPDX-License-Identifier: BSD-3-Clause
"""Inner products x'z, squared lengths and distances ||x - z|| of samples, dense or sparse, in float64 and in fractions.

The results are dense. At most 64 MiB of sparse samples are made dense at a time. Distances come from the product form

    ||x - z||^2 = ||x||^2 + ||z||^2 - 2 x'z,

whose rounding error is about eps (||x||^2 + ||z||^2), however small the result is. Dense samples are shifted to their
mean first; this would fill sparse ones in. For both, distances that lost too many digits are recomputed from the
differences.

Fractions serve the one question that rounding must not decide: whether samples are linearly dependent. Every float is a
fraction over a power of 2, and so are sums and products of floats. The arrays hold Python's integers and fractions, so
they are only made for a few samples.

For the exponent or base of a kernel that is a function of inner products

    x_cj = a_c'a_j - o_c - o_j,       k_cj = 2^x_cj  (degree 0)   or   x_cj^degree,

the Gaussian kernel has a_i = sqrt(2 gamma log2 e) (x_i - mean) and o_i = |a_i|^2 / 2, the polynomial one
a_i = sqrt(gamma) x_i and o_i = -coef0 / 2. Sparse samples keep their zeros: their origin is 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import e, log2
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Samples, Vector, is_sparse, row_blocks

__all__ = [
    "ProductForm",
    "Rational",
    "are_equal",
    "are_zero",
    "as_rational",
    "distances",
    "inner_products",
    "rational_products",
    "scaled",
    "squared_distances",
    "squared_lengths",
]

Roots: TypeAlias = Vector | np.float64
"""Square roots of weights: one for all features, or one each."""

_EPS = float(np.finfo(float).eps)

_ERROR = 1e-11
"""Largest error of a squared distance that is left to rounding."""

_VANISHING = 1e3
"""exp of minus this is 0 in float64, whatever the rounding of the exponent."""

_SPARSE, _FILLED = 0.02, 0.5
"""Share of stored entries from which on a product with one side made dense, by blocks, is the faster one; and entries
stored on both sides for each of the smaller one, which is then made dense, from which on that is so."""


def inner_products(X: Samples, Z: Samples) -> Matrix:
    """Return x_i'z_j, shape (m, n)."""
    if not is_sparse(X) and not is_sparse(Z):
        return np.asarray(X @ Z.T)
    products = np.empty((X.shape[0], Z.shape[0]))
    few = min(_SPARSE * sum(products.shape), _FILLED * min(products.shape)) * X.shape[1]
    if is_sparse(X) and is_sparse(Z) and X.nnz + Z.nnz < few:
        columns = Z.T.tocsr()
        for rows in row_blocks(*products.shape):
            (_part(X, rows) @ columns).toarray(out=products[rows])
    elif not is_sparse(X) or (is_sparse(Z) and X.shape[0] < Z.shape[0]):
        _multiply(Z, X, products.T)
    else:
        _multiply(X, Z, products)
    return products


def _multiply(left: Any, right: Samples, products: Matrix) -> None:
    """Write the products of sparse samples with others, which are made dense by blocks, as are the products."""
    for rows in row_blocks(right.shape[0], max(right.shape[1], left.shape[0])):
        products[:, rows] = left @ np.ascontiguousarray(_dense(_part(right, rows)).T)


def _part(X: Samples, rows: slice) -> Samples:
    """Return these rows; all of them as they are, since to take some of a sparse matrix takes its time."""
    return X if rows == slice(0, X.shape[0]) else X[rows]


def squared_lengths(X: Samples) -> Vector:
    """Return ||x_i||^2, shape (m,)."""
    if not is_sparse(X):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray(csr_array((X.data**2, X.indices, X.indptr), shape=X.shape) @ np.ones(X.shape[1]))


def are_zero(X: Samples) -> NDArray[np.bool_]:
    """Return where all features are 0, shape (m,)."""
    if not is_sparse(X):
        return np.asarray(~X.any(axis=1))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.equal(np.bincount(rows, weights=X.data != 0, minlength=X.shape[0]), 0.0)


def squared_distances(X: Samples, Z: Samples, roots: Roots) -> Matrix:
    """Return s_ij = sum_k (r_k x_ik - r_k z_jk)^2, shape (m, n), for the roots r of the weights of the features.

    They are exact to 1e-11, or to a rounding error of s where that is above 1e3; the diagonal is 0 where ``X is Z``.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        # The product form loses the digits that the samples share, so what they share goes first where that keeps
        # zeros: distances do not depend on the origin.
        origin = None if is_sparse(X) or is_sparse(Z) else Z.mean(axis=0)
        left = scaled(X, roots, origin)
        squares, lengths = _product_form(left, left if X is Z else scaled(Z, roots, origin))
        rounding = 4 * _EPS * (lengths[0].max() + lengths[1].max())
        if not rounding <= _ERROR:
            _mend(squares, *lengths, X, Z, roots, relative=False)
    return _without_rounding(squares, X is Z)


def distances(X: Samples, Z: Samples) -> Matrix:
    """Return ||x_i - z_j||, shape (m, n), to a relative error of 1e-11; 0 where the samples are equal."""
    if not is_sparse(X) and not is_sparse(Z):
        return scipy.spatial.distance.cdist(X, Z)
    with np.errstate(over="ignore", invalid="ignore"):
        squares, lengths = _product_form(X, Z)
        _mend(squares, *lengths, X, Z, np.float64(1.0), relative=True)
    return np.sqrt(_without_rounding(squares, X is Z))


def scaled(X: Samples, roots: Roots, origin: Vector | None = None) -> Samples:
    """Return the samples, less ``origin`` where one is given, with each feature times its root; sparse ones stay so."""
    if not is_sparse(X):
        return (X if origin is None else X - origin) * roots
    weights = np.broadcast_to(roots, X.shape[1])
    return csr_array((X.data * weights[X.indices], X.indices, X.indptr), shape=X.shape)


def _product_form(left: Samples, right: Samples) -> tuple[Matrix, tuple[Matrix, Matrix]]:
    """Return the squared distances by the product form, and both squared lengths, as a column and as a row."""
    lengths = squared_lengths(left)[:, None], squared_lengths(right)[None, :]
    squares = inner_products(left, right)
    squares *= -2.0
    squares += lengths[0]
    squares += lengths[1]
    return squares, lengths


def _mend(
    squares: Matrix, lengths: Matrix, other_lengths: Matrix, X: Samples, Z: Samples, roots: Roots, *, relative: bool
) -> None:
    """Compute those squared distances from differences where the product form (of these lengths) lost its digits."""
    width = _widest(X) + _widest(Z) if is_sparse(X) and is_sparse(Z) else X.shape[1]
    for rows in row_blocks(*squares.shape):
        rounding = 4 * _EPS * (lengths[rows] + other_lengths)
        if relative:
            lost = ~(rounding <= _ERROR * squares[rows])
        else:
            lost = ~(rounding <= _ERROR) & ~(squares[rows] - rounding > _VANISHING)
        i, j = np.nonzero(lost)
        i += rows.start
        for part in row_blocks(i.size, width):
            # Weighted after it is taken: the weights would round what the samples share.
            squares[i[part], j[part]] = squared_lengths(scaled(_differences(X, Z, i[part], j[part]), roots))


def _differences(X: Samples, Z: Samples, i: Indices, j: Indices) -> Samples:
    """Return x_i - z_j of these pairs, sparse where both are."""
    left, right = X[i], Z[j]
    if is_sparse(left) == is_sparse(right):
        return left - right
    return (left.toarray() if is_sparse(left) else left) - (right.toarray() if is_sparse(right) else right)


def _widest(X: Any) -> int:
    return int(np.diff(X.indptr).max())


def _without_rounding(squares: Matrix, same: bool) -> Matrix:
    if same:
        np.fill_diagonal(squares, 0.0)
    # Rounding may leave a distance of -1e-16 between equal samples.
    return np.maximum(squares, 0.0, out=squares)


class ProductForm(NamedTuple):
    """How a kernel's features and offsets come from samples x: a = scale (x - origin), o = |a|^2 / 2 or a constant.

    Attributes
    ----------
    origin, scale
        One number per feature. The origin is free for an exponential; the closer it is to the samples, the less cancels
        in the exponent.
    offset
        The constant, where the degree is not 0.
    degree
        0 for an exponential.

    Notes
    -----
    Arguments of the methods:

    X
        The samples, dense or sparse, shape (m, d).
    gamma
        Above 0; for an exponential it may also be one number per feature.
    coef0, degree
        A number of at least 0, and an integer of at least 1.
    """

    origin: Vector
    scale: Vector
    offset: float
    degree: int

    @classmethod
    def exponential(cls, gamma: float | tuple[float, ...], X: Samples) -> ProductForm:
        """Return the form of exp(-sum_k gamma_k (x_k - z_k)^2) around the mean of ``X``, or 0 if it is sparse."""
        with np.errstate(over="ignore"):
            # Infinite where the sum is: the form then has an infinite error, and nobody takes it.
            origin = np.zeros(X.shape[1]) if is_sparse(X) else X.mean(axis=0)
        scale = np.sqrt(2.0 * log2(e) * np.asarray(gamma))
        return cls(origin, scale if scale.ndim else np.full(X.shape[1], scale), 0.0, 0)

    @classmethod
    def polynomial(cls, gamma: float, coef0: float, degree: int, X: Samples) -> ProductForm:
        """Return the form of (gamma x'z + coef0)^degree."""
        features = X.shape[1]
        return cls(np.zeros(features), np.full(features, np.sqrt(gamma)), -0.5 * coef0, degree)

    def features(self, X: Samples) -> tuple[Samples, Vector]:
        """Return a and o of samples; the origin of sparse ones is 0."""
        features = scaled(X, self.scale, None if is_sparse(X) else self.origin)
        return features, np.full(X.shape[0], self.offset) if self.degree else 0.5 * squared_lengths(features)

    def values(self, left: tuple[Samples, Vector], right: tuple[Samples, Vector]) -> Matrix:
        """Return the kernel values of samples with others.

        Parameters
        ----------
        left, right
            The features of the samples, one a row, and their offsets.
        """
        values = inner_products(left[0], right[0])
        values -= left[1][:, None]
        values -= right[1]
        if self.degree:
            return np.asarray(values**self.degree)
        # Rounding may leave an exponent of 1e-16 between equal samples.
        np.minimum(values, 0.0, out=values)
        return np.asarray(np.exp2(values, out=values))

    def error(self, X: Samples) -> float:
        """Return a bound on the rounding error of an exponent in float64, from what cancels in it: |a|^2 eps."""
        if self.degree > 0:
            return 0.0
        with np.errstate(over="ignore"):
            if is_sparse(X):
                largest = float(squared_lengths(X).max()) * float((self.scale**2).max())
            else:
                reach = np.maximum(np.abs(X.max(axis=0) - self.origin), np.abs(X.min(axis=0) - self.origin))
                largest = float(((self.scale * reach) ** 2).sum())
        return largest * float(np.finfo(np.float64).eps)


Rational: TypeAlias = NDArray[np.object_]
"""A matrix of integers or fractions."""


def as_rational(values: Any) -> Rational:
    """Return floats as fractions."""
    return np.asarray(np.frompyfunc(Fraction, 1, 1)(values), dtype=object)


def are_equal(X: Samples, Z: Samples) -> Rational:
    """Return 1 where samples are equal, and 0 where they are not, shape (m, n)."""
    left, right = (_dense(samples).tolist() for samples in (X, Z))
    return np.array([[int(x == z) for z in right] for x in left], dtype=object)


def rational_products(X: Samples, Z: Samples) -> Rational:
    """Return x_i'z_j, shape (m, n), without rounding."""
    (left, unit), (right, other) = _integers(X), _integers(Z)
    return np.asarray(np.dot(left, right.T) * Fraction(1, unit * other), dtype=object)


def _integers(X: Samples) -> tuple[Rational, int]:
    """Return integers, and the power of 2 that the samples are times."""
    ratios = [[value.as_integer_ratio() for value in row] for row in _dense(X).tolist()]
    unit = max((below for row in ratios for _, below in row), default=1)
    scaled = [[above * (unit // below) for above, below in row] for row in ratios]
    return np.array(scaled, dtype=object).reshape(X.shape), unit


def _dense(X: Samples) -> Any:
    return X.toarray() if is_sparse(X) else X
