# SPDX-License-Identifier: BSD-3-Clause
"""The posterior, its evidence and the slopes, against dense formulas and finite differences."""

import numpy as np
import pytest
from scipy.linalg import inv
from scipy.special import expit
from scipy.stats import multivariate_normal

from formulations.models.relevance import (
    RelevanceRegression,
    Stationarity,
)
from formulations.models.relevance.evidence import WeightPosterior
from relevance_data import KERNEL, either_likelihood, sine, some_posteriors


def test_the_posterior_is_that_of_the_dense_formulas() -> None:
    machine, alpha, noise = some_posteriors()[0]
    posterior = machine.likelihood.posterior(alpha, noise, None)
    kept = np.isfinite(alpha)
    Phi = machine.columns[:, kept]
    Sigma = inv(np.diag(alpha[kept]) + Phi.T @ Phi / noise)
    np.testing.assert_allclose(posterior.mean[kept], Sigma @ Phi.T @ machine.y / noise, rtol=1e-9)
    assert not posterior.mean[~kept].any()
    np.testing.assert_allclose(posterior.root.T @ posterior.root, Sigma, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(posterior.determined, 1 - alpha[kept] * np.diag(Sigma), rtol=1e-8)
    C = noise * np.eye(30) + Phi @ np.diag(1 / alpha[kept]) @ Phi.T
    assert posterior.log_evidence == pytest.approx(multivariate_normal(np.zeros(30), C).logpdf(machine.y), rel=1e-10)
    q, s, p = posterior.overlaps
    np.testing.assert_allclose(q, machine.columns.T @ np.linalg.solve(C, machine.y), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(s, np.diag(machine.columns.T @ np.linalg.solve(C, machine.columns)), rtol=1e-8)
    assert not p.any()


def test_the_laplace_evidence_is_that_of_the_dense_formula() -> None:
    machine, alpha, _ = some_posteriors()[1]
    posterior = machine.likelihood.posterior(alpha, None, None)
    kept = np.isfinite(alpha)
    Phi, mode, A = machine.columns[:, kept], posterior.mean[kept], np.diag(alpha[kept])
    probability = expit(machine.y * (Phi @ mode))
    np.testing.assert_allclose(Phi.T @ (machine.y * (1 - probability)), A @ mode, atol=1e-9)
    H = A + Phi.T @ np.diag(probability * (1 - probability)) @ Phi
    dense = np.log(probability).sum() - 0.5 * mode @ A @ mode
    dense += 0.5 * (np.linalg.slogdet(A)[1] - np.linalg.slogdet(H)[1])
    assert posterior.log_evidence == pytest.approx(dense, rel=1e-10)
    np.testing.assert_allclose(posterior.root.T @ posterior.root, inv(H), rtol=1e-8, atol=1e-12)


@either_likelihood
def test_slopes_and_second_derivatives_are_those_of_finite_differences(case: int) -> None:
    machine, alpha, noise = some_posteriors()[case]
    here = machine.likelihood.posterior(alpha, noise, None)
    h = 1e-5

    def moved(coordinate: int, step: float) -> WeightPosterior:
        there = alpha.copy()
        if coordinate < here.kept.size:
            there[here.kept[coordinate]] *= np.exp(step)
            return machine.likelihood.posterior(there, noise, None)
        assert noise is not None
        return machine.likelihood.posterior(alpha, noise * np.exp(step), None)

    pairs = [(moved(k, h), moved(k, -h)) for k in range(here.gradient.size)]
    slopes = [(above.log_evidence - below.log_evidence) / (2 * h) for above, below in pairs]
    np.testing.assert_allclose(here.gradient, slopes, atol=1e-7)
    curvatures = [(above.gradient - below.gradient) / (2 * h) for above, below in pairs]
    np.testing.assert_allclose(here.hessian, curvatures, atol=1e-6)
    assert here.gradient.size == here.kept.size + (noise is not None)


@either_likelihood
def test_the_slope_of_a_pruned_weight_is_that_of_finite_differences(case: int) -> None:
    machine, alpha, noise = some_posteriors()[case]
    here = machine.likelihood.posterior(alpha, noise, None)
    step = 1e-6
    for pruned in (3, 7, 20):
        values = [here.log_evidence]
        for precision in (1 / step, 0.5 / step):
            there = alpha.copy()
            there[pruned] = precision
            values.append(machine.likelihood.posterior(there, noise, None).log_evidence)
        slope = (4 * values[1] - values[2] - 3 * values[0]) / (2 * step)
        assert here.returning[0][pruned] == pytest.approx(2 * slope, rel=1e-3, abs=1e-4)


def test_alphas_may_be_as_far_apart_as_float64_allows() -> None:
    machine = RelevanceRegression(*sine(), KERNEL)
    wild = np.geomspace(1e-12, 1e12, 21)
    with_wild = machine.likelihood.posterior(wild, 0.04, None)
    without = machine.likelihood.posterior(np.where(wild > 1e10, np.inf, wild), 0.04, None)
    assert np.isfinite(with_wild.gradient).all()
    assert with_wild.log_evidence == pytest.approx(without.log_evidence, abs=1e-6)


def test_stationarity_is_not_claimed_of_nan() -> None:
    assert Stationarity(0.0, 1e-9, 0.0).holds(1e-6)
    assert not Stationarity(float("nan"), 0.0, 0.0).holds(1e-6)
    assert not Stationarity(0.0, 0.0, 1e-3).holds(1e-6)
