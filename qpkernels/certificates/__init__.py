# SPDX-License-Identifier: BSD-3-Clause
"""Proofs of optimality, computed without any solver."""

from qpkernels.certificates.bounds import Bounds
from qpkernels.certificates.certificate import PROVED, Certificate, Status, certify_values, relative, undefined
from qpkernels.certificates.cone_program import (
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
)
from qpkernels.certificates.enclosures import Enclosure, enclose_cone_program
from qpkernels.certificates.exact_kernel import (
    ExactKernelCertificate,
    Pass,
    PenalisedBounds,
    certify_with_exact_kernel,
)
from qpkernels.certificates.kernel_qp import (
    DualityGap,
    FunctionAtSamples,
    KernelQPBounds,
    Move,
    certify_kernel_qp,
    duality_gap,
)
from qpkernels.certificates.models import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    Ball,
    FenchelBounds,
    HalfSquaredNorm,
    LargestResidualBounds,
    LinearProgramBounds,
    MarginLevelBounds,
    NormFitBounds,
    Regulariser,
    SeparationBounds,
    SigmoidBounds,
    SparseWeightsBounds,
    SquaredFitBounds,
    TubeLevelBounds,
    best_level,
)
from qpkernels.certificates.support import Support, intercept_interval, split_support

__all__ = [
    "PROVED",
    "AbsoluteFitBounds",
    "BalancedAbsoluteFitBounds",
    "Ball",
    "Bounds",
    "Certificate",
    "DualityGap",
    "Enclosure",
    "ExactKernelCertificate",
    "FenchelBounds",
    "FunctionAtSamples",
    "HalfSquaredNorm",
    "KernelQPBounds",
    "LargestResidualBounds",
    "LinearProgramBounds",
    "MarginLevelBounds",
    "Move",
    "NormFitBounds",
    "Pass",
    "PenalisedBounds",
    "Regulariser",
    "SeparationBounds",
    "SigmoidBounds",
    "SparseWeightsBounds",
    "SquaredFitBounds",
    "Status",
    "Support",
    "TubeLevelBounds",
    "best_level",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_kernel_qp",
    "certify_unboundedness",
    "certify_values",
    "certify_with_exact_kernel",
    "duality_gap",
    "enclose_cone_program",
    "intercept_interval",
    "relative",
    "split_support",
    "undefined",
]
