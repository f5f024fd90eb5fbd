# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of a KernelQP, with bounds of what rounding does to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.gram import BoundedProduct
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.hard import HardRows, scaling_of
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expansion_error, expansion_vanishes, size_error

__all__ = [
    "DualityGap",
    "duality_gap",
    "gap_product",
]


def gap_product(program: KernelQP, beta: Vector, intercept: float) -> BoundedProduct:
    """Return K beta, whose errors leave the duality gap of (beta, b) what it is in float64."""
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
    """P(f, b) and D(beta), and how far they are apart.

    Attributes
    ----------
    primal_value, dual_value
        P(f, b) and D(beta).
    parts, worst
        What each sample adds to P - D, and the one that adds most.
    violation
        The largest violation of a hard constraint by (f, b) beyond rounding, as a share of its own terms; without such
        constraints, by how much these were rescaled.
    hidden
        What violated hard constraints take from P - D, twice, so that they cannot make up for what others add.
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
    hidden: float = 0.0

    @property
    def scale(self) -> float:
        """max(|P|, |D|), which makes the gap free of units."""
        return max(abs(self.primal_value), abs(self.dual_value))

    @property
    def relative(self) -> float:
        """|P - D|, what is hidden in it, and the rounding, over the scale."""
        gap = abs(self.primal_value - self.dual_value) + self.hidden
        return 0.0 if self.vanishing else relative(gap + self.rounding, self.scale)

    @property
    def largest(self) -> float:
        """What the sample that adds most to the gap adds, over the scale; others may make up for it."""
        return 0.0 if self.vanishing else relative(abs(float(self.parts[self.worst])), self.scale)

    @cached_property
    def shortfall(self) -> float:
        """The largest of what has to fall: the gap, a sample's part of it, a violated constraint; all relative."""
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
    >>> from qpkernels.problems import duality_gap
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).qp()
    >>> beta = np.array([0.0, -0.4, 0.4, 0.0])
    >>> gap = duality_gap(program, beta, program.gram.product(beta), intercept=-1.6)
    >>> print(f"{gap.primal_value:.3f}, {gap.dual_value:.3f}", gap.parts.round(3))
    0.720, 0.480 [0.   0.12 0.12 0.  ]
    """
    # It loads the compiler, which not everyone needs.
    from qpkernels.problems.kernel_qp.terms import gap_terms

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
        violation=_violation(program, f.values, intercept, error.values) if program.is_hard else scaling - 1.0,
        hidden=2.0 * float(np.maximum(-terms.parts, 0.0).sum()) if program.is_hard else 0.0,
        rounding=rounding,
        vanishing=(
            terms.vanishing
            and f.is_zero
            and level * total == 0.0
            and expansion_vanishes(program.gram, beta, balanced=balanced)
        ),
    )


def _violation(program: KernelQP, values: Vector, intercept: float, error: Vector) -> float:
    """Return the largest violation of a hard constraint by f(x_i) and b, of which those are rounded so far."""
    return float(HardRows.of(program).violations(values, intercept, error).max())
