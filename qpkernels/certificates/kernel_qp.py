# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of any candidate (beta, b) of a KernelQP, wherever it came from.

The function f that is judged need not be the expansion in beta: a primal form returns its own f, while beta comes from
its multipliers. Both are judged together, since P(f, b) bounds the optimum from above for every f, and D(beta) bounds
it from below for every feasible beta.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, certify_values, relative, undefined
from qpkernels.certificates.enclosures import Enclosure, enclose_kernel_qp
from qpkernels.certificates.rounding import (
    EPS,
    FunctionError,
    expansion_error,
    expansion_vanishes,
    mean,
    sum_error,
    together,
)
from qpkernels.certificates.support import Support, intercept_interval, split_support
from qpkernels.certificates.vanishing import vanishing_point
from qpkernels.gram import Expansion, Gram
from qpkernels.programs.kernel_qp import KernelQP

__all__ = [
    "DualityGap",
    "FunctionAtSamples",
    "KernelQPBounds",
    "certify_kernel_qp",
    "duality_gap",
    "expand_at_samples",
]


@dataclass(frozen=True, eq=False)
class FunctionAtSamples:
    """All a certificate needs of f: the values f(x_i) without intercept, shape (m,), and ||f||^2 in the space of k.

    f(x_i) is a sum of that many ``terms``, whose sizes add up to ``sizes``, shape (m,), and so for ``half_size`` and
    1/2 ||f||^2: what rounding is measured by. Left out, the values are taken as exact.
    """

    values: Vector
    squared_norm: float
    sizes: Vector | float = 0.0
    half_size: float = 0.0
    terms: int = 1

    @classmethod
    def zero(cls, samples: int) -> FunctionAtSamples:
        """Return the function that is 0 everywhere."""
        return cls(np.zeros(samples), 0.0)

    @property
    def error(self) -> FunctionError:
        """How far rounding may have taken the values and 1/2 ||f||^2."""
        unit = np.sqrt(self.terms) * EPS
        return FunctionError(unit * np.broadcast_to(self.sizes, self.values.shape), unit * self.half_size)

    @property
    def is_zero(self) -> bool:
        """Whether it is 0, without any rounding."""
        return self.squared_norm == 0.0 and not self.values.any()


def expand_at_samples(gram: Gram, beta: Vector, feasible: Vector, expansion: Vector) -> FunctionAtSamples:
    """Return the expansion in beta, given K times the feasible point near it: mostly beta itself."""
    values = expansion if np.array_equal(feasible, beta) else gram.product(beta)
    return FunctionAtSamples(values, float(beta @ values))


@dataclass(frozen=True, eq=False)
class DualityGap:
    """P(f, b) and D(beta), and how far they are apart.

    Attributes
    ----------
    primal_value, dual_value
        P(f, b) and D(beta).
    parts
        What each sample adds to P - D.
    violation
        The largest violation of a hard constraint by (f, b).
    rounding
        Bound of what rounding may have changed in P and D together.
    vanishing
        Whether every term of both is 0 up to its own rounding, so that the optimum is 0.
    """

    primal_value: float
    dual_value: float
    parts: Vector
    violation: float
    rounding: float
    vanishing: bool

    @property
    def scale(self) -> float:
        """max(|P|, |D|), which makes the gap free of units."""
        return max(abs(self.primal_value), abs(self.dual_value))

    @property
    def relative(self) -> float:
        """|P - D| and the rounding, over the scale."""
        gap = abs(self.primal_value - self.dual_value)
        return 0.0 if self.vanishing else relative(gap + self.rounding, self.scale)

    @property
    def largest(self) -> float:
        """What the sample that adds most to the gap adds, over the scale; others may make up for it."""
        return 0.0 if self.vanishing else relative(abs(float(self.parts.max())), self.scale)


@dataclass(frozen=True, eq=False)
class KernelQPBounds:
    """The bounds of a KernelQP: its duality gap, see :func:`certify_kernel_qp`."""

    program: KernelQP

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Bound the error by the duality gap."""
        return certify_kernel_qp(self.program, beta, intercept, function)

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.certificates.enclosures.enclose_kernel_qp`."""
        return enclose_kernel_qp(self.program, beta, intercept, function)

    def feasible(self, beta: Vector) -> Vector:
        """Project beta to the bounds and the sum."""
        return self.program.project(beta)

    def scaling(self, decision: Vector) -> float:
        """Return the factor of f and b by which P is feasible; 1 where they violate nothing, or none helps."""
        return _scaling(self.program, decision)

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Read the support vectors off strict complementarity."""
        return split_support(self.program, beta, decision)

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the interval of optimal intercepts; b twice in a model without a free b."""
        if self.program.total is None:
            return intercept, intercept
        return intercept_interval(self.program, beta, values, intercept, support)

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return no coefficients and the b within every epsilon; or coefficients with the sum asked for and f = 0."""
        return vanishing_point(self.program)


def certify_kernel_qp(
    program: KernelQP,
    beta: Vector,
    intercept: float,
    function: FunctionAtSamples | None = None,
    expansion: Vector | None = None,
) -> Certificate:
    """Certify the candidate (beta, b), and with it the function f, from the data alone.

    beta is first projected to the bounds and the sum; what that moved is the dual residual. The primal residual is the
    largest violation of a hard constraint (an infinite bound of beta): in a soft model the slacks are completed, so it
    is 0. Where it is not 0, (f, b) is rescaled by the smallest factor that satisfies every hard constraint, if there
    is one, so that P stays an upper bound.

    Parameters
    ----------
    program
        The problem.
    beta
        Coefficients, shape (m,), of any sign and size.
    intercept
        b.
    function
        f at the samples. Left out: the expansion of beta as it came, before the projection.
    expansion
        K beta, where the judge has computed it from K in float64 before, as for many programs at once.
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return undefined("the answer holds NaN or infinity")
    feasible = program.project(beta)
    if expansion is None or not np.array_equal(feasible, beta):
        expansion = program.gram.product(feasible)
    program.gram.require_nonnegative(feasible, expansion)
    if function is None:
        function = expand_at_samples(program.gram, beta, feasible, expansion)
    gap = duality_gap(program, feasible, expansion, intercept, function)
    moved = np.abs(beta - feasible)
    imbalance = 0.0 if program.total is None else abs(float(beta.sum()) - program.total)
    largest = int(np.argmax(gap.parts))
    return certify_values(
        gap.primal_value,
        gap.dual_value,
        primal_residual=gap.violation,
        dual_residual=max(
            relative(float(moved.max()), max(float(np.abs(feasible).max()), float(np.abs(beta).max()))),
            relative(imbalance, max(float(np.abs(feasible).sum()), float(np.abs(beta).sum()))),
        ),
        rounding=gap.rounding,
        vanishing=gap.vanishing,
        largest=float(gap.parts[largest]),
        worst=(
            f"sample {largest} (target {program.target[largest]:g}, beta {beta[largest]:.6g}) "
            f"adds {gap.parts[largest]:.1e} to the gap"
        ),
    )


@np.errstate(over="ignore", invalid="ignore")
def duality_gap(
    program: KernelQP, beta: Vector, expansion: Vector, intercept: float, function: FunctionAtSamples | None = None
) -> DualityGap:
    """Return P(f, b) and D(beta) for a feasible ``beta`` whose K beta is ``expansion``.

    f is ``function``, or else the expansion in beta itself. Where 1'beta = 0, neither an offset of the targets nor one
    of f changes the values: residuals are taken around b, and D around the middle of the targets and the mean of f.
    """
    balanced, total = program.total == 0.0, program.total or 0.0
    around = expansion - mean(expansion) if balanced else expansion
    squared_norm = float(beta @ around)
    f = FunctionAtSamples(expansion, squared_norm) if function is None else function
    own = expansion_error(program.gram, beta, expansion, balanced=balanced)
    error = own if function is None else f.error
    scaling = _scaling(program, f.values + intercept)
    level = scaling * intercept
    residuals = (program.target - level) - (f.values if scaling == 1.0 else scaling * f.values)
    losses, losses_error = _losses_and_error(program, residuals, scaling * error.values, level)
    linear = (program.target - program.middle) * beta
    costs = program.costs(beta)
    rounding = (
        together(losses_error)
        + sum_error(losses)
        + scaling * scaling * error.half_norm
        + EPS * abs(level * total)
        + sum_error(linear)
        + sum_error(costs)
        + own.half_norm
        + program.gram.indefiniteness(beta)
        + (abs(float(beta.sum()) - total) * float(np.abs(residuals).max()) if balanced else 0.0)
    )
    return DualityGap(
        primal_value=0.5 * scaling * scaling * f.squared_norm + float(losses.sum()) + level * total,
        dual_value=float(linear.sum()) - float(costs.sum()) - 0.5 * squared_norm,
        parts=losses - residuals * beta + costs,
        violation=_violation(program, (program.target - intercept) - f.values),
        rounding=rounding,
        vanishing=(
            f.is_zero
            and level * total == 0.0
            and bool((losses <= losses_error).all())
            and not linear.any()
            and not costs.any()
            and expansion_vanishes(program.gram, beta, balanced=balanced)
        ),
    )


def _losses_and_error(program: KernelQP, residuals: Vector, error: Vector, level: float) -> tuple[Vector, Vector]:
    """Return L_i, and how far they may be off where f(x_i) is known up to ``error``.

    A convex function changes most at an end of an interval.
    """
    error = error + EPS * (np.abs(program.target - level) + np.abs(residuals) + program.epsilon)
    losses, *ends = _losses(program, np.stack((residuals, residuals - error, residuals + error)))
    return losses, np.maximum(np.abs(ends[0] - losses), np.abs(ends[1] - losses))


def _losses(program: KernelQP, residuals: Vector) -> Vector:
    """Return L_i at target - v = ``residuals``, rows of shape (m,); a hard constraint contributes 0, told apart."""
    # Without a ridge, losses are as steep as the bounds.
    ridge = program.ridge if program.has_ridge or program.is_hard else None
    above = _branch(residuals - program.epsilon, program.upper, ridge)
    below = _branch(-residuals - program.epsilon, -program.lower, ridge)
    return np.maximum(above, below)


def _branch(slope: Vector, bound: Vector, ridge: Vector | None) -> Vector:
    """Return max over 0 <= s <= bound of slope s - ridge/2 s^2, with 0 in place of infinity."""
    slope = np.maximum(slope, 0.0)
    if ridge is None:
        return slope * bound
    peak = np.divide(slope, ridge, out=np.full_like(slope, np.inf), where=ridge > 0)
    s = np.minimum(bound, peak)
    s[np.isinf(s)] = 0.0
    return np.asarray(slope * s - 0.5 * ridge * s**2)


def _violation(program: KernelQP, residuals: Vector) -> float:
    return float(_violations(program, residuals).max()) if program.is_hard else 0.0


def _violations(program: KernelQP, residuals: Vector) -> Vector:
    """Return how far each residual is beyond epsilon on a side with an infinite bound.

    The unit is half the spread of the targets and epsilon, never the size of the targets, which an offset makes as
    large as one likes; only targets that are all equal have no other unit than that.
    """
    hard = program.ridge == 0
    unit = 0.5 * float(np.ptp(program.target)) + float(program.epsilon.max())
    unit = unit or float(np.abs(program.target).max()) or 1.0
    short = np.where(hard & np.isinf(program.upper), np.maximum(residuals - program.epsilon, 0.0) / unit, 0.0)
    over = np.where(hard & np.isinf(program.lower), np.maximum(-residuals - program.epsilon, 0.0) / unit, 0.0)
    return np.maximum(short, over)


def _scaling(program: KernelQP, v: Vector) -> float:
    """Return the smallest s >= 1 such that s v satisfies every hard constraint, or 1 if there is none."""
    if not program.is_hard:
        return 1.0
    violated = _violations(program, program.target - v) > 0
    if not violated.any():
        return 1.0
    bound = np.where(v < program.target, program.target - program.epsilon, program.target + program.epsilon)[violated]
    with np.errstate(divide="ignore", over="ignore"):
        factor = float((bound / v[violated]).max())
    rounding = 4 * EPS
    mended = np.isfinite(factor) and factor > 1
    return factor if mended and float(_violations(program, program.target - factor * v).max()) <= rounding else 1.0
