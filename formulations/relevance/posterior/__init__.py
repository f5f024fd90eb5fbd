# SPDX-License-Identifier: BSD-3-Clause
"""The posterior of the weights at given hyper-parameters, with the log evidence and its derivatives."""

from formulations.relevance.posterior.caratheodory import caratheodory_reductions
from formulations.relevance.posterior.design import Design
from formulations.relevance.posterior.evidence import Posterior, Stationarity
from formulations.relevance.posterior.gaussian import GaussianTargets
from formulations.relevance.posterior.laplace import LogisticLabels

__all__ = [
    "Design",
    "GaussianTargets",
    "LogisticLabels",
    "Posterior",
    "Stationarity",
    "caratheodory_reductions",
]
