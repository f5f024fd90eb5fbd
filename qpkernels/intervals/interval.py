# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of intervals, whose ends are moved outward by every operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Vector
from qpkernels.errors import ShapeError
from qpkernels.intervals.rounding import down, up
from qpkernels.intervals.sums import sum_bounds, two_sum

__all__ = ["Interval"]


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

    def intersection(self, other: Interval) -> Interval:
        """Return what both hold, where that is not empty by rounding."""
        return Interval(np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper))

    def sum(self) -> Interval:
        """Return the sum of all entries, of shape ()."""
        return Interval(np.asarray(sum_bounds(self.lower)[0]), np.asarray(sum_bounds(self.upper)[1]))

    def contains(self, values: ArrayLike) -> bool:
        """Return whether all entries of a vector of floats are inside."""
        x = np.asarray(values)
        return bool(np.all((self.lower <= x) & (x <= self.upper)))


def _as_interval(values: Interval | ArrayLike) -> Interval:
    return values if isinstance(values, Interval) else Interval.of(values)
