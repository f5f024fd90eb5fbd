# SPDX-License-Identifier: BSD-3-Clause
"""Interval arithmetic on vectors: bounds that hold in exact arithmetic, whatever float64 rounds.

IEEE 754 rounds every sum, product, quotient and square root to a neighbour of the exact result, which so lies between
the float below and the float above the computed one. A sum of n products, in whatever order and with whatever fused
operations, is exact to gamma_n = n u / (1 - n u) times the sum of their sizes, with u = 2^-53, plus n times the least
float where products underflow. Products of matrices with vectors are formed in the widest floats that the machine has
(80 bits on x86), whose unit of rounding is 2048 times smaller; where there are none, the bound is that of float64.

Sources: Higham, Accuracy and stability of numerical algorithms (2nd edition, 2002), sections 2.2 and 3.1; Rump,
Verification methods: rigorous results using floating-point arithmetic (Acta Numerica, 2010); Shewchuk, Adaptive
precision floating-point arithmetic (1997), for exact sums; Knuth, The art of computer programming (volume 2, section
4.2.2), for that of two; Dekker, A floating-point technique for extending the available precision (1971), for products.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import fsum, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from qpkernels.arrays import Vector
from qpkernels.errors import ShapeError

__all__ = [
    "ELEMENTARY",
    "TINY",
    "UNDERFLOW",
    "UNIT",
    "Interval",
    "down",
    "exact_sum",
    "gamma",
    "inner",
    "product",
    "quadratic",
    "sum_bounds",
    "two_product",
    "two_sum",
    "up",
]

UNIT = 2.0**-53
"""The largest relative error u of one operation."""

TINY = 2.0**-1074
"""The least float above 0: what one product that underflows may lose."""

ELEMENTARY = 8.0 * UNIT
"""The largest relative error of exp, log, pow, tanh and their like, in the C library, NumPy and SciPy.

These are not rounded correctly. They are assumed to be within 4 units in the last place, which are at most 8 u: the one
assumption in this package that no theorem stands behind.
"""

UNDERFLOW = 2.0**-1000
"""More than a few thousand operations lose to underflow, even where numbers below 2^-1022 become 0."""


def down(values: Any) -> Vector:
    """Return the floats below ``values``: lower bounds of exact results of one operation."""
    return np.asarray(np.nextafter(values, -np.inf))


def up(values: Any) -> Vector:
    """Return the floats above ``values``: upper bounds of exact results of one operation."""
    return np.asarray(np.nextafter(values, np.inf))


def gamma(terms: int, unit: float = UNIT) -> float:
    """Return a bound of gamma_n that also pays for the rounding of the product gamma_n times a computed sum of n sizes.

    Raises
    ------
    ValueError
        If there are so many terms, more than 1e-3 / u, that the bound does not hold.
    """
    if terms * unit > 1e-3:
        raise ValueError(f"a sum of {terms} terms has no bound of this kind; at most {1e-3 / unit:.0f} are allowed.")
    # For n u <= 1e-3, n u (1 + n u)^2 / (1 - n u)^2 < 1.005 n u.
    return 1.01 * (terms + 4) * unit


_SPLITTER = 2.0**27 + 1.0
"""A float times this splits into two halves of 26 bits."""


def exact_sum(values: Vector) -> float:
    """Return the float nearest to the exact sum; NaN where a part or the sum overflows. A result of 0 is exact."""
    return _nearest(_terms(values))


def sum_bounds(values: Vector) -> tuple[float, float]:
    """Return the floats just below and above the exact sum, or that sum twice where it is a float."""
    terms = _terms(values)
    nearest = _nearest(terms)
    if not isfinite(nearest):
        return -np.inf, np.inf
    terms.append(-nearest)
    rest = fsum(terms)
    below = float(np.nextafter(nearest, -np.inf)) if rest < 0 else nearest
    above = float(np.nextafter(nearest, np.inf)) if rest > 0 else nearest
    return below, above


def _terms(values: Vector) -> list[float]:
    """Return what is not 0: lists are what takes the time."""
    found: list[float] = values[values != 0.0].tolist()
    return found


def _nearest(terms: list[float]) -> float:
    try:
        return fsum(terms)
    except (OverflowError, ValueError):
        return float("nan")


def two_sum(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Return s and e with s + e = a + b exactly, s being the sum in float64; e is NaN where that is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        s = np.asarray(a + b)
        added = s - a
        return s, np.asarray((a - (s - added)) + (b - added))


def two_product(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Return p and e with p + e = a b exactly, p being the product in float64.

    Exact where |a|, |b| < 2^995 and the error does not underflow; where the product is below 2^-960, it may, and e is
    exact to the least float.
    """
    p = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _split(a: Vector) -> tuple[Vector, Vector]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


@dataclass(frozen=True, eq=False)
class Interval:
    """The vectors x with lower <= x <= upper, entry by entry; an end may be infinite.

    The result of an operation holds what the operation makes of every two vectors in its operands, in exact arithmetic.
    The other operand of +, - and * may be a float or a vector, which stands for itself.

    Attributes
    ----------
    lower, upper
        The ends, of one shape.

    Raises
    ------
    ShapeError
        If their shapes differ.
    """

    lower: Vector
    upper: Vector

    __array_ufunc__ = None  # NumPy leaves operations with an Interval on the right to the Interval.

    def __post_init__(self) -> None:
        if np.shape(self.lower) != np.shape(self.upper):
            raise ShapeError(
                f"the ends of an interval must have one shape, but {np.shape(self.lower)} and "
                f"{np.shape(self.upper)} came."
            )

    @classmethod
    def of(cls, values: ArrayLike, radius: ArrayLike = 0.0) -> Interval:
        """Return the vectors within ``radius`` of ``values``."""
        middle, reach = np.asarray(values, dtype=np.float64), np.asarray(radius, dtype=np.float64)
        if not reach.any():
            return cls(middle, middle)
        return cls(down(middle - reach), up(middle + reach))

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.lower)

    def __getitem__(self, index: Any) -> Interval:
        """Return some of the entries."""
        return Interval(np.asarray(self.lower[index]), np.asarray(self.upper[index]))

    @property
    def middle(self) -> Vector:
        """A vector near the middle of finite ends."""
        return np.asarray(self.lower + 0.5 * (self.upper - self.lower))

    @property
    def radius(self) -> Vector:
        """How far the ends are from :attr:`middle` at most."""
        middle = self.middle
        return np.asarray(np.maximum(up(self.upper - middle), up(middle - self.lower)) * (self.upper > self.lower))

    @property
    def magnitude(self) -> Vector:
        """The largest absolute values."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def __neg__(self) -> Interval:
        return Interval(-self.upper, -self.lower)

    def __add__(self, other: Interval | ArrayLike) -> Interval:
        right = _as_interval(other)
        low, lost = two_sum(self.lower, right.lower)
        high, gained = two_sum(self.upper, right.upper)
        # A sum that is exact stays as it is; NaN, where an end is infinite, says nothing.
        return Interval(np.where(lost >= 0, low, down(low)), np.where(gained <= 0, high, up(high)))

    __radd__ = __add__

    def __sub__(self, other: Interval | ArrayLike) -> Interval:
        return self + (-_as_interval(other))

    def __rsub__(self, other: ArrayLike) -> Interval:
        return (-self) + other

    def __mul__(self, other: Interval | ArrayLike) -> Interval:
        right = _as_interval(other)
        with np.errstate(invalid="ignore", over="ignore"):
            ends = [(a, b) for a in (self.lower, self.upper) for b in (right.lower, right.upper)]
            # 0 times anything is 0, and exactly so: an infinite end stands for finite numbers however large.
            corners = np.stack([np.where((a == 0) | (b == 0), 0.0, a * b) for a, b in ends])
            exact = np.stack([(a == 0) | (b == 0) for a, b in ends])
        low, high = np.where(exact, corners, down(corners)), np.where(exact, corners, up(corners))
        return Interval(np.asarray(low.min(axis=0)), np.asarray(high.max(axis=0)))

    __rmul__ = __mul__

    def divided_by(self, divisor: Vector) -> Interval:
        """Return the quotient by a vector without zeros."""
        with np.errstate(over="ignore"):
            ends = np.stack([self.lower / divisor, self.upper / divisor])
        # A quotient by a power of 2 is exact, short of underflow.
        exact = (np.abs(np.frexp(divisor)[0]) == 0.5) & ((ends == 0) == (np.stack([self.lower, self.upper]) == 0))
        exact = exact & ((np.abs(ends) > 1e-300) | (ends == 0)) & np.isfinite(ends)
        low, high = np.where(exact, ends, down(ends)), np.where(exact, ends, up(ends))
        return Interval(np.asarray(low.min(axis=0)), np.asarray(high.max(axis=0)))

    def square(self) -> Interval:
        """Return the squares."""
        largest = self.magnitude
        smallest = np.maximum(0.0, np.maximum(self.lower, -self.upper))
        with np.errstate(over="ignore"):
            return Interval(np.maximum(0.0, down(smallest**2)), up(largest**2))

    def sqrt(self) -> Interval:
        """Return the square roots of what is not negative."""
        low, high = np.maximum(self.lower, 0.0), np.maximum(self.upper, 0.0)
        return Interval(np.maximum(0.0, down(np.sqrt(low))), up(np.sqrt(high)))

    def maximum(self, other: ArrayLike) -> Interval:
        """Return the larger one of each entry and a float."""
        return Interval(np.maximum(self.lower, other), np.maximum(self.upper, other))

    def sum(self) -> Interval:
        """Return the sum of all entries, of shape ()."""
        return Interval(np.asarray(sum_bounds(self.lower)[0]), np.asarray(sum_bounds(self.upper)[1]))

    def contains(self, values: ArrayLike) -> bool:
        """Return whether all entries of a vector of floats are inside."""
        x = np.asarray(values)
        return bool(np.all((self.lower <= x) & (x <= self.upper)))


def _as_interval(values: Interval | ArrayLike) -> Interval:
    return values if isinstance(values, Interval) else Interval.of(values)


_WIDE = np.longdouble
_BLOCK = 2**20
"""Nonzeros whose products are formed at a time, a longer row apart."""

_WIDE_UNIT = 0.5 * float(np.finfo(_WIDE).eps)


def product(A: Any, x: Interval | Vector) -> Interval:
    """Return an enclosure of A x for a dense or sparse matrix A of floats, shape (k, n), and x of shape (n,)."""
    vector = x if isinstance(x, Interval) else Interval.of(x)
    middle, radius = vector.middle, vector.radius
    sizes = abs(A)
    terms = _longest_row(A)
    with np.errstate(over="ignore", invalid="ignore"):
        reach = sizes @ np.abs(middle)
        error = gamma(terms, _WIDE_UNIT) * reach + terms * TINY
        if radius.any():
            error = error + (1.0 + gamma(terms)) * (sizes @ radius)
        values = _wide_product(A, middle)
        near = values.astype(np.float64)
        # The products with sizes are not negative; one more step up pays for the last operations.
        error = up(up(error * (1.0 + 8 * np.finfo(float).eps)))
    finite = np.isfinite(near) & np.isfinite(error)
    low = np.where(finite, down(down(near) - error), -np.inf)
    high = np.where(finite, up(up(near) + error), np.inf)
    exact = (reach == 0) & ((sizes > 0) @ (vector.magnitude > 0).astype(np.float64) == 0)
    return Interval(np.where(exact, 0.0, low), np.where(exact, 0.0, high))


def _longest_row(A: Any) -> int:
    return int(np.diff(_rows(A).indptr).max(initial=0)) if issparse(A) else int(np.shape(A)[1])


def _rows(A: Any) -> csr_array:
    return csr_array(A)


def _wide_product(A: Any, x: Vector) -> Any:
    if not issparse(A):
        return np.asarray(A, dtype=_WIDE) @ x.astype(_WIDE)
    rows, wide = _rows(A), x.astype(_WIDE)
    sums = np.zeros(rows.shape[0], dtype=_WIDE)
    starts = rows.indptr
    # By blocks of rows, so that the wide floats of a large matrix are never all there at once.
    edges = np.unique(np.searchsorted(starts, np.arange(0, rows.nnz + _BLOCK, _BLOCK)).clip(0, sums.size))
    for first, last in pairwise(edges.tolist()):
        entries = slice(starts[first], starts[last])
        products = rows.data[entries].astype(_WIDE) * wide[rows.indices[entries]]
        (filled,) = np.nonzero(np.diff(starts[first : last + 1]))
        if filled.size:
            sums[first + filled] = np.add.reduceat(products, starts[first + filled] - starts[first])
    return sums


def inner(a: Interval | Vector, b: Interval | Vector) -> Interval:
    """Return an enclosure of a'b, of shape (); of two vectors of floats it is exact to the last digit."""
    if isinstance(a, Interval) or isinstance(b, Interval):
        left = a if isinstance(a, Interval) else Interval.of(a)
        return (left * b).sum()
    largest = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    if not largest < 2.0**500:
        return (Interval.of(a) * b).sum()
    low, high = sum_bounds(np.concatenate(two_product(a, b)))
    # An error that underflows is lost, one least float for each product at most.
    lost = TINY * int(((np.abs(a * b) < 2.0**-960) & (a != 0) & (b != 0)).sum())
    return Interval(np.asarray(low), np.asarray(high)) if lost == 0 else Interval(down(low - lost), up(high + lost))


def quadratic(P: Any, x: Interval | Vector) -> Interval:
    """Return an enclosure of x'P x for a matrix P of floats, dense or sparse, of shape ()."""
    return inner(x, product(P, x))
