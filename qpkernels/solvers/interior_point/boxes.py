# SPDX-License-Identifier: BSD-3-Clause
r"""A KernelQP without its kinks, in units of its own: each coefficient is a sum of one or two variables in boxes.

    beta_i = x_i + x'_i,   0 <= x_i <= upper_i,   lower_i <= x'_i <= 0

turns epsilon_i |beta_i| into epsilon_i (x_i - x'_i), since at an optimum one of the two is 0; where epsilon_i is 0, or
a side is missing, one variable is enough.

Values are divided by the spread of the targets, so that slopes are about 1. All units are powers of 2, which round
nothing. The unit of coefficients comes from ridge regression, beta = w (target - K beta - b): w starts where the mean
of the diagonal of w K is 1, and grows until the fit explains half of the targets, every feature takes part in it, or
beta may not grow so far. Where the targets depend on what is a small part of K (one feature in a large unit hides the
others), that is many orders of magnitude further, and no path finds there from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.programs import KernelQP
from qpkernels.solvers.newton_systems import NewtonSystem, power_of_two

__all__ = ["Boxes", "Places", "Start", "boxes_of", "ridge_start"]

Places: TypeAlias = NDArray[np.int8]
"""Where each variable is: -1 at its lower bound, 1 at the upper one, 0 inside."""

_GROWTH, _EXPLAINED = 128.0, 0.5
"""Factor of w, and the part of the targets that the fit need not explain."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """min 1/2 beta'K beta + 1/2 x'diag(ridge) x - goal'x  s.t.  lower <= x <= upper, 1'x = total, beta = sums of x.

    Attributes
    ----------
    second
        The samples with two variables: the second ones follow the first ones of all samples.
    value, coefficient
        The units of values and of coefficients.
    shift
        What the targets were reduced by.
    """

    goal: Vector
    ridge: Vector
    lower: Vector
    upper: Vector
    total: float
    second: Indices
    value: float
    coefficient: float
    shift: Vector

    def fold(self, x: Vector) -> Vector:
        """Return beta, or what else is a sum over the variables of a sample."""
        if self.second.size == 0:
            return x
        m = x.size - self.second.size
        beta = x[:m].copy()
        beta[self.second] += x[m:]
        return beta

    @cached_property
    def samples(self) -> Indices:
        """The sample of each variable."""
        return np.concatenate((np.arange(self.goal.size - self.second.size), self.second))

    def spread(self, v: Vector) -> Vector:
        """Return what each sample has for each of its variables."""
        return np.concatenate((v, v[self.second])) if self.second.size else v

    def split(self, beta: Vector) -> Vector:
        """Return the x with one variable of each sample 0 whose sums are beta."""
        return np.clip(self.spread(beta), self.lower, self.upper)

    def one_sided(self, places: Places, x: Vector) -> Places:
        """Return the places with one variable of a sample at 0 at least: the one on the other side of beta's."""
        if self.second.size == 0:
            return places
        m = x.size - self.second.size
        places, positive = places.copy(), self.fold(x)[self.second] > 0
        both = (places[self.second] >= 0) & (places[m:] <= 0)
        places[m:][both & positive] = 1
        places[self.second[both & ~positive]] = -1
        return places


@dataclass(frozen=True, eq=False)
class Start:
    """Ridge regression, in units in which w = 1: its coefficients, its function as the system has it, and b."""

    coefficients: Vector
    function: Vector
    b: float


def boxes_of(program: KernelQP, system: NewtonSystem) -> tuple[Boxes, Start]:
    """Return the problem in variables of one side each, and a fit of its targets; ``system`` is brought to its unit."""
    total = program.total or 0.0
    shift = total * system.unit * system.offset
    if system.bordered:
        target = program.target - shift
        shift = shift + 0.5 * (target.min() + target.max())
    target, epsilon = program.target - shift, program.epsilon
    value = power_of_two(float(np.abs(target).max() + epsilon.max()) or abs(total) * system.unit)
    with np.errstate(divide="ignore"):
        widest = float(np.minimum(np.maximum(program.upper, -program.lower), value / program.ridge).max())
    start = ridge_start(system, target / value, total / value, widest / value)
    coefficient = value / system.unit
    above, kinked = program.upper > 0, program.epsilon > 0
    (second,) = np.nonzero(kinked & (program.lower < 0) & above)
    goal = np.where(above, target - epsilon, target + epsilon)
    lower = np.where(kinked & above, 0.0, program.lower)
    boxes = Boxes(
        goal=np.concatenate((goal, (target + epsilon)[second])) / value,
        ridge=np.concatenate((program.ridge, program.ridge[second])) / system.unit,
        lower=np.concatenate((lower, program.lower[second])) / coefficient,
        upper=np.concatenate((program.upper, np.zeros(second.size))) / coefficient,
        total=total / coefficient,
        second=second,
        value=value,
        coefficient=coefficient,
        shift=shift,
    )
    return boxes, start


def ridge_start(system: NewtonSystem, target: Vector, total: float, widest: float) -> Start:
    """Return ridge regression to ``target``, and bring the system to the unit in which its w is 1.

    Parameters
    ----------
    total, widest
        1'beta and the largest |beta_i|, both over the unit of values.
    """
    ones = np.ones(len(system))
    spread = float(np.ptp(target)) if system.bordered else float(np.abs(target).max())
    around = target - target.mean() if system.bordered else target
    reached = 1.0
    while True:
        system.factor(ones)
        function, b = system.solve(target, total * system.unit)
        left = target - system.at_samples(function) - b
        explained = float(left @ left) <= _EXPLAINED * float(around @ around)
        if explained or not spread or widest * system.unit <= 1.0 or reached * system.least >= 1.0:
            return Start(left, function, b)
        system.rescale(_GROWTH)
        reached *= _GROWTH
