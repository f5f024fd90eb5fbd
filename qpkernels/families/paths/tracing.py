# SPDX-License-Identifier: BSD-3-Clause
"""A path from end to end: from an answer near its first point, sweep by sweep of the compiled loops."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.linalg import LinAlgError

from qpkernels.arrays import Vector
from qpkernels.errors import SolverFailedError
from qpkernels.families.paths.loops import (
    DONE,
    FIXED,
    FREE,
    FULL,
    LOWER,
    STUCK,
    UPPER,
    ZERO,
    Line,
    Point,
    Record,
    enter,
    sweep,
)
from qpkernels.families.paths.parametric import ParametricQP, Pieces, RunOfPieces
from qpkernels.problems import KernelQP
from qpkernels.solvers.active_set.inverse import inverted
from qpkernels.solvers.active_set.loops import tie

__all__ = ["trace"]

_PIECES = 256
"""Pieces after which slopes and inverse are made anew."""

_PATIENCE = 20
"""Steps without a length, for each sample, after which ties are broken."""

_TIES = 16
"""How often that may be, from one end to the other."""

_APART = 3e-11
"""Part of targets, bounds and epsilon by which ties are broken: far below what a certificate of 1e-9 notices."""

_SAME = 1e-10
"""Part of its interval by which a coefficient is at an end of it, where a path starts."""


def trace(path: ParametricQP, beta: Vector) -> Pieces:
    """Follow the optimum of a ParametricQP from its first parameter to its last, given one near the first optimum.

    The start is the end of another path, along which the targets go from those for which ``beta`` is optimal to those
    of the problem, while the parameter stays. If many steps in a row have no length, so many samples change at once
    that the method may cycle. Targets and bounds are then moved apart by random numbers in the 11th digit, and stay so.

    Parameters
    ----------
    path
        The problem as a function of its parameter.
    beta
        Coefficients near the optimum at the first parameter, shape (m,), feasible or not.

    Raises
    ------
    SolverFailedError
        If the path cannot be continued.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.families.paths import ParametricQP, trace
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=0.1)
    >>> start, solution = model.qp(), model.solve(tol=1e-6)
    >>> pieces = trace(ParametricQP(start, model.set_params(C=1.0).qp(), 0.1, 1.0), solution.beta)
    >>> beta, b = pieces.at(0.5)
    >>> print([f"{C:.3f}" for C, _, _ in pieces.breakpoints()], beta.round(3), f"{b:.3f}")
    ['0.100', '0.333', '1.000'] [-0.389  0.5   -0.5    0.389] -1.000
    """
    # The compiled loops let a parameter rise; along one that falls, they go by its negative.
    sign = 1.0 if path.last > path.first else -1.0
    line = _line(path, sign)
    random = np.random.default_rng(0)
    towards, point = _started(line, path.at(path.first), beta)
    point, _, _ = _follow(towards, point, 1.0, random)
    point.level[0] = sign * path.first
    _, sweeps, ties = _follow(line, point, sign * path.last, random)
    return Pieces(path, [each.signed(sign) for each in sweeps if len(each)], ties)


def _started(line: Line, program: KernelQP, beta: Vector) -> tuple[Line, Point]:
    """Return a line along p from 0 to 1, and a point that is optimal where it begins; it ends at ``program``.

    Along it only the targets move. The point is ``beta`` with coefficients that are almost at an end put there.
    """
    bounds, still = np.stack([program.lower, program.upper]), np.zeros(program.size)
    line = line._replace(
        target=program.target.copy(),
        target_rate=still,
        epsilon=program.epsilon.copy(),
        epsilon_rate=still,
        bounds=bounds,
        bound_rates=np.zeros_like(bounds),
    )
    point = _near(line, program.project(beta))
    inside = np.flatnonzero(point.status == FREE)
    room = np.minimum(bounds[UPPER] - point.beta, point.beta - bounds[LOWER])[inside]
    for sample in inside[np.argsort(-room)]:
        # One that depends on those before drives one of them to an end.
        enter(line, point, int(sample), 1)
    return _with_targets(line, point)


def _near(line: Line, beta: Vector) -> Point:
    """Return the point at beta, with no sample in the inverse yet."""
    (low, high), kinked = line.bounds, line.sides[LOWER] != 0
    near = _SAME * (high - low)
    status = np.full(beta.size, FREE, np.int8)
    status[kinked & (np.abs(beta) <= near)] = ZERO
    status[beta >= high - near] = UPPER
    status[beta <= low + near] = LOWER
    status[(low == 0) & (high == 0)] = FIXED
    settled = np.select([status == UPPER, status == LOWER, status == ZERO], [high, low, 0.0 * low], beta)
    rows, zeros = int((status == FREE).sum()) + 3, np.zeros(beta.size)
    return Point(
        beta=settled,
        slopes=line.K @ settled + line.ridge * settled - line.target,
        level=np.zeros(2),
        status=status,
        side=np.where(kinked, np.sign(settled), 0.0),
        free=np.zeros(beta.size + 2, np.intp),
        sizes=np.zeros(4, np.intp),
        memory=np.zeros((rows, rows)),
        drift=zeros,
        order=np.arange(rows),
        changes=np.zeros((2 * rows + 2, 3), np.intp),
    )


def _with_targets(line: Line, point: Point) -> tuple[Line, Point]:
    """Choose b, with a free sample at least if there is one, and begin with targets for which the point is optimal."""
    status, slopes = point.status, point.slopes
    below, above = (status == LOWER) | (status == ZERO), (status == UPPER) | (status == ZERO)
    rising = slopes + np.where(status == LOWER, line.sides[LOWER], 1.0) * line.epsilon
    falling = slopes + np.where(status == UPPER, line.sides[UPPER], -1.0) * line.epsilon
    if line.balanced:
        if not point.sizes[0]:
            way = 1 if below.any() else -1
            k = int(
                np.argmin(np.where(below, rising, np.inf)) if way > 0 else np.argmax(np.where(above, falling, -np.inf))
            )
            point.side[k] = way if status[k] == ZERO else line.sides[status[k], k]
            enter(line, point, k, 1)
        free = point.free[: point.sizes[0]]
        point.level[1] = -float(np.median((slopes + point.side * line.epsilon)[free]))
    b, free = float(point.level[1]), point.free[: point.sizes[0]]
    excess = np.where(below, np.minimum(rising + b, 0.0), 0.0) + np.where(above, np.maximum(falling + b, 0.0), 0.0)
    excess[free] = (slopes + point.side * line.epsilon)[free] + b
    excess[status == FIXED] = 0.0
    return line._replace(target=line.target + excess, target_rate=-excess), point


def _follow(
    line: Line, point: Point, until: float, random: np.random.Generator
) -> tuple[Point, list[RunOfPieces], int]:
    """Move the point along a line, and return it with the pieces, and how often ties were broken."""
    sweeps: list[RunOfPieces] = []
    ended, ties = FULL, 0
    while ended != DONE:
        point = _refreshed(line, point)
        ended, passed = _swept(line, point, until)
        sweeps.append(passed)
        if ended == STUCK and ties < _TIES:
            line, ties = _moved_apart(line, point, random), ties + 1
        elif ended not in (DONE, FULL):
            raise SolverFailedError(
                "the path cannot go on: too many samples change at once. Choose other ends, or solve the model at a "
                "list of values."
            )
    return point, sweeps, ties


def _swept(line: Line, point: Point, until: float) -> tuple[int, RunOfPieces]:
    """Go on with a sweep, and return how it ended and what it passed."""
    room = _PIECES * (int(point.sizes[0]) + _PIECES // 4)
    record = Record(
        np.empty((_PIECES, 4)), np.empty(_PIECES, np.intp), np.empty(room, np.intp), np.empty(room), np.empty(room)
    )
    status = point.status.copy()
    ended = sweep(line, point, until, _PATIENCE * len(status), record)
    _, pieces, used, changes = point.sizes.tolist()
    free = (record.samples[:used].copy(), record.first[:used].copy(), record.last[:used].copy())
    kept = Record(record.ends[:pieces].copy(), record.counts[:pieces].copy(), *free)
    return ended, RunOfPieces(status, kept, point.changes[:changes].copy())


def _line(path: ParametricQP, sign: float) -> Line:
    """Return the vectors of a path for the compiled loops."""
    one, other = path.start, path.end
    base, rate = ({name: each[k] for name, each in path.vectors.items()} for k in (0, 1))
    K = one.gram.dense
    kinked = (one.epsilon > 0) | (other.epsilon > 0)
    below, above = (one.lower < 0) | (other.lower < 0), (one.upper > 0) | (other.upper > 0)
    largest = [np.abs(each).max() for end in (one, other) for each in (end.target, end.epsilon)]
    return Line(
        K=K,
        shift=float(K.diagonal().mean()) if one.total is not None else 0.0,
        ridge=one.ridge.copy(),
        target=base["target"],
        target_rate=sign * rate["target"],
        epsilon=base["epsilon"],
        epsilon_rate=sign * rate["epsilon"],
        bounds=np.stack([base["lower"], base["upper"]]),
        bound_rates=sign * np.stack([rate["lower"], rate["upper"]]),
        sides=np.where(kinked, [np.where(below, -1.0, 1.0), np.where(above, 1.0, -1.0)], 0.0),
        balanced=one.total is not None,
        size=float(max(largest)),
        entry=float((K.diagonal() + one.ridge).max()),
    )


def _refreshed(line: Line, point: Point) -> Point:
    """Return the point with its slopes, inverse and drift made anew, and with room for more free samples."""
    n, m = int(point.sizes[0]), point.beta.size
    free, p = point.free[:n], float(point.level[0])
    memory = np.zeros((min(m, n + _PIECES) + 2,) * 2)
    memory[:n, :n] = point.memory[:n, :n]
    A = line.K[np.ix_(free, free)] + line.shift
    A[np.diag_indices(n)] += line.ridge[free]
    if n:
        # Where it is too near to singular, what the updates left is the best there is.
        with suppress(LinAlgError):
            memory[:n, :n] = inverted(A)
    lower_rate, upper_rate = line.bound_rates
    moving = np.where(point.status == LOWER, lower_rate, np.where(point.status == UPPER, upper_rate, 0.0))
    fresh = point._replace(
        memory=memory,
        order=np.arange(len(memory)),
        changes=np.empty((16 * _PIECES, 3), np.intp),
        slopes=line.K @ point.beta + line.ridge * point.beta - (line.target + p * line.target_rate),
        drift=line.K @ moving + line.ridge * moving,
    )
    _correct(line, fresh)
    return fresh


def _correct(line: Line, point: Point) -> None:
    """Let the free samples meet their equations and the sum, which rounding has missed."""
    n = int(point.sizes[0])
    free, M = point.free[:n], point.memory[:n, :n]
    if not n:
        return
    p, b = point.level
    missed = point.slopes[free] + b + point.side[free] * (line.epsilon + p * line.epsilon_rate)[free]
    d, c = -M @ missed, 0.0
    if line.balanced:
        lack = -float(point.beta.sum())
        c = tie(d, M.sum(axis=1), lack) + line.shift * lack
    point.beta[free] += d
    point.level[1] += c
    point.slopes[:] += d @ line.K[free]
    point.slopes[free] += line.ridge[free] * d


def _moved_apart(line: Line, point: Point, random: np.random.Generator) -> Line:
    """Return a line along which no two of the samples that are to change now do so at once."""
    p, status = float(point.level[0]), point.status
    part, wider = _APART * random.uniform(0.5, 1.0, (2, status.size))
    away = np.where(status == LOWER, -1.0, np.where(status == UPPER, 1.0, 0.0)) * part * line.size
    found = line._replace(
        target=line.target + away,
        epsilon=line.epsilon + np.where(status == ZERO, part * line.size, 0.0),
        bounds=line.bounds * (1.0 + wider),
        bound_rates=line.bound_rates * (1.0 + wider),
    )
    for at in (LOWER, UPPER):
        own = status == at
        point.beta[own] = (found.bounds[at] + p * found.bound_rates[at])[own]
    return found
