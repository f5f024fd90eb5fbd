# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vector machines: sparse Bayesian kernel models, fitted by their evidence."""

from formulations.models.relevance.classification import RelevanceClassification
from formulations.models.relevance.evidence import Stationarity
from formulations.models.relevance.machine import RelevanceSolution
from formulations.models.relevance.regression import RelevanceRegression
from formulations.models.relevance.reweighted import ReweightedRelevance

__all__ = ["RelevanceClassification", "RelevanceRegression", "RelevanceSolution", "ReweightedRelevance", "Stationarity"]
