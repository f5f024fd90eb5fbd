# SPDX-License-Identifier: BSD-3-Clause
"""Scores: accuracy and R^2 by themselves, scikit-learn's by name, and functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score, roc_auc_score

from formulations import OneClass, SoftMargin, SoftTube
from formulations.selection.scoring import scorer, scoring_name
from model_data import measured, overlapping
from qpkernels.errors import ParameterError


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
