# SPDX-License-Identifier: BSD-3-Clause
"""The optima of KernelQP problems along a parameter, exactly: piecewise linear, from breakpoint to breakpoint."""

from qpkernels.families.paths.parametric import ParametricQP, Pieces
from qpkernels.families.paths.tracing import trace

__all__ = ["ParametricQP", "Pieces", "trace"]
