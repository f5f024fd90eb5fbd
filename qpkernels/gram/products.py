# SPDX-License-Identifier: BSD-3-Clause
"""Sums K v over the samples: by the whole matrix, or from the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.blas import dsymv

from qpkernels.arrays import Matrix, Samples, Vector, finite_vector, row_blocks
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram.panels.sums import (
    Suffices,
    add_kernel_sums,
    add_sums_where,
    add_symmetric_products,
    add_symmetric_sums,
    taken_among,
)
from qpkernels.kernels.base import Kernel

if TYPE_CHECKING:
    from qpkernels.gram.gram import Gram

__all__ = ["BoundedProduct", "bounded_product", "matrix_product", "products", "streamed_product"]


@dataclass(frozen=True, eq=False)
class BoundedProduct:
    """K v as it was computed, and how far that may be from what float64 gives.

    Attributes
    ----------
    coefficients
        v, shape (m,).
    values
        K v, shape (m,).
    error
        Bounds of what float32 did to the values, shape (m,): 0 where they were made in float64.
    """

    coefficients: Vector
    values: Vector
    error: Vector


def matrix_product(K: Matrix, v: Vector) -> Vector:
    """Return K v, from the rows of the symmetric K where v is not zero, if these are few."""
    (used,) = np.nonzero(v)
    return np.asarray(v[used] @ K[used] if 4 * used.size < v.size else K @ v)


def streamed_product(kernel: Kernel, X: Samples, v: Vector, suffices: Suffices | None = None) -> BoundedProduct:
    """Return K v without K in memory: in float64, or as far as it ``suffices`` in float32 where v is 0."""
    used, rest = np.flatnonzero(v), np.flatnonzero(v == 0)
    values, error, c = np.zeros(v.size), np.zeros(v.size), v[used]
    taken = taken_among(kernel, X, used)
    if taken is None:
        add_kernel_sums(kernel, X[used], c, X, values)
        return BoundedProduct(v, values, error)
    sums = np.zeros(used.size)
    add_symmetric_sums(taken, c, sums)
    values[used] = sums
    add_sums_where(taken, c, rest, suffices, values, error)
    return BoundedProduct(v, values, error)


def bounded_product(gram: Gram, v: Vector, suffices: Suffices) -> BoundedProduct:
    """Return K v with bounds of its error, made in float32 where that ``suffices`` and saves time.

    Where v is not 0 the values are made in float64, and so v'Kv is.

    Parameters
    ----------
    gram
        K.
    v
        Shape (m,).
    suffices
        Called with the numbers of some samples, their values and the bounds of their errors: says which will do.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, Gram
    >>> from qpkernels.gram import bounded_product
    >>> gram = Gram(RBF(gamma=0.5), [[0.0], [1.0], [2.0]])
    >>> product = bounded_product(gram, np.array([1.0, 0.0, 0.0]), lambda samples, values, errors: errors < 1e-3)
    >>> print(product.values.round(3), (product.error < 1e-3).all())
    [1.    0.607 0.135] True
    """
    summed = gram.is_formed or gram.factored is not None
    if v.any() and gram.correction is None and not summed:
        with blas_threads_for(len(gram)):
            return streamed_product(gram.kernel, gram.X, finite_vector(v, "coefficients", len(gram)), suffices)
    return BoundedProduct(v, gram.product(v), np.zeros(len(gram)))


def products(gram: Gram, V: Matrix) -> Matrix:
    """Return K V for V of shape (m, k): of a matrix that is not in memory, each entry is made once for all columns."""
    summed = gram.correction is None and gram.factored is not None
    if summed or (V.shape[1] == 1 and not gram.is_formed):
        return np.column_stack([gram.product(v) for v in V.T])
    with blas_threads_for(len(gram)):
        if gram.is_formed or gram.correction is not None:
            # Half of a symmetric matrix is half of what is read from memory.
            return dsymv(1.0, gram.dense.T, V[:, 0])[:, None] if V.shape[1] == 1 else np.asarray(gram.dense @ V)
        values = np.zeros_like(V)
        taken = taken_among(gram.kernel, gram.X, np.arange(len(gram)))
        if taken is None:
            for rows in row_blocks(len(gram), len(gram)):
                values[rows] = gram.kernel.matrix(gram.X[rows], gram.X) @ V
        else:
            add_symmetric_products(taken, V, values)
        return values
