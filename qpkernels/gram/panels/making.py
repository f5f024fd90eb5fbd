# SPDX-License-Identifier: BSD-3-Clause
"""From samples to what panels are made of, dense or sparse, whichever is faster; it loads the compiler."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Samples, Vector, is_sparse
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.dense import DenseProduct
from qpkernels.gram.panels.products import Product, mostly_zero
from qpkernels.gram.panels.sparse import SparseProduct
from qpkernels.gram.panels.threads import in_parts
from qpkernels.kernels.base import Kernel, ProductForm

__all__ = ["compressed", "form_and_samples", "make_product"]


def form_and_samples(kernel: Kernel, X: Samples) -> tuple[ProductForm | None, Samples]:
    """Return the kernel's product form, if it has one, and ``X``, compressed where panels are faster so."""
    form = kernel.product_form(X)
    if form is None or not mostly_zero(X):
        return form, X
    sparse = compressed(X)
    return kernel.product_form(sparse), sparse


def compressed(X: Samples) -> Samples:
    """Return ``X`` as a CSR array."""
    if is_sparse(X):
        return X
    counts = np.zeros(len(X), np.intp)
    in_parts(lambda _, part: _count(X[part], counts[part]), len(X), 1, X.size)
    starts = np.concatenate([[0], np.cumsum(counts)])
    data, indices = np.empty(starts[-1]), np.empty(starts[-1], np.intp)
    in_parts(lambda _, part: _compress(X[part], starts[part], indices, data), len(X), 1, X.size)
    return csr_array((data, indices, starts), shape=X.shape)


def make_product(form: ProductForm, X: Samples, dtype: DTypeLike) -> Product:
    """Return features and offsets of the samples ``X`` in that precision."""
    kind = SparseProduct if is_sparse(X) else DenseProduct
    return kind.of(X, form.origin, form.scale, form.offset, form.degree, np.dtype(dtype))


@compiled
def _count(X: Matrix, counts: Indices) -> None:
    for i in range(counts.size):
        count = 0
        for k in range(X.shape[1]):
            count += X[i, k] != 0
        counts[i] = count


@compiled
def _compress(X: Matrix, starts: Indices, indices: Indices, data: Vector) -> None:
    for i in range(starts.size):
        p = starts[i]
        for k in range(X.shape[1]):
            if X[i, k] != 0:
                indices[p], data[p] = k, X[i, k]
                p += 1
