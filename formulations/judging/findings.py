# SPDX-License-Identifier: BSD-3-Clause
r"""How far from optimal an answer is, sample by sample and as a function, and which constraints it breaks.

By Fenchel and Young L_i(v) + L_i*(-beta) + beta v >= 0, with equality where -beta is a slope of L_i at v: this says how
far a sample is from optimal, in the unit of the objective. The sum over all samples is the gap, except for 1/2 ||f -
f_beta||^2 where f is not the expansion in beta.

P(f, b) is 1-strongly convex in f, and so is -D(beta) in the expansion f_beta of its point, so that

    1/2 ||f - f*||^2 + 1/2 ||f_beta - f*||^2 <= P(f, b) - D(beta).

Hence ||f - f*||^2 <= 2 gap, and even <= gap where f is the expansion in beta; and no value of f differs from that of f*
by more than this radius times sqrt(k(x, x)). For each f near f the optimal b is where the slopes of the losses add up
to the sum that the intercept demands. They rise with b, which encloses every possible b*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Candidate
from qpkernels.arrays import Indices, Vector
from qpkernels.gram import Gram
from qpkernels.problems import Bounds, Certificate, FenchelBounds, KernelQP, KernelQPBounds, LevelQP
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds

__all__ = ["Nearness", "Optimality", "faults_of", "nearness", "optimality", "remarks_on"]


@dataclass(frozen=True, eq=False)
class Optimality:
    """How far each sample is from optimal.

    Attributes
    ----------
    violations
        What each adds to the gap, at least 0, shape (m,).
    slopes
        The coefficient that it should have at its decision value, shape (m,); at a kink of its loss, where there are
        several, the one nearest to 0.
    """

    violations: Vector
    slopes: Vector


def optimality(answer: Candidate, bounds: Bounds) -> Optimality | None:
    """Return how far each sample is from optimal; None of a problem that is no sum of losses of decision values."""
    if not answer.is_squarable:
        return None
    beta = bounds.feasible(answer.beta)
    if isinstance(bounds, FenchelBounds) and bounds.losses.slope is not None:
        v = answer.decision - bounds.losses.level
        gaps = bounds.losses.value(v) + bounds.losses.conjugate(beta) + beta * v
        return Optimality(np.maximum(gaps, 0.0), -bounds.losses.slope(v))
    program = stated_as(answer, bounds)
    return None if program is None else _of_program(program, answer, beta)


def stated_as(answer: Candidate, bounds: Bounds) -> KernelQP | None:
    """Return the KernelQP that the problem is, at the best level for this answer where the level is free."""
    if isinstance(bounds, KernelQPBounds):
        return bounds.program
    if isinstance(bounds, MarginLevelBounds | TubeLevelBounds):
        excess = bounds.excess(answer.at_samples.values, answer.intercept)
        return bounds.program.at_level(bounds.level(bounds.losses(excess)))
    return None


def _of_program(program: KernelQP, answer: Candidate, beta: Vector) -> Optimality:
    values, b = answer.at_samples.values, answer.intercept
    residuals, slopes = (program.target - b) - values, program.slopes(values, b)
    # Both are residual times coefficient less what this costs, and the slope is the best coefficient.
    gaps = residuals * (slopes - beta) - (program.costs(slopes) - program.costs(beta))
    return Optimality(np.maximum(gaps, 0.0), slopes)


_STEPS = 40
"""Halvings of the interval of intercepts."""

_WIDEST = 60
"""Doublings of the distance within which its ends are looked for."""

_ROUNDING = 1e-12
"""Share of a decision value, and of a target, by which rounding may change it."""


@dataclass(frozen=True, eq=False)
class Nearness:
    """The consequences of the gap for the function.

    Attributes
    ----------
    radius
        The optimal function is within this distance in the space of the kernel: ||f - f*|| is at most that.
    lower, upper
        Between which the decision values f*(x_i) + b* of the optimal machine lie, shape (m,); infinite where nothing is
        known of b*.
    """

    radius: float
    lower: Vector
    upper: Vector

    @property
    def certain(self) -> int:
        """For how many samples the optimal machine's decision values have one sign for certain."""
        return int(np.count_nonzero((self.lower > 0) | (self.upper < 0)))


def nearness(answer: Candidate, bounds: Bounds, certificate: Certificate, gram: Gram) -> Nearness | None:
    """Return what the gap says; None where it says nothing: without a proved gap, or another penalty than ||f||^2."""
    gap = certificate.primal_value - certificate.dual_value + certificate.rounding
    known = isinstance(bounds, KernelQPBounds | MarginLevelBounds | TubeLevelBounds) or (
        isinstance(bounds, FenchelBounds) and bounds.regulariser.is_half_square and bounds.losses.slope is not None
    )
    if not known or not np.isfinite(gap) or certificate.primal_residual > _ROUNDING or not certificate.is_counted:
        return None
    joint = answer.is_expansion and np.array_equal(bounds.feasible(answer.beta), answer.beta)
    radius = float(np.sqrt(max(gap, 0.0) * (1.0 if joint else 2.0)))
    f = answer.at_samples
    reach = radius * gram.lengths + _ROUNDING * np.abs(answer.decision)
    if f.product is not None:
        reach = reach + f.product.error
    low, high = _intercepts(bounds, f.values, reach, answer.intercept)
    return Nearness(radius, f.values - reach + low, f.values + reach + high)


def _intercepts(bounds: Bounds, values: Vector, reach: Vector, b: float) -> tuple[float, float]:
    """Return the ends between which every optimal b lies, if f* is within ``reach`` of ``values``."""
    slopes: Callable[[Vector, float], Vector]
    if isinstance(bounds, KernelQPBounds):
        program = bounds.program
        if program.is_hard and program.total is not None:
            return -np.inf, np.inf
        slopes, total, size = program.slopes, program.total, float(np.abs(program.target).max())
    elif isinstance(bounds, FenchelBounds):
        slope, level = bounds.losses.slope, bounds.losses.level
        assert slope is not None
        slopes, total, size = lambda v, b: -slope(v + (b - level)), bounds.total, abs(level)
    else:
        return -np.inf, np.inf
    if total is None:
        return b, b
    # A kink that is met exactly has several slopes, of which the program names one; beside it there is one only.
    beside = reach + _ROUNDING * (size + float(np.abs(values).max()) + abs(b))
    unit = float(beside.max()) + _ROUNDING
    up = _end(lambda t: float(slopes(values - beside, b + t).sum()) < total, unit)
    down = _end(lambda t: float(slopes(values + beside, b - t).sum()) > total, unit)
    return b - down, b + up


def _end(beyond: Callable[[float], bool], unit: float) -> float:
    """Return a t from which on a condition holds, that holds nowhere below the least such t; infinity without one."""
    far = unit
    for _ in range(_WIDEST):
        if beyond(far):
            break
        far *= 2.0
    else:
        return np.inf
    near = 0.0
    for _ in range(_STEPS):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if beyond(middle) else (middle, far)
    return far


_BEYOND = 1e-6
"""Share of its bound by which a coefficient may exceed it unnoticed."""

_UNBALANCED = 1e-4
"""Share of their sizes by which coefficients may add up to another sum unnoticed: single precision leaves less."""


@dataclass(frozen=True, eq=False)
class Faults:
    """Two samples that no feasible point can both satisfy.

    Attributes
    ----------
    is_unbalanced
        Whether the coefficients add up to another sum than the one that the intercept demands.
    other_sign
        Which of them have a sign that their bounds do not allow, shape (m,).
    shares
        All of them as shares of their bounds, shape (m,); 0 where there is none, or the sign is wrong.
    beyond
        Which of them exceed their bound, shape (m,).
    """

    is_unbalanced: bool
    other_sign: NDArray[np.bool_]
    shares: Vector
    beyond: NDArray[np.bool_]

    @property
    def any(self) -> bool:
        """Whether there is one at all."""
        return self.is_unbalanced or bool(self.other_sign.any() or self.beyond.any())


def faults_of(beta: Vector, program: KernelQP | LevelQP) -> Faults:
    """Return the constraints that finite coefficients violate by more than single precision does."""
    lower, upper, total = program.lower, program.upper, program.total
    size = float(np.abs(beta).max(initial=0.0))
    other_sign = ((upper == 0) & (beta > _BEYOND * size)) | ((lower == 0) & (beta < -_BEYOND * size))
    ends = np.where(beta > 0, upper, -lower)
    shares = np.divide(np.abs(beta), ends, out=np.zeros_like(beta), where=ends > 0)
    return Faults(
        is_unbalanced=total is not None and abs(float(beta.sum()) - total) > _UNBALANCED * float(np.abs(beta).sum()),
        other_sign=other_sign,
        shares=shares,
        beyond=~other_sign & (shares > 1 + _BEYOND),
    )


_BELOW = 1e-6
"""Share of its bound by which a coefficient that is at it may be below."""

_SAME = 1e-9
"""Share within which coefficients are the same share of their bounds."""

_FEW = 3
"""Coefficients that may share a largest share by chance."""


def remarks_on(answer: Candidate, bounds: Bounds, rows: Indices) -> tuple[str, ...]:
    """Say which coefficients no answer to this problem has, and what they may come from; ``rows`` are their numbers."""
    if not isinstance(bounds, KernelQPBounds | MarginLevelBounds | TubeLevelBounds) or bounds.program is None:
        return ()
    lower, upper, beta = bounds.program.lower, bounds.program.upper, answer.beta
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and np.isfinite(beta).all()):
        return ()
    found, faults = [], faults_of(beta, bounds.program)
    if faults.is_unbalanced:
        found.append(
            f"the coefficients add up to {float(beta.sum()):.6g}, not to {bounds.program.total:g}: some were changed "
            "or left out"
        )
    if faults.other_sign.any():
        first = rows[np.argmax(faults.other_sign)]
        found.append(
            f"the sign of the other class: {_counted(faults.other_sign)}, the first that of sample {first}; y is not "
            "the target of the fit, or the coefficients were changed"
        )
    shares = faults.shares
    if faults.beyond.any():
        found.append(
            f"beyond the bound: {_counted(faults.beyond)}, that of sample {rows[np.argmax(shares)]} by a factor of "
            f"{float(shares.max()):.4g}; the machine was fitted with another C, class_weight or sample_weight, or they "
            "were changed"
        )
    elif not isinstance(bounds, MarginLevelBounds) and 0 < (most := float(shares.max(initial=0.0))) < 1 - _BELOW:
        together = int(np.count_nonzero(shares >= most * (1 - _SAME)))
        if together > _FEW:
            found.append(
                f"{together} coefficients share the largest value, {most:.4g} of their bound, and none is larger: the "
                "machine was fitted with a smaller C, class_weight or sample_weight"
            )
    return tuple(found)


def _counted(which: NDArray[np.bool_]) -> str:
    number = int(np.count_nonzero(which))
    return "1 coefficient" if number == 1 else f"{number} coefficients"
