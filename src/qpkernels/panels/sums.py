# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values in float64, the matrix never formed."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Samples, Vector, is_sparse, row_blocks
from qpkernels.kernels.base import Kernel
from qpkernels.panels.products import ProductForm, product_form
from qpkernels.panels.threads import in_parts, without_blas_threads

__all__ = ["add_kernel_sums"]

_EXPONENT_ERROR = 1e-11
"""Largest error of an exponent that is left to rounding; beyond, the kernel's own matrix is asked for."""

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
    form = None if few or is_sparse(X) else product_form(kernel, centers)
    if form is None or not _exact(form, centers, X):
        for rows in row_blocks(values.size, coefficients.size):
            values[rows] += kernel.matrix(X[rows], centers) @ coefficients
        return
    _add_in_panels(form, centers, coefficients, X, values)


def _exact(form: ProductForm, centers: Samples, X: Samples) -> bool:
    """Return whether what cancels in an exponent is small enough for its rounding not to matter."""
    if form.degree > 0:
        return True
    reach = max(float(np.abs(form.scale * (part - form.origin)).max(initial=0.0)) for part in _extremes(centers, X))
    return reach**2 * form.scale.size * float(np.finfo(float).eps) <= _EXPONENT_ERROR


def _extremes(centers: Samples, X: Samples) -> tuple[Vector, ...]:
    return centers.min(axis=0), centers.max(axis=0), X.min(axis=0), X.max(axis=0)


def _add_in_panels(form: ProductForm, centers: Samples, coefficients: Vector, X: Samples, values: Vector) -> None:
    from qpkernels.panels.loops import PANEL, add_rows

    left, no_store = form.of(centers, np.float64), np.empty((0, 0))
    slots = np.full(coefficients.size, -1)

    def work(number: int, part: slice) -> None:
        del number
        buffer = np.empty(_ROWS * PANEL)
        for first in range(part.start, part.stop, _COLUMNS):
            columns = slice(first, min(first + _COLUMNS, part.stop))
            right = form.of(X[columns], np.float64)
            for start in range(0, coefficients.size, _ROWS):
                rows = slice(start, start + _ROWS)
                add_rows(
                    left.features[rows],
                    left.offsets[rows],
                    form.degree,
                    right.features,
                    right.offsets,
                    coefficients[rows],
                    values[columns],
                    buffer,
                    no_store,
                    slots[rows],
                    0,
                )

    with without_blas_threads():
        in_parts(work, values.size, 64, coefficients.size * values.size * form.scale.size)
