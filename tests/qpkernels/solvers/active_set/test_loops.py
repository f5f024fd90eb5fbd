# SPDX-License-Identifier: BSD-3-Clause
"""The steps of an active-set method: each does what its formula says, and ends where no step is left."""

from __future__ import annotations

import numpy as np
import pytest

from builders import every_family, manufacture, random_feasible
from qpkernels.solvers.active_set.loops import Arrays, first_end, free_part, free_samples, interval, tie, to_minimum


def definite(m: int, seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(m, m + 3))
    return A @ A.T


@pytest.mark.parametrize(("side", "ends"), [(0.0, (-2.0, 3.0)), (1.0, (0.0, 3.0)), (-1.0, (-2.0, 0.0))])
def test_a_kink_bounds_the_interval_from_its_side(side: float, ends: tuple[float, float]) -> None:
    assert interval(-2.0, 3.0, side) == ends


@every_family
def test_the_part_of_the_free_samples_has_their_slopes(name: str) -> None:
    program = manufacture(name, 0).program
    beta, K = random_feasible(program, 0), program.gram.dense
    vectors = (program.target, program.epsilon, program.ridge, program.lower, program.upper)
    p = Arrays(*(each.copy() for each in vectors))
    free = free_samples(p, beta)
    at_kink = (beta == 0) & (program.epsilon > 0)
    np.testing.assert_array_equal(free, np.flatnonzero((beta > program.lower) & (beta < program.upper) & ~at_kink))
    x, slope, low, high = free_part(p, free, beta, beta, K @ beta)
    gradient = K @ beta + program.ridge * beta - program.target + program.epsilon * np.sign(beta)
    np.testing.assert_array_equal(x, beta[free])
    np.testing.assert_allclose(slope, gradient[free], atol=1e-12)
    assert ((low < x) & (x < high)).all()
    assert not ((low < 0) & (high > 0) & (program.epsilon[free] > 0)).any()


def test_a_tied_solution_solves_the_bordered_equations() -> None:
    A, right = definite(6), np.arange(6.0)
    d = np.linalg.solve(A, right)
    b = tie(d, np.linalg.solve(A, np.ones(6)), 2.5)
    np.testing.assert_allclose(A @ d + b, right, atol=1e-9)
    assert d.sum() == pytest.approx(2.5)


def test_of_slacks_that_end_together_the_fastest_is_the_first() -> None:
    slack, fall = np.array([1e6, 1e6 + 0.5, 9e6, 5.0]), np.array([1.0, 3e5, 1.0, 0.0])
    assert first_end(slack, fall) == ((1e6 + 0.5) / 3e5, 1)
    assert first_end(slack[[0, 1]], np.array([1.0, 1.0])) == (1e6, 0)
    assert first_end(np.array([3.0, 3.5]), np.array([1.0, 1.1])) == (3.5 / 1.1, 1)
    assert first_end(np.array([np.inf, 2.0]), np.array([1.0, 0.0])) == (np.inf, -1)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("lack", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(5))
def test_the_minimum_is_optimal_among_those_left_free(tied: bool, lack: float, seed: int) -> None:
    rng, m = np.random.default_rng(seed), 12
    A, target = definite(m, seed), 5.0 * rng.normal(size=m)
    low, high, x = rng.uniform(-0.3, -0.1, m), rng.uniform(0.1, 0.3, m), rng.uniform(-0.05, 0.05, m)
    if seed == 0:
        high[:] = np.inf
    lack = lack if tied else 0.0
    memory, order, slope, begin = np.linalg.inv(A), np.arange(m), A @ x - target, x.copy()
    u, w = memory @ slope, memory.sum(axis=1)
    left, b = to_minimum(memory, order, u, w, slope, low, high, x, tied, lack, m)
    inside, ended = order[:left], order[left:]
    assert ((low <= x) & (x <= high)).all()
    assert ((x == low) | (x == high))[ended].all()
    np.testing.assert_allclose((A @ x - target)[inside], -b, atol=1e-9)
    np.testing.assert_allclose(memory[:left, :left], np.linalg.inv(A[np.ix_(inside, inside)]), atol=1e-9)
    if left:
        assert not tied or x.sum() == pytest.approx(begin.sum() + lack)
    if lack == 0.0:
        assert 0.5 * x @ A @ x - target @ x < 0.5 * begin @ A @ begin - target @ begin
    assert ended.size > 0 or np.isinf(high).all()


def test_no_more_come_to_an_end_than_may() -> None:
    m, x = 8, np.zeros(8)
    slope = -np.arange(1.0, m + 1.0)
    order = np.arange(m)
    left, _ = to_minimum(np.eye(m), order, slope, np.ones(m), slope.copy(), x - 0.1, x + 0.1, x, False, 0.0, 3)
    assert left == m - 3
    assert set(order[left:]) == {5, 6, 7}
