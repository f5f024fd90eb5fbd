# SPDX-License-Identifier: BSD-3-Clause
"""The descent of one machine, from its start to a small duality gap, without leaving compiled code.

Few samples are one block. Of more, those that violate optimality most make a block, and the values of all are brought
up to date by the rows of what changed in it; half of a block stays for the next, as in the solver of one machine. Where
that takes many steps, the free coefficients go to the minimum over them at once, now and then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.batch.descent.choice import most_violating
from qpkernels.batch.descent.free import is_worth_it, to_minimum_over_free
from qpkernels.gram.panels.loops import add_scaled, add_stored_rows
from qpkernels.solvers.active_set.loops import free_samples
from qpkernels.solvers.smo.descent.lazy_rows import LazyRows, Source, row
from qpkernels.solvers.smo.descent.passes import Arrays
from qpkernels.solvers.smo.descent.steps import pair_steps, single_steps
from qpkernels.solvers.smo.descent.working_set import slopes

__all__ = ["Scratch", "descend_in_blocks", "descend_in_one_block"]

_INNER = 0.1
"""A block is left when its violation is this part of that of all."""

_LOOKS = 8
"""Looks at the gap in as many steps as there are samples, where they are one block."""

_STEPS = 4
"""Steps for each coefficient of a block, at most."""

_PATIENCE, _BETTER = 60, 0.9
"""Looks after which the gap must be that part of what it was; else it is rounding that changes."""

_UNIT, _SINGLE_UNIT = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)


class Scratch(NamedTuple):
    """Memory of a thread that is written over: for the rows of a block, and which of them are made."""

    block: Floats
    made: NDArray[np.bool_]


class View(NamedTuple):
    """What is seen at a point: where the slopes lie, P - D, and max(|P|, |D|)."""

    lowest: float
    highest: float
    gap: float
    scale: float


@compiled
def _look(p: Arrays, paired: bool, beta: Vector, values: Vector, up: Vector, down: Vector) -> View:
    """Write the slopes; a hard constraint counts as satisfied."""
    lowest, highest = slopes(p, beta, values, up, down)
    intercept = 0.0
    if not paired:
        lowest, highest = min(lowest, 0.0), max(highest, 0.0)
    elif np.isfinite(lowest) and np.isfinite(highest):
        intercept = -0.5 * (lowest + highest)
    gap, dual = 0.0, 0.0
    for k in range(beta.size):
        size, residual = abs(beta[k]), p.target[k] - values[k] - intercept
        cost = p.epsilon[k] * size + 0.5 * p.ridge[k] * beta[k] * beta[k]
        loss = max(
            _branch(residual - p.epsilon[k], p.upper[k], p.ridge[k]),
            _branch(-residual - p.epsilon[k], -p.lower[k], p.ridge[k]),
        )
        gap += loss - residual * beta[k] + cost
        dual += (p.target[k] - 0.5 * values[k]) * beta[k] - cost
    return View(lowest, highest, gap, max(abs(dual), abs(dual + gap)))


@compiled
def _branch(slope: float, bound: float, ridge: float) -> float:
    """Return max over 0 <= s <= bound of slope s - ridge/2 s^2, with 0 in place of infinity."""
    slope = max(slope, 0.0)
    s = bound if ridge == 0.0 else min(bound, slope / ridge)
    return 0.0 if np.isinf(s) else slope * s - 0.5 * ridge * s * s


@compiled
def _lazy(source: Source, p: Arrays, scratch: Scratch) -> Arrays:
    n = source.columns.size
    scratch.made[:n] = False
    rows = LazyRows(scratch.block[: n * n].reshape(n, n), scratch.made[:n], source)
    return Arrays(rows, p.target, p.epsilon, p.ridge, p.lower, p.upper)


@compiled
def _noted(gap: float, idle: int, best: float) -> tuple[int, float]:
    """Return for how many looks the gap has not fallen enough, and the one that they are held against."""
    if gap < _BETTER * best:
        return 0, gap
    return idle + 1, best


@compiled
def _steps(block: Arrays, paired: bool, beta: Vector, values: Vector, limit: int, tolerance: float) -> int:
    """Take pair steps, or steps over one coefficient each where no equation ties them."""
    if paired:
        return pair_steps(block, beta, values, limit, tolerance)
    return single_steps(block, beta, values, limit, tolerance)


@compiled
def _between(K: LazyRows, samples: Indices) -> Matrix:
    """Return the rows and columns of these samples."""
    part = np.empty((samples.size, samples.size))
    for k in range(samples.size):
        whole = row(K, samples[k])
        for c in range(samples.size):
            part[k, c] = whole[samples[c]]
    return part


@compiled
def descend_in_one_block(
    source: Source, p: Arrays, paired: bool, beta: Vector, values: Vector, goal: float, limit: int, scratch: Scratch
) -> int:
    """Take up to ``limit`` steps in place, until the gap is at most ``goal`` of its scale; return how many."""
    up, down, block = np.empty(beta.size), np.empty(beta.size), _lazy(source, p, scratch)
    # At a kink the gradient is near epsilon, and float32 tells it from that no better.
    taken, idle, best, tolerance = 0, 0, np.inf, 4.0 * (_UNIT + _SINGLE_UNIT * p.epsilon.max())
    # A machine that takes no more steps than it has samples needs nothing else.
    work = -float(beta.size) * scratch.made.size
    while taken < limit:
        view = _look(p, paired, beta, values, up, down)
        idle, best = _noted(view.gap, idle, best)
        if view.gap <= goal * view.scale or idle > _PATIENCE:
            break
        steps = _steps(block, paired, beta, values, min(limit - taken, beta.size // _LOOKS + 1), tolerance)
        taken += steps
        if steps == 0:
            break
        work += float(steps) * beta.size
        free = free_samples(p, beta)
        if is_worth_it(free.size, work):
            work = 0.0
            delta = to_minimum_over_free(_between(block.K, free), p, paired, free, beta, values)
            for k in range(free.size):
                add_scaled(values, delta[k], row(block.K, free[k]))
    return taken


@compiled
def descend_in_blocks(
    source: Source,
    runs: NDArray[np.intp],
    p: Arrays,
    paired: bool,
    beta: Vector,
    values: Vector,
    goal: float,
    limit: int,
    scratch: Scratch,
) -> int:
    """Do the same over blocks of as many samples as ``scratch`` has room for.

    ``runs`` has a row (first column of the source, first sample, one more than its last) for each run of samples whose
    columns follow each other.
    """
    up, down, recent = np.empty(beta.size), np.empty(beta.size), np.empty(0, np.intp)
    taken, idle, best, tolerance = 0, 0, np.inf, 4.0 * (_UNIT + _SINGLE_UNIT * p.epsilon.max())
    # A machine that takes no more steps than it has samples needs nothing else.
    work = -float(beta.size) * scratch.made.size
    while taken < limit:
        view = _look(p, paired, beta, values, up, down)
        idle, best = _noted(view.gap, idle, best)
        if view.gap <= goal * view.scale or idle > _PATIENCE:
            break
        chosen = most_violating(up, down, recent, scratch.made.size, view.lowest, view.highest)
        recent = chosen[: scratch.made.size // 2]
        violation = view.highest - view.lowest
        # In ascending order the entries of a row are read one way.
        in_block = np.zeros(beta.size, np.bool_)
        in_block[chosen] = True
        at = np.flatnonzero(in_block)
        delta = beta[at]
        steps = _in_block(
            source, p, paired, at, beta, values, limit - taken, max(_INNER * violation, tolerance), scratch
        )
        delta = beta[at] - delta
        moved = np.flatnonzero(delta)
        _add(source, runs, at[moved], delta[moved], values)
        taken += steps
        if steps == 0:
            break
        work += float(steps) * at.size
        free = free_samples(p, beta)
        if is_worth_it(free.size, work):
            work = 0.0
            slots = source.columns[free]
            K = np.empty((free.size, free.size))
            for k in range(free.size):
                for c in range(free.size):
                    K[k, c] = source.matrix[slots[k], slots[c]]
            delta = to_minimum_over_free(K, p, paired, free, beta, values)
            _add(source, runs, free, delta, values)
    return taken


@compiled
def _add(source: Source, runs: NDArray[np.intp], samples: Indices, delta: Vector, values: Vector) -> None:
    """Add the rows of these samples to the values."""
    slots = source.columns[samples]
    for k in range(len(runs)):
        add_stored_rows(source.matrix, slots, runs[k, 0], delta, values[runs[k, 1] : runs[k, 2]])


@compiled
def _in_block(
    source: Source,
    p: Arrays,
    paired: bool,
    at: Indices,
    beta: Vector,
    values: Vector,
    limit: int,
    tolerance: float,
    scratch: Scratch,
) -> int:
    """Minimise over the samples ``at``, whose beta is written; the values are left as they are."""
    part = Source(source.matrix, source.columns[at], source.squares[at], source.features, source.offsets, source.degree)
    own = Arrays(p.K, p.target[at], p.epsilon[at], p.ridge[at], p.lower[at], p.upper[at])
    block, coefficients, sums = _lazy(part, own, scratch), beta[at], values[at]
    steps = _steps(block, paired, coefficients, sums, min(limit, _STEPS * at.size), tolerance)
    beta[at] = coefficients
    return steps
