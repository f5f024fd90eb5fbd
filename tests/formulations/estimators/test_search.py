# SPDX-License-Identifier: BSD-3-Clause
"""Searches whose fits share: what scikit-learn's own find with the same estimators, and what it says of bad input."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import loguniform
from sklearn import config_context, svm
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.metrics import accuracy_score, make_scorer, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, RandomizedSearchCV, ShuffleSplit
from sklearn.model_selection._search_successive_halving import HalvingGridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from formulations.estimators import (
    LSSVC,
    LSSVR,
    SVC,
    SVR,
    HuberSVR,
    KernelHalvingSearchCV,
    KernelLogisticRegression,
    KernelRandomizedSearchCV,
    KernelRidge,
    KernelSearchCV,
    LinearSVC,
    NuSVC,
    NuSVR,
    OneClassSVM,
    QuantileSVR,
    SquaredHingeSVC,
    UncertifiedWarning,
    shared_fits,
)
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF, Laplacian

RNG = np.random.default_rng(0)
IRIS, SPECIES = load_iris(return_X_y=True)
ORDER = RNG.permutation(len(IRIS))
THREE = IRIS[ORDER], np.array(["setosa", "versicolor", "virginica"])[SPECIES[ORDER]]
CENTRED = IRIS - IRIS.mean(axis=0)
TWO = IRIS[50:], SPECIES[50:]
PATIENTS, PROGRESS = (part[:90] for part in load_diabetes(return_X_y=True))
REAL = PATIENTS, PROGRESS / 100.0
GRID = {"C": [10.0, 0.1, 1.0], "gamma": [0.05, 0.5]}
EXACT = 1e-9


def by_samples(estimator: Any, X: Any, y: Any) -> Mapping[str, float]:
    """Two scores, the second of which looks at what was fitted."""
    return {"right": float((estimator.predict(X) == y).mean()), "support": float(len(estimator.support_))}


def third(found: Mapping[str, Any]) -> int:
    return len(found["params"]) // len(found["params"]) + 1


def in_pipeline(estimator: Any, X: Any, y: Any) -> float:
    return float((estimator.predict(X) == y).mean()) + estimator[0].mean_[0]


CASES: dict[str, tuple[Any, Any, tuple[Any, Any], dict[str, Any], dict[str, Any]]] = {
    "two classes": (SVC(tol=EXACT), GRID, TWO, {}, {}),
    "three classes": (SVC(tol=EXACT), GRID, THREE, {"return_train_score": True}, {}),
    "gamma of the data": (SVC(tol=EXACT), {"C": [1.0, 5.0], "gamma": ["scale", "auto", 0.1]}, THREE, {}, {}),
    "class weights": (SVC(tol=EXACT), {**GRID, "class_weight": [None, "balanced", {1: 3.0}]}, TWO, {}, {}),
    "ties": (SVC(tol=EXACT, break_ties=True), GRID, THREE, {}, {}),
    "several kernels": (SVC(tol=EXACT), {"kernel": ["linear", "poly"], "degree": [2], "C": [0.1, 1.0]}, THREE, {}, {}),
    "kernel objects": (SVC(kernel=RBF(1.0), tol=EXACT), {"kernel__gamma": [0.1, 1.0], "C": [1.0, 2.0]}, THREE, {}, {}),
    "kernels in the list": (SVC(tol=EXACT), {"kernel": [RBF(0.2), Laplacian(0.5)]}, TWO, {}, {}),
    "a list of grids": (SVC(tol=EXACT), [GRID, {"kernel": ["linear"], "C": [1.0]}], TWO, {}, {}),
    "weights": (SVC(tol=EXACT), GRID, TWO, {}, {"sample_weight": RNG.uniform(0.5, 2.0, 100)}),
    "weights of 0": (SVC(tol=EXACT), GRID, THREE, {}, {"sample_weight": RNG.integers(0, 3, 150)}),
    "groups": (SVC(tol=EXACT), GRID, TWO, {"cv": LeaveOneGroupOut()}, {"groups": np.arange(100) % 4}),
    "repeated splits": (SVC(tol=EXACT), GRID, TWO, {"cv": ShuffleSplit(3, random_state=0)}, {}),
    "splits that overlap": (
        SVC(tol=EXACT),
        GRID,
        TWO,
        {"cv": [(np.r_[0:30, 50:80, 0:5], np.r_[0:60]), (np.arange(100) % 3 > 0, np.arange(100) % 2 > 0)]},
        {},
    ),
    "a score": (SVC(tol=EXACT), GRID, TWO, {"scoring": "roc_auc"}, {}),
    "a score of a function": (SVC(tol=EXACT), GRID, TWO, {"scoring": make_scorer(accuracy_score)}, {}),
    "several scores": (SVC(tol=EXACT), GRID, THREE, {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro"}, {}),
    "scores by a function": (SVC(tol=EXACT), GRID, TWO, {"scoring": by_samples, "refit": "right"}, {}),
    "the choice by a function": (SVC(tol=EXACT), GRID, TWO, {"refit": third}, {}),
    "no refit": (SVC(tol=EXACT), GRID, TWO, {"refit": False}, {}),
    "sparse samples": (SVC(tol=EXACT), GRID, (csr_array(TWO[0]), TWO[1]), {}, {}),
    "kernel values": (SVC(kernel="precomputed", tol=1e-7), {"C": [0.1, 1.0]}, (CENTRED @ CENTRED.T, SPECIES), {}, {}),
    "a data frame": (SVC(tol=EXACT), GRID, (pd.DataFrame(TWO[0], columns=list("abcd")), pd.Series(TWO[1])), {}, {}),
    "another tolerance": (SVC(), {"tol": [1e-8, 1e-9], "C": [1.0]}, TWO, {}, {}),
    "a solver": (SVC(tol=1e-7), {"solver": [None, "interior-point"], "C": [1.0]}, TWO, {}, {}),
    "nu": (NuSVC(tol=EXACT), {"nu": [0.2, 0.4]}, THREE, {}, {}),
    "squared hinge": (SquaredHingeSVC(tol=EXACT), GRID, THREE, {}, {}),
    "least squares": (LSSVC(tol=EXACT), GRID, THREE, {}, {}),
    "log loss": (KernelLogisticRegression(tol=EXACT), {"C": [0.1, 1.0]}, THREE, {"scoring": "neg_log_loss"}, {}),
    "tube": (SVR(tol=EXACT), {"C": [1.0, 10.0], "epsilon": [0.1, 0.5], "gamma": [0.1, 1.0]}, REAL, {}, {}),
    "tube of nu": (NuSVR(tol=1e-8), {"C": [1.0, 10.0], "nu": [0.3]}, REAL, {}, {}),
    "Huber": (HuberSVR(tol=EXACT), {"C": [1.0, 10.0]}, REAL, {"return_train_score": True}, {}),
    "quantile": (
        QuantileSVR(tol=EXACT, quantile=0.8),
        {"C": [1.0, 10.0]},
        REAL,
        {"scoring": make_scorer(mean_pinball_loss, alpha=0.8, greater_is_better=False)},
        {},
    ),
    "real least squares": (
        LSSVR(tol=EXACT),
        {"C": [1.0, 10.0]},
        REAL,
        {"scoring": ["r2", "neg_max_error"], "refit": "r2"},
        {},
    ),
    "one class": (OneClassSVM(tol=EXACT), {"nu": [0.1, 0.3]}, (TWO[0], np.ones(100)), {"scoring": "accuracy"}, {}),
    "probabilities": (
        SVC(probability=True, random_state=0, tol=EXACT),
        {"C": [1.0]},
        TWO,
        {"scoring": "neg_log_loss"},
        {},
    ),
    "linear": (LinearSVC(tol=EXACT), {"C": [0.1, 1.0]}, THREE, {}, {}),
    "ridge": (KernelRidge(kernel="rbf"), {"alpha": [0.1, 1.0]}, REAL, {}, {}),
    "an estimator of others": (svm.SVC(), GRID, TWO, {}, {}),
    "one inside of another": (TransformedTargetRegressor(SVR(tol=EXACT)), {"regressor__C": [1.0, 9.0]}, REAL, {}, {}),
    "a pipeline": (
        make_pipeline(StandardScaler(), PCA(), SVC(tol=EXACT)),
        {"pca__n_components": [2, 3], "svc__C": [0.1, 1.0, 9.0], "svc__gamma": ["scale", 0.2]},
        THREE,
        {"return_train_score": True},
        {},
    ),
    "steps to choose from": (
        make_pipeline(StandardScaler(), SVC(tol=EXACT)),
        {"standardscaler": [StandardScaler(), MinMaxScaler(), "passthrough"], "svc__C": [0.5, 1.0]},
        TWO,
        {},
        {},
    ),
    "machines to choose from": (
        make_pipeline(StandardScaler(), SVC()),
        {"svc": [SVC(tol=EXACT), NuSVC(tol=EXACT), svm.SVC(tol=1e-6)], "standardscaler__with_mean": [True, False]},
        TWO,
        {},
        {},
    ),
    "weights in a pipeline": (
        make_pipeline(StandardScaler(), SVC(tol=EXACT)),
        {"svc__C": [0.1, 1.0]},
        TWO,
        {},
        {"svc__sample_weight": RNG.uniform(0.5, 2.0, 100)},
    ),
    "a function of a pipeline": (
        make_pipeline(StandardScaler(), SVC(tol=EXACT)),
        {"svc__C": [0.1, 1.0]},
        TWO,
        {"scoring": in_pipeline, "return_train_score": True},
        {},
    ),
    "one step": (make_pipeline(SVC(tol=EXACT)), {"svc__C": [0.1, 1.0]}, TWO, {}, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_it_finds_what_scikit_learn_finds(case: str) -> None:
    estimator, grid, (X, y), settings, params = CASES[case]
    settings = {"cv": 3, **settings}
    with warnings.catch_warnings():
        # The score of a weighted fit, of one that takes no weights.
        warnings.simplefilter("ignore", FutureWarning)
        ours = KernelSearchCV(clone(estimator), grid, **settings).fit(X, y, **params)
        theirs = GridSearchCV(clone(estimator), grid, **settings).fit(X, y, **params)
    for name, column in theirs.cv_results_.items():
        if name.startswith(("mean_fit", "std_fit", "mean_score_t", "std_score_t")):
            assert (ours.cv_results_[name] >= 0).all()
        elif name == "params":
            assert [str(each) for each in ours.cv_results_[name]] == [str(each) for each in column]
        elif not name.startswith("param_"):
            np.testing.assert_allclose(ours.cv_results_[name], column, rtol=1e-4, atol=1e-9, err_msg=name)
    for name in ("best_index_", "n_splits_", "multimetric_"):
        assert getattr(ours, name, None) == getattr(theirs, name, None)
    assert str(getattr(ours, "best_params_", None)) == str(getattr(theirs, "best_params_", None))
    assert hasattr(ours, "best_score_") == hasattr(theirs, "best_score_")
    if settings.get("refit") is not False:
        mine, others = ours.predict(X), theirs.predict(X)
        assert (mine == others).all() or np.allclose(mine.astype(float), others.astype(float), rtol=1e-4)
        assert ours.refit_time_ >= 0
    if not case.startswith(("an estimator", "one inside", "machines")):
        assert ours.cv_results_["proved"].all()
        assert (ours.cv_results_["max_relative_gap"] <= 1e-6).all()
        assert ours.cv_results_["split1_relative_gap"].shape == (len(theirs.cv_results_["params"]),)


def test_steps_are_fitted_once_for_each_split_and_setting_of_theirs() -> None:
    fitted: list[int] = []

    class Counted(StandardScaler):  # type: ignore[misc]
        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
            fitted.append(len(X))
            return super().fit(X, y, sample_weight)

    grid = {"counted__with_std": [True, False], "svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.1, 1.0]}
    pipeline = Pipeline([("counted", Counted()), ("svc", SVC())])
    KernelSearchCV(pipeline, grid, cv=4, refit=False).fit(*TWO)
    assert len(fitted) == 4 * 2


def test_fits_of_one_kernel_share_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    gram = shared_fits.Gram
    monkeypatch.setattr(shared_fits, "Gram", lambda *given: made.append(given) or gram(*given))
    KernelSearchCV(SVC(), {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}, cv=4, refit=False).fit(*THREE)
    assert len(made) == 2


# scikit-learn looks at infinite labels by casting them.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@pytest.mark.parametrize(
    "kind", [KernelSearchCV, KernelRandomizedSearchCV, KernelHalvingSearchCV], ids=lambda k: k.__name__
)
def test_the_checks_of_scikit_learn(kind: Any) -> None:
    search = kind(SVC(), {"C": [0.1, 1.0]}, cv=2, error_score="raise")
    if kind is not KernelSearchCV:
        search.set_params(random_state=0, **({"n_iter": 2} if kind is KernelRandomizedSearchCV else {}))
    expected = {
        "check_sample_weight_equivalence_on_dense_data": "answers are compared to 1e-7, and are asked for to 1e-3",
        "check_sample_weight_equivalence_on_sparse_data": "answers are compared to 1e-7, and are asked for to 1e-3",
        "check_classifiers_one_label_sample_weights": "a search around an SVC of scikit-learn's own fails it as well",
    }
    if kind is KernelHalvingSearchCV:
        expected["check_fit2d_1sample"] = "scikit-learn's own says that there are too few resources"
    assert len(check_estimator(search, expected_failed_checks=expected, on_skip=None)) > 40


def test_draws_are_those_of_scikit_learn() -> None:
    drawn = {"C": loguniform(0.1, 100.0), "gamma": [0.05, 0.5]}
    settings = {"n_iter": 6, "cv": 3, "random_state": 0}
    ours = KernelRandomizedSearchCV(SVC(tol=EXACT), drawn, **settings).fit(*THREE)
    theirs = RandomizedSearchCV(SVC(tol=EXACT), drawn, **settings).fit(*THREE)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert ours.best_params_ == theirs.best_params_


def test_halving_is_that_of_scikit_learn() -> None:
    settings = {"cv": 3, "random_state": 0, "min_resources": 30, "factor": 2}
    ours = KernelHalvingSearchCV(SVC(tol=EXACT), GRID, **settings).fit(*THREE)
    theirs = HalvingGridSearchCV(SVC(tol=EXACT), GRID, **settings).fit(*THREE)
    assert ours.n_resources_ == theirs.n_resources_
    assert ours.n_candidates_ == theirs.n_candidates_
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert (ours.best_params_, ours.best_score_) == (theirs.best_params_, pytest.approx(theirs.best_score_))
    assert ours.cv_results_["proved"].all()


def test_metadata_are_routed() -> None:
    weights = RNG.uniform(0.5, 2.0, 100)
    with config_context(enable_metadata_routing=True):
        machine = SVC(tol=EXACT).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        for estimator, name in (
            (machine, "C"),
            (make_pipeline(StandardScaler().set_fit_request(sample_weight=False), machine), "svc__C"),
        ):
            found = [
                search(clone(estimator), {name: [0.1, 1.0]}, cv=GroupKFold(3)).fit(
                    *TWO, sample_weight=weights, groups=np.arange(100) % 7
                )
                for search in (KernelSearchCV, GridSearchCV)
            ]
            ours, theirs = (search.cv_results_["mean_test_score"] for search in found)
            np.testing.assert_allclose(ours, theirs)


def test_what_was_found_can_be_copied_and_kept() -> None:
    search = KernelSearchCV(SVC(), GRID, cv=3, n_jobs=2).fit(*THREE)
    assert clone(search).get_params()["estimator__C"] == 1.0
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(THREE[0]), search.predict(THREE[0]))
    assert again.cv_results_["proved"].all()
    assert search.score(*THREE) == (search.predict(THREE[0]) == THREE[1]).mean()
    assert search.best_estimator_.certificate_.holds(1e-3)
    with pytest.raises(NotFittedError):
        KernelSearchCV(SVC(), GRID).predict(THREE[0])


@pytest.mark.parametrize("settings", [{}, {"return_train_score": True}, {"scoring": ["accuracy", "f1"]}], ids=str)
@pytest.mark.parametrize("verbose", [0, 1, 2, 3])
def test_it_tells_what_scikit_learn_prints(
    verbose: int, settings: dict[str, Any], capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "qpkernels")
    settings = {"cv": 3, "verbose": verbose, "refit": False, **settings}
    for search in (KernelSearchCV, GridSearchCV):
        search(SVC(tol=EXACT), {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, **settings).fit(*TWO)
    printed = capsys.readouterr().out.splitlines()
    theirs, ours = (sorted(line.partition("total time")[0] for line in lines) for lines in (printed, caplog.messages))
    assert len(ours) == (0, 1, 13, 13)[verbose]
    assert ours == theirs


def search_of(grid: Any = None, estimator: Any = None, **settings: Any) -> KernelSearchCV:
    return KernelSearchCV(SVC() if estimator is None else estimator, {"C": [1.0]} if grid is None else grid, **settings)


BAD: dict[str, tuple[KernelSearchCV, Any, type[Exception], str]] = {
    "a value out of range": (search_of({"C": [1.0, -1.0]}, error_score="raise"), TWO, ParameterError, "above 0"),
    "no value in range": (search_of({"C": [-1.0]}), TWO, ValueError, "(?s)All the 5 fits failed.*above 0"),
    "no such parameter": (search_of({"D": [1.0]}), TWO, ValueError, "Invalid parameter 'D'"),
    "no values": (search_of({"C": []}), TWO, ValueError, "(?i)non-empty"),
    "no splits": (search_of(cv=[]), TWO, ValueError, "No fits were performed"),
    "a splitter that promises more": (
        search_of(cv=type("Promising", (), {"split": lambda *_, **__: iter(()), "get_n_splits": lambda *_, **__: 2})()),
        TWO,
        ValueError,
        "inconsistent results. Expected 2 splits, got 0",
    ),
    "splits without a class": (
        search_of(cv=[(np.arange(50), np.arange(50, 100))]),
        TWO,
        ValueError,
        "greater than one",
    ),
    "more splits than samples of a class": (
        search_of(),
        (TWO[0][:6], np.r_[0, 0, 0, 1, 1, 1]),
        ValueError,
        "n_splits=5",
    ),
    "no such score": (search_of(scoring="correct"), TWO, ValueError, "scoring"),
    "a score that needs probabilities": (
        search_of(scoring="neg_log_loss", error_score="raise"),
        TWO,
        AttributeError,
        "predict_proba",
    ),
    "several scores, one of which needs them": (
        search_of(scoring=["accuracy", "neg_log_loss"], refit="accuracy"),
        TWO,
        AttributeError,
        "predict_proba",
    ),
    "several scores and no choice": (search_of(scoring=["accuracy", "f1"]), TWO, ValueError, "refit"),
    "a score that is none": (search_of(scoring=lambda *_: "good"), TWO, ValueError, "must return a number"),
    "a choice that is none": (search_of(refit=lambda _: 7), TWO, IndexError, "out of range"),
    "an error_score that is none": (search_of(error_score="rise"), TWO, ValueError, "error_score"),
    "labels that are none": (
        search_of(error_score="raise"),
        (TWO[0], TWO[0][:, 0]),
        ValueError,
        "(?i)unknown label type|continuous",
    ),
    "samples that are not finite": (search_of(), (np.full((10, 2), np.nan), np.arange(10) % 2), ValueError, "NaN"),
    "sizes that differ": (search_of(), (TWO[0], TWO[1][:-1]), ValueError, "inconsistent numbers"),
    "what fit does not take": (search_of(), TWO, TypeError, "unexpected keyword argument"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused(case: str) -> None:
    search, data, kind, words = BAD[case]
    params = {"flavour": 1} if case == "what fit does not take" else {}
    if params:
        search.set_params(error_score="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(kind, match=words):
            search.fit(*data, **params)


@pytest.mark.parametrize("score", [np.nan, 0.25])
def test_a_fit_without_an_answer_has_the_score_for_errors(score: float) -> None:
    splits = [(np.arange(50), np.arange(50, 100)), (np.arange(0, 100, 2), np.arange(1, 100, 2))]
    search = search_of({"C": [1.0, -1.0]}, cv=splits, error_score=score, return_train_score=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(*TWO)
    assert any(
        issubclass(each.category, FitFailedWarning) and "3 fits failed out of a total of 4" in str(each.message)
        for each in caught
    )
    found = search.cv_results_
    np.testing.assert_array_equal(found["split0_test_score"], [score, score])
    np.testing.assert_array_equal(found["split0_train_score"], [score, score])
    assert found["split1_test_score"][0] >= 0.9
    np.testing.assert_array_equal(found["split1_test_score"][1], score)
    np.testing.assert_array_equal(found["proved"], [False, False])
    np.testing.assert_array_equal(np.isnan(found["split1_relative_gap"]), [False, True])


def test_a_score_that_fails_is_that_for_errors() -> None:
    failed = pytest.warns(UserWarning, match="(?s)Scoring failed.*predict_proba")
    with failed, pytest.warns(UserWarning, match="non-finite"):
        search = search_of(scoring="neg_log_loss", refit=False).fit(*TWO)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()


def test_fits_that_are_not_proved_are_told_of_or_fail() -> None:
    hasty = SVC(max_iter=2)
    with pytest.warns(UncertifiedWarning, match="3 of 3 fits are not proved") as caught:
        search = search_of(estimator=hasty, cv=3, refit=False).fit(*TWO)
    assert caught[0].filename == __file__
    assert not search.cv_results_["proved"].any()
    assert search.cv_results_["max_relative_gap"][0] > 1e-3
    with pytest.raises(ValueError, match=r"(?s)All the 3 fits failed.*SolverFailedError"):
        search_of(estimator=SVC(max_iter=2, strict=True), cv=3).fit(*TWO)


def test_samples_that_are_wrong_in_one_split_fail_there_alone() -> None:
    X = TWO[0].copy()
    X[0, 0] = np.nan
    splits = [(np.arange(1, 100, 2), np.arange(51, 100, 2)), (np.arange(100), np.arange(51, 100, 2))]
    with (
        pytest.warns(FitFailedWarning, match="(?s)1 fits failed out of a total of 2.*NaN"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        search = search_of(cv=splits, refit=False).fit(X, TWO[1])
    assert np.isfinite(search.cv_results_["split0_test_score"]).all()


def test_a_class_of_one_sample_is_machine_like_any_other() -> None:
    y = np.r_[0, np.ones(49, int), np.full(50, 2)]
    search = search_of({"C": [0.1, 1.0]}, cv=[(np.arange(100), np.arange(0, 100, 3))]).fit(TWO[0], y)
    assert search.cv_results_["proved"].all()
    np.testing.assert_array_equal(search.classes_, [0, 1, 2])
