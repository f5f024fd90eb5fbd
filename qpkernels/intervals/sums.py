# SPDX-License-Identifier: BSD-3-Clause
"""Sums without rounding errors.

Source: Shewchuk, Adaptive precision floating-point arithmetic (1997), for the sum; Knuth, The art of computer
programming (volume 2, section 4.2.2), for that of two; Dekker, A floating-point technique for extending the available
precision (1971), for the product.
"""

from __future__ import annotations

from math import fsum, isfinite

import numpy as np

from qpkernels.arrays import Vector

__all__ = ["exact_sum", "sum_bounds", "two_product", "two_sum"]

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
