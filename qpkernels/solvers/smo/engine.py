# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimisation of a KernelQP, stopped by its relative duality gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.gram.panels.making import make_product
from qpkernels.kernels import RBF, ProductForm
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.solvers.smo.blocks import Limits, block_iterates
from qpkernels.solvers.smo.iterate import Iterate, measure_exactly, nearly_vanishes, vanishing_iterate
from qpkernels.solvers.smo.rows.product_rows import ProductRows
from qpkernels.solvers.smo.rows.rows import MatrixRows
from qpkernels.solvers.smo.shrinking import ShrinkingDescent

__all__ = ["CACHE", "compile_loops", "minimise"]

CACHE = 2**31
"""Bytes that kept rows may take."""


def minimise(
    program: KernelQP,
    tol: float,
    max_iter: int,
    deadline: float = np.inf,
    start: Vector | None = None,
    report: Callable[[Iterate], None] | None = None,
    cache_bytes: int = CACHE,
    values: Vector | None = None,
) -> Iterate:
    """Return the first iterate whose relative duality gap is within ``tol``, or the last one before a limit.

    An interruption from the keyboard counts as a limit.

    Parameters
    ----------
    program
        The problem. Its kernel matrix need not fit in memory.
    tol
        Bound on the relative duality gap, and on the violation of hard constraints.
    max_iter
        Number of steps.
    deadline
        ``time.perf_counter()`` after which no further steps are begun.
    start
        Any beta; it is projected to the feasible set. Zero (or a feasible point near it) when left out.
    report
        Called with each iterate whose gap is computed.
    cache_bytes
        Bytes that kept rows of the kernel matrix may take.
    values
        K start, where it is known in float64.
    """
    beta = program.project(np.zeros(len(program)) if start is None else start)
    if start is not None and values is not None:
        values = values + program.gram.product(beta - start)
    iterates = block_iterates(program, Limits(tol, max_iter, deadline), beta, cache_bytes, values)
    iterate, tried = None, False
    try:
        while True:
            iterate = next(iterates)
            if report is not None:
                report(iterate)
            if iterate.proves(tol) or iterate.stalled or iterate.diverging:
                return iterate
            if not tried and nearly_vanishes(program, iterate):
                tried = True
                if (vanishing := vanishing_iterate(program, iterate.iterations)) is not None:
                    return vanishing
            if iterate.iterations >= max_iter or perf_counter() >= deadline:
                return iterate
    except KeyboardInterrupt:
        iterate = iterate or measure_exactly(program, beta, 0)
        return replace(iterate, interrupted=True)


@cache
def compile_loops() -> None:
    """Use all compiled code once on a few samples: it is compiled then, or read from numba's cache."""
    X, everything, one = np.eye(3), np.arange(3), np.ones(3)
    products = [
        ProductRows.with_cache(make_product(ProductForm.exponential(1.0, samples), samples, dtype), 2**20)
        for samples in (X, csr_array(X))
        for dtype in (np.float32, np.float64)
    ]
    for total in (0.0, None):
        program = KernelQP(Gram(RBF(1.0), X), np.array([1.0, -1.0, 1.0]), -1.0, 1.0, total)
        for rows in (MatrixRows(program.gram.dense), *products):
            ShrinkingDescent(program, rows, np.zeros(3), np.zeros(3)).outer_iteration(10, 1e-6)
    for rows in products:
        rows.add_to(everything, everything, one, np.zeros(3))
        for _ in range(2):
            rows.add(everything, one, np.full(3, 1000), np.zeros(3))
            rows.block(everything)
