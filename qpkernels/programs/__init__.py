# SPDX-License-Identifier: BSD-3-Clause
"""The problems that solvers take: matrices, vectors and cones, frozen and validated."""

from typing import TypeAlias

from qpkernels.programs.cone_program import Block, ConeProgram, QuadraticProgram
from qpkernels.programs.cones import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.programs.elimination import Elimination, defining_rows, eliminate
from qpkernels.programs.kernel_qp import KernelQP, nearest_feasible
from qpkernels.programs.level_qp import LevelQP
from qpkernels.programs.linear_system import LeastSquares, LinearSystem, RidgedGram

__all__ = [
    "Block",
    "Cone",
    "ConeProgram",
    "Elimination",
    "Exponential",
    "KernelQP",
    "LeastSquares",
    "LevelQP",
    "LinearSystem",
    "Nonnegative",
    "PSDTriangle",
    "Power",
    "Program",
    "QuadraticProgram",
    "RidgedGram",
    "SecondOrder",
    "Zero",
    "defining_rows",
    "eliminate",
    "nearest_feasible",
]

Program: TypeAlias = ConeProgram | KernelQP | LevelQP | LinearSystem | LeastSquares
"""Anything a solver can be given."""
