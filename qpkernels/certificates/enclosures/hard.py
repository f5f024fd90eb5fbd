# SPDX-License-Identifier: BSD-3-Clause
r"""Functions that meet hard constraints in exact arithmetic, made from one that violates them a little.

Three ways, each a proof by itself:

* s (f + b) with a factor s >= 1, as a margin allows;
* f + g, with an expansion g that moves the samples at fault, and those on the edge, a little inside; it is found by
  least squares, and its values are enclosed anew;
* f + g, with the g that moves each sample at fault by r_i and no other: where K - lambda I is positive definite, this
  g exists and ||g||^2 <= ||r||^2 / lambda, so that ||f + g|| <= ||f|| + ||r|| / sqrt(lambda). Its values are known
  exactly, though no float may have them: the only way to meet an equation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.certificates.enclosures.functions import Judged
from qpkernels.errors import GramTooLargeError
from qpkernels.gram import Gram
from qpkernels.gram.definiteness import smallest_eigenvalue
from qpkernels.gram.enclosed import largest_row_error
from qpkernels.intervals import UNIT, Interval, semidefinite_shift
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["Excesses", "corrected", "excesses", "forbidden", "least_change"]

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
    return gram.kernel.matrix(gram.X[samples], gram.X[samples])


def _moved_exactly(program: KernelQP, candidate: Judged) -> Judged | None:
    """Return f + g with the least norm that is proved, if K is proved to be positive definite."""
    if len(program) > _FACTORED:
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
