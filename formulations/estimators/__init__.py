# SPDX-License-Identifier: BSD-3-Clause
"""Estimators with scikit-learn's interface: thin ones, of a model, a solver and the certificate of its answer."""

from formulations.estimators.classifiers.losses import LSSVC, KernelClassifier, KernelLogisticRegression
from formulations.estimators.classifiers.margins import LPSVC, SVC, NuSVC, SquaredHingeSVC
from formulations.estimators.linear import LinearSVC, LinearSVR
from formulations.estimators.novelty import OneClassSVM
from formulations.estimators.proved import UncertifiedWarning
from formulations.estimators.regressors.kernel_ridge import KernelRidge
from formulations.estimators.regressors.losses import LSSVR, HuberSVR, KernelRegressor, QuantileSVR
from formulations.estimators.regressors.tubes import SVR, NuSVR, SparseApproximation
from formulations.estimators.relevance import RelevanceClassifier, RelevanceRegressor

__all__ = [
    "LPSVC",
    "LSSVC",
    "LSSVR",
    "SVC",
    "SVR",
    "HuberSVR",
    "KernelClassifier",
    "KernelLogisticRegression",
    "KernelRegressor",
    "KernelRidge",
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
    "UncertifiedWarning",
]
