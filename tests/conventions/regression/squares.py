# SPDX-License-Identifier: BSD-3-Clause
"""The checks of squared residuals: ridges with and without intercept, a ball, interpolation, and no penalty at all."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from scipy.interpolate import RBFInterpolator
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.kernel_ridge import KernelRidge as TheirKernelRidge
from sklearn.linear_model import LinearRegression, Ridge

from conventions.checks import GAMMA, Samples, agree, check
from conventions.regression.targets import TOL, minimised, real_targets
from formulations import Interpolation, KernelRidge, LeastSquares, LeastSquaresFit, NormConstrainedRegression
from formulations.losses import Squared
from qpkernels import RBF

ALPHA = 0.7


def linear_objective(data: Samples, w: np.ndarray, b: float, alpha: float = ALPHA) -> float:
    """Return alpha ||w||^2 + sum r^2."""
    return float(alpha * w @ w + ((data.labels - data.X @ w - b) ** 2).sum())


def kernel_objective(data: Samples, K: np.ndarray, beta: np.ndarray, b: float, alpha: float = ALPHA) -> float:
    """Return alpha ||f||^2 + sum r^2."""
    f = K @ beta
    return float(alpha * beta @ f + ((data.labels - f - b) ** 2).sum())


@check("ridge-ball")
def ridge_ball() -> None:
    data = real_targets()
    theirs = Ridge(alpha=ALPHA).fit(data.X, data.labels)
    model = NormConstrainedRegression(data.X, data.labels, loss=Squared(), R=float(theirs.coef_ @ theirs.coef_))
    ours = model.solve(tol=TOL)
    np.testing.assert_allclose(model.regularisation_of(ours.beta), ALPHA / 2.0, rtol=1e-5)
    agree(
        lambda w, b: linear_objective(data, w, b),
        (theirs.coef_, float(theirs.intercept_)),
        (ours.function.weights, ours.intercept),
    )


@check("ridge")
def ridge() -> None:
    data = real_targets()
    theirs = Ridge(alpha=ALPHA).fit(data.X, data.labels)
    ours = LeastSquares(data.X, data.labels, C=1.0 / ALPHA).solve(tol=TOL)
    agree(
        lambda w, b: linear_objective(data, w, b),
        (theirs.coef_, float(theirs.intercept_)),
        (data.X.T @ ours.beta, ours.intercept),
    )


@check("lssvmlab-regression")
def lssvmlab_regression() -> None:
    data, gam, sig2 = real_targets(), 1.7, 1.25
    omega = np.exp(-cdist(data.X, data.X, "sqeuclidean") / (2.0 * sig2))
    H, ones = omega + np.eye(len(data)) / gam, np.ones(len(data))
    # It eliminates b from [0, 1'; 1, H] [b; alpha] = [0; y].
    v, eta = np.linalg.solve(H, data.labels), np.linalg.solve(H, ones)
    b = float(eta @ data.labels) / float(ones @ eta)
    ours = LeastSquares(data.X, data.labels, RBF(1.0 / (2.0 * sig2)), C=gam).solve(tol=TOL)
    agree(
        lambda alpha, b: kernel_objective(data, omega, alpha, b, 1.0 / gam),
        (v - eta * b, b),
        (ours.beta, ours.intercept),
    )


@check("least-squares-risk")
def least_squares_risk() -> None:
    data, regularisation = real_targets(), 0.02
    w, b = cp.Variable(3), cp.Variable()
    mean = cp.sum_squares(data.labels - data.X @ w - b) / len(data)
    minimised(regularisation * cp.sum_squares(w) + mean)
    ours = LeastSquares(data.X, data.labels, C=1.0 / (len(data) * regularisation)).solve(tol=TOL)
    agree(
        lambda w, b: linear_objective(data, w, b, len(data) * regularisation) / len(data),
        (w.value, float(b.value)),
        (data.X.T @ ours.beta, ours.intercept),
    )


def ridge_of(data: Samples, alpha: float = ALPHA) -> np.ndarray:
    """Return the coefficients of our kernel ridge."""
    return KernelRidge(data.X, data.labels, RBF(GAMMA), regularisation=alpha).solve(tol=TOL).beta


@check("kernel-ridge")
def kernel_ridge() -> None:
    data = real_targets()
    theirs = TheirKernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA).fit(data.X, data.labels)
    agree(lambda beta: kernel_objective(data, data.K, beta, 0.0), (theirs.dual_coef_,), (ridge_of(data),))


@check("gaussian-process")
def gaussian_process() -> None:
    data = real_targets()
    kernel = kernels.RBF(length_scale=(2.0 * GAMMA) ** -0.5)
    theirs = GaussianProcessRegressor(kernel, alpha=ALPHA, optimizer=None).fit(data.X, data.labels)
    agree(lambda beta: kernel_objective(data, data.K, beta, 0.0), (theirs.alpha_,), (ridge_of(data),))


@check("kernlab-gausspr")
def kernlab_gausspr() -> None:
    data = real_targets()
    theirs = np.linalg.solve(data.K + ALPHA * np.eye(len(data)), data.labels)
    agree(lambda beta: kernel_objective(data, data.K, beta, 0.0), (theirs,), (ridge_of(data),))


@check("ridge-origin")
def ridge_origin() -> None:
    data = real_targets()
    theirs = Ridge(alpha=ALPHA, fit_intercept=False).fit(data.X, data.labels)
    ours = KernelRidge(data.X, data.labels, regularisation=ALPHA).solve(tol=TOL)
    agree(lambda w: linear_objective(data, w, 0.0), (theirs.coef_,), (data.X.T @ ours.beta,))


@check("kernel-ridge-risk")
def kernel_ridge_risk() -> None:
    data, regularisation = real_targets(), 0.02
    w = cp.Variable(3)
    minimised(regularisation * cp.sum_squares(w) + cp.sum_squares(data.labels - data.X @ w) / len(data))
    ours = KernelRidge(data.X, data.labels, regularisation=len(data) * regularisation).solve(tol=TOL)
    agree(
        lambda w: linear_objective(data, w, 0.0, len(data) * regularisation) / len(data),
        (w.value,),
        (data.X.T @ ours.beta,),
    )


@check("rbf-smoothing")
def rbf_smoothing() -> None:
    data = real_targets()
    theirs = RBFInterpolator(
        data.X, data.labels, kernel="gaussian", epsilon=GAMMA**0.5, smoothing=ALPHA, degree=-1
    )._coeffs[:, 0]
    agree(lambda beta: kernel_objective(data, data.K, beta, 0.0), (theirs,), (ridge_of(data),))


@check("rbf-interpolation")
def rbf_interpolation() -> None:
    data = real_targets(15)
    theirs = RBFInterpolator(data.X, data.labels, kernel="gaussian", epsilon=GAMMA**0.5, degree=-1)._coeffs[:, 0]
    ours = Interpolation(data.X, data.labels, RBF(GAMMA)).solve(tol=TOL)
    agree(lambda beta: float(beta @ data.K @ beta), (theirs,), (ours.beta,))
    np.testing.assert_allclose(data.K @ ours.beta, data.labels, atol=1e-8)


@check("linear-regression")
def linear_regression() -> None:
    data = real_targets()
    for each in (data, Samples(data.X[:3], data.labels[:3])):
        theirs, ours = LinearRegression().fit(each.X, each.labels), LeastSquaresFit(each.X, each.labels).solve()
        np.testing.assert_allclose(ours.function.weights, theirs.coef_, atol=1e-8)
        np.testing.assert_allclose(ours.intercept, theirs.intercept_, atol=1e-8)
    assert "least norm" in ours.message
