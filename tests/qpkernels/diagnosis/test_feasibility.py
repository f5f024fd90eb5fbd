# SPDX-License-Identifier: BSD-3-Clause
"""What is proved of some rows uses no others, and of circuits none can be spared."""

from __future__ import annotations

import numpy as np
import pytest

from builders import cone_program
from qpkernels.diagnosis import Feasibility
from qpkernels.diagnosis.feasibility import basic_combination, circuit
from qpkernels.problems import Nonnegative, SecondOrder, Zero
from qpkernels.solvers import find_solver


def oracle(*args: object) -> Feasibility:
    return Feasibility(cone_program(*args), find_solver("clarabel"), 1e-6)


def test_rows_that_were_left_out_prove_nothing() -> None:
    # x + y >= 1, x <= 0 and y <= 0, of which y <= 0 was left out: as a bound it would balance the multipliers.
    ask = oracle(np.zeros((2, 2)), [0, 0], [[-1, -1], [1, 0], [0, 1]], [-1, 0, 0], [Nonnegative(3)])
    some = np.array([True, True, False])
    assert ask.prove(some, np.ones(2)) is None
    assert ask.prove(np.ones(3, dtype=bool), np.array([1.0, 1.0, 0.0])) is not None
    verdict = ask.decide(some)
    assert verdict.point is not None
    assert verdict.multipliers is None


def test_a_point_satisfies_rows_whatever_the_size_of_others() -> None:
    # y = 1e9 and x <= 1e-3, x >= 2e-3: no x is between, however small that is beside y.
    ask = oracle(np.zeros((2, 2)), [0, 0], [[0, 1], [1, 0], [-1, 0]], [1e9, 1e-3, -2e-3], [Zero(1), Nonnegative(2)])
    everything = np.ones(3, dtype=bool)
    assert ask.check(everything, np.array([1.5e-3, 1e9])) is None
    multipliers = ask.decide(everything).multipliers
    assert multipliers is not None
    assert multipliers / multipliers.max() == pytest.approx([0.0, 1.0, 1.0], abs=1e-12)
    assert ask.check(np.array([True, True, False]), np.array([1e-3 + 1e-12, 1e9 * (1 + 1e-9)])) is not None


def test_points_that_are_no_numbers() -> None:
    ask = oracle([[0]], [0], [[-1]], [-1], [Nonnegative(1)])
    everything = np.ones(1, dtype=bool)
    assert ask.check(everything, np.array([np.nan])) is None
    assert ask.prove(everything, np.array([np.inf])) is None


def test_whole_cones() -> None:
    # ||(x, 1)|| <= t is satisfiable, and not with t <= 0.
    ask = oracle(
        np.zeros((2, 2)), [0, 0], [[-1, 0], [0, -1], [0, 0], [1, 0]], [0, 0, 1, 0], [SecondOrder(3), Nonnegative(1)]
    )
    assert ask.decide(np.array([True, True, True, False])).point is not None
    assert ask.decide(np.ones(4, dtype=bool)).multipliers is not None


@pytest.mark.parametrize("seed", range(6))
def test_a_circuit_is_a_proof_that_no_row_can_be_spared_from(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 4, 40
    rows, bounds = rng.normal(size=(k, n)), rng.normal(size=k)
    w = circuit(rows, bounds)
    assert w is not None
    assert w.min() >= 0
    assert np.abs(rows.T @ w).max() <= 1e-13 * w.max()
    assert bounds @ w < 0
    (used,) = np.nonzero(w)
    assert used.size <= n + 1
    for spared in used:
        rest = np.setdiff1d(used, spared)
        x, *_ = np.linalg.lstsq(rows[rest], bounds[rest], rcond=None)
        assert np.abs(rows[rest] @ x - bounds[rest]).max(initial=0.0) <= 1e-9


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_do_not_matter(unit: float) -> None:
    w = circuit(np.array([[1.0, 0.0], [-unit, 0.0], [0.0, unit]]), np.array([0.0, -unit, unit]))
    assert w is not None
    assert w[[0, 1]] == pytest.approx(w[0] * np.array([1.0, 1.0 / unit]), rel=1e-12)
    assert w[2] == 0


def test_rows_that_do_not_contradict_each_other() -> None:
    assert circuit(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])) is None
    assert circuit(np.array([[1.0], [-1.0]]), np.array([0.0, 0.0])) is None
    assert circuit(np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])) is None
    assert circuit(np.zeros((1, 2)), np.array([-1.0])) == pytest.approx([1.0])


def test_a_point_of_a_hull_by_few_corners() -> None:
    rng = np.random.default_rng(0)
    corners = np.vstack([rng.normal(size=(3, 50)), np.ones(50)])
    w = basic_combination(corners, np.array([0.0, 0.0, 0.0, 1.0]))
    assert w is not None
    assert (w > 0).sum() <= 4
    assert corners @ w == pytest.approx([0, 0, 0, 1], abs=1e-12)
