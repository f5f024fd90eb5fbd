# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vector machines: sparse Bayesian kernel models, fitted by their evidence."""

from formulations.relevance.classification import RelevanceClassification
from formulations.relevance.evidence import Stationarity
from formulations.relevance.machine import RelevanceSolution
from formulations.relevance.regression import RelevanceRegression
from formulations.relevance.reweighted import ReweightedRelevance

__all__ = ["RelevanceClassification", "RelevanceRegression", "RelevanceSolution", "ReweightedRelevance", "Stationarity"]
