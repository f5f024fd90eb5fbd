# SPDX-License-Identifier: BSD-3-Clause
"""Bounds are found among the rows, and their multipliers make up for a slope."""

import numpy as np
from hypothesis import given

from builders import SEEDS, cone_program
from qpkernels.problems import ConeProgram, Nonnegative, Zero
from qpkernels.problems.cone_program.residuals import VariableBounds


def example() -> ConeProgram:
    """x1 = 3 (twice 1.5), x2 <= 8 / 4 and <= 5, x2 >= -1, x3 >= 7 / 2, x4 without bounds; x1 + x4 <= 9."""
    rows = [[2, 0, 0, 0], [0, 4, 0, 0], [0, 1, 0, 0], [0, -1, 0, 0], [0, 0, -2, 0], [1, 0, 0, 1]]
    return cone_program(np.zeros((4, 4)), np.zeros(4), rows, [6, 8, 5, 1, -7, 9], [Zero(1), Nonnegative(5)])


def test_the_tightest_bounds_are_found() -> None:
    bounds = VariableBounds.of(example())
    np.testing.assert_array_equal(bounds.lower, [3, -1, 3.5, -np.inf])
    np.testing.assert_array_equal(bounds.upper, [3, 2, np.inf, np.inf])
    np.testing.assert_array_equal(bounds.clip(np.array([0.0, 9, 9, 9])), [3, 2, 9, 9])


def test_what_rows_force_is_found_one_after_the_other() -> None:
    # x1 + 2 x2 <= 0 with x >= 0 forces both to 0; then x3 = x1 is 0, and x4 - x3 <= -2 with x4 >= -2 forces x4 to -2.
    rows = [[1, 0, -1, 0], [1, 2, 0, 0], [0, 0, -1, 1], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, -1]]
    program = cone_program(np.zeros((4, 4)), np.zeros(4), rows, [0, 0, -2, 0, 0, 0, 2], [Zero(1), Nonnegative(6)])
    found = VariableBounds.of(program)
    np.testing.assert_array_equal(found.upper, np.inf)
    forced = found.forced(program)
    np.testing.assert_array_equal(forced.lower, [0, 0, 0, -2])
    np.testing.assert_array_equal(forced.upper, [0, 0, 0, -2])
    np.testing.assert_array_equal(VariableBounds.of(example()).forced(example()).upper, [3, 2, np.inf, np.inf])


@given(seed=SEEDS)
def test_slopes_are_taken_over_wherever_a_bound_can(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = example()
    z, r = rng.uniform(0, 2, 6) * (rng.random(6) < 0.7), rng.normal(size=4)
    taken, left = VariableBounds.of(program).take_over(z, r)
    np.testing.assert_allclose(program.A.T @ (taken - z), left - r, atol=1e-14)
    assert (taken[1:] >= 0).all()
    # x1 is fixed, x2 bounded on both sides, x3 below; the upper bound that is not the tightest keeps its multiplier.
    assert left[0] == left[1] == 0
    assert left[2] == (0 if r[2] > -2 * z[4] else r[2] + 2 * z[4])
    assert (left[3], taken[2], taken[5]) == (r[3], z[2], z[5])
