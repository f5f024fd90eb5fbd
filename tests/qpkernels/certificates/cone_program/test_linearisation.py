# SPDX-License-Identifier: BSD-3-Clause
"""Programs with smooth cones are solved by quadratic programs near their answer."""

from typing import Any

import numpy as np
import pytest

from builders import KNOWN_OPTIMA, cone_program
from qpkernels.certificates import certify_cone_program, repair
from qpkernels.certificates.cone_program.linearisation import Linearised
from qpkernels.programs import Nonnegative, PSDTriangle, SecondOrder, Zero

SMOOTH = [known for name, known in KNOWN_OPTIMA.items() if name.startswith(("SOCP", "exponential", "power"))]
every_smooth = pytest.mark.parametrize("known", SMOOTH, ids=[known.program.name for known in SMOOTH])


@every_smooth
@pytest.mark.parametrize("size", [1e-6, 1e-3])
def test_a_loose_answer_is_repaired(known: Any, size: float) -> None:
    rng = np.random.default_rng(0)
    x, z = (values * (1 + size * rng.normal(size=values.size)) for values in (known.x, known.z))
    assert not certify_cone_program(known.program, x, z).holds(size * 1e-2)
    repaired = repair(known.program, x, z, 1e-11)
    assert repaired.certificate.holds(1e-11), repaired.certificate
    np.testing.assert_allclose(repaired.point, known.x, atol=1e-7)
    np.testing.assert_allclose(repaired.multipliers, known.z, atol=1e-6)


@every_smooth
def test_an_optimum_is_that_of_its_quadratic_program(known: Any) -> None:
    near = Linearised.at(known.program, known.x, known.z)
    assert near.program.is_quadratic
    assert certify_cone_program(near.program, known.x, near.multipliers).holds(1e-12)
    np.testing.assert_allclose(near.back(known.x, near.multipliers), known.z, atol=1e-14)


def test_cones_without_a_surface_are_held() -> None:
    # min x1 s.t. |x2| <= x1, x2 = 0: the apex of the cone; and the semidefinite example.
    apex = cone_program(np.zeros((2, 2)), [1, 0], [[0, 1], [-1, 0], [0, -1]], [0, 0, 0], [Zero(1), SecondOrder(2)])
    near = Linearised.at(apex, np.zeros(2), np.array([0.0, 1.0, 0.0]))
    assert near.program.cones == (Zero(1), Zero(2))
    assert near.program.q.tolist() == [1, 0]
    semidefinite = next(known for known in KNOWN_OPTIMA.values() if PSDTriangle(2) in known.program.cones)
    held = Linearised.at(semidefinite.program, semidefinite.x, semidefinite.z)
    assert held.program.cones == (Zero(3),)
    np.testing.assert_array_equal(held.back(semidefinite.x, held.multipliers), semidefinite.z)


def test_a_ball_bounds_a_quadratic() -> None:
    # min |x - c|^2 / 2 s.t. |x| <= 1: c / |c|, from 30 degrees beside it; x3 >= 0 is a constraint of another kind.
    c = np.array([3.0, 4.0, 0.0])
    program = cone_program(
        np.eye(3),
        -c,
        np.vstack([[0, 0, -1], np.zeros(3), -np.eye(3)]),
        [0, 1, 0, 0, 0],
        [Nonnegative(1), SecondOrder(4)],
    )
    repaired = repair(program, np.array([0.9, 0.4, 0.1]), np.array([0.1, 3.0, -2.0, -2.0, 0.0]), 1e-12)
    assert repaired.certificate.holds(1e-12), repaired.certificate
    np.testing.assert_allclose(repaired.point, c / 5, atol=1e-8)
