# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimisation of a KernelQP, stopped by its relative duality gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.kernel_qp import DualityGap, duality_gap
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.steps import Arrays, pair_steps, separating_interval, single_steps

__all__ = ["Iterate", "minimise"]

_SAME_POINT = 1e-6
"""Distance of two weighted means, against the spread of their samples, below which they are taken for one point."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where the method stands after some steps.

    Attributes
    ----------
    beta, intercept
        The point, and the b in the middle of its feasible interval (0 in a model without b).
    gap
        Its duality gap.
    iterations
        Steps so far.
    stalled
        No step can improve the point in float64.
    diverging
        beta grows along a direction that proves the objective unbounded, as far as float64 can tell.
    """

    beta: Vector
    intercept: float
    gap: DualityGap
    iterations: int
    stalled: bool
    diverging: bool

    def proves(self, tol: float) -> bool:
        """Return whether the gap, each sample's part of it and the violation of hard constraints are within ``tol``."""
        return self.gap.relative <= tol and self.gap.largest <= tol and self.gap.violation <= tol


def minimise(
    program: KernelQP,
    tol: float,
    max_iter: int,
    deadline: float = np.inf,
    start: Vector | None = None,
    report: Callable[[Iterate], None] | None = None,
) -> Iterate:
    """Return the first iterate whose relative duality gap is within ``tol``, or the last one before a limit.

    Parameters
    ----------
    program
        The problem; its kernel matrix must fit in memory.
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
    """
    for iterate in _iterates(program, tol, max_iter, start):
        if report is not None:
            report(iterate)
        if iterate.proves(tol) or iterate.stalled or iterate.diverging:
            break
        if iterate.iterations >= max_iter or perf_counter() >= deadline:
            break
    return iterate


def _iterates(program: KernelQP, tol: float, max_iter: int, start: Vector | None) -> Iterator[Iterate]:
    """Yield an iterate after about every m steps, with K beta computed afresh before success or a stall is declared."""
    arrays = _arrays(program)
    steps = single_steps if program.total is None else pair_steps
    beta = program.project(np.zeros(len(program)) if start is None else start)
    values, fresh, iterations = program.gram.product(beta), True, 0
    chunk = max(len(program), 500)
    while True:
        floor = 4 * np.finfo(float).eps * float(max(np.abs(values).max(), np.abs(program.target).max()))
        taken = steps(arrays, beta, values, min(chunk, max_iter - iterations), floor)
        iterations += taken
        fresh = fresh and taken == 0
        iterate = _measure(program, beta, values, iterations, stalled=taken == 0)
        if not fresh and (iterate.proves(tol) or iterate.stalled):
            values, fresh = program.gram.product(beta), True
            iterate = _measure(program, beta, values, iterations, stalled=False)
        yield iterate


def _measure(program: KernelQP, beta: Vector, values: Vector, iterations: int, stalled: bool) -> Iterate:
    intercept = _intercept(program, beta, values)
    return Iterate(
        beta=beta.copy(),
        intercept=intercept,
        gap=duality_gap(program, beta, values, intercept),
        iterations=iterations,
        stalled=stalled,
        diverging=_diverges(program, beta),
    )


def _diverges(program: KernelQP, beta: Vector) -> bool:
    """Return whether beta's unbounded part is a ray of decrease as far as float64 can tell.

    That is, f of the part is 0 against the spread of its samples around their weighted mean: distances, so that
    neither the origin nor a sample without weight matters.
    """
    free = (np.isinf(program.lower) & (beta < 0)) | (np.isinf(program.upper) & (beta > 0))
    ray = np.where(free & (program.ridge == 0), beta, 0.0)
    weight = np.abs(ray)
    if not weight.any() or float(program.target @ ray - program.epsilon @ weight) <= 0:
        return False
    ray, weight = ray / weight.sum(), weight / weight.sum()
    mean = program.gram.product(weight)
    squares = program.gram.diagonal - 2.0 * mean + float(weight @ mean)
    spread = float(weight @ np.sqrt(np.maximum(squares, 0.0)))
    rounding = 8 * np.finfo(float).eps * float(weight @ program.gram.diagonal)
    return float(ray @ program.gram.product(ray)) <= max((_SAME_POINT * spread) ** 2, rounding)


def _intercept(program: KernelQP, beta: Vector, values: Vector) -> float:
    if program.total is None:
        return 0.0
    highest_down, lowest_up = separating_interval(_arrays(program), beta, values)
    ends = [end for end in (highest_down, lowest_up) if np.isfinite(end)]
    return -float(np.mean(ends)) if ends else 0.0


def _arrays(program: KernelQP) -> Arrays:
    return Arrays(program.gram.dense, program.target, program.epsilon, program.ridge, program.lower, program.upper)
