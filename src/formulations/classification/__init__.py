# SPDX-License-Identifier: BSD-3-Clause
"""Models of two classes, one file each."""

from formulations.classification.hard_margin import HardMarginDual, HardMarginGeometric, HardMarginPrimal
from formulations.classification.soft_margin import SoftMarginDual, SoftMarginHinge, SoftMarginPrimal

__all__ = [
    "HardMarginDual",
    "HardMarginGeometric",
    "HardMarginPrimal",
    "SoftMarginDual",
    "SoftMarginHinge",
    "SoftMarginPrimal",
]
