# SPDX-License-Identifier: BSD-3-Clause
"""One class: a sample far away from all others."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import OneClass
from qpkernels.problems import Status


@pytest.mark.parametrize("solver", ["scs", "clarabel", "smo"])
def test_one_class_with_one_sample_far_away(solver: str) -> None:
    samples = np.vstack([np.random.default_rng(0).normal(size=(30, 2)) + 3.0, [[3e3, 0.0]]])
    model = OneClass(samples, nu=0.5)
    optimum = model.dual.solve("smo", tol=1e-10).objective
    solution = model.dual.solve(solver)
    if solution.status is Status.OPTIMAL:
        assert solution.objective == pytest.approx(optimum, rel=1e-5)


@pytest.mark.parametrize("scale", [1e5, 1e8])
def test_no_feature_of_a_large_unit_hides_the_optimum(scale: float) -> None:
    """The optimum is that of the first feature, -0.248, and the size of the other proves no value beside it."""
    rng = np.random.default_rng(1)
    first, second = 1.0 + 0.3 * rng.normal(size=30), rng.normal(size=30)
    model = OneClass(np.column_stack([first, scale * second]), nu=0.3)
    for solution in (model.dual.solve(max_iter=20_000), model.primal.solve("clarabel"), model.dual.solve("clarabel")):
        if solution.status is Status.OPTIMAL:
            assert solution.certificate.primal_value == pytest.approx(-0.2478, rel=1e-3)
    loose = model.dual.solve(max_iter=100)
    assert not model.certify(loose).holds(1e-2)


@pytest.mark.parametrize("solver", [None, "clarabel", "osqp", "highs", "scs"])
def test_the_origin_within_the_reduced_hull_is_an_optimum_of_0(solver: str | None) -> None:
    samples = np.random.default_rng(0).normal(size=(40, 3))
    model = OneClass(samples, nu=0.5)
    solution = model.dual.solve(solver)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.primal_value == 0.0
    assert solution.decision == pytest.approx(np.zeros(40), abs=0.0)
    # The proof is a convex combination of the samples that is the origin to the last digit.
    assert np.abs(solution.beta @ samples).max() <= 1e-14
    assert solution.beta.sum() == pytest.approx(1.0, rel=1e-14)
    assert solution.beta.min() >= 0.0
    assert solution.beta.max() <= 1.0 / 20
    # Near the origin is not there.
    beside = solution.beta.copy()
    beside[np.argmax(beside)] -= 1e-9
    beside[np.argmin(beside)] += 1e-9
    assert not model.certify((beside, 0.0)).holds(1e-6)


def test_a_hull_that_misses_the_origin_by_little_has_another_optimum() -> None:
    x = np.array([[1e-9, 1.0], [1e-9, -1.0], [2e-9, 0.5], [3e-9, -0.5]])
    solution = OneClass(x, nu=0.5).dual.solve("clarabel")
    assert solution.status is not Status.OPTIMAL or solution.certificate.primal_value < 0.0
    assert not OneClass(x, nu=0.5).certify((np.full(4, 0.25), 0.0)).holds(1e-6)
