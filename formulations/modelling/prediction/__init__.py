# SPDX-License-Identifier: BSD-3-Clause
"""A machine without its training samples: its functions, the rules by which values become answers, and files."""

from formulations.modelling.prediction.decisions import Decision, Labels
from formulations.modelling.prediction.files import load
from formulations.modelling.prediction.predictor import Predictor

__all__ = [
    "Decision",
    "Labels",
    "Predictor",
    "load",
]
