# SPDX-License-Identifier: BSD-3-Clause
"""The problems that solvers take: matrices, vectors and cones, frozen and validated."""

from typing import TypeAlias

from qpkernels.programs.cone_program import Block, ConeProgram, QuadraticProgram
from qpkernels.programs.cones import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.programs.elimination import Elimination, defining_rows, eliminate
from qpkernels.programs.feasible import nearest_feasible
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.programs.level_qp import LevelQP
from qpkernels.programs.linear_system import LeastSquares, LinearSystem, RidgedGram
from qpkernels.programs.optimality_system import optimality_system
from qpkernels.programs.residual_norm import ResidualNorm
from qpkernels.programs.sigmoid_fit import SigmoidFit
from qpkernels.programs.smooth_risk import SampleLosses, SmoothRisk

__all__ = [
    "Block",
    "Cone",
    "ConeProgram",
    "Elimination",
    "ExpansionProgram",
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
    "ResidualNorm",
    "RidgedGram",
    "SampleLosses",
    "SecondOrder",
    "SigmoidFit",
    "SmoothRisk",
    "Zero",
    "defining_rows",
    "eliminate",
    "nearest_feasible",
    "optimality_system",
]

ExpansionProgram: TypeAlias = KernelQP | LevelQP | SmoothRisk
"""A problem whose point is beta, the coefficients of f = sum_j beta_j k(x_j, .)."""

Program: TypeAlias = ConeProgram | ExpansionProgram | LinearSystem | LeastSquares | ResidualNorm | SigmoidFit
"""Anything a solver can be given."""
