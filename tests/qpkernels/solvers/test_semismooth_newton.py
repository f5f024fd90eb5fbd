# SPDX-License-Identifier: BSD-3-Clause
"""The proximal point method with semismooth Newton steps: known optima, other solvers, many samples, its limits."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from builders import every_family, manufacture
from qpkernels import RBF, Gram, Linear, LowRank
from qpkernels.errors import UnsupportedOptionError
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers import Claim, Outcome, find_solver
from smo_problems import intercept, soft_margin


def assert_proved(program: KernelQP, tol: float = 1e-9, **options: Any) -> Outcome:
    outcome = find_solver("semismooth-newton").solve(program, tol=tol, **options)
    assert outcome.claim is Claim.OPTIMAL, outcome.message
    assert certify_kernel_qp(program, outcome.point, intercept(outcome)).holds(tol)
    return outcome


def many(m: int, rank: int = 40, noise: float = 0.5) -> tuple[LowRank, np.ndarray]:
    """Samples of two overlapping classes in a factor of low rank, and their labels."""
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, 4))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + noise * rng.normal(size=m) > 0, 1.0, -1.0)
    return LowRank(RBF(0.2), X, rank), y


@every_family
@pytest.mark.parametrize("seed", range(3))
def test_manufactured_optima(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    outcome = assert_proved(made.program)
    np.testing.assert_allclose(outcome.point, made.beta, atol=1e-3)
    assert made.program.objective(outcome.point) == pytest.approx(made.optimum, rel=1e-8)


@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize("total", [0.0, None], ids=["with b", "without b"])
def test_soft_margins_of_many_samples(C: float, total: float | None) -> None:
    """So many that it begins with some of them."""
    gram, y = many(25_000)
    assert_proved(soft_margin(gram, y, C, total), 1e-7)


def test_a_tube_and_a_squared_loss_of_many_samples() -> None:
    gram, y = many(22_000)
    target = y + 0.3 * gram.features[:, 0]
    assert_proved(KernelQP(gram, target, -2.0, 2.0, 0.0, epsilon=0.2), 1e-7)
    assert_proved(KernelQP(gram, target, -np.inf, np.inf, 0.0, ridge=0.5), 1e-7)
    assert_proved(KernelQP(gram, target, -2.0, 2.0, None, epsilon=0.2, ridge=1e-3), 1e-7)


def test_a_sum_other_than_0() -> None:
    gram, _ = many(21_000)
    assert_proved(KernelQP(gram, 0.0, 0.0, 1e-3, 1.0), 1e-6)


def test_the_same_optimum_as_the_interior_point_method() -> None:
    gram, y = many(2_000)
    program = soft_margin(gram, y, 10.0)
    other = find_solver("interior-point").solve(program, tol=1e-10)
    own = assert_proved(program, 1e-10)
    assert program.objective(own.point) == pytest.approx(program.objective(other.point), rel=1e-9)


def test_a_warm_start_takes_fewer_steps() -> None:
    gram, y = many(3_000)
    cold = assert_proved(soft_margin(gram, y, 1.0), 1e-7)
    warm = assert_proved(soft_margin(gram, y, 1.1), 1e-7, warm_start=1.1 * cold.point)
    assert warm.iterations < cold.iterations


def test_an_offset_of_the_samples_is_in_b_alone() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=300) > 0, 1.0, -1.0)
    near = assert_proved(soft_margin(Gram(Linear(), X), y, 1.0), 1e-7)
    far = assert_proved(soft_margin(Gram(Linear(), X + 1e3), y, 1.0), 1e-6)
    assert np.sum(near.point * y) == pytest.approx(np.sum(far.point * y), rel=1e-4)


def test_a_limit_returns_the_point_so_far() -> None:
    gram, y = many(3_000)
    program = soft_margin(gram, y, 100.0)
    for limit in ({"max_iter": 2}, {"time_limit": 1e-6}):
        outcome = find_solver("semismooth-newton").solve(program, tol=1e-9, **limit)
        assert outcome.claim is Claim.STOPPED
        assert "limit of time or steps" in outcome.message
        np.testing.assert_allclose(outcome.point.sum(), 0.0, atol=1e-8)


def test_an_option_that_it_does_not_have() -> None:
    gram, y = many(100, rank=10)
    with pytest.raises(UnsupportedOptionError, match="cache_size"):
        find_solver("semismooth-newton").solve(soft_margin(gram, y, 1.0), cache_size=3)


def test_it_says_how_it_goes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    gram, y = many(21_000)
    assert_proved(soft_margin(gram, y, 1.0), 1e-6, verbose=True)
    out = caplog.text
    assert "of 21000 samples first" in out
    assert "free, relative gap" in out


@pytest.mark.parametrize("total", [0.0, None], ids=["with b", "without b"])
@pytest.mark.parametrize("ridge", [0.0, 0.05])
def test_sparse_features_are_as_good_as_dense_ones(total: float | None, ridge: float) -> None:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((300, 400), density=0.05, rng=rng))
    y = np.where(rng.random(300) < 0.3, 1.0, -1.0)
    sparse, dense = (
        KernelQP(Gram(Linear(), Z), y, np.minimum(y, 0.0), np.maximum(y, 0.0), total, 0.0, ridge)
        for Z in (X, X.toarray())
    )
    own = assert_proved(sparse, 1e-9)
    other = find_solver("interior-point").solve(dense, tol=1e-10)
    assert sparse.objective(own.point) == pytest.approx(dense.objective(other.point), rel=1e-9)
