# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of the squared hinge with few weights, beside values in plain sums and an optimum by CVXPY."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from scipy.sparse import csr_array

from qpkernels.problems.sparse_weights import SparseWeightsBounds

RNG = np.random.default_rng(2)
A = RNG.normal(size=(30, 8))
COSTS = RNG.uniform(0.2, 2.0, 30)
BOUNDS = SparseWeightsBounds(A, COSTS)


def objective(w: np.ndarray) -> float:
    return float(np.abs(w).sum() + COSTS @ np.maximum(0.0, 1.0 - A @ w) ** 2)


def optimum() -> np.ndarray:
    w = cp.Variable(8)
    cp.Problem(cp.Minimize(cp.norm1(w) + COSTS @ cp.square(cp.pos(1 - A @ w)))).solve("CLARABEL")
    return np.asarray(w.value)


def test_an_optimum_is_proved_and_nothing_else_is() -> None:
    w = optimum()
    proof = BOUNDS.certify(w)
    assert proof.holds(1e-6)
    assert proof.primal_value == pytest.approx(objective(w), rel=1e-14)
    for other in (0.99 * w, w + 1e-3, np.zeros(8), -w):
        found = BOUNDS.certify(other)
        assert found.primal_value == pytest.approx(objective(other), rel=1e-14)
        assert found.dual_value <= objective(w) * (1 + 1e-9)
        assert found.relative_gap >= (objective(other) - objective(w)) / objective(other) - 1e-9
        assert not found.holds(1e-7)


def test_what_lies_between_is_the_sum_over_features_and_samples() -> None:
    w = RNG.normal(size=8)
    excess = 1.0 - A @ w
    slacks = np.maximum(excess, 0.0)
    slopes = 2.0 * COSTS * slacks
    scale = min(1.0 / np.abs(A.T @ slopes).max(), 2.0 * slopes.sum() / (slopes**2 / COSTS).sum())
    alpha = scale * slopes
    parts = np.append(np.abs(w) - w * (A.T @ alpha), COSTS * slacks**2 + alpha**2 / (4.0 * COSTS) - alpha * excess)
    proof = BOUNDS.certify(w)
    assert proof.primal_value - proof.dual_value == pytest.approx(parts.sum(), rel=1e-9)
    assert proof.complementarity == pytest.approx(parts.max() / proof.primal_value, rel=1e-9)
    worst = int(np.argmax(parts))
    assert proof.worst.startswith(f"feature {worst} adds" if worst < 8 else f"sample {worst - 8} adds")


def test_multipliers_of_a_solver_are_scaled_to_what_the_dual_allows() -> None:
    w = optimum()
    alpha = 2.0 * COSTS * np.maximum(0.0, 1.0 - A @ w)
    best = BOUNDS.certify(w).dual_value
    for factor in (1e-3, 1.0, 1e3):
        assert BOUNDS.certify(0.9 * w, factor * alpha).dual_value == pytest.approx(best, rel=1e-6)
    for others in (-alpha, np.zeros(30), RNG.normal(size=30), np.full(30, 1e6)):
        assert BOUNDS.certify(w, others).dual_value <= objective(w)
        assert not BOUNDS.certify(w, others).holds(1e-3)


def test_sparse_samples_have_the_same_bounds() -> None:
    w = RNG.normal(size=8)
    dense, sparse = BOUNDS.certify(w), SparseWeightsBounds(csr_array(A), COSTS).certify(w)
    assert (dense.primal_value, dense.dual_value) == pytest.approx((sparse.primal_value, sparse.dual_value), rel=1e-13)


def test_small_costs_leave_no_weight_and_nothing_else_is_optimal() -> None:
    faint = SparseWeightsBounds(A, 1e-3 * COSTS)
    assert faint.certify(np.zeros(8)).relative_gap < 1e-13
    assert not faint.certify(np.eye(8)[0]).holds(1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_what_is_no_number_proves_nothing(bad: float) -> None:
    assert not BOUNDS.certify(np.full(8, bad)).holds(np.inf)


def test_rounding_is_within_its_bound() -> None:
    """Values in float32 differ from those in float64 by the rounding of float32 at most."""
    w = optimum()
    proof = BOUNDS.certify(w)
    single = (A.astype(np.float32) @ w.astype(np.float32)).astype(np.float64)
    value = np.abs(w).sum() + COSTS @ np.maximum(0.0, 1.0 - single) ** 2
    ratio = float(np.finfo(np.float32).eps / np.finfo(np.float64).eps)
    assert abs(value - proof.primal_value) <= 4.0 * ratio * proof.rounding
