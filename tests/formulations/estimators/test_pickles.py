# SPDX-License-Identifier: BSD-3-Clause
"""Pickles of estimators: they predict and show their proof, and nobody reads the training data out of them."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from scipy.sparse import csr_array
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError

import formulations.estimators as estimators
from formulations import audit, load
from formulations.estimators import (
    SVC,
    SVR,
    KernelRidge,
    LinearSVC,
    OneClassSVM,
    RankingSVM,
    RelevanceRegressor,
    SurvivalSVR,
)
from qpkernels import RBF, Spectrum
from qpkernels.errors import LeftBehindError, ParameterError, QPKernelsError
from statements import STATEMENTS

RNG = np.random.default_rng(21)
X = RNG.normal(size=(60, 3))
NEW = RNG.normal(size=(20, 3))
TARGETS = np.sin(2.0 * X[:, 0]) + 0.1 * RNG.normal(size=60)
ABSENT = np.arange(0, 60, 7)
"""Samples of weight 0, which support nothing."""


def products(left: Any, right: Any) -> np.ndarray:
    """Return a kernel as a function of two lists of samples."""
    return np.asarray(np.exp(np.asarray(left) @ np.asarray(right).T / 4.0))


def of_two(x: np.ndarray, z: np.ndarray) -> float:
    """Return a kernel as a function of two samples."""
    return float(np.exp(x @ z / 4.0))


def labels(classes: int) -> np.ndarray:
    return np.array(["ash", "birch", "cedar"])[np.digitize(TARGETS, [-0.3, 0.3][: classes - 1])]


REGISTRY = [
    getattr(estimators, name)
    for name in estimators.__all__
    if name != "UncertifiedWarning" and not name.endswith("SearchCV")
]
SETTINGS: dict[str, dict[str, Any]] = {
    "NuSVC": {"nu": 0.3},
    "RelevanceClassifier": {"gamma": 0.1, "tol": 0.1},
    "SVR": {"epsilon": 0.2},
    "SparseApproximation": {"epsilon": 0.2},
}
KERNELS: dict[str, Any] = {
    "by default": {},
    "linear": {"kernel": "linear"},
    "object": {"kernel": RBF(0.1)},
    "function": {"kernel": products},
    "precomputed": {"kernel": "precomputed"},
}


def cases() -> list[tuple[type, int, str]]:
    """Every estimator of the registry with each sort of kernel, and with three classes for two of them."""
    found = []
    for kind in REGISTRY:
        known = inspect.signature(kind).parameters
        for name, settings in KERNELS.items():
            of_kernels = kind.__name__.startswith(("Relevance", "Statement", "Ordinal", "Ranking", "Survival"))
            if settings.keys() <= known.keys() and not (of_kernels and name in ("function", "precomputed")):
                several = (2, 3) if name in ("by default", "precomputed") else (2,)
                found += [
                    (kind, classes, name)
                    for classes in (several if is_classifier(kind(**STATEMENTS.get(kind, {}))) else (0,))
                ]
    return found


def fit(kind: type, classes: int, kernel: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return an estimator that is fitted, what it takes of the new samples, and the numbers of its support vectors."""
    settings = SETTINGS.get(kind.__name__, {}) | STATEMENTS.get(kind, {}) | KERNELS[kernel]
    if kind is KernelRidge and kernel == "function":
        settings["kernel"] = of_two
    known = inspect.signature(kind).parameters
    if "probability" in known:
        settings |= {"probability": True, "random_state": 0}
    given, new = (products(X, X), products(NEW, X)) if kernel == "precomputed" else (X, NEW)
    weights = np.ones(60)
    said: dict[str, Any] = {}
    if "sample_weight" in inspect.signature(kind.fit).parameters:
        weights[ABSENT] = 0.0
        said = {"sample_weight": weights}
    elif kind is RankingSVM:  # a sample alone in its query is in no pair
        said = {"qid": np.where(np.isin(np.arange(60), ABSENT), np.arange(60), -1)}
    elif kind is SurvivalSVR:  # predictions beyond a censored time cost nothing
        said = {"event": np.arange(60) % 2 == 0}
    y = labels(classes) if classes else TARGETS
    fitted = kind(**settings).fit(given, y, **said)
    if hasattr(fitted, "support_"):
        support = fitted.support_
    elif hasattr(fitted, "relevance_"):
        support = fitted.relevance_
    elif hasattr(fitted, "predictor_"):
        support = np.flatnonzero((X[:, None] == fitted.predictor_.functions.centers).all(axis=2).any(axis=1))
    else:
        support = np.flatnonzero(weights) if kind is KernelRidge else np.arange(0)
    return fitted, new, np.asarray(support)


def answers(fitted: Any, new: np.ndarray) -> list[np.ndarray]:
    """Return all that an estimator says of new samples."""
    names = ("predict", "decision_function", "predict_proba", "score_samples")
    return [getattr(fitted, name)(new) for name in names if hasattr(fitted, name)]


def bytes_of(estimator: Any) -> bytes:
    """Return what joblib writes and what pickle writes, both."""
    file = io.BytesIO()
    joblib.dump(estimator, file)
    return file.getvalue() + b"".join(pickle.dumps(estimator, protocol) for protocol in (2, pickle.HIGHEST_PROTOCOL))


# The one linear NuSVC of these samples has a margin of 0, of which it warns.
@pytest.mark.filterwarnings("ignore:the margin is 0")
@pytest.mark.parametrize(("kind", "classes", "kernel"), cases(), ids=lambda each: getattr(each, "__name__", str(each)))
def test_no_training_sample_but_support_vectors_is_in_the_bytes(kind: type, classes: int, kernel: str) -> None:
    fitted, new, support = fit(kind, classes, kernel)
    others = np.setdiff1d(np.arange(60), support)
    expected = answers(fitted, new)
    content = bytes_of(fitted)
    # Every entry is another number, so that one alone would show.
    entries = X[others] if kernel != "precomputed" else products(X, X)[np.triu_indices(60, 1)]
    assert others.size >= 3
    for held in (entries, TARGETS if classes == 0 and kind is not OneClassSVM else np.zeros(0)):
        found = [value for value in np.ravel(held) if value.tobytes() in content]
        assert not found
    for again in (pickle.loads(pickle.dumps(fitted)), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(fitted))))):
        for one, other in zip(answers(again, new), expected, strict=True):
            if one.dtype.kind == "f":
                np.testing.assert_allclose(one, other, rtol=0.0 if kernel != "function" else 1e-12)
            else:
                np.testing.assert_array_equal(one, other)
        proof = "stationarity_" if kind.__name__.startswith("Relevance") else "certificate_"
        assert str(getattr(again, proof)) == str(getattr(fitted, proof))
        for lost in ("solution_", "model_"):
            with pytest.raises(LeftBehindError, match=rf"no {lost}: .* Fit it again, or keep .*pickle\.dumps\(.*save"):
                getattr(again, lost)
            assert not hasattr(again, lost)
    if hasattr(fitted, "support_vectors_"):
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).support_vectors_, fitted.support_vectors_)


@pytest.mark.parametrize("kind", [SVR, OneClassSVM, SVC, KernelRidge], ids=lambda kind: str(kind.__name__))
def test_sparse_samples_are_as_little_in_the_bytes(kind: type) -> None:
    settings = SETTINGS.get(kind.__name__, {})
    weights = np.where(np.isin(np.arange(60), ABSENT), 0.0, 1.0)
    y = labels(2) if kind is SVC else TARGETS
    fitted: Any = kind(**settings, kernel="rbf").fit(csr_array(X), y, sample_weight=weights)
    support = np.flatnonzero(weights) if kind is KernelRidge else fitted.support_
    content = bytes_of(fitted)
    assert not [value for value in X[np.setdiff1d(np.arange(60), support)].ravel() if value.tobytes() in content]
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(csr_array(NEW)), fitted.predict(csr_array(NEW)))


def test_a_rank_holds_its_landmarks_and_no_other_sample() -> None:
    fitted = SVR(kernel=RBF(0.5), rank=5, epsilon=0.2).fit(X, TARGETS)
    content = bytes_of(fitted)
    there = [row for row in range(60) if all(value.tobytes() in content for value in X[row])]
    assert len(np.setdiff1d(there, fitted.support_)) <= 5
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(NEW), fitted.predict(NEW))


@pytest.mark.parametrize(
    "kernel", ["rbf", RBF(0.5), products, "precomputed"], ids=["name", "own", "function", "matrix"]
)
def test_a_machine_without_support_vectors_holds_no_sample(kernel: Any) -> None:
    given, new = (products(X, X), products(NEW, X)) if kernel == "precomputed" else (X, NEW)
    fitted = SVR(epsilon=10.0, kernel=kernel).fit(given, TARGETS)
    assert fitted.support_.size == 0
    np.testing.assert_array_equal(fitted.predict(new), np.full(20, fitted.intercept_[0]))
    content = bytes_of(fitted)
    assert not [value for value in given.ravel() if value.tobytes() in content]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(new), fitted.predict(new))
    if kernel == "rbf":
        with pytest.raises(ValueError, match="2 features"):
            fitted.predict(NEW[:, :2])
        flat = RelevanceRegressor(noise=1e6).fit(X, np.zeros(60))
        assert flat.relevance_.size == 0
        assert not [value for value in X.ravel() if value.tobytes() in bytes_of(flat)]
        mean, deviation = pickle.loads(pickle.dumps(flat)).predict(NEW, return_std=True)
        np.testing.assert_array_equal(np.array([mean, deviation]), flat.predict(NEW, return_std=True))


def test_texts_that_support_nothing_are_not_in_the_bytes() -> None:
    words = ["".join(RNG.choice(list(letters), 8)) for letters in ["bcde"] * 15 + ["abfg"] * 15]
    weights = np.where(np.arange(30) % 5 == 0, 0.0, 1.0)
    fitted = SVC(kernel=Spectrum(2)).fit(words, np.repeat([0, 1], 15), sample_weight=weights)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(words), fitted.decision_function(words))
    assert len(again.support_vectors_) == fitted.support_.size < 30


def test_kernel_values_of_a_ridge_are_lost_and_samples_without_a_weight() -> None:
    by_values = pickle.loads(pickle.dumps(KernelRidge(kernel="precomputed").fit(products(X, X), TARGETS)))
    with pytest.raises(LeftBehindError, match="no X_fit_"):
        _ = by_values.X_fit_
    weights = np.where(np.isin(np.arange(60), ABSENT), 0.0, 1.0)
    fitted = KernelRidge(kernel="rbf", gamma=0.5).fit(X, TARGETS, weights)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.X_fit_, X[weights > 0])
    np.testing.assert_allclose(RBF(0.5)(NEW, again.X_fit_) @ again.dual_coef_, fitted.predict(NEW), rtol=1e-10)
    assert len(fitted.X_fit_) == len(fitted.dual_coef_) == 60


def by_rank(left: Any, right: Any) -> np.ndarray:
    """Return what is no kernel: the value of a pair depends on how many there are."""
    return products(left, right) / len(right)


def test_a_function_that_needs_all_samples_is_copied_and_not_pickled() -> None:
    fitted = SVC(kernel=by_rank).fit(X, labels(2))
    with pytest.raises(ParameterError, match="gives other values with them alone; let the value of a pair depend"):
        pickle.dumps(fitted)
    np.testing.assert_array_equal(copy.deepcopy(fitted).predict(NEW), fitted.predict(NEW))


TWINS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "SVC": (SVC(), sklearn.svm.SVC),
    "SVR": (SVR(epsilon=0.2), lambda: sklearn.svm.SVR(epsilon=0.2)),
    "OneClassSVM": (OneClassSVM(nu=0.2), lambda: sklearn.svm.OneClassSVM(nu=0.2)),
    "LinearSVC": (LinearSVC(), sklearn.svm.LinearSVC),
    "KernelRidge": (KernelRidge(kernel="rbf"), lambda: sklearn.kernel_ridge.KernelRidge(kernel="rbf")),
}


@pytest.mark.parametrize("name", TWINS)
def test_pickles_are_as_small_as_those_of_scikit_learn(name: str) -> None:
    ours, theirs = TWINS[name]
    samples = np.random.default_rng(1).normal(size=(400, 5))
    y = samples[:, 0] > 0 if "SVC" in name else samples[:, 0]
    fitted = copy.copy(ours).fit(samples, y)
    fitted.predict(samples)
    # Coefficients are there twice, as an attribute and in the function; 2 kB are parameters, certificate and words.
    assert len(pickle.dumps(fitted)) < 1.25 * len(pickle.dumps(theirs().fit(samples, y))) + 2000


def test_copies_within_the_process_have_everything() -> None:
    fitted = SVC().fit(X, labels(2))
    for made in (copy.copy(fitted), copy.deepcopy(fitted)):
        assert made.solution_.status == fitted.solution_.status
        assert made.certificate_.holds(1e-3)
        np.testing.assert_array_equal(made.predict(NEW), fitted.predict(NEW))
    deep = copy.deepcopy(fitted)
    deep.dual_coef_[:] = 0.0
    assert fitted.dual_coef_.any()


def test_what_is_kept_as_the_message_says_predicts(tmp_path: Any) -> None:
    fitted = SVC().fit(X, labels(2))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted.solution_)).predict(NEW), fitted.predict(NEW))
    np.testing.assert_array_equal(load(fitted.solution_.save(tmp_path / "machine")).predict(NEW), fitted.predict(NEW))


def test_fitted_again_it_has_an_answer_again_and_unfitted_it_says_so() -> None:
    again = pickle.loads(pickle.dumps(SVC().fit(X, labels(2))))
    assert again.fit(X, labels(3)).solution_.status == "optimal"
    blank = pickle.loads(pickle.dumps(SVC()))
    for name in ("solution_", "model_", "certificate_"):
        with pytest.raises(NotFittedError):
            getattr(blank, name)
    with pytest.raises(NotFittedError):
        blank.predict(NEW)
    with pytest.raises(AttributeError, match="no attribute 'solutoin_'"):
        _ = blank.solutoin_
    assert issubclass(LeftBehindError, QPKernelsError)


def test_an_audit_of_one_out_of_a_pickle_reads_its_coefficients() -> None:
    for fitted, y in ((SVC(C=2.0).fit(X, labels(3)), labels(3)), (SVR(epsilon=0.2).fit(X, TARGETS), TARGETS)):
        assert audit(pickle.loads(pickle.dumps(fitted)), X, y).status == "optimal"
    low = pickle.loads(pickle.dumps(SVR(rank=5).fit(X, TARGETS)))
    with pytest.raises(LeftBehindError, match="no model_"):
        audit(low, X, TARGETS)
