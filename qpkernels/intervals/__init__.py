# SPDX-License-Identifier: BSD-3-Clause
"""Interval arithmetic on vectors: bounds that hold in exact arithmetic, whatever float64 rounds."""

from qpkernels.intervals.definiteness import semidefinite_shift
from qpkernels.intervals.equations import enclose_point, least_move
from qpkernels.intervals.interval import Interval
from qpkernels.intervals.linear_system import enclose_solution
from qpkernels.intervals.null_vectors import enclose_null_vector
from qpkernels.intervals.products import inner, product, quadratic
from qpkernels.intervals.rounding import ELEMENTARY, TINY, UNDERFLOW, UNIT, down, gamma, up
from qpkernels.intervals.sums import exact_sum, sum_bounds, two_product

__all__ = [
    "ELEMENTARY",
    "TINY",
    "UNDERFLOW",
    "UNIT",
    "Interval",
    "down",
    "enclose_null_vector",
    "enclose_point",
    "enclose_solution",
    "exact_sum",
    "gamma",
    "inner",
    "least_move",
    "product",
    "quadratic",
    "semidefinite_shift",
    "sum_bounds",
    "two_product",
    "up",
]
