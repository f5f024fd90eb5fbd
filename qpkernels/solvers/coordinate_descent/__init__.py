# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent for a KernelQP in explicit features: many samples, and features that are sparse or many."""

from qpkernels.solvers.coordinate_descent.solver import CoordinateDescent

__all__ = ["CoordinateDescent"]
