# SPDX-License-Identifier: BSD-3-Clause
"""The feasible point near a given one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import SEEDS
from qpkernels.problems.kernel_qp.program import nearest_feasible


@given(seed=SEEDS, total=st.sampled_from([None, 0.0, 0.5]))
def test_the_nearest_feasible_point_moves_what_it_must_and_nothing_else(seed: int, total: float | None) -> None:
    rng = np.random.default_rng(seed)
    lower, upper = -rng.uniform(0, 2, 10), rng.uniform(0.1, 2, 10)
    beta = 1.5 * rng.normal(size=10)
    found = nearest_feasible(beta, lower, upper, total)
    assert (found >= lower).all()
    assert (found <= upper).all()
    if total is None:
        np.testing.assert_array_equal(found, np.clip(beta, lower, upper))
        return
    assert found.sum() == pytest.approx(total, abs=1e-12)
    # Entries are moved to the side where the sum is missing, after clipping.
    moved = found - np.clip(beta, lower, upper)
    assert (moved >= -1e-12).all() or (moved <= 1e-12).all()
    feasible = nearest_feasible(found, lower, upper, total)
    np.testing.assert_allclose(feasible, found, atol=1e-12)


def test_a_sum_out_of_reach_leaves_the_point_clipped() -> None:
    clipped = nearest_feasible(np.array([3.0, -3.0]), np.zeros(2), np.ones(2), 5.0)
    np.testing.assert_array_equal(clipped, [1.0, 0.0])


def test_numbers_without_full_precision_are_shared_out_as_far_as_they_can_be() -> None:
    # Half of 5e-324, the least number there is, is 0: an even shift leaves such a sum as it is.
    beta = np.array([1.5e-323, -5e-324, -5e-324])
    found = nearest_feasible(beta, -np.ones(3), np.ones(3), 0.0)
    assert abs(found.sum()) < np.finfo(float).tiny
