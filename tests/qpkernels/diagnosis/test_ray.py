# SPDX-License-Identifier: BSD-3-Clause
"""Rays, by the names of their variables."""

from dataclasses import replace

import numpy as np
import pytest

from builders import cone_program
from qpkernels.diagnosis import Ray
from qpkernels.problems import Block, Nonnegative

# min -x - 2 b s.t. x - b <= 1, b - x <= 1, y <= 3: both fall along x = b.
PROGRAM = replace(
    cone_program(np.diag([0, 0, 1.0]), [-1, -2, 0], [[1, -1, 0], [-1, 1, 0], [0, 0, 1]], [1, 1, 3], [Nonnegative(3)]),
    variables=(Block("x", 0, 1), Block("b", 1, 2), Block("y", 2, 3)),
)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_ray_has_unit_size_and_names(size: float) -> None:
    ray = Ray.of(PROGRAM, size * np.array([1.0, 1.0, 1e-9]))
    assert ray.certificate.holds(1e-12)
    assert ray.direction.tolist() == [1.0, 1.0, 0.0]
    assert ray.slope == -3.0
    assert (ray.values("b").tolist(), ray.values("z").size) == ([1.0], 0)
    assert str(ray).startswith("the objective falls by 3 with every step along x by 1, b by 1 (a ray to")


@pytest.mark.parametrize("direction", [[1.0, 0.0, 0.0], [-1.0, -1.0, 0.0], [1.0, 1.0, 1.0], [0.0] * 3, [np.nan] * 3])
def test_what_is_no_ray(direction: list[float]) -> None:
    assert not Ray.of(PROGRAM, np.array(direction)).certificate.holds(1e-3)
