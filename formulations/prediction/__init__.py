# SPDX-License-Identifier: BSD-3-Clause
"""What is left of a machine without its training samples: functions, how their values become answers, and files."""

from formulations.prediction.answering import Answering
from formulations.prediction.decisions import Decision, Inliers, Labels, Sigmoids, Targets, Votes
from formulations.prediction.posterior import Posterior
from formulations.prediction.predictor import Predictor
from formulations.prediction.reading import load

__all__ = [
    "Answering",
    "Decision",
    "Inliers",
    "Labels",
    "Posterior",
    "Predictor",
    "Sigmoids",
    "Targets",
    "Votes",
    "load",
]
