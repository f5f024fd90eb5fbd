# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values in float64, the matrix never formed."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Samples, Vector, is_sparse, row_blocks
from qpkernels.gram.panels.products import EXPONENT_ERROR, PANEL, mostly_zero
from qpkernels.gram.panels.threads import in_parts, without_blas_threads
from qpkernels.kernels.base import Kernel, ProductForm

__all__ = ["add_kernel_sums"]

_ROWS, _COLUMNS = 512, 2048
"""Centers and samples of a piece of work."""

_FEW = 2e5
"""Kernel values for which compiled code is not worth loading."""


def add_kernel_sums(kernel: Kernel, centers: Samples, coefficients: Vector, X: Samples, values: Vector) -> None:
    """Add sum over c of coefficients_c k(x_c, x_j) to ``values[j]`` for all samples x_j in ``X``.

    Kernels that are a function of a matrix product are summed in compiled code, on all processors.
    """
    if coefficients.size == 0:
        return
    few = coefficients.size * values.size <= _FEW
    # Panels take centers and samples of one kind.
    form = None if few or is_sparse(X) != is_sparse(centers) else kernel.product_form(centers)
    if form is not None and mostly_zero(centers):
        centers, X, form = _compressed(kernel, centers, X)
    if form is None or max(form.error(centers), form.error(X)) > EXPONENT_ERROR:
        for rows in row_blocks(values.size, coefficients.size):
            values[rows] += kernel.matrix(X[rows], centers) @ coefficients
        return
    _add_in_panels(form, centers, coefficients, X, values)


def _compressed(kernel: Kernel, centers: Samples, X: Samples) -> tuple[Samples, Samples, ProductForm | None]:
    from qpkernels.gram.panels.making import compressed

    sparse = compressed(centers)
    return sparse, compressed(X), kernel.product_form(sparse)


def _add_in_panels(form: ProductForm, centers: Samples, coefficients: Vector, X: Samples, values: Vector) -> None:
    # It loads the compiler, which not everyone needs.
    from qpkernels.gram.panels.making import make_product

    left, no_store = make_product(form, centers, np.float64), np.empty((0, 0))
    slots = np.full(coefficients.size, -1)
    chunks = [slice(start, start + _ROWS) for start in range(0, coefficients.size, _ROWS)]
    prepared = [left.part(rows).centers() for rows in chunks]

    def work(number: int, part: slice) -> None:
        del number
        buffer = np.empty(_ROWS * PANEL)
        for first in range(part.start, part.stop, _COLUMNS):
            columns = slice(first, min(first + _COLUMNS, part.stop))
            right = make_product(form, X[columns], np.float64)
            for rows, some in zip(chunks, prepared, strict=True):
                right.add_rows(some, coefficients[rows], values[columns], buffer, no_store, slots[rows], 0)

    with without_blas_threads():
        in_parts(work, values.size, 64, coefficients.size * values.size * left.width)
