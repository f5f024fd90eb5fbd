# SPDX-License-Identifier: BSD-3-Clause
"""What is left of a machine without its training samples: functions, how their values become answers, and files."""

from formulations.modelling.prediction.decisions import Decision, Inliers, Labels, Ordered, Sigmoids, Targets, Votes
from formulations.modelling.prediction.files import load
from formulations.modelling.prediction.predictor import Answering, Posterior, Predictor

__all__ = [
    "Answering",
    "Decision",
    "Inliers",
    "Labels",
    "Ordered",
    "Posterior",
    "Predictor",
    "Sigmoids",
    "Targets",
    "Votes",
    "load",
]
