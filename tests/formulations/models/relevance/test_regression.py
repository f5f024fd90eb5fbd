# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vectors of a regression."""

import numpy as np
import pytest
from scipy.linalg import inv
from sklearn.svm import SVR

from formulations.models.relevance import (
    RelevanceRegression,
)
from qpkernels import Precomputed
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from relevance_data import KERNEL, REGRESSIONS, every_regression, sine


def test_w6_needs_few_vectors_and_knows_its_noise() -> None:
    X, y = sine()
    solution = RelevanceRegression(X, y, KERNEL).solve()
    support = SVR(C=1.0, gamma=7.5, epsilon=0.3).fit(X, y).support_.size
    assert 2 * solution.n_relevance < support
    assert solution.n_relevance == solution.relevance.size == solution.function.coefficients.size
    assert solution.sparsity == pytest.approx(1 - solution.n_relevance / 20)
    assert 0.1 < np.sqrt(solution.noise or 0.0) < 0.35
    grid = np.linspace(-0.9, 0.9, 50)
    error = solution.mean(grid[:, None]) - np.sin(np.pi * grid)
    assert np.sqrt((error**2).mean()) < 0.2
    assert np.mean(np.abs(error) < 2 * np.sqrt(solution.variance(grid[:, None]))) > 0.9


@pytest.mark.parametrize("machine", REGRESSIONS)
def test_mean_and_variance_are_those_of_the_dense_formulas(machine: type[RelevanceRegression]) -> None:
    X, y = sine(30, 0.2, 3)
    y = y + 2.0
    solution = machine(X, y, KERNEL).solve()
    Z = np.linspace(-1.5, 1.5, 40)[:, None]
    alpha = np.append(solution.bias_alpha, solution.alpha)
    kept = np.isfinite(alpha)
    assert kept[0]
    Phi, phi = (np.hstack([np.ones((len(S), 1)), KERNEL(S, X)])[:, kept] for S in (X, Z))
    Sigma = inv(np.diag(alpha[kept]) + Phi.T @ Phi / solution.noise)
    np.testing.assert_allclose(solution.mean(Z), phi @ Sigma @ Phi.T @ y / solution.noise, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(solution.variance(Z), solution.noise + np.diag(phi @ Sigma @ phi.T), rtol=1e-7)


@every_regression
def test_without_relevance_vectors_the_bias_predicts(machine: type[RelevanceRegression]) -> None:
    X, _ = sine()
    constant = machine(X, np.full(20, 3.0), KERNEL).solve()
    assert constant.n_relevance == 0
    assert constant.sparsity == 1.0
    np.testing.assert_allclose(constant.function.predict(np.linspace(-2, 2, 7)[:, None]), 3.0, rtol=1e-6)
    zero = machine(X, np.zeros(20), KERNEL).solve()
    assert zero.n_relevance == 0
    np.testing.assert_array_equal(zero.mean(X), np.zeros(20))
    assert (zero.variance(X) > 0).all()
    assert np.isinf(zero.bias_alpha)


def test_noise_alone_is_left_to_the_noise() -> None:
    X, _ = sine()
    noise = np.random.default_rng(1).normal(size=20)
    solution = RelevanceRegression(X, 5.0 + 1e-3 * noise, KERNEL, noise=1e-4).solve()
    assert solution.n_relevance == 0
    assert solution.noise == 1e-4
    assert solution.function.intercept == pytest.approx(5.0, abs=1e-3)
    np.testing.assert_allclose(solution.variance(X), 1e-4 * (1 + 1 / 20), rtol=1e-5)


def test_a_kernel_that_is_not_positive_semidefinite_will_do() -> None:
    X, y = sine()
    K = -(np.abs(X - X.T) ** 3)
    solution = RelevanceRegression(np.arange(20), y, Precomputed(K)).solve()
    assert solution.converged
    assert np.sqrt(np.mean((solution.mean(np.arange(20)) - y) ** 2)) < 0.3


@every_regression
def test_bad_targets_are_refused(machine: type[RelevanceRegression]) -> None:
    X, y = sine()
    with pytest.raises(ShapeError, match=r"fit one model to each column"):
        machine(X, np.stack([y, y], axis=1), KERNEL)
    with pytest.raises(ShapeError, match=r"y\.ravel\(\)"):
        machine(X, y[:, None], KERNEL)
    with pytest.raises(ShapeError, match="must have one dimension"):
        machine(X, 1.0, KERNEL)
    with pytest.raises(NonFiniteError, match=r"y\[3\] is nan"):
        machine(X, np.where(np.arange(20) == 3, np.nan, y), KERNEL)
    with pytest.raises(NonFiniteError, match="scale the targets"):
        machine(X, 1e200 * y, KERNEL)
    with pytest.raises(ParameterError, match="noise must be finite and above 0"):
        machine(X, y, KERNEL, noise=0.0)
