# SPDX-License-Identifier: BSD-3-Clause
"""Approximation of a function known at the samples, one file for each model."""

from formulations.approximation.interpolation import InterpolationDual, InterpolationPrimal
from formulations.approximation.sparse import SparseApproximation, SparseApproximationSplit

__all__ = [
    "InterpolationDual",
    "InterpolationPrimal",
    "SparseApproximation",
    "SparseApproximationSplit",
]
