# SPDX-License-Identifier: BSD-3-Clause
"""An interval that holds the optimal value of a KernelQP in exact arithmetic.

From above: P(f, b) = 1/2 ||f||^2 + sum_i L_i(v_i) + b total bounds the optimum for every f and b. The decision values
v_i = f(x_i) + b are enclosed; L_i is convex, so its maximum on an interval is at an end. Where (f, b) violates a hard
constraint, it is corrected first: see :mod:`qpkernels.problems.kernel_qp.enclosure`.

From below: D(beta) = target'beta - epsilon'|beta| - 1/2 beta'(K + diag(ridge)) beta at a beta that is exactly feasible.

If K is positive semidefinite by construction, the exact K is too; otherwise the upper bound pays for any
indefiniteness, see :mod:`qpkernels.problems.enclosing`. The KernelQP is taken as stated in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.exact_algebra import semidefinite_shift
from qpkernels.arrays.intervals import UNIT, Interval, inner, sum_bounds, up
from qpkernels.errors import GramTooLargeError
from qpkernels.gram import Gram
from qpkernels.gram.definiteness import smallest_eigenvalue
from qpkernels.gram.exact import enclose_on_samples, largest_row_error
from qpkernels.gram.functions import Expansion
from qpkernels.problems.enclosing import (
    Enclosure,
    Judged,
    exactly_feasible,
    farthest_square,
    judged,
    least_shift,
    payment,
    quiet,
)
from qpkernels.problems.kernel_qp.program import KernelQP

__all__ = [
    "Excesses",
    "corrected",
    "enclose_kernel_qp",
    "excesses",
    "forbidden",
    "least_change",
]

_EDGE = 1e-6
"""Share of the size of the targets within which a sample is on the edge."""

_FEW = 1000
"""Samples up to which a system of equations is solved for them."""

_STEPS = 3
"""Attempts of the first way, and of the second, each further inside."""

_FACTORED = 3000
"""Samples up to which the eigenvalues of K are asked for."""


Excesses: TypeAlias = tuple[Vector, Vector]
"""How far v_i may lie below target - epsilon, and above target + epsilon."""


def excesses(program: KernelQP, candidate: Judged) -> Excesses:
    """Return how far v_i may lie below target - epsilon, and above target + epsilon."""
    v = candidate.decision
    # target - epsilon would be rounded.
    away = program.target - v
    with_tube = bool(program.epsilon.any())
    below, above = (away - program.epsilon, -away - program.epsilon) if with_tube else (away, -away)
    return np.maximum(below.upper, 0.0), np.maximum(above.upper, 0.0)


def forbidden(program: KernelQP, found: Excesses) -> Excesses:
    """Return those that violate a hard constraint, and 0 in place of the others."""
    short, over = found
    hard = program.ridge == 0
    return np.where(hard & np.isinf(program.upper), short, 0.0), np.where(hard & np.isinf(program.lower), over, 0.0)


def corrected(program: KernelQP, candidate: Judged) -> Iterator[Judged]:
    """Yield functions that meet the hard constraints, or may; the last one, if any, does."""
    for step in range(_STEPS):
        factor = _factor(program, candidate, 8.0 * 16.0**step)
        if factor is None:
            break
        scaled = candidate.times(factor)
        if _meets(program, scaled):
            yield scaled
            return
    for step in range(_STEPS):
        moved = _moved_inside(program, candidate, 8.0 * 16.0**step)
        if moved is None:
            break
        candidate = moved
        if _meets(program, candidate):
            yield candidate
            return
    exact = _moved_exactly(program, candidate)
    if exact is not None:
        yield exact


def _meets(program: KernelQP, candidate: Judged) -> bool:
    return not any(violation.any() for violation in forbidden(program, excesses(program, candidate)))


def _factor(program: KernelQP, candidate: Judged, margin: float) -> float | None:
    """Return the smallest s >= 1, if any, at which s v meets what v violates, and so many times its rounding more."""
    v = candidate.decision
    short, over = forbidden(program, excesses(program, candidate))
    rounding = margin * UNIT * (candidate.values.magnitude + abs(candidate.intercept))
    low, high = program.target - program.epsilon + rounding, program.target + program.epsilon - rounding
    factors = np.concatenate([(low / v.lower)[short > 0], (high / v.upper)[over > 0]])
    # Values that left float64 violate everything, and by no number.
    factor = float(factors.max(initial=0.0)) * (1.0 + 16.0 * UNIT)
    return factor if 1.0 < factor < np.inf else None


def _moved_inside(program: KernelQP, candidate: Judged, margin: float) -> Judged | None:
    """Return f + g with the values at fault and on the edge moved inside by so many times what is uncertain of them."""
    v = candidate.decision
    if not (np.isfinite(v.lower).all() and np.isfinite(v.upper).all()):
        return None
    size = np.abs(program.target) + program.epsilon + v.magnitude
    inside = margin * (v.radius + 4.0 * UNIT * size)
    short, over = forbidden(program, excesses(program, candidate))
    edge = _EDGE * float(size.max())
    hard = program.ridge == 0
    low, high = program.target - program.epsilon + inside, program.target + program.epsilon - inside
    up = hard & np.isinf(program.upper) & ((short > 0) | (v.lower < low + edge))
    down = hard & np.isinf(program.lower) & ((over > 0) | (v.upper > high - edge))
    samples = np.flatnonzero((up | down) & (low < high))
    if samples.size == 0 or samples.size > _FEW:
        return None
    wanted = np.where(up, np.maximum(low - v.lower, 0.0), 0.0) - np.where(down, np.maximum(v.upper - high, 0.0), 0.0)
    found = least_change(program.gram, samples, wanted[samples], free=program.total is not None)
    return None if found is None else candidate.plus(program.gram, *found)


def least_change(gram: Gram, samples: Indices, wanted: Vector, *, free: bool) -> tuple[Vector, float] | None:
    """Return coefficients and a change of b that move f + b as ``wanted`` at the samples, by least squares.

    The coefficients, shape (m,), are 0 at other samples; with a free b they add up to 0, without one b stays. None:
    they leave float64.
    """
    K = _entries(gram, samples)
    # In the unit of the column of b.
    unit = float(np.abs(K).max()) or 1.0
    K = K / unit
    system = np.block([[K, np.ones((len(K), 1))], [np.ones((1, len(K))), np.zeros((1, 1))]]) if free else K
    found = np.linalg.lstsq(system, np.append(wanted, 0.0) if free else wanted)[0]
    if not np.isfinite(found).all():
        return None
    coefficients = np.zeros(len(gram))
    coefficients[samples] = found[: len(K)] / unit
    return coefficients, float(found[-1]) if free else 0.0


def _entries(gram: Gram, samples: Indices) -> Matrix:
    if gram.correction is not None:
        return np.asarray(gram.dense[np.ix_(samples, samples)])
    return gram.entries(samples, samples)


def _moved_exactly(program: KernelQP, candidate: Judged) -> Judged | None:
    """Return f + g with the least norm that is proved, if K is proved to be positive definite."""
    if program.size > _FACTORED:
        return None
    wanted = np.maximum(*forbidden(program, excesses(program, candidate)))
    least = _least_eigenvalue(program.gram)
    if least <= 0.0 or not np.isfinite(wanted).all():
        return None
    reach = (Interval.of(wanted).square().sum()).sqrt() * (Interval.of(1.0).divided_by(Interval.of(least).sqrt().lower))
    norm = (candidate.squared_norm.sqrt() + reach).square()
    return candidate.with_norm(Interval(np.asarray(0.0), norm.upper))


def _least_eigenvalue(gram: Gram) -> float:
    """Return a lower bound of the eigenvalues of K, about half of the least one; 0 if none above 0 is proved."""
    try:
        K = gram.dense
    except GramTooLargeError:
        return 0.0
    shift = 0.5 * smallest_eigenvalue(K)
    if not shift > 0.0 or semidefinite_shift(K - shift * np.eye(len(K))) != 0.0:
        return 0.0
    rounding = 2.0 * UNIT * float(K.diagonal().max()) + largest_row_error(gram)
    return float(np.nextafter(shift - 1.01 * rounding, -np.inf))


@quiet
def enclose_kernel_qp(
    program: KernelQP, beta: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Enclose the optimal value of the primal, which is -(objective) at the best beta.

    Parameters
    ----------
    program
        The problem.
    beta
        Coefficients, shape (m,), of any sign and size; the better they are, the narrower the enclosure.
    intercept
        b.
    function
        f, if it is not the expansion in beta; its own b does not count.

    Raises
    ------
    NoEnclosureError
        If the kernel does not state bounds on its rounding errors.
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
    """Return an upper bound on the optimum by the best way of making the candidate feasible."""
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
