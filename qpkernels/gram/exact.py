# SPDX-License-Identifier: BSD-3-Clause
r"""Proofs about a kernel matrix in exact arithmetic: enclosed sums, and samples that depend on each other.

**Functions.** f(x_i) = sum_j c_j k(x_j, x_i) and ||f||^2 = c'K c come with proved bounds. Entries of K have errors E.
The leading bits of K = H + L and c = h + l are split off such that H h is exact in float64. The rest, H l + L c, is
smaller by those bits, and so are the rounding errors of its sums. So f is known to about

    u |f| + E |c|     and, where k is x'z, from w = sum_j c_j x_j,      u |f| + |X| (error of w).

**Dependence.** Rounding can make a nearly singular matrix singular, and a singular one regular, so the rank of a
computed K says nothing about the samples in the space of their kernel.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Samples, Vector, is_sparse
from qpkernels.arrays.checks import same_entries
from qpkernels.arrays.exact_algebra import enclose_null_vector, enclose_point
from qpkernels.arrays.intervals import UNDERFLOW, UNIT, Interval, gamma, inner
from qpkernels.arrays.threads import in_parts, without_blas_threads
from qpkernels.gram.gram import Gram
from qpkernels.kernels.approximations import Nystroem, RandomFourier
from qpkernels.kernels.enclosed import EnclosedMatrix, EnclosedRows, split
from qpkernels.kernels.kernel import Kernel
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.products import Rational, as_rational, rational_products

__all__ = [
    "EnclosedFunction",
    "enclose_dependence",
    "enclose_expansion",
    "enclose_on_samples",
    "equal_samples",
    "largest_row_error",
]

_BLOCK = 2**15
"""Entries of a block of K, which stays in a processor's cache."""

_IN_RANGE = 2.0**400
"""Beyond this, or below its inverse, products might leave float64."""


@dataclass(frozen=True, eq=False)
class EnclosedFunction:
    """The values of f at the samples, shape (m,), and ||f||^2, shape ()."""

    values: Interval
    squared_norm: Interval


def enclose_on_samples(gram: Gram, beta: Vector) -> EnclosedFunction:
    """Return the expansion in beta at the samples of the Gram matrix; if that is corrected, the matrix is the data.

    Raises
    ------
    NoEnclosureError
        If the kernel does not state bounds on its errors.
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
        If the kernel does not state bounds on its errors.
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
    """Return a bound on the spectral norm of the error of the dense matrix: the largest sum of the errors of a row.

    The matrix is :attr:`Gram.dense`, whether it is corrected or not.
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


_EXACT = 40**3
"""Operations on integers up to which an exact elimination is made: seconds at most, where these are long."""

_DEPENDENT = 1e-10
"""Distance of an equation from the span of others, against the largest, at which it is tried to do without it."""

_SHARE = 2.0**20
"""Multiples of the inverse are the shares of other equations that are tried."""


def enclose_dependence(gram: Gram, samples: Indices, v: Vector, *, balanced: bool) -> Interval | None:
    """Return an enclosure of nonzero weights w near v with sum_j w_j k(x_j, .) = 0 exactly, or None without a proof.

    The statement is about the exact kernel of the samples and parameters as stored in float64. The elements of the
    space count as independent unless the kernel says otherwise (:meth:`~qpkernels.kernels.Kernel.relating`).

    Parameters
    ----------
    gram
        The kernel matrix of all samples; if it is corrected, the corrected matrix is the data.
    samples
        The numbers of the samples that have a weight, shape (k,).
    v
        Weights, shape (k,), none of which is 0.
    balanced
        Whether sum_j w_j = 0 is required as well.
    """
    if not samples.size or not np.isfinite(v).all():
        return None
    features = _features(gram, samples)
    found = None if features is None else _by_features(features, v, balanced)
    if found is not None:
        return found
    trusted = gram.by_construction
    if (samples.size if trusted else len(gram)) * samples.size**2 > _EXACT:
        return None
    R = _relating(gram, samples)
    return _not_zero(enclose_null_vector(np.vstack([R, np.ones((1, v.size), dtype=object)]) if balanced else R, v))


def _not_zero(found: Interval | None) -> Interval | None:
    """Return an enclosure unless it may be that of 0."""
    return found if found is not None and ((found.lower > 0) | (found.upper < 0)).any() else None


def _features(gram: Gram, samples: Indices) -> Matrix | None:
    """Return features that no rounding made: the samples themselves, or those that an approximation is stated in."""
    if type(gram.kernel) is Linear and not is_sparse(gram.X):
        return np.asarray(gram.X[samples])
    if isinstance(gram.kernel, Nystroem | RandomFourier) and gram.explicit is not None:
        return gram.explicit.rows(samples)
    return None


def _by_features(F: Matrix, v: Vector, balanced: bool) -> Interval | None:
    """Return weights with sum_j w_j x_j = 0, most of them solved for in float64."""
    rows = _independent(np.vstack([F.T, np.ones(v.size)]) if balanced else F.T)
    if rows is None or not rows.size:
        return None
    return _not_zero(enclose_point(csr_array(rows), np.zeros(len(rows)), v, np.abs(v)))


def _independent(rows: Matrix) -> Matrix | None:
    """Return equations from which all follow exactly, as of indicators whose sum is constant; None: not proved."""
    sizes = np.abs(rows).max(axis=1)
    rows = rows[sizes > 0]
    R, order = qr((rows / sizes[sizes > 0, None]).T, mode="r", pivoting=True)
    pivots = np.abs(R.diagonal())
    rank = int(np.sum(pivots > _DEPENDENT * pivots.max(initial=0.0)))
    basis, others = rows[np.sort(order[:rank])], rows[np.sort(order[rank:])]
    if not others.size:
        return np.asarray(basis)
    # Few digits, so that a share that should be 1 is 1.
    shares = np.round(np.linalg.lstsq(basis.T, others.T)[0].T * _SHARE) / _SHARE
    return basis if np.array_equal(rational_products(shares, basis.T), as_rational(others)) else None


def _relating(gram: Gram, samples: Indices) -> Rational:
    """Return a rational matrix whose null vectors are such weights."""
    if gram.correction is not None:
        return as_rational(gram.dense[:, samples])
    kernel, X = gram.kernel, gram.X
    if kernel.positive_semidefinite:
        return kernel.relating(X[samples], X[samples])
    # Terms of a kernel that is not may cancel: it has to be the kernel itself, at every sample.
    return Kernel.relating(kernel, X, X[samples])


def equal_samples(gram: Gram) -> list[Indices]:
    """Return the sets of two or more equal samples; each set is a single element of the space."""
    places: dict[object, list[int]] = defaultdict(list)
    for number, key in enumerate(_keys(gram)):
        places[key].append(number)
    return [np.array(each) for each in places.values() if len(each) > 1]


def _keys(gram: Gram) -> list[object]:
    X = gram.X
    if is_sparse(X):
        parts = [slice(*ends) for ends in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
        return [(X.indices[part].tobytes(), X.data[part].tobytes()) for part in parts]
    if X.ndim == 2 and X.dtype.kind == "f":
        return [row.tobytes() for row in np.ascontiguousarray(X + 0.0)]
    return [str(row) for row in X.tolist()]
