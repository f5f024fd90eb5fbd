# SPDX-License-Identifier: BSD-3-Clause
"""A second-order method for a KernelQP in few explicit features, and any number of samples: K = Z Z'.

It is the proximal point method on the dual: the next point minimises the objective at beta plus 1/(2 sigma) ||beta -
c||^2, from the point c before. For the primal problem, min 1/2 ||w||^2 + sum_i L_i(v_i) + b total with v = Z w + b,
that is the method of multipliers: beta are the multipliers of v = Z w + b. It converges for every sigma, and the faster
the larger it is; with sigma small, many samples are free, and Newton steps are dear but few. So sigma rises as long as
many more samples are free than there are features, about as many as are free at an optimum, and where the gap ceases to
fall.

A problem of many samples begins at the answer for some of them, whose losses stand for those of all.

Each step is a smooth problem in (w, b), by Newton's method on few of the samples: the proximal step from a point c of
the dual is the same KernelQP with the ridge 1/sigma more and the targets c/sigma more. Its primal problem in f(x_i) =
z_i'w,

    phi(w, b) = 1/2 ||w||^2 + sum_i L_i(z_i'w + b) + b total,

has a continuous gradient, (w - Z's, total - 1's), at the slopes s of the losses (:mod:`.loops`). Only the slopes of
free samples F change with (w, b), by -D = -1 / (ridge + 1/sigma) times the change of v = Z w + b, so that

    H = [ I + Z_F'D Z_F   Z_F'D 1 ]
        [ 1'D Z_F         1'D 1   ]

is the generalised Hessian: r + 1 equations, to which none of the samples at a bound or without a loss adds anything.
Those of sparse features are solved by conjugate gradients, in passes over the entries of the free samples.

A Newton step for all m samples is three passes over Z. Most samples are far from being free, and stay so. A direction
is found on those that are nearest to it, the slopes of the others being held: as many Newton steps there as v moves no
further than the nearest of the others is away. Its length is then chosen for all samples, which makes phi decrease
whatever the others do.

Source: Li, Sun and Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving lasso problems
(SIAM J. Optim., 2018), for the method; the restriction to few samples is our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from qpkernels.arrays import Indices, Samples, Vector, finite_vector, is_sparse
from qpkernels.arrays.log import report
from qpkernels.arrays.threads import blas_threads_for, without_blas_threads
from qpkernels.gram.features import Features, FeaturesInMemory, SparseFeatures
from qpkernels.kernels.products import squared_lengths
from qpkernels.problems import KernelQP
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.problems.rounding import explicit_features
from qpkernels.solvers.interface import Answer, Claim, Request, Solver
from qpkernels.solvers.newton_systems import SparseSystem

__all__ = [
    "Final",
    "Losses",
    "NewtonWork",
    "PrimalPoint",
    "SemismoothNewton",
    "minimise",
    "newton_step",
    "restricted",
]

_NEAR, _PER_FREE, _SHARE = 10, 4, 50
"""Samples of a direction: at least so many for each feature, so many for each free one, and one of so many of all."""

_STRIP = 2**21
"""Numbers of the rows of Z that enter the Hessian at a time."""

_LINE, _FLAT, _INSIDE = 40, 0.1, 0.1
"""Trials of a line search, the share of the derivative that may be left, and how near to its ends a trial may be."""

_NEWTON = 60
"""Newton steps for one direction."""

_EPS = float(np.finfo(float).eps)

_MANY, _TENTH = 20_000, 4
"""Samples from which on the method begins with some of them, at most one of so many."""

_FEW, _BASE = 20, 50_000
"""As many as so many for each feature, or this number."""

_ROUGH = 1e-2
"""Relative gap at which the answer for some samples will do."""

_SIGMA = 3.0
"""The first sigma, in units of a coefficient that meets its target over the target."""

_MORE, _MUCH_MORE, _FREE, _MANY_FREE = 3.0, 10.0, 2, 8
"""Factors of sigma, where there are more free samples for each feature than these."""

_FALL, _BETTER = 0.3, 0.9
"""Shares of the gap before, above which sigma rises, and above which it is far too small, or only rounding is left."""

_INEXACT, _SHARPER = 0.1, 0.1
"""Error of a proximal step as a share of its length; less by this where the answer was not good enough."""

_DIRECTIONS, _STEPS = 30, 200
"""Directions of a proximal step, and proximal steps, at most."""

_FAR = 100.0
"""Square of an offset of the samples against their spread, from which it is taken away."""

_STALL = 5
"""Proximal steps in which the gap does not fall, after which it does not at all."""

_ALL_STEPS = 2000

_SPREAD = 2**24
"""Numbers of features from which on products with them are worth more than one thread."""


SomeFeatures: TypeAlias = Features | SparseFeatures


@dataclass
class NewtonWork:
    """The work that was done: Newton steps, and passes over Z."""

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
        return cls(data, np.zeros(program.size), 0.0)

    def around(self, center: Vector, extra: float) -> Losses:
        """Return those of the proximal step from ``center``."""
        return Losses(self.data, extra * center, extra)

    def part(self, rows: Indices) -> Losses:
        """Return those of some samples."""
        target, lower, upper, epsilon, ridge = (values[rows] for values in self.data)
        return Losses((target, lower, upper, epsilon, ridge), self.shift[rows], self.extra)

    def slopes(self, v: Vector) -> Slopes:
        """Return the slopes at v."""
        # It loads the compiler, as where other loops are taken from there.
        from qpkernels.solvers.semismooth_newton.loops import slopes

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
class PrimalPoint:
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
    from qpkernels.solvers.semismooth_newton.loops import slope_sums

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
    Z: Samples, losses: Losses, free: Indices, gradient: tuple[Vector, float], border: bool
) -> tuple[Vector, float]:
    """Return the Newton direction in (w, b); that of sparse features is found by conjugate gradients."""
    if free.size == 0:
        # No free sample says how far b is to go: the line search does.
        return -gradient[0], -float(np.sign(gradient[1])) if border else 0.0
    if is_sparse(Z):
        system = SparseSystem(Z[free], border)
        system.factor(system.unit * losses.curvature(free))
        root = np.sqrt(system.unit)
        w, b = system.solve(np.zeros(free.size), root * gradient[1], -gradient[0])
        return w, root * float(np.sum(b))
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
    Z: SomeFeatures, losses: Losses, point: PrimalPoint, now: Slopes, drawn: Vector, least: float, work: NewtonWork
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
    here = PrimalPoint(point.w, point.b, point.v[near], level, point.pull + drawn - before @ some)
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


@dataclass(frozen=True, eq=False)
class Final:
    """The last point, feasible, with K beta there."""

    beta: Vector
    values: Vector
    intercept: float
    claim: Claim
    message: str
    work: NewtonWork


@dataclass(frozen=True)
class NewtonLimits:
    """When to end."""

    tol: float
    deadline: float
    verbose: bool

    def is_over(self, work: NewtonWork) -> bool:
        """Return whether time or steps are used up."""
        return work.is_spent or perf_counter() > self.deadline


@dataclass(eq=False)
class _NewtonIterate:
    """beta, the point (w, b, v), and 1/sigma."""

    beta: Vector
    point: PrimalPoint
    extra: float


def minimise(
    program: KernelQP, Z: SomeFeatures, limits: NewtonLimits, work: NewtonWork, start: Vector | None = None
) -> Final:
    """Minimise until the relative duality gap of a feasible beta and its own function is at most ``limits.tol``.

    Parameters
    ----------
    Z
        The factor of the kernel matrix, shape (m, r).
    start
        A beta to begin at; left out, the method begins with some samples, if there are many.
    """
    level = None
    if program.total == 0.0 and isinstance(Z, Features) and (level := _offset(Z)) is not None:
        # With 1'beta = 0 an offset of all samples changes nothing but b.
        Z = Z.around(level)
    if start is not None or program.size < _MANY:
        state = _begin(program, Z, start)
    else:
        state = _from_some(program, Z, limits, work)
    final = _NewtonDescent(program, Z, limits, work).run(state)
    if level is None:
        return final
    constant = float(level @ Z.transposed_dot(final.beta))
    return replace(final, values=final.values + constant, intercept=final.intercept - constant)


def _offset(Z: Features) -> Vector | None:
    """Return the mean of the rows if it is so large that it costs digits of what they differ by."""
    level, m = Z.level, Z.shape[0]
    some = Z.rows(np.arange(0, m, -(-m // 1000)))
    spread = float(np.einsum("ij,ij->", some - level, some - level)) / len(some)
    return level if float(level @ level) > _FAR * spread else None


def _first_extra(program: KernelQP, Z: SomeFeatures) -> float:
    """Return the first 1/sigma."""
    spread = float(np.ptp(program.target)) / 2 or float(np.abs(program.target).max()) or 1.0
    some = Z.rows(np.arange(min(program.size, 1000)))
    size = float(squared_lengths(some).mean()) or 1.0
    reach = np.minimum(np.maximum(program.upper, -program.lower), 10 * spread / (size + program.ridge))
    half = reach.size // 2
    return spread / (_SIGMA * (float(np.partition(reach, half)[half]) or float(reach.max()) or 1.0))


def _begin(program: KernelQP, Z: SomeFeatures, start: Vector | None) -> _NewtonIterate:
    beta = np.zeros(program.size) if start is None else program.project(start)
    w = Z.transposed_dot(beta)
    return _NewtonIterate(
        beta, PrimalPoint(w, 0.0, Z.dot(w), program.total, np.zeros_like(w)), _first_extra(program, Z)
    )


def _from_some(program: KernelQP, Z: SomeFeatures, limits: NewtonLimits, work: NewtonWork) -> _NewtonIterate:
    """Return the state after the answer for some samples, each of which stands for others as well."""
    m, r = Z.shape
    count = min(m // _TENTH, max(_FEW * r, min(_BASE, m // 10)))
    rows = np.sort(np.random.default_rng(0).choice(m, count, replace=False))
    share = m / count
    lower, upper = program.lower[rows] * share, program.upper[rows] * share
    few = KernelQP(
        program.gram.part(rows),
        program.target[rows],
        lower,
        upper,
        total=None if program.total is None else float(np.clip(program.total, lower.sum(), upper.sum())),
        epsilon=program.epsilon[rows],
        ridge=program.ridge[rows] / share,
        name=program.name,
    )
    if limits.verbose:
        report(f"semismooth-newton: {count} of {m} samples first")
    part = SparseFeatures(Z.rows(rows)) if isinstance(Z, SparseFeatures) else FeaturesInMemory(Z.rows(rows))
    descent = _NewtonDescent(few, part, replace(limits, tol=_ROUGH), work)
    state = _begin(few, descent.Z, None) if count < _MANY else _from_some(few, descent.Z, limits, work)
    descent.run(state)
    point = PrimalPoint(
        state.point.w, state.point.b, Z.dot(state.point.w) + state.point.b, program.total, state.point.pull
    )
    extra = state.extra * share
    return _NewtonIterate(replace(Losses.of(program), extra=extra).slopes(point.v).values, point, extra)


class _NewtonDescent:
    def __init__(self, program: KernelQP, Z: SomeFeatures, limits: NewtonLimits, work: NewtonWork) -> None:
        self.program, self.Z, self.limits, self.work = program, Z, limits, work
        self.losses = Losses.of(program)
        self.share = _INEXACT

    def run(self, state: _NewtonIterate) -> Final:
        """Take proximal steps until the gap is small enough, or falls no more."""
        if not self.program.ridge.min() < state.extra:
            state.extra = 0.0
        best, since, before = np.inf, 0, np.inf
        for _ in range(_STEPS):
            slopes, drawn = self._proximal_step(state)
            state.beta = slopes.values
            gap = self._estimate(state, drawn)
            self._report(state, slopes, gap)
            over = self.limits.is_over(self.work)
            if gap <= self.limits.tol or over or since >= _STALL:
                final = self._final(state, over or since >= _STALL)
                if final is not None:
                    return final
                self.share *= _SHARPER
            since = 0 if gap < _BETTER * best else since + 1
            best = min(best, gap)
            self._raise(state, slopes, gap, before)
            before = gap
        final = self._final(state, ended=True)
        assert final is not None
        return final

    def _proximal_step(self, state: _NewtonIterate) -> tuple[Slopes, Vector]:
        losses, point, m = self.losses.around(state.beta, state.extra), state.point, self.program.size
        for _ in range(_DIRECTIONS):
            now = losses.slopes(point.v)
            drawn = self.Z.transposed_dot(now.values)
            self.work.passes += 1
            gradient = point.gradient(drawn, now.total)
            size = float(gradient[0] @ gradient[0]) + gradient[1] ** 2 / m
            change = now.values - state.beta
            enough = self.share * state.extra * float(change @ change) + 1e-22 * float(drawn @ drawn)
            if size <= enough or self.limits.is_over(self.work):
                break
            direction = restricted(self.Z, losses, point, now, drawn, self.share * enough, self.work)
            if point.move(losses, direction) == 0.0:
                break
        return now, drawn

    def _estimate(self, state: _NewtonIterate, drawn: Vector) -> float:
        """Return the relative gap of (w, b) and beta, whose imbalance and hard constraints are left out of account."""
        from qpkernels.solvers.semismooth_newton.loops import loss_sum

        point, program, beta = state.point, self.program, state.beta
        losses, violation = loss_sum(*self.losses.data, point.v)
        primal = 0.5 * float(point.w @ point.w) + losses + point.b * (program.total or 0.0)
        dual = float(program.target @ beta) - float(program.costs(beta).sum()) - 0.5 * float(drawn @ drawn)
        scale = max(abs(primal), abs(dual)) or 1.0
        return max(abs(primal - dual) / scale, violation)

    def _raise(self, state: _NewtonIterate, slopes: Slopes, gap: float, before: float) -> None:
        free, r = slopes.free.size, self.Z.shape[1]
        if free > _MANY_FREE * r or gap > _BETTER * before:
            state.extra /= _MUCH_MORE
        elif free > _FREE * r or gap > _FALL * before:
            state.extra /= _MORE

    def _final(self, state: _NewtonIterate, ended: bool) -> Final | None:
        """Return the feasible point nearby if its gap is small enough, or the end has come."""
        program, point = self.program, state.point
        beta = program.project(state.beta)
        values = self.Z.dot(self.Z.transposed_dot(beta))
        self.work.passes += 2
        gap = duality_gap(program, beta, values, point.b)
        done = max(gap.relative, gap.violation) <= self.limits.tol
        if not done and not ended:
            return None
        reached = f"relative gap {gap.relative:.1e}"
        if done:
            return Final(beta, values, point.b, Claim.OPTIMAL, reached, self.work)
        why = "limit of time or steps" if self.limits.is_over(self.work) else "no step improves in float64"
        return Final(beta, values, point.b, Claim.STOPPED, f"{why}; {reached}", self.work)

    def _report(self, state: _NewtonIterate, slopes: Slopes, gap: float) -> None:
        if self.limits.verbose:
            report(
                f"semismooth-newton: {self.work.steps:4d} steps, sigma {1 / (state.extra or np.inf):.1e}, "
                f"{slopes.free.size} free, relative gap {gap:.2e}, {self.work.passes} passes"
            )


class SemismoothNewton(Solver):
    """Proximal point method with semismooth Newton steps; stops when the certificate holds at ``tol``.

    For kernels with explicit features that are few against the samples: linear and polynomial ones, and those of
    :class:`~qpkernels.gram.LowRank`; of others it takes the factor of the whole matrix. A Newton step has r + 1
    equations for r features, to which only samples strictly inside their bounds add anything; most steps visit few of
    the samples, and there are some 50 passes over all. Sparse features may be many: their equations are solved by
    conjugate gradients.

    max_iter counts Newton steps (default: 2000); time_limit is checked after each visit of all samples. A warm_start is
    any beta.
    """

    name = "semismooth-newton"
    foreign = False
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def load(self, program: KernelQP | None = None) -> None:
        """Compile the loops, or load their machine code."""
        del program
        import qpkernels.solvers.semismooth_newton.loops  # noqa: F401

    def run(self, program: KernelQP, request: Request, **options: Any) -> Answer:
        """Minimise, and say in words why it stopped."""
        del options
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", program.size)
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        limits = NewtonLimits(request.tol, deadline, request.verbose)
        gram, work = program.gram, NewtonWork(limit=request.max_iter or _ALL_STEPS)
        Z = explicit_features(gram) or FeaturesInMemory(gram.factor)
        with nullcontext() if Z.shape[0] * Z.shape[1] > _SPREAD else without_blas_threads():
            final = minimise(program.around(program.middle), Z, limits, work, start)
        multipliers = np.array([] if program.total is None else [final.intercept + program.middle])
        return Answer(final.beta, multipliers, final.claim, final.message, final.work.steps, final.values)
