# SPDX-License-Identifier: BSD-3-Clause
"""Where the method stands: a point with its intercept, how far it is from optimal, and how well that is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qpkernels.arrays import Indices, Samples, Vector
from qpkernels.gram.panels.products import mostly_zero
from qpkernels.gram.panels.samples import compressed
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.problems import LevelQP
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.bounds import vanishing_point
from qpkernels.problems.kernel_qp.gap import DualityGap, duality_gap
from qpkernels.problems.kernel_qp.program import KernelQP, diverges
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, level_bounds
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.solvers.smo.steps import ROUNDED, level_of

__all__ = [
    "Beginning",
    "GapError",
    "Iterate",
    "RoundingWatch",
    "Stepped",
    "intercept_of",
    "measure",
    "measure_exactly",
    "nearly_vanishes",
    "slopes",
    "vanishing_iterate",
]

_SAMPLES = 256
"""Samples at which the error of values made in float32 is computed."""

_SHARE = 0.3
"""Largest gap error, as a part of the gap, with which a descent goes on."""

_NEARLY_ZERO = 1e-8
"""Part of what the terms of f could make below which values may be on their way to 0."""


@dataclass(frozen=True, eq=False)
class Stepped:
    """A ``point`` and its ``values``: K times it, as steps left them."""

    point: Vector
    values: Vector


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where a descent begins.

    Attributes
    ----------
    beta
        A feasible point, shape (m,).
    values
        K beta, where it is known in float64.
    stepped
        Whence it can be made where it is not; None: from 0.
    steps, seconds
        Those of earlier runs of the same descent.
    """

    beta: Vector
    values: Vector | None = None
    stepped: Stepped | None = None
    steps: int = 0
    seconds: float = 0.0


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
    diverging
        beta grows along a direction that proves the objective unbounded, as far as float64 can tell.
    stalled
        No step can improve the point in float64.
    rounding
        How far the norm of f may be off, relative to the scale of the gap: the matrix is semidefinite only up to this.
    gap_error
        What the gap may be off by, relative: 0 where the values were computed in float64.
    estimated
        The gap is an estimate, some values being older than beta.
    interrupted
        The user wished no more steps.
    given_up
        Who watches the progress wished no more steps.
    values
        K beta, where it was computed from K itself in float64; None where steps brought it up to date.
    stepped
        Whence K beta can be made: beta itself, or, where samples are left out, the point at which all values were up to
        date. Further steps write to these arrays.
    level
        That of a problem whose level is free.
    """

    beta: Vector
    intercept: float
    gap: DualityGap
    iterations: int
    diverging: bool
    stalled: bool = False
    rounding: float = 0.0
    gap_error: float = 0.0
    estimated: bool = False
    interrupted: bool = False
    given_up: bool = False
    values: Vector | None = None
    stepped: Stepped | None = None
    level: float = 0.0

    @property
    def violation(self) -> float:
        """The largest of what has to fall, as who watches a solver's progress asks for it."""
        return self.gap.shortfall

    def proves(self, tol: float) -> bool:
        """Return whether the gap, each sample's part of it and the violation of hard constraints are within ``tol``."""
        return max(self.gap.shortfall + self.gap_error, self.rounding) <= tol and not self.estimated


class RoundingWatch:
    """Tells when rounding is all that still changes.

    Near the optimum the objective no longer shows what a step gains, being flat there, but the gap still does. So
    neither may have come to a better value for some measurements.
    """

    def __init__(self, patience: int) -> None:
        self._patience, self._idle = patience, 0
        self._value, self._violation = -np.inf, np.inf

    def ended(self, gap: DualityGap) -> bool:
        """Take note of the gap of a point, and return whether the last ``patience`` were none better."""
        value, violation = gap.dual_value, gap.shortfall
        self._idle = 0 if value > self._value or violation < self._violation else self._idle + 1
        self._value, self._violation = max(value, self._value), min(violation, self._violation)
        return self._idle > self._patience


def measure(
    program: KernelQP | LevelQP,
    beta: Vector,
    values: Vector,
    iterations: int,
    *,
    stepped: Stepped | None = None,
    computed: bool = False,
) -> Iterate:
    """Return the iterate at ``beta``, whose K beta is ``values``, as far as the steps kept them up to date.

    Parameters
    ----------
    stepped
        The last point at which all values were up to date, where some of them are older than beta; left out, none is.
    computed
        Whether the values were computed from K itself, so that the iterate is to hold them.
    """
    level = 0.0
    if isinstance(program, LevelQP):
        level, intercept = level_and_intercept(program, beta, values)
        gap = _gap_at_level(program, level, beta, values, intercept)
    else:
        intercept = intercept_of(program, beta, values)
        gap = duality_gap(program, beta, values, intercept)
    return Iterate(
        beta=beta.copy(),
        intercept=intercept,
        gap=gap,
        rounding=relative(gap.rounding, gap.scale),
        iterations=iterations,
        diverging=isinstance(program, KernelQP) and diverges(program, beta, values),
        estimated=stepped is not None,
        values=values if computed else None,
        stepped=stepped or Stepped(beta, values),
        level=level,
    )


def level_and_intercept(program: LevelQP, beta: Vector, values: Vector) -> tuple[float, float]:
    """Return the level and the b that suit beta: both groups of coefficients have slopes on their sides of them.

    That is b + l for those above 0, and b - l for those below; of the b in the middle of both l is the best one.
    """
    bounds, b = level_bounds(program), 0.0
    if program.total is not None:
        slope, size = values - program.target, np.abs(beta)
        middles = []
        for sign in (1.0, -1.0):
            end = np.maximum(sign * (program.upper if sign > 0 else program.lower), 0.0)
            amount = np.maximum(sign * beta, 0.0)
            near = ROUNDED * np.minimum(end, size.max(initial=0.0))
            spent, room = amount > near, end - amount > near
            highest = float((sign * slope).max(where=spent, initial=-np.inf))
            lowest = float((sign * slope).min(where=room, initial=np.inf))
            ends = [each for each in (highest, lowest) if np.isfinite(each)]
            middles.append(sign * sum(ends) / len(ends) if ends else 0.0)
        b = -0.5 * sum(middles)
    return bounds.level(bounds.losses(bounds.excess(values, b))), b


def _gap_at_level(program: LevelQP, level: float, beta: Vector, values: Vector, b: float) -> DualityGap:
    """Return the gap of a problem whose level is free: that of its KernelQP, less what both values pay the level."""
    gap, spent = duality_gap(program.at_level(level), beta, values, b), float(np.abs(beta).sum())
    primal, dual = gap.primal_value + level * program.budget, gap.dual_value + level * spent
    return replace(gap, primal_value=primal, dual_value=dual)


def measure_exactly(program: KernelQP | LevelQP, beta: Vector, iterations: int) -> Iterate:
    """Return the iterate at ``beta`` with K beta computed from K itself."""
    return measure(program, beta, program.gram.product(beta), iterations, computed=True)


def vanishing_iterate(program: KernelQP | LevelQP, iterations: int) -> Iterate | None:
    """Return the iterate that proves an optimum of 0, where the function is 0 and beta need not be; None: it is not 0.

    Descent comes near such a beta for ever, since no gap is small against values that vanish.
    """
    if isinstance(program, LevelQP):
        bounds, b = level_bounds(program), 0.0
        means = bounds.equal_means() if isinstance(bounds, MarginLevelBounds) else None
        if means is None:
            return None
        beta, program = bounds.feasible(means), program.at_level(0.0)
    else:
        if (point := vanishing_point(program)) is None:
            return None
        beta, b = program.project(point[0]), point[1]
    values = program.gram.product(beta)
    gap = duality_gap(program, beta, values, b, FunctionAtSamples.zero(program.size))
    return Iterate(beta, b, gap, iterations, diverging=False, values=values) if gap.vanishing else None


def nearly_vanishes(program: KernelQP | LevelQP, iterate: Iterate) -> bool:
    """Return whether the values are so small a part of what the terms of f could make that the optimum may be 0."""
    reach = float(np.abs(iterate.beta) @ program.gram.lengths)
    return bool(program.total) and iterate.gap.scale <= _NEARLY_ZERO * 0.5 * reach**2


def intercept_of(program: KernelQP, beta: Vector, values: Vector) -> float:
    """Return the b in the middle of what the slopes allow; 0 in a model without b.

    See :func:`qpkernels.solvers.smo.steps.level_of`.
    """
    if program.total is None:
        return 0.0
    parts = program.target, program.epsilon, program.ridge, program.lower, program.upper, beta, values
    return -level_of(*map(np.ascontiguousarray, parts))


def slopes(
    target: Vector, epsilon: Vector, ridge: Vector, lower: Vector, upper: Vector, beta: Vector, values: Vector
) -> tuple[Vector, Vector]:
    """Return what going up costs each coefficient, and what going down gains, infinite where it cannot."""
    gradient = values + ridge * beta - target
    rise = fall = gradient
    if epsilon.any():
        rise = gradient + np.where(beta >= 0, epsilon, -epsilon)
        fall = gradient + np.where(beta > 0, epsilon, -epsilon)
    up, down = np.where(beta < upper, rise, np.inf), np.where(beta > lower, fall, -np.inf)
    return up, down


class GapError:
    """An estimate of the error of the relative gap, whose values are not quite K beta; made when it may matter.

    The gap is the sum of what the samples add to it. At one of each so many, chosen by chance, that is computed from K
    in float64, and compared: the sum over all differs by their number times the mean difference, give or take three
    standard errors. It is an estimate, which tells when to stop; the certificate computes all of them.

    Attributes
    ----------
    value
        The last estimate; 0 for values made in float64.
    """

    def __init__(self, program: KernelQP | LevelQP, tol: float, exact: bool) -> None:
        self._program, self._tol, self._exact = program, tol, exact
        self.value, self._violation = 0.0, 0.01

    def is_due(self, iterate: Iterate) -> bool:
        """Return whether a new estimate is due: the answer may do, the error be too large, or much was gained."""
        return not self._exact and iterate.gap.shortfall <= max(
            self._tol - self.value, self.value / _SHARE, 0.1 * self._violation
        )

    @property
    def too_large(self) -> bool:
        """Whether values afresh are worth more than further steps."""
        return self.value > max(0.5 * self._tol, _SHARE * self._violation)

    def update(self, iterate: Iterate, values: Vector, samples: Indices) -> None:
        """Compare ``values``, of which the iterate was measured, with K beta at some of the ``samples``.

        Nothing is to do where they are made in float64.
        """
        if self._exact:
            return
        program, beta = self._program, iterate.beta
        if isinstance(program, LevelQP):
            program = program.at_level(iterate.level)
        self._violation = iterate.gap.shortfall
        count = min(_SAMPLES, samples.size)
        chance = np.random.default_rng(samples.size).random(count)
        chosen = samples[((np.arange(count) + chance) * (samples.size / count)).astype(np.intp)]
        used, sums = np.flatnonzero(beta), np.zeros(count)
        add_kernel_sums(program.gram.kernel, self._X[used], beta[used], self._X[chosen], sums)
        exact = values.copy()
        exact[chosen] = sums
        true = duality_gap(program, beta, exact, iterate.intercept)
        difference = true.parts[chosen] - iterate.gap.parts[chosen]
        each = abs(float(difference.mean())) + 3.0 * float(difference.std()) / np.sqrt(count)
        self.value = samples.size * each / iterate.gap.scale if iterate.gap.scale else np.inf

    @cached_property
    def _X(self) -> Samples:
        """The samples, compressed once where the sums would compress some of them each time."""
        X = self._program.gram.X
        return compressed(X) if mostly_zero(X) else X
