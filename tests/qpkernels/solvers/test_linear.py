# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra as a solver."""

from typing import Any

import numpy as np
import pytest

from qpkernels.errors import ShapeError, SolverFailedError, UnsupportedOptionError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Linear
from qpkernels.problems import LeastSquares, LinearSystem, Program
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.solvers import Claim, Outcome, find_solver


def gram(samples: int = 40, seed: int = 4) -> Gram:
    return Gram(RBF(0.3), np.random.default_rng(seed).normal(size=(samples, 3)))


def linear(program: Program, **options: Any) -> Outcome:
    return find_solver("linear").solve(program, **options)


def ridged(bordered: bool, samples: int = 40) -> LinearSystem:
    K = gram(samples)
    rng = np.random.default_rng(5)
    return LinearSystem(RidgedGram(K, rng.uniform(0.1, 0.9, samples)), rng.normal(size=samples), bordered, "ridge")


def test_a_dense_system_is_solved() -> None:
    # [4, 1; 1, 3] x = [1, 2] has the solution (1, 7) / 11.
    outcome = linear(LinearSystem(np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])))
    np.testing.assert_allclose(outcome.point, [1 / 11, 7 / 11], rtol=1e-14)
    assert outcome.multipliers.size == 0
    assert (outcome.claim, outcome.solver) == (Claim.OPTIMAL, "linear")
    assert outcome.message.startswith("Cholesky, relative residual ")


@pytest.mark.parametrize("bordered", [False, True])
def test_a_ridged_kernel_matrix_against_numpy(bordered: bool) -> None:
    program = ridged(bordered)
    n = program.rhs.size
    H = program.matrix.gram.dense + np.diag(program.matrix.ridge)
    np.testing.assert_allclose(program.matrix.dense(), H, atol=0)
    if bordered:
        full = np.block([[np.zeros((1, 1)), np.ones((1, n))], [np.ones((n, 1)), H]])
        expected = np.linalg.solve(full, np.append(0.0, program.rhs))
    else:
        expected = np.append(0.0, np.linalg.solve(H, program.rhs))
    outcome = linear(program)
    np.testing.assert_allclose(outcome.point, expected[1:], atol=1e-11)
    if bordered:
        assert outcome.multipliers[0] == pytest.approx(expected[0], rel=1e-10)
        assert outcome.point.sum() == pytest.approx(0.0, abs=1e-12)
    else:
        assert outcome.multipliers.size == 0
    assert float(outcome.message.split()[-1]) <= 1e-13


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1.0, 1.0], [1.0, 1.0]]),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        RidgedGram(Gram(Linear(), [[1.0], [2.0]]), np.zeros(2)),
    ],
    ids=["singular", "indefinite", "kernel of low rank"],
)
def test_a_matrix_that_is_not_positive_definite(matrix: Any) -> None:
    words = r"matrix of this interpolation must be positive definite beyond rounding, .*raise the ridge above 0"
    with pytest.raises(SolverFailedError, match=words):
        linear(LinearSystem(matrix, np.array([1.0, -1.0]), name="interpolation"))


@pytest.mark.parametrize("intercept", [False, True])
def test_least_squares_of_full_rank(intercept: bool) -> None:
    rng = np.random.default_rng(8)
    F, target = rng.normal(size=(20, 4)), rng.normal(size=20)
    columns = np.column_stack([F, np.ones(20)]) if intercept else F
    expected = np.linalg.lstsq(columns, target, rcond=None)[0]
    outcome = linear(LeastSquares(F, target, intercept))
    np.testing.assert_allclose(outcome.point, expected[:4], atol=1e-12)
    np.testing.assert_allclose(outcome.multipliers, expected[4:], atol=1e-12)
    assert outcome.message == "rank 4 of 4"


@pytest.mark.parametrize("intercept", [False, True])
def test_least_squares_of_deficient_rank(intercept: bool) -> None:
    """The w of least norm, and it says so."""
    rng = np.random.default_rng(9)
    F = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 4)) + (3.0 if intercept else 0.0)
    target = rng.normal(size=20)
    outcome = linear(LeastSquares(F, target, intercept))
    assert outcome.message == "rank 2 of 4: the w of least norm among several"
    b = float(outcome.multipliers[0]) if intercept else 0.0
    residuals = target - F @ outcome.point - b
    np.testing.assert_allclose(F.T @ residuals, 0.0, atol=1e-11)
    centred = F - F.mean(axis=0) if intercept else F
    # Of all answers the shortest one lies in the span of the rows.
    null = np.linalg.svd(centred)[2][2:]
    np.testing.assert_allclose(null @ outcome.point, 0.0, atol=1e-12)


def test_more_features_than_samples() -> None:
    rng = np.random.default_rng(10)
    F, target = rng.normal(size=(3, 6)), rng.normal(size=3)
    outcome = linear(LeastSquares(F, target, intercept=False))
    np.testing.assert_allclose(outcome.point, np.linalg.pinv(F) @ target, atol=1e-12)
    assert "rank 3 of 6: the w of least norm" in outcome.message
    assert "rank 2 of 6" in linear(LeastSquares(F, target)).message


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("features", [9, 30, 200])
def test_a_fit_that_meets_all_targets_has_the_least_norm(features: int, intercept: bool) -> None:
    rng = np.random.default_rng(features)
    F, y = rng.normal(size=(10, features)) * rng.uniform(1e-3, 1e3, features) + 5.0, rng.normal(size=10)
    program = LeastSquares(F, y, intercept, interpolating=True)
    if features < 9 + (not intercept):
        with pytest.raises(SolverFailedError, match="no w of this least squares meets all targets"):
            linear(program)
        return
    outcome = linear(program)
    b = outcome.multipliers[0] if intercept else 0.0
    np.testing.assert_allclose(F @ outcome.point + b, y, atol=1e-8)
    centre = F.mean(axis=0) if intercept else 0.0
    expected = np.linalg.pinv(F - centre, rcond=1e-12) @ (y - (y.mean() if intercept else 0.0))
    np.testing.assert_allclose(outcome.point, expected, atol=1e-9 * np.abs(expected).max())


def test_a_fit_that_only_rounding_makes_possible_is_none() -> None:
    rng = np.random.default_rng(3)
    F = rng.normal(size=(12, 2)) @ rng.normal(size=(2, 60))
    with pytest.raises(SolverFailedError, match="meets all targets to rounding"):
        linear(LeastSquares(F, rng.normal(size=12), interpolating=True))


def test_a_system_of_another_shape_is_refused() -> None:
    with pytest.raises(
        ShapeError, match=r"the matrix must have shape \(3, 3\), as the right-hand side, but has \(2, 2\)"
    ):
        LinearSystem(np.eye(2), np.ones(3))


def test_linear_algebra_has_its_own_options_only() -> None:
    with pytest.raises(UnsupportedOptionError, match="solver 'linear' has no option 'colour'; it has verbose"):
        linear(ridged(bordered=False), colour="blue")
