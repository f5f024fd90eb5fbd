# SPDX-License-Identifier: BSD-3-Clause
"""What is outside of a coupled cone is measured row by row, so that no row hides another."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from builders import cone_program
from qpkernels.problems import (
    ConeProgram,
    Exponential,
    Power,
    PSDTriangle,
    SecondOrder,
    certify_cone_program,
    certify_infeasibility,
)
from together import together

# The slacks of cones in x, which has 2 entries: each asks for x_0 >= 1, and with x_1 = 0 for no more.
Rows = tuple[Any, list[list[float]], list[float]]
AT_LEAST_ONE: dict[str, Callable[[float], Rows]] = {
    "power": lambda size: (Power(0.3), [[1, 0], [0, 0], [0, 1]], [-1, size, 0]),
    "power, second": lambda size: (Power(0.6), [[0, 0], [1, 0], [0, 1]], [size, -1, 0]),
    "semidefinite": lambda size: (PSDTriangle(2), [[0, 0], [0, 1], [1, 0]], [size, 0, -1]),
    "exponential": lambda size: (Exponential(), [[0, 0], [0, 0], [1, 0]], [-1e3 * size, size, -1]),
    "rotated": lambda size: (SecondOrder(3), [[1, 0], [-1, 0], [0, 1]], [size - 1, size + 1, 0]),
    "rotated, last": lambda size: (SecondOrder(3), [[1, 0], [0, 1], [-1, 0]], [size - 1, 0, size + 1]),
}


def _program(name: str, size: float) -> ConeProgram:
    cone, slopes, constants = AT_LEAST_ONE[name](size)
    return cone_program(np.eye(2), [0, 0], -np.array(slopes, dtype=float), constants, [cone])


@together("name", AT_LEAST_ONE)
@together("seed", range(25))
def test_a_row_is_as_far_outside_as_alone_beside_constants_of_twelve_decades(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # A power of 2: size - 1 and size + 1 are exact.
    size = 2.0 ** rng.integers(2, 40)
    missing = 10.0 ** rng.uniform(-8, 0)
    program = _program(name, size)
    outside = np.array([1.0 - missing, 0.0])
    # The row x_0 - 1 alone is outside by this share of its terms; a cone of matrices or sums needs at least as much.
    alone = missing / (2.0 - missing)
    share = certify_cone_program(program, outside, np.zeros(3)).uncounted
    # Of a rotated cone whose terms do not cancel, the rows are those of sums: then it is a share of their terms.
    hidden = 1.0 if "rotated" not in name or size > 1e4 else 1.0 / (2.0 * size + 2.0)
    assert share >= 0.98 * alone * hidden, (size, missing)
    inside = np.array([1.0 + missing, 0.0])
    assert certify_cone_program(program, inside, np.zeros(3)).uncounted <= 1e-15


@together("seed", range(25))
def test_a_distance_is_the_same_in_all_scalings_that_keep_the_cone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = 2.0 ** rng.integers(-40, 40, size=2)
    s = rng.normal(size=3)
    sizes = np.abs(s) * (1.0 + rng.random(3))
    root = np.sqrt(a) * np.sqrt(b)
    for cone, scales in (
        (Power(0.5), np.array([a, b, root])),
        (PSDTriangle(2), np.array([a, root, b])),
        (Exponential(), np.array([a, a, a])),
        (SecondOrder(3), np.array([a, a, a])),
    ):
        plain, scaled = cone.share_outside(s, sizes), cone.share_outside(s * scales, sizes * scales)
        assert scaled == pytest.approx(plain, rel=0.02, abs=1e-14), cone


def test_shares_are_those_of_closed_forms() -> None:
    ones = np.ones(3)
    # ||(v - d)|| = t + d, w - d = sqrt((x + d)(y + d)), exp(x - d) = 1 + d, and eigenvalues 1 - w / sqrt(2).
    assert SecondOrder(2).share_outside(np.array([1.0, 2.0]), ones[:2]) == pytest.approx(0.5, rel=0.011)
    assert Power(0.5).share_outside(np.array([1.0, 1.0, 2.0]), ones) == pytest.approx(0.5, rel=0.011)
    assert Exponential().share_outside(np.array([0.0, 0.0, -1.0]), ones) == pytest.approx(1.0, rel=0.011)
    matrix = np.array([1.0, 2.0 * np.sqrt(2.0), 1.0])
    assert PSDTriangle(2).share_outside(matrix, np.array([1.0, 1e-9, 1.0])) == pytest.approx(1.0, rel=0.011)
    assert PSDTriangle(2).share_outside(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0])) > 0.5


def test_multipliers_outside_of_the_dual_cone_prove_no_infeasibility() -> None:
    # x_0 >= 0 and any x_1: feasible, and z_1 = -1e-10 is outside of the dual cone by little of 1e3, but is all of b'z.
    program = cone_program(np.zeros((1, 1)), [0], [[0], [0], [0]], [0, 1e12, 0], [Power(0.5)])
    assert not certify_infeasibility(program, np.array([1e3, -1e-10, 0.0])).holds(1e-6)
