# SPDX-License-Identifier: BSD-3-Clause
r"""A KernelQP without its kinks: each coefficient is a sum of one or two variables in boxes.

    beta_i = x_i + x'_i,   0 <= x_i <= upper_i,   lower_i <= x'_i <= 0

turns epsilon_i |beta_i| into epsilon_i (x_i - x'_i), since at an optimum one of the two is 0; where epsilon_i is 0, or
a side is missing, one variable is enough. Units are those of the data: values are divided by the spread of the targets,
and coefficients multiplied by what makes the mean of the diagonal of K 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.programs import KernelQP
from qpkernels.solvers.interior_point.systems import NewtonSystem

__all__ = ["Boxes", "boxes_of"]


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

    def one_sided(self, places: NDArray[np.int8], x: Vector) -> NDArray[np.int8]:
        """Return the places with one variable of a sample at most inside: the other one is at 0."""
        m = x.size - self.second.size
        first, second = places[self.second], places[m:]
        positive = self.fold(x)[self.second] > 0
        places = places.copy()
        # Inside on one side, or at the bound there, is 0 on the other.
        places[m:] = np.where(first + (first == 0) * positive > 0, 1, second)
        below = places[m:] <= 0
        places[self.second] = np.where(below & ((places[m:] < 0) | (first == 0)), -1, first)
        return places

    def split(self, beta: Vector) -> Vector:
        """Return the x with one variable of each sample 0 whose sums are beta."""
        if self.second.size == 0:
            return beta
        x = self.spread(beta)
        return np.clip(x, self.lower, self.upper)


def boxes_of(program: KernelQP, system: NewtonSystem) -> Boxes:
    """Return the problem of ``program`` in variables of one side each, in its own units."""
    total = program.total or 0.0
    shift, epsilon = total * system.unit * system.offset, program.epsilon
    if system.bordered:
        target = program.target - shift
        shift = shift + 0.5 * (target.min() + target.max())
    target = program.target - shift
    value = float(np.abs(target).max() + epsilon.max()) or abs(total) * system.unit or 1.0
    coefficient = value / system.unit
    kinked, two_sided = epsilon > 0, (program.lower < 0) & (program.upper > 0)
    (second,) = np.nonzero(kinked & two_sided)
    above = program.upper > 0
    lower = np.where(kinked & above, 0.0, program.lower)
    goal = np.where(above, target - epsilon, target + epsilon)
    return Boxes(
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
