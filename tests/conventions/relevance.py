# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the relevance vector machines."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import ARDRegression

from conventions.checks import check
from formulations import RelevanceRegression
from formulations.models.relevance import RelevanceSolution
from qpkernels import RBF


def machine() -> tuple[RelevanceRegression, RelevanceSolution]:
    """Return one whose bias is pruned, with its answer."""
    rng = np.random.default_rng(3)
    X = np.sort(rng.uniform(-2.0, 2.0, 12))[:, None]
    ours = RelevanceRegression(X, np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=12), RBF(1.0))
    solution = ours.solve()
    assert solution.bias_alpha == np.inf
    return ours, solution


def log_evidence(columns: np.ndarray, t: np.ndarray, variances: np.ndarray, noise: float) -> float:
    """Return ln N(t; 0, noise I + Phi diag(variances) Phi')."""
    covariance = noise * np.eye(t.size) + (columns * variances) @ columns.T
    quadratic = t @ np.linalg.solve(covariance, t)
    return float(-0.5 * (t.size * np.log(2.0 * np.pi) + np.linalg.slogdet(covariance)[1] + quadratic))


@check("ard-regression")
def ard_regression() -> None:
    ours, solution = machine()
    theirs = ARDRegression(
        fit_intercept=False, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, threshold_lambda=1e6, max_iter=300, tol=1e-13
    ).fit(ours.columns, ours.y)
    kept = theirs.lambda_ < 1e6
    np.testing.assert_array_equal(np.flatnonzero(kept), solution.relevance + 1)
    np.testing.assert_allclose(theirs.lambda_[kept], solution.alpha[solution.relevance], rtol=1e-4)
    np.testing.assert_allclose(1.0 / theirs.alpha_, solution.noise, rtol=1e-4)
    np.testing.assert_allclose(theirs.coef_[kept], solution.function.coefficients, rtol=1e-4)
    variances = np.where(kept, 1.0 / theirs.lambda_, 0.0)
    assert abs(log_evidence(ours.columns, ours.y, variances, 1.0 / theirs.alpha_) - solution.log_evidence) < 1e-6


@check("kernlab-rvm")
def kernlab_rvm() -> None:
    ours, solution = machine()
    K, t, m = ours.columns[:, 1:] + 1e-6 * np.eye(12), ours.y, 12
    theta, var = np.ones(m), 0.1
    for _ in range(400):
        kept = theta > 1e-8
        theta[~kept] = 0.0
        columns, sizes = K[:, kept], theta[kept]
        sigma = np.linalg.inv(columns.T @ columns / var + np.diag(1.0 / sizes))
        w = sigma @ columns.T @ t / var
        zeta = 1.0 - np.diag(sigma) / sizes
        theta[kept] = w**2 / zeta
        var = float(((t - columns @ w) ** 2).sum()) / (m - zeta.sum())
    np.testing.assert_array_equal(np.flatnonzero(theta > 1e-8), solution.relevance)
    np.testing.assert_allclose(1.0 / theta[solution.relevance], solution.alpha[solution.relevance], rtol=1e-3)
    np.testing.assert_allclose(var, solution.noise, rtol=1e-4)
    assert abs(log_evidence(K, t, theta, var) - solution.log_evidence) < 1e-4
