# SPDX-License-Identifier: BSD-3-Clause
"""The models against scikit-learn: the same decision values, and certificates for its fitted estimators."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    QuantileRegressor,
    Ridge,
    SGDClassifier,
)
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

from formulations import (
    HuberDual,
    HuberPrimal,
    KernelRidgeDual,
    KernelRidgePrimal,
    LeastAbsoluteFit,
    LeastSquaresDual,
    LeastSquaresFit,
    LeastSquaresPrimal,
    LogisticDual,
    LogisticPenalised,
    LogisticPrimal,
    NuMarginDual,
    NuMarginPrimal,
    NuTubeDual,
    NuTubePrimal,
    OneClassDual,
    OneClassPrimal,
    PenalisedTube,
    QuantilePrimal,
    SoftMarginDual,
    SoftMarginPrimal,
    SoftTubeDual,
    SoftTubePrimal,
    SquaredHingeDual,
    SquaredHingePrimal,
)
from formulations.estimators import (
    cost_of_margin,
    cost_of_penalty,
    cost_of_ridge,
    cost_of_scaled_penalty,
    huber_parameters,
    scale_of_one_class,
    with_constant,
)
from model_data import one_against_rest
from qpkernels import Gram, Mercer
from qpkernels.certificates import Status
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels import RBF, Kernel, Linear

GAMMA = 0.4
RADIAL = RBF(GAMMA)
SHARP = {"gamma": GAMMA, "tol": 1e-9}
CLOSE = 1e-4
"""Within which decision values agree, in units of the targets or of the margin."""


@cache
def two_classes() -> tuple[np.ndarray, np.ndarray]:
    """Return wine, class 1 against the others."""
    return one_against_rest("wine", 1)


@cache
def targets() -> tuple[np.ndarray, np.ndarray]:
    """Return 150 samples of diabetes, standardised."""
    X, y = load_diabetes(return_X_y=True)
    few = np.random.default_rng(1).permutation(len(y))[:150]
    X, y = X[few], y[few]
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def with_new(X: np.ndarray) -> np.ndarray:
    """Return the samples and as many new ones."""
    return np.vstack([X, X + 0.3 * np.random.default_rng(2).normal(size=X.shape)])


def solved(model: Any, solver: str | None = None, tol: float = 1e-9) -> Any:
    solution = model.solve(solver, tol=tol)
    assert solution.status is Status.OPTIMAL, solution
    return solution


# --- the same hyper-parameters, the same decision values ---


@dataclass(frozen=True)
class Peer:
    """Forms of a model, and an estimator of scikit-learn that should find the same function, up to a factor."""

    forms: tuple[type, ...]
    ours: dict[str, Any]
    theirs: Callable[[], Any]
    kernel: Kernel | None = None
    scale: float = 1.0

    @property
    def data(self) -> tuple[np.ndarray, ...]:
        if issubclass(self.forms[0], OneClassDual | OneClassPrimal):
            return two_classes()[:1]
        classifies = hasattr(self.theirs(), "predict_proba") or hasattr(self.theirs(), "decision_function")
        return two_classes() if classifies else targets()

    def fitted(self) -> Callable[[np.ndarray], np.ndarray]:
        estimator = self.theirs().fit(*self.data)
        return getattr(estimator, "decision_function", estimator.predict)  # type: ignore[no-any-return]


M = 150
FORMS = {"hinge": (SoftMarginDual, SoftMarginPrimal), "tube": (SoftTubeDual, SoftTubePrimal)}

PEERS = {
    "SVC": Peer(FORMS["hinge"], {"C": 3.0}, lambda: SVC(C=3.0, **SHARP), RADIAL),
    "SVC linear": Peer(FORMS["hinge"], {"C": 0.7}, lambda: SVC(C=0.7, kernel="linear", tol=1e-9)),
    "SVR": Peer(FORMS["tube"], {"C": 2.0, "epsilon": 0.3}, lambda: SVR(C=2.0, epsilon=0.3, **SHARP), RADIAL),
    "SVR linear": Peer(
        FORMS["tube"], {"C": 0.5, "epsilon": 0.2}, lambda: SVR(C=0.5, epsilon=0.2, kernel="linear", tol=1e-9)
    ),
    "NuSVR": Peer((NuTubeDual, NuTubePrimal), {"C": 2.0, "nu": 0.4}, lambda: NuSVR(C=2.0, nu=0.4, **SHARP), RADIAL),
    "OneClassSVM": Peer(
        (OneClassDual, OneClassPrimal),
        {"nu": 0.3},
        lambda: OneClassSVM(nu=0.3, **SHARP),
        RADIAL,
        scale=scale_of_one_class(0.3, 178),
    ),
    "KernelRidge": Peer(
        (KernelRidgeDual, KernelRidgePrimal),
        {"regularisation": 0.6},
        lambda: KernelRidge(alpha=0.6, kernel="rbf", gamma=GAMMA),
        RADIAL,
    ),
    "Ridge": Peer((LeastSquaresDual, LeastSquaresPrimal), {"C": cost_of_ridge(2.5)}, lambda: Ridge(alpha=2.5)),
    "LinearRegression": Peer((LeastSquaresFit,), {}, LinearRegression),
    "LogisticRegression": Peer(
        (LogisticDual, LogisticPrimal), {"C": 1.8}, lambda: LogisticRegression(C=1.8, tol=1e-10, max_iter=10000)
    ),
    "QuantileRegressor": Peer(
        (LeastAbsoluteFit,), {}, lambda: QuantileRegressor(quantile=0.5, alpha=0.0, solver="highs")
    ),
    "QuantileRegressor of another quantile": Peer(
        # Losses with kinks: from some C on the norm decides only among the minimisers of the losses.
        (QuantilePrimal,),
        {"tau": 0.3, "C": 1e3},
        lambda: QuantileRegressor(quantile=0.3, alpha=0.0, solver="highs"),
    ),
}


@pytest.mark.parametrize("name", PEERS)
def test_decision_values(name: str) -> None:
    peer = PEERS[name]
    X = with_new(peer.data[0])
    expected = peer.fitted()(X)
    for form in peer.forms:
        solution = solved(form(*peer.data, peer.kernel, **peer.ours), "clarabel", 1e-8)
        assert peer.scale * solution.function(X) == pytest.approx(expected, rel=0, abs=CLOSE)


def test_weights_of_samples_are_costs() -> None:
    weights = np.random.default_rng(8).uniform(0.2, 3.0, 178)
    X, y = two_classes()
    machine = SVC(C=1.5, **SHARP).fit(X, y, sample_weight=weights)
    model = SoftMarginDual(X, y, RADIAL, C=1.5 * weights)
    assert solved(model).decision == pytest.approx(machine.decision_function(X), rel=0, abs=CLOSE)
    assert model.certify(machine).holds(1e-5)
    X, y = targets()
    tube = SVR(C=1.5, epsilon=0.2, **SHARP).fit(X, y, sample_weight=weights[:M])
    model = SoftTubeDual(X, y, RADIAL, C=1.5 * weights[:M], epsilon=0.2)
    assert solved(model).decision == pytest.approx(tube.predict(X), rel=0, abs=CLOSE)
    ridge = Ridge(alpha=2.0).fit(X, y, sample_weight=weights[:M])
    huge = HuberDual(X, y, delta=1e4, C=cost_of_ridge(2.0) * weights[:M])
    assert solved(huge, tol=1e-10).decision == pytest.approx(ridge.predict(X), rel=0, abs=CLOSE)


@pytest.mark.parametrize("form", [NuMarginDual, NuMarginPrimal])
def test_nu_machine_divided_by_rho(form: type) -> None:
    X, y = two_classes()
    grid = with_new(X)
    solution = solved(form(X, y, RADIAL, nu=0.3), tol=1e-8)
    cost = cost_of_margin(solution.margin_level, len(y))
    machine = NuSVC(nu=0.3, **SHARP).fit(X, y)
    divided = solution.function(grid) / solution.margin_level
    assert divided == pytest.approx(machine.decision_function(grid), rel=0, abs=CLOSE)
    same = SVC(C=cost, **SHARP).fit(X, y)
    assert divided == pytest.approx(same.decision_function(grid), rel=0, abs=CLOSE)
    ours = solved(SoftMarginDual(X, y, RADIAL, C=cost))
    assert divided == pytest.approx(ours.function(grid), rel=0, abs=CLOSE)
    assert 0.01 < cost < 100


@pytest.mark.parametrize("features", ["Mercer", "Cholesky"])
def test_logistic_regression_in_the_features_of_the_kernel(features: str) -> None:
    X, y = two_classes()
    F = Mercer(RADIAL, X).features if features == "Mercer" else Gram(RADIAL, X).factor
    assert np.abs(F @ F.T - RADIAL(X)).max() < 1e-9
    machine = LogisticRegression(C=5.0, tol=1e-10, max_iter=10000).fit(F, y)
    for form in (LogisticPrimal, LogisticDual):
        solution = solved(form(X, y, RADIAL, C=5.0))
        assert solution.decision == pytest.approx(machine.decision_function(F), rel=0, abs=CLOSE)
        assert solution.intercept == pytest.approx(float(machine.intercept_[0]), rel=0, abs=CLOSE)


def test_logistic_regression_in_the_scaling_of_statistics() -> None:
    X, y = two_classes()
    machine = LogisticRegression(C=cost_of_penalty(0.2), fit_intercept=False, tol=1e-10, max_iter=10000).fit(X, y)
    solution = solved(LogisticPenalised(X, y, regularisation=0.2), tol=1e-8)
    assert solution.decision == pytest.approx(machine.decision_function(X), rel=0, abs=CLOSE)


@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_liblinear(scaling: float) -> None:
    """LIBLINEAR penalises its intercept, which is the weight of a constant feature."""
    X, y = two_classes()
    options = {"C": 0.8, "intercept_scaling": scaling, "tol": 1e-10, "max_iter": 1000000}
    constant = with_constant(X, scaling)
    for form in (SquaredHingePrimal, SquaredHingeDual):
        machine = LinearSVC(loss="squared_hinge", dual=False, **options).fit(X, y)
        solution = solved(form(constant, y, C=0.8, fit_intercept=False))
        assert solution.decision == pytest.approx(machine.decision_function(X), rel=0, abs=CLOSE)
    logistic = LogisticRegression(solver="liblinear", **options).fit(X, y)
    solution = solved(LogisticPrimal(constant, y, C=0.8, fit_intercept=False))
    assert solution.decision == pytest.approx(logistic.decision_function(X), rel=0, abs=CLOSE)


def test_liblinear_regression() -> None:
    X, y = targets()
    machine = LinearSVR(C=0.6, epsilon=0.1, tol=1e-8, max_iter=1000000, random_state=0).fit(X, y)
    solution = solved(SoftTubeDual(with_constant(X), y, C=0.6, epsilon=0.1, fit_intercept=False))
    assert solution.decision == pytest.approx(machine.predict(X), rel=0, abs=CLOSE)
    penalised = PenalisedTube(with_constant(X), y, regularisation=1 / 1.2, epsilon=0.1)
    assert cost_of_penalty(1 / 1.2) == pytest.approx(0.6)
    assert solved(penalised, "clarabel", 1e-8).decision == pytest.approx(machine.predict(X), rel=0, abs=CLOSE)


@pytest.mark.parametrize("form", [HuberPrimal, HuberDual])
def test_huber_regression(form: type) -> None:
    X, y = targets()
    y = y + np.where(np.arange(M) % 25 == 0, 6.0, 0.0)
    machine = HuberRegressor(epsilon=1.4, alpha=0.3, tol=1e-8, max_iter=10000).fit(X, y)
    solution = solved(form(X, y, **huber_parameters(1.4, 0.3, machine.scale_)))
    assert solution.decision == pytest.approx(machine.predict(X), rel=0, abs=CLOSE)
    assert solution.intercept == pytest.approx(machine.intercept_, rel=0, abs=CLOSE)


def test_stochastic_gradients_have_the_mean_of_the_losses() -> None:
    """They stop early, so that only the order of magnitude is theirs: the cost found is the best of several."""
    X, y = two_classes()
    machine = SGDClassifier(loss="log_loss", alpha=0.02, tol=None, max_iter=2000, average=100, random_state=0).fit(X, y)
    cost = cost_of_scaled_penalty(0.02 / 2, len(y))
    off = {
        factor: np.abs(solved(LogisticDual(X, y, C=factor * cost)).decision - machine.decision_function(X)).max()
        for factor in (0.25, 0.5, 1.0, 2.0, 4.0)
    }
    assert min(off, key=lambda factor: off[factor]) == 1.0
    assert off[1.0] < 0.01


def test_least_squares_of_least_norm() -> None:
    """With fewer samples than features there are many; scikit-learn takes the same one."""
    X, y = targets()
    X, y = X[:7], y[:7]
    machine = LinearRegression().fit(X, y)
    solution = solved(LeastSquaresFit(X, y))
    new = with_new(X)
    assert solution.function(new) == pytest.approx(machine.predict(new), rel=0, abs=1e-9)
    assert "least norm" in solution.message


# --- what the translations promise ---


def minimiser(objective: Callable[[np.ndarray], float], size: int) -> np.ndarray:
    return np.asarray(minimize(objective, np.zeros(size), method="BFGS", options={"gtol": 1e-9}).x)


def logistic_losses(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, -y * (X @ w))


@pytest.mark.parametrize("penalty", [0.05, 2.0])
def test_cost_keep_the_minimiser(penalty: float) -> None:
    """Each docstring names two objectives; SciPy finds the minimum of the first, the model that of the second."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.4, 1.0, -1.0)

    def by_model(C: float) -> np.ndarray:
        return solved(LogisticDual(X, y, C=C, fit_intercept=False)).function(np.eye(3))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # BFGS reports the end of float64
        summed = minimiser(lambda w: logistic_losses(X, y, w).sum() + penalty * w @ w, 3)
        meaned = minimiser(lambda w: logistic_losses(X, y, w).mean() + penalty * w @ w, 3)
    assert by_model(cost_of_penalty(penalty)) == pytest.approx(summed, rel=0, abs=1e-5)
    assert by_model(cost_of_scaled_penalty(penalty, 30)) == pytest.approx(meaned, rel=0, abs=1e-5)
    ridge = np.linalg.solve(X.T @ X + penalty * np.eye(3), X.T @ y)
    squared = HuberDual(X, y, delta=1e3, C=cost_of_ridge(penalty), fit_intercept=False)
    assert solved(squared, tol=1e-12).function(np.eye(3)) == pytest.approx(ridge, rel=0, abs=1e-5)


def test_translations_in_numbers() -> None:
    assert cost_of_penalty(0.25) == 2.0
    assert cost_of_scaled_penalty(0.25, 4) == 0.5
    assert cost_of_ridge(4.0) == 0.25
    assert cost_of_margin(0.5, 8) == 0.25
    assert scale_of_one_class(0.5, 8) == 4.0
    assert scale_of_one_class(1, np.int64(3)) == 3.0
    assert huber_parameters(1.5, 0.5, 2.0) == {"delta": 3.0, "C": 1.0}
    assert with_constant([[1.0, 2.0], [3.0, 4.0]], 5.0).tolist() == [[1.0, 2.0, 5.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, "much", None])
@pytest.mark.parametrize(
    ("translate", "name"),
    [
        (cost_of_penalty, "lambda"),
        (cost_of_ridge, "lambda"),
        (lambda bad: cost_of_scaled_penalty(bad, 3), "lambda"),
        (lambda bad: cost_of_margin(bad, 3), "rho"),
        (lambda bad: scale_of_one_class(bad, 3), "nu"),
        (lambda bad: huber_parameters(bad, 1.0, 1.0), "epsilon"),
        (lambda bad: huber_parameters(1.0, bad, 1.0), "alpha"),
        (lambda bad: huber_parameters(1.0, 1.0, bad), "sigma"),
        (lambda bad: with_constant([[1.0]], bad), "scaling"),
    ],
)
def test_numbers_out_of_range(translate: Callable[[Any], Any], name: str, bad: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be .*above 0, but"):
        translate(bad)


@pytest.mark.parametrize("bad", [0, -3, 2.5, True, "many", None])
@pytest.mark.parametrize("translate", [cost_of_scaled_penalty, cost_of_margin, scale_of_one_class])
def test_samples_are_counted(translate: Callable[[float, Any], float], bad: Any) -> None:
    with pytest.raises(ParameterError, match="the number of samples must be an integer of at least 1, but"):
        translate(0.5, bad)


def test_shares_and_samples_out_of_range() -> None:
    with pytest.raises(ParameterError, match="nu must be a number above 0 and at most 1, but"):
        scale_of_one_class(1.5, 3)
    with pytest.raises(ShapeError, match="X must"):
        with_constant([1.0, 2.0])
    with pytest.raises(NonFiniteError, match="X"):
        with_constant([[np.nan]])


# --- certificates for fitted estimators ---


OTHER = {"gamma": 0.5, "tol": 1e-9}

JUDGED = {
    "SVC": (SoftMarginDual, two_classes, {"C": 2.0}, SVC(C=2.0, **SHARP), SVC(C=1.9, **SHARP)),
    "SVC of another kernel": (SoftMarginDual, two_classes, {"C": 2.0}, SVC(C=2.0, **SHARP), SVC(C=2.0, **OTHER)),
    "SVR": (SoftTubeDual, targets, {"C": 2.0, "epsilon": 0.3}, SVR(C=2.0, epsilon=0.3, **SHARP), SVR(C=2.0, **SHARP)),
    "NuSVC": (NuMarginDual, two_classes, {"nu": 0.3}, NuSVC(nu=0.3, **SHARP), NuSVC(nu=0.32, **SHARP)),
    "NuSVR": (NuTubeDual, targets, {"C": 2.0, "nu": 0.4}, NuSVR(C=2.0, nu=0.4, **SHARP), NuSVR(C=2.0, nu=0.5, **SHARP)),
    "NuSVR of another cost": (
        NuTubeDual,
        targets,
        {"C": 2.0, "nu": 0.4},
        NuSVR(C=2.0, nu=0.4, **SHARP),
        NuSVR(C=1.9, nu=0.4, **SHARP),
    ),
    "OneClassSVM": (
        OneClassDual,
        two_classes,
        {"nu": 0.3},
        OneClassSVM(nu=0.3, **SHARP),
        OneClassSVM(nu=0.31, **SHARP),
    ),
    "KernelRidge": (
        KernelRidgeDual,
        targets,
        {"regularisation": 0.6},
        KernelRidge(alpha=0.6, kernel="rbf", gamma=GAMMA),
        KernelRidge(alpha=0.7, kernel="rbf", gamma=GAMMA),
    ),
}


@pytest.mark.parametrize("name", JUDGED)
def test_fitted_estimators_are_certified(name: str) -> None:
    form, source, parameters, same, other = JUDGED[name]
    data = source()[:1] if form is OneClassDual else source()
    model = form(*data, RADIAL, **parameters)
    for judge in (model, model.partner):
        certificate = judge.certify(same.fit(*data))
        assert certificate.holds(1e-5), certificate
        assert certificate.relative_gap < 1e-5
        assert not judge.certify(other.fit(*data)).holds(1e-4)


def test_linear_regression_is_certified() -> None:
    X, y = targets()
    model = LeastSquaresFit(X, y)
    for judge in (model, model.partner):
        assert judge.certify(LinearRegression().fit(X, y)).holds(1e-10)
        assert not judge.certify(LinearRegression().fit(X, y + X[:, 0])).holds(1e-4)
        assert not judge.certify(LinearRegression(positive=True).fit(X, y)).holds(1e-4)
        assert not judge.certify(Ridge(alpha=50.0).fit(X, y)).holds(1e-4)
    through_zero = LinearRegression(fit_intercept=False).fit(X, y)
    assert LeastSquaresFit(X, y, fit_intercept=False).certify(through_zero).holds(1e-9)


def test_an_intercept_where_the_model_has_none() -> None:
    X, y = targets()
    fitted = LinearRegression().fit(X, y + 3.0)
    with pytest.raises(ParameterError, match="has no intercept, but b = 3"):
        LeastSquaresFit(X, y + 3.0, fit_intercept=False).certify(fitted)


def test_an_estimator_in_explicit_features_is_certified() -> None:
    X, y = two_classes()
    model = SoftMarginPrimal(X, y, C=0.7)
    assert model.certify(SVC(C=0.7, kernel="linear", tol=1e-9).fit(X, y)).holds(1e-5)
    assert SoftMarginPrimal(X, y, Linear(), C=0.7).certify(SVC(C=0.7, kernel="linear", tol=1e-9).fit(X, y)).holds(1e-5)
    assert not model.certify(SVC(C=0.8, kernel="linear", tol=1e-9).fit(X, y)).holds(1e-4)
