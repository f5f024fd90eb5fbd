# SPDX-License-Identifier: BSD-3-Clause
"""The formulas of textbooks restated without this library, and what the library gives in their place."""

from textbook import fits, kernels, lagrangian, losses, margins, perceptron, relevance, representer, tubes
from textbook.cases import FORMULAS, deviation

__all__ = [
    "FORMULAS",
    "deviation",
    "fits",
    "kernels",
    "lagrangian",
    "losses",
    "margins",
    "perceptron",
    "relevance",
    "representer",
    "tubes",
]
