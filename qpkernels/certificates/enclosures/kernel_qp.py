# SPDX-License-Identifier: BSD-3-Clause
r"""An interval that holds the optimal value of a KernelQP in exact arithmetic.

From above: P(f, b) = 1/2 ||f||^2 + sum_i L_i(v_i) + b total bounds the optimum for every f and b, whatever they are
taken for. The decision values v_i = f(x_i) + b are enclosed; L_i is convex, so its maximum on an interval is at an end.
Where (f, b) violates a hard constraint, it is corrected first: see :mod:`qpkernels.certificates.enclosures.hard`.

From below: D(beta) = target'beta - epsilon'|beta| - 1/2 beta'(K + diag(ridge)) beta at a beta that is feasible exactly.

Where K is positive semidefinite by construction, the exact K is; otherwise the upper bound pays for what it may lack:
see :mod:`qpkernels.certificates.enclosures.definiteness`. The KernelQP is taken as it is stated in float64.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.enclosures.definiteness import farthest_square, least_shift, payment
from qpkernels.certificates.enclosures.enclosure import Enclosure, quiet
from qpkernels.certificates.enclosures.feasibility import exactly_feasible
from qpkernels.certificates.enclosures.functions import Judged, judged
from qpkernels.certificates.enclosures.hard import Excesses, corrected, excesses, forbidden
from qpkernels.gram import Expansion
from qpkernels.gram.enclosed import enclose_on_samples
from qpkernels.intervals import Interval, inner, sum_bounds, up
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["enclose_kernel_qp"]


@quiet
def enclose_kernel_qp(
    program: KernelQP, beta: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Enclose the optimal value of the primal, which is that of -(objective) at the best beta.

    Parameters
    ----------
    program
        The problem.
    beta
        Coefficients, shape (m,), of any sign and size; the better they are, the narrower the enclosure.
    intercept
        b.
    function
        f, where it is not the expansion in beta; its own b does not count.

    Raises
    ------
    NoEnclosureError
        If the kernel states no bounds of its rounding errors.
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return Enclosure(-np.inf, np.inf)
    near = program.project(beta)
    point = exactly_feasible(near, program.lower, program.upper, program.total)
    at_point = enclose_on_samples(program.gram, near if point is None else point)
    expansion = Judged(at_point.values, at_point.squared_norm, intercept, near if point is None else point)
    tau = least_shift(program.gram)
    candidates = [expansion] if function is None or tau > 0 else [expansion, judged(function, program.gram, intercept)]
    return Enclosure(
        -np.inf if point is None else _dual_value(program, point, at_point.squared_norm),
        min(_upper_bound(program, candidate, tau) for candidate in candidates),
    )


def _dual_value(program: KernelQP, beta: Vector, squared_norm: Interval) -> float:
    """Return a lower bound of D(beta)."""
    gain, width = inner(program.target, beta), inner(program.epsilon, np.abs(beta))
    ridge = (Interval.of(beta).square() * program.ridge).sum() if program.ridge.any() else Interval.of(0.0)
    terms = [gain.lower, -width.upper, -0.5 * squared_norm.upper, -0.5 * ridge.upper]
    return sum_bounds(np.array(terms, dtype=np.float64))[0]


def _upper_bound(program: KernelQP, candidate: Judged, tau: float) -> float:
    """Return an upper bound of the optimum by the best way of making the candidate feasible."""
    found = excesses(program, candidate)
    if not any(violation.any() for violation in forbidden(program, found)):
        return _primal_value(program, candidate, found, tau)
    ways = ((each, excesses(program, each)) for each in corrected(program, candidate))
    return min((_primal_value(program, *way, tau) for way in ways), default=np.inf)


def _primal_value(program: KernelQP, candidate: Judged, found: Excesses, tau: float) -> float:
    """Return an upper bound of P(f, b), infinite where a hard constraint may be violated."""
    short, over = found
    losses = np.maximum(_branch(short, program.upper, program.ridge), _branch(over, -program.lower, program.ridge))
    total = 0.0 if program.total is None else program.total
    offset = float((Interval.of(candidate.intercept) * total).upper)
    violated = np.logical_or(*(violation > 0 for violation in forbidden(program, found)))
    losses = np.where(violated, candidate.violation_loss, losses)
    paid = 0.0
    if tau > 0:
        known = candidate.coefficients is not None
        paid = payment(tau, _squares(program, candidate, tau)) if known else np.inf
    terms = np.concatenate([[0.5 * float(candidate.squared_norm.upper), offset, paid], losses])
    return sum_bounds(terms)[1]


def _branch(slope: Vector, bound: Vector, ridge: Vector) -> Vector:
    """Return upper bounds of max over 0 <= s <= bound of slope s - ridge/2 s^2, for slopes of at least 0."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        half = np.where(ridge > 0, np.nextafter(0.5 * ridge * bound, -np.inf), 0.0)
        at_bound = up(bound * up(slope - half))
        at_peak = up(up(slope**2) / (2.0 * ridge))
        beyond = np.nextafter(slope / ridge, -np.inf) > bound
    value = np.where((ridge > 0) & ~(beyond & np.isfinite(bound)), at_peak, at_bound)
    return np.where(slope == 0.0, 0.0, value)


def _squares(program: KernelQP, candidate: Judged, tau: float) -> Vector:
    """Return upper bounds of (beta_i - c_i)^2, less what a ridge r makes of it.

    With the s_i at which L_i(v_i) is attained, L_i(v_i) exceeds what it is at beta_i by r/2 (beta_i - s_i)^2 at least.
    For r > tau the maximum of tau (beta_i - c_i)^2 - r (beta_i - s_i)^2 is tau r / (r - tau) (c_i - s_i)^2.
    """
    coefficients = candidate.coefficients
    assert coefficients is not None
    squares = farthest_square(coefficients, program.lower, program.upper)
    strong = program.ridge > 2.0 * tau
    if strong.any():
        v = candidate.decision
        # Slopes of both ends hold those between; 8 u pays for their rounding.
        ends = [program.slopes(end) for end in (v.lower, v.upper)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        distance = np.maximum(high - coefficients, coefficients - low)
        size = np.abs(program.target) + v.magnitude + program.epsilon
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = distance + 2.0**-50 * (size / program.ridge + np.abs(coefficients))
            share = program.ridge / (program.ridge - tau) * (1.0 + 2.0**-50)
            squares = np.where(strong, np.minimum(squares, up(up(distance**2) * share)), squares)
    return squares
