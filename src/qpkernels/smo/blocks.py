# SPDX-License-Identifier: BSD-3-Clause
"""From block descent to a proved answer: in float32 as far as that reaches, then on in float64.

In float32 the rows of K are made fastest, and the gap falls to what their rounding leaves of it. There the values are
computed in float64, once, and the samples that may still change are solved for in float64 alone: those inside their
bounds, and those on the wrong side of the optimality conditions or close to it. What they change is then added to the
values of all, and the gap of all decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.gram import Gram
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.descent import Descent
from qpkernels.smo.exact import add_exact_rows, doubt_of, exact_values
from qpkernels.smo.iterate import Iterate, Progress, measure
from qpkernels.smo.product_rows import Product, ProductRows, product_of
from qpkernels.smo.rows import FeatureRows, KernelRows, MatrixRows, Rows
from qpkernels.smo.shrinking import may_change
from qpkernels.smo.threads import without_blas_threads

__all__ = ["block_iterates"]

_ROUNDS = 4
"""Rounds between two measurements of the gap, unless it is close to what is wanted."""

_IDLE = 10
"""Measurements without a better value or gap after which rounding is all that still changes."""

_UNIT = float(np.finfo(float).eps)

_DENSE = 3000
"""Samples whose matrix is formed in float64 when they are what is left to solve for."""


def block_iterates(
    program: KernelQP, tol: float, max_iter: int, deadline: float, beta: Vector, cache: int
) -> Iterator[Iterate]:
    """Yield an iterate now and then; the last one proves ``tol``, or is as good as float64 makes it."""
    gram = program.gram
    rows = _exact_rows(gram)
    product = product_of(gram.kernel, gram.X) if rows is None else None
    if product is not None:
        with without_blas_threads():
            yield from _from_single(program, product, tol, max_iter, deadline, beta, cache)
        return
    rows = KernelRows(gram.kernel, gram.X, cache) if rows is None else rows
    descent = Descent(program, np.arange(len(program)), rows, beta, gram.product(beta))
    yield from _descend(program, descent, tol, max_iter, _UNIT)


def _exact_rows(gram: Gram) -> Rows | None:
    """Return rows in float64 that cost little: from features, or from a matrix there is already or must be."""
    if "dense" in gram.__dict__ or not gram.kernel.positive_semidefinite:
        return MatrixRows(gram.dense)
    return None if gram.features is None else FeatureRows(gram.features)


def _from_single(
    program: KernelQP, product: Product, tol: float, max_iter: int, deadline: float, beta: Vector, cache: int
) -> Iterator[Iterate]:
    """Yield iterates in float32, then in float64."""
    gram, steps = program.gram, 0
    values = exact_values(gram, beta)
    descent = Descent(program, np.arange(len(program)), ProductRows(product, cache), beta, values)
    for iterate in _descend(program, descent, tol, max_iter, float(np.finfo(np.float32).eps)):
        steps = iterate.iterations
        yield iterate
    beta = descent.beta
    values = exact_values(gram, beta)
    yield measure(program, beta, values, steps, stalled=False)
    yield from _refine(program, max_iter, deadline, beta, values, cache, steps)


def _descend(program: KernelQP, descent: Descent, tol: float, max_iter: int, unit: float) -> Iterator[Iterate]:
    """Yield iterates of a descent over all samples, until none of its steps improves to within rounding ``unit``."""
    rounds, gap, aim, progress = 0, np.inf, tol, Progress(_IDLE)
    while True:
        size = float(max(np.abs(descent.values).max(), np.abs(program.target).max()))
        taken = descent.round(max_iter - descent.steps, 4 * unit * size)
        rounds += 1
        if taken and rounds % _ROUNDS and gap > 30 * tol and descent.steps < max_iter:
            continue
        iterate = measure(program, descent.beta, descent.values, descent.steps, stalled=taken == 0)
        gap = iterate.distance
        if progress.ended(iterate):
            if unit > _UNIT:
                return
            iterate = replace(iterate, stalled=True)
        if unit > _UNIT:
            if taken == 0:
                return
            if gap <= aim:
                doubt = doubt_of(program, descent.beta, descent.values, iterate.intercept)
                if doubt > 0.5 * tol:
                    return
                aim = tol - doubt
            iterate = replace(iterate, doubt=tol - aim)
        yield iterate


def _refine(
    program: KernelQP, max_iter: int, deadline: float, beta: Vector, values: Vector, cache: int, steps: int
) -> Iterator[Iterate]:
    """Yield iterates in float64: solve for the samples that may change, add what they changed to all values, repeat."""
    gram = program.gram
    while True:
        active, violation = may_change(program, beta, values)
        size = float(max(np.abs(values).max(), np.abs(program.target).max()))
        floor = max(4 * _UNIT * size, 1e-3 * violation)
        part = Descent(program, active, _rows_of(gram, active, cache), beta, values)
        before = part.beta.copy()
        while part.round(max_iter - steps - part.steps, floor):
            if steps + part.steps >= max_iter or perf_counter() >= deadline:
                break
        steps += part.steps
        changed = np.flatnonzero(part.beta != before)
        beta[active] = part.beta
        add_exact_rows(gram, active[changed], (part.beta - before)[changed], values)
        yield measure(program, beta, values, steps, stalled=part.steps == 0)


def _rows_of(gram: Gram, active: Indices, cache: int) -> Rows:
    X = gram.X[active]
    return (
        MatrixRows(gram.kernel.matrix(X, X))
        if active.size <= _DENSE
        else KernelRows(gram.kernel, X, cache, in_threads=True)
    )
