# SPDX-License-Identifier: BSD-3-Clause
"""Linear machines beside those of LIBLINEAR."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse, random_array
from sklearn import svm
from sklearn.datasets import load_diabetes, load_iris

from formulations import OneVersusRest, SquaredHinge
from formulations.estimators import LinearSVC, LinearSVR, UncertifiedWarning
from qpkernels.errors import LabelError, ParameterError
from qpkernels.kernels import Linear
from qpkernels.problems import Status
from qpkernels.solvers.semismooth_newton.solver import SemismoothNewton
from together import together

IRIS, SPECIES = load_iris(return_X_y=True)
PATIENTS, PROGRESS = (part[:200] for part in load_diabetes(return_X_y=True))
TWO = IRIS[50:], SPECIES[50:]
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(IRIS))

CLASSIFIERS: list[dict[str, Any]] = [
    {},
    {"loss": "hinge", "intercept_scaling": 2.0},
    {"class_weight": "balanced"},
    {"class_weight": {1: 5.0}, "loss": "hinge"},
    {"fit_intercept": False},
    {"penalty": "l1", "class_weight": "balanced"},
    {"multi_class": "crammer_singer", "intercept_scaling": 3.0, "class_weight": {2: 0.5}},
]


@pytest.mark.parametrize("data", [TWO, (IRIS, SPECIES)], ids=["two", "three"])
@pytest.mark.parametrize("parameters", CLASSIFIERS, ids=str)
def test_classifiers_are_those_of_liblinear(parameters: dict[str, Any], data: Any) -> None:
    X, y = data
    ours, theirs = (
        kind(tol=1e-9, max_iter=50_000, random_state=0, **parameters).fit(X - X.mean(axis=0), y, WEIGHTS[: len(y)])
        for kind in (LinearSVC, svm.LinearSVC)
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.certificate_.holds(1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regressors_are_those_of_liblinear(loss: str, fit_intercept: bool) -> None:
    settings = {"loss": loss, "C": 10.0, "epsilon": 5.0, "fit_intercept": fit_intercept}
    ours = LinearSVR(tol=1e-9, **settings).fit(PATIENTS, PROGRESS, WEIGHTS[:100].repeat(2))
    theirs = svm.LinearSVR(tol=1e-9, max_iter=100_000, **settings).fit(PATIENTS, PROGRESS, WEIGHTS[:100].repeat(2))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-2)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.solution_.epsilon == 5.0
    assert ours.certificate_.holds(1e-9)


def test_the_l1_penalty_leaves_few_weights() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 20))
    fitted = LinearSVC("l1", C=0.1).fit(X, X[:, 3] + 0.1 * rng.normal(size=100) > 0)
    assert 3 in np.flatnonzero(fitted.coef_)
    assert (fitted.coef_ == 0).sum() > 10
    assert issparse(fitted.sparsify().coef_)


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_few_weights_of_many_features_are_proved_and_their_zeros_are_zeros(C: float) -> None:
    rng = np.random.default_rng(0)
    X = random_array((100, 500), density=0.05, rng=rng, format="csr")
    y = X[:, :20] @ rng.normal(size=20) > 0
    fitted = LinearSVC("l1", C=C).fit(X, y)
    theirs = svm.LinearSVC(penalty="l1", dual=False, C=C, tol=1e-8, max_iter=1_000_000, random_state=0)
    theirs.fit(X, y)
    assert fitted.certificate_.holds(1e-4)
    assert fitted.solution_.solver == "coordinate-descent"
    sharp = LinearSVC("l1", C=C, tol=1e-9).fit(X, y)
    assert np.count_nonzero(sharp.coef_) == np.count_nonzero(theirs.coef_)
    by_name = LinearSVC("l1", C=C, solver="clarabel", tol=1e-6).fit(X, y)
    assert by_name.solution_.solver == "clarabel"
    np.testing.assert_array_equal(by_name.coef_ != 0, sharp.coef_ != 0)


def test_a_warning_names_what_fails_and_explains_to_the_tolerance_asked() -> None:
    with pytest.warns(
        UncertifiedWarning, match=r"stopped after 2 passes.*does not hold to 0\.001: the .* is"
    ) as caught:
        fitted = LinearSVC("l1", max_iter=1, tol=1e-3).fit([[1.0, 0.3], [0.9, -2.0]], [0, 1])
    assert fitted.certificate_.explain() in str(caught[0].message)
    assert fitted.certificate_.explain() == fitted.certificate_.explain(1e-3)
    assert LinearSVC(tol=1e-2).fit(*TWO).certificate_.explain().find("This holds to 0.01") > 0


def test_sparse_samples_stay_sparse() -> None:
    X = np.where(IRIS > 2.0, IRIS, 0.0)
    for machine in (LinearSVC(tol=1e-8), LinearSVC("l1", tol=1e-8), LinearSVC(multi_class="crammer_singer", tol=1e-8)):
        dense = machine.fit(X, SPECIES).decision_function(X)
        np.testing.assert_allclose(machine.fit(csr_array(X), SPECIES).decision_function(csr_array(X)), dense, atol=1e-3)
    assert issparse(LinearSVC().fit(csr_array(X), SPECIES).model_.data.gram.X)


def test_many_samples_of_few_features_are_not_left_to_pair_steps() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=3000), [-0.5, 0.5])
    for machines in (
        LinearSVC().fit(X, y).solution_,
        OneVersusRest(X, y, Linear(), machine=SquaredHinge).solve(tol=1e-4, progress=False),
    ):
        assert {each.solver for each in machines.solutions} == {"semismooth-newton"}
        assert machines.status is Status.OPTIMAL


@together(
    "estimator, words",
    [
        (LinearSVC("l3"), "penalty must be 'l2' or 'l1', but 'l3' came"),
        (LinearSVC(loss="log"), "loss must be 'hinge' or 'squared_hinge', but 'log' came"),
        (LinearSVC(loss="hinge", dual=False), "Unsupported set of arguments: penalty='l2', loss='hinge', dual=False"),
        (LinearSVC("l1", dual=True), "Unsupported set of arguments.*'l1' with a squared loss and dual=False"),
        (LinearSVC("l1", "hinge"), "Unsupported set of arguments"),
        (LinearSVC(dual=2), "dual must be True, False or 'auto', but 2 came"),
        (LinearSVC(multi_class="ovo"), "multi_class must be 'ovr' or 'crammer_singer', but 'ovo' came"),
        (LinearSVC(max_iter=0), "max_iter must be"),
        (LinearSVC(intercept_scaling=0.0), "scaling must be"),
        (LinearSVC(C=0.0), "C must be"),
        (LinearSVR(epsilon=-1.0), "epsilon must be"),
        (LinearSVR(loss="epsilon_insensitive", dual=False), "Unsupported set of arguments"),
    ],
)
def test_refusals(estimator: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        estimator.fit(*TWO)


def test_a_class_whose_samples_all_weigh_nothing() -> None:
    words = "every class needs a sample with a weight above 0, but all of 1 have the weight 0"
    with pytest.raises(LabelError, match=re.escape(words)):
        LinearSVC().fit(IRIS, SPECIES, np.where(SPECIES == 1, 0.0, 1.0))


@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(loss="hinge"),
        LinearSVC(),
        LinearSVR(epsilon=0.1),
        LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1),
    ],
    ids=lambda each: f"{type(each).__name__}, {each.loss}",
)
def test_many_sparse_samples_go_to_coordinate_descent_by_themselves(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((1100, 1300), density=0.02, rng=rng))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    y = np.where(X @ rng.normal(size=1300) > 0.1, 1.0, -1.0)
    estimator.set_params(tol=1e-7).fit(X, y)
    assert (estimator.solution_.solver, estimator.fit_status_) == ("coordinate-descent", 0)
    peer = getattr(svm, type(estimator).__name__)(loss=estimator.loss, tol=1e-9, max_iter=10**5)
    peer.set_params(**({} if isinstance(estimator, LinearSVC) else {"epsilon": estimator.epsilon})).fit(X, y)
    np.testing.assert_allclose(estimator.coef_.ravel(), peer.coef_.ravel(), atol=2e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_many_samples_of_few_features_take_the_steps_of_an_array(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SemismoothNewton, "run", None)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 3))
    fitted = LinearSVC(loss=loss).fit(X, X[:, 0] + rng.normal(size=2500) > 0)
    assert (fitted.fit_status_, fitted.solution_.solver) == (0, "semismooth-newton")


def test_the_answer_of_two_classes_is_read_when_somebody_asks() -> None:
    fitted = LinearSVC().fit(*TWO)
    assert "solution_" not in vars(fitted)
    np.testing.assert_allclose(fitted.solution_.function.weights, [*fitted.coef_[0], fitted.intercept_[0]], atol=1e-12)


def test_each_of_several_classes_goes_there_by_itself() -> None:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((1100, 1300), density=0.02, rng=rng))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    machines = LinearSVC().fit(X, np.argmax(X @ rng.normal(size=(1300, 3)), axis=1))
    assert {each.solver for each in machines.solution_.solutions} == {"coordinate-descent"}
    assert machines.fit_status_ == 0
