# SPDX-License-Identifier: BSD-3-Clause
"""The minimum over free coefficients: no other point of them, within their bounds, is better than it is said to be."""

from __future__ import annotations

import numpy as np
import pytest

from builders import every_family, manufacture, random_feasible
from qpkernels.problems import KernelQP
from qpkernels.solvers.active_set.free import inverse_of, invert, is_worth_it, to_minimum_over_free
from qpkernels.solvers.active_set.loops import Arrays, free_samples
from together import together


def data(program: KernelQP) -> Arrays:
    parts = (program.target, program.epsilon, program.ridge, program.lower, program.upper)
    return Arrays(*(part.copy() for part in parts))


@every_family
@together("seed", [0, 1, 2])
def test_the_gradient_of_those_that_stay_free_is_level(name: str, seed: int) -> None:
    program = manufacture(name, seed).program
    beta, paired = random_feasible(program, seed), program.total is not None
    before, p = beta.copy(), data(program)
    free, K = free_samples(p, beta), program.gram.dense
    values = K @ beta
    delta = to_minimum_over_free(inverse_of(K[np.ix_(free, free)], p.ridge[free]), p, int(paired), free, beta, values)
    np.testing.assert_array_equal(values, K @ before)
    np.testing.assert_array_equal(beta[free] - before[free], delta)
    assert np.isin(np.flatnonzero(beta != before), free).all()
    assert (program.lower <= beta).all()
    assert (beta <= program.upper).all()
    assert (beta * before >= 0)[program.epsilon > 0].all()
    assert not paired or abs(beta.sum() - before.sum()) < 1e-9
    assert program.objective(beta) <= program.objective(before) + 1e-12
    gradient = K @ beta + program.ridge * beta - program.target + np.sign(beta) * program.epsilon
    level = gradient[free_samples(p, beta)]
    assert level.size == 0 or (np.ptp(level) if paired else np.abs(level).max()) < 1e-4
    assert delta.any() or free.size <= paired


def test_a_matrix_that_rounding_leaves_without_symmetry_is_followed_as_it_is() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    K = np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2)) + 1e-4 * rng.normal(size=(30, 30))
    zero, wide = np.zeros(30), np.full(30, 1e6)
    p = Arrays(rng.normal(size=30), zero, np.full(30, 0.01), -wide, wide)
    beta, values = np.zeros(30), np.zeros(30)
    delta = to_minimum_over_free(inverse_of(K, p.ridge), p, 1, np.arange(30), beta, values)
    # Rows are what is added to the values.
    gradient = delta @ K + p.ridge * beta - p.target
    assert np.ptp(gradient) < 1e-3
    assert abs(beta.sum()) < 1e-9


def test_a_coefficient_that_meets_its_bound_is_exactly_there() -> None:
    zero, one = np.zeros(3), np.ones(3)
    p = Arrays(np.array([9.0, 1.0, 0.0]), zero, one, -2 * one, 2 * one)
    beta, values = np.zeros(3), np.zeros(3)
    to_minimum_over_free(inverse_of(np.eye(3), one), p, 0, np.arange(3), beta, values)
    assert beta[0] == 2.0
    np.testing.assert_allclose(beta[1:], [0.5, 0.0], atol=1e-5)


def test_it_is_tried_where_it_takes_no_longer_than_the_steps_before() -> None:
    assert not is_worth_it(7, 1e9)
    assert is_worth_it(100, 1e6)
    assert not is_worth_it(1000, 1e6)
    assert not is_worth_it(10, -1.0)


def kernel(m: int) -> np.ndarray:
    points = np.random.default_rng(m).normal(size=(m, 3))
    return np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2)) + 0.01 * np.eye(m)


@together("m", [1, 31, 32, 33, 64, 97, 150])
def test_the_inverse_is_made_of_the_lower_triangle_in_its_place(m: int) -> None:
    K = kernel(m)
    found = np.tril(K)
    assert invert(found)
    np.testing.assert_allclose(found, np.linalg.inv(K), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found, found.T)


def test_what_is_not_definite_has_no_inverse_of_this_kind() -> None:
    K = kernel(60)
    K[50, 50] = 0.1
    assert not invert(K)


@pytest.mark.parametrize("second", [0, 1, 7, 20])
def test_of_two_groups_each_keeps_its_sum_and_has_a_level(second: int) -> None:
    m, K, zero = 20, kernel(20), np.zeros(20)
    sign = np.where(np.arange(m) < m - second, 1.0, -1.0)
    p = Arrays(zero, zero, zero, np.minimum(sign, 0.0), np.maximum(sign, 0.0))
    begin = sign * np.linspace(0.01, 0.9, m)
    beta = begin.copy()
    to_minimum_over_free(np.linalg.inv(K), p, 2, np.arange(m), beta, K @ beta)
    assert beta @ K @ beta <= begin @ K @ begin
    assert ((p.lower <= beta) & (beta <= p.upper)).all()
    free = (beta > p.lower) & (beta < p.upper)
    for group in (sign > 0, sign < 0):
        np.testing.assert_allclose(beta[group].sum(), begin[group].sum(), atol=1e-12)
        level = (K @ beta)[group & free]
        assert level.size == 0 or np.ptp(level) < 1e-9
