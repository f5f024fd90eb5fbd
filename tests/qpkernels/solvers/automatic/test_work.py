# SPDX-License-Identifier: BSD-3-Clause
"""Which method comes first, by the structure alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Kernel, Linear
from qpkernels.problems import KernelQP
from qpkernels.solvers import Claim
from qpkernels.solvers.automatic import Automatic
from qpkernels.solvers.automatic.work import (
    expected_steps,
    first_order,
    second_order_comes_first,
    second_order_work,
    step_work,
)


def program(m: int, d: int, kernel: Kernel, memory: float = 2**32, **parts: Any) -> KernelQP:
    X = np.random.default_rng(m).normal(size=(m, d))
    parts = {"lower": -1.0, "upper": 1.0} | parts
    return KernelQP(Gram(kernel, X, memory_limit=memory), np.sign(X[:, 0]), **parts)


@pytest.mark.parametrize(
    ("m", "d", "kernel", "first"),
    [
        (1500, 5, Linear(), True),
        (569, 30, Linear(), True),
        (20000, 20, Linear(), True),
        (30, 2, Linear(), False),
        (2000, 900, Linear(), False),
        (300, 5, RBF(0.1), False),
        (3000, 5, RBF(0.1), False),
    ],
)
def test_few_features_are_for_the_second_order_method(m: int, d: int, kernel: Kernel, first: bool) -> None:
    assert second_order_comes_first(program(m, d, kernel)) == first


def test_it_is_no_choice_where_its_matrices_exceed_the_memory_limit() -> None:
    assert np.isinf(second_order_work(program(200, 5, RBF(0.1), memory=10**6)))
    assert np.isfinite(second_order_work(program(200, 5, RBF(0.1), memory=10**7)))
    assert np.isfinite(second_order_work(program(200, 5, Linear(), memory=10**6)))


def test_a_step_is_as_much_work_as_its_block_is_large() -> None:
    assert step_work(program(100, 5, RBF(0.1))) < step_work(program(900, 5, RBF(0.1)))
    assert step_work(program(1500, 5, RBF(0.1))) == step_work(program(3000, 5, RBF(0.1)))


def test_wide_bounds_take_more_steps() -> None:
    steps = [expected_steps(program(300, 5, RBF(0.1), lower=-C, upper=C)) for C in (0.1, 1.0, 1e2, 1e3, np.inf)]
    assert steps[0] == steps[1] < steps[2] < steps[3] < steps[4] < np.inf


def test_a_ridge_counts_as_a_bound() -> None:
    wide, ridged = (program(300, 5, RBF(0.1), lower=-np.inf, upper=np.inf, ridge=ridge) for ridge in (0.0, 0.01))
    assert expected_steps(ridged) == expected_steps(program(300, 5, RBF(0.1), lower=-100.0, upper=100.0))
    assert expected_steps(ridged) < expected_steps(wide)


def test_few_samples_in_wide_bounds_are_for_the_second_order_method() -> None:
    assert second_order_comes_first(program(60, 5, RBF(0.1), lower=-1e4, upper=1e4))
    assert not second_order_comes_first(program(60, 5, RBF(0.1)))


def test_a_matrix_of_low_rank_is_as_good_as_few_features() -> None:
    bounds = {"lower": -np.inf, "upper": np.inf}
    low, high = (program(900, 5, RBF(gamma), **bounds) for gamma in (1e-4, 3.0))
    assert second_order_work(low) < 0.2 * second_order_work(high)
    assert second_order_comes_first(low)
    assert not second_order_comes_first(high)
    # Where bounds are narrow nobody asks: pair steps are few.
    assert second_order_work(program(900, 5, RBF(1e-4))) == second_order_work(program(900, 5, RBF(3.0)))


def sparse(m: int, d: int, C: float = 1.0) -> KernelQP:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((m, d), density=0.01, rng=rng))
    return KernelQP(Gram(Linear(), X), np.where(rng.random(m) < 0.5, 1.0, -1.0), -C, C)


@pytest.mark.parametrize(
    ("stated", "solver"),
    [
        (sparse(2000, 3000), "coordinate-descent"),
        (sparse(2000, 3000, C=1e6), "coordinate-descent"),
        (sparse(4000, 200), "coordinate-descent"),
        (sparse(4000, 200, C=1e6), "smo"),
        (sparse(500, 3000), "smo"),
        (program(3000, 5, RBF(0.1)), "smo"),
        (program(5000, 40, Linear(), lower=-1e-4, upper=1e-4), "coordinate-descent"),
        (program(5000, 40, Linear(), lower=-np.inf, upper=np.inf), "smo"),
    ],
    ids=["sparse", "sparse, wide", "few", "few, wide", "few samples", "rbf", "dense, narrow", "dense, hard"],
)
def test_many_samples_in_explicit_features_are_for_coordinate_descent(stated: KernelQP, solver: str) -> None:
    assert first_order(stated).solver == solver
    assert 0 < first_order(stated).unit < first_order(stated).work < np.inf


def test_it_hands_over_where_little_is_gained() -> None:
    stated = sparse(1200, 200, C=1e5)
    outcome = Automatic().solve(stated)
    assert outcome.claim is Claim.OPTIMAL
    assert outcome.solver.endswith("interior-point")
    assert Automatic().solve(sparse(1200, 1500, C=0.1)).solver == "coordinate-descent"


def noisy(m: int, d: int, C: float, **parts: Any) -> KernelQP:
    """Sparse samples of two classes that overlap so much that most coefficients have a say in every weight."""
    rng = np.random.default_rng(0)
    X = csr_array(random_array((m, d), density=0.02, rng=rng))
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=m) > 0, 1.0, -1.0)
    return KernelQP(Gram(Linear(), X), y, np.minimum(C * y, 0.0), np.maximum(C * y, 0.0), **parts)


def test_costs_alone_make_no_second_order_method_of_sparse_samples() -> None:
    assert Automatic().solve(noisy(1100, 1500, 1e4)).solver == "coordinate-descent"


def test_descent_in_few_sparse_features_hands_over_to_newton_steps() -> None:
    y = noisy(3000, 300, 1.0).target
    stated = noisy(3000, 300, np.inf, ridge=0.5 / 1e3)
    outcome = Automatic().solve(stated, tol=1e-6)
    assert outcome.claim is Claim.OPTIMAL
    assert outcome.solver == "coordinate-descent, semismooth-newton"
    assert (outcome.point * y >= 0).all()
