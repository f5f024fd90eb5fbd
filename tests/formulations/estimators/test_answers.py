# SPDX-License-Identifier: BSD-3-Clause
"""The answers and errors of estimators, in the labels and parameters of who fitted them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formulations import SoftMargin, load
from formulations.estimators import SVC, KernelRidge, LinearSVC, NuSVC, QuantileSVR, RelevanceClassifier
from qpkernels.errors import InfeasibleError, LabelError, OneClassError, ParameterError

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
