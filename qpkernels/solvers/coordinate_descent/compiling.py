# SPDX-License-Identifier: BSD-3-Clause
"""Compilation of the sweeps before a solve is timed."""

from __future__ import annotations

from functools import cache

import numpy as np

from qpkernels.gram import Gram
from qpkernels.kernels import Linear
from qpkernels.problems import KernelQP
from qpkernels.solvers.coordinate_descent.descent import DescentState

__all__ = ["compile_sweeps"]


@cache
def compile_sweeps() -> None:
    """Use all compiled code once on two samples."""
    program = KernelQP(Gram(Linear(), np.array([[1.0], [-1.0]])), np.array([1.0, -1.0]), -1.0, 1.0, 0.0)
    descent = DescentState(program, None, 0)
    for _ in range(3):
        descent.advance()
    descent.measure()
