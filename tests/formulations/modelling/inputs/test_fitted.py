# SPDX-License-Identifier: BSD-3-Clause
"""Fitted estimators that answer another problem than the model, and those that only look as if they did."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.kernel_ridge import KernelRidge as KernelRidgeEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from formulations import KernelRidge, LeastSquares, Logistic, NuMargin, NuTube, OneClass, SoftMargin, SoftTube
from formulations import estimators as ours
from qpkernels import RBF, Linear
from qpkernels.errors import ParameterError, ShapeError

X = np.random.default_rng(5).normal(size=(40, 3))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] ** 2 > 0.2, "yes", "no")
T = X[:, 0] - X[:, 1] ** 2
MARGIN = SoftMargin(X, Y, RBF(0.5), C=1.0)
TUBE = SoftTube(X, T, RBF(0.5), C=1.0, epsilon=0.1)

both = pytest.mark.parametrize("kind", [SVC, ours.SVC], ids=["scikit-learn", "ours"])

OTHERS = {
    "C": (MARGIN, SVC(C=10.0, gamma=0.5).fit(X, Y), "C = 10, but the model has C = 1; pass it to a model of its own"),
    "gamma": (MARGIN, SVC(gamma=0.4).fit(X, Y), r"RBF\(gamma=0\.4\), but the model has RBF\(gamma=0\.5\)"),
    "scale": (MARGIN, SVC().fit(X, Y), r"RBF\(gamma=0\.\d+\), but the model has RBF"),
    "kernel": (MARGIN, SVC(kernel="linear").fit(X, Y), r"Linear\(\), but the model has RBF"),
    "classes' weights": (MARGIN, SVC(gamma=0.5, class_weight={"no": 0.5}).fit(X, Y), "C from 0.5 to 1, but the model"),
    "costs of samples": (
        SoftMargin(X, Y, RBF(0.5), C=np.where(Y == "no", 3.0, 6.0)),
        SVC(gamma=0.5, class_weight={"yes": 2.0}).fit(X, Y),
        "C from 1 to 2, but the model has C from 3 to 6",
    ),
    "epsilon": (TUBE, SVR(gamma=0.5, epsilon=0.2).fit(X, T), "epsilon = 0.2, but the model has epsilon = 0.1"),
    "nu": (
        OneClass(X, RBF(0.5), nu=0.2),
        OneClassSVM(gamma=0.5, nu=0.3).fit(X),
        "nu = 0.3, but the model has nu = 0.2",
    ),
    "nu of classes": (NuMargin(X, Y, RBF(0.5), nu=0.2), NuSVC(gamma=0.5, nu=0.3).fit(X, Y), "nu = 0.3, but"),
    "C of a nu-tube": (NuTube(X, T, RBF(0.5), nu=0.5, C=2.0), NuSVR(gamma=0.5).fit(X, T), "C = 1, but the model has C"),
    "alpha": (
        KernelRidge(X, T, RBF(0.5), regularisation=0.2),
        KernelRidgeEstimator(kernel="rbf", gamma=0.5).fit(X, T),
        "regularisation = 1, but the model has regularisation = 0.2",
    ),
    "alpha of a ridge": (LeastSquares(X, T, C=1.0), Ridge(alpha=2.0).fit(X, T), "C = 0.5, but the model has C = 1"),
    "weights of features": (Logistic(X, Y, C=1.0), LogisticRegression(C=2.0).fit(X, Y), "C = 2, but the model has C"),
    "kernel of weights": (Logistic(X, Y, RBF(0.5)), LogisticRegression().fit(X, Y), r"Linear\(\), but the model has"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_an_estimator_of_another_problem_is_refused(name: str) -> None:
    model, estimator, words = OTHERS[name]
    with pytest.raises(ParameterError, match=f"the estimator was fitted with {words}"):
        model.certify(estimator)


@both
def test_an_estimator_of_other_samples_or_labels_is_refused(kind: Any) -> None:
    other = np.where(Y == "no", "yes", "no")
    with pytest.raises(ParameterError, match="of X is not the one that the estimator was fitted to"):
        MARGIN.certify(kind(gamma=0.5).fit(X[::-1], Y[::-1]))
    with pytest.raises(ParameterError, match="pass the y that it was fitted to"):
        MARGIN.certify(kind(gamma=0.5).fit(X, other))
    with pytest.raises(ShapeError, match="fitted to samples of 2 features, but those of the model have 3"):
        MARGIN.certify(kind(gamma=0.5).fit(X[:, :2], Y))
    with pytest.raises(ParameterError, match=r"must be fitted to the classes \['no', 'yes'\]"):
        MARGIN.certify(kind(gamma=0.5).fit(X, np.where(Y == "no", "a", "b")))
    with pytest.raises(ShapeError, match="fitted to these 40 samples, but it was fitted to 30"):
        MARGIN.certify(kind(gamma=0.5).fit(X[:30], Y[:30]))


@both
def test_the_same_problem_in_other_words_is_certified(kind: Any) -> None:
    """A matrix of kernel values, weights that an estimator does not keep, sparse samples, and a nu-machine's SVC."""
    K, costs = RBF(0.5).matrix(X, X), np.where(np.arange(40) % 3, 1.0, 2.0)
    assert MARGIN.certify(kind(kernel="precomputed", tol=1e-7).fit(K, Y)).holds(1e-4)
    for weights in (costs, np.full(40, 0.1)):
        fitted = kind(gamma=0.5, tol=1e-7, C=3.0).fit(X, Y, sample_weight=10.0 * weights)
        assert SoftMargin(X, Y, RBF(0.5), C=30.0 * weights).certify(fitted).holds(1e-4)
    balanced = kind(gamma=0.5, tol=1e-7, class_weight={"no": 2.0}).fit(X, Y)
    assert SoftMargin(X, Y, RBF(0.5), C=np.where(Y == "no", 2.0, 1.0)).certify(balanced).holds(1e-4)
    linear = kind(kernel="linear", tol=1e-7).fit(csr_array(X), Y)
    assert SoftMargin(csr_array(X), Y, Linear(), C=1.0).certify(linear).holds(1e-4)
    scaled = kind(tol=1e-7).fit(X, Y)
    assert SoftMargin(X, Y, RBF(1.0 / (3 * X.var()))).certify(scaled).holds(1e-4)


def test_what_a_nu_machine_holds_is_the_answer_of_another_cost() -> None:
    fitted = NuSVC(gamma=0.5, nu=0.3, tol=1e-8).fit(X, Y)
    cost = float(np.abs(fitted.dual_coef_).max())
    assert SoftMargin(X, Y, RBF(0.5), C=cost).certify(fitted).holds(1e-4)


def test_weights_are_told_by_a_multiplier_above_the_cost() -> None:
    """Without one, as where the classes are far apart, a common weight is taken for another C."""
    weights = np.full(40, 4.0)
    model = SoftMargin(X, Y, RBF(0.5), C=4.0)
    assert model.certify(SVC(gamma=0.5, tol=1e-7).fit(X, Y, sample_weight=weights)).holds(1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ParameterError, match="C = 1, but the model has C = 4"):
            model.certify(SVC(gamma=0.5).fit(X, Y))
