# SPDX-License-Identifier: BSD-3-Clause
"""Two levels: scores that no machine gave itself, and the sigmoid over them, against scikit-learn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC

from formulations import (
    LeastSquaresClassifier,
    Logistic,
    Perceptron,
    PlattCalibration,
    SoftMargin,
    TwoLevelMachine,
    calibrate,
    cross_validated_scores,
)
from model_data import overlapping
from qpkernels import Columns
from qpkernels.errors import LabelError, OneClassError, ParameterError, ShapeError
from qpkernels.families import batch
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Linear
from qpkernels.problems import Status

quick_law = settings(derandomize=True, deadline=None, max_examples=500, database=None)


# --- cross-validation ---


class Recorder:
    """States machines that give every sample their own number as its score, and keeps what each was trained on."""

    def __init__(self, features: int = 1) -> None:
        self.features = features
        self.parts: list[tuple[np.ndarray, np.ndarray]] = []

    def __call__(self, X: np.ndarray, y: np.ndarray) -> Any:
        self.parts.append((X, y))
        function = Expansion(Linear(), np.ones((1, self.features)), np.zeros(1), float(len(self.parts)))
        return SimpleNamespace(solve=lambda: SimpleNamespace(function=function))


@given(
    seed=st.integers(0, 9),
    sizes=st.tuples(st.integers(2, 12), st.integers(2, 12)),
    share=st.floats(0.0, 1.0),
)
@quick_law
def test_every_sample_is_scored_once_by_a_machine_that_did_not_see_it(
    seed: int, sizes: tuple[int, int], share: float
) -> None:
    m = sum(sizes)
    folds = 2 + round(share * (m - 2))
    X = np.arange(m, dtype=float)[:, None]
    y = np.random.default_rng(seed).permutation(np.repeat(["no", "yes"], sizes))
    recorder = Recorder()
    scores = cross_validated_scores(recorder, X, y, folds=folds, seed=seed)
    assert len(recorder.parts) == folds
    tested_sizes, tested_positive = [], []
    for number, (seen, labels) in enumerate(recorder.parts, start=1):
        tested = X[scores == number]
        assert sorted(np.concatenate([seen, tested])[:, 0]) == list(range(m))
        assert labels.tolist() == y[seen[:, 0].astype(int)].tolist()
        assert set(labels) == {"no", "yes"}
        tested_sizes.append(len(tested))
        tested_positive.append(int((y[scores == number] == "yes").sum()))
    assert max(tested_sizes) - min(tested_sizes) <= 1
    assert max(tested_positive) - min(tested_positive) <= 1


def test_the_folds_are_drawn_by_the_seed() -> None:
    X, y = np.arange(20.0)[:, None], np.tile([0, 1], 10)
    first, again, other = (cross_validated_scores(Recorder(), X, y, seed=seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


@pytest.mark.parametrize(
    ("y", "folds", "error", "words"),
    [
        (
            [0, 0, 1, 1],
            1,
            ParameterError,
            "folds must be an integer from 2 to the number of samples, which is 4, but 1",
        ),
        ([0, 0, 1, 1], 5, ParameterError, "but 5 came"),
        ([0, 0, 1, 1], 2.0, ParameterError, "but 2.0 came"),
        ([0, 0, 0, 1], 2, LabelError, "there is one of 1; use folds=None"),
        ([0, 0, 0, 0], 2, OneClassError, "every label is 0"),
        ([0, 1, 1], 2, ShapeError, "same length"),
    ],
)
def test_folds_that_do_not_fit_are_refused(y: Any, folds: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        cross_validated_scores(Recorder(), np.arange(4.0)[:, None], y, folds=folds)


def test_a_gram_cannot_be_divided() -> None:
    with pytest.raises(ShapeError, match="but Gram came; let state bind the kernel"):
        cross_validated_scores(Recorder(), Gram(Linear(), np.eye(4)), [0, 0, 1, 1])  # type: ignore[arg-type]


# --- both levels ---


def clouds(seed: int = 0, samples: int = 90) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(samples) % 3 == 0, "sick", "fit")
    return rng.normal(size=(samples, 2)) + 0.9 * (y == "sick")[:, None], y


def soft(X: Any, y: Any) -> SoftMargin:
    return SoftMargin(X, y, RBF(0.5), C=1.0)


def test_both_levels_agree_with_those_of_scikit_learn() -> None:
    X, y = clouds()
    fold = cross_validated_scores(Recorder(features=2), X, y, seed=3)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(1, 6)]
    theirs = CalibratedClassifierCV(SVC(gamma=0.5, tol=1e-8), method="sigmoid", cv=splits, ensemble=False).fit(X, y)
    ours = calibrate(soft, X, y, seed=3)
    new = np.random.default_rng(1).normal(size=(40, 2))
    np.testing.assert_allclose(ours.probability(new), theirs.predict_proba(new)[:, 1], atol=1e-4)
    assert ours.predict(new).tolist() == theirs.predict(new).tolist()


def test_a_two_level_machine_is_a_sigmoid_over_its_function() -> None:
    X, y = clouds()
    machine = calibrate(soft, X, y, tol=1e-8)
    assert isinstance(machine, TwoLevelMachine)
    assert machine.solution.status is machine.calibration.status is Status.OPTIMAL
    assert machine.calibration.tol == 1e-8
    np.testing.assert_array_equal(machine.probability(X), machine.calibration.probability(machine.function(X)))
    np.testing.assert_array_equal(machine.predict(X) == "sick", machine.probability(X) > 0.5)
    scores = cross_validated_scores(soft, X, y)
    direct = PlattCalibration(scores, y, targets="platt").solve(tol=1e-8)
    assert (machine.calibration.A, machine.calibration.B) == (direct.A, direct.B)


def test_without_folds_the_sigmoid_sees_the_machines_own_scores() -> None:
    X, y = clouds()
    machine = calibrate(soft, X, y, folds=None, targets="plain")
    direct = PlattCalibration(machine.function(X), y).solve()
    assert (machine.calibration.A, machine.calibration.B) == (direct.A, direct.B)


def test_a_machines_own_scores_promise_too_much() -> None:
    """A narrow kernel sets every training sample apart; only held-out scores show that this means little."""
    X, y = clouds(samples=150)
    narrow = lambda X, y: SoftMargin(X, y, RBF(20.0), C=10.0)  # noqa: E731
    new, truth = clouds(seed=1, samples=600)
    likelihoods = []
    for folds in (None, 5):
        p = calibrate(narrow, X, y, folds=folds).probability(new)
        likelihoods.append(np.mean(np.log(np.where(truth == "sick", p, 1.0 - p))))
    assert likelihoods[1] > likelihoods[0] + 0.05


@pytest.mark.parametrize("state", [SoftMargin, Logistic, LeastSquaresClassifier, Perceptron])
def test_any_machine_of_two_classes_will_do(state: Any) -> None:
    X, y = clouds()
    machine = calibrate(state, X, y)
    assert machine.calibration.status is Status.OPTIMAL
    assert ((machine.probability(X) > 0.0) & (machine.probability(X) < 1.0)).all()


def test_models_of_one_kernel_are_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = overlapping()
    sizes: list[int] = []
    solve = batch.solve_batch

    def counted(gram: Gram, machines: Any, **options: Any) -> Any:
        sizes.append(len(machines))
        return solve(gram, machines, **options)

    monkeypatch.setattr(batch, "solve_batch", counted)
    together = cross_validated_scores(lambda X, y: SoftMargin(X, y, RBF(0.5)), X, y, 4)
    assert sizes == [4]
    several = cross_validated_scores(lambda X, y: SoftMargin(X, y, RBF(0.5 + 1e-9 * len(X))), X, y, 4)
    assert several == pytest.approx(together, abs=1e-3)
    # Machines of samples far away know nothing of those held out.
    assert np.ptp(cross_validated_scores(lambda X, y: SoftMargin(X + 100.0, y, RBF(0.5)), X, y, 4)) < 1.0
    assert sizes == [4]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_table_stays_one(frame: Any) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    X[:, 0] += y
    table, kernel = frame({"a": X[:, 0], "b": X[:, 1]}), Columns(RBF(0.5), ["a", "b"])
    named = calibrate(lambda X, y: SoftMargin(X, y, kernel), table, y)
    plain = calibrate(lambda X, y: SoftMargin(X, y, RBF(0.5)), X, y)
    # Each answer is known to a gap of 1e-6, and so its function to about the root of that.
    np.testing.assert_allclose(named.predict_proba(table[["b", "a"]]), plain.predict_proba(X), atol=1e-3)
    np.testing.assert_allclose(
        cross_validated_scores(lambda X, y: SoftMargin(X, y, kernel), table, y),
        cross_validated_scores(lambda X, y: SoftMargin(X, y, RBF(0.5)), X, y),
        atol=1e-3,
    )
    assert calibrate(lambda X, y: SoftMargin(X, y, RBF(0.5)), table, y).predictor.feature_names == ("a", "b")


def test_a_model_without_its_samples() -> None:
    X, y = np.random.default_rng(3).normal(size=(12, 2)), np.arange(12) % 2
    with pytest.raises(ParameterError, match=r"must be followed by X and y, .* a SoftMargin that is stated already"):
        calibrate(SoftMargin(X, y))
    with pytest.raises(ParameterError, match=r"as in calibrate\(SoftMargin, X, y\), but X and y did not come"):
        calibrate(SoftMargin)
    with pytest.raises(ParameterError, match="but y did not come"):
        calibrate(SoftMargin, X)


def test_a_model_in_place_of_what_states_one() -> None:
    X, y = np.random.default_rng(3).normal(size=(12, 2)), np.arange(12) % 2
    for entry in (calibrate, cross_validated_scores):
        with pytest.raises(ParameterError, match=r"X, y: SoftMargin\(X, y, RBF\(0.1\)\), but a SoftMargin that"):
            entry(SoftMargin(X, y), X, y)  # type: ignore[operator]
