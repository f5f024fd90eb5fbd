# SPDX-License-Identifier: BSD-3-Clause
"""Multipliers over rows of which none can be spared."""

import numpy as np
import pytest

from qpkernels.diagnosis import basic_combination, circuit


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
