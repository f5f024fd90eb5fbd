# SPDX-License-Identifier: BSD-3-Clause
r"""Functions in the space of a kernel with proved bounds: f(x_i) = sum_j c_j k(x_j, x_i) and ||f||^2 = c'K c.

Entries of K come with their errors E. Of K = H + L and c = h + l the leading bits are split off, such that H h is exact
in float64; H l + L c is smaller by those bits, and so is what its sums lose. So f is known to about

    u |f| + E |c|     and, where k is x'z, from w = sum_j c_j x_j,      u |f| + |X| (error of w).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector, is_sparse, same_entries
from qpkernels.arrays.threads import in_parts, without_blas_threads
from qpkernels.gram.gram import Gram
from qpkernels.intervals import UNDERFLOW, UNIT, Interval, gamma, inner
from qpkernels.kernels.base import EnclosedMatrix, EnclosedRows, Kernel
from qpkernels.kernels.base.enclosed_products import split
from qpkernels.kernels.vectors import Linear

__all__ = ["EnclosedFunction", "enclose_expansion", "enclose_on_samples", "largest_row_error"]

_BLOCK = 2**15
"""Entries of a block of K, which stays in a processor's cache."""

_IN_RANGE = 2.0**400
"""Beyond this, or below its inverse, products might leave float64."""


@dataclass(frozen=True, eq=False)
class EnclosedFunction:
    """f at the samples, shape (m,), and ||f||^2, of shape ()."""

    values: Interval
    squared_norm: Interval


def enclose_on_samples(gram: Gram, beta: Vector) -> EnclosedFunction:
    """Return the expansion in beta at the samples of the Gram matrix; of a corrected one, that matrix is the data.

    Raises
    ------
    NoEnclosureError
        If the kernel states no bounds of its errors.
    """
    if gram.correction is None:
        return enclose_expansion(gram.kernel, gram.X, beta, gram.X)
    K = gram.dense
    values = _sums(lambda rows: EnclosedMatrix(K[rows], np.zeros_like(K[rows])), len(gram), beta)
    return EnclosedFunction(values, _norm(beta, values))


def enclose_expansion(kernel: Kernel, centers: Samples, coefficients: Vector, X: Samples) -> EnclosedFunction:
    """Return sum_j c_j k(z_j, .) at the samples X, and its squared norm.

    Raises
    ------
    NoEnclosureError
        If the kernel states no bounds of its errors.
    """
    (used,) = np.nonzero(coefficients)
    size = int(X.shape[0])
    if used.size == 0:
        return EnclosedFunction(Interval.of(np.zeros(size)), Interval.of(0.0))
    Z, c = centers[used], coefficients[used]
    if type(kernel) is Linear and not is_sparse(X) and not is_sparse(Z):
        w = _products(np.ascontiguousarray(Z.T), c)
        values = _products(X, w.middle)
        if w.radius.any():
            reach = (np.abs(X) @ w.radius) * (1.0 + gamma(X.shape[1]))
            values = values + Interval.of(np.zeros(size), reach)
        return EnclosedFunction(values, w.square().sum())
    values = _sums(kernel.enclosed(X, Z), size, c)
    own = values[used] if _same(centers, X) else _sums(kernel.enclosed(Z, Z), used.size, c)
    return EnclosedFunction(values, _norm(c, own))


def _same(centers: Samples, X: Samples) -> bool:
    """Return whether they are known to be the same samples; then f at the centers is known as well."""
    return centers is X or (not is_sparse(centers) and not is_sparse(X) and same_entries(centers, X))


def largest_row_error(gram: Gram) -> float:
    """Return a bound of the spectral norm of what the dense matrix is off: its largest sum of errors of a row.

    The matrix is :attr:`Gram.dense`, of a kernel that is corrected or not.
    """
    if gram.correction is not None:
        return 0.0
    rows, size, largest = gram.kernel.enclosed(gram.X, gram.X), len(gram), 0.0
    for start in range(0, size, max(1, _BLOCK // size)):
        part = slice(start, min(start + max(1, _BLOCK // size), size))
        block = rows(part)
        off = np.abs(block.values - gram.dense[part]) * (1.0 + 4.0 * UNIT) + block.reach
        largest = max(largest, float(off.sum(axis=1).max()) * (1.0 + gamma(size)))
    return largest if np.isfinite(largest) else np.inf


def _norm(c: Vector, values: Interval) -> Interval:
    square = inner(values, c)
    return Interval(np.maximum(square.lower, 0.0), square.upper)


def _products(A: Matrix, c: Vector) -> Interval:
    """Return A c for a matrix of floats."""
    return _sums(lambda rows: EnclosedMatrix(A[rows], np.zeros_like(A[rows])), len(A), c)


def _sums(rows: EnclosedRows, size: int, c: Vector) -> Interval:
    """Return the matrix, of so many rows, times c."""
    bits = (51 - int(np.ceil(np.log2(c.size)))) // 2 if c.size > 1 else 25
    largest = float(np.abs(c).max(initial=0.0))
    low, high = np.full(size, -np.inf), np.full(size, np.inf)
    if not (largest == 0.0 or 1.0 / _IN_RANGE < largest < _IN_RANGE):
        return Interval(low, high)
    leading, rest, below = split(c, bits)
    both, sizes = np.column_stack([leading, rest]), np.abs(c)
    total = float(sizes.sum())
    step = max(1, _BLOCK // c.size)
    loss = 1.01 * gamma(c.size + 4)

    def work(number: int, part: slice) -> None:
        del number
        for start in range(part.start, part.stop, step):
            some = slice(start, min(start + step, part.stop))
            K = rows(some)
            size_of_K = float(max(K.values.max(), -K.values.min()))
            if not (size_of_K == 0.0 or 1.0 / _IN_RANGE < size_of_K < _IN_RANGE):
                continue
            H, L, beyond = split(K.values, bits, size_of_K)
            exact, small = (H @ both).T
            small += L @ c
            near = exact + small
            error = K.errors @ sizes if K.errors.any() else np.zeros(near.size)
            if below or beyond or K.floor or error.any():
                error += total * K.floor + loss * (2.0 * c.size * size_of_K * below + total * beyond) + UNDERFLOW
                error += 1.01 * UNIT * np.abs(near)
                error *= 1.0 + 2.0 * loss
            known = np.isfinite(error)
            enclosed = Interval.of(near, np.where(known, error * (1.0 + 4.0 * UNIT), 0.0))
            low[some] = np.where(known, enclosed.lower, -np.inf)
            high[some] = np.where(known, enclosed.upper, np.inf)

    with np.errstate(over="ignore", invalid="ignore"), without_blas_threads():
        in_parts(work, size, min(step, size), float(c.size) * size)
    return Interval(low, high)
