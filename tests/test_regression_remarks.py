# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of docs/models remark on models with real targets: equalities between machines, and limits."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import Huber, KernelRidge, LeastSquares, NuTube, Quantile, SoftTube
from qpkernels import RBF

KERNEL, TOL, M = RBF(7.5), 1e-10, 20
X = np.linspace(-1, 1, M)[:, None]
Y = np.sin(np.pi * X[:, 0]) + 0.25 * np.random.default_rng(4).normal(size=M)
K = KERNEL.matrix(X, X)


def test_the_interval_of_the_intercept_of_a_tube() -> None:
    for cost in (1.0, 1e-3):
        solution = SoftTube(X, Y, KERNEL, C=cost, epsilon=0.3).solve(tol=TOL)
        v, beta = Y - K @ solution.beta, np.where(np.abs(solution.beta) < 1e-9 * cost, 0.0, solution.beta)
        below, above = beta > -cost * (1 - 1e-9), beta < cost * (1 - 1e-9)
        low = max((v - 0.3)[(beta >= 0) & above].max(initial=-np.inf), (v + 0.3)[beta < 0].max(initial=-np.inf))
        high = min((v + 0.3)[(beta <= 0) & below].min(initial=np.inf), (v - 0.3)[beta > 0].min(initial=np.inf))
        assert solution.intercept_interval == pytest.approx((low, high), abs=1e-5)


def test_the_absolute_loss_is_a_median_and_a_limit_of_huber() -> None:
    tube = SoftTube(X, Y, KERNEL, C=1.0, epsilon=0.0).solve(tol=TOL)
    median = Quantile(X, Y, KERNEL, C=2.0, tau=0.5).solve(tol=TOL)
    assert median.decision == pytest.approx(tube.decision, abs=1e-5)
    limit = Huber(X, Y, KERNEL, C=1e5, delta=1e-5).solve(tol=TOL)
    assert limit.decision == pytest.approx(tube.decision, abs=1e-3)
    squares = LeastSquares(X, Y, KERNEL, C=2.0).solve()
    assert Huber(X, Y, KERNEL, C=2.0, delta=50.0).solve(tol=TOL).decision == pytest.approx(squares.decision, abs=1e-4)


@pytest.mark.parametrize("nu", [0.03, 0.2, 0.5])
def test_what_nu_bounds(nu: float) -> None:
    solution = NuTube(X, Y, KERNEL, C=1.0, nu=nu).solve(tol=TOL)
    assert (np.abs(solution.residuals) > solution.epsilon + 1e-6).sum() <= nu * M <= solution.n_support
    assert np.abs(solution.beta).sum() == pytest.approx(nu * M, rel=1e-6)


def test_one_left_out_of_least_squares() -> None:
    others, ones = np.arange(M) != 3, np.ones((M, 1))
    system = np.block([[np.zeros((1, 1)), ones.T], [ones, K + np.eye(M) / 2.0]])
    beta = LeastSquares(X, Y, KERNEL, C=2.0).solve().beta
    left_out = LeastSquares(X[others], Y[others], KERNEL, C=2.0).solve()
    assert Y[3] - left_out.function(X[3:4])[0] == pytest.approx(beta[3] / np.linalg.inv(system)[4, 4], abs=1e-9)
    ridge = KernelRidge(X, Y, KERNEL, regularisation=0.5).solve().beta
    left_out = KernelRidge(X[others], Y[others], KERNEL, regularisation=0.5).solve()
    inverse = np.linalg.inv(K + 0.5 * np.eye(M))
    assert Y[3] - left_out.function(X[3:4])[0] == pytest.approx(ridge[3] / inverse[3, 3], abs=1e-9)
