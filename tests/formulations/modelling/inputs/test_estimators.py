# SPDX-License-Identifier: BSD-3-Clause
"""Hyper-parameters of other scalings: what each translation promises, in numbers and by SciPy's minima."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from formulations import Huber, SoftMargin, estimators
from formulations.modelling.inputs.estimators import (
    cost_of_ridge,
    scale_of_one_class,
    with_constant,
)
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from regression_data import solved

SAMPLES = np.random.default_rng(3).normal(size=(20, 2))
LABELS = np.where(SAMPLES[:, 0] > 0, 1, -1)
MODEL = SoftMargin(SAMPLES, LABELS)


@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), make_pipeline(SVC()), estimators.SVC()], ids=repr)
def test_an_estimator_that_is_not_fitted_says_just_that(estimator: Any) -> None:
    with pytest.raises(NotFittedError, match=f"this {type(estimator).__name__} is not fitted yet; call fit"):
        MODEL.certify(estimator)
    with pytest.raises(NotFittedError):
        MODEL.enclose(estimator)


@pytest.mark.parametrize("estimator", [make_pipeline(SVC()), GridSearchCV(SVC(), {"C": [1.0]}, cv=2)])
def test_a_fitted_estimator_without_coefficients_of_samples_is_named(estimator: Any) -> None:
    name = type(estimator).__name__
    with pytest.raises(ParameterError, match=f"a fitted {name} holds no coefficients of samples, dual_coef_, .*: SVC"):
        MODEL.certify(estimator.fit(SAMPLES, LABELS))


def test_a_class_is_no_estimator() -> None:
    with pytest.raises(ParameterError, match="or a fitted SVC, but the class SVC came"):
        MODEL.certify(SVC)


@pytest.mark.parametrize("penalty", [0.05, 2.0])
def test_the_cost_of_a_ridge_keeps_the_minimiser(penalty: float) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.4, 1.0, -1.0)
    ridge = np.linalg.solve(X.T @ X + penalty * np.eye(3), X.T @ y)
    squared = Huber(X, y, delta=1e3, C=cost_of_ridge(penalty), fit_intercept=False)
    assert solved(squared, None, 1e-12).function(np.eye(3)) == pytest.approx(ridge, rel=0, abs=1e-5)


def test_translations_in_numbers() -> None:
    assert cost_of_ridge(4.0) == 0.25
    assert scale_of_one_class(0.5, 8) == 4.0
    assert scale_of_one_class(1, np.int64(3)) == 3.0
    assert with_constant([[1.0, 2.0], [3.0, 4.0]], 5.0).tolist() == [[1.0, 2.0, 5.0], [3.0, 4.0, 5.0]]


def test_a_constant_is_the_last_entry_of_each_sparse_row() -> None:
    samples = with_constant(csr_array([[0.0, 2.0], [0.0, 0.0], [3.0, 4.0]]), 5.0)
    assert samples.toarray().tolist() == [[0.0, 2.0, 5.0], [0.0, 0.0, 5.0], [3.0, 4.0, 5.0]]
    assert (samples.has_canonical_format, samples.indices.dtype) == (True, np.int32)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, "much", None])
@pytest.mark.parametrize(
    ("translate", "name"),
    [
        (cost_of_ridge, "lambda"),
        (lambda bad: scale_of_one_class(bad, 3), "nu"),
        (lambda bad: with_constant([[1.0]], bad), "scaling"),
    ],
)
def test_numbers_out_of_range(translate: Callable[[Any], Any], name: str, bad: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be .*above 0, but"):
        translate(bad)


@pytest.mark.parametrize("bad", [0, -3, 2.5, True, "many", None])
def test_samples_are_counted(bad: Any) -> None:
    with pytest.raises(ParameterError, match="the number of samples must be an integer of at least 1, but"):
        scale_of_one_class(0.5, bad)


def test_shares_and_samples_out_of_range() -> None:
    with pytest.raises(ParameterError, match="nu must be a number above 0 and at most 1, but"):
        scale_of_one_class(1.5, 3)
    with pytest.raises(ShapeError, match="X must"):
        with_constant([1.0, 2.0])
    with pytest.raises(NonFiniteError, match="X"):
        with_constant([[np.nan]])
