# SPDX-License-Identifier: BSD-3-Clause
"""partial_fit: the answers are those of a fit to all samples that are kept."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import is_classifier

from formulations import estimators
from formulations.estimators import SVC, SVR
from qpkernels import RBF
from qpkernels.errors import LabelError, OneClassError, ParameterError
from together import together

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TWO = np.where(X[:, 0] * X[:, 1] > 0, "alike", "apart")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
TARGETS = X[:, 0] + np.sin(X[:, 1])
WEIGHTS = RNG.integers(1, 4, 60).astype(float)

EVERY = [getattr(estimators, name) for name in estimators.__all__]
STREAMING = [kind for kind in EVERY if hasattr(kind, "partial_fit")]


def taught(estimator: Any, y: Any, samples: Any = X, **first: Any) -> Any:
    """An estimator after four calls."""
    for k in range(0, 60, 15):
        part = slice(k, k + 15)
        estimator.partial_fit(samples[part], y[part], sample_weight=WEIGHTS[part], **(first if k == 0 else {}))
    return estimator


@pytest.mark.parametrize("kind", STREAMING)
def test_answers_are_those_of_a_fit_to_what_is_kept(kind: Any) -> None:
    settings: dict[str, Any] = {"gamma": 0.5, "tol": 1e-9}
    problems = ((TWO, {"classes": ["alike", "apart"]}), (THREE, {"classes": [0, 1, 2]}))
    for y, first in problems if is_classifier(kind()) else ((TARGETS, {}),):
        for window in (None, 20, 7):
            kept = slice(-(window or 0), None)
            streamed = taught(kind(window=window, **settings), y, **first)
            fitted = kind(**settings).fit(X[kept], y[kept], WEIGHTS[kept])
            assert streamed.certificate_.holds(1e-9)
            value = streamed.certificate_.primal_value
            assert value == pytest.approx(fitted.certificate_.primal_value, rel=1e-8)
            ours, theirs = (each.decision_function(X) if first else each.predict(X) for each in (streamed, fitted))
            np.testing.assert_allclose(ours, theirs, atol=1e-4)
            assert streamed.shape_fit_ == fitted.shape_fit_


@together("kind", STREAMING)
def test_one_machine_goes_on_from_its_answer_and_its_kernel_values(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    y, first = (TWO, {"classes": ["alike", "apart"]}) if is_classifier(kind()) else (TARGETS, {})
    machine = taught(kind(kernel=RBF(0.5)), y, **first)
    monkeypatch.setattr(kind, "fit", None)
    machine.partial_fit(X[:5], y[:5])
    assert machine.shape_fit_ == (65, 3)
    assert machine.solution_.solver == "active-set"
    assert machine.certificate_.holds(1e-3)


def test_machines_that_begin_anew_at_each_change_have_no_partial_fit() -> None:
    assert {kind.__name__ for kind in STREAMING} == {
        *("HuberSVR", "LSSVC", "LSSVR", "QuantileSVR", "SVC", "SVR", "SparseApproximation", "SquaredHingeSVC")
    }


def test_sparse_samples_and_costs_of_classes() -> None:
    settings: dict[str, Any] = {"gamma": 0.5, "tol": 1e-9, "class_weight": {"alike": 3.0}}
    streamed = taught(SVC(**settings), TWO, csr_array(X), classes=["apart", "alike"])
    fitted = SVC(**settings).fit(X, TWO, WEIGHTS)
    np.testing.assert_allclose(streamed.decision_function(X), fitted.decision_function(X), atol=1e-4)


def test_other_parameters_and_samples_of_weight_0() -> None:
    streamed = taught(SVR(gamma=0.5, tol=1e-9), TARGETS).set_params(C=10.0)
    streamed.partial_fit(X[:2], TARGETS[:2], sample_weight=[0.0, 1.0])
    rows = [*range(60), 1]
    fitted = SVR(gamma=0.5, tol=1e-9, C=10.0).fit(X[rows], TARGETS[rows], [*WEIGHTS, 1.0])
    np.testing.assert_allclose(streamed.predict(X), fitted.predict(X), atol=1e-4)


def test_a_fit_forgets_and_a_pickle_holds_no_samples() -> None:
    streamed = taught(SVR(gamma=0.5), TARGETS)
    again = pickle.loads(pickle.dumps(streamed))
    np.testing.assert_allclose(again.predict(X), streamed.predict(X), rtol=1e-12)
    for each in (again, streamed.fit(X[:30], TARGETS[:30])):
        assert each.partial_fit(X[:10], TARGETS[:10]).shape_fit_ == (10, 3)


@together(
    "settings, y, options, error, words",
    [
        ({}, TWO, {}, ParameterError, "classes must be passed on the first call to partial_fit"),
        ({}, TWO, {"classes": ["alike", "other"]}, LabelError, r"y must hold labels of classes, .* but 'apart' came"),
        ({}, np.full(60, "alike"), {"classes": ["alike", "apart"]}, OneClassError, "greater than one"),
        ({"window": 0}, TWO, {"classes": ["alike", "apart"]}, ParameterError, "window must be"),
        ({"class_weight": "balanced"}, TWO, {"classes": ["alike", "apart"]}, ParameterError, "does not take it"),
        ({"kernel": "precomputed"}, TWO, {"classes": ["alike", "apart"]}, ParameterError, "kernel must be a name"),
    ],
)
def test_what_cannot_be_learnt_on_is_refused(settings: Any, y: Any, options: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        SVC(**settings).partial_fit(X, y, **options)


def test_a_call_that_fails_changes_nothing() -> None:
    streamed = taught(SVC(gamma=0.5, window=20), TWO, classes=["alike", "apart"])
    values = streamed.decision_function(X)
    for new, y, words in (
        (X, np.full(60, "alike"), "would be left without samples"),
        (X[:, :2], TWO, "features"),
        (X, np.full(60, "new"), "must hold labels"),
    ):
        with pytest.raises(ValueError, match=words):
            streamed.partial_fit(new, y)
        np.testing.assert_array_equal(streamed.decision_function(X), values)
    with pytest.raises(ParameterError, match="classes must be those of the first call"):
        streamed.partial_fit(X, TWO, classes=["alike"])
    assert streamed.partial_fit(X, TWO).shape_fit_ == (20, 3)
