# SPDX-License-Identifier: BSD-3-Clause
"""Estimators with scikit-learn's interface: thin ones, of a model, a solver and the certificate of its answer."""

from formulations.estimators.classifiers import (
    LPSVC,
    LSSVC,
    SVC,
    KernelClassifier,
    KernelLogisticRegression,
    NuSVC,
    SquaredHingeSVC,
)
from formulations.estimators.kernel_machine import UncertifiedWarning
from formulations.estimators.kernel_ridge import KernelRidge
from formulations.estimators.linear import LinearSVC, LinearSVR
from formulations.estimators.novelty import OneClassSVM
from formulations.estimators.regressors import (
    LSSVR,
    SVR,
    HuberSVR,
    KernelRegressor,
    NuSVR,
    QuantileSVR,
    SparseApproximation,
)
from formulations.estimators.relevance import RelevanceClassifier, RelevanceRegressor
from formulations.estimators.search import KernelHalvingSearchCV, KernelRandomizedSearchCV, KernelSearchCV
from formulations.estimators.stated import StatementClassifier, StatementRegressor

__all__ = [
    "LPSVC",
    "LSSVC",
    "LSSVR",
    "SVC",
    "SVR",
    "HuberSVR",
    "KernelClassifier",
    "KernelHalvingSearchCV",
    "KernelLogisticRegression",
    "KernelRandomizedSearchCV",
    "KernelRegressor",
    "KernelRidge",
    "KernelSearchCV",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "QuantileSVR",
    "RelevanceClassifier",
    "RelevanceRegressor",
    "SparseApproximation",
    "SquaredHingeSVC",
    "StatementClassifier",
    "StatementRegressor",
    "UncertifiedWarning",
]
