# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of linear fits without regularisation."""

from qpkernels.certificates.models.fits.norm_fit import NormFitBounds
from qpkernels.certificates.models.fits.norms import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    LargestResidualBounds,
    SquaredFitBounds,
)

__all__ = [
    "AbsoluteFitBounds",
    "BalancedAbsoluteFitBounds",
    "LargestResidualBounds",
    "NormFitBounds",
    "SquaredFitBounds",
]
