# SPDX-License-Identifier: BSD-3-Clause
"""Products of matrices of floats with vectors of intervals, enclosed by the a-priori bound of their rounding errors.

Sums are formed in the widest floats that the machine has (80 bits on x86), whose unit of rounding is 2048 times
smaller; where there are none, the bound is that of float64.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from qpkernels.arrays import Vector
from qpkernels.intervals.interval import Interval
from qpkernels.intervals.rounding import TINY, down, gamma, up
from qpkernels.intervals.sums import sum_bounds, two_product

__all__ = ["inner", "product", "quadratic"]

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
