# SPDX-License-Identifier: BSD-3-Clause
"""The answers and errors of estimators, in the labels and parameters of who fitted them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from formulations import SoftMargin, load
from formulations.estimators import (
    LSSVR,
    SVC,
    SVR,
    KernelLogisticRegression,
    KernelRidge,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneClassSVM,
    QuantileSVR,
    RelevanceClassifier,
    RelevanceRegressor,
    SquaredHingeSVC,
)
from qpkernels import Linear
from qpkernels.errors import InfeasibleError, LabelError, NonFiniteError, OneClassError, ParameterError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 2))
NOISY = X[:, 0] + 0.5 * RNG.normal(size=60)
TWO = np.where(NOISY > 0, "dog", "cat")
THREE = np.select([NOISY < -0.4, NOISY < 0.4], ["ant", "bee"], "cow")


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("estimator", [SVC(tol=1e-6), NuSVC(nu=0.3, tol=1e-6)], ids=["SVC", "NuSVC"])
def test_a_saved_answer_has_the_probabilities_of_its_estimator(estimator: Any, y: np.ndarray, tmp_path: Path) -> None:
    fitted = estimator.set_params(probability=True, random_state=0).fit(X, y)
    for machine in (fitted.solution_, load(fitted.solution_.save(tmp_path / "machine"))):
        np.testing.assert_allclose(machine.predict_proba(X), fitted.predict_proba(X), rtol=1e-10)
        assert set(machine.predict(X)) == set(y)
    # Of two classes both go by the decision value, and not by the probability.
    if len(set(y)) == 2:
        np.testing.assert_array_equal(machine.predict(X), fitted.predict(X))
    assert {tuple(each.classes) for each in fitted.calibrations_} <= {
        (a, b) for a in fitted.classes_ for b in fitted.classes_ if a < b
    }


def test_what_is_set_after_a_fit_is_none_of_its_answer() -> None:
    fitted, changed = SVC(C=0.1).fit(X, TWO), SVC(C=0.1).fit(X, TWO)
    changed.model_.set_params(C=100.0)
    assert fitted.solution_.support.bounded.size
    np.testing.assert_array_equal(changed.solution_.support.bounded, fitted.solution_.support.bounded)


@pytest.mark.parametrize("estimator", [SVC(), RelevanceClassifier()], ids=lambda each: type(each).__name__)
def test_the_answer_of_an_estimator_predicts_its_labels(estimator: Any) -> None:
    fitted = estimator.fit(X, TWO)
    np.testing.assert_array_equal(fitted.solution_.predict(X), fitted.predict(X))
    assert "of 'cat' and" in str(fitted.model_)


def test_the_answer_of_several_linear_machines_predicts_their_labels() -> None:
    # The intercept is the weight of a further feature.
    fitted, wider = LinearSVC(class_weight={"ant": 2.0}).fit(X, THREE), np.column_stack([X, np.ones(60)])
    np.testing.assert_array_equal(fitted.solution_.predict(wider), fitted.predict(X))
    assert str(fitted.solution_).startswith("OneVersusRest\n")
    assert "of 'cat' and" in str(LinearSVC().fit(X, TWO).model_)


@pytest.mark.parametrize("y", [["cat"] * 59 + ["dog"], ["cat"] * 30 + ["dog"] + ["emu"] * 29])
def test_a_class_of_one_sample_has_no_probabilities(y: list[str]) -> None:
    with pytest.raises(LabelError, match="each class, but there is one of 'dog'; set probability=False"):
        SVC(probability=True).fit(X, y)


@pytest.mark.parametrize(("label", "words"), [(1.0, "1"), (2, "2"), ("cat", "'cat'")])
def test_a_label_is_named_as_it_is_written(label: Any, words: str) -> None:
    with pytest.raises(OneClassError, match=rf"is of {words}\.$"):
        SVC().fit(X, [label] * 60)
    with pytest.raises(OneClassError, match=rf"every label is {words};"):
        SoftMargin(X, [label] * 60)


@pytest.mark.parametrize("quantile", [0.0, 1.0, 3, -0.5, "half", np.nan])
def test_a_quantile_goes_by_its_own_name(quantile: Any) -> None:
    with pytest.raises(ParameterError, match="quantile must be a number between 0 and 1"):
        QuantileSVR(quantile=quantile).fit(X, NOISY)


def test_a_penalty_of_0_is_not_advised_to_take_the_same_machine() -> None:
    twice = np.concatenate([X, X])
    with pytest.raises(InfeasibleError, match=r"meets every target: .* use a ridge above 0 \(KernelRidge\)") as caught:
        KernelRidge(alpha=0).fit(twice, np.arange(120.0))
    assert "raise the ridge above 0" in str(caught.value)


SCALES = {"near": (1.0, 0.0), "far": (1.0, 1e8), "large": (1e8, 0.0), "large and far": (1e8, 1e8)}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "estimator",
    [
        SVC(kernel="linear"),
        NuSVC(nu=0.8, kernel="linear"),
        SVR(kernel="linear"),
        KernelLogisticRegression(kernel="linear"),
        KernelRidge(kernel="linear", tol=1e-3),
        LinearSVC(),
        SVC(kernel="poly", degree=2, coef0=1.0),
        SVC(),
    ],
    ids=lambda each: f"{type(each).__name__} {getattr(each, 'kernel', 'linear')}",
)
def test_what_predicts_is_what_is_proved(estimator: Any, scale: str) -> None:
    factor, offset = SCALES[scale]
    Z, y = factor * X[:40] + offset, np.where(NOISY[:40] > 0, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(estimator).fit(Z, y)
    values = fitted.decision_function(Z) if hasattr(fitted, "decision_function") else fitted.predict(Z)
    solution, gram = fitted.solution_, fitted.model_.gram
    unit = fitted._scale(fitted._answer) if isinstance(fitted, NuSVC) else 1.0
    # The sizes of the terms of f, and of its weights around the mean of the samples where it has such.
    f, centre = solution.function, gram.X.mean(axis=0) if isinstance(gram.kernel, Linear) else None
    lengths = [np.sqrt(gram.kernel.diagonal(each if centre is None else each - centre)) for each in (f.centers, gram.X)]
    sizes = np.abs(f.coefficients) @ lengths[0] * (lengths[1] if centre is None else np.linalg.norm(gram.X, axis=1))
    if centre is not None:
        sizes += np.abs(gram.X) @ np.abs(f.weights)
    rounding = 2e-15 * unit * (np.sqrt(40) * sizes + abs(solution.intercept))
    assert (np.abs(values - unit * solution.decision) <= rounding).all()


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(probability=True),
        NuSVC(nu=0.3),
        LinearSVC(),
        LinearSVR(),
        LSSVR(),
        KernelRidge(),
        OneClassSVM(),
        RelevanceClassifier(),
        RelevanceRegressor(),
        SquaredHingeSVC(kernel="precomputed"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_fit_that_fails_leaves_nothing_of_the_one_before(estimator: Any) -> None:
    Z, y = (X @ X.T, TWO) if estimator.__sklearn_tags__().input_tags.pairwise else (X, TWO)
    target = (y == "dog").astype(float)
    before = vars(clone(estimator)).keys()
    fitted = clone(estimator).fit(Z, target)
    fitted.predict(Z)
    _ = fitted.solution_
    with pytest.raises((ValueError, NonFiniteError)):
        fitted.fit(np.where(Z[3, 0] == Z, np.nan, Z), target)
    assert vars(fitted).keys() == before
    with pytest.raises(NotFittedError):
        fitted.predict(Z)
    if hasattr(fitted, "class_weight"):
        with pytest.raises(OneClassError):
            fitted.fit(Z, target).fit(Z, np.zeros(len(Z)))
        with pytest.raises(NotFittedError):
            fitted.predict(Z)


def test_a_fit_leaves_nothing_of_the_one_before() -> None:
    fitted = SVC(probability=True, random_state=0).fit(X, THREE)
    again = fitted.set_params(probability=False).fit(X, TWO)
    alone = SVC(random_state=0).fit(X, TWO)
    assert vars(again).keys() == vars(alone).keys()
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        again.set_params(probability=True).predict_proba(X)


def test_probabilities_that_fail_leave_no_machine() -> None:
    fitted = SVC(probability=True)
    with pytest.raises(LabelError):
        fitted.fit(X, ["cat"] * 59 + ["dog"])
    with pytest.raises(NotFittedError):
        fitted.predict(X)


@pytest.mark.parametrize("labels", [[1, "a", 2.5], ["a", 1, 2.5], ["a", None], ["a", ("b",)]], ids=str)
@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), RelevanceClassifier()], ids=lambda each: type(each).__name__)
def test_labels_of_several_kinds(estimator: Any, labels: list[Any]) -> None:
    mixed = np.empty(60, object)
    mixed[:] = (labels * 60)[:60]
    with pytest.raises(LabelError, match=r"y must hold numbers or text|Unknown label type"):
        estimator.fit(X, mixed)


def test_a_margin_of_0_is_told() -> None:
    twice, y = np.repeat(X[:20], 2, axis=0), np.tile(["cat", "dog"], 20)
    with pytest.warns(UserWarning, match="the margin is 0, and f with it: .* nu=0.3 .*; raise nu") as told:
        fitted = NuSVC(nu=0.3).fit(twice, y)
    assert told[0].filename == __file__
    assert fitted.certificate_.holds(1e-3)
    assert not fitted.decision_function(X).any()
