# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of models whose level is free: the best level, weak duality, and feasible points of the dual."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from builders import SEEDS
from qpkernels import RBF, Gram
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds, best_level
from qpkernels.problems.rounding import FunctionAtSamples

KINDS = (MarginLevelBounds, TubeLevelBounds)
each_kind = pytest.mark.parametrize("kind", KINDS)


def bounds_of(kind: Any, seed: int, nu: float = 0.4) -> Any:
    """Return the bounds on 12 random samples, of which 6 have each label."""
    rng = np.random.default_rng(seed)
    gram, y = Gram(RBF(0.7), rng.normal(size=(12, 2))), np.tile([-1.0, 1.0], 6)
    if kind is MarginLevelBounds:
        return kind(gram, y, nu, np.full(12, 1.0 / 12), 0.0)
    return kind(gram, rng.normal(size=12), nu, rng.choice([0.4, 1.7], 12), 0.0)


@given(
    losses=st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 3)), min_size=1, max_size=9), parts=st.integers(1, 9)
)
def test_the_best_level_is_the_minimiser_nearest_0(losses: list[tuple[int, int]], parts: int) -> None:
    e, weights = np.array(losses, dtype=float).T
    nu = min(parts, len(losses)) / len(losses)

    def cost(level: float) -> float:
        return nu * weights.sum() * level + float(weights @ np.maximum(0.0, e - level))

    level = best_level(e, nu, weights)
    least = min(cost(each) for each in e)
    assert cost(level) == pytest.approx(least, abs=1e-9)
    nearest = min(abs(each) for each in [*e, 0.0] if cost(each) <= least + 1e-9)
    assert abs(level) <= nearest + 1e-12
    assert weights[e > level].sum() <= nu * weights.sum() + 1e-9


@each_kind
@given(seed=SEEDS, other=SEEDS, size=st.floats(0.0, 3.0), nu=st.floats(0.05, 1.0))
def test_every_primal_value_is_above_every_dual_value(kind: Any, seed: int, other: int, size: float, nu: float) -> None:
    bounds, rng = bounds_of(kind, seed, nu), np.random.default_rng(other)
    one, two = (bounds.certify(size * bounds.costs * rng.normal(size=12), float(rng.normal())) for _ in range(2))
    for above in (one, two):
        for below in (one, two):
            assert above.primal_value >= below.dual_value - 1e-9 * (1 + abs(above.primal_value))


@each_kind
@given(seed=SEEDS, size=st.floats(0.0, 3.0), nu=st.floats(0.05, 1.0))
def test_the_point_moved_to_is_feasible(kind: Any, seed: int, size: float, nu: float) -> None:
    bounds = bounds_of(kind, seed, nu)
    beta = size * bounds.costs * np.random.default_rng(seed + 1).normal(size=12)
    feasible = bounds.feasible(beta)
    assert (np.abs(feasible) <= bounds.costs * (1 + 1e-9)).all()
    assert feasible.sum() == pytest.approx(0.0, abs=1e-9 * bounds.costs.max())
    spent = np.abs(feasible).sum()
    if kind is MarginLevelBounds:
        assert (bounds.y * feasible).min() >= 0.0
        assert spent >= bounds.budget * (1 - 1e-9)
    else:
        assert spent <= bounds.budget * (1 + 1e-9)
    assert bounds.feasible(feasible) == pytest.approx(feasible, abs=1e-9 * bounds.costs.max())


@each_kind
def test_what_is_no_number_is_not_certified(kind: Any) -> None:
    bounds = bounds_of(kind, 0)
    assert not bounds.certify(np.full(12, np.nan), 0.0).holds(1e9)
    assert not bounds.certify(np.zeros(12), float("inf")).holds(1e9)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_samples_of_both_classes_prove_a_margin_of_0(form: Any) -> None:
    X = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], (9, 5))
    X, y = np.concatenate([X[:6], X[:4], X[6:]]), np.repeat([1.0, -1.0], [6, 7])
    gram, costs = Gram(RBF(0.3), form(X)), np.linspace(1.0, 2.0, 13)
    shared = 2.0 * float(np.minimum(costs[:4], costs[6:10]).sum() / costs.sum())
    bounds = MarginLevelBounds(gram, y, 0.99 * shared, costs, 0.0)
    beta = bounds.equal_means()
    assert beta is not None
    assert bounds.feasible(beta) == pytest.approx(beta)
    assert bounds.certify(beta, 0.0, FunctionAtSamples.zero(13)).holds(1e-9)
    assert MarginLevelBounds(gram, y, 1.01 * shared, costs, 0.0).equal_means() is None
