# SPDX-License-Identifier: BSD-3-Clause
"""The two bounds of models that are no KernelQP, one file for each kind of problem."""

from qpkernels.certificates.models.fenchel import FenchelBounds
from qpkernels.certificates.models.fits import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    LargestResidualBounds,
    NormFitBounds,
    SquaredFitBounds,
)
from qpkernels.certificates.models.free_level import MarginLevelBounds, TubeLevelBounds, best_level
from qpkernels.certificates.models.linear_program import LinearProgramBounds
from qpkernels.certificates.models.regularisers import Ball, HalfSquaredNorm, Regulariser
from qpkernels.certificates.models.separation import SeparationBounds
from qpkernels.certificates.models.sigmoid import SigmoidBounds
from qpkernels.certificates.models.sparse_weights import SparseWeightsBounds

__all__ = [
    "AbsoluteFitBounds",
    "BalancedAbsoluteFitBounds",
    "Ball",
    "FenchelBounds",
    "HalfSquaredNorm",
    "LargestResidualBounds",
    "LinearProgramBounds",
    "MarginLevelBounds",
    "NormFitBounds",
    "Regulariser",
    "SeparationBounds",
    "SigmoidBounds",
    "SparseWeightsBounds",
    "SquaredFitBounds",
    "TubeLevelBounds",
    "best_level",
]
