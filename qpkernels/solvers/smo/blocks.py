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
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.gram.changing import stored
from qpkernels.gram.panels.products import EXPONENT_ERROR
from qpkernels.gram.panels.samples import form_and_samples
from qpkernels.problems import KernelQP
from qpkernels.solvers.smo.gap_error import GapError
from qpkernels.solvers.smo.iterate import Beginning, Iterate, Progress, measure, measure_exactly
from qpkernels.solvers.smo.memory import Memory
from qpkernels.solvers.smo.rows.cache import RowCache
from qpkernels.solvers.smo.rows.product_rows import ProductRows
from qpkernels.solvers.smo.rows.rows import ONE_BLOCK, FeatureRows, KernelRows, MatrixRows, Rows
from qpkernels.solvers.smo.shrinking import ShrinkingDescent

__all__ = ["Limits", "block_iterates", "descend", "forms_matrix", "holds_matrix", "streamed_rows"]

SMALL = 1000
"""Samples up to which the whole kernel matrix is formed in float64, whatever the kernel."""

_OUTER_ITERATIONS, _CLOSE = 4, 100.0
"""Outer iterations between two measurements of the gap, unless it is within such a multiple of what is wanted."""

_IDLE, _IDLE_ONE_BLOCK = 10, 100
"""Measurements without a better value or gap after which only rounding changes; the second for one block."""

_FIRST, _LATER, _LEAST = 0.75, 0.25, 100
"""Steps for each sample before the first look at one block, for each sample or step before another, and the least.

A look takes as long as 50 to 100 steps.
"""

_FINE = 1e-9
"""Tolerance below which such looks are as rare as a descent allows: steps beyond give digits that no gap shows."""

_GAIN = 0.3
"""Part of the gap that a cycle must get it down to; else another would gain little."""

_SINGLE_ERROR = 1e-2
"""Error of an exponent beyond which float32 tells too little of the kernel matrix to be worth a descent."""

_UNIT = float(np.finfo(float).eps)


@dataclass
class Limits:
    """When to stop, and the steps taken so far; and whether samples may be left out on the way."""

    tol: float
    max_iter: int
    deadline: float = np.inf
    steps: int = 0
    shrinking: bool = True

    def over(self, steps: int) -> bool:
        """Return whether the time, or ``steps`` more, use up what is allowed."""
        return self.steps + steps >= self.max_iter or perf_counter() >= self.deadline


def forms_matrix(program: KernelQP) -> bool:
    """Return whether the engine reads the whole kernel matrix, rather than rows as they are needed."""
    gram, m = program.gram, len(program)
    fits = m <= ONE_BLOCK and 8 * m**2 <= gram.memory_limit
    if (m <= SMALL and fits) or gram.correction is not None:
        return True
    # Without a product form rows are slow to make, and most of them are wanted more than once.
    return fits and gram.features is None and gram.kernel.product_form(gram.X) is None


def holds_matrix(program: KernelQP) -> bool:
    """Return whether the engine reads a matrix: all of K, or what is stored of a larger one."""
    return forms_matrix(program) or stored(program.gram) is not None


def block_iterates(program: KernelQP, limits: Limits, beginning: Beginning, memory: Memory) -> Iterator[Iterate]:
    """Yield an iterate now and then; the last one proves the tolerance, or is as good as float64 makes it."""
    with without_blas_threads():
        reached = None
        if beginning.values is not None:
            reached = measure(program, beginning.beta, beginning.values, limits.steps, computed=True)
            yield reached
        for rows in _stages(program, memory):
            reached = yield from _in_cycles(program, rows, limits, beginning, reached)
            # Else they would be held beside the next ones.
            del rows
        assert reached is not None
        yield replace(reached, stalled=True)


def _stages(program: KernelQP, memory: Memory) -> Iterator[Rows]:
    """Yield the rows to descend with: in float32 first, where that is faster and tells enough, and in float64."""
    if forms_matrix(program):
        yield MatrixRows(program.gram.dense)
    elif (known := stored(program.gram)) is not None:
        yield MatrixRows(*known)
    else:
        yield from streamed_rows(program, memory)


def streamed_rows(program: KernelQP, memory: Memory) -> Iterator[Rows]:
    """Yield the rows to descend with where there is no matrix."""
    gram, pairs = program.gram, program.total is not None
    if gram.features is not None:
        yield FeatureRows(gram.features, pairs)
        return
    if memory.compresses(gram.X):
        form, X = form_and_samples(gram.kernel, gram.X)
    else:
        form, X = gram.kernel.product_form(gram.X), gram.X
    exact = False
    if form is not None:
        singles = memory.product(form, X, np.float32)
        exact = singles.largest * _UNIT <= EXPONENT_ERROR
        # Without a bound, a curvature that rounding makes of 0 is followed for ever.
        if singles.largest * float(np.finfo(np.float32).eps) <= _SINGLE_ERROR and not program.is_hard:
            yield ProductRows.with_cache(singles, memory.for_rows(singles))
        del singles
    if form is not None and exact:
        doubles = memory.product(form, X, np.float64)
        yield ProductRows.with_cache(doubles, memory.for_rows(doubles))
    else:
        yield KernelRows(gram.kernel, gram.X, RowCache(len(gram), int(min(memory.cache, memory.remaining)), np.float64))


def _in_cycles(
    program: KernelQP, rows: Rows, limits: Limits, beginning: Beginning, reached: Iterate | None
) -> Generator[Iterate, None, Iterate]:
    """Yield iterates of descents, each ended by K beta in float64; return the one that gained little.

    The first begins where the rows before ``reached``, or at the ``beginning``, by the values that they make of it.
    """
    violation = np.inf
    while True:
        if reached is None or reached.values is None:
            beta, values = beginning.beta, _values_by(rows, beginning)
        else:
            beta, values = reached.beta, reached.values
        search = ShrinkingDescent(program, rows, beta, values)
        if search.in_one_block and search.exact:
            yield from _in_one_block(search, limits)
        else:
            yield from descend(program, search, limits, np.inf if reached is None else reached.violation)
        limits.steps += search.steps
        if reached is None or search.steps:
            reached = measure_exactly(program, search.point()[0], limits.steps)
        yield reached
        if not reached.violation < _GAIN * violation:
            return reached
        violation = reached.violation


def _values_by(rows: Rows, beginning: Beginning) -> Vector:
    """Return K beta of a beginning, by the rows of what is not known of it."""
    beta, known = beginning.beta, beginning.stepped
    values = np.zeros(beta.size) if known is None else known.values.copy()
    missing = beta if known is None else beta - known.point
    changed = np.flatnonzero(missing)
    if changed.size:
        rows.add_to(slice(None), changed, missing[changed], values)
    return values


def _in_one_block(search: ShrinkingDescent, limits: Limits) -> Iterator[Iterate]:
    """Yield iterates of a descent in float64 over all samples at once, until K beta is to be computed afresh.

    That is where no step, or rounding alone, is left, or an answer almost is: what rounding leaves no doubt of is one.
    """
    progress = Progress(_IDLE_ONE_BLOCK)
    while search.outer_iteration(_until_look(search, limits), 4 * _UNIT * search.size):
        if search.settled:
            return
        iterate = search.measure(limits.steps)
        if progress.ended(iterate) or (iterate.proves(limits.tol) and not _surely(iterate, search.steps, limits.tol)):
            return
        yield iterate


def _surely(iterate: Iterate, steps: int, tol: float) -> bool:
    """Return whether a gap is within ``tol`` even where each step rounded its values as much as K beta may round."""
    return tol >= _FINE and iterate.violation + float(np.sqrt(steps)) * iterate.rounding <= tol


def _until_look(search: ShrinkingDescent, limits: Limits) -> int:
    """Return after how many steps to look whether they suffice."""
    left, samples = limits.max_iter - limits.steps - search.steps, search.samples.size
    if limits.tol < _FINE:
        return left
    share = _LATER * max(samples, search.steps) if search.steps else _FIRST * samples
    return min(left, max(_LEAST, int(share)))


def descend(program: KernelQP, search: ShrinkingDescent, limits: Limits, gap: float = np.inf) -> Iterator[Iterate]:
    """Yield iterates until none of the steps improves, or the values are not exact enough to tell.

    ``gap`` is the violation at the start, where it is known: close to what is wanted, every outer iteration may end it.
    """
    outer, best, error = 0, np.inf, GapError(program, limits.tol, search.exact)
    progress = Progress(_IDLE_ONE_BLOCK if search.in_one_block else _IDLE)
    shrink = search.shrink if limits.shrinking else _nothing
    shrink()
    while True:
        taken = search.outer_iteration(limits.max_iter - limits.steps - search.steps, 4 * _UNIT * search.size)
        outer += 1
        over = limits.over(search.steps)
        if taken and outer % _OUTER_ITERATIONS and gap > _CLOSE * limits.tol and not over and not search.in_one_block:
            continue
        iterate = search.measure(limits.steps)
        ended = progress.ended(iterate) or taken == 0
        if _calls_for_values(search, iterate, ended, limits.tol):
            return
        if error.is_due(iterate):
            error.update(iterate, search.point()[1], search.samples)
            if error.too_large:
                return
        if not search.unshrunk and (ended or over or iterate.violation <= limits.tol - error.value):
            search.restore()
            iterate, ended, progress = search.measure(limits.steps), False, Progress(_IDLE)
            error.update(iterate, search.point()[1], search.samples)
            if _calls_for_values(search, iterate, ended, limits.tol):
                return
        gap = iterate.violation
        yield replace(iterate, gap_error=error.value)
        if not search.unshrunk:
            shrink()
        elif gap < best:
            # A gap of all that is no better than the last one says that too much was left out.
            best = gap
            shrink()


def _nothing() -> None:
    """Leave out nothing."""


def _calls_for_values(search: ShrinkingDescent, iterate: Iterate, ended: bool, tol: float) -> bool:
    """Return whether K beta is to be computed afresh: at the end, and to prove an answer where that costs little.

    That is for one block, and where the descent is in float64, so that nothing else could tell the rounding.
    """
    return search.unshrunk and (ended or (iterate.proves(tol) and (search.in_one_block or search.exact)))
