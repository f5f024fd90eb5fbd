# SPDX-License-Identifier: BSD-3-Clause
"""The problems that solvers take: matrices, vectors and cones, frozen and validated."""

from typing import TypeAlias

from qpkernels.programs.cone_program import Block, ConeProgram, QuadraticProgram
from qpkernels.programs.cones import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.programs.kernel_qp import KernelQP

__all__ = [
    "Block",
    "Cone",
    "ConeProgram",
    "Exponential",
    "KernelQP",
    "Nonnegative",
    "PSDTriangle",
    "Power",
    "Program",
    "QuadraticProgram",
    "SecondOrder",
    "Zero",
]

Program: TypeAlias = ConeProgram | KernelQP
"""Anything a solver can be given."""
