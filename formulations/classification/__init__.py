# SPDX-License-Identifier: BSD-3-Clause
"""Models of two classes, of one, and what is built on them, one file each."""

from formulations.classification.calibration import Calibration, PlattCalibration
from formulations.classification.hard_margin import HardMarginDual, HardMarginGeometric, HardMarginPrimal
from formulations.classification.logistic import LogisticDual, LogisticPenalised, LogisticPrimal
from formulations.classification.lp import LinearProgramDual, LinearProgramPrimal
from formulations.classification.multiclass import MulticlassSolution, OneVersusOne, OneVersusRest
from formulations.classification.nu import NuMarginDual, NuMarginPrimal
from formulations.classification.one_class import OneClassDual, OneClassPrimal
from formulations.classification.soft_margin import SoftMarginDual, SoftMarginHinge, SoftMarginPrimal
from formulations.classification.squared_hinge import SquaredHingeDual, SquaredHingePrimal
from formulations.classification.two_level import TwoLevelMachine, calibrate, cross_validated_scores

__all__ = [
    "Calibration",
    "HardMarginDual",
    "HardMarginGeometric",
    "HardMarginPrimal",
    "LinearProgramDual",
    "LinearProgramPrimal",
    "LogisticDual",
    "LogisticPenalised",
    "LogisticPrimal",
    "MulticlassSolution",
    "NuMarginDual",
    "NuMarginPrimal",
    "OneClassDual",
    "OneClassPrimal",
    "OneVersusOne",
    "OneVersusRest",
    "PlattCalibration",
    "SoftMarginDual",
    "SoftMarginHinge",
    "SoftMarginPrimal",
    "SquaredHingeDual",
    "SquaredHingePrimal",
    "TwoLevelMachine",
    "calibrate",
    "cross_validated_scores",
]
