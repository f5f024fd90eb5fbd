# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validation: scikit-learn's predictions and scores, with a certificate for every fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.svm import SVC, SVR

from builders import two_classes
from formulations import Classification, HardMargin, KernelRidge, Logistic, NuMargin, OneClass, SoftMargin, SoftTube
from formulations.selection import cross_validate
from model_data import contradiction, measured, overlapping
from qpkernels import RBF, Gram, Linear
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.files import scale_features
from qpkernels.problems import Status


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale_features(X), y


def test_classes_as_in_scikit_learn() -> None:
    X, y = cancer()
    found = cross_validate(SoftMargin(X, y, RBF(0.5), C=10.0), 5, tol=1e-7)
    peer = SVC(C=10.0, gamma=0.5, tol=1e-7)
    assert found.status is Status.OPTIMAL
    assert all(fit.certificate.holds(1e-7) for fit in found.fits)
    assert np.array_equal(found.predictions, cross_val_predict(peer, X, y))
    assert found.scores == pytest.approx(cross_val_score(peer, X, y))
    assert found.decision == pytest.approx(cross_val_predict(peer, X, y, method="decision_function"), abs=1e-3)
    assert found.mean == pytest.approx(found.scores.mean())
    assert found.std == pytest.approx(found.scores.std())


def test_targets_as_in_scikit_learn() -> None:
    X, y = measured()
    folds = KFold(4, shuffle=True, random_state=0)
    found = cross_validate(SoftTube(X, y, RBF(0.5), C=3.0, epsilon=0.05), folds, tol=1e-9)
    peer = SVR(C=3.0, gamma=0.5, epsilon=0.05, tol=1e-9)
    assert found.predictions == pytest.approx(cross_val_predict(peer, X, y, cv=folds), abs=1e-4)
    assert found.scores == pytest.approx(cross_val_score(peer, X, y, cv=folds), abs=1e-4)
    mean_squares = cross_validate(
        SoftTube(X, y, RBF(0.5), C=3.0, epsilon=0.05), folds, scoring="neg_mean_squared_error"
    )
    assert (mean_squares.scores < 0).all()


@pytest.mark.parametrize("model", [SoftMargin, Logistic, NuMargin, OneClass, KernelRidge])
def test_every_kind_of_model_and_its_solutions(model: Any) -> None:
    X, y = overlapping()
    stated = model(Gram(RBF(0.5), X), *([] if model is OneClass else [y]))
    scoring = (lambda _, values: float(np.mean(values > 0))) if model is OneClass else None
    found = cross_validate(stated, 3, tol=1e-6, scoring=scoring)
    assert found.status is Status.OPTIMAL
    assert len(found.solutions) == 3
    for fold, fit, solution in zip(found.folds, found.fits, found.solutions, strict=True):
        alone = stated.on(fold.train).solve(tol=1e-6)
        assert solution.objective == pytest.approx(alone.objective, rel=1e-5)
        assert type(solution) is type(alone)
        assert fit.held_out == pytest.approx(solution.function(X[fold.test]), abs=1e-9)
        assert solution.certificate == fit.certificate


def test_text_labels_and_costs_of_samples() -> None:
    X, y = overlapping()
    names, costs = np.where(y > 0, "yes", "no"), np.linspace(0.5, 2.0, len(X))
    found = cross_validate(SoftMargin(X, names, RBF(0.5), C=costs), 3, tol=1e-8)
    assert set(found.predictions) <= {"yes", "no"}
    train = found.folds[1].train
    alone = SoftMargin(X[train], names[train], RBF(0.5), C=costs[train]).solve(tol=1e-8)
    assert isinstance(found.solutions[1], Classification)
    assert found.solutions[1].objective == pytest.approx(alone.objective, rel=1e-7)


def test_the_table() -> None:
    found = cross_validate(SoftMargin(*overlapping(), RBF(0.5)), StratifiedKFold(3), progress=False)
    text = str(found)
    assert f"accuracy {found.mean:.6g}" in text
    assert "every fit is proved at 0.001" in text
    rows = [line.split() for line in text.splitlines() if "optimal" in line]
    assert [row[:3] for row in rows] == [["1", "20", "10"], ["2", "20", "10"], ["3", "20", "10"]]
    frame = found.to_pandas()
    assert list(frame["accuracy"]) == found.scores.tolist()
    assert list(frame["n_support"]) == [solution.n_support for solution in found.solutions]
    assert found.certificate.relative_gap == frame["relative_gap"].max()


def test_folds_that_hold_samples_out_twice_have_no_single_decision() -> None:
    found = cross_validate(SoftMargin(*two_classes(40)), ShuffleSplit(3, random_state=0))
    assert len(found.scores) == 3
    with pytest.raises(ParameterError, match="is held out"):
        found.decision  # noqa: B018


def test_a_limit_is_said() -> None:
    found = cross_validate(SoftMargin(*overlapping(), RBF(0.5), C=100.0), 3, tol=1e-9, max_iter=2)
    assert found.status is Status.STOPPED
    assert "0 of 3 fits are proved" in str(found)


def test_other_solvers() -> None:
    model = SoftMargin(*overlapping(), Linear())
    assert (
        cross_validate(model, 3, solver="clarabel", tol=1e-6).scores.tolist()
        == cross_validate(model, 3, tol=1e-6).scores.tolist()
    )


def test_the_fold_without_an_answer_is_named_and_the_others_are_kept() -> None:
    X, y = contradiction()
    rest = [k for k in range(len(X)) if y[k] > 0][:1] + [k for k in range(len(X)) if y[k] < 0][-1:]
    pairs = [(np.setdiff1d(np.arange(len(X)), [0]), [0]), (np.array(rest), np.setdiff1d(np.arange(len(X)), rest)[:1])]
    model = HardMargin(X, y)
    answers = []
    for train, _ in pairs:
        try:
            answers.append(model.on(train).solve())
        except InfeasibleError:
            answers.append(None)
    assert [answer is None for answer in answers] == [True, False]
    with pytest.raises(InfeasibleError) as caught:
        cross_validate(model, pairs)
    assert "in fold 1 of 2" in caught.value.__notes__
    assert list(caught.value.others) == [2]
    assert caught.value.others[2].status is Status.OPTIMAL


def test_a_share_that_a_fold_does_not_allow() -> None:
    X, y = overlapping()
    with pytest.raises(ParameterError, match="is infeasible for these classes") as caught:
        cross_validate(NuMargin(X, y, nu=0.66), [(np.arange(4), np.arange(4, 8)), (np.array([1, 2, 4, 5, 3]), [7])])
    assert caught.value.__notes__ == ["in fold 1"] or caught.value.__notes__ == ["in fold 2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tol": 0.0}, "tol must be"),
        ({"tol": "small"}, "tol must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"folds": 1}, "folds must be"),
        ({"scoring": "goodness"}, "no scorer"),
    ],
)
def test_bad_input(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cross_validate(SoftMargin(*overlapping()), **arguments)


@pytest.mark.parametrize("model", [None, SVC(), SoftMargin, "SoftMargin"])
def test_what_is_no_model(model: Any) -> None:
    with pytest.raises(ParameterError, match="cross_validate takes a model first"):
        cross_validate(model)
