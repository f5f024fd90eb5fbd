# SPDX-License-Identifier: BSD-3-Clause
"""Models with real targets, one file each."""

from formulations.regression.chebyshev_fit import ChebyshevFit, ChebyshevFitDual
from formulations.regression.hard_tube import HardTubeDual, HardTubePrimal
from formulations.regression.huber import HuberDual, HuberPrimal
from formulations.regression.kernel_ridge import KernelRidgeDual, KernelRidgePrimal
from formulations.regression.least_absolute_fit import (
    LaplaceFit,
    LaplaceFitDual,
    LeastAbsoluteFit,
    LeastAbsoluteFitDual,
)
from formulations.regression.least_squares import (
    LeastSquaresCentred,
    LeastSquaresDual,
    LeastSquaresPrimal,
    LeastSquaresSystem,
)
from formulations.regression.least_squares_fit import LeastSquaresFit, LeastSquaresFitDual
from formulations.regression.nu_tube import NuTubeDual, NuTubePrimal
from formulations.regression.penalised_tube import PenalisedTube
from formulations.regression.quantile import QuantileDual, QuantilePrimal
from formulations.regression.residual_loss import ResidualLossDual, ResidualLossPrimal
from formulations.regression.soft_tube import SoftTubeDual, SoftTubeLoss, SoftTubePrimal

__all__ = [
    "ChebyshevFit",
    "ChebyshevFitDual",
    "HardTubeDual",
    "HardTubePrimal",
    "HuberDual",
    "HuberPrimal",
    "KernelRidgeDual",
    "KernelRidgePrimal",
    "LaplaceFit",
    "LaplaceFitDual",
    "LeastAbsoluteFit",
    "LeastAbsoluteFitDual",
    "LeastSquaresCentred",
    "LeastSquaresDual",
    "LeastSquaresFit",
    "LeastSquaresFitDual",
    "LeastSquaresPrimal",
    "LeastSquaresSystem",
    "NuTubeDual",
    "NuTubePrimal",
    "PenalisedTube",
    "QuantileDual",
    "QuantilePrimal",
    "ResidualLossDual",
    "ResidualLossPrimal",
    "SoftTubeDual",
    "SoftTubeLoss",
    "SoftTubePrimal",
]
