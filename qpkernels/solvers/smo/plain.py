# SPDX-License-Identifier: BSD-3-Clause
"""The steps of :mod:`qpkernels.solvers.smo.steps` in NumPy, in float64, for a time without machine code.

A step takes some twenty calls of NumPy, that is 20 microseconds and 10 nanoseconds for each sample: 500 samples take
about 10 milliseconds together, as long as a thousandth of the compiler does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.gram import Gram
from qpkernels.problems import KernelQP
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.problems.sums import EPS
from qpkernels.solvers.interface import Answer, Claim

__all__ = ["Reached", "descend", "expected_seconds", "few", "filled", "minimise", "rows_of"]

_FLAT, _FAR = 1e-14, 1e100
"""As in the compiled steps: curvature that is rounding, and the longest step."""

_GOAL = 0.9
"""Part of the tolerance that a descent goes for; the rest is for rounding."""

_LEAST, _LOOKS = 16, 4
"""Least number of steps between two looks at the gap, and looks in as many steps as there are samples."""

_ROUNDS = 4
"""Times at most that steps go on from K beta made afresh."""

_PATIENCE, _BETTER = 60, 0.9
"""Looks after which the gap must be that part of what it was; else it is rounding that changes."""

_ROUNDED = 1e-12
"""Share of its reach by which rounding may keep a coefficient from an end of its range."""

_WHOLE = 3000
"""Samples whose matrix is made at once."""

_CALLS, _PASS, _ENTRY = 30e-6, 15e-9, 10e-9
"""Seconds of a step, for each sample of it, and of a kernel value."""

Rows = Callable[[int], Vector]
"""Makes a row of the kernel matrix."""


@dataclass(eq=False)
class Reached:
    """Where a descent stands: beta, K beta, -b, the steps taken, and whether the gap is what was asked for."""

    beta: Vector
    values: Vector
    level: float
    steps: int
    reached: bool


def expected_seconds(size: int, steps: float) -> float:
    """Return how long so many steps take on a problem of this size."""
    return steps * (_CALLS + _PASS * size) + _ENTRY * float(size) ** 2


def rows_of(gram: Gram, samples: Indices, memory: float) -> Rows:
    """Return what makes the rows of some samples, which are kept as far as ``memory``, in bytes, allows."""
    size = samples.size
    if gram.is_formed:
        whole = size == len(gram) and bool((samples == np.arange(size)).all())
        return list(gram.dense if whole else gram.dense[np.ix_(samples, samples)]).__getitem__
    if size <= _WHOLE and 8 * size**2 <= memory:
        return list(gram.entries(samples)).__getitem__
    most = max(2, int(memory / (8 * size)))
    kept: dict[int, Vector] = {}

    def row(k: int) -> Vector:
        if k not in kept:
            if len(kept) >= most:
                kept.pop(next(iter(kept)))
            kept[k] = gram.entries(samples[k : k + 1], samples)[0]
        return kept[k]

    return row


def filled(room: Vector, amount: float) -> Vector:
    """Return an amount that is spread over as few entries, taken by chance, as have ``room`` for it."""
    order = np.random.default_rng(0).permutation(room.size)
    taken, part = room[order], np.empty(room.size)
    before = np.cumsum(taken) - taken
    part[order] = np.minimum(np.maximum(amount - before, 0.0), taken)
    return part


def few(program: KernelQP) -> Vector:
    """Return a feasible point with few coefficients, so that K beta takes few rows."""
    bounds = program.upper if (program.total or 0.0) > 0 else -program.lower
    if not program.total or np.isinf(bounds).any():
        return program.project(np.zeros(program.size))
    return program.project(np.sign(program.total) * filled(bounds, abs(program.total)))


def minimise(
    program: KernelQP, start: Vector | None, *, tol: float, limit: int, deadline: float, memory: float
) -> Answer:
    """Return the answer of a descent on a program without hard constraints, which says whether ``tol`` is proved."""
    samples, paired = np.arange(program.size), program.total is not None
    box = np.array((program.target, program.epsilon, program.ridge, program.lower, program.upper))
    beta = few(program) if start is None else program.project(start)
    rows, squares = rows_of(program.gram, samples, memory), program.gram.diagonal
    goal = _GOAL * tol
    found = descend(rows, squares, box, beta, paired=paired, goal=goal, limit=limit, deadline=deadline)
    gap = duality_gap(program, found.beta, found.values, -found.level)
    claim = Claim.OPTIMAL if gap.shortfall <= tol else Claim.STOPPED
    multipliers = np.array([-found.level] if paired else [])
    message = f"relative gap {gap.relative:.1e}, without compiled loops"
    return Answer(found.beta, multipliers, claim, message, found.steps, found.values)


def _multiply(rows: Rows, beta: Vector) -> Vector:
    values = np.zeros(beta.size)
    for k in np.flatnonzero(beta).tolist():
        values += beta[k] * rows(k)
    return values


def descend(
    rows: Rows,
    squares: Vector,
    box: Matrix,
    beta: Vector,
    *,
    paired: bool,
    goal: float,
    limit: int,
    deadline: float = np.inf,
) -> Reached:
    """Lower the relative duality gap from a feasible ``beta`` to ``goal``, within so many steps.

    Parameters
    ----------
    rows, squares
        K, and its diagonal.
    box
        Target, epsilon, ridge, lower and upper, a row each, the bounds finite where the ridge is 0.
    paired
        Whether 1'beta is given.
    deadline
        When to end, by the clock of :func:`time.perf_counter`.
    """
    point = Reached(beta.copy(), _multiply(rows, beta), 0.0, 0, reached=False)
    wanted = goal
    for _ in range(_ROUNDS):
        descent = _PlainDescent(rows, squares, box, point, paired=paired)
        ended = descent.run(wanted, limit, deadline)
        point.values = _multiply(rows, point.beta)
        gap, scale = _gap(box, point.beta, point.values, descent.level)
        point.reached = gap <= goal * scale
        if ended or point.reached or point.steps >= limit or perf_counter() > deadline:
            break
        wanted *= 0.5
    point.level = level(box, point.beta, point.values) if paired else 0.0
    return point


def _offsets(box: Matrix, beta: Vector) -> tuple[Vector, Vector]:
    """Return what is added to the gradient for going up and down, infinite where there is no way."""
    _, epsilon, _, lower, upper = box
    up = np.where(beta >= upper, np.inf, np.where(beta >= 0, epsilon, -epsilon))
    down = np.where(beta <= lower, -np.inf, np.where(beta > 0, epsilon, -epsilon))
    return up, down


def _gap(box: Matrix, beta: Vector, values: Vector, level: float) -> tuple[float, float]:
    """Return P - D, and the larger of |P| and |D|."""
    target, epsilon, ridge, lower, upper = box
    residual, size = target - values + level, np.abs(beta)
    excess = np.maximum(np.abs(residual) - epsilon, 0.0)
    reach = np.where(residual > 0, upper, -lower)
    if ridge.any():
        reach = np.minimum(reach, np.divide(excess, ridge, out=np.full(size.size, np.inf), where=ridge > 0))
    costs = epsilon @ size + 0.5 * float(ridge @ size**2)
    gap = float(excess @ reach - 0.5 * (ridge @ reach**2) - residual @ beta + costs)
    dual = float(target @ beta - 0.5 * (values @ beta) - costs)
    return gap, max(abs(dual), abs(dual + gap))


def level(box: Matrix, beta: Vector, values: Vector) -> float:
    """Return what :func:`qpkernels.solvers.smo.steps.level_of` does."""
    target, _, ridge, lower, upper = box
    end = np.where(beta >= 0, upper, -lower)
    near = np.where(ridge == 0, _ROUNDED * np.minimum(end, np.abs(beta).max()), 0.0)
    at = np.where(np.abs(beta) <= near, 0.0, np.where(end - np.abs(beta) <= near, np.where(beta >= 0, end, -end), beta))
    (up, down), slope = _offsets(box, at), values + ridge * at - target
    lowest, highest = float((slope + up).min()), float((slope + down).max())
    if lowest < np.inf and highest > -np.inf:
        return 0.5 * (lowest + highest)
    return lowest if lowest < np.inf else (highest if highest > -np.inf else 0.0)


class _PlainDescent:
    """Steps from a point, which they change."""

    def __init__(self, rows: Rows, squares: Vector, box: Matrix, point: Reached, *, paired: bool) -> None:
        self._rows, self._box, self._point, self._paired = rows, box, point, paired
        target, _, ridge, _, _ = box
        self._bounds = [each.tolist() for each in (*box[1:], squares)]
        self._bent = squares + ridge
        self._gradient = point.values + ridge * point.beta - target
        self._up, self._down = _offsets(box, point.beta)
        self._floor = 4.0 * EPS * float(np.abs(target).max())
        self.level = 0.0

    def run(self, goal: float, limit: int, deadline: float) -> bool:
        """Take steps until the gap is ``goal``; return whether no step is left before that."""
        idle, best, size = 0, np.inf, self._gradient.size
        step = self._pair if self._paired else self._single
        while True:
            gap, scale = self._look()
            idle = 0 if gap < _BETTER * best else idle + 1
            best = min(best, gap) if idle == 0 else best
            if idle > _PATIENCE:
                return True
            if gap <= goal * scale or self._point.steps >= limit or perf_counter() > deadline:
                return False
            for _ in range(min(max(_LEAST, size // _LOOKS), limit - self._point.steps)):
                if not step():
                    gap, scale = self._look()
                    return gap > goal * scale
                self._point.steps += 1

    def _look(self) -> tuple[float, float]:
        target, _, ridge, _, _ = self._box
        beta, self.level = self._point.beta, 0.0
        if self._paired:
            lowest, highest = float((self._gradient + self._up).min()), float((self._gradient + self._down).max())
            if lowest < np.inf and highest > -np.inf:
                self.level = 0.5 * (lowest + highest)
        return _gap(self._box, beta, self._gradient - ridge * beta + target, self.level)

    def _pair(self) -> bool:
        """Let one coefficient rise and another fall by as much, by second order; return whether there are such."""
        gradient, beta = self._gradient, self._point.beta
        epsilon, ridge, lower, upper, squares = self._bounds
        rises = gradient + self._up
        i = int(rises.argmin())
        cost = float(rises[i])
        if not cost < np.inf:
            return False
        row = self._rows(i)
        falls = gradient + self._down
        falls -= cost
        falls[falls <= self._floor] = 0.0
        both = self._bent + self._bent[i]
        curvature = both - row
        curvature -= row
        both *= _FLAT
        both += 1e-300
        np.maximum(curvature, both, out=curvature)
        gains = falls * falls
        gains /= curvature
        j = int(gains.argmax())
        fall = float(falls[j])
        if fall <= 0.0:
            return False
        a, c = float(beta[i]), float(beta[j])
        kinks = sorted(((-a if a < 0 else np.inf, epsilon[i]), (c if c > 0 else np.inf, epsilon[j])))
        square = squares[i] + squares[j]
        bend = max(square + ridge[i] + ridge[j] - 2.0 * float(row[j]), _FLAT * square + 1e-300)
        room_i, room_j = upper[i] - a, c - lower[j]
        delta = min(_length(fall, bend, kinks), room_i, room_j, _FAR)
        beta[i] = upper[i] if delta == room_i else a + delta
        beta[j] = lower[j] if delta == room_j else c - delta
        change = row - self._rows(j)
        change *= delta
        gradient += change
        gradient[i] += ridge[i] * delta
        gradient[j] -= ridge[j] * delta
        self._settle(i)
        self._settle(j)
        return True

    def _single(self) -> bool:
        """Move one coefficient, by second order; return whether there is one to move."""
        gradient, beta = self._gradient, self._point.beta
        epsilon, ridge, lower, upper, squares = self._bounds
        rises, falls = -(gradient + self._up), gradient + self._down
        slopes = np.maximum(rises, falls)
        slopes[slopes <= self._floor] = 0.0
        gains = slopes * slopes
        gains /= self._bent + 1e-300
        i = int(gains.argmax())
        slope = float(slopes[i])
        if slope <= 0.0:
            return False
        sign, at = (1.0 if rises[i] >= falls[i] else -1.0), float(beta[i])
        room = upper[i] - at if sign > 0 else at - lower[i]
        kinks = [(abs(at) if sign * at < 0 else np.inf, epsilon[i]), (np.inf, 0.0)]
        bend = max(squares[i] + ridge[i], _FLAT * squares[i] + 1e-300)
        delta = min(_length(slope, bend, kinks), room, _FAR)
        end = upper[i] if sign > 0 else lower[i]
        beta[i] = end if delta == room else at + sign * delta
        gradient += (sign * delta) * self._rows(i)
        gradient[i] += ridge[i] * sign * delta
        self._settle(i)
        return True

    def _settle(self, k: int) -> None:
        """Write what the slopes of a coefficient that moved add to its gradient."""
        epsilon, _, lower, upper, _ = self._bounds
        at = self._point.beta[k]
        self._up[k] = np.inf if at >= upper[k] else (epsilon[k] if at >= 0 else -epsilon[k])
        self._down[k] = -np.inf if at <= lower[k] else (epsilon[k] if at > 0 else -epsilon[k])


def _length(slope: float, curvature: float, kinks: list[tuple[float, float]]) -> float:
    """Minimise curvature/2 d^2 - slope d over d >= 0, whose slope rises by 2 epsilon at each of the ``kinks``."""
    delta = slope / curvature
    for place, epsilon in kinks:
        if delta > place:
            slope -= 2.0 * epsilon
            delta = max(place, slope / curvature)
    return delta
