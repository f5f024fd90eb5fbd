# SPDX-License-Identifier: BSD-3-Clause
"""Problems: each kind has its program, two bounds on its optimum, its certificate and its enclosure."""

from qpkernels.problems.bounds import Bounds, Support
from qpkernels.problems.certificate import Certificate, Status
from qpkernels.problems.cone_program.certificates import (
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
)
from qpkernels.problems.cone_program.enclosure import enclose_cone_program
from qpkernels.problems.cone_program.program import Block, ConeProgram
from qpkernels.problems.cones import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.problems.enclosing import Enclosure
from qpkernels.problems.exact_kernel import ExactKernelCertificate, certify_with_exact_kernel
from qpkernels.problems.kernel_qp.bounds import KernelQPBounds, certify_kernel_qp, intercept_interval
from qpkernels.problems.kernel_qp.program import KernelQP, SampleTerms
from qpkernels.problems.level_qp.program import LevelQP
from qpkernels.problems.linear_system import LeastSquares, LinearSystem
from qpkernels.problems.multiple_kernel_qp import MultipleKernelQP, NormPenalty
from qpkernels.problems.norm_fit import ResidualNorm
from qpkernels.problems.program import Program
from qpkernels.problems.semiparametric_qp import SemiparametricQP
from qpkernels.problems.sigmoid_fit import SigmoidFit
from qpkernels.problems.smooth_risk import FenchelBounds, SampleLosses, SmoothRisk

__all__ = [
    "Block",
    "Bounds",
    "Certificate",
    "Cone",
    "ConeProgram",
    "Enclosure",
    "ExactKernelCertificate",
    "Exponential",
    "FenchelBounds",
    "KernelQP",
    "KernelQPBounds",
    "LeastSquares",
    "LevelQP",
    "LinearSystem",
    "MultipleKernelQP",
    "Nonnegative",
    "NormPenalty",
    "PSDTriangle",
    "Power",
    "Program",
    "ResidualNorm",
    "SampleLosses",
    "SampleTerms",
    "SecondOrder",
    "SemiparametricQP",
    "SigmoidFit",
    "SmoothRisk",
    "Status",
    "Support",
    "Zero",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_kernel_qp",
    "certify_unboundedness",
    "certify_with_exact_kernel",
    "enclose_cone_program",
    "intercept_interval",
]
