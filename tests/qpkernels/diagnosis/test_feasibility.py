# SPDX-License-Identifier: BSD-3-Clause
"""What is proved of some rows uses no others."""

import numpy as np
import pytest

from builders import cone_program
from qpkernels.diagnosis import Feasibility
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
