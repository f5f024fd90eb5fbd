# SPDX-License-Identifier: BSD-3-Clause
"""A proximal point method with semismooth Newton steps, for kernel matrices of low rank."""

from qpkernels.solvers.semismooth_newton.solver import SemismoothNewton

__all__ = ["SemismoothNewton"]
