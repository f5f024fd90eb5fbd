# SPDX-License-Identifier: BSD-3-Clause
"""The models of classes against scikit-learn: the same decision values, and certificates for its fitted estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import SVC, LinearSVC, NuSVC, OneClassSVM

from formulations import Logistic, NuMargin, OneClass, PenalisedLogistic, SoftMargin, SquaredHinge
from formulations.modelling.inputs.estimators import (
    scale_of_one_class,
    with_constant,
)
from model_data import one_against_rest
from qpkernels import Gram, Mercer
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF, Kernel, Linear
from regression_data import solved

GAMMA = 0.4
RADIAL = RBF(GAMMA)
SHARP = {"gamma": GAMMA, "tol": 1e-9}
CLOSE = 1e-4
"""Within which decision values agree, in units of the margin."""


@cache
def two_classes() -> tuple[np.ndarray, np.ndarray]:
    """Return wine, class 1 against the others."""
    return one_against_rest("wine", 1)


def with_new(X: np.ndarray) -> np.ndarray:
    """Return the samples and as many new ones."""
    return np.vstack([X, X + 0.3 * np.random.default_rng(2).normal(size=X.shape)])


# --- the same hyper-parameters, the same decision values ---


@dataclass(frozen=True)
class Peer:
    """A model, and an estimator of scikit-learn that should find the same function, up to a factor."""

    model: type
    ours: dict[str, Any]
    theirs: Callable[[], Any]
    kernel: Kernel | None = None
    scale: float = 1.0

    @property
    def data(self) -> tuple[np.ndarray, ...]:
        return two_classes()[:1] if self.model is OneClass else two_classes()


PEERS = {
    "SVC": Peer(SoftMargin, {"C": 3.0}, lambda: SVC(C=3.0, **SHARP), RADIAL),
    "SVC linear": Peer(SoftMargin, {"C": 0.7}, lambda: SVC(C=0.7, kernel="linear", tol=1e-9)),
    "OneClassSVM": Peer(
        OneClass, {"nu": 0.3}, lambda: OneClassSVM(nu=0.3, **SHARP), RADIAL, scale=scale_of_one_class(0.3, 178)
    ),
    "LogisticRegression": Peer(Logistic, {"C": 1.8}, lambda: LogisticRegression(C=1.8, tol=1e-10, max_iter=10000)),
}


@pytest.mark.parametrize("form", ["dual", "primal"])
@pytest.mark.parametrize("name", PEERS)
def test_decision_values(name: str, form: str) -> None:
    peer = PEERS[name]
    X = with_new(peer.data[0])
    expected = peer.theirs().fit(*peer.data).decision_function(X)
    solution = solved(peer.model(*peer.data, peer.kernel, **peer.ours).forms[form])
    assert peer.scale * solution.function(X) == pytest.approx(expected, rel=0, abs=CLOSE)


def test_weights_of_samples_are_costs() -> None:
    weights = np.random.default_rng(8).uniform(0.2, 3.0, 178)
    X, y = two_classes()
    machine = SVC(C=1.5, **SHARP).fit(X, y, sample_weight=weights)
    model = SoftMargin(X, y, RADIAL, C=1.5 * weights)
    assert solved(model, None, 1e-9).decision == pytest.approx(machine.decision_function(X), rel=0, abs=CLOSE)
    assert model.certify(machine).holds(1e-5)


@pytest.mark.parametrize("form", ["dual", "primal"])
def test_nu_machine_divided_by_rho(form: str) -> None:
    X, y = two_classes()
    grid = with_new(X)
    solution = solved(NuMargin(X, y, RADIAL, nu=0.3).forms[form], None)
    cost = 1.0 / (len(y) * solution.margin_level)
    machine = NuSVC(nu=0.3, **SHARP).fit(X, y)
    divided = solution.function(grid) / solution.margin_level
    assert divided == pytest.approx(machine.decision_function(grid), rel=0, abs=CLOSE)
    same = SVC(C=cost, **SHARP).fit(X, y)
    assert divided == pytest.approx(same.decision_function(grid), rel=0, abs=CLOSE)
    ours = solved(SoftMargin(X, y, RADIAL, C=cost), None, 1e-9)
    assert divided == pytest.approx(ours.function(grid), rel=0, abs=CLOSE)
    assert 0.01 < cost < 100


@pytest.mark.parametrize("features", ["Mercer", "Cholesky"])
def test_logistic_regression_in_the_features_of_the_kernel(features: str) -> None:
    X, y = two_classes()
    F = Mercer(RADIAL, X).features if features == "Mercer" else Gram(RADIAL, X).factor
    assert np.abs(F @ F.T - RADIAL(X)).max() < 1e-9
    machine = LogisticRegression(C=5.0, tol=1e-10, max_iter=10000).fit(F, y)
    for form in Logistic(X, y, RADIAL, C=5.0).forms.values():
        solution = solved(form, None, 1e-9)
        assert solution.decision == pytest.approx(machine.decision_function(F), rel=0, abs=CLOSE)
        assert solution.intercept == pytest.approx(float(machine.intercept_[0]), rel=0, abs=CLOSE)


def test_logistic_regression_as_regularised_empirical_risk() -> None:
    X, y = two_classes()
    machine = LogisticRegression(C=0.5 / 0.2, fit_intercept=False, tol=1e-10, max_iter=10000).fit(X, y)
    solution = solved(PenalisedLogistic(X, y, regularisation=0.2), None, 1e-10)
    assert solution.decision == pytest.approx(machine.decision_function(X), rel=0, abs=CLOSE)


@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_liblinear(scaling: float) -> None:
    """LIBLINEAR penalises its intercept, which is the weight of a constant feature."""
    X, y = two_classes()
    options = {"C": 0.8, "intercept_scaling": scaling, "tol": 1e-10, "max_iter": 1000000}
    constant = with_constant(X, scaling)
    machine = LinearSVC(loss="squared_hinge", dual=False, **options).fit(X, y)
    for form in SquaredHinge(constant, y, C=0.8, fit_intercept=False).forms.values():
        solution = solved(form, None, 1e-9)
        assert solution.decision == pytest.approx(machine.decision_function(X), rel=0, abs=CLOSE)
    logistic = LogisticRegression(solver="liblinear", **options).fit(X, y)
    solution = solved(Logistic(constant, y, C=0.8, fit_intercept=False).primal, None, 1e-9)
    assert solution.decision == pytest.approx(logistic.decision_function(X), rel=0, abs=CLOSE)


def test_stochastic_gradients_have_the_mean_of_the_losses() -> None:
    """They stop early, so that only the order of magnitude is theirs: the cost found is the best of several."""
    X, y = two_classes()
    machine = SGDClassifier(loss="log_loss", alpha=0.02, tol=None, max_iter=2000, average=100, random_state=0).fit(X, y)
    cost = 1.0 / (len(y) * 0.02)
    model = Logistic(X, y)
    off = {
        factor: np.abs(
            solved(model.set_params(C=factor * cost).dual, None, 1e-9).decision - machine.decision_function(X)
        ).max()
        for factor in (0.25, 0.5, 1.0, 2.0, 4.0)
    }
    assert min(off, key=lambda factor: off[factor]) == 1.0
    assert off[1.0] < 0.01


# --- certificates for fitted estimators ---

OTHER = {"gamma": 0.5, "tol": 1e-9}

JUDGED = {
    "SVC": (SoftMargin, {"C": 2.0}, SVC(C=2.0, **SHARP), SVC(C=1.9, **SHARP)),
    "SVC of another kernel": (SoftMargin, {"C": 2.0}, SVC(C=2.0, **SHARP), SVC(C=2.0, **OTHER)),
    "NuSVC": (NuMargin, {"nu": 0.3}, NuSVC(nu=0.3, **SHARP), NuSVC(nu=0.32, **SHARP)),
    "OneClassSVM": (OneClass, {"nu": 0.3}, OneClassSVM(nu=0.3, **SHARP), OneClassSVM(nu=0.31, **SHARP)),
}


@pytest.mark.parametrize("name", JUDGED)
def test_fitted_estimators_are_certified(name: str) -> None:
    kind, parameters, same, other = JUDGED[name]
    data = two_classes()[:1] if kind is OneClass else two_classes()
    model = kind(*data, RADIAL, **parameters)  # type: ignore[operator]
    certificate = model.certify(same.fit(*data))
    assert certificate.holds(1e-5), certificate
    assert certificate.relative_gap < 1e-5
    with pytest.raises(ParameterError, match=r"the estimator was fitted with .*, but the model has"):
        model.certify(other.fit(*data))


def test_an_estimator_in_explicit_features_is_certified() -> None:
    X, y = two_classes()
    for kernel in (None, Linear()):
        model = SoftMargin(X, y, kernel, C=0.7)
        assert model.certify(SVC(C=0.7, kernel="linear", tol=1e-9).fit(X, y)).holds(1e-5)
        with pytest.raises(ParameterError, match=r"was fitted with C = 0\.8, but the model has C = 0\.7"):
            model.certify(SVC(C=0.8, kernel="linear", tol=1e-9).fit(X, y))
