# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values in float64, the matrix never formed.

Of K beta at the samples with a coefficient themselves, k_ij serves f(x_i) and f(x_j), and is made once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Floats, Indices, Matrix, Samples, Vector, is_sparse, row_blocks
from qpkernels.gram.panels.products import EXPONENT_ERROR, PANEL, Product, mostly_zero
from qpkernels.gram.panels.threads import in_parts, paired_strips, threads, without_blas_threads
from qpkernels.kernels.base import Kernel, ProductForm

__all__ = [
    "COLUMNS",
    "ROWS",
    "DoubleSums",
    "Taken",
    "add_kernel_sums",
    "add_symmetric_products",
    "add_symmetric_sums",
    "taken_among",
    "taken_by_panels",
]

ROWS, COLUMNS = 512, 2048
"""Centers and samples of a piece of work."""

_STRIP = 128
"""Rows that are multiplied from both sides at once: a panel of them stays in a processor's cache."""

_FEW = 2e5
"""Kernel values for which compiled code is not worth loading."""


def add_kernel_sums(kernel: Kernel, centers: Samples, coefficients: Vector, X: Samples, values: Vector) -> None:
    """Add sum over c of coefficients_c k(x_c, x_j) to ``values[j]`` for all samples x_j in ``X``.

    Kernels that are a function of a matrix product are summed in compiled code, on all processors.
    """
    if coefficients.size == 0:
        return
    taken = taken_by_panels(kernel, centers, X)
    if taken is None:
        for rows in row_blocks(values.size, coefficients.size):
            values[rows] += kernel.matrix(X[rows], centers) @ coefficients
        return
    sums = DoubleSums(taken.form, taken.centers, coefficients)
    _add_in_panels(sums, taken.X, values, coefficients.size * values.size * sums.width)


class Taken(NamedTuple):
    """A kernel's form, centers and samples, as panels take them."""

    form: ProductForm
    centers: Samples
    X: Samples


def taken_among(kernel: Kernel, X: Samples, used: Indices) -> Taken | None:
    """Return what :func:`taken_by_panels` does, for centers that are the ``used`` ones of ``X``: compressed once."""
    if used.size * X.shape[0] > _FEW and mostly_zero(X):
        from qpkernels.gram.panels.making import form_and_samples

        X = form_and_samples(kernel, X)[1]
    return taken_by_panels(kernel, X[used], X)


def taken_by_panels(kernel: Kernel, centers: Samples, X: Samples) -> Taken | None:
    """Return what panels make the sums of; None: they are not worth it, or would round more than the kernel does."""
    few = centers.shape[0] * X.shape[0] <= _FEW
    # Panels take centers and samples of one kind.
    form = None if few or is_sparse(X) != is_sparse(centers) else kernel.product_form(centers)
    if form is not None and mostly_zero(centers):
        from qpkernels.gram.panels.making import compressed

        centers, X = compressed(centers), compressed(X)
        form = kernel.product_form(centers)
    if form is None or max(form.error(centers), form.error(X)) > EXPONENT_ERROR:
        return None
    return Taken(form, centers, X)


class DoubleSums:
    """The sums of coefficients_c k(x_c, x) in float64, from the features of the centers, which are made once."""

    def __init__(self, form: ProductForm, centers: Samples, coefficients: Vector) -> None:
        # It loads the compiler, which not everyone needs.
        from qpkernels.gram.panels.making import make_product

        self._form, self._make = form, make_product
        product = make_product(form, centers, np.float64)
        self.width = product.width
        chunks = [slice(start, start + ROWS) for start in range(0, coefficients.size, ROWS)]
        self._chunks = [(product.part(rows).centers(), coefficients[rows]) for rows in chunks]

    def buffer(self) -> Floats:
        """Return memory that a call writes over."""
        return np.empty(ROWS * PANEL)

    def __call__(self, X: Samples, buffer: Floats) -> Vector:
        """Return the sums at the samples ``X``."""
        product, no_store, sums = self._make(self._form, X, np.float64), np.empty((0, 0)), np.zeros(X.shape[0])
        for centers, weights in self._chunks:
            product.add_rows(centers, weights, sums, buffer, no_store, np.full(weights.size, -1), 0)
        return sums


def add_symmetric_sums(taken: Taken, coefficients: Vector, values: Vector) -> None:
    """Add sum over c of coefficients_c k(x_c, x_j) to ``values[j]`` for the centers x_j themselves."""
    # It loads the compiler, which not everyone needs.
    from qpkernels.gram.panels.making import make_product

    product, size = make_product(taken.form, taken.centers, np.float64), coefficients.size
    strips = paired_strips(size, _STRIP)
    of_thread = np.zeros((threads(), size))

    def work(number: int, part: slice) -> None:
        buffer = np.empty(_STRIP * PANEL)
        for rows in strips[part]:
            _add_strip(product, rows, coefficients, of_thread[number], buffer)

    with without_blas_threads():
        in_parts(work, len(strips), 2, 0.5 * size**2 * product.width)
    values += of_thread.sum(axis=0)


def add_symmetric_products(taken: Taken, V: Matrix, values: Matrix) -> None:
    """Add K V to ``values``, shape (m, k), for samples that are the centers: a block of entries serves all columns."""
    # It loads the compiler, which not everyone needs.
    from qpkernels.gram.panels.making import make_product

    product, size = make_product(taken.form, taken.centers, np.float64), len(V)
    strips = paired_strips(size, ROWS)
    of_thread = np.zeros((threads(), *V.shape))

    def work(number: int, part: slice) -> None:
        sums, memory = of_thread[number], np.empty((COLUMNS, ROWS))
        for rows in strips[part]:
            left = product.part(rows).centers()
            for first in range(rows.start, size, COLUMNS):
                columns = slice(first, min(first + COLUMNS, size))
                block = memory[: columns.stop - first, : rows.stop - rows.start]
                product.part(columns).make_block(left, np.arange(len(block)), block)
                sums[rows] += block.T @ V[columns]
                # The entries among the rows themselves are there from both sides.
                beyond = slice(max(first, rows.stop), columns.stop)
                sums[beyond] += block[beyond.start - first :] @ V[rows]

    with without_blas_threads():
        in_parts(work, len(strips), 2, 0.5 * size**2 * product.width)
    values += of_thread.sum(axis=0)


def _add_in_panels(sums: DoubleSums, X: Samples, values: Vector, effort: float) -> None:
    def work(number: int, part: slice) -> None:
        del number
        buffer = sums.buffer()
        for first in range(part.start, part.stop, COLUMNS):
            columns = slice(first, min(first + COLUMNS, part.stop))
            values[columns] += sums(X[columns], buffer)

    with without_blas_threads():
        in_parts(work, values.size, 64, effort)


def _add_strip(product: Product, rows: slice, coefficients: Vector, sums: Vector, buffer: Floats) -> None:
    """Add what the entries from the diagonal on of these rows add to both sides."""
    left, weights, rest = product.part(rows).centers(), coefficients[rows], slice(rows.stop, product.size)
    no_store, slots = np.empty((0, 0)), np.full(weights.size, -1)
    product.part(rows).add_rows(left, weights, sums[rows], buffer, no_store, slots, 0)
    product.part(rest).add_both(left, (weights, coefficients[rest]), (sums[rows], sums[rest]), buffer)
