# SPDX-License-Identifier: BSD-3-Clause
"""What can be audited: steps of pipelines, the best of a search; and what cannot, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from audit_data import SHARP, targets, three_classes, two_classes, weights
from formulations import audit, estimators
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import RBF


def test_the_last_step_of_a_pipeline() -> None:
    X, y = two_classes()
    machine = make_pipeline(StandardScaler(), PCA(3), SVC(**SHARP)).fit(5.0 + X, y)
    found = audit(machine, 5.0 + X, y, tol=1e-6)
    assert found.estimator == "SVC"
    assert found.status == "optimal"
    assert audit(make_pipeline(SVC(**SHARP)).fit(X, y), X, y).status == "optimal"


def test_the_best_of_a_search() -> None:
    X, y = two_classes()
    pipeline = make_pipeline(StandardScaler(), SVC(**SHARP))
    search = GridSearchCV(pipeline, {"svc__C": [0.5, 2.0]}, cv=2).fit(X, y)
    found = audit(search, X, y, tol=1e-6)
    assert found.status == "optimal"
    assert found[0].machine.model.value_of("C")[0] == search.best_params_["svc__C"]
    drawn = RandomizedSearchCV(SVC(**SHARP), {"C": [0.5, 2.0]}, n_iter=2, cv=2, random_state=0).fit(X, y)
    assert audit(drawn, X, y, tol=1e-6).status == "optimal"


def test_a_search_without_a_best_machine() -> None:
    X, y = two_classes()
    search = GridSearchCV(SVC(), {"C": [0.5, 2.0]}, cv=2, refit=False)
    for unfitted in (search, search.fit(X, y)):
        with pytest.raises(NotFittedError, match=r"has no best_estimator_: call fit, with refit=True"):
            audit(unfitted, X, y)


@pytest.mark.parametrize(
    "estimator",
    [SVC(), SVR(), LinearSVC(), KernelRidge(), Ridge(), LogisticRegression(), make_pipeline(StandardScaler(), SVC())],
    ids=lambda each: type(each).__name__,
)
def test_machines_that_are_not_fitted(estimator: Any) -> None:
    X, y = two_classes()
    with pytest.raises(NotFittedError, match=r"not fitted yet"):
        audit(estimator, X, y)


def test_attributes_that_a_library_sets_to_nothing() -> None:
    class SVC:
        dual_coef_ = None

    with pytest.raises(NotFittedError, match=r"this SVC is not fitted yet: call fit before its audit"):
        audit(SVC(), *two_classes())


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(), object(), 3.0, None], ids=lambda each: type(each).__name__
)
def test_what_is_no_machine(estimator: Any) -> None:
    X, y = two_classes()
    name = type(estimator).__name__
    with pytest.raises(
        ParameterError, match=rf"an audit takes a fitted SVC, NuSVC, .* but {name} came; state its model"
    ):
        audit(estimator, X, y)


def test_a_class_in_place_of_an_estimator() -> None:
    with pytest.raises(ParameterError, match=r"takes a fitted estimator, but the class SVC came; fit one"):
        audit(SVC, *two_classes())


CLASSIFIERS = [
    estimators.SVC(C=2.0),
    estimators.SVC(kernel=RBF(0.1)),
    estimators.NuSVC(nu=0.2),
    estimators.SquaredHingeSVC(),
    estimators.LSSVC(),
    estimators.KernelLogisticRegression(),
    estimators.LPSVC(),
]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_classes(estimator: Any, several: bool) -> None:
    X, y = three_classes() if several else two_classes()
    machine = estimator.set_params(tol=1e-6).fit(X, y)
    found = audit(machine, X, y, tol=1e-6)
    assert found.status == "optimal"
    assert len(found) == (3 if several else 1)
    proof = max((each.certificate for each in found), key=lambda each: each.relative_gap)
    assert proof.relative_gap == pytest.approx(machine.certificate_.relative_gap, rel=1e-3, abs=1e-12)
    assert all(np.array_equal(each.machine.labels, y[each.rows]) for each in found)


@pytest.mark.parametrize("estimator", [estimators.SVR(), estimators.QuantileSVR(quantile=0.3)], ids=str)
def test_targets(estimator: Any) -> None:
    X, y = targets()
    counted = weights(len(y))
    machine = estimator.fit(X, y, sample_weight=counted)
    found = audit(machine, X, y, sample_weight=counted)
    assert found.status == "optimal"
    assert np.array_equal(found[0].rows, np.flatnonzero(counted))
    with pytest.raises(ShapeError, match=r"but 150 came with a weight above 0"):
        audit(machine, X, y)


def test_one_class_and_a_matrix() -> None:
    X, y = two_classes()
    assert audit(estimators.OneClassSVM(nu=0.2).fit(X), X).status == "optimal"
    K = rbf_kernel(X, gamma=0.1)
    assert audit(estimators.SVC(kernel="precomputed").fit(K, y), K, y).status == "optimal"


def test_other_data() -> None:
    X, y = two_classes()
    machine = estimators.SVC().fit(X, y)
    with pytest.raises(ParameterError, match=r"sample 0 of X is not the one"):
        audit(machine, X[::-1], y)
    other = y.copy()
    other[5] = "no" if y[5] == "yes" else "yes"
    with pytest.raises(ParameterError, match=rf"sample 5 was '{y[5]}' when the estimator was fitted, but y has"):
        audit(machine, X, other)
    with pytest.raises(ParameterError, match=r"SVC has no hyper-parameter 'C'; those that can be given are none"):
        audit(machine, X, y, C=1.0)
    with pytest.raises(NotFittedError):
        audit(estimators.SVC(), X, y)
