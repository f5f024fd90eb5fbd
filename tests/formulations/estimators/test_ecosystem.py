# SPDX-License-Identifier: BSD-3-Clause
"""Estimators in what scikit-learn builds around them: scripts whose import alone changes, weights, frames, files."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn import svm
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import formulations.estimators as estimators
from formulations.estimators import SVC, SVR, KernelRidge, LinearSVC, LinearSVR, RelevanceRegressor

PATIENTS, PROGRESS = (part[:150] for part in load_diabetes(return_X_y=True))
IRIS, SPECIES = load_iris(return_X_y=True)

EXAMPLES = [
    SVC(),
    SVR(C=100.0),
    LinearSVC(),
    LinearSVR(C=10.0),
    KernelRidge(kernel="rbf"),
    RelevanceRegressor(tol=1e-2),
]
ABOVE_HALF = (np.median(PROGRESS) < PROGRESS).astype(int)


def targets(estimator: Any) -> np.ndarray:
    """Return labels for a classifier, else numbers."""
    return ABOVE_HALF if is_classifier(estimator) else PROGRESS


def svc(module: Any) -> GridSearchCV:
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = Pipeline([("scaler", StandardScaler()), ("svc", module.SVC())])
    return GridSearchCV(pipeline, {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.003, 0.03, 0.3]}, cv=3).fit(X, y)


def svr(module: Any) -> GridSearchCV:
    pipeline = Pipeline([("scaler", StandardScaler()), ("svr", module.SVR(kernel="rbf"))])
    grid = {"svr__C": [1.0, 10.0, 100.0], "svr__epsilon": [1.0, 10.0], "svr__gamma": ["scale", 0.01]}
    return GridSearchCV(pipeline, grid, cv=3).fit(PATIENTS, PROGRESS)


def linear_svc(module: Any) -> GridSearchCV:
    pipeline = Pipeline([("scaler", StandardScaler()), ("svc", module.LinearSVC(random_state=0))])
    return GridSearchCV(pipeline, {"svc__C": [0.001, 0.01, 0.1], "svc__class_weight": [None, "balanced"]}).fit(
        IRIS, SPECIES
    )


@pytest.mark.parametrize("script", [svc, svr, linear_svc], ids=lambda script: str(script.__name__))
def test_scripts_choose_the_same_point_whoever_is_imported(script: Callable[[Any], GridSearchCV]) -> None:
    ours, theirs = script(estimators), script(svm)
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=5e-3)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), SVR(C=100.0), LinearSVR(), KernelRidge()], ids=repr)
def test_weights_are_routed_through_pipelines_and_searches(estimator: Any) -> None:
    y = targets(estimator)
    weights = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)
    asking = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
    name = f"{type(estimator).__name__.lower()}__{'alpha' if isinstance(estimator, KernelRidge) else 'C'}"
    search = GridSearchCV(pipeline, {name: [0.5, 5.0]}, cv=2).fit(PATIENTS, y, sample_weight=weights)
    alone = clone(search.best_estimator_[-1]).fit(StandardScaler().fit_transform(PATIENTS), y, weights)
    np.testing.assert_allclose(search.predict(PATIENTS), alone.predict(StandardScaler().fit_transform(PATIENTS)))
    scores = cross_validate(pipeline, PATIENTS, y, cv=2, params={"sample_weight": weights})
    assert np.isfinite(scores["test_score"]).all()


@pytest.mark.parametrize("estimator", EXAMPLES, ids=repr)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_bring_names_and_keep_them(frame: Any, estimator: Any) -> None:
    names = [f"x{k}" for k in range(PATIENTS.shape[1])]
    data = frame(dict(zip(names, PATIENTS.T, strict=True)))
    y = targets(estimator)
    fitted = clone(estimator).fit(data, y)
    assert fitted.feature_names_in_.tolist() == names
    np.testing.assert_allclose(fitted.predict(data), clone(estimator).fit(PATIENTS, y).predict(PATIENTS))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(data[names[::-1]])
    output = "pandas" if frame is pd.DataFrame else "polars"
    pipeline = make_pipeline(StandardScaler(), clone(estimator)).set_output(transform=output).fit(data, y)
    assert pipeline[-1].feature_names_in_.tolist() == names
    assert pipeline.predict(data).shape == (len(y),)


@pytest.mark.parametrize("estimator", EXAMPLES, ids=repr)
def test_copies_from_files_answer_alike(estimator: Any, tmp_path: Path) -> None:
    y = targets(estimator)
    fitted = clone(estimator).fit(PATIENTS, y)
    joblib.dump(fitted, tmp_path / "machine.joblib")
    for copy in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "machine.joblib")):
        np.testing.assert_array_equal(copy.predict(PATIENTS), fitted.predict(PATIENTS))
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "solution_")
