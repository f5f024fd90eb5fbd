# SPDX-License-Identifier: BSD-3-Clause
"""The optima of KernelQP problems along a parameter, exactly: piecewise linear, from breakpoint to breakpoint."""

from qpkernels.paths.parametric import LINEAR, ParametricQP
from qpkernels.paths.pieces import Pieces
from qpkernels.paths.tracing import trace

__all__ = ["LINEAR", "ParametricQP", "Pieces", "trace"]
