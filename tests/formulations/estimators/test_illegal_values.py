# SPDX-License-Identifier: BSD-3-Clause
"""Illegal parameters, targets and attributes: every estimator says what it expected, in an error of this library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import ClassifierMixin, is_regressor
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, LinearSVC

from formulations import audit, estimators
from qpkernels.errors import LabelError, ParameterError, QPKernelsError
from statements import STATEMENTS
from together import together

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
LABELS = np.where(X[:, 0] > 0, 1, -1)
TARGETS = X[:, 1].copy()

KINDS = [
    kind
    for kind in (getattr(estimators, name) for name in estimators.__all__)
    if isinstance(kind, type) and hasattr(kind, "fit") and not hasattr(kind, "_run_search")
]
VALUES = [None, "nonsense", 10**400, [], -1, float("nan"), object(), True, {"nonsense": 1}]


SETTINGS: dict[Any, dict[str, Any]] = {
    estimators.RelevanceClassifier: {"tol": 0.1},
    estimators.RelevanceRegressor: {"tol": 0.1},
    **STATEMENTS,
}
"""Parameters for the sake of time, and those that there must be."""


def made(kind: Any) -> Any:
    return kind(**SETTINGS.get(kind, {}))


def fitting(kind: Any) -> Any:
    return TARGETS if is_regressor(made(kind)) else LABELS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
@together("value", VALUES)
def test_a_parameter_is_taken_or_refused_by_the_library(kind: Any, value: Any) -> None:
    for name in made(kind).get_params():
        if name == "verbose":
            continue
        try:
            kind(**SETTINGS.get(kind, {}) | {name: value}).fit(X, fitting(kind))
        except QPKernelsError as error:
            assert str(error), name  # noqa: PT017  any other error is the failure


@pytest.mark.parametrize("kind", [estimators.KernelClassifier, estimators.KernelRegressor])
def test_models_of_the_other_kind(kind: Any) -> None:
    other = estimators.KernelRegressor if kind is estimators.KernelClassifier else estimators.KernelClassifier
    theirs = other().fit(X, fitting(other)).model_
    with pytest.raises(ParameterError, match=r"model must be the class of a model, such as Soft\w+, but .* came"):
        kind(model=type(theirs)).fit(X, fitting(kind))
    with pytest.raises(ParameterError, match=r"parameters must map the names of hyper-parameters to values"):
        kind(parameters=-1).fit(X, fitting(kind))


@together("targets", [["a"] * 20, [object()] * 20, [1.0, "b"] * 10])
@together("kind", [kind for kind in KINDS if is_regressor(made(kind))])
def test_targets_that_are_no_numbers(kind: Any, targets: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"y must hold real numbers, but target [01] is .*; a classifier takes labels"
    ):
        made(kind).fit(X, targets)


@pytest.mark.parametrize("labels", [[1, "a"] * 10, [None, 1] * 10], ids=["text", "None"])
@together("kind", [kind for kind in KINDS if issubclass(kind, ClassifierMixin)])
def test_labels_of_several_types(kind: Any, labels: Any) -> None:
    with pytest.raises(LabelError, match=r"Unknown label type.* y starts with"):
        made(kind).fit(X, np.array(labels, dtype=object))


@pytest.mark.parametrize("value", [np.array([["a"] * 20]), "text", np.array([[object()] * 5]), [], 3], ids=type)
@pytest.mark.parametrize("name", ["dual_coef_", "intercept_", "support_", "support_vectors_", "classes_"])
def test_attributes_that_no_fit_left(name: str, value: Any) -> None:
    machine = SVC().fit(X, LABELS)
    vars(machine)[name] = value
    if name == "intercept_" and isinstance(value, int):
        assert audit(machine, X, LABELS).status == "uncertified"
        return
    with pytest.raises(QPKernelsError):
        audit(machine, X, LABELS)


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
@pytest.mark.parametrize("machine", [LinearSVC(), Ridge()], ids=str)
def test_weights_of_text(machine: Any, name: str) -> None:
    fitted = machine.fit(X, TARGETS if is_regressor(machine) else LABELS)
    setattr(fitted, name, np.array(["a", "b", "c"]))
    with pytest.raises(ParameterError, match=rf"{name} of the estimator must hold real numbers, but .* fit it again"):
        audit(fitted, X, TARGETS if is_regressor(machine) else LABELS)


def test_a_machine_that_cannot_predict() -> None:
    machine = SVC().fit(X, LABELS)
    machine._sparse = "?"
    machine._probA = None
    with pytest.raises(ParameterError, match=r"does not predict its own samples \(.+\); fit it again"):
        audit(machine, X, LABELS)
