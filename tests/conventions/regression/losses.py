# SPDX-License-Identifier: BSD-3-Clause
"""The checks of quantiles, of Huber's loss, of any loss, and of the fits by absolute residuals."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from sklearn.linear_model import HuberRegressor, QuantileRegressor, Ridge
from sklearn.svm import LinearSVR

from conventions.checks import GAMMA, Samples, agree, check
from conventions.regression.targets import TOL, expanded, minimised, real_targets
from formulations import Huber, LeastAbsoluteFit, Quantile, ResidualLossRegression
from formulations.losses import AbsolutePower, SquaredEpsilonInsensitive
from formulations.modelling.inputs.estimators import with_constant
from qpkernels import RBF

C, TAU, DELTA = 1.5, 0.3, 0.4


def pinball(residuals: np.ndarray, tau: float = TAU) -> np.ndarray:
    """Return max(tau r, (tau - 1) r)."""
    return np.maximum(tau * residuals, (tau - 1.0) * residuals)


@check("kernlab-kqr")
def kernlab_kqr() -> None:
    data = real_targets()
    alpha, f, squared_norm = expanded(data.K)
    minimised(0.5 * squared_norm - data.labels @ alpha, cp.sum(alpha) == 0, alpha >= C * (TAU - 1), alpha <= C * TAU)
    met = (alpha.value > C * (TAU - 1) + 1e-5) & (alpha.value < C * TAU - 1e-5)
    ours = Quantile(data.X, data.labels, RBF(GAMMA), C=C, tau=TAU).solve(tol=TOL)

    def objective(alpha: np.ndarray, b: float) -> float:
        f = data.K @ alpha
        return float(0.5 * alpha @ f + C * pinball(data.labels - f + b).sum())

    # Its predictions are K alpha - b.
    theirs = (alpha.value, float((f.value - data.labels)[met].mean()))
    agree(objective, theirs, (ours.beta, -ours.intercept))


@check("quantile-risk")
def quantile_risk() -> None:
    data, regularisation = real_targets(), 0.05
    w, b = cp.Variable(3), cp.Variable()
    residuals = data.labels - data.X @ w - b
    losses = cp.maximum(TAU * residuals, (TAU - 1) * residuals)
    minimised(regularisation / 2 * cp.sum_squares(w) + cp.sum(losses) / len(data))
    ours = Quantile(data.X, data.labels, C=1.0 / (len(data) * regularisation), tau=TAU).solve(tol=TOL)

    def objective(w: np.ndarray, b: float) -> float:
        return float(regularisation / 2 * w @ w + pinball(data.labels - data.X @ w - b).mean())

    agree(objective, (w.value, float(b.value)), (data.X.T @ ours.beta, ours.intercept))


def quantile_loss(data: Samples, tau: float, w: np.ndarray, b: float) -> float:
    """Return the mean of the pinball losses."""
    return float(pinball(data.labels - data.X @ w - b, tau).mean())


@check("quantile-regressor")
def quantile_regressor() -> None:
    data = real_targets()
    theirs = QuantileRegressor(quantile=TAU, alpha=0.0).fit(data.X, data.labels)
    ours = Quantile(data.X, data.labels, C=1e3, tau=TAU).solve(tol=TOL)
    agree(
        lambda w, b: quantile_loss(data, TAU, w, b),
        (theirs.coef_, float(theirs.intercept_)),
        (data.X.T @ ours.beta, ours.intercept),
    )


@check("median-regressor")
def median_regressor() -> None:
    data = real_targets()
    theirs = QuantileRegressor(quantile=0.5, alpha=0.0).fit(data.X, data.labels)
    ours = LeastAbsoluteFit(data.X, data.labels).solve(tol=1e-9)
    agree(
        lambda w, b: quantile_loss(data, 0.5, w, b),
        (theirs.coef_, float(theirs.intercept_)),
        (ours.function.weights, ours.intercept),
    )


@check("huber-regressor")
def huber_regressor() -> None:
    data, epsilon, alpha = real_targets(), 1.4, 0.3
    theirs = HuberRegressor(epsilon=epsilon, alpha=alpha, tol=1e-9, max_iter=10_000).fit(data.X, data.labels)
    scale = float(theirs.scale_)
    ours = Huber(data.X, data.labels, delta=epsilon * scale, C=1.0 / (alpha * scale)).solve(tol=TOL)

    def objective(w: np.ndarray, b: float) -> float:
        z = np.abs(data.labels - data.X @ w - b) / scale
        losses = np.where(z <= epsilon, z**2, 2.0 * epsilon * z - epsilon**2)
        return float(scale * (1.0 + losses).sum() + alpha * w @ w)

    agree(objective, (theirs.coef_, float(theirs.intercept_)), (data.X.T @ ours.beta, ours.intercept))


@check("huber-risk")
def huber_risk() -> None:
    data, regularisation = real_targets(), 0.05
    w, b = cp.Variable(3), cp.Variable()
    losses = cp.huber(data.labels - data.X @ w - b, DELTA) / 2  # CVXPY's is r^2 and 2 delta |r| - delta^2
    minimised(regularisation * cp.sum_squares(w) + cp.sum(losses) / len(data))
    ours = Huber(data.X, data.labels, delta=DELTA, C=1.0 / (2.0 * len(data) * regularisation)).solve(tol=TOL)

    def objective(w: np.ndarray, b: float) -> float:
        size = np.abs(data.labels - data.X @ w - b)
        losses = np.where(size <= DELTA, 0.5 * size**2, DELTA * size - 0.5 * DELTA**2)
        return float(regularisation * w @ w + losses.mean())

    agree(objective, (w.value, float(b.value)), (data.X.T @ ours.beta, ours.intercept))


@check("liblinear-squared-svr")
def liblinear_squared_svr() -> None:
    data, scaling = real_targets(), 3.0
    theirs = LinearSVR(
        C=C,
        epsilon=DELTA,
        loss="squared_epsilon_insensitive",
        dual=False,
        intercept_scaling=scaling,
        tol=1e-12,
        max_iter=10**6,
    )
    theirs.fit(data.X, data.labels)
    X = with_constant(data.X, scaling)
    loss = SquaredEpsilonInsensitive(DELTA)
    w = X.T @ ResidualLossRegression(X, data.labels, loss=loss, C=C, fit_intercept=False).solve(tol=TOL).beta

    def objective(w: np.ndarray, b: float) -> float:
        losses = np.maximum(0.0, np.abs(data.labels - data.X @ w - b) - DELTA) ** 2
        return float(0.5 * (w @ w + (b / scaling) ** 2) + C * losses.sum())

    agree(objective, (theirs.coef_, theirs.intercept_[0]), (w[:-1], scaling * w[-1]))


@check("weighted-ridge")
def weighted_ridge() -> None:
    data, alpha = real_targets(), 2.5
    weights = np.random.default_rng(8).uniform(0.2, 3.0, len(data))
    theirs = Ridge(alpha=alpha).fit(data.X, data.labels, sample_weight=weights)
    model = ResidualLossRegression(data.X, data.labels, loss=AbsolutePower(2.0), C=weights / (2.0 * alpha))
    ours = model.solve(tol=TOL)

    def objective(w: np.ndarray, b: float) -> float:
        return float((weights * (data.labels - data.X @ w - b) ** 2).sum() + alpha * w @ w)

    agree(objective, (theirs.coef_, float(theirs.intercept_)), (data.X.T @ ours.beta, ours.intercept))
