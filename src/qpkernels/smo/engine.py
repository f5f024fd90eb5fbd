# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimisation of a KernelQP, stopped by its relative duality gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.blocks import block_iterates
from qpkernels.smo.iterate import Iterate, Progress, measure
from qpkernels.smo.steps import Arrays, pair_steps, single_steps

__all__ = ["SMALL", "forms_matrix", "minimise"]

SMALL = 700
"""Samples up to which the whole kernel matrix is formed: it is one block then."""

CACHE = 2**31
"""Bytes that kept rows may take."""

_IDLE = 100
"""Times that about m steps may improve nothing before the point counts as the best in float64."""


def forms_matrix(program: KernelQP) -> bool:
    """Return whether the engine reads the whole kernel matrix, rather than rows as they are needed."""
    gram = program.gram
    return len(program) <= SMALL or not gram.kernel.positive_semidefinite


def minimise(
    program: KernelQP,
    tol: float,
    max_iter: int,
    deadline: float = np.inf,
    start: Vector | None = None,
    report: Callable[[Iterate], None] | None = None,
    cache: int = CACHE,
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
    cache
        Bytes that kept rows of the kernel matrix may take.
    """
    beta = program.project(np.zeros(len(program)) if start is None else start)
    if len(program) <= SMALL:
        iterates = _iterates(program, tol, max_iter, beta)
    else:
        iterates = block_iterates(program, tol, max_iter, deadline, beta, cache)
    iterate = next(iterates)
    try:
        while True:
            if report is not None:
                report(iterate)
            if iterate.proves(tol) or iterate.stalled or iterate.diverging:
                return iterate
            if iterate.iterations >= max_iter or perf_counter() >= deadline:
                return iterate
            iterate = next(iterates)
    except KeyboardInterrupt:
        return replace(iterate, interrupted=True)


def _iterates(program: KernelQP, tol: float, max_iter: int, beta: Vector) -> Iterator[Iterate]:
    """Yield an iterate after about every m steps, with K beta computed afresh before success or a stall is declared."""
    arrays = Arrays(program.gram.dense, program.target, program.epsilon, program.ridge, program.lower, program.upper)
    steps = single_steps if program.total is None else pair_steps
    values, fresh, iterations = program.gram.product(beta), True, 0
    chunk, progress = max(len(program), 500), Progress(_IDLE)
    while True:
        floor = 4 * np.finfo(float).eps * float(max(np.abs(values).max(), np.abs(program.target).max()))
        taken = steps(arrays, beta, values, min(chunk, max_iter - iterations), floor)
        iterations += taken
        fresh = fresh and taken == 0
        iterate = measure(program, beta, values, iterations, stalled=taken == 0)
        # Steps that gain nothing in float64 may go on for ever, each undoing the last.
        ended = progress.ended(iterate)
        if ended or (not fresh and (iterate.proves(tol) or iterate.stalled)):
            values, fresh = program.gram.product(beta), True
            iterate = measure(program, beta, values, iterations, stalled=ended)
        yield iterate
