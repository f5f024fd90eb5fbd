# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vector machines as estimators."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import ARDRegression
from sklearn.model_selection import GridSearchCV

from formulations.estimators import RelevanceClassifier, RelevanceRegressor, UncertifiedWarning
from formulations.models.relevance import RelevanceClassification, RelevanceRegression
from qpkernels.errors import OneClassError, ParameterError, SolverFailedError
from qpkernels.kernels import RBF

IRIS, SPECIES = (part[30:] for part in load_iris(return_X_y=True))
RNG = np.random.default_rng(0)
X = RNG.uniform(-5, 5, size=(60, 1))
Y = np.sinc(X[:, 0]) + 0.05 * RNG.normal(size=60)


def test_regression_is_that_of_the_machine() -> None:
    fitted = RelevanceRegressor(gamma=0.5).fit(X, Y)
    machine = RelevanceRegression(X, Y, RBF(0.5)).solve()
    mean, deviation = fitted.predict(X, return_std=True)
    np.testing.assert_array_equal(mean, machine.mean(X))
    np.testing.assert_allclose(deviation**2, machine.variance(X))
    np.testing.assert_array_equal(fitted.predict(X), mean)
    np.testing.assert_array_equal(fitted.relevance_vectors_, X[fitted.relevance_])
    assert fitted.log_evidence_ == machine.log_evidence
    assert fitted.noise_ == pytest.approx(0.05**2, rel=0.5)
    assert fitted.converged_
    assert fitted.stationarity_.holds(1e-6)
    assert not hasattr(fitted, "certificate_")


def test_the_fit_is_as_good_as_scikit_learns_ard_in_the_same_features() -> None:
    kernel = RBF(0.5)
    theirs = ARDRegression(threshold_lambda=1e6).fit(kernel(X, X), Y)
    new = np.linspace(-4.5, 4.5, 50)[:, None]
    mean = RelevanceRegressor(kernel=kernel).fit(X, Y).predict(new)
    np.testing.assert_allclose(mean, theirs.predict(kernel(new, X)), atol=0.08)


def test_two_classes_are_those_of_the_machine() -> None:
    two, labels = IRIS[20:], np.array(["b", "a"])[SPECIES[20:] - 1]
    fitted = RelevanceClassifier(gamma=0.1).fit(two, labels)
    machine = RelevanceClassification(two, labels, RBF(0.1)).solve()
    assert fitted.classes_.tolist() == ["a", "b"]
    np.testing.assert_allclose(fitted.predict_proba(two)[:, 1], machine.probability(two))
    np.testing.assert_array_equal(fitted.predict(two), machine.function.predict(two))
    assert fitted.log_evidence_ == machine.log_evidence


def test_probabilities_of_several_classes_add_up_and_decide() -> None:
    fitted = RelevanceClassifier(tol=1e-2, gamma=0.1).fit(IRIS, SPECIES)
    proba = fitted.predict_proba(IRIS)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.predict(IRIS), np.argmax(proba, axis=1))
    alone = np.column_stack([each.probability(IRIS) for each in fitted.solution_])
    np.testing.assert_allclose(proba, alone / alone.sum(axis=1, keepdims=True), rtol=1e-6)
    assert fitted.score(IRIS, SPECIES) > 0.93
    assert len(fitted.log_evidence_) == 3
    far = fitted.predict_proba(1e6 * np.ones((1, 4)))
    assert np.isfinite(far).all()
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(IRIS)), proba)


def test_an_evidence_that_is_not_stationary_warns_or_is_refused() -> None:
    with pytest.warns(UncertifiedWarning, match="not stationary to 1e-06 when max_iter or time_limit came") as caught:
        fitted = RelevanceRegressor(max_iter=1).fit(X, Y)
    assert caught[0].filename == __file__
    assert not fitted.converged_
    with pytest.raises(SolverFailedError, match="Pass strict=False to keep the answer"):
        RelevanceRegressor(max_iter=1, strict=True).fit(X, Y)


def test_a_search_over_the_kernel() -> None:
    search = GridSearchCV(RelevanceRegressor(kernel=RBF(1.0)), {"kernel__gamma": [0.01, 0.5]}, cv=2).fit(X, Y)
    assert search.best_params_ == {"kernel__gamma": 0.5}


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="takes a named kernel or a Kernel object, but 'precomputed' came"):
        RelevanceRegressor(kernel="precomputed").fit(X @ X.T, Y)
    with pytest.raises(OneClassError, match="got 1 class: every label is 'a'"):
        RelevanceClassifier().fit(X, ["a"] * 60)
