# SPDX-License-Identifier: BSD-3-Clause
"""Machines that keep weights of the features: their losses, intercepts, classes and outputs, and their multipliers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC, LinearSVR

from audit_data import targets, three_classes, two_classes, weights
from formulations import SoftMargin, audit
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError

SHARP: dict[str, Any] = {"tol": 1e-10, "max_iter": 1_000_000, "random_state": 0}
BALANCED = "balanced"


@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(dual=False, class_weight=BALANCED, **SHARP),
        LinearSVC(dual=False, intercept_scaling=3.0, **SHARP),
        LogisticRegression(class_weight=BALANCED, tol=1e-10, max_iter=10000),
        LogisticRegression(solver="liblinear", class_weight=BALANCED, intercept_scaling=2.0, **SHARP),
    ],
    ids=str,
)
def test_weights_of_classes_and_samples(estimator: Any) -> None:
    X, y = two_classes()
    assert audit(estimator.fit(X, y), X, y, tol=1e-6).status == "optimal"
    counted = weights(len(y))
    machine = estimator.fit(X, y, sample_weight=counted)
    assert audit(machine, X, y, tol=1e-6, sample_weight=counted).status == "optimal"
    assert audit(machine, X, y, tol=1e-6).status == "uncertified"


def test_each_class_against_the_rest() -> None:
    X, y = three_classes()
    machine = LinearSVC(dual=False, **SHARP).fit(X, y)
    found = audit(machine, X, y, tol=1e-6)
    assert found.status == "optimal"
    assert [each.machine.name for each in found] == [f"'{label}' against the rest" for label in "abc"]
    values = np.column_stack([each.decision for each in found])
    assert values == pytest.approx(machine.decision_function(X), abs=1e-9)


def test_sparse_samples() -> None:
    X, y = two_classes()
    sparse = csr_array(X)
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int32), sparse.indptr.astype(np.int32)
    for machine in (LinearSVC(dual=False, **SHARP), LogisticRegression(tol=1e-10, max_iter=10000)):
        assert audit(machine.fit(sparse, y), sparse, y, tol=1e-6).status == "optimal"


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_outputs_of_ridge(fit_intercept: bool, counted: bool) -> None:
    X, y = targets()
    several = np.column_stack([y, X[:, 0] ** 2, -y])
    times = weights(len(y)) if counted else None
    machine = Ridge(alpha=[0.5, 2.0, 8.0], fit_intercept=fit_intercept).fit(X, several, sample_weight=times)
    found = audit(machine, X, several, tol=1e-8, sample_weight=times)
    assert found.status == "optimal"
    assert [each.machine.name for each in found] == ["output 0", "output 1", "output 2"]
    assert audit(machine, X, several, tol=1e-8, sample_weight=times, alpha=1.0).status == "uncertified"
    single = Ridge(alpha=2.0, fit_intercept=fit_intercept).fit(X, y, sample_weight=times)
    assert audit(single, X, y, tol=1e-8, sample_weight=times).status == "optimal"


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_weights_of_targets(loss: str) -> None:
    X, y = targets()
    counted = weights(len(y))
    machine = LinearSVR(loss=loss, epsilon=0.2, **SHARP).fit(X, y, sample_weight=counted)
    assert audit(machine, X, y, tol=1e-4, sample_weight=counted).status == "optimal"
    assert audit(machine, X, y, tol=1e-4).status == "uncertified"


def of_cuml(machine: Any, penalized: bool) -> Any:
    """Return an object with the attributes of cuML's LinearSVC: the intercept is free unless it is asked for."""
    made = type("LinearSVC", (), {})()
    vars(made).update(
        penalty="l2",
        loss=machine.loss if hasattr(machine, "loss") else "hinge",
        C=machine.C,
        fit_intercept=True,
        penalized_intercept=penalized,
        class_weight=None,
        multi_class="ovr",
        coef_=machine.coef_,
        intercept_=machine.intercept_,
        classes_=machine.classes_,
    )
    return made


def test_intercepts_of_cuml() -> None:
    X, y = two_classes()
    penalised = LinearSVC(dual=False, **SHARP).fit(X, y)
    assert audit(of_cuml(penalised, penalized=True), X, y, tol=1e-6).status == "optimal"
    assert audit(of_cuml(penalised, penalized=False), X, y, tol=1e-6).status == "uncertified"
    solution = SoftMargin(X, y, C=0.5).solve(tol=1e-10)
    free = LinearSVC(C=0.5, loss="hinge").fit(X, y)
    free.coef_, free.intercept_ = X.T @ solution.beta[:, None], np.array([solution.intercept])
    free.coef_ = free.coef_.T
    assert audit(of_cuml(free, penalized=False), X, y, tol=1e-6).status == "optimal"


def test_multipliers_of_the_hinge_are_found_at_its_kinks() -> None:
    """Slopes alone are 0 or C, far from the multipliers of the samples on the margin."""
    X, y = two_classes()
    model = SoftMargin(X, y, C=0.5)
    solution = model.solve(tol=1e-12)
    answer = model.candidate((X.T @ solution.beta, solution.intercept), weights=True)
    assert model.certify(answer).relative_gap < 1e-6
    slopes = model.qp().slopes(X @ (X.T @ solution.beta), solution.intercept)
    assert model.certify((model.qp().project(slopes), solution.intercept)).relative_gap > 1e-3


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (LinearSVC(penalty="l1", dual=False), "LinearSVC has penalty='l1', and the models here penalise the l2 norm"),
        (
            LinearSVC(multi_class="crammer_singer", max_iter=100_000),
            "has multi_class='crammer_singer', and the machines of another",
        ),
        (LogisticRegression(l1_ratio=1.0, solver="liblinear"), "l1_ratio=1.0"),
        (LogisticRegression(C=np.inf), "C=inf"),
        (Ridge(positive=True), "has positive=True, and signs of weights"),
        (Ridge(alpha=0.0), "alpha must be above 0"),
    ],
    ids=str,
)
def test_problems_that_no_model_here_is(estimator: Any, words: str) -> None:
    X, y = two_classes()
    y = (y == "yes").astype(float)
    with pytest.raises(ParameterError, match=words):
        audit(estimator.fit(X, y), X, y)


def test_several_classes_by_the_multinomial_loss() -> None:
    X, y = three_classes()
    with pytest.raises(ParameterError, match=r"has 3 classes, which it tells apart by the multinomial loss"):
        audit(LogisticRegression().fit(X, y), X, y)


def test_losses_of_other_names() -> None:
    X, y = two_classes()
    machine = LinearSVC(dual=False).fit(X, y)
    machine.loss = "log"
    with pytest.raises(ParameterError, match=r"loss must be 'hinge' or 'squared_hinge', but LinearSVC has 'log'"):
        audit(machine, X, y)
    X, t = targets()
    tube = LinearSVR(tol=0.1).fit(X, t)
    tube.loss = "huber"
    with pytest.raises(ParameterError, match=r"loss must be 'epsilon_insensitive' or"):
        audit(tube, X, t)


def test_other_data() -> None:
    X, y = two_classes()
    machine = LinearSVC(dual=False).fit(X, y)
    with pytest.raises(ShapeError, match=r"fitted to samples of 5 features, but X has 4"):
        audit(machine, X[:, :4], y)
    with pytest.raises(ParameterError, match=r"was fitted to the classes .'no', 'yes'., but y has"):
        audit(machine, X, np.arange(len(y)) % 3)
    assert audit(machine, X[::-1], y).status == "uncertified"
    machine.coef_[0, 0] = np.inf
    with pytest.raises(NonFiniteError, match=r"coef_ of the estimator"):
        audit(machine, X, y)
    X, t = targets()
    with pytest.raises(ParameterError, match=r"has 2 outputs, but y has 1"):
        audit(Ridge().fit(X, np.column_stack([t, t])), X, t)


@pytest.mark.parametrize("weight", ["balanced", {0: 3.0, 2: 0.2}])
def test_classes_weigh_against_the_rest_as_liblinear_has_it(weight: Any) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [12, 20, 40])
    X = rng.normal(size=(72, 4)) + 0.7 * np.eye(3, 4)[y]
    for loss in ("hinge", "squared_hinge"):
        theirs = LinearSVC(C=0.8, loss=loss, class_weight=weight, tol=1e-10, max_iter=1_000_000).fit(X, y)
        assert audit(theirs, X, y, tol=1e-5).status == "optimal"
