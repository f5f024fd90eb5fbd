# SPDX-License-Identifier: BSD-3-Clause
"""The search of the evidence from several starts."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import formulations.relevance.regression as regression
from formulations.relevance import RelevanceClassification, RelevanceRegression, ReweightedRelevance
from formulations.relevance.ascent import ascend
from formulations.relevance.search import Search
from formulations.relevance.starts import narrow_and_wide, starting_points
from qpkernels import RBF
from qpkernels.errors import ParameterError
from relevance_data import KERNEL, gaussians, sine


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
    two, many = Search.of(ascents, 2), machine.solve()
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
    found = Search.of([again, stopped, end], 3)
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

    def watched(*args: object, **limits: object) -> Search:
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
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(60, 2))
    machine = RelevanceClassification(X, np.where(X[:, 0] > 0, 1, -1), RBF(5.0))
    stopped = machine.solve(time_limit=1e-6)
    assert not stopped.converged
    assert "when max_iter or time_limit came" in stopped.message
    assert np.isfinite(stopped.predict(X) == 1).all()
    assert machine.solve(time_limit=600.0).log_evidence >= stopped.log_evidence
    with pytest.raises(ParameterError, match=r"time_limit must be finite and above 0"):
        machine.solve(time_limit=0.0)
