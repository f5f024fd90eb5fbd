# SPDX-License-Identifier: BSD-3-Clause
"""Whether samples are linearly dependent in the space of their kernel, proved in exact arithmetic.

Rounding makes any matrix singular that is nearly so, or regular that is not: the rank of a computed K says nothing.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Vector, is_sparse
from qpkernels.gram.gram import Gram
from qpkernels.intervals import Interval, enclose_null_vector, enclose_point
from qpkernels.kernels.approximations import Nystroem, RandomFourier
from qpkernels.kernels.base import Kernel, Rational
from qpkernels.kernels.base.rational import as_rational, rational_products
from qpkernels.kernels.vectors import Linear

__all__ = ["enclose_dependence", "equal_samples"]

_EXACT = 40**3
"""Operations on integers up to which an exact elimination is made: seconds at most, where these are long."""

_DEPENDENT = 1e-10
"""Distance of an equation from the span of others, against the largest, at which it is tried to do without it."""

_SHARE = 2.0**20
"""Multiples of the inverse are the shares of other equations that are tried."""


def enclose_dependence(gram: Gram, samples: Indices, v: Vector, *, balanced: bool) -> Interval | None:
    """Return an enclosure of weights w near v, not 0, with sum_j w_j k(x_j, .) = 0 exactly; None: none is proved.

    The kernel that is meant is the exact one of the samples and parameters as they are in float64. The elements of the
    space are independent unless the kernel says otherwise (:meth:`~qpkernels.kernels.Kernel.relating`).

    Parameters
    ----------
    gram
        The kernel matrix of all samples; where it is corrected, that matrix is the data.
    samples
        Numbers of the samples that have a weight, shape (k,).
    v
        Weights, shape (k,), none of which is 0.
    balanced
        Whether sum_j w_j = 0 is asked for too.
    """
    if not samples.size or not np.isfinite(v).all():
        return None
    features = _features(gram, samples)
    found = None if features is None else _by_features(features, v, balanced)
    if found is not None:
        return found
    trusted = gram.kernel.positive_semidefinite
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
    """Return the sets of two or more samples that are equal, and so are one element of the space."""
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
