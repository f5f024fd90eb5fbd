# SPDX-License-Identifier: BSD-3-Clause
"""The ascent of the evidence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import ARDRegression
from threadpoolctl import threadpool_info, threadpool_limits

import formulations.models.relevance.regression as regression
from formulations.models.relevance import RelevanceClassification, RelevanceRegression, ReweightedRelevance
from formulations.models.relevance.ascent import EvidenceSearch, ascend, narrow_and_wide, starting_points
from qpkernels import RBF, Kernel, Linear, Polynomial
from qpkernels.errors import ParameterError
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


def test_more_starts_find_more_evidence() -> None:
    x = np.sort(np.random.default_rng(0).uniform(-1, 1, 200))
    y = np.sin(np.pi * x) + 0.2 * np.random.default_rng(1).normal(size=200)
    machine = RelevanceRegression(x[:, None], y, KERNEL)
    ascents = [
        ascend(
            machine.likelihood,
            machine.likelihood.posterior(alpha, machine.first_noise, None),
            tol=1e-6,
            max_iter=1000,
        )
        for alpha in narrow_and_wide(machine.design, machine.mean_square)
    ]
    two, many = EvidenceSearch.of(ascents, 2), machine.solve()
    assert many.log_evidence > two.best.posterior.log_evidence + 0.01
    assert many.starts > two.starts
    assert many.converged


def test_the_answer_says_that_it_is_a_local_maximum() -> None:
    solution = RelevanceRegression(*sine(40), KERNEL).solve()
    assert "a local maximum" in solution.message
    assert f"from {solution.starts} starts" in solution.message
    assert solution.message in str(solution)
    assert 1 <= solution.stationary_points <= solution.starts == 12
    assert ReweightedRelevance(*sine(), KERNEL).solve().starts == 2


def test_equal_ends_are_counted_once_and_a_stationary_one_is_preferred() -> None:
    machine = RelevanceRegression(*sine(), KERNEL)
    start = machine.likelihood.posterior(starting_points(machine.design, 1.0, 0.1, widths=())[0][0], 0.1, None)
    end = ascend(machine.likelihood, start, tol=1e-6, max_iter=1000)
    stopped = ascend(machine.likelihood, start, tol=1e-6, max_iter=1)
    again = ascend(machine.likelihood, end.posterior, tol=1e-12, max_iter=0)
    found = EvidenceSearch.of([again, stopped, end], 3)
    assert found.best is end
    assert not again.converged
    assert found.stationary_points == 1
    assert str(found) == "a local maximum, the only one found from 3 starts"


def test_what_was_not_converged_claims_no_maximum() -> None:
    assert "maximum" not in str(RelevanceRegression(*sine(), KERNEL).solve(max_iter=2))


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_one_thread_during_the_ascent(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, unwatched = [], regression.search

    def watched(*args: object, **limits: object) -> EvidenceSearch:
        seen.extend(blas_threads())
        return unwatched(*args, **limits)  # type: ignore[arg-type]

    monkeypatch.setattr(regression, "search", watched)
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        RelevanceRegression(*sine(), KERNEL).solve()
        assert 2 in before
        assert set(seen) == {1}
        assert blas_threads() == before


def test_the_answer_does_not_depend_on_the_threads_of_blas() -> None:
    for machine in (RelevanceRegression(*sine(60), KERNEL), RelevanceClassification(*gaussians(60), RBF(0.5))):
        answers = []
        for threads in (1, 2):
            with threadpool_limits(threads, "blas"):
                answers.append(machine.solve())
        assert answers[0].log_evidences == answers[1].log_evidences
        np.testing.assert_array_equal(answers[0].alpha, answers[1].alpha)


def test_a_search_ends_in_time_and_says_so() -> None:
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(30, 2))
    machine = RelevanceClassification(X, np.where(X[:, 0] > 0, 1, -1), RBF(5.0))
    stopped = machine.solve(time_limit=1e-6)
    assert not stopped.converged
    assert "when max_iter or time_limit came" in stopped.message
    assert np.isfinite(stopped.predict(X) == 1).all()
    assert machine.solve(time_limit=600.0).log_evidence >= stopped.log_evidence
    with pytest.raises(ParameterError, match=r"time_limit must be finite and above 0"):
        machine.solve(time_limit=0.0)
