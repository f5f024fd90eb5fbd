# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of a KernelQP, with bounds of what rounding does to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import PROVED, relative
from qpkernels.certificates.rounding import (
    EPS,
    FunctionError,
    expansion_error,
    expansion_vanishes,
    size_error,
)
from qpkernels.gram import BoundedProduct
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["DualityGap", "FunctionAtSamples", "duality_gap", "mending_factor", "scaling_of"]

_UNSEEN = 1e-12
"""Share of 1/2 ||f||^2 below which the cost of rounding is of no account."""

_ROOM = 1e-12
"""Share of a margin by which it is made larger than it must be, so that rounding of it costs nothing."""

_EXACT: Vector = np.empty(0)
"""The inexactness of values that have none."""


@dataclass(frozen=True, eq=False)
class FunctionAtSamples:
    """All a certificate needs of f: the values f(x_i) without intercept, shape (m,), and ||f||^2 in the space of k.

    f(x_i) is a sum of that many ``terms``, whose sizes add up to ``sizes``, shape (m,), and so for ``half_size`` and
    1/2 ||f||^2: what rounding is measured by. Left out, the values are taken as exact.

    ``product`` is what the values are of an expansion whose certificate they were made for.

    Attributes
    ----------
    values
        f(x_i), shape (m,).
    squared_norm
        ||f||^2, at least 0.
    sizes, half_size, terms
        How large the sums are that f(x_i) and 1/2 ||f||^2 were computed as, and of how many terms; 0: exact.
    product
        K beta with bounds of its error, or None.
    """

    values: Vector
    squared_norm: float
    sizes: Vector | float = 0.0
    half_size: float = 0.0
    terms: int = 1
    product: BoundedProduct | None = None

    @classmethod
    def zero(cls, samples: int) -> FunctionAtSamples:
        """Return the function that is 0 everywhere.

        Parameters
        ----------
        samples
            Their number m.
        """
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


@dataclass(frozen=True, eq=False)
class DualityGap:
    """P(f, b) and D(beta), and how far they are apart.

    Attributes
    ----------
    primal_value, dual_value
        P(f, b) and D(beta).
    parts, worst
        What each sample adds to P - D, and the one that adds most.
    violation
        The largest violation of a hard constraint by (f, b); without any, by how much these were rescaled.
    rounding
        Bound of what rounding may have changed in P and D together.
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
        return 0.0 if self.vanishing else relative(abs(float(self.parts[self.worst])), self.scale)


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

    f is ``function``, or else the expansion in beta itself. Where 1'beta = 0, neither an offset of the targets nor one
    of f changes the values: residuals are taken around b, and D around the middle of the targets and the mean of f.

    ``inexact``, which adds up as it is, bounds how far ``expansion`` is from what float64 makes of K beta; with hard
    constraints it must be 0.

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
        f at the samples; None: that of ``expansion``.
    inexact
        How far each entry of ``expansion`` may be from K beta, shape (m,), where it was not made in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels.certificates import duality_gap
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).qp()
    >>> beta = np.array([0.0, -0.4, 0.4, 0.0])
    >>> gap = duality_gap(program, beta, program.gram.product(beta), intercept=-1.6)
    >>> print(f"{gap.primal_value:.3f}, {gap.dual_value:.3f}", gap.parts.round(3))
    0.720, 0.480 [0.   0.12 0.12 0.  ]
    """
    # It loads the compiler, which not everyone needs.
    from qpkernels.certificates.kernel_qp.terms import gap_terms

    balanced, total, m = program.total == 0.0, program.total or 0.0, beta.size
    own = expansion_error(program.gram, beta, expansion, balanced=balanced)
    f = FunctionAtSamples(expansion, own.squared_norm) if function is None else function
    error = own if function is None else f.error
    scaling = scaling_of(program, f.values + intercept, f.squared_norm)
    level = scaling * intercept
    data = (program.target, program.lower, program.upper, program.epsilon, program.ridge)
    point, values, errors = map(np.ascontiguousarray, (beta, f.values, error.values))
    inexactness = _EXACT if isinstance(inexact, float) else inexact
    terms = gap_terms(*data, point, values, errors, inexactness, level, scaling, program.middle)
    rounding = (
        sqrt(terms.squared_errors)
        + terms.errors
        + size_error(terms.losses, m)
        + scaling * scaling * error.half_norm
        + EPS * abs(level * total)
        + size_error(terms.linear_sizes, m)
        + size_error(terms.costs, m)
        + own.half_norm
        + terms.inexact
        + program.gram.indefiniteness(beta)
        + (abs(terms.imbalance) * terms.reach if balanced else 0.0)
    )
    return DualityGap(
        primal_value=0.5 * scaling * scaling * f.squared_norm + terms.losses + level * total,
        dual_value=terms.linear - terms.costs - 0.5 * own.squared_norm,
        parts=terms.parts,
        worst=terms.worst,
        violation=_violation(program, f.values, intercept) if program.is_hard else scaling - 1.0,
        rounding=rounding,
        vanishing=(
            terms.vanishing
            and f.is_zero
            and level * total == 0.0
            and expansion_vanishes(program.gram, beta, balanced=balanced)
        ),
    )


def _violation(program: KernelQP, values: Vector, intercept: float) -> float:
    """Return the largest violation of a hard constraint by f(x_i) and b."""
    return float(_violations(program, (program.target - intercept) - values).max())


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


def scaling_of(program: KernelQP, v: Vector, squared_norm: float) -> float:
    """Return the factor of f and b, at least 1, that is better than 1; v are the decision values, of f with that norm.

    By it hard constraints are satisfied. Of others it is at most 1 + 1e-9, and losses vanish by it that are nothing but
    rounding, at a cost so large that this alone would be seen.
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
    violated = _violations(program, program.target - v) > 0
    if not violated.any():
        return 1.0
    bound = np.where(v < program.target, program.target - program.epsilon, program.target + program.epsilon)[violated]
    with np.errstate(divide="ignore", over="ignore"):
        factor = float((bound / v[violated]).max())
    rounding = 4 * EPS
    mended = np.isfinite(factor) and factor > 1
    return factor if mended and float(_violations(program, program.target - factor * v).max()) <= rounding else 1.0
