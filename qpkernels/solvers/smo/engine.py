# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimisation of a KernelQP, stopped by its relative duality gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.blocks import Limits, block_iterates
from qpkernels.solvers.smo.iterate import Beginning, Iterate, measure_exactly, nearly_vanishes, vanishing_iterate
from qpkernels.solvers.smo.memory import Memory

__all__ = ["minimise"]

_MEMORY = Memory(2**31)


def minimise(
    program: KernelQP,
    tol: float,
    max_iter: int,
    deadline: float = np.inf,
    start: Vector | None = None,
    report: Callable[[Iterate], None] | None = None,
    memory: Memory = _MEMORY,
    values: Vector | None = None,
    watch: Callable[[Iterate], bool] | None = None,
    shrinking: bool = True,
    saved: Beginning | None = None,
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
    memory
        What may be held.
    values
        K start, where it is known in float64.
    watch
        Asked after each iterate whose gap is computed, and which proves nothing, whether to give up there.
    shrinking
        Leave out samples that are not likely to change, until the end.
    saved
        Where an earlier descent stood, whose steps count; in place of ``start`` and ``values``.
    """
    beginning = saved or _beginning(program, start, values)
    limits = Limits(tol, max_iter, deadline, beginning.steps, shrinking)
    iterates = block_iterates(program, limits, beginning, memory)
    iterate, tried = None, False
    try:
        while True:
            iterate = next(iterates)
            if report is not None:
                report(iterate)
            if iterate.proves(tol) or iterate.diverging:
                return iterate
            given_up = watch is not None and watch(iterate)
            if iterate.stalled:
                return iterate
            if not tried and nearly_vanishes(program, iterate):
                tried = True
                if (vanishing := vanishing_iterate(program, iterate.iterations)) is not None:
                    return vanishing
            if given_up:
                return replace(iterate, given_up=True)
            if iterate.iterations >= max_iter or perf_counter() >= deadline:
                return iterate
    except KeyboardInterrupt:
        iterate = iterate or measure_exactly(program, beginning.beta, 0)
        return replace(iterate, interrupted=True)


def _beginning(program: KernelQP, start: Vector | None, values: Vector | None) -> Beginning:
    """Return the feasible point near ``start``, and K times it where K start is known."""
    if start is None and not program.total:
        return Beginning(np.zeros(len(program)))
    beta = program.project(np.zeros(len(program)) if start is None else start)
    if start is None or values is None:
        return Beginning(beta)
    return Beginning(beta, values + program.gram.product(beta - start))
