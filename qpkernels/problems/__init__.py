# SPDX-License-Identifier: BSD-3-Clause
"""Problems: each kind with its program, the two bounds of its optimum, its certificate, and its enclosure."""

from qpkernels.problems.bounds import Bounds, Move, Support
from qpkernels.problems.certificate import Certificate, Status, certify_values, relative
from qpkernels.problems.cone_program.certificates import (
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
)
from qpkernels.problems.cone_program.enclosure import enclose_cone_program
from qpkernels.problems.cone_program.program import Block, ConeProgram, QuadraticProgram
from qpkernels.problems.cones import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.problems.enclosing import Enclosure
from qpkernels.problems.exact_kernel import ExactKernelCertificate, Pass, certify_with_exact_kernel
from qpkernels.problems.kernel_qp.bounds import KernelQPBounds, certify_kernel_qp, intercept_interval, split_support
from qpkernels.problems.kernel_qp.gap import DualityGap, duality_gap
from qpkernels.problems.kernel_qp.program import KernelQP, SampleTerms, nearest_feasible
from qpkernels.problems.level_qp.program import LevelQP
from qpkernels.problems.linear_system import LeastSquares, LinearSystem, RidgedGram
from qpkernels.problems.multiple_kernel_qp import MultipleKernelBounds, MultipleKernelQP, NormPenalty
from qpkernels.problems.norm_fit import ResidualNorm
from qpkernels.problems.program import ExpansionProgram, Program
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.problems.semiparametric_qp import SemiparametricBounds, SemiparametricQP
from qpkernels.problems.sigmoid_fit import SigmoidBounds, SigmoidFit
from qpkernels.problems.smooth_risk import FenchelBounds, SampleLosses, SmoothRisk

__all__ = [
    "Block",
    "Bounds",
    "Certificate",
    "Cone",
    "ConeProgram",
    "DualityGap",
    "Enclosure",
    "ExactKernelCertificate",
    "ExpansionProgram",
    "Exponential",
    "FenchelBounds",
    "FunctionAtSamples",
    "KernelQP",
    "KernelQPBounds",
    "LeastSquares",
    "LevelQP",
    "LinearSystem",
    "Move",
    "MultipleKernelBounds",
    "MultipleKernelQP",
    "Nonnegative",
    "NormPenalty",
    "PSDTriangle",
    "Pass",
    "Power",
    "Program",
    "QuadraticProgram",
    "ResidualNorm",
    "RidgedGram",
    "SampleLosses",
    "SampleTerms",
    "SecondOrder",
    "SemiparametricBounds",
    "SemiparametricQP",
    "SigmoidBounds",
    "SigmoidFit",
    "SmoothRisk",
    "Status",
    "Support",
    "Zero",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_kernel_qp",
    "certify_unboundedness",
    "certify_values",
    "certify_with_exact_kernel",
    "duality_gap",
    "enclose_cone_program",
    "intercept_interval",
    "nearest_feasible",
    "relative",
    "split_support",
]
