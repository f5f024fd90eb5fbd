# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of statements: the answers of the models that they state, searches, files, and what is refused."""

import pickle
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from formulations import Function, Machine, load
from formulations.estimators import SVC, KernelSearchCV, StatementClassifier, StatementRegressor
from qpkernels import RBF
from qpkernels.errors import LeftBehindError, OneClassError, ParameterError
from statements import hinge

IRIS, SPECIES = (part[::2] for part in load_iris(return_X_y=True))
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
BINARY = np.where(SPECIES == 2, "virginica", "other")


def with_trend(f: Any, b: Any, X: Any, y: Any, C: float = 1.0) -> Any:
    w = cp.Variable(X.shape[1], name="w")
    cost = 0.5 * f.squared_norm + C * cp.norm1(f(X) + X @ w + b - y)
    return Machine(cp.Minimize(cost)), lambda X: f(X) + X @ w + b


@pytest.mark.parametrize("labels", [BINARY, NAMES], ids=["two classes", "three classes"])
def test_the_stated_soft_margin_is_that_of_svc(labels: Any, tmp_path: Path) -> None:
    stated = StatementClassifier(hinge, parameters={"C": 3.0}, tol=1e-8).fit(IRIS, labels)
    ours = SVC(C=3.0, tol=1e-8).fit(IRIS, labels)
    assert stated.certificate_.holds(1e-8)
    assert (stated.classes_ == ours.classes_).all()
    assert (stated.predict(IRIS) == ours.predict(IRIS)).all()
    assert stated.decision_function(IRIS) == pytest.approx(ours.decision_function(IRIS), abs=1e-4)
    loaded = load(stated.predictor_.save(tmp_path / "machine"))
    assert (loaded.predict(IRIS) == stated.predict(IRIS)).all()


def test_what_predicts_may_be_said() -> None:
    targets = 3.0 * IRIS[:, 0] + np.sin(IRIS[:, 1])
    regressor = StatementRegressor(with_trend, kernel=RBF(0.5), parameters={"C": 0.1}).fit(IRIS, targets)
    assert regressor.score(IRIS, targets) > 0.99
    (slopes,) = [each.value for each in regressor.model_.variables if each.name() == "w"]
    far = IRIS + 100.0
    assert regressor.predict(far) - regressor.predict(far - 1.0) == pytest.approx(slopes.sum())


@pytest.mark.parametrize("search", [GridSearchCV, KernelSearchCV])
def test_searches_choose_among_parameters_and_kernels(search: Any) -> None:
    classifier = StatementClassifier(hinge, kernel=RBF(1.0), parameters={"C": 1.0})
    gammas = [0.1, 10.0]
    found = search(classifier, {"parameters__C": [0.1, 5.0], "kernel__gamma": gammas}, cv=2).fit(IRIS, BINARY)
    other = GridSearchCV(SVC(kernel=RBF(1.0)), {"C": [0.1, 5.0], "kernel__gamma": gammas}, cv=2).fit(IRIS, BINARY)
    order = [{"parameters__C": each.pop("C"), **each} for each in other.cv_results_["params"]]
    scores = [found.cv_results_["mean_test_score"][found.cv_results_["params"].index(each)] for each in order]
    assert scores == pytest.approx(other.cv_results_["mean_test_score"])
    assert len(set(scores)) > 1
    assert found.best_estimator_.parameters == {"C": found.best_params_["parameters__C"]}
    assert classifier.parameters == {"C": 1.0}
    assert clone(found.best_estimator_).get_params()["parameters__C"] == found.best_params_["parameters__C"]


def test_pickles_hold_what_predicts_and_no_samples() -> None:
    fitted = StatementClassifier(hinge).fit(IRIS, NAMES)
    copy = pickle.loads(pickle.dumps(fitted))
    assert (copy.predict(IRIS) == fitted.predict(IRIS)).all()
    with pytest.raises(LeftBehindError, match=r"estimator\.predictor_\.save\(path\) writes what predicts"):
        _ = copy.model_


def state_nothing(*data: Any) -> Any:
    return data[0]


def state_other(f: Any, _: Any, X: Any, y: Any) -> Machine:
    return Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(X) + X @ cp.Variable(X.shape[1], name="w") - y)))


def state_two(f: Any, _: Any, X: Any, y: Any) -> Machine:
    g = Function(RBF(0.1), "g")
    return Machine(cp.Minimize(f.squared_norm + g.squared_norm + cp.sum_squares(f(X) + g(X) - y)))


def test_bad_statements_and_parameters_are_refused() -> None:
    for statement, name in ((state_other, "w"), (state_two, "g")):
        with pytest.raises(ParameterError, match=rf"has {name} beside f and b, which f\(X\) \+ b would leave out"):
            StatementRegressor(statement).fit(IRIS, SPECIES)
    with pytest.raises(ParameterError, match="its own parameters are: C"):
        StatementClassifier(hinge, parameters={"D": 1.0}).fit(IRIS, BINARY)
    with pytest.raises(ParameterError, match="must map the names"):
        StatementClassifier(hinge, parameters=3.0).fit(IRIS, BINARY)
    with pytest.raises(ParameterError, match="statement must be a function"):
        StatementClassifier("hinge").fit(IRIS, BINARY)
    with pytest.raises(ParameterError, match="a statement returns a Machine"):
        StatementClassifier(state_nothing).fit(IRIS, BINARY)
    with pytest.raises(ParameterError, match="kernel must be a name or a Kernel"):
        StatementClassifier(hinge, kernel="precomputed").fit(IRIS @ IRIS.T, BINARY)
    with pytest.raises(OneClassError, match="got 1 class"):
        StatementClassifier(hinge).fit(IRIS, np.ones(len(IRIS), dtype=int))
