# SPDX-License-Identifier: BSD-3-Clause
"""Answers of regression that once passed, or failed, against the truth: units, offsets, floors and ridges."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from formulations import (
    ChebyshevFit,
    HardTube,
    Huber,
    LaplaceFit,
    LeastAbsoluteFit,
    LeastSquares,
    LeastSquaresFit,
    NuTube,
    Quantile,
    ResidualLossRegression,
    SoftTube,
    SparseApproximation,
)
from formulations.losses import AbsolutePower, EpsilonInsensitive
from qpkernels.errors import InfeasibleError, SolverFailedError
from qpkernels.kernels import RBF
from qpkernels.problems import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
TARGETS = X @ [1.0, 2.0] + 1 + 0.3 * RNG.normal(size=(2, 30))[1]


def test_a_column_in_nanoseconds() -> None:
    rng = np.random.default_rng(1)
    clock = 1.7e18 + rng.integers(0, 10**15, 50).astype(float)
    other = rng.normal(size=50)
    y = 0.3 * other + rng.normal(size=50)
    centred = np.column_stack([(clock - clock.mean()) / 1e15, other, np.ones(50)])
    least = float(((y - centred @ np.linalg.lstsq(centred, y)[0]) ** 2).sum())
    solution = LeastSquaresFit(np.column_stack([clock, other]), y).solve()
    assert solution.status is Status.OPTIMAL
    assert "rank 2 of 2" in solution.message
    assert solution.objective == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-13, 1e13])
@pytest.mark.parametrize("model", [LeastSquaresFit, LeastAbsoluteFit, ChebyshevFit])
def test_the_unit_of_the_features_of_a_fit(model: Any, unit: float) -> None:
    optimum = model(X, TARGETS).solve(tol=1e-8).objective
    solution = model(unit * X, TARGETS).solve()
    if solution.status is Status.OPTIMAL:
        assert solution.objective == pytest.approx(optimum, rel=1e-5)


def test_the_least_norm_of_dependent_columns_in_different_units() -> None:
    doubled = np.column_stack([X[:, 0], 1e6 * X[:, 0], X[:, 1]])
    solution = LeastSquaresFit(doubled, TARGETS).solve()
    assert "rank 2 of 3" in solution.message
    assert solution.function.weights == pytest.approx(
        np.linalg.pinv(doubled - doubled.mean(axis=0), rcond=1e-12) @ (TARGETS - TARGETS.mean()), rel=1e-6, abs=1e-12
    )


def test_a_tube_around_large_targets() -> None:
    """Residuals are judged by the spread of the targets, which b does not change, and not by their level."""
    x = np.linspace(-1, 1, 11)[:, None]
    model = HardTube(x, 1e6 + 0.5 * x[:, 0], epsilon=0.1)
    assert not model.certify((np.zeros(11), 1e6)).holds(1e-2)
    assert model.solve().certificate.holds(1e-6)


@pytest.mark.parametrize("unit", [1e-7, 1e-6, 1.0])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_no_floor_hides_what_a_cost_costs(share: float, unit: float) -> None:
    model = SoftTube(unit * X, TARGETS, C=1.0, epsilon=0.1)
    solution = model.solve()
    assert solution.status is Status.OPTIMAL
    assert not model.certify((share * solution.beta, solution.intercept)).holds(1e-4)


def test_a_fit_that_is_nearly_exact() -> None:
    """A slope off by a millionth is no optimum, though the mean explains 10^10 times less."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(50, 1))
    y = 5 + 3 * x[:, 0] + 1e-5 * rng.normal(size=50)
    model = LeastSquaresFit(x, y)
    best = model.solve()
    assert best.certificate.holds(1e-6)
    w, b = float(best.function.weights[0]), best.intercept
    bent = type("Fit", (), {"coef_": np.array([w + 1e-6]), "intercept_": b - 1e-6 * float(x.mean())})()
    assert model.certify(bent).primal_value > 1.001 * best.objective
    assert not model.certify(bent).holds(1e-4)


def test_who_carries_an_answer_does_not_depend_on_the_unit() -> None:
    for unit in (1e-7, 1.0):
        solution = ResidualLossRegression(X, unit * TARGETS, loss=AbsolutePower(2.0)).solve()
        assert solution.n_support == 30


def test_a_tube_by_its_loss_is_a_tube() -> None:
    mine = ResidualLossRegression(X, 3 * TARGETS, loss=EpsilonInsensitive(0.5)).solve(tol=1e-8)
    tube = SoftTube(X, 3 * TARGETS, epsilon=0.5).solve(tol=1e-8)
    assert mine.epsilon == 0.5
    assert mine.slacks == pytest.approx(tube.slacks, abs=1e-4)
    for side in ("inside", "edge", "above", "below"):
        assert getattr(mine.tube, side).tolist() == getattr(tube.tube, side).tolist()


@pytest.mark.parametrize("level", [3.0, -2e6, 50.0])
@pytest.mark.parametrize(
    "model",
    [
        LeastSquares,
        NuTube,
        ResidualLossRegression,
        LeastSquaresFit,
        LeastAbsoluteFit,
        LaplaceFit,
        ChebyshevFit,
        Quantile,
        Huber,
    ],
)
def test_equal_targets(model: Any, level: float) -> None:
    for form in model(X[:8], np.full(8, level)).forms.values():
        solution = form.solve()
        assert solution.status is Status.OPTIMAL, form.name
        assert solution.function(X) == pytest.approx(np.full(30, level), rel=1e-5)


def test_a_ridge_that_rounding_swallows() -> None:
    with pytest.raises(SolverFailedError, match=r"too ill conditioned: .* centre and scale the features"):
        LeastSquares(X + 1e5, TARGETS).solve("linear")


@pytest.mark.parametrize("model", [LeastSquares, Huber, SoftTube, Quantile, NuTube, ResidualLossRegression])
@pytest.mark.parametrize("offset", [1e9, 1e12])
def test_no_offset_of_the_targets_proves_the_mean(model: Any, offset: float) -> None:
    """An offset changes b alone: the values, and what is wrong with them, are those of the targets around it."""
    targets = offset + 1024.0 * np.round(TARGETS * 64) / 65536
    shifted = model(X, targets)
    assert not shifted.certify((np.zeros(30), targets.mean())).holds(0.1)
    centred = model(X, targets - offset)
    truth = centred.solve(tol=1e-9)
    certificate = shifted.certify((truth.beta, truth.intercept + offset))
    assert certificate.dual_value == pytest.approx(truth.certificate.dual_value, rel=1e-12)
    if offset < 1e12:
        assert certificate.primal_value == pytest.approx(truth.certificate.primal_value, rel=1e-5)
    solution = shifted.solve(time_limit=0.5)
    if solution.status is Status.OPTIMAL:
        assert solution.certificate.primal_value == pytest.approx(truth.certificate.primal_value, rel=2e-6)


@pytest.mark.parametrize("model", [LeastSquares, Huber, SoftTube, Quantile])
def test_targets_far_away_are_fitted_as_near_ones(model: Any) -> None:
    solution = model(X, TARGETS + 1e9).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(model(X, (TARGETS + 1e9) - 1e9).solve(tol=1e-9).objective, rel=2e-6)


def test_the_unit_of_a_violation_is_the_tube_and_not_the_level_of_the_targets() -> None:
    """Two equal samples with targets 0.78 apart need epsilon = 0.39, at any level."""
    x, targets = [[0.0], [0.0], [1.0]], [1e6, 1e6 + 0.78, 1e6 + 0.5]
    model = HardTube(x, targets, RBF(1.0), epsilon=0.18, fit_intercept=False)
    limited = model.dual.solve("smo", max_iter=20_000)
    assert limited.status is not Status.OPTIMAL
    assert limited.certificate.uncounted == np.inf
    with pytest.raises(InfeasibleError, match=r"smallest feasible epsilon is 0\.39"):
        model.primal.solve("clarabel")
    with pytest.raises(InfeasibleError, match=r"smallest feasible epsilon is 0\.39"):
        model.solve()
    with suppress(InfeasibleError):
        assert model.dual.solve("clarabel").status is not Status.OPTIMAL


def test_a_proof_of_infeasibility_beats_its_own_rounding() -> None:
    """Some function meets any values at different samples of a Gaussian kernel; a bound of 2e-41 shows nothing else."""
    level = HardTube([[0.0], [1], [2]], [1e7 + 0.3, 1e7 + 0.8, 1e7 + 0.3], RBF(10.0), epsilon=0.0)
    assert level._contradiction("") is None
    assert level.dual.solve(tol=1e-8).status is Status.OPTIMAL
    sparse = SparseApproximation(0.1 * np.arange(5)[:, None], [1003.0, 1002, 991, 988, 1003], RBF(1.0), epsilon=0.0)
    assert sparse._contradiction("") is None
    assert sparse.primal.solve("clarabel").status is Status.OPTIMAL
    # The smallest epsilon is proved all the same where it is one.
    assert HardTube([[0.0], [0.0]], [1e6, 1e6 + 1.0], RBF(1.0), epsilon=0.4999)._contradiction("") is not None


def test_a_tube_that_holds_every_target_costs_nothing() -> None:
    targets = 1e6 + 0.05 * np.sin(X[:, 0])
    for model in (SoftTube(X, targets, RBF(1.0), epsilon=0.2), HardTube(X, targets, RBF(1.0), epsilon=0.2)):
        for form in model.forms.values():
            for solver in (None, "clarabel", "scs"):
                solution = form.solve(solver)
                assert solution.status is Status.OPTIMAL, (form.name, solver)
                assert solution.certificate.primal_value == solution.certificate.dual_value == 0.0
                assert solution.n_support == 0
        # An f beside it is no optimum, however small.
        assert not model.certify((1e-12 * np.where(np.arange(30) % 2, 1.0, -1.0), 1e6)).holds(1e-6)


@pytest.mark.parametrize("model", [LeastSquaresFit, LeastAbsoluteFit, LaplaceFit, ChebyshevFit])
def test_an_exact_fit_is_exact_up_to_rounding_only(model: Any) -> None:
    targets = X @ [1.0, 2.0] + 7.0
    for form in model(X, targets).forms.values():
        solution = form.solve("clarabel")
        assert solution.status is Status.OPTIMAL, form.name
        assert np.abs(solution.residuals).max() <= 1e-14
    beside = type("Fit", (), {"coef_": np.array([1.0, 2.0 + 1e-9]), "intercept_": 7.0})()
    assert not model(X, targets).certify(beside).holds(1e-6)
    # Weights so large that every digit is rounding prove nothing.
    doubled = model(np.column_stack([X, X[:, 0]]), TARGETS)
    lost = type("Fit", (), {"coef_": np.array([1e17, 0.0, -1e17]), "intercept_": 0.0})()
    assert not doubled.certify(lost).holds(1e-2)
