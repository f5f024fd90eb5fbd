# SPDX-License-Identifier: BSD-3-Clause
"""Kernel values with proved error bounds; inner products and distances are as fast as matrix products.

A feature is split into x = h + l, where h holds the leading bits. There are so few of these that a matrix product of
such numbers is exact: they are multiples of a power q of 2, and their sums stay below 2^53 q^2 in any order of
summation. The remainder,

    x'z = h_x'h_z + (h_x'l_z + l_x'z)       ||x - z||^2 = ||h_x - h_z||^2 + 2 (h_x - h_z)'(l_x - l_z) + ||l_x - l_z||^2,

is smaller by those bits (20 for 1000 features), and so is the error gamma_n of its sums. Because the first term of a
distance is exact, samples that are close together cancel without loss.

Sparse samples are not split. Their products have the error gamma_n ||x|| ||z||, for n stored entries at most, and their
distances gamma_n (||x|| + ||z||)^2.

With u = 2^-53 the unit of rounding, one operation is exact to u times its result, and the errors of the operands pass
through it by its derivative:

    a + b      e_a + e_b                          a b      |a| e_b + |b| e_a + e_a e_b
    exp(a)     exp(a) (exp(e_a) - 1)              tanh(a)  e_a

The errors are sums of products of numbers of at least 0; a factor of 1 + 2^-30 covers their own rounding, and 2^-1000
covers any underflow. Elementary functions are exact to :data:`~qpkernels.arrays.intervals.ELEMENTARY` by assumption.

Source: Ozaki, Ogita, Oishi and Rump, Error-free transformations of matrix multiplication (Numerical Algorithms, 2012).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Samples, Vector, is_sparse, row_blocks
from qpkernels.arrays.intervals import ELEMENTARY, UNDERFLOW, UNIT, gamma, two_product
from qpkernels.kernels.products import inner_products, scaled, squared_lengths

__all__ = [
    "EnclosedMatrix",
    "EnclosedRows",
    "Split",
    "enclosed_distances",
    "enclosed_inner_products",
    "enclosed_negative_squares",
    "split",
]

_OWN_ROUNDING = 1.0 + 2.0**-30
"""The bound of what the computed sum of errors lacks of the exact one."""

_SMALL = 2.0**-10
"""Up to this t, exp(t) - 1 < (1 + 2^-10) t."""


@dataclass(frozen=True, eq=False)
class EnclosedMatrix:
    """The matrices A with |A - values| <= errors + floor, entry by entry."""

    values: Matrix
    errors: Matrix
    floor: float = 0.0

    @property
    def reach(self) -> Matrix:
        """The errors, with all that adds to them."""
        return self.errors + self.floor if self.floor else self.errors

    def plus(self, other: EnclosedMatrix) -> EnclosedMatrix:
        """Return the sums."""
        return _rounded(self.values + other.values, self.reach + other.reach)

    def times(self, other: EnclosedMatrix) -> EnclosedMatrix:
        """Return the products, entry by entry."""
        errors = np.abs(self.values) * other.reach
        errors += (np.abs(other.values) + other.reach) * self.reach
        return _rounded(self.values * other.values, errors)

    def scaled(self, factor: float) -> EnclosedMatrix:
        """Return the products with one number."""
        return _rounded(self.values * factor, self.reach * abs(factor))

    def negated(self) -> EnclosedMatrix:
        """Return the negatives."""
        return EnclosedMatrix(-self.values, self.errors, self.floor)

    def within(self, relative: float) -> EnclosedMatrix:
        """Return the same values with so large a relative error on top."""
        return _rounded(self.values, 1.0 * self.reach, relative)

    def affine(self, factor: float, constant: float) -> EnclosedMatrix:
        """Return factor a + constant."""
        values = self.values * factor
        if constant == 0.0:
            return _rounded(values, self.reach * abs(factor))
        values += constant
        # The product is no larger than the sum and the constant together.
        errors = self.reach * abs(factor)
        errors += 1.02 * UNIT * abs(constant)
        return _rounded(values, errors, 2.1 * UNIT)

    def power(self, exponent: int) -> EnclosedMatrix:
        """Return a^n for n of at least 1: (|a| + e)^n - |a|^n is at most n e (|a| + e)^(n-1)."""
        if exponent == 1:
            return self
        largest = np.abs(self.values)
        largest += self.reach
        values, errors = self.values * self.values, (exponent * 1.0) * self.reach
        slope = largest
        for _ in range(exponent - 2):
            values *= self.values
            slope = slope * largest
        errors *= slope
        errors *= 1.0 + 4.0 * exponent * UNIT
        return _rounded(values, errors, 1.01 * exponent * UNIT)

    def exp(self) -> EnclosedMatrix:
        """Return the exponentials."""
        values = np.exp(self.values)
        if float(self.errors.max(initial=0.0)) + self.floor <= _SMALL:
            errors = self.errors * (1.0 + 2.0 * _SMALL)
        else:
            errors = np.expm1(self.reach) * (1.0 + 4.0 * ELEMENTARY)
        # What exp loses, and the floor, which is so small that it is not worth a pass of its own.
        errors += 1.01 * ELEMENTARY + 2.0 * self.floor
        errors *= values
        return EnclosedMatrix(values, errors, UNDERFLOW)

    def tanh(self) -> EnclosedMatrix:
        """Return the hyperbolic tangents, which rise by 1 at most."""
        return _rounded(np.tanh(self.values), 1.0 * self.reach, 1.01 * ELEMENTARY)


EnclosedRows: TypeAlias = Callable[[slice], EnclosedMatrix]
"""Makes some rows of an enclosed matrix, of samples that were prepared once."""


def _rounded(values: Matrix, errors: Matrix, relative: float = 1.01 * UNIT) -> EnclosedMatrix:
    """Return the result of an operation that was rounded; ``errors``, to be written over, passed through it."""
    errors += relative * np.abs(values)
    errors *= _OWN_ROUNDING
    return EnclosedMatrix(values, errors, UNDERFLOW)


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
