# SPDX-License-Identifier: BSD-3-Clause
r"""An interval that holds the optimal value of the linear-programming machine, in exact arithmetic.

See :mod:`qpkernels.certificates.models.linear_program` for both programs. From above, slacks are completed upward. From
below, multipliers l with the exact sum y'l = 0 and 0 <= l <= C are divided by max(1, S l), as real numbers: that keeps
all constraints, and the value is 1'l divided by the same. Whether K is semidefinite does not matter.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.enclosures.enclosure import Enclosure, quiet
from qpkernels.certificates.enclosures.feasibility import exactly_feasible
from qpkernels.gram import Gram
from qpkernels.gram.enclosed import enclose_on_samples
from qpkernels.intervals import Interval, sum_bounds
from qpkernels.programs.feasible import nearest_feasible

__all__ = ["enclose_linear_program"]


@quiet
def enclose_linear_program(
    gram: Gram, y: Vector, costs: Vector, total: float | None, beta: Vector, intercept: float, signed: Vector
) -> Enclosure:
    """Enclose the optimal value, given beta = y * a, b, and the multipliers times the labels, ``signed`` = y * l.

    Raises
    ------
    NoEnclosureError
        If the kernel states no bounds of its rounding errors.
    """
    own = np.where(costs > 0, np.maximum(y * beta, 0.0), 0.0)
    return Enclosure(_dual_value(gram, y, costs, total, signed), _primal_value(gram, y, costs, own, intercept))


def _primal_value(gram: Gram, y: Vector, costs: Vector, a: Vector, b: float) -> float:
    v = enclose_on_samples(gram, y * a).values + b
    least = np.where(y > 0, v.lower, -v.upper)
    slacks = (1.0 - Interval.of(least)).maximum(0.0)
    return sum_bounds(np.concatenate([a, (slacks * costs).upper]))[1]


def _dual_value(gram: Gram, y: Vector, costs: Vector, total: float | None, signed: Vector) -> float:
    lower, upper = np.where(y > 0, 0.0, -costs), np.where(y > 0, costs, 0.0)
    point = exactly_feasible(nearest_feasible(signed, lower, upper, total), lower, upper, total)
    if point is None:
        return float("-inf")
    values = enclose_on_samples(gram, point).values
    largest = max(1.0, float(np.where(y > 0, values.upper, -values.lower)[costs > 0].max()))
    return float(Interval.of(np.abs(point)).sum().divided_by(np.asarray(largest)).lower)
