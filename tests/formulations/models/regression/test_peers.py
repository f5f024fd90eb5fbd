# SPDX-License-Identifier: BSD-3-Clause
"""The regression models against scikit-learn: the same decision values, and certificates for its fitted estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge as KernelRidgeEstimator
from sklearn.linear_model import HuberRegressor, LinearRegression, QuantileRegressor, Ridge
from sklearn.svm import SVR, LinearSVR, NuSVR

from formulations import (
    Huber,
    KernelRidge,
    LeastAbsoluteFit,
    LeastSquares,
    LeastSquaresFit,
    NuTube,
    PenalisedTube,
    Quantile,
    SoftTube,
)
from formulations.modelling.inputs.estimators import cost_of_ridge, with_constant
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF, Kernel
from regression_data import solved

M = 150
GAMMA = 0.4
RADIAL = RBF(GAMMA)
SHARP = {"gamma": GAMMA, "tol": 1e-9}
CLOSE = 1e-4
"""Within which decision values agree, in units of the targets."""


@cache
def targets() -> tuple[np.ndarray, np.ndarray]:
    """Return 150 samples of diabetes, standardised."""
    X, y = load_diabetes(return_X_y=True)
    few = np.random.default_rng(1).permutation(len(y))[:M]
    X, y = X[few], y[few]
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def with_new(X: np.ndarray) -> np.ndarray:
    """Return the samples and as many new ones."""
    return np.vstack([X, X + 0.3 * np.random.default_rng(2).normal(size=X.shape)])


@dataclass(frozen=True)
class Peer:
    """Forms of a model, and an estimator of scikit-learn that should find the same function."""

    model: type
    forms: tuple[str, ...]
    ours: dict[str, Any]
    theirs: Callable[[], Any]
    kernel: Kernel | None = None


BOTH = ("dual", "primal")
PEERS = {
    "SVR": Peer(SoftTube, BOTH, {"C": 2.0, "epsilon": 0.3}, lambda: SVR(C=2.0, epsilon=0.3, **SHARP), RADIAL),
    "SVR linear": Peer(
        SoftTube, BOTH, {"C": 0.5, "epsilon": 0.2}, lambda: SVR(C=0.5, epsilon=0.2, kernel="linear", tol=1e-9)
    ),
    "NuSVR": Peer(NuTube, BOTH, {"C": 2.0, "nu": 0.4}, lambda: NuSVR(C=2.0, nu=0.4, **SHARP), RADIAL),
    "KernelRidge": Peer(
        KernelRidge,
        BOTH,
        {"regularisation": 0.6},
        lambda: KernelRidgeEstimator(alpha=0.6, kernel="rbf", gamma=GAMMA),
        RADIAL,
    ),
    "Ridge": Peer(LeastSquares, (*BOTH, "constrained"), {"C": cost_of_ridge(2.5)}, lambda: Ridge(alpha=2.5)),
    "LinearRegression": Peer(LeastSquaresFit, ("primal",), {}, LinearRegression),
    "QuantileRegressor": Peer(
        LeastAbsoluteFit, ("primal",), {}, lambda: QuantileRegressor(quantile=0.5, alpha=0.0, solver="highs")
    ),
    "QuantileRegressor of another quantile": Peer(
        # Losses with kinks: from some C on the norm decides only among the minimisers of the losses.
        Quantile,
        ("primal",),
        {"tau": 0.3, "C": 1e3},
        lambda: QuantileRegressor(quantile=0.3, alpha=0.0, solver="highs"),
    ),
}


@pytest.mark.parametrize("name", PEERS)
def test_decision_values(name: str) -> None:
    peer = PEERS[name]
    X = with_new(targets()[0])
    expected = peer.theirs().fit(*targets()).predict(X)
    model = peer.model(*targets(), peer.kernel, **peer.ours)
    for form in peer.forms:
        assert solved(model.forms[form]).function(X) == pytest.approx(expected, rel=0, abs=CLOSE)


def test_weights_of_samples_are_costs() -> None:
    weights = np.random.default_rng(8).uniform(0.2, 3.0, M)
    X, y = targets()
    tube = SVR(C=1.5, epsilon=0.2, **SHARP).fit(X, y, sample_weight=weights)
    model = SoftTube(X, y, RADIAL, C=1.5 * weights, epsilon=0.2)
    assert solved(model, None, 1e-9).decision == pytest.approx(tube.predict(X), rel=0, abs=CLOSE)
    ridge = Ridge(alpha=2.0).fit(X, y, sample_weight=weights)
    huge = Huber(X, y, delta=1e4, C=cost_of_ridge(2.0) * weights)
    assert solved(huge, None, 1e-10).decision == pytest.approx(ridge.predict(X), rel=0, abs=CLOSE)


def test_liblinear_regression() -> None:
    X, y = targets()
    machine = LinearSVR(C=0.6, epsilon=0.1, tol=1e-8, max_iter=1000000, random_state=0).fit(X, y)
    solution = solved(SoftTube(with_constant(X), y, C=0.6, epsilon=0.1, fit_intercept=False), None, 1e-9)
    assert solution.decision == pytest.approx(machine.predict(X), rel=0, abs=CLOSE)
    penalised = PenalisedTube(with_constant(X), y, regularisation=1 / 1.2, epsilon=0.1)
    assert solved(penalised.loss).decision == pytest.approx(machine.predict(X), rel=0, abs=CLOSE)


@pytest.mark.parametrize("form", BOTH)
def test_huber_regression(form: str) -> None:
    X, y = targets()
    y = y + np.where(np.arange(M) % 25 == 0, 6.0, 0.0)
    machine = HuberRegressor(epsilon=1.4, alpha=0.3, tol=1e-8, max_iter=10000).fit(X, y)
    solution = solved(Huber(X, y, delta=1.4 * machine.scale_, C=1.0 / (0.3 * machine.scale_)).forms[form], None, 1e-9)
    assert solution.decision == pytest.approx(machine.predict(X), rel=0, abs=CLOSE)
    assert solution.intercept == pytest.approx(machine.intercept_, rel=0, abs=CLOSE)


def test_least_squares_of_least_norm() -> None:
    """With fewer samples than features there are many; scikit-learn takes the same one."""
    X, y = targets()
    X, y = X[:7], y[:7]
    machine = LinearRegression().fit(X, y)
    solution = solved(LeastSquaresFit(X, y), None, 1e-9)
    new = with_new(X)
    assert solution.function(new) == pytest.approx(machine.predict(new), rel=0, abs=1e-9)
    assert "least norm" in solution.message


# --- certificates for fitted estimators ---

JUDGED = {
    "SVR": (SoftTube, {"C": 2.0, "epsilon": 0.3}, SVR(C=2.0, epsilon=0.3, **SHARP), SVR(C=2.0, **SHARP)),
    "NuSVR": (NuTube, {"C": 2.0, "nu": 0.4}, NuSVR(C=2.0, nu=0.4, **SHARP), NuSVR(C=2.0, nu=0.5, **SHARP)),
    "NuSVR of another cost": (
        NuTube,
        {"C": 2.0, "nu": 0.4},
        NuSVR(C=2.0, nu=0.4, **SHARP),
        NuSVR(C=1.9, nu=0.4, **SHARP),
    ),
    "KernelRidge": (
        KernelRidge,
        {"regularisation": 0.6},
        KernelRidgeEstimator(alpha=0.6, kernel="rbf", gamma=GAMMA),
        KernelRidgeEstimator(alpha=0.7, kernel="rbf", gamma=GAMMA),
    ),
}


@pytest.mark.parametrize("name", JUDGED)
def test_fitted_estimators_are_certified(name: str) -> None:
    kind, parameters, same, other = JUDGED[name]
    model = kind(*targets(), RADIAL, **parameters)  # type: ignore[operator]
    certificate = model.certify(same.fit(*targets()))
    assert certificate.holds(1e-5), certificate
    assert certificate.relative_gap < 1e-5
    with pytest.raises(ParameterError, match=r"the estimator was fitted with .*, but the model has"):
        model.certify(other.fit(*targets()))


def test_linear_regression_is_certified() -> None:
    X, y = targets()
    model = LeastSquaresFit(X, y)
    assert model.certify(LinearRegression().fit(X, y)).holds(1e-10)
    assert not model.certify(LinearRegression().fit(X, y + X[:, 0])).holds(1e-4)
    assert not model.certify(LinearRegression(positive=True).fit(X, y)).holds(1e-4)
    assert not model.certify(Ridge(alpha=50.0).fit(X, y)).holds(1e-4)
    through_zero = LinearRegression(fit_intercept=False).fit(X, y)
    assert LeastSquaresFit(X, y, fit_intercept=False).certify(through_zero).holds(1e-9)


def test_an_intercept_where_the_model_has_none() -> None:
    X, y = targets()
    fitted = LinearRegression().fit(X, y + 3.0)
    with pytest.raises(ParameterError, match="has no intercept, but b = 3"):
        LeastSquaresFit(X, y + 3.0, fit_intercept=False).certify(fitted)
