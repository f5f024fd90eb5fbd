# SPDX-License-Identifier: BSD-3-Clause
"""From samples to what panels are made of, dense or sparse as they are; it loads the compiler."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from qpkernels.arrays import Samples, is_sparse
from qpkernels.gram.panels.dense import DenseProduct
from qpkernels.gram.panels.products import Product
from qpkernels.gram.panels.sparse import SparseProduct
from qpkernels.kernels.base import ProductForm

__all__ = ["make_product"]


def make_product(form: ProductForm, X: Samples, dtype: DTypeLike) -> Product:
    """Return features and offsets of the samples ``X`` in that precision."""
    kind = SparseProduct if is_sparse(X) else DenseProduct
    return kind.of(X, form.origin, form.scale, form.offset, form.degree, np.dtype(dtype))
