# SPDX-License-Identifier: BSD-3-Clause
r"""Kernel values as rational numbers, for what no rounding may decide: whether samples are linearly dependent.

Every float is a fraction over a power of 2, and so are sums and products of floats. The arrays hold Python's integers
and fractions, so that they are made of few samples only.
"""

from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Samples, is_sparse

__all__ = ["Rational", "are_equal", "as_rational", "rational_products"]

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
