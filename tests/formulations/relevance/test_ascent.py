# SPDX-License-Identifier: BSD-3-Clause
"""The ascent of the evidence."""

import numpy as np
import pytest
from sklearn.linear_model import ARDRegression

from formulations.relevance import (
    RelevanceClassification,
    RelevanceRegression,
    ReweightedRelevance,
)
from formulations.relevance.ascent import ascend
from qpkernels import RBF, Kernel, Linear, Polynomial
from relevance_data import KERNEL, REGRESSIONS, SMOOTH_2D, Floats, assert_never_falls, gaussians, sine


@pytest.mark.parametrize(
    ("X", "y", "kernel"),
    [
        *((*sine(seed=seed), KERNEL) for seed in range(6)),
        (*sine(40, 0.0), KERNEL),
        (*sine(40, 0.1), RBF(0.01)),
        (*sine(40, 0.1), RBF(100.0)),
        (*sine(40, 0.1), Polynomial(3, 1.0, 1.0)),
        (*sine(40, 0.1), Linear()),
        (SMOOTH_2D, 1e6 * np.sin(3 * SMOOTH_2D[:, 0]) * SMOOTH_2D[:, 1], RBF(1.0)),
        (sine()[0], 1e-6 * np.random.default_rng(0).normal(size=20), KERNEL),
    ],
)
def test_the_evidence_never_falls_and_ends_stationary(X: Floats, y: Floats, kernel: Kernel) -> None:
    solution = RelevanceRegression(X, y, kernel).solve()
    assert_never_falls(solution)
    assert solution.converged, solution
    assert solution.stationarity.holds(1e-6)
    # The update is what it says: MacKay's fixed point holds at the end.
    weights = np.append(solution.bias_alpha, solution.alpha)
    posterior = RelevanceRegression(X, y, kernel).likelihood.posterior(weights, solution.noise, None)
    np.testing.assert_allclose(posterior.u**2, posterior.determined, atol=3e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_of_a_classifier_never_falls_and_ends_stationary(seed: int) -> None:
    solution = RelevanceClassification(*gaussians(60, seed), RBF(0.5)).solve()
    assert_never_falls(solution)
    assert solution.converged, solution


@pytest.mark.parametrize("separable", [True, False])
def test_classes_apart_and_classes_mixed_converge(separable: bool) -> None:
    X, y = gaussians(40, 1)
    labels = y if separable else np.random.default_rng(2).permutation(y)
    solution = RelevanceClassification(X + 4 * y[:, None] if separable else X, labels, RBF(0.5)).solve()
    assert solution.converged, solution
    assert_never_falls(solution)
    if separable:
        assert (solution.function.predict(X + 4 * y[:, None]) == y).all()


def test_a_limit_is_kept_and_said() -> None:
    stopped = RelevanceRegression(*sine(), KERNEL).solve(max_iter=2)
    assert stopped.iterations == 2
    assert not stopped.converged
    assert "max_iter" in stopped.message
    assert "NOT converged" in str(stopped)


def test_a_pruned_weight_comes_back_where_the_evidence_wants_it() -> None:
    solution = RelevanceRegression(*sine(), KERNEL).solve()
    machine = RelevanceRegression(*sine(), KERNEL)
    weights = np.append(solution.bias_alpha, solution.alpha)
    weights[1 + solution.relevance[0]] = np.inf
    assert machine.likelihood.posterior(weights, solution.noise, None).stationarity.pruned > 1e-3
    start = machine.likelihood.posterior(weights, solution.noise, None)
    again = ascend(machine.likelihood, start, tol=1e-6, max_iter=1000)
    assert again.converged
    assert again.posterior.log_evidence >= solution.log_evidence - 1e-6


def test_more_evidence_than_ard_regression_of_scikit_learn() -> None:
    X, y = sine(40, seed=2)
    solution = RelevanceRegression(X, y, KERNEL).solve()
    K = KERNEL(X)
    ard = ARDRegression(fit_intercept=False, threshold_lambda=1e8, max_iter=3000, tol=1e-9).fit(
        np.hstack([np.ones((40, 1)), K]), y
    )
    weights = np.where(ard.lambda_ < 1e8, ard.lambda_, np.inf)
    theirs = RelevanceRegression(X, y, KERNEL).likelihood.posterior(weights, 1 / ard.alpha_, None).log_evidence
    assert solution.log_evidence >= theirs - 0.02 * abs(theirs)


@pytest.mark.parametrize("machine", [*REGRESSIONS, RelevanceClassification])
def test_samples_that_occur_twice_are_no_two_relevance_vectors(machine: type[RelevanceRegression]) -> None:
    X, y = sine()
    targets = np.sign(y) if machine is RelevanceClassification else y
    twice = machine(np.repeat(X, 2, axis=0), np.repeat(targets, 2), KERNEL).solve()
    assert np.unique(twice.relevance // 2).size == twice.n_relevance > 0


@pytest.mark.parametrize(
    ("machine", "scale"), [(RelevanceRegression, 1e-6), (RelevanceRegression, 1e6), (ReweightedRelevance, 1e-6)]
)
def test_the_unit_of_the_targets_does_not_matter(machine: type[RelevanceRegression], scale: float) -> None:
    X, y = sine()
    one, other = machine(X, y, KERNEL).solve(), machine(X, scale * y, KERNEL).solve()
    assert other.log_evidence == pytest.approx(one.log_evidence - 20 * np.log(scale), abs=1e-4)
    np.testing.assert_array_equal(other.relevance, one.relevance)
    assert other.noise == pytest.approx(scale**2 * (one.noise or 0.0), rel=1e-3)
