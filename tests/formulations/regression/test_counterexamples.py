# SPDX-License-Identifier: BSD-3-Clause
"""Answers of regression that once passed, or failed, against the truth: units, offsets, floors and ridges."""

from __future__ import annotations

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
)
from formulations.losses import AbsolutePower, EpsilonInsensitive
from qpkernels.certificates import Status
from qpkernels.errors import SolverFailedError

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
    bent = type("Fit", (), {"coef_": np.array([w + 1e-6]), "intercept_": b - 1e-6 * float(x.mean())})
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
        LeastSquares(X + 1e5, TARGETS).solve()
