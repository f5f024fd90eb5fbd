# SPDX-License-Identifier: BSD-3-Clause
"""The Newton system by conjugate gradients, beside the one that is factored, and what Newton's method makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.linear_model import LogisticRegression

import qpkernels.solvers.newton_systems as newton_systems
from formulations import Logistic
from qpkernels.kernels import Linear
from qpkernels.solvers.newton_systems import FeatureSystem, SparseSystem


@pytest.mark.parametrize("bordered", [True, False])
@pytest.mark.parametrize("factor", [1.0, 64.0])
def test_it_is_the_system_that_is_factored_elsewhere(
    bordered: bool, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newton_systems, "_LEFT", 1e-14)
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 7)) * (rng.random((60, 7)) < 0.4)
    # Around a mean of 0 both have the same weights and the same b.
    Z = np.vstack([Z, -Z])
    sparse, dense = SparseSystem(csr_array(Z), bordered), FeatureSystem(Z, bordered)
    W, q, lag = rng.uniform(0.1, 5.0, 120), rng.normal(size=120), rng.normal(size=7)
    for system in (sparse, dense):
        system.rescale(factor)
        system.factor(W)
    (e, c), (expected, level) = (system.solve(q, 0.3 if bordered else 0.0, lag) for system in (sparse, dense))
    np.testing.assert_allclose(e, expected, rtol=1e-9, atol=1e-12)
    assert c == pytest.approx(level, rel=1e-9)
    np.testing.assert_allclose(sparse.at_samples(e), dense.at_samples(expected), rtol=1e-9, atol=1e-12)
    some = np.arange(0, 120, 3)
    assert len(sparse.part(some)) == 40
    np.testing.assert_allclose(sparse.part(some).expand(q[some]), dense.part(some).expand(q[some]), atol=1e-12)


@pytest.mark.parametrize("C", [0.1, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_logistic_regression_on_many_sparse_features(
    C: float, fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((1200, 1500), density=0.01, rng=rng))
    y = np.where(X @ rng.normal(size=1500) + 0.5 * rng.normal(size=1200) > 0.3, 1.0, -1.0)
    peer = LogisticRegression(C=C, tol=1e-10, fit_intercept=fit_intercept, max_iter=10_000).fit(X, y)
    w, b = peer.coef_[0], float(np.ravel(peer.intercept_)[0])
    risk = 0.5 * w @ w + C * np.logaddexp(0.0, -y * (X @ w + b)).sum()

    matrix = Linear.matrix

    def of_few(kernel: Linear, left: Any, right: Any) -> Any:
        assert left.shape[0] * right.shape[0] <= 64**2, "rows of K were made"
        return matrix(kernel, left, right)

    monkeypatch.setattr(Linear, "matrix", of_few)
    solution = Logistic(X, y, C=C, fit_intercept=fit_intercept).solve(tol=1e-8)
    assert (solution.solver, solution.status) == ("newton", "optimal")
    assert solution.certificate.primal_value == pytest.approx(risk, rel=1e-7)
    np.testing.assert_allclose(solution.function.weights, w, atol=1e-3 * np.abs(w).max())
