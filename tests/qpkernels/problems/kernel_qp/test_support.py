# SPDX-License-Identifier: BSD-3-Clause
"""The support of exact and inexact answers, and the interval of the intercept."""

from typing import Any

import numpy as np
import pytest

from builders import FAMILIES, every_family, manufacture, two_classes
from qpkernels import RBF, Gram
from qpkernels.problems import KernelQP, certify_kernel_qp, intercept_interval
from qpkernels.problems.kernel_qp.bounds import split_support
from together import together


@together("name", FAMILIES)
@together("seed", range(3))
def test_the_support_of_an_exact_answer(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    program, beta = made.program, made.beta
    at_bound = (beta != 0) & ((beta == program.upper) | (beta == program.lower))
    support = split_support(program, beta, program.gram.dense @ beta + made.intercept)
    np.testing.assert_array_equal(support.bounded, np.flatnonzero(at_bound))
    np.testing.assert_array_equal(support.free, np.flatnonzero((beta != 0) & ~at_bound))
    np.testing.assert_array_equal(support.indices, np.flatnonzero(beta))
    assert len(support) == np.count_nonzero(beta)


@together("name", FAMILIES)
@together("noise", [1e-9, 1e-6, 1e-4])
@together("seed", range(3))
def test_the_support_of_an_inexact_answer(name: str, noise: float, seed: int) -> None:
    made = manufacture(name, seed)
    program, beta = made.program, made.beta
    # As an interior-point method leaves it: strictly inside wherever the exact answer is at an end.
    rng = np.random.default_rng(seed)
    fuzz = noise * rng.uniform(0.1, 1.0, len(program))
    lower, upper = np.maximum(program.lower, -2.0), np.minimum(program.upper, 2.0)
    fuzzy = beta + np.select(
        [(beta == upper) & (upper > 0), (beta == lower) & (lower < 0), (beta == 0) & (lower == 0), beta == 0],
        [-fuzz, fuzz, fuzz, -fuzz],
        fuzz * rng.choice([-1.0, 1.0], len(program)),
    )
    support = split_support(program, fuzzy, program.gram.dense @ fuzzy + made.intercept)
    exact = split_support(program, beta, program.gram.dense @ beta + made.intercept)
    np.testing.assert_array_equal(support.free, exact.free)
    np.testing.assert_array_equal(support.bounded, exact.bounded)


def test_a_ridge_keeps_a_coefficient_off_its_bound() -> None:
    # beta = 0.95 <= 1 minimises (1 + 0.5) beta^2 / 2 - 1.425 beta.
    program = KernelQP(Gram(RBF(1.0), [[0.0]]), 1.425, -1.0, 1.0, None, ridge=0.5)
    assert certify_kernel_qp(program, np.array([0.95]), 0.0).holds(1e-12)
    assert split_support(program, np.array([0.95]), np.array([0.95])).free.tolist() == [0]


def test_no_answer_has_no_support() -> None:
    X, y = two_classes(6)
    program = KernelQP(Gram(RBF(1.0), X), y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0))
    assert len(split_support(program, np.zeros(6), 2 * y)) == 0


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-10])
def test_samples_that_are_all_on_the_margin(noise: float) -> None:
    """Decision values that are rounding, without targets to measure them by, put no coefficient at an end."""
    program = KernelQP(Gram(RBF(0.5), np.arange(4.0)[:, None]), 0.0, 0.0, 0.5, total=1.0)
    beta = np.linalg.solve(program.gram.dense, np.ones(4))
    beta /= beta.sum()
    support = split_support(program, beta, noise * np.array([1.0, -1.0, -1.0, 1.0]))
    assert support.free.tolist() == [0, 1, 2, 3]
    assert support.bounded.size == 0


def test_rounding_carries_nothing() -> None:
    """Coefficients whose functions are lost in the rounding of decision values are no support vectors."""
    gram, targets = Gram(RBF(1.0), np.arange(4.0)[:, None]), [0.0, 0.0, 0.2, 0.2]
    decision = np.full(4, 0.1)
    program = KernelQP(gram, targets, -np.inf, np.inf, epsilon=0.1)
    for size, some in ((1e-12, True), (1e-16, False)):
        noise = size * np.array([-1.0, -1.0, 1.0, 1.0])
        assert (len(split_support(program, noise, decision)) > 0) is some


def optimal_value(program: KernelQP, values: np.ndarray, b: float) -> float:
    """Return the part of P(f, b) that depends on b, by the textbook formula of the losses; infinite beyond a wall."""
    slope = np.array([program.target - values - b - program.epsilon, values + b - program.target - program.epsilon])
    walls = np.array([program.upper, -program.lower])
    with np.errstate(invalid="ignore"):
        losses = np.where(slope > 1e-12, slope * walls, 0.0)
    return float(losses.max(axis=0).sum() + b * (program.total or 0.0))


INTERVALS = [
    # (target, lower, upper, epsilon, total, values, beta), all without a free coefficient
    ([1, -1, -1, 1], [0, -2, -2, 0], [2, 0, 0, 2], 0.0, 0.0, [0, 0, 0, 0], [2, -2, -2, 2]),
    ([0, 0, 1, 1], [-1] * 4, [1] * 4, 0.1, 0.0, [0] * 4, [-1, -1, 1, 1]),
    ([0, 0, 1, 1], [-0.5] * 4, [0.5] * 4, 0.0, 0.0, [0] * 4, [-0.5, -0.5, 0.5, 0.5]),
    ([0, 0, 0.2, 0.2], [-np.inf] * 4, [np.inf] * 4, 0.3, 0.0, [0] * 4, [0] * 4),
    ([0] * 4, [0] * 4, [0.5] * 4, 0.0, 1.0, [1.5, 3.0, 4.5, 6.0], [0.5, 0.5, 0, 0]),
    ([1, 1, -1, -1], [0, 0, -np.inf, -np.inf], [np.inf, np.inf, 0, 0], 0.0, 0.0, [2, 3, -2, -4], [0] * 4),
]


@pytest.mark.parametrize("row", INTERVALS, ids=["hinge", "tube", "absolute", "hard tube", "one class", "hard margin"])
def test_the_interval_of_the_intercept_by_brute_force(row: tuple[Any, ...]) -> None:
    target, lower, upper, epsilon, total, *answer = row
    gram = Gram(RBF(1.0), np.arange(4.0)[:, None])
    program = KernelQP(gram, target, np.array(lower, float), np.array(upper, float), total, epsilon)
    values, beta = np.array(answer[0], float), np.array(answer[1], float)
    grid = np.linspace(-8, 8, 3201)
    costs = np.array([optimal_value(program, values, b) for b in grid])
    best = grid[costs <= costs.min() + 1e-12]
    inside = float(0.5 * (best[0] + best[-1]))
    support = split_support(program, beta, values + inside)
    assert support.free.size == 0
    interval = intercept_interval(program, beta, values, inside, support)
    assert interval == pytest.approx((best[0], best[-1]), abs=1e-9)
    assert interval[1] - interval[0] > 0.3


@every_family
def test_a_free_coefficient_leaves_no_interval(name: str) -> None:
    made = manufacture(name)
    program = made.program
    values = program.gram.dense @ made.beta
    support = split_support(program, made.beta, values + made.intercept)
    assert support.free.size
    assert intercept_interval(program, made.beta, values, made.intercept, support) == (made.intercept, made.intercept)
