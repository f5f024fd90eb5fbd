# SPDX-License-Identifier: BSD-3-Clause
r"""Inner products x'z and squared distances ||x - z||^2 with proved errors, as fast as matrix products are.

A feature is split into x = h + l, where h has the leading bits, so few that a matrix product of such numbers is exact:
multiples of a power q of 2, they have sums below 2^53 q^2, whatever the order of summation. What is left,

    x'z = h_x'h_z + (h_x'l_z + l_x'z)       ||x - z||^2 = ||h_x - h_z||^2 + 2 (h_x - h_z)'(l_x - l_z) + ||l_x - l_z||^2,

is smaller by those bits (20 for 1000 features), and so is the error gamma_n of its sums. The first term of a distance
being exact, near samples cancel without a loss.

Sparse samples are not split. Their products have the error gamma_n ||x|| ||z||, for n stored entries at most, and their
distances gamma_n (||x|| + ||z||)^2.

Source: Ozaki, Ogita, Oishi and Rump, Error-free transformations of matrix multiplication (Numerical Algorithms, 2012).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Samples, Vector, is_sparse, row_blocks
from qpkernels.intervals import UNDERFLOW, UNIT, gamma, two_product
from qpkernels.kernels.base.enclosed import EnclosedMatrix, EnclosedRows
from qpkernels.kernels.base.products import inner_products, scaled, squared_lengths

__all__ = ["Split", "enclosed_distances", "enclosed_inner_products", "enclosed_negative_squares", "split"]

_LOST = 2.0**-43
"""Error of a squared distance from which on it is computed anew, from the differences."""

_VANISHING = 1e3
"""exp of minus this is 0 in float64."""

_LARGEST = 2.0**400
"""Beyond numbers of this size, or below its inverse, squares may leave float64."""


class Split(NamedTuple):
    """x = high + low, exactly: high has so many bits, and |low| is at most ``rest``."""

    high: Matrix
    low: Matrix
    rest: float


def split(values: Matrix, bits: int, largest: float | None = None) -> Split:
    """Return the numbers in two parts, the high one in multiples of 2^-bits of a power of 2 above the largest."""
    size = float(np.abs(values).max(initial=0.0)) if largest is None else largest
    if size == 0.0:
        return Split(values, np.zeros_like(values), 0.0)
    # Its last place is the multiple. Added to this and taken away again, a number keeps what is a multiple.
    shift = 1.5 * 2.0 ** (52 + int(np.frexp(size)[1]) - bits)
    high = values + shift
    high -= shift
    low = values - high
    return Split(high, low, shift * 2.0**-53 if low.any() else 0.0)


def enclosed_inner_products(X: Samples, Z: Samples) -> EnclosedRows:
    """Return the maker of rows of x_i'z_j."""
    if is_sparse(X) or is_sparse(Z):
        return _sparse_inner_products(X, Z)
    if not _in_range(X, Z):
        return _unknown(X, Z)
    bits = (51 - int(np.ceil(np.log2(max(X.shape[1], 1))))) // 2
    left, right = split(X, bits), split(Z, bits)
    exact = left.rest == 0.0 and right.rest == 0.0
    parts, others = np.hstack([left.high, left.low]), np.hstack([right.low, Z]).T
    # No |h| is above 2 |x|.
    loss = 2.02 * gamma(2 * X.shape[1] + 2)
    own = loss * right.rest * np.abs(X).sum(axis=1)[:, None]
    floor = loss * left.rest * float(np.abs(Z).sum(axis=1).max()) + UNDERFLOW

    def rows(part: slice) -> EnclosedMatrix:
        values = left.high[part] @ right.high.T
        if exact:
            return EnclosedMatrix(values, np.zeros_like(values))
        values += parts[part] @ others
        errors = np.abs(values)
        errors *= 1.01 * UNIT
        errors += own[part]
        return EnclosedMatrix(values, errors, floor)

    return rows


def enclosed_negative_squares(X: Samples, Z: Samples, weights: Vector) -> EnclosedRows:
    """Return the maker of rows of -sum_k w_k (x_ik - z_jk)^2, for weights w of at least 0, one a feature."""
    roots = np.sqrt(weights)
    if is_sparse(X) or is_sparse(Z):
        return _sparse_squared_distances(X, Z, roots)
    if not _in_range(X * roots, Z * roots) or not _in_range(X, Z):
        return _unknown(X, Z)
    middle, features = Z.mean(axis=0), X.shape[1]
    bits = (49 - int(np.ceil(np.log2(max(features, 1))))) // 2
    points = [_centred(samples, middle, roots) for samples in (X, Z)]
    largest = max(float(np.abs(point[0]).max()) for point in points)
    left, right = (_parts(*point, bits, largest) for point in points)
    rest = max(left.rest, right.rest)
    # Twice what each of the 2 d products and the few sums may lose, and what centring left out of the low parts.
    loss = 8.0 * gamma(2 * features + 12) * rest
    own, other = loss * left.reach, loss * right.reach + UNDERFLOW
    # -||h_x - h_z||^2, exact, and the rest of -||x - z||^2, each by one product with two columns more.
    ones, others = np.ones(len(X)), np.ones(len(Z))
    high = np.column_stack([2.0 * left.high, -left.length, ones]), np.column_stack([right.high, others, -right.length])
    low = (
        np.column_stack([2.0 * left.high, 2.0 * left.low, -left.cross, ones]),
        np.column_stack([right.low, right.high + right.low, others, -right.cross]),
    )
    worst = float(own.max() + other.max())

    def rows(part: slice) -> EnclosedMatrix:
        values = high[0][part] @ high[1].T
        values += low[0][part] @ low[1].T
        np.minimum(values, 0.0, out=values)
        # The root of a weight is known to u, and so are the sums.
        errors = values * (-4.1 * UNIT)
        if worst <= _LOST:
            errors += worst
        else:
            separate = own[part, None] + other
            errors += separate
            _mend(values, errors, separate, X[part], Z, roots)
        return EnclosedMatrix(values, errors)

    return rows


class _Parts(NamedTuple):
    """Split points, ||h||^2 (exact), 2 h'l + ||l||^2, the sum of |h| + |l|, and the largest |l|."""

    high: Matrix
    low: Matrix
    length: Vector
    cross: Vector
    reach: Vector
    rest: float


def _centred(X: Matrix, middle: Vector, roots: Vector) -> tuple[Matrix, Matrix]:
    """Return p and e such that p + e is roots (x - middle), up to a rounding of e."""
    difference = X - middle
    # Knuth's sum without a loss: what the difference was rounded by.
    back = difference + middle
    lost = (X - back) - (middle - (back - difference))
    product, error = two_product(difference, np.broadcast_to(roots, X.shape))
    return product, error + lost * roots


def _parts(values: Matrix, errors: Matrix, bits: int, largest: float) -> _Parts:
    parts = split(values, bits, largest)
    high, low = parts.high, parts.low + errors
    length, cross = np.einsum("ij,ij->i", high, high), np.einsum("ij,ij->i", 2.0 * high + low, low)
    reach = np.abs(high).sum(axis=1) + np.abs(low).sum(axis=1)
    # What the making of the low parts rounded off is smaller than these by u.
    rest = float(np.abs(low).max(initial=0.0)) + (4.0 * UNIT * largest if errors.any() else 0.0)
    return _Parts(high, low, length, cross, reach, rest)


def _mend(values: Matrix, errors: Matrix, separate: Matrix, X: Matrix, Z: Matrix, roots: Vector) -> None:
    """Compute distances from differences, whose error is relative, where the split form lost too much."""
    i, j = np.nonzero((separate > _LOST) & (values + errors > -_VANISHING))
    relative = gamma(X.shape[1] + 8)
    for part in row_blocks(i.size, X.shape[1]):
        squares = squared_lengths((X[i[part]] - Z[j[part]]) * roots)
        values[i[part], j[part]] = -squares
        errors[i[part], j[part]] = relative * squares + UNDERFLOW


def _sparse_inner_products(X: Samples, Z: Samples) -> EnclosedRows:
    if not (_in_range(X) and _in_range(Z)):
        return _unknown(X, Z)
    own, other = _lengths(X), _lengths(Z)
    loss = 1.01 * gamma(_widest(X) + 4)

    def rows(part: slice) -> EnclosedMatrix:
        values = inner_products(X[part], Z)
        return EnclosedMatrix(values, loss * np.outer(own[part], other) + UNDERFLOW)

    return rows


def _sparse_squared_distances(X: Samples, Z: Samples, roots: Vector) -> EnclosedRows:
    left, right = scaled(X, roots), scaled(Z, roots)
    if not (_in_range(left) and _in_range(right)):
        return _unknown(X, Z)
    squares, others = squared_lengths(left), squared_lengths(right)
    own, other = _lengths(left), _lengths(right)
    loss = 1.01 * gamma(_widest(X) + 16)

    def rows(part: slice) -> EnclosedMatrix:
        values = 2.0 * inner_products(left[part], right) - squares[part, None] - others
        return EnclosedMatrix(np.minimum(values, 0.0), loss * (own[part, None] + other) ** 2 + UNDERFLOW)

    return rows


def _lengths(X: Samples) -> Vector:
    """Return upper bounds of ||x_i||."""
    return np.asarray(np.sqrt(squared_lengths(X)) * (1.0 + gamma(_widest(X))) + UNDERFLOW)


def _widest(X: Samples) -> int:
    return int(np.diff(X.indptr).max(initial=0)) if is_sparse(X) else int(X.shape[1])


def _in_range(*samples: Samples) -> bool:
    """Return whether squares of the numbers, sums of them, and their parts, stay within float64."""
    sizes = (float(np.abs(X.data if is_sparse(X) else X).max(initial=0.0)) for X in samples)
    return all(size == 0.0 or 1.0 / _LARGEST < size < _LARGEST for size in sizes)


def _unknown(X: Samples, Z: Samples) -> EnclosedRows:
    """Return the maker of rows of which nothing is proved."""

    def rows(part: slice) -> EnclosedMatrix:
        shape = (len(range(*part.indices(X.shape[0]))), Z.shape[0])
        return EnclosedMatrix(np.zeros(shape), np.full(shape, np.inf))

    return rows


def enclosed_distances(X: Matrix, Z: Matrix, metric: Literal["cityblock", "euclidean"]) -> EnclosedRows:
    """Return the maker of rows of distances of dense samples, "cityblock" or "euclidean", from their differences."""
    loss = gamma(X.shape[1] + 4)

    def rows(part: slice) -> EnclosedMatrix:
        values = scipy.spatial.distance.cdist(X[part], Z, metric)
        return EnclosedMatrix(values, values * loss + UNDERFLOW)

    return rows
