# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values, the matrix never formed: in float64, or in float32 with a proved bound of the error.

In K beta at the samples that have a coefficient themselves, k_ij serves f(x_i) and f(x_j), and is made once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Samples, Vector, is_sparse, row_blocks
from qpkernels.arrays.machine_code import at_hand
from qpkernels.arrays.threads import in_parts, paired_strips, threads, without_blas_threads
from qpkernels.gram.panels.products import EXP2_ERROR, EXPONENT_ERROR, PANEL, PanelProduct, mostly_zero
from qpkernels.kernels.kernel import Kernel
from qpkernels.kernels.products import ProductForm

__all__ = [
    "COLUMNS",
    "FEW",
    "ROWS",
    "DoubleSums",
    "SingleSums",
    "Suffices",
    "Taken",
    "add_kernel_sums",
    "add_sums_where",
    "add_symmetric_products",
    "add_symmetric_sums",
    "taken_among",
    "taken_by_panels",
]

ROWS, COLUMNS = 512, 2048
"""Centers and samples of a piece of work."""

_STRIP = 128
"""Rows that are multiplied from both sides at once: a panel of them stays in a processor's cache."""

FEW = 2e5
"""Kernel values for which compiled code is not worth loading."""


def add_kernel_sums(
    kernel: Kernel,
    centers: Samples,
    coefficients: Vector,
    X: Samples,
    values: Vector,
    between: Callable[[Samples], Matrix] | None = None,
) -> None:
    """Add sum over c of coefficients_c k(x_c, x_j) to ``values[j]`` for all samples x_j in ``X``.

    Kernels that are a function of a matrix product are summed in compiled code, on all processors. For few values
    ``between`` returns the matrix of the samples with the centers; None: the kernel does.
    """
    if coefficients.size == 0:
        return
    taken = taken_by_panels(kernel, centers, X)
    if taken is None:
        for rows in row_blocks(values.size, coefficients.size):
            known = kernel.matrix(X[rows], centers) if between is None else between(X[rows])
            values[rows] += known @ coefficients
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
    if used.size * X.shape[0] > FEW and mostly_zero(X) and at_hand("descent"):
        from qpkernels.gram.panels.samples import form_and_samples

        X = form_and_samples(kernel, X)[1]
    return taken_by_panels(kernel, X[used], X)


def taken_by_panels(kernel: Kernel, centers: Samples, X: Samples) -> Taken | None:
    """Return what panels make the sums of; None: they are not worth it, or would round more than the kernel does."""
    few = centers.shape[0] * X.shape[0] <= FEW
    # Panels take centers and samples of one kind.
    apart = few or is_sparse(X) != is_sparse(centers) or not at_hand("descent")
    form = None if apart else kernel.product_form(centers)
    if form is not None and mostly_zero(centers):
        from qpkernels.gram.panels.samples import compressed

        centers, X = compressed(centers), compressed(X)
        form = kernel.product_form(centers)
    if form is None or max(form.error(centers), form.error(X)) > EXPONENT_ERROR:
        return None
    return Taken(form, centers, X)


class DoubleSums:
    """The sums of coefficients_c k(x_c, x) in float64, from the features of the centers, which are made once."""

    def __init__(self, form: ProductForm, centers: Samples, coefficients: Vector) -> None:
        # It loads the compiler, which not everyone needs.
        from qpkernels.gram.panels.samples import make_product

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
    from qpkernels.gram.panels.samples import make_product

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
    from qpkernels.gram.panels.samples import make_product

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


def _add_strip(product: PanelProduct, rows: slice, coefficients: Vector, sums: Vector, buffer: Floats) -> None:
    """Add what the entries from the diagonal on of these rows add to both sides."""
    left, weights, rest = product.part(rows).centers(), coefficients[rows], slice(rows.stop, product.size)
    no_store, slots = np.empty((0, 0)), np.full(weights.size, -1)
    product.part(rows).add_rows(left, weights, sums[rows], buffer, no_store, slots, 0)
    product.part(rest).add_both(left, (weights, coefficients[rest]), (sums[rows], sums[rest]), buffer)


Suffices: TypeAlias = Callable[[Indices, Vector, Vector], NDArray[np.bool_]]
"""The values at samples with bounds of their errors; an exact one is made only where the value will not do."""

_UNIT = 2.0**-24

_ROOM = 1.01
"""Factor for terms of second order."""

_WORTH = 1e8
"""Multiplications for which it is worth to look twice at what is to be made in float64."""

_LARGEST = 0.1
"""Relative error of a kernel value beyond which float32 tells too little."""


class SingleSums:
    r"""The sums of coefficients_c k(x_c, x) in float32, where the form is that of an exponential.

    The product form of the kernel is k_ij = 2^x_ij with x_ij = -1/2 |a_i - a_j|^2. Let u = 2^-24, the largest relative
    rounding error of float32, r_i = |a_i|, and s = r_i + r_j. Then the exponent is off by at most

    =======================  ===========================================================================================
    2 u * s^2 / 2            since features are rounded: |a_i - a_j| changes by u s at most, and is s at most
    p u * r_i r_j            in the sum of p products, whatever their order and whether multiply and add are fused
    u * s^2 / 2              since the offsets |a_i|^2 / 2 are rounded
    2 u * s^2 / 2            in their two subtractions, no result of which is above s^2 / 2
    =======================  ===========================================================================================

    and terms of second order, for which one hundredth more is ample room up to p u = 1/200. With this bound d_i at the
    largest r_j of the centers, and the bound e of the relative error of 2^x by itself (EXP2_ERROR), every value as
    computed is within a factor of its true one, and below 2^-126 within 2^-125 of it::

        | k^_ij - k_ij |  <=  rho_i k^_ij + 2^-125,        rho_i = 2^d_i / (1 - e) - 1

    It is a bound for every single value, not for independent errors: they may all have one sign. Values are added up in
    float64, those with positive and with negative coefficients apart. The difference of both sums S+ and S- is what is
    wanted, and their sum bounds its error, at no further cost::

        | sum_j beta_j (k^_ij - k_ij) |  <=  rho_i (S+_i + S-_i) + 2^-125 sum_j |beta_j|

    to which n additions in float64 add n 2^-53 (S+_i + S-_i) at most. So the bound knows how far the centers are.
    """

    def __init__(self, form: ProductForm, centers: Samples, coefficients: Vector) -> None:
        # It loads the compiler, which not everyone needs.
        from qpkernels.gram.panels.samples import make_product

        self._form, self._make = form, make_product
        order = np.argsort(coefficients < 0, kind="stable")
        product = make_product(form, centers[order], np.float32)
        self._radius, self._terms = float(product.lengths.max()), product.terms
        self._size, self._total = coefficients.size, float(np.abs(coefficients).sum())
        positive = int((coefficients > 0).sum())
        weights = np.abs(coefficients[order])
        self._chunks = [
            (product.part(rows).centers(), weights[rows], int(rows.start >= positive))
            for rows in (*_pieces(0, positive), *_pieces(positive, coefficients.size))
        ]
        self.usable = form.degree == 0 and float(self._relative_error(product.lengths, self._terms).max()) <= _LARGEST

    def __call__(self, X: Samples, buffer: Floats) -> tuple[Vector, Vector]:
        """Return the sums at the samples ``X``, and the bounds of their errors; ``buffer`` is written over."""
        product, no_store = self._make(self._form, X, np.float32), np.empty((0, 0), np.float32)
        sums = np.zeros((2, product.size))
        for centers, weights, sign in self._chunks:
            slots = np.full(weights.size, -1)
            product.add_rows(centers, weights, sums[sign], buffer, no_store, slots, 0)
        relative = self._relative_error(product.lengths, max(self._terms, product.terms))
        error = (relative + self._size * 2.0**-52) * sums.sum(axis=0) + 2.0**-125 * self._total
        return sums[0] - sums[1], _ROOM * error

    def _relative_error(self, lengths: Vector, terms: int) -> Vector:
        """Return rho_i for samples with features of these ``lengths``; infinity where float32 cannot tell."""
        if terms * _UNIT > 0.005:
            return np.full(lengths.size, np.inf)
        with np.errstate(over="ignore", invalid="ignore"):
            exponent = _ROOM * _UNIT * (2.5 * (lengths + self._radius) ** 2 + terms * lengths * self._radius)
            error = np.exp2(exponent) / (1.0 - EXP2_ERROR) - 1.0
        return np.where(np.isnan(error), np.inf, error)


def _pieces(first: int, last: int) -> list[slice]:
    return [slice(start, min(start + ROWS, last)) for start in range(first, last, ROWS)]


def add_sums_where(
    taken: Taken, coefficients: Vector, wanted: Indices, suffices: Suffices | None, values: Vector, error: Vector
) -> None:
    """Write the sums at the samples that are ``wanted`` to their ``values``, in float32 where that suffices.

    Parameters
    ----------
    suffices
        Says at which of some samples float32 will do; None: at none. Once it does at less than half of them, float64
        makes the rest at once.
    error
        Where bounds of the errors of the values are written: 0 for those made in float64.
    """
    form, centers, X = taken
    double = DoubleSums(form, centers, coefficients)
    effort = float(coefficients.size) * wanted.size * double.width
    single = None if suffices is None or form.degree or effort < _WORTH else SingleSums(form, centers, coefficients)

    def work(number: int, part: slice) -> None:
        del number
        trusted = single is not None and single.usable
        buffer = double.buffer()
        narrow = buffer.view(np.float32)
        for first in range(part.start, part.stop, COLUMNS):
            samples = wanted[first : min(first + COLUMNS, part.stop)]
            left = samples
            if trusted and single is not None and suffices is not None:
                values[samples], error[samples] = single(X[samples], narrow)
                left = samples[~suffices(samples, values[samples], error[samples])]
                trusted = 2 * left.size < samples.size
            if left.size:
                values[left], error[left] = double(X[left], buffer), 0.0

    with without_blas_threads():
        in_parts(work, wanted.size, 64, effort)
