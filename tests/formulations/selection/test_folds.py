# SPDX-License-Identifier: BSD-3-Clause
"""Folds: as scikit-learn divides, or a message that says what does not divide these samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold

from formulations import OneClass, SoftMargin, SoftTube
from formulations.selection.folds import divide, scorer, scoring_name, truth
from model_data import measured, overlapping
from qpkernels.errors import LabelError, OneClassError, ParameterError, ShapeError


def test_a_number_divides_as_in_scikit_learn() -> None:
    X, y = overlapping()
    for fold, (train, test) in zip(divide(SoftMargin(X, y), 4), StratifiedKFold(4).split(X, y), strict=True):
        assert fold.train.tolist() == train.tolist()
        assert fold.test.tolist() == test.tolist()
    X, y = measured()
    for fold, (train, test) in zip(divide(SoftTube(X, y), 3), KFold(3).split(X), strict=True):
        assert fold.train.tolist() == train.tolist()
        assert fold.test.tolist() == test.tolist()
    assert len(divide(OneClass(X), np.int64(3))) == 3


@pytest.mark.parametrize(
    "splitter", [StratifiedKFold(3, shuffle=True, random_state=0), ShuffleSplit(4, random_state=1)]
)
def test_splitters(splitter: Any) -> None:
    X, y = overlapping()
    pairs = list(splitter.split(X, y))
    assert [fold.test.tolist() for fold in divide(SoftMargin(X, y), splitter)] == [test.tolist() for _, test in pairs]
    assert [fold.train.tolist() for fold in divide(SoftMargin(X, y), iter(pairs))] == [a.tolist() for a, _ in pairs]


def test_labels_are_those_that_came() -> None:
    X, y = overlapping()
    names = np.where(y > 0, "yes", "no")
    assert truth(SoftMargin(X, names)).tolist() == names.tolist()
    assert truth(OneClass(X)).tolist() == [1.0] * len(X)


@pytest.mark.parametrize("folds", [1, 0, -3, 31, True, 2.5, "five", None, [1, 2], [(1, 2, 3)], []])
def test_what_divides_nothing(folds: Any) -> None:
    with pytest.raises(ParameterError, match="folds must"):
        divide(SoftMargin(*overlapping()), folds)


def test_a_splitter_that_misses_something() -> None:
    with pytest.raises(ParameterError, match=r"does not divide these samples: .*group"):
        divide(SoftMargin(*overlapping()), GroupKFold(3))


def test_a_fold_of_one_class_is_named() -> None:
    X, y = overlapping()
    names = np.where(y > 0, "yes", "no")
    rest = np.flatnonzero(y > 0)
    with pytest.raises(OneClassError, match=r"fold 2 must leave samples of both classes .* all 20 are of 'yes'"):
        divide(SoftMargin(X, names), [(np.arange(20), np.arange(20, 30)), (rest, np.flatnonzero(y < 0))])


def test_a_class_with_one_sample() -> None:
    X, y = overlapping()
    alone = np.where(np.arange(30) == 7, "lonely", "many")
    with pytest.raises(LabelError, match="there is one of 'lonely'"):
        divide(SoftMargin(X, alone), 5)
    assert len(divide(SoftMargin(X, y), 5)) == 5


@pytest.mark.parametrize(
    ("pair", "error", "message"),
    [
        (([0, 1, 2], [2, 3]), ParameterError, "sample 2 is in both"),
        (([0, 1, 1], [2, 3]), ParameterError, "train of fold 1 must be different samples, but 1 came more than once"),
        (([0, 1, 40], [2, 3]), ParameterError, "train of fold 1 must be numbers from 0 to 29"),
        (([0, 1], np.arange(0)), ParameterError, "test of fold 1 must be numbers"),
        (([0, 1], [0.5]), ShapeError, "test of fold 1 must be numbers"),
    ],
)
def test_pairs_that_are_none(pair: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        divide(SoftMargin(*overlapping()), [pair])


def labelled() -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = overlapping()
    names = np.where(y > 0, "yes", "no")
    values = X[:, 0] - 0.2
    return SoftMargin(X, names), names, values


def test_labels() -> None:
    model, y, values = labelled()
    predicted = np.where(values > 0, "yes", "no")
    assert scorer(model, None)(y, values) == accuracy_score(y, predicted)
    assert scorer(model, "balanced_accuracy")(y, values) == balanced_accuracy_score(y, predicted)
    assert scorer(model, "roc_auc")(y, values) == roc_auc_score(y, values)
    assert scorer(model, roc_auc_score)(y, values) == roc_auc_score(y, values)
    assert scoring_name(model, None) == "accuracy"
    assert scoring_name(model, roc_auc_score) == "roc_auc_score"


def test_targets() -> None:
    X, y = measured()
    model, values = SoftTube(X, y), X[:, 0]
    assert scorer(model, None)(y, values) == r2_score(y, values)
    assert scorer(model, "neg_mean_squared_error")(y, values) == pytest.approx(-np.mean((y - values) ** 2))
    assert scoring_name(model, None) == "r2"
    assert scoring_name(model, "max_error") == "max_error"


def test_scores_that_are_none() -> None:
    model, y, values = labelled()
    with pytest.raises(ParameterError, match="no scorer 'goodness'"):
        scorer(model, "goodness")
    with pytest.raises(ParameterError, match="scoring must be the name"):
        scorer(model, 3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="asks for more than decision values"):
        scorer(model, "neg_log_loss")(y, values)
    with pytest.raises(ParameterError, match="a score must be a number"):
        scorer(model, lambda *_: "good")(y, values)
    with pytest.raises(ParameterError, match="no labels or targets to score"):
        scorer(OneClass(overlapping()[0]), None)
