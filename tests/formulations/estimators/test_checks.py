# SPDX-License-Identifier: BSD-3-Clause
"""The checks that scikit-learn has for every estimator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_outlier_detector
from sklearn.datasets import load_iris
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
)
from sklearn.utils.validation import has_fit_parameter

import formulations.estimators as estimators
from formulations.estimators import (
    LPSVC,
    SVC,
    SVR,
    HuberSVR,
    KernelClassifier,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneClassSVM,
    OrdinalSVC,
    QuantileSVR,
    RankingSVM,
    RelevanceClassifier,
    RelevanceRegressor,
    SparseApproximation,
    SquaredHingeSVC,
    StatementClassifier,
    StatementRegressor,
    SurvivalSVR,
)
from statements import hinge, tube

KINDS = [
    kind
    for kind in (getattr(estimators, name) for name in estimators.__all__)
    if isinstance(kind, type) and issubclass(kind, BaseEstimator) and not issubclass(kind, BaseSearchCV)
]
SETTINGS: dict[type[Any], dict[str, Any]] = {
    RankingSVM: {"tol": 0.1},
    StatementClassifier: {"statement": hinge, "parameters": {"C": 2.0}},
    StatementRegressor: {"statement": tube, "parameters": {"C": 10.0, "epsilon": 0.01}},
    RelevanceClassifier: {"tol": 0.1, "kernel": "linear"},
    RelevanceRegressor: {"tol": 0.1},
}
"""Parameters for the sake of time, and those that there must be."""

EVERY = [kind(**SETTINGS.get(kind, {})) for kind in KINDS]
WEIGHING = [each for each in EVERY if has_fit_parameter(each, "sample_weight")]
OF_WEIGHTS = (check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data)


NOT_EXACT = (
    SVC,
    LPSVC,
    SquaredHingeSVC,
    KernelClassifier,
    OneClassSVM,
    SVR,
    HuberSVR,
    QuantileSVR,
    SparseApproximation,
    LinearSVC,
    LinearSVR,
)
"""Estimators whose answers to small problems are not exact anyway."""


def expected(estimator: Any) -> dict[str, str]:
    """Return the checks that cannot hold, with the reason; scikit-learn's own counterparts fail them as well."""
    names = [check.__name__ for check in OF_WEIGHTS]
    if isinstance(estimator, NuSVC):
        return {
            "check_class_weight_classifiers": "where a class weighs next to nothing, no nu of 0.5 is feasible",
            **dict.fromkeys(names, "so few samples of a class allow no nu of 0.5"),
        }
    if isinstance(estimator, OrdinalSVC):
        reason = "one function decides among all classes, by its thresholds"
        return dict.fromkeys(("check_classifiers_classes", "check_classifiers_train"), reason)
    if isinstance(estimator, NOT_EXACT):
        return dict.fromkeys(names, "answers are compared to 1e-7, and are asked for to 1e-3; see the test of weights")
    return {}


def test_there_is_something_to_check() -> None:
    assert len(EVERY) >= 20
    assert {type(each) for each in EVERY} - {type(each) for each in WEIGHING} == {
        OrdinalSVC,
        RankingSVM,
        RelevanceClassifier,
        RelevanceRegressor,
        StatementClassifier,
        StatementRegressor,
        SurvivalSVR,
    }


def few_flowers(return_X_y: bool = False) -> Any:
    """Return every fifth of the irises, in the shape of load_iris."""
    iris = load_iris()
    iris.update(data=iris.data[::5], target=iris.target[::5])
    return (iris.data, iris.target) if return_X_y else iris


def without_addresses(estimator: Any) -> str:
    """Return an estimator as text, which is the same in all processes also where a function is among its parameters."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(estimator))


@contextmanager
def few_samples() -> Iterator[None]:
    """Give the checks less than the 150 to 300 samples that some of them fit to, dozens of times in all."""
    X, y = estimator_checks._regression_dataset()
    blobs = estimator_checks.make_blobs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimator_checks, "_regression_dataset", lambda: (X[:60].copy(), y[:60].copy()))
        patch.setattr(estimator_checks, "load_iris", few_flowers)
        patch.setattr(
            estimator_checks, "make_blobs", lambda n_samples=100, **options: blobs(min(n_samples, 60), **options)
        )
        yield


@pytest.mark.parametrize("estimator", EVERY, ids=without_addresses)
def test_the_checks_of_scikit_learn(estimator: Any) -> None:
    # Shares of outliers are checked to a sample in 300.
    with nullcontext() if is_outlier_detector(estimator) else few_samples():
        results = check_estimator(estimator, expected_failed_checks=expected(estimator), on_skip=None)
    assert len(results) > 40


# The optimum of a linear program need not be unique: see the test that compares the values.
@pytest.mark.parametrize("check", OF_WEIGHTS)
@pytest.mark.parametrize("estimator", [each for each in WEIGHING if not isinstance(each, NuSVC | LPSVC)], ids=str)
def test_weights_are_copies(estimator: Any, check: Any) -> None:
    # A method that ends at the active set, where the rate of convergence would have to give all digits.
    exactly = {"solver": "interior-point"} if isinstance(estimator, LinearSVC) else {}
    check(type(estimator).__name__, clone(estimator).set_params(tol=1e-13, **exactly))


def test_weights_of_the_linear_program_machine_are_copies_in_value() -> None:
    rng = np.random.default_rng(42)
    X, y, weights = rng.random((15, 30)), rng.integers(0, 2, 15), rng.integers(0, 5, 15)
    weighted = LPSVC(tol=1e-12).fit(X, y, sample_weight=weights).solution_.certificate
    copied = LPSVC(tol=1e-12).fit(X.repeat(weights, axis=0), y.repeat(weights)).solution_.certificate
    assert weighted.holds(1e-12)
    assert copied.holds(1e-12)
    assert weighted.primal_value == pytest.approx(copied.primal_value, rel=1e-12)
