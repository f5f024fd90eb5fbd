# SPDX-License-Identifier: BSD-3-Clause
"""Proofs of optimality, computed without any solver."""

from qpkernels.certificates.bounds import Bounds
from qpkernels.certificates.certificate import PROVED, Certificate, Status, certify_values, relative, undefined
from qpkernels.certificates.cone_program import (
    Repaired,
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
    repair,
    repair_direction,
    repair_multipliers,
    without_rounding,
)
from qpkernels.certificates.enclosures import Enclosure, enclose_cone_program
from qpkernels.certificates.kernel_qp import (
    DualityGap,
    FunctionAtSamples,
    KernelQPBounds,
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
    "FenchelBounds",
    "FunctionAtSamples",
    "HalfSquaredNorm",
    "KernelQPBounds",
    "LargestResidualBounds",
    "LinearProgramBounds",
    "MarginLevelBounds",
    "NormFitBounds",
    "Regulariser",
    "Repaired",
    "SeparationBounds",
    "SigmoidBounds",
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
    "duality_gap",
    "enclose_cone_program",
    "intercept_interval",
    "relative",
    "repair",
    "repair_direction",
    "repair_multipliers",
    "split_support",
    "undefined",
    "without_rounding",
]
