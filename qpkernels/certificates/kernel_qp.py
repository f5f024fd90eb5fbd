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
from qpkernels.certificates.certificate import Certificate, relative, undefined
from qpkernels.certificates.enclosures import Enclosure, enclose_kernel_qp
from qpkernels.certificates.support import Support, intercept_interval, split_support
from qpkernels.gram import Expansion, Gram
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["DualityGap", "FunctionAtSamples", "KernelQPBounds", "certify_kernel_qp", "duality_gap", "expand_at_samples"]


@dataclass(frozen=True, eq=False)
class FunctionAtSamples:
    """All a certificate needs of f: the values f(x_i) without intercept, shape (m,), and ||f||^2 in the space of k.

    ``rounding`` bounds the rounding errors of the values: that of f(x_i) is at most ``rounding`` sqrt(k(x_i, x_i)).
    """

    values: Vector
    squared_norm: float
    rounding: float = 0.0


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
    scale
        max(|P|, |D|), which makes the gap free of units, or the zero tolerance where that is more.
    relative, largest
        |P - D|, and what the sample that adds most to it adds, over the scale; others may make up for it.
    """

    primal_value: float
    dual_value: float
    parts: Vector
    violation: float
    scale: float
    relative: float
    largest: float


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

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Read the support vectors off strict complementarity."""
        return split_support(self.program, beta, decision)

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the interval of optimal intercepts; b twice in a model without a free b."""
        if self.program.total is None:
            return intercept, intercept
        return intercept_interval(self.program, beta, values, intercept, support)


def certify_kernel_qp(
    program: KernelQP, beta: Vector, intercept: float, function: FunctionAtSamples | None = None
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
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return undefined("the answer holds NaN or infinity")
    feasible = program.project(beta)
    expansion = program.gram.product(feasible)
    program.gram.require_nonnegative(feasible, expansion)
    if function is None:
        function = expand_at_samples(program.gram, beta, feasible, expansion)
    gap = duality_gap(program, feasible, expansion, intercept, function)
    error_bound = program.gram.error_bound(feasible)
    moved = np.abs(beta - feasible)
    imbalance = 0.0 if program.total is None else abs(float(beta.sum()) - program.total)
    largest, tolerance = int(np.argmax(gap.parts)), program.coefficient_tolerance
    return Certificate(
        primal_value=gap.primal_value,
        dual_value=gap.dual_value,
        relative_gap=max(gap.relative, relative(error_bound, gap.scale)),
        primal_residual=gap.violation,
        dual_residual=max(
            relative(float(moved.max()), max(float(np.abs(feasible).max()), tolerance)),
            relative(imbalance, max(float(np.abs(feasible).sum()), tolerance)),
        ),
        complementarity=gap.largest,
        worst=(
            f"sample {largest} (target {program.target[largest]:g}, beta {beta[largest]:.6g}) "
            f"adds {gap.parts[largest]:.1e} to the gap"
        ),
    )


def duality_gap(
    program: KernelQP, beta: Vector, expansion: Vector, intercept: float, function: FunctionAtSamples | None = None
) -> DualityGap:
    """Return P(f, b) and D(beta) for a feasible ``beta`` whose K beta is ``expansion``.

    f is ``function``, or else the expansion in beta itself.
    """
    f = FunctionAtSamples(expansion, float(beta @ expansion)) if function is None else function
    decision = f.values + intercept
    scaling = _scaling(program, decision)
    v = scaling * decision
    losses = _losses(program, v)
    total = 0.0 if program.total is None else program.total
    gains = (program.target - v) * beta - program.epsilon * np.abs(beta) - 0.5 * program.ridge * beta**2
    primal = 0.5 * scaling**2 * f.squared_norm + float(losses.sum()) + scaling * intercept * total
    dual, parts = 0.0 - program.objective(beta, expansion), losses - gains
    scale = max(abs(primal), abs(dual), program.zero_tolerance)
    return DualityGap(
        primal_value=primal,
        dual_value=dual,
        parts=parts,
        violation=float(_violations(program, decision).max()),
        scale=scale,
        relative=relative(abs(primal - dual), scale),
        largest=relative(abs(float(parts.max())), scale),
    )


def _losses(program: KernelQP, v: Vector) -> Vector:
    """Return L_i(v_i); a hard constraint contributes 0 here and its violation is reported apart."""
    above = _branch(program.target - v - program.epsilon, program.upper, program.ridge)
    below = _branch(v - program.target - program.epsilon, -program.lower, program.ridge)
    return np.maximum(above, below)


def _branch(slope: Vector, bound: Vector, ridge: Vector) -> Vector:
    """Return max over 0 <= s <= bound of slope s - ridge/2 s^2, with 0 in place of infinity."""
    slope = np.maximum(slope, 0.0)
    peak = np.divide(slope, ridge, out=np.full_like(slope, np.inf), where=ridge > 0)
    s = np.minimum(bound, peak)
    s[np.isinf(s)] = 0.0
    return np.asarray(slope * s - 0.5 * ridge * s**2)


def _violations(program: KernelQP, v: Vector) -> Vector:
    """Return how far each v_i is beyond target +- epsilon on a side with an infinite bound, relative to the targets.

    That is to half of their spread, which b does not change, or to their size where there is no b.
    """
    hard = program.ridge == 0
    low, high = program.target - program.epsilon, program.target + program.epsilon
    size = float(np.abs(program.target).max() if program.total is None else 0.5 * np.ptp(program.target))
    unit = size + float(program.epsilon.max()) or float(np.abs(program.target).max()) or 1.0
    short = np.where(hard & np.isinf(program.upper), np.maximum(low - v, 0.0) / unit, 0.0)
    over = np.where(hard & np.isinf(program.lower), np.maximum(v - high, 0.0) / unit, 0.0)
    return np.maximum(short, over)


def _scaling(program: KernelQP, v: Vector) -> float:
    """Return the smallest s >= 1 such that s v satisfies every hard constraint, or 1 if there is none."""
    violated = _violations(program, v) > 0
    if not violated.any():
        return 1.0
    bound = np.where(v < program.target, program.target - program.epsilon, program.target + program.epsilon)[violated]
    with np.errstate(divide="ignore", over="ignore"):
        factor = float((bound / v[violated]).max())
    rounding = 4 * np.finfo(float).eps
    mended = np.isfinite(factor) and factor > 1 and float(_violations(program, factor * v).max()) <= rounding
    return factor if mended else 1.0
