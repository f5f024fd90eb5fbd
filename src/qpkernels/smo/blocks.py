# SPDX-License-Identifier: BSD-3-Clause
"""From block descent to a proved answer: with rows in float32 as far as they reach, then on with rows in float64.

In float32 the rows of K are made fastest, and what they do to the values is added up in float64. The values are then
those of a matrix a little beside K, and the gap falls to what this leaves of it. There the values are computed from K
itself, and the descent goes on from them with rows in float32 again: these now err by a part of what is still to change
alone. So each cycle brings the point nearer to the optimum of K, as iterative refinement does for linear equations. A
matrix that float32 cannot tell from a much worse one ends this; rows in float64 are left then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.cache import RowCache
from qpkernels.smo.exact import add_exact_rows, doubt_of
from qpkernels.smo.iterate import Iterate, Progress, measure
from qpkernels.smo.product_rows import Product, ProductRows, product_of
from qpkernels.smo.rows import FeatureRows, KernelRows, MatrixRows, Rows
from qpkernels.smo.shrinking import ShrinkingDescent
from qpkernels.smo.threads import without_blas_threads

__all__ = ["block_iterates"]

_ROUNDS = 4
"""Rounds between two measurements of the gap, unless it is close to what is wanted."""

_IDLE = 10
"""Measurements without a better value or gap after which rounding is all that still changes."""

_GAIN = 0.3
"""Part of the gap that a cycle in float32 must get it down to; else another would gain little."""

_DOUBTFUL = 0.3
"""Part of the gap that float32 may leave in doubt for the descent to go on."""

_UNIT = float(np.finfo(float).eps)


@dataclass
class _Limits:
    """When to stop, and the steps taken before this descent."""

    tol: float
    max_iter: int
    deadline: float
    steps: int = 0


def block_iterates(
    program: KernelQP, tol: float, max_iter: int, deadline: float, beta: Vector, cache: int
) -> Iterator[Iterate]:
    """Yield an iterate now and then; the last one proves ``tol``, or is as good as float64 makes it."""
    gram, limits = program.gram, _Limits(tol, max_iter, deadline)
    rows = _exact_rows(gram)
    product = product_of(gram.kernel, gram.X) if rows is None else None
    if product is None:
        rows = KernelRows(gram.kernel, gram.X, _exact_cache(gram, cache)) if rows is None else rows
        yield from _descend(program, ShrinkingDescent(program, rows, beta, gram.product(beta)), limits, singles=False)
        return
    with without_blas_threads():
        beta, values = yield from _in_single(program, product, limits, beta, cache)
        rows = KernelRows(gram.kernel, gram.X, _exact_cache(gram, cache), in_threads=True)
        yield from _descend(program, ShrinkingDescent(program, rows, beta, values), limits, singles=False)


def _exact_rows(gram: Gram) -> Rows | None:
    """Return rows in float64 that cost little: from features, or from a matrix there is already or must be."""
    if "dense" in gram.__dict__ or not gram.kernel.positive_semidefinite:
        return MatrixRows(gram.dense)
    return None if gram.features is None else FeatureRows(gram.features)


def _exact_cache(gram: Gram, size: int) -> RowCache:
    return RowCache(len(gram), size, np.float64)


def _in_single(
    program: KernelQP, product: Product, limits: _Limits, beta: Vector, cache: int
) -> Generator[Iterate, None, tuple[Vector, Vector]]:
    """Yield iterates of cycles in float32; return beta with K beta in float64 when a cycle gains little."""
    rows, reached = ProductRows.with_cache(product, cache), np.inf
    values = np.zeros(len(program))
    add_exact_rows(program.gram, beta, values)
    while True:
        search = ShrinkingDescent(program, rows, beta, values)
        yield from _descend(program, search, limits, singles=True)
        limits.steps += search.steps
        after = search.point()[0].copy()
        add_exact_rows(program.gram, after - beta, values)
        beta = after
        iterate = measure(program, beta, values, limits.steps)
        yield iterate
        if not iterate.distance < _GAIN * reached:
            return beta, values
        reached = iterate.distance


def _descend(program: KernelQP, search: ShrinkingDescent, limits: _Limits, singles: bool) -> Iterator[Iterate]:
    """Yield iterates until none of the steps improves; for ``singles``, until rows in float32 are not exact enough."""
    rounds, gap, best, doubt, looked, progress = 0, np.inf, np.inf, 0.0, 0.01, Progress(_IDLE)
    search.shrink()
    while True:
        left = limits.max_iter - limits.steps - search.steps
        taken = search.round(left, 4 * _UNIT * search.size)
        rounds += 1
        over = taken == left or perf_counter() >= limits.deadline
        if taken and rounds % _ROUNDS and gap > 30 * limits.tol and not over:
            continue
        iterate = search.measure(limits.steps)
        ended = progress.ended(iterate) or taken == 0
        if singles and (ended or iterate.distance <= max(limits.tol - doubt, doubt / _DOUBTFUL, 0.1 * looked)):
            looked = iterate.distance
            doubt = doubt_of(program, iterate.beta, search.point()[1], iterate.intercept, search.samples)
            if ended or doubt > max(0.5 * limits.tol, _DOUBTFUL * looked):
                return
        if not search.whole and (ended or over or iterate.distance <= limits.tol - doubt):
            search.restore()
            iterate, ended, progress = search.measure(limits.steps), False, Progress(_IDLE)
        gap = iterate.distance
        yield replace(iterate, stalled=ended, doubt=doubt)
        # A gap of all that is no better than the last one says that too much was left out.
        if not search.whole or gap < best:
            search.shrink()
        best = min(best, gap) if search.whole else best
