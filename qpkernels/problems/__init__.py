# SPDX-License-Identifier: BSD-3-Clause
"""Problems: each kind with its program, the two bounds of its optimum, its certificate, and its enclosure."""

from qpkernels.problems.bounds import Bounds, Move, Support
from qpkernels.problems.certificate import PROVED, Certificate, Status, certify_values, relative, undefined
from qpkernels.problems.cone_program.certificates import (
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
)
from qpkernels.problems.cone_program.elimination import Elimination, defining_rows, eliminate, optimality_system
from qpkernels.problems.cone_program.enclosure import enclose_cone_program
from qpkernels.problems.cone_program.program import Block, ConeProgram, QuadraticProgram
from qpkernels.problems.cones import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.problems.enclosing import Enclosure
from qpkernels.problems.exact_kernel import ExactKernelCertificate, Pass, PenalisedBounds, certify_with_exact_kernel
from qpkernels.problems.kernel_qp.bounds import KernelQPBounds, certify_kernel_qp, intercept_interval, split_support
from qpkernels.problems.kernel_qp.gap import DualityGap, duality_gap
from qpkernels.problems.kernel_qp.program import KernelQP, SampleTerms, nearest_feasible
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds, best_level
from qpkernels.problems.level_qp.program import LevelQP
from qpkernels.problems.linear_program import LinearProgramBounds
from qpkernels.problems.linear_system import LeastSquares, LinearSystem, RidgedGram
from qpkernels.problems.norm_fit import NormFitBounds, ResidualNorm
from qpkernels.problems.norms import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    LargestResidualBounds,
    SquaredFitBounds,
)
from qpkernels.problems.program import ExpansionProgram, Program
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.problems.separation import SeparationBounds
from qpkernels.problems.sigmoid_fit import SigmoidBounds, SigmoidFit
from qpkernels.problems.smooth_risk import Ball, FenchelBounds, HalfSquaredNorm, Regulariser, SampleLosses, SmoothRisk
from qpkernels.problems.sparse_weights import SparseWeightsBounds

__all__ = [
    "PROVED",
    "AbsoluteFitBounds",
    "BalancedAbsoluteFitBounds",
    "Ball",
    "Block",
    "Bounds",
    "Certificate",
    "Cone",
    "ConeProgram",
    "DualityGap",
    "Elimination",
    "Enclosure",
    "ExactKernelCertificate",
    "ExpansionProgram",
    "Exponential",
    "FenchelBounds",
    "FunctionAtSamples",
    "HalfSquaredNorm",
    "KernelQP",
    "KernelQPBounds",
    "LargestResidualBounds",
    "LeastSquares",
    "LevelQP",
    "LinearProgramBounds",
    "LinearSystem",
    "MarginLevelBounds",
    "Move",
    "Nonnegative",
    "NormFitBounds",
    "PSDTriangle",
    "Pass",
    "PenalisedBounds",
    "Power",
    "Program",
    "QuadraticProgram",
    "Regulariser",
    "ResidualNorm",
    "RidgedGram",
    "SampleLosses",
    "SampleTerms",
    "SecondOrder",
    "SeparationBounds",
    "SigmoidBounds",
    "SigmoidFit",
    "SmoothRisk",
    "SparseWeightsBounds",
    "SquaredFitBounds",
    "Status",
    "Support",
    "TubeLevelBounds",
    "Zero",
    "best_level",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_kernel_qp",
    "certify_unboundedness",
    "certify_values",
    "certify_with_exact_kernel",
    "defining_rows",
    "duality_gap",
    "eliminate",
    "enclose_cone_program",
    "intercept_interval",
    "nearest_feasible",
    "optimality_system",
    "relative",
    "split_support",
    "undefined",
]
