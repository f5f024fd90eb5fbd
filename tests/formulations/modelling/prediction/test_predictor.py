# SPDX-License-Identifier: BSD-3-Clause
"""Answers without their training samples: the same words for all, files that keep every number, names of features."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from builders import two_classes
from formulations import (
    LeastSquares,
    Logistic,
    MarginLossClassifier,
    OneClass,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    Predictor,
    RelevanceClassification,
    RelevanceRegression,
    SoftMargin,
    SoftTube,
    calibrate,
    load,
)
from formulations.losses import LogisticLoss
from model_data import MODEL_CASES, Case
from qpkernels import RBF, Linear
from qpkernels.errors import FeatureNamesError, FileFormatError, LabelError, ParameterError, ShapeError
from qpkernels.files import Scaling

X, y = two_classes(60, seed=1, shift=0.6)
NEW = np.random.default_rng(2).normal(size=(25, 2))
THREE = np.array(["ash", "birch", "cedar"])[np.arange(60) % 3]
SPREAD = X + 2.0 * (np.arange(60) % 3)[:, None]


def answers() -> dict[str, Any]:
    """One answer of each kind."""
    kernel = RBF(0.5)
    return {
        "two classes": SoftMargin(X, THREE == "ash", kernel).solve(),
        "explicit": SoftMargin(X, y).solve(),
        "sparse": SoftMargin(csr_array(X), y, kernel).solve(),
        "log odds": Logistic(X, y, kernel).solve(),
        "regression": SoftTube(X, X[:, 0] ** 2, kernel, epsilon=0.01).solve(),
        "one class": OneClass(X, kernel, nu=0.2).solve(),
        "pairs": OneVersusOne(SPREAD, THREE, kernel).solve(progress=False),
        "pairs, linear": OneVersusOne(SPREAD, THREE, Linear()).solve(progress=False),
        "rest": OneVersusRest(SPREAD, THREE, kernel).solve(progress=False),
        "log odds of pairs": OneVersusOne(SPREAD, THREE, kernel, machine=Logistic).solve(progress=False),
        "log odds of rest": OneVersusRest(SPREAD, THREE, kernel, machine=Logistic).solve(progress=False),
        "calibrated": calibrate(lambda X, y: SoftMargin(X, y, kernel), X, y),
        "perceptron": Perceptron(X + 3.0 * y[:, None], y).solve(),
        "relevance": RelevanceRegression(X, X[:, 0] ** 2, kernel).solve(),
        "relevance of classes": RelevanceClassification(X, y, kernel).solve(),
    }


ANSWERS = answers()
of_each = pytest.mark.parametrize("name", ANSWERS)


@of_each
def test_a_file_keeps_every_number(name: str, tmp_path: Path) -> None:
    answer = ANSWERS[name]
    again = load(answer.save(tmp_path / "machine"))
    assert isinstance(again, Predictor)
    np.testing.assert_array_equal(again.predict(NEW), answer.predict(NEW))
    np.testing.assert_array_equal(again.decision_function(NEW), answer.decision_function(NEW))
    if again.posterior is not None:
        np.testing.assert_array_equal(again.variance(NEW), answer.variance(NEW))
    else:
        with pytest.raises(ParameterError, match="only relevance machines"):
            again.variance(NEW)


@pytest.mark.parametrize("case", [case for case in MODEL_CASES if "Precomputed" not in str(case)], ids=str)
def test_every_model_predicts_and_is_kept(case: Case, tmp_path: Path) -> None:
    model = case.state_model()
    solution = model.solve(tol=1e-3)
    samples = np.asarray(model.gram.X)
    again = load(solution.save(tmp_path / "machine.npz"))
    np.testing.assert_array_equal(again.predict(samples), solution.predict(samples))
    values = solution.decision_function(samples)
    assert values.shape == (len(model),)
    scale = float(np.abs(solution.decision).max()) + 1e-9
    np.testing.assert_allclose(values, solution.decision, atol=1e-6 * scale)


@of_each
def test_probabilities_add_up_or_are_refused(name: str) -> None:
    answer = ANSWERS[name]
    has = name in {"log odds", "log odds of pairs", "log odds of rest", "calibrated", "relevance of classes"}
    if not has:
        with pytest.raises(ParameterError, match=r"no log-odds; calibrate it|no classes"):
            answer.predict_proba(NEW)
        return
    shares = answer.predict_proba(NEW)
    classes = answer.predictor.classes
    assert shares.shape == (25, len(classes))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    if name != "log odds of pairs":
        np.testing.assert_array_equal(classes[np.argmax(shares, axis=1)], answer.predict(NEW))


def test_probabilities_are_those_of_logistic_regression() -> None:
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, y).predict_proba(NEW)
    for model in (Logistic(X, y, C=2.0), MarginLossClassifier(X, y, loss=LogisticLoss(), C=2.0)):
        np.testing.assert_allclose(model.solve(tol=1e-10).predict_proba(NEW), theirs, atol=1e-6)


def test_moderated_probabilities_by_hand() -> None:
    solution = ANSWERS["relevance of classes"]
    values, variance = solution.decision_function(NEW), solution.variance(NEW)
    expected = expit(values / np.sqrt(1 + np.pi * variance / 8))
    np.testing.assert_allclose(solution.predict_proba(NEW)[:, 1], expected, rtol=1e-12)
    np.testing.assert_allclose(solution.probability(NEW, moderated=False), expit(values), rtol=1e-12)


def test_scores() -> None:
    solution = ANSWERS["two classes"]
    assert solution.score(X, THREE == "ash") == np.mean(solution.predict(X) == (THREE == "ash"))
    regression = LeastSquares(X, X @ [1.0, 2.0], C=1e6).solve()
    assert regression.score(X, X @ [1.0, 2.0]) == pytest.approx(1.0, abs=1e-6)
    inside = ANSWERS["one class"].predict(X)
    assert set(inside.tolist()) == {-1, 1}
    assert ANSWERS["one class"].score(X) == np.mean(inside == 1) >= 0.75
    assert ANSWERS["one class"].score(X, np.ones(60)) == np.mean(inside == 1)
    with pytest.raises(ParameterError, match="a score needs y"):
        solution.score(X)
    with pytest.raises(ShapeError, match="same length"):
        solution.score(X, y[:5])
    with pytest.raises(LabelError):
        solution.score(X, [None] * 60)


# --- names of features ---


FRAME = pd.DataFrame(X, columns=["length", "width"])


@pytest.mark.parametrize(
    "state",
    [
        lambda: SoftMargin(FRAME, y, RBF(0.5)),
        lambda: SoftMargin(FRAME, y),
        lambda: SoftMargin(FRAME, y).primal,
        lambda: SoftTube(FRAME, X[:, 0], RBF(0.5)),
        lambda: OneClass(FRAME, RBF(0.5)),
        lambda: RelevanceRegression(FRAME, X[:, 0], RBF(0.5)),
        lambda: Perceptron(FRAME, y),
        lambda: LeastSquares(FRAME, X[:, 0]),
    ],
)
def test_columns_in_another_order_are_refused(state: Any, tmp_path: Path) -> None:
    solution = state().solve()
    solution.predict(FRAME)
    np.testing.assert_allclose(solution.decision_function(FRAME), solution.decision_function(X), rtol=1e-9, atol=1e-12)
    for answer in (solution, solution.function, load(solution.save(tmp_path / "named"))):
        with pytest.raises(FeatureNamesError, match=r"in the order of the fit, length, width, .* pass X\[\['length'"):
            answer.predict(FRAME[["width", "length"]])
        with pytest.raises(FeatureNamesError, match="unknown: height; missing: width"):
            answer.predict(FRAME.rename(columns={"width": "height"}))
        with pytest.raises(FeatureNamesError, match="missing: width"):
            answer.predict(FRAME[["length"]])


def test_names_of_several_machines(tmp_path: Path) -> None:
    frame = pd.DataFrame(SPREAD, columns=["a", "b"])
    for scheme in (OneVersusOne, OneVersusRest):
        solution = scheme(frame, THREE, RBF(0.5)).solve(progress=False)
        assert solution.predictor.feature_names == ("a", "b")
        with pytest.raises(FeatureNamesError, match="in the order of the fit"):
            load(solution.save(tmp_path / "m")).predict(frame[["b", "a"]])


# --- preprocessing ---


def test_a_machine_takes_its_scaling_along(tmp_path: Path) -> None:
    raw = X * [1000.0, 0.01] + [5.0, -3.0]
    for scaling in (Scaling.to_range(raw), Scaling.standardise(raw), Scaling.to_range(raw, 0.0, 2.0)):
        solution = SoftMargin(scaling.transform(raw), y, RBF(0.5)).solve()
        machine = load(solution.predictor.with_preprocessing(scaling).save(tmp_path / "m"))
        np.testing.assert_array_equal(machine.predict(raw[:9]), solution.predict(scaling.transform(raw[:9])))
        assert machine.score(raw, y) > 0.7
        with pytest.raises(ParameterError, match="has its preprocessing already"):
            machine.with_preprocessing(scaling)
    with pytest.raises(ShapeError, match="that of 3 features"):
        solution.predictor.with_preprocessing(Scaling.standardise(np.eye(3)))
    with pytest.raises(ShapeError, match="with 2 features, but those of X have 3"):
        machine.predict(np.ones((4, 3)))


@pytest.mark.parametrize("target", ["kind", 3, None])
def test_a_machine_keeps_the_column_of_its_targets(target: str | int | None, tmp_path: Path) -> None:
    machine = replace(ANSWERS["two classes"].predictor, target=target)
    assert load(machine.save(tmp_path / "m")).target == target


# --- files that are none ---


def test_a_file_without_its_suffix_is_named(tmp_path: Path) -> None:
    ANSWERS["pairs"].save(tmp_path / "tube")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*tube, but there is .*tube\.npz; pass that name"):
        load(tmp_path / "tube")
    with pytest.raises(FileNotFoundError, match="No such file"):
        load(tmp_path / "cube")


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    path = ANSWERS["pairs"].save(tmp_path / "machine")
    content = path.read_bytes()
    for cut in (0, 10, len(content) // 2, len(content) - 1):
        (tmp_path / "cut.npz").write_bytes(content[:cut])
        with pytest.raises(FileFormatError):
            load(tmp_path / "cut.npz")
    function = ANSWERS["two classes"].function.save(tmp_path / "function")
    with pytest.raises(FileFormatError, match="must be a machine written by save, but it holds"):
        load(function)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays["header"]))

    def refused(match: str, **changes: Any) -> None:
        np.savez(tmp_path / "changed.npz", **(arrays | changes))
        with pytest.raises(FileFormatError, match=match):
            load(tmp_path / "changed.npz")

    def headed(**changes: Any) -> Any:
        return np.array(json.dumps(header | changes))

    refused("version 1 to 3 of the format, but it says 'qpkernels machine', version 99", header=headed(version=99))
    refused("says 'other'", header=headed(format="other"))
    refused("there is no decision 'Fate'", header=headed(decision="Fate"))
    refused("by 3 functions", header=headed(decision="Labels"))
    refused("a target \\[1\\]", header=headed(target=[1]))
    refused("classes that it does not have", pairs=arrays["pairs"] + 7)
    refused("starts ascend", starts=arrays["starts"][::-1])
    refused("coefficients must be finite", coefficients=arrays["coefficients"] * np.nan)
    refused("finite", intercepts=np.full(3, np.nan))
    refused(r"the kernels imported so far are (?!.*\b_)", kernel=np.array(json.dumps({"kernel": "Unheard"})))
    refused("holds Python objects", classes=np.array([None, {}, 1], dtype=object))
