# SPDX-License-Identifier: BSD-3-Clause
r"""One step of the proximal point method: a smooth problem in (w, b), by Newton's method on few of the samples.

With K = Z Z', the proximal step from a point c of the dual is the same KernelQP with the ridge 1/sigma more and the
targets c/sigma more. Its primal problem in f(x_i) = z_i'w,

    phi(w, b) = 1/2 ||w||^2 + sum_i L_i(z_i'w + b) + b total,

has a continuous gradient, (w - Z's, total - 1's), at the slopes s of the losses (:mod:`.loops`). Only the slopes of
free samples F change with (w, b), by -D = -1 / (ridge + 1/sigma) times the change of v = Z w + b, so that

    H = [ I + Z_F'D Z_F   Z_F'D 1 ]
        [ 1'D Z_F         1'D 1   ]

is the generalised Hessian: r + 1 equations, to which none of the samples at a bound or without a loss adds anything.

A Newton step for all m samples is three passes over Z. Most samples are far from being free, and stay so. A direction
is found on those that are nearest to it, the slopes of the others being held: as many Newton steps there as v moves no
further than the nearest of the others is away. Its length is then chosen for all samples, which makes phi decrease
whatever the others do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram.features import Features
from qpkernels.problems import KernelQP
from qpkernels.solvers.semismooth_newton.loops import slope_sums, slopes

__all__ = ["Losses", "Point", "Work", "newton_step", "restricted"]

_NEAR, _PER_FREE, _SHARE = 10, 4, 50
"""Samples of a direction: at least so many for each feature, so many for each free one, and one of so many of all."""

_STRIP = 2**21
"""Numbers of the rows of Z that enter the Hessian at a time."""

_LINE, _FLAT, _INSIDE = 40, 0.1, 0.1
"""Trials of a line search, the share of the derivative that may be left, and how near to its ends a trial may be."""

_NEWTON = 60
"""Newton steps for one direction."""

_EPS = float(np.finfo(float).eps)


@dataclass
class Work:
    """What was done: Newton steps, and passes over Z."""

    steps: int = 0
    passes: int = 0
    limit: int = 10**9

    @property
    def is_spent(self) -> bool:
        """Whether the limit of the Newton steps is reached."""
        return self.steps >= self.limit


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of some samples in a proximal step.

    Attributes
    ----------
    data
        target, lower, upper, epsilon and ridge, each of shape (m,).
    shift, extra
        c/sigma and 1/sigma.
    """

    data: tuple[Vector, Vector, Vector, Vector, Vector]
    shift: Vector
    extra: float

    @classmethod
    def of(cls, program: KernelQP) -> Losses:
        """Return those of the problem itself, without a proximal term."""
        data = (program.target, program.lower, program.upper, program.epsilon, program.ridge)
        return cls(data, np.zeros(len(program)), 0.0)

    def around(self, center: Vector, extra: float) -> Losses:
        """Return those of the proximal step from ``center``."""
        return Losses(self.data, extra * center, extra)

    def part(self, rows: Indices) -> Losses:
        """Return those of some samples."""
        target, lower, upper, epsilon, ridge = (values[rows] for values in self.data)
        return Losses((target, lower, upper, epsilon, ridge), self.shift[rows], self.extra)

    def slopes(self, v: Vector) -> Slopes:
        """Return the slopes at v."""
        slope, distance = np.empty(v.size), np.empty(v.size)
        total = slopes(*self.data, self.shift, self.extra, v, slope, distance)
        return Slopes(slope, distance, total)

    def curvature(self, rows: Indices) -> Vector:
        """Return 1 / (ridge + 1/sigma)."""
        return np.asarray(1.0 / (self.data[4][rows] + self.extra))


class Slopes(NamedTuple):
    """The slopes of samples, how far each is from being free, and the sum of the slopes."""

    values: Vector
    distance: Vector
    total: float

    @property
    def free(self) -> Indices:
        """The free samples."""
        return np.flatnonzero(self.distance == 0.0)


@dataclass(eq=False)
class Point:
    """w and b, v = Z w + b, and what all samples but those of Z add: 1/2 ||w||^2 - pull'w + b level.

    ``level`` is None where there is no b.
    """

    w: Vector
    b: float
    v: Vector
    level: float | None
    pull: Vector

    def gradient(self, drawn: Vector, total: float) -> tuple[Vector, float]:
        """Return the gradient, given Z's and 1's."""
        return self.w - self.pull - drawn, 0.0 if self.level is None else self.level - total

    def move(self, losses: Losses, direction: Direction) -> float:
        """Go to the minimum along a direction, and return how far that is."""
        w, b, v = direction
        slope = float((self.w - self.pull) @ w) + (0.0 if self.level is None else b * self.level)
        step = _minimum(losses, self.v, v, slope, float(w @ w))
        self.w, self.b, self.v = self.w + step * w, self.b + step * b, self.v + step * v
        return step


class Direction(NamedTuple):
    """Changes of w, b and v."""

    w: Vector
    b: float
    v: Vector


def _minimum(losses: Losses, v: Vector, direction: Vector, slope: float, curvature: float) -> float:
    """Return about the minimum along a direction, by a bracketed secant method on the derivative."""

    def derivative(step: float) -> float:
        return slope + step * curvature - slope_sums(*losses.data, losses.shift, losses.extra, v, direction, step)

    first = derivative(0.0)
    if first >= 0.0:
        return 0.0
    low, at_low, high, at_high = 0.0, first, np.inf, np.inf
    step = 1.0
    for _ in range(_LINE):
        here = derivative(step)
        if abs(here) <= _FLAT * abs(first):
            break
        if here < 0:
            low, at_low = step, here
        else:
            high, at_high = step, here
        if np.isinf(high):
            step *= 2.0
            continue
        secant = low - (high - low) * at_low / (at_high - at_low) if at_high > at_low else 0.5 * (low + high)
        margin = _INSIDE * (high - low)
        step = min(max(secant, low + margin), high - margin)
    return step


def newton_step(
    Z: Matrix, losses: Losses, free: Indices, gradient: tuple[Vector, float], border: bool
) -> tuple[Vector, float]:
    """Return the Newton direction in (w, b)."""
    D, H = losses.curvature(free), np.eye(Z.shape[1], order="F")
    sums, mass = np.zeros(Z.shape[1]), float(D.sum())
    for start in range(0, free.size, max(1, _STRIP // Z.shape[1])):
        rows = slice(start, start + max(1, _STRIP // Z.shape[1]))
        part = Z[free[rows]]
        if border:
            sums += D[rows] @ part
        part *= np.sqrt(D[rows])[:, None]
        H = dsyrk(1.0, part.T, beta=1.0, c=H, overwrite_c=1, lower=1)
    with blas_threads_for(len(H)):
        factor = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    w = -cho_solve(factor, gradient[0], check_finite=False)
    if not border:
        return w, 0.0
    if mass == 0.0:
        # No free sample says how far b is to go: the line search does.
        return w, -float(np.sign(gradient[1]))
    solved = cho_solve(factor, sums, check_finite=False)
    b = -(gradient[1] + float(sums @ w)) / max(mass - float(sums @ solved), 10 * _EPS * mass)
    return w - b * solved, b


def nearest(distance: Vector, count: int) -> tuple[Indices, float]:
    """Return the ``count`` samples that are nearest to being free, and how far the next one is."""
    if count >= distance.size:
        return np.arange(distance.size), np.inf
    order = np.argpartition(distance, count)
    return np.sort(order[:count]), float(distance[order[count]])


def restricted(
    Z: Features, losses: Losses, point: Point, now: Slopes, drawn: Vector, least: float, work: Work
) -> Direction:
    """Return a direction of descent of phi from ``point``, found on the samples that are nearest to being free.

    Parameters
    ----------
    now, drawn
        The slopes s at the point, and Z's.
    least
        Squared norm of the gradient that is small enough.
    """
    m, r = Z.shape
    near, reach = nearest(now.distance, max(_NEAR * r, _PER_FREE * now.free.size, m // _SHARE))
    some, own = Z.rows(near), losses.part(near)
    before = now.values[near]
    level = None if point.level is None else point.level - (now.total - float(before.sum()))
    here = Point(point.w, point.b, point.v[near], level, point.pull + drawn - before @ some)
    start = here.v
    for _ in range(_NEWTON):
        s = own.slopes(here.v)
        gradient = here.gradient(s.values @ some, s.total)
        if float(gradient[0] @ gradient[0]) + gradient[1] ** 2 / m <= least:
            break
        w, b = newton_step(some, own, s.free, gradient, level is not None)
        moved = here.move(own, Direction(w, b, some @ w + b))
        work.steps += 1
        if moved == 0.0 or float(np.abs(here.v - start).max()) > reach or work.is_spent:
            break
    w, b = here.w - point.w, here.b - point.b
    work.passes += 1
    return Direction(w, b, Z.dot(w) + b)
