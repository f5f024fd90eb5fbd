# SPDX-License-Identifier: BSD-3-Clause
"""A function that bounds an optimum from above, enclosed at the samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.gram import Expansion, Gram
from qpkernels.gram.enclosed import enclose_expansion, enclose_on_samples
from qpkernels.intervals import Interval, inner

__all__ = ["Judged", "judged"]


@dataclass(frozen=True, eq=False)
class Judged:
    """f at the samples, ||f||^2, b, and the coefficients of f where it is an expansion in the samples.

    Attributes
    ----------
    violation_loss
        What a sample costs that seems to violate a hard constraint: inf, or 0 where a function is meant that meets all
        of them and differs from the values there only.
    """

    values: Interval
    squared_norm: Interval
    intercept: float
    coefficients: Vector | None = None
    violation_loss: float = np.inf

    @cached_property
    def decision(self) -> Interval:
        """The decision values f(x_i) + b."""
        return self.values + self.intercept

    def times(self, factor: float) -> Judged:
        """Return factor (f + b), the product with b being rounded: any b will do."""
        return Judged(
            self.values * factor,
            self.squared_norm * Interval.of(factor).square(),
            self.intercept * factor,
            None if self.coefficients is None else self.coefficients * factor,
            self.violation_loss,
        )

    def plus(self, gram: Gram, coefficients: Vector, b: float) -> Judged:
        """Return f + g and their b, with an expansion g in the samples: ||f + g||^2 holds 2 sum_j c_j f(x_j)."""
        g = enclose_on_samples(gram, coefficients)
        cross = 2.0 * inner(self.values, coefficients)
        return Judged(
            self.values + g.values,
            (self.squared_norm + cross + g.squared_norm).maximum(0.0),
            self.intercept + b,
            None if self.coefficients is None else self.coefficients + coefficients,
        )

    def with_norm(self, squared_norm: Interval) -> Judged:
        """Return the function of that norm which meets all hard constraints, and has the same values elsewhere."""
        return replace(self, squared_norm=squared_norm, violation_loss=0.0, coefficients=None)

    def moved_to(self, intercept: float) -> Judged:
        """Return the function with another b."""
        return replace(self, intercept=intercept)


def judged(function: Expansion, gram: Gram, intercept: float) -> Judged:
    """Enclose a function at the samples of the Gram matrix; its own intercept does not count."""
    f = enclose_expansion(function.kernel, function.centers, function.coefficients, gram.X)
    return Judged(f.values, f.squared_norm, intercept)
