# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the set: their names, their sizes, and that they are the same in every run."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

from formulations import SoftMargin
from formulations.judging.testset import entries
from formulations.judging.testset.problems import OSQP_FEATURES, clarabel_linear, clarabel_svm, osqp_svm
from formulations.judging.testset.writing import optimum_of

SMALL = entries(110)


def test_names_are_those_of_files_and_differ() -> None:
    names = [entry.name for entry in entries(10**6)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)


def test_the_set_goes_from_10_to_5000_variables() -> None:
    sizes = [entry.most_variables for entry in entries()]
    assert min(sizes) == 10
    assert 4000 < max(sizes) <= 5000
    assert {entry.family for entry in entries()} == {
        *("margins", "tubes", "linear", "degenerate", "scaled", "singular", "infeasible", "unbounded", "published"),
    }


@pytest.mark.parametrize("entry", SMALL, ids=lambda entry: entry.name)
def test_a_problem_is_convex_as_large_as_said_and_the_same_again(entry: object) -> None:
    program, again = entry.program(), entry.program()  # type: ignore[attr-defined]
    assert 10 <= program.q.size <= entry.most_variables  # type: ignore[attr-defined]
    assert program.is_quadratic
    P = program.P.toarray()
    assert np.linalg.eigvalsh(P).min() >= -1e-9 * max(np.abs(P).max(), 1e-300)
    for name in ("P", "A"):
        assert (getattr(program, name) != getattr(again, name)).nnz == 0
    for name in ("q", "b"):
        np.testing.assert_array_equal(getattr(program, name), getattr(again, name))


@pytest.mark.parametrize("instance", [0, 7])
def test_the_draws_of_osqp_are_those_of_its_seed(instance: int) -> None:
    program = osqp_svm(2, instance)
    np.random.seed(instance)
    halves = [sparse.random(100, 2, density=0.15, data_rvs=np.random.randn).toarray() for _ in range(2)]
    signs = np.repeat([1.0, -1.0], 100)
    drawn = np.vstack(halves)
    expected = drawn / np.sqrt(2) + signs[:, None] * (drawn != 0) / 2
    np.testing.assert_allclose(program.A.toarray()[:200, :2], signs[:, None] * expected, rtol=1e-15)


def test_sizes_are_those_of_the_benchmarks() -> None:
    assert len(OSQP_FEATURES) == 20
    assert (OSQP_FEATURES[0], OSQP_FEATURES[-1]) == (10, 209)
    program = osqp_svm(10, 0)
    assert (program.q.size, program.b.size, program.P.nnz) == (1010, 2000, 10)
    assert sorted(set(program.q.tolist())) == [0.0, 0.5]
    program = clarabel_svm(10)
    assert (program.q.size, program.b.size) == (510, 1000)
    share = (program.A[:500, :10].nnz) / 5000
    assert 0.17 < share < 0.23
    assert (clarabel_linear().q.size, clarabel_linear().P.nnz) == (621, 0)
    named = {entry.name: entry.most_variables for entry in entries(10**6)}
    assert named["clarabel_svm_500"] == 25500
    assert named["osqp_svm_209"] == 101 * 209


@pytest.mark.parametrize(("program", "cost"), [(osqp_svm(2, 0), 0.5), (clarabel_svm(2), 1.0)], ids=["osqp", "clarabel"])
def test_the_problem_is_a_soft_margin_without_intercept(program: object, cost: float) -> None:
    m = program.b.size // 2  # type: ignore[attr-defined]
    signs = np.repeat([1.0, -1.0], m // 2)
    X = signs[:, None] * program.A.toarray()[:m, :2]  # type: ignore[attr-defined]
    solution = SoftMargin(X, -signs, C=cost, fit_intercept=False).solve(tol=1e-9)
    found, _ = optimum_of(program)  # type: ignore[arg-type]
    assert found.digits >= 9
    assert found.lower == pytest.approx(solution.certificate.primal_value, rel=1e-8)


def test_the_linear_classifier_has_an_optimum() -> None:
    found, _ = optimum_of(clarabel_linear())
    assert found.digits >= 9
    assert found.relative_width < 1e-9
    assert 0 < found.lower < 1
