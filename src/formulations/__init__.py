# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines as convex optimisation problems: state, solve, prove, compare, export."""

from formulations.classification import (
    HardMarginDual,
    HardMarginGeometric,
    HardMarginPrimal,
    SoftMarginDual,
    SoftMarginHinge,
    SoftMarginPrimal,
)
from formulations.compare import compare
from formulations.comparison import Comparison
from formulations.separation import HullIntersection, Separability
from formulations.solution import Solution

__all__ = [
    "Comparison",
    "HardMarginDual",
    "HardMarginGeometric",
    "HardMarginPrimal",
    "HullIntersection",
    "Separability",
    "SoftMarginDual",
    "SoftMarginHinge",
    "SoftMarginPrimal",
    "Solution",
    "compare",
]
