# SPDX-License-Identifier: BSD-3-Clause
"""Estimators with scikit-learn's interface: thin ones, of a model, a solver and the certificate of its answer.

Each is imported when it is first asked for, with the models that it is made of, and no others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formulations.estimators.classifiers import *  # noqa: F403
    from formulations.estimators.kernel_machine import UncertifiedWarning as UncertifiedWarning
    from formulations.estimators.kernel_ridge import *  # noqa: F403
    from formulations.estimators.linear import *  # noqa: F403
    from formulations.estimators.novelty import *  # noqa: F403
    from formulations.estimators.ordered import *  # noqa: F403
    from formulations.estimators.regressors import *  # noqa: F403
    from formulations.estimators.relevance import *  # noqa: F403
    from formulations.estimators.search import *  # noqa: F403
    from formulations.estimators.stated import *  # noqa: F403

_FILES = {
    "classifiers": (
        "LPSVC",
        "LSSVC",
        "SVC",
        "KernelClassifier",
        "KernelLogisticRegression",
        "NuSVC",
        "SquaredHingeSVC",
    ),
    "kernel_machine": ("UncertifiedWarning",),
    "kernel_ridge": ("KernelRidge",),
    "linear": ("LinearSVC", "LinearSVR"),
    "novelty": ("OneClassSVM",),
    "ordered": ("OrdinalSVC", "RankingSVM", "SurvivalSVR"),
    "regressors": (
        "LSSVR",
        "SVR",
        "HuberSVR",
        "KernelRegressor",
        "NuSVR",
        "QuantileSVR",
        "SparseApproximation",
    ),
    "relevance": ("RelevanceClassifier", "RelevanceRegressor"),
    "search": ("KernelHalvingSearchCV", "KernelRandomizedSearchCV", "KernelSearchCV"),
    "stated": ("StatementClassifier", "StatementRegressor"),
}
"""The names of this package by the file that has them."""

__all__ = sorted(name for names in _FILES.values() for name in names)


def __getattr__(name: str) -> Any:
    """Return an estimator."""
    for file, names in _FILES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{file}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, those not yet imported as well."""
    return sorted({*globals(), *__all__})
