# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of a KernelQP, with bounds on its rounding, also if an answer misses hard constraints.

An infinite bound of beta_i without a ridge is a constraint without slack,

    v_i >= target_i - epsilon_i  (upper_i infinite),    v_i <= target_i + epsilon_i  (lower_i infinite),

with v_i = f(x_i) + b. If one of them is violated, P(f, b) bounds nothing. In that case f and b are moved to where all
of them hold, and P counts the cost. Two ways are tried, in this order:

* s f + s b with the smallest factor s >= 1 at which they hold, which margins have;
* f + g and b + c, where g = sum_j c_j k(x_j, .) runs over the samples at fault and those on the edge, and moves their
  values a little inside (or onto the target, if there is no room). It is found by least squares. Samples that this
  pushes out are added.

A constraint counts as met if it holds up to the rounding of the computed v_i, and no tolerance is added to that. It has
its own unit, so that neither the other targets nor their offset hide a violation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.gram.gram import BoundedProduct
from qpkernels.problems.bounds import Move
from qpkernels.problems.certificate import PROVED, relative
from qpkernels.problems.kernel_qp.enclosure import least_change
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.problems.rounding import FunctionAtSamples, expansion_error, expansion_vanishes, gap_rounding
from qpkernels.problems.sums import EPS, GapSums, ProgramTerms, gap_sums

__all__ = [
    "DualityGap",
    "HardRows",
    "duality_gap",
    "feasible_move",
    "gap_product",
    "mending_factor",
    "scaling_of",
]


def gap_product(program: KernelQP, beta: Vector, intercept: float) -> BoundedProduct:
    """Return K beta with errors so small that the duality gap of (beta, b) stays the same as in float64."""
    if program.is_hard:
        return BoundedProduct(beta, program.gram.product(beta), np.zeros(beta.size))
    above, below = program.upper > 0, program.lower < 0

    def has_no_loss(samples: Indices, values: Vector, error: Vector) -> NDArray[np.bool_]:
        target, epsilon = program.target[samples], program.epsilon[samples]
        residuals = target - intercept - values
        width = epsilon - error - 2 * EPS * (np.abs(target - intercept) + np.abs(residuals) + epsilon)
        return (~above[samples] | (residuals <= width)) & (~below[samples] | (-residuals <= width))

    return program.gram.bounded_product(beta, has_no_loss)


_EXACT: Vector = np.empty(0)
"""The inexactness of values that have none."""


@dataclass(frozen=True, eq=False)
class DualityGap:
    """P(f, b) and D(beta), and how far apart they are.

    Attributes
    ----------
    primal_value, dual_value
        P(f, b) and D(beta).
    parts, worst
        The contribution of each sample to P - D, and the sample that contributes most.
    violation
        The largest violation of a hard constraint by (f, b) beyond rounding, as a share of its own terms; without such
        constraints, the amount by which (f, b) was rescaled.
    hidden
        Twice the amount that violated hard constraints subtract from P - D, so that they cannot offset what others add.
    rounding
        A bound on the combined rounding error of P and D.
    vanishing
        Whether every term of both is 0 up to its own rounding, so that the optimum is 0.
    """

    primal_value: float
    dual_value: float
    parts: Vector
    worst: int
    violation: float
    rounding: float
    vanishing: bool
    hidden: float = 0.0

    @property
    def scale(self) -> float:
        """max(|P|, |D|), by which the gap is made free of units."""
        return max(abs(self.primal_value), abs(self.dual_value))

    @property
    def relative(self) -> float:
        """The sum of |P - D|, the hidden part and the rounding, divided by the scale."""
        gap = abs(self.primal_value - self.dual_value) + self.hidden
        return 0.0 if self.vanishing else relative(gap + self.rounding, self.scale)

    @property
    def largest(self) -> float:
        """The largest summand of the gap as a share of the scale; other summands may offset it."""
        return 0.0 if self.vanishing else relative(abs(float(self.parts[self.worst])), self.scale)

    @cached_property
    def shortfall(self) -> float:
        """The largest of the relative numbers that must fall: the gap, a sample's part of it, and a violation."""
        return max(self.relative, self.largest, self.violation)


@np.errstate(over="ignore", invalid="ignore")
def duality_gap(
    program: KernelQP,
    beta: Vector,
    expansion: Vector,
    intercept: float,
    function: FunctionAtSamples | None = None,
    inexact: Vector | float = 0.0,
) -> DualityGap:
    """Return P(f, b) and D(beta) for a feasible ``beta`` whose K beta is ``expansion``.

    f is ``function``, or else the expansion in beta itself. If 1'beta = 0, neither an offset of the targets nor one of
    f changes the values: residuals are taken around b, and D around the middle of the targets and the mean of f.

    ``inexact``, whose entries add up without cancelling, bounds how far ``expansion`` is from K beta in float64; with
    hard constraints it must be 0.

    Parameters
    ----------
    program
        The problem, whose losses and conjugates are read off its bounds, targets, epsilon and ridge.
    beta
        A feasible point, shape (m,).
    expansion
        K beta, shape (m,).
    intercept
        b.
    function
        f at the samples; None stands for ``expansion``.
    inexact
        How far each entry of ``expansion`` may be from K beta, shape (m,), if it was not computed in float64.
    """
    balanced, total, m = program.total == 0.0, program.total or 0.0, beta.size
    own = expansion_error(program.gram, beta, expansion, balanced=balanced)
    f = FunctionAtSamples(expansion, own.squared_norm) if function is None else function
    error = own if function is None else f.error
    scaling = scaling_of(program, f.values + intercept, f.squared_norm)
    level = scaling * intercept
    terms = ProgramTerms(program.target, program.epsilon, program.ridge, program.lower, program.upper)
    values, errors = (f.values, error.values) if scaling == 1.0 else (scaling * f.values, scaling * error.values)
    off = _EXACT if isinstance(inexact, float) else scaling * inexact
    ends, middle = np.array([0, m]), np.array([program.middle])
    found, parts = gap_sums(terms, beta, values, errors, off, ends, np.array([level]), middle)
    sums = GapSums(*(float(each[0]) for each in found))
    rounding = (
        float(gap_rounding(sums, m, level * total, balanced))
        + own.half_norm
        + scaling * scaling * error.half_norm
        + sums.errors
        + sums.inexact
        + program.gram.indefiniteness(beta)
    )
    return DualityGap(
        primal_value=0.5 * scaling * scaling * f.squared_norm + sums.losses + level * total,
        dual_value=sums.linear - sums.costs - 0.5 * own.squared_norm,
        parts=parts,
        worst=int(sums.worst),
        violation=_violation(program, f.values, intercept, error.values) if program.is_hard else scaling - 1.0,
        hidden=2.0 * float(np.maximum(-parts, 0.0).sum()) if program.is_hard else 0.0,
        rounding=rounding,
        vanishing=(
            bool(sums.vanishing)
            and f.is_zero
            and level * total == 0.0
            and expansion_vanishes(program.gram, beta, balanced=balanced)
        ),
    )


def _violation(program: KernelQP, values: Vector, intercept: float, error: Vector) -> float:
    """Return the largest violation of a hard constraint by f(x_i) and b, of which those are rounded so far."""
    return float(HardRows.of(program).violations(values, intercept, error).max())


_UNSEEN = 1e-12
"""Share of 1/2 ||f||^2 below which the cost of rounding is of no account."""

_ROOM = 1e-12
"""Share of a margin by which it is made larger than it must be, so that rounding of it costs nothing."""

_EDGE = 1e-6
"""Share of the size of a row within which it is on the edge."""

_FEW = 3000
"""Samples up to which a system of equations is solved for them."""

_STEPS = 4
"""Attempts of the second way, each with the samples that those before pushed out."""

_INSIDE = 4.0
"""How many times the rounding of a row it is moved inside of it."""

_SAFE = 0.5
"""Share of its rounding to which a row holds that was moved, so that it holds as well where f is computed anew."""


@dataclass(frozen=True, eq=False)
class HardRows:
    """The rows of a program that have no slack.

    Attributes
    ----------
    program
        The program.
    below, above
        Whether each sample has a smallest decision value, and whether it has a largest one, shape (m,).
    """

    program: KernelQP
    below: NDArray[np.bool_]
    above: NDArray[np.bool_]

    @classmethod
    def of(cls, program: KernelQP) -> HardRows:
        """Read the rows off the infinite bounds."""
        hard = program.ridge == 0
        return cls(program, hard & np.isinf(program.upper), hard & np.isinf(program.lower))

    def excesses(self, values: Vector, intercept: float) -> tuple[Vector, Vector]:
        """Return how far f(x_i) + b is below the least value, and above the largest, at least 0."""
        residuals, epsilon = (self.program.target - intercept) - values, self.program.epsilon
        return (
            np.where(self.below, np.maximum(residuals - epsilon, 0.0), 0.0),
            np.where(self.above, np.maximum(-residuals - epsilon, 0.0), 0.0),
        )

    def sizes(self, values: Vector, intercept: float) -> Vector:
        """Return |target_i - b| + |f(x_i)| + epsilon_i, the terms of each row."""
        return np.asarray(np.abs(self.program.target - intercept) + np.abs(values) + self.program.epsilon)

    def rounding(self, values: Vector, intercept: float, error: Vector) -> Vector:
        """Return a bound on the rounding of each row, given that of the ``values``."""
        return np.asarray(error + EPS * self.sizes(values, intercept))

    def hold(self, f: FunctionAtSamples, intercept: float, share: float = 1.0) -> bool:
        """Return whether every row holds up to this ``share`` of its rounding."""
        excess = np.maximum(*self.excesses(f.values, intercept))
        return bool((excess <= share * self.rounding(f.values, intercept, f.error.values)).all())

    def violations(self, values: Vector, intercept: float, error: Vector) -> Vector:
        """Return by how much each row is violated, as a share of its own terms; 0 if rounding explains it."""
        excess = np.maximum(*self.excesses(values, intercept))
        beyond = excess > self.rounding(values, intercept, error)
        return np.divide(excess, self.sizes(values, intercept), out=np.zeros_like(excess), where=beyond)


def feasible_move(program: KernelQP, f: FunctionAtSamples, intercept: float) -> Move | None:
    """Return the move of f and b by which P bounds the optimum; None if they may stay or none is found.

    Parameters
    ----------
    program
        The problem.
    f
        f at the samples, with its rounding.
    intercept
        b.
    """
    if not program.is_hard:
        factor = scaling_of(program, f.values + intercept, f.squared_norm)
        return Move(factor, factor * intercept) if factor > 1.0 else None
    rows = HardRows.of(program)
    if rows.hold(f, intercept):
        return None
    return _scaled(rows, f, intercept) or _moved_inside(rows, f, intercept)


def _scaled(rows: HardRows, f: FunctionAtSamples, intercept: float) -> Move | None:
    program, v = rows.program, f.values + intercept
    short, over = rows.excesses(f.values, intercept)
    room = _INSIDE * rows.rounding(f.values, intercept, f.error.values)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        low, high = (program.target - program.epsilon + room) / v, (program.target + program.epsilon - room) / v
    factor = float(max(low[short > 0].max(initial=1.0), high[over > 0].max(initial=1.0)))
    # A norm whose square overflows bounds nothing.
    if not 1.0 < factor * factor < np.inf:
        return None
    move = Move(factor, factor * intercept)
    return move if rows.hold(move.of_function(program.gram, f), move.intercept, _SAFE) else None


def _moved_inside(rows: HardRows, f: FunctionAtSamples, intercept: float) -> Move | None:
    program = rows.program
    edge = _EDGE * rows.sizes(f.values, intercept)
    moved, b, total, chosen = f, intercept, np.zeros(program.size), np.zeros(program.size, dtype=np.bool_)
    for _ in range(_STEPS):
        residuals = (program.target - b) - moved.values
        width = rows.rounding(moved.values, b, moved.error.values)
        room = np.where(rows.below & rows.above, np.minimum(_INSIDE * width, program.epsilon), _INSIDE * width)
        up, down = residuals - program.epsilon + room, -residuals - program.epsilon + room
        chosen |= (rows.below & (up > -edge)) | (rows.above & (down > -edge))
        wanted = np.where(rows.below, np.maximum(up, 0.0), 0.0) - np.where(rows.above, np.maximum(down, 0.0), 0.0)
        found = _change(program, chosen, wanted, b)
        if found is None:
            return None
        total, b = total + found[0], b + found[1]
        move = Move(1.0, b, total)
        moved = move.of_function(program.gram, f)
        if rows.hold(moved, b, _SAFE):
            return move
    return None


def _change(
    program: KernelQP, samples: NDArray[np.bool_], wanted: Vector, intercept: float
) -> tuple[Vector, float] | None:
    """Return coefficients and a change of b that move these samples as ``wanted``, in the sense of least squares."""
    chosen = np.flatnonzero(samples)
    if chosen.size == 0 or chosen.size > _FEW:
        return None
    right, free = wanted[chosen], program.total is not None
    found = least_change(program.gram, chosen, right, free=free)
    # The digits of b end there, and the function has to do the rest.
    if free and found is not None and abs(found[1]) <= _INSIDE * EPS * abs(intercept):
        return least_change(program.gram, chosen, right, free=False)
    return found


def scaling_of(program: KernelQP, v: Vector, squared_norm: float) -> float:
    """Return the factor of f and b, at least 1, that is better than 1; v are the decision values, of f with that norm.

    If the program has hard constraints, the factor makes them hold. Otherwise it is at most 1 + 1e-9, and the losses
    that it removes are nothing but rounding, at a cost so large that this alone would be seen.
    """
    if program.is_hard:
        return mending_factor(program, v)
    cost = float(max(program.upper.max(), -program.lower.min()))
    other = squared_norm == 0.0 or program.has_ridge or bool(program.total)
    if other or cost * EPS <= _UNSEEN * 0.5 * squared_norm:
        return 1.0
    short, over = program.target - program.epsilon, program.target + program.epsilon
    room = _ROOM * (np.abs(program.target) + program.epsilon)
    low, high = (v < short + room) & (program.upper > 0), (v > over - room) & (program.lower < 0)
    # What was scaled once has the room that it needs.
    if not (low & (v < short + 0.5 * room)).any() and not (high & (v > over - 0.5 * room)).any():
        return 1.0
    beyond = np.where(low, program.upper * (short - v), np.where(high, -program.lower * (v - over), 0.0))
    touched = low | high
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(low, short, over)[touched] / v[touched]
    factor = float(ratio.max(initial=1.0)) + _ROOM
    gain = float(np.maximum(beyond, 0.0).sum()) + cost * EPS
    # What is short on a side where a larger f is worse has no such factor.
    helps = bool((ratio > 0).all() and (np.where(low, short, -over)[touched] > 0).all())
    helps = helps and factor <= 1.0 + PROVED and 0.5 * (factor**2 - 1.0) * squared_norm < gain
    return factor if helps else 1.0


def mending_factor(program: KernelQP, v: Vector) -> float:
    """Return the smallest s >= 1 such that s v satisfies every hard constraint, or 1 if there is none."""
    rows = HardRows.of(program)
    short, over = rows.excesses(v, 0.0)
    violated = (short > 0) | (over > 0)
    if not violated.any():
        return 1.0
    bound = np.where(short > 0, program.target - program.epsilon, program.target + program.epsilon)[violated]
    with np.errstate(divide="ignore", over="ignore"):
        factor = float((bound / v[violated]).max())
    if not (np.isfinite(factor) and factor > 1):
        return 1.0
    mended = factor * v
    left = np.maximum(*rows.excesses(mended, 0.0))
    return factor if (left <= 4.0 * rows.rounding(mended, 0.0, np.zeros(len(v)))).all() else 1.0
