# SPDX-License-Identifier: BSD-3-Clause
"""A primal-dual interior-point method for a KernelQP, ended at a vertex."""

from qpkernels.solvers.interior_point.solver import InteriorPoint

__all__ = ["InteriorPoint"]
