# SPDX-License-Identifier: BSD-3-Clause
r"""The proximal point method on the dual of a KernelQP whose matrix is K = Z Z'.

The next point minimises the objective at beta plus 1/(2 sigma) ||beta - c||^2, from the point c before. For the primal
problem, min 1/2 ||w||^2 + sum_i L_i(v_i) + b total with v = Z w + b, that is the method of multipliers: beta are the
multipliers of v = Z w + b. It converges for every sigma, and the faster the larger it is; with sigma small, many
samples are free, and Newton steps are dear but few. So sigma rises as long as many more samples are free than there are
features, about as many as are free at an optimum, and where the gap ceases to fall.

A problem of many samples begins at the answer for some of them, whose losses stand for those of all.

Source: Li, Sun and Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving lasso problems
(SIAM J. Optim., 2018), for the method; the restriction to few samples is our own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.gram.features import Features, FeaturesInMemory
from qpkernels.problems import KernelQP
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.solvers.answer import Claim
from qpkernels.solvers.semismooth_newton.loops import loss_sum
from qpkernels.solvers.semismooth_newton.subproblem import Losses, Point, Slopes, Work, restricted

__all__ = ["Final", "minimise"]

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

_FALL = 0.3
"""Share of the gap before, above which sigma rises."""

_SHARE, _SHARPER = 0.1, 0.1
"""Error of a proximal step as a share of its length; less by this where the answer was not good enough."""

_DIRECTIONS, _STEPS = 30, 200
"""Directions of a proximal step, and proximal steps, at most."""

_FAR = 100.0
"""Square of an offset of the samples against their spread, from which it is taken away."""

_STALL = 5
"""Proximal steps in which the gap does not fall, after which it does not at all."""


@dataclass(frozen=True, eq=False)
class Final:
    """The last point, feasible, with K beta there."""

    beta: Vector
    values: Vector
    intercept: float
    claim: Claim
    message: str
    work: Work


@dataclass(frozen=True)
class Limits:
    """When to end."""

    tol: float
    deadline: float
    verbose: bool

    def is_over(self, work: Work) -> bool:
        """Return whether time or steps are used up."""
        return work.is_spent or perf_counter() > self.deadline


@dataclass(eq=False)
class _State:
    """beta, the point (w, b, v), and 1/sigma."""

    beta: Vector
    point: Point
    extra: float


def minimise(program: KernelQP, Z: Features, limits: Limits, work: Work, start: Vector | None = None) -> Final:
    """Minimise until the relative duality gap of a feasible beta and its own function is at most ``limits.tol``.

    Parameters
    ----------
    Z
        The factor of the kernel matrix, shape (m, r).
    start
        A beta to begin at; left out, the method begins with some samples, if there are many.
    """
    level = _offset(Z) if program.total == 0.0 else None
    if level is not None:
        # With 1'beta = 0 an offset of all samples changes nothing but b.
        Z = Z.around(level)
    if start is not None or len(program) < _MANY:
        state = _begin(program, Z, start)
    else:
        state = _from_some(program, Z, limits, work)
    final = _Descent(program, Z, limits, work).run(state)
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


def _first_extra(program: KernelQP, Z: Features) -> float:
    """Return the first 1/sigma."""
    spread = float(np.ptp(program.target)) / 2 or float(np.abs(program.target).max()) or 1.0
    some = Z.rows(np.arange(min(len(program), 1000)))
    size = float(np.einsum("ij,ij->", some, some)) / len(some) or 1.0
    reach = np.minimum(np.maximum(program.upper, -program.lower), 10 * spread / (size + program.ridge))
    half = reach.size // 2
    return spread / (_SIGMA * (float(np.partition(reach, half)[half]) or float(reach.max()) or 1.0))


def _begin(program: KernelQP, Z: Features, start: Vector | None) -> _State:
    beta = np.zeros(len(program)) if start is None else program.project(start)
    w = Z.transposed_dot(beta)
    return _State(beta, Point(w, 0.0, Z.dot(w), program.total, np.zeros_like(w)), _first_extra(program, Z))


def _from_some(program: KernelQP, Z: Features, limits: Limits, work: Work) -> _State:
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
        print(f"semismooth-newton: {count} of {m} samples first", flush=True)
    descent = _Descent(few, FeaturesInMemory(Z.rows(rows)), replace(limits, tol=_ROUGH), work)
    state = _begin(few, descent.Z, None) if count < _MANY else _from_some(few, descent.Z, limits, work)
    descent.run(state)
    point = Point(state.point.w, state.point.b, Z.dot(state.point.w) + state.point.b, program.total, state.point.pull)
    extra = state.extra * share
    return _State(replace(Losses.of(program), extra=extra).slopes(point.v).values, point, extra)


class _Descent:
    def __init__(self, program: KernelQP, Z: Features, limits: Limits, work: Work) -> None:
        self.program, self.Z, self.limits, self.work = program, Z, limits, work
        self.losses = Losses.of(program)
        self.share = _SHARE

    def run(self, state: _State) -> Final:
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
            since = 0 if gap < 0.9 * best else since + 1
            best = min(best, gap)
            self._raise(state, slopes, gap, before)
            before = gap
        final = self._final(state, ended=True)
        assert final is not None
        return final

    def _proximal_step(self, state: _State) -> tuple[Slopes, Vector]:
        losses, point, m = self.losses.around(state.beta, state.extra), state.point, len(self.program)
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

    def _estimate(self, state: _State, drawn: Vector) -> float:
        """Return the relative gap of (w, b) and beta, whose imbalance and hard constraints are left out of account."""
        point, program, beta = state.point, self.program, state.beta
        losses, violation = loss_sum(*self.losses.data, point.v)
        primal = 0.5 * float(point.w @ point.w) + losses + point.b * (program.total or 0.0)
        dual = float(program.target @ beta) - float(program.costs(beta).sum()) - 0.5 * float(drawn @ drawn)
        scale = max(abs(primal), abs(dual)) or 1.0
        return max(abs(primal - dual) / scale, violation)

    def _raise(self, state: _State, slopes: Slopes, gap: float, before: float) -> None:
        free, r = slopes.free.size, self.Z.shape[1]
        if free > _MANY_FREE * r:
            state.extra /= _MUCH_MORE
        elif free > _FREE * r or gap > _FALL * before:
            state.extra /= _MORE

    def _final(self, state: _State, ended: bool) -> Final | None:
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

    def _report(self, state: _State, slopes: Slopes, gap: float) -> None:
        if self.limits.verbose:
            print(
                f"semismooth-newton: {self.work.steps:4d} steps, sigma {1 / (state.extra or np.inf):.1e}, "
                f"{slopes.free.size} free, relative gap {gap:.2e}, {self.work.passes} passes",
                flush=True,
            )
