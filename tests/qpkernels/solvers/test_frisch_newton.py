# SPDX-License-Identifier: BSD-3-Clause
"""Fits in a norm by the interior-point method of Portnoy and Koenker, held against HiGHS and closed forms."""

from typing import Literal

import numpy as np
import pytest
from scipy.optimize import linprog

from qpkernels.arrays import Vector
from qpkernels.errors import UnsupportedOptionError
from qpkernels.problems import ResidualNorm
from qpkernels.solvers import Claim, Outcome, find_solver

each_norm = pytest.mark.parametrize("norm", ["sum", "largest"])


def fitted(program: ResidualNorm, **options: object) -> Outcome:
    return find_solver("frisch-newton").solve(program, **options)


def random_program(m: int, n: int, norm: Literal["sum", "largest"], seed: int = 0) -> ResidualNorm:
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(m, n)))[0]
    return ResidualNorm(basis, basis @ rng.normal(size=n) + rng.standard_t(2, size=m), norm)


def loss(norm: str, residuals: Vector) -> float:
    return float(np.abs(residuals).sum() if norm == "sum" else np.abs(residuals).max())


def optimum(program: ResidualNorm) -> float:
    """By HiGHS, in u and bounds of the residuals."""
    B, y = program.basis, program.target
    m, n = B.shape
    t = np.eye(m) if program.norm == "sum" else np.ones((m, 1))
    rows = np.block([[B, -t], [-B, -t]])
    costs = np.concatenate([np.zeros(n), np.ones(t.shape[1])])
    return float(linprog(costs, rows, np.concatenate([y, -y]), bounds=(None, None)).fun)


@each_norm
@pytest.mark.parametrize(("m", "n"), [(5, 1), (40, 3), (120, 60), (60, 59)])
def test_both_values_meet_at_the_optimum_of_highs(m: int, n: int, norm: Literal["sum", "largest"]) -> None:
    program = random_program(m, n, norm, seed=m)
    outcome = fitted(program, tol=1e-9)
    assert outcome.claim is Claim.OPTIMAL
    v = outcome.multipliers
    primal = loss(norm, program.target - program.basis @ outcome.point)
    size = np.abs(v).max() if norm == "sum" else np.abs(v).sum()
    assert size <= 1 + 1e-12
    np.testing.assert_allclose(program.basis.T @ v, 0.0, atol=1e-9)
    assert primal == pytest.approx(optimum(program), rel=1e-8)
    assert float(program.target @ v) == pytest.approx(primal, rel=1e-8)


def test_a_constant_is_fitted_by_the_median_and_by_the_middle() -> None:
    y = np.array([1.0, 2.0, 4.0, 8.0, 100.0])
    ones = np.full((5, 1), 5**-0.5)
    for norm, value in (("sum", 4.0), ("largest", 50.5)):
        outcome = fitted(ResidualNorm(ones, y, norm), tol=1e-10)  # type: ignore[arg-type]
        assert outcome.point[0] * 5**-0.5 == pytest.approx(value, rel=1e-8)


@each_norm
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_the_unit_of_the_targets_does_not_matter(norm: Literal["sum", "largest"], scale: float) -> None:
    program = random_program(30, 4, norm)
    scaled = fitted(ResidualNorm(program.basis, scale * program.target, norm), tol=1e-8)
    assert scaled.claim is Claim.OPTIMAL
    expected = loss(norm, program.target - program.basis @ fitted(program, tol=1e-8).point)
    assert loss(norm, program.target - program.basis @ (scaled.point / scale)) == pytest.approx(expected, rel=1e-7)


@each_norm
def test_limits(norm: Literal["sum", "largest"]) -> None:
    program = random_program(200, 20, norm)
    for limit in ({"max_iter": 2}, {"time_limit": 1e-9}):
        outcome = fitted(program, tol=1e-9, **limit)
        assert outcome.claim is Claim.STOPPED
        assert outcome.message.startswith("limit of ")
    with pytest.raises(UnsupportedOptionError):
        fitted(program, warm_start=np.zeros(200))
