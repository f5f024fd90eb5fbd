# SPDX-License-Identifier: BSD-3-Clause
"""Programs with smooth cones are solved by quadratic programs near their answer."""

from typing import Any

import numpy as np
import pytest

from builders import KNOWN_OPTIMA, cone_program
from qpkernels.arrays import Matrix
from qpkernels.problems import Nonnegative, PSDTriangle, SecondOrder, Zero, certify_cone_program
from qpkernels.solvers import find_solver
from qpkernels.solvers.repair import repair
from qpkernels.solvers.repair.linearisation import Linearised

SMOOTH = [
    known for name, known in KNOWN_OPTIMA.items() if name.startswith(("SOCP", "exponential", "power", "semidefinite"))
]
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
    # min x1 s.t. |x2| <= x1, x2 = 0: the apex of the cone.
    apex = cone_program(np.zeros((2, 2)), [1, 0], [[0, 1], [-1, 0], [0, -1]], [0, 0, 0], [Zero(1), SecondOrder(2)])
    near = Linearised.at(apex, np.zeros(2), np.array([0.0, 1.0, 0.0]))
    assert near.program.cones == (Zero(1), Zero(2))
    assert near.program.q.tolist() == [1, 0]
    np.testing.assert_array_equal(near.back(np.zeros(2), near.multipliers), [0.0, 1.0, 0.0])


@pytest.mark.parametrize(("s", "z", "count"), [([1.0, 0.0, 2.0], [0.0] * 3, 0), ([0.0] * 3, [1.0, 0.0, 2.0], 3)])
def test_a_matrix_inside_and_one_that_is_0(s: list[float], z: list[float], count: int) -> None:
    # min 0 s.t. S + I x semidefinite: no eigenvalue is to be 0, or all are.
    program = cone_program([[0.0]], [0.0], [[-1.0], [0.0], [-1.0]], s, [PSDTriangle(2)])
    near = Linearised.at(program, np.zeros(1), np.array(z))
    assert near.program.b.size == count
    np.testing.assert_allclose(near.back(np.zeros(1), near.multipliers), z, atol=1e-15)


def alternating_projections(C: Matrix) -> Matrix:
    """Return the correlation matrix nearest to C (Higham, 2002): onto both sets in turn, with Dykstra's correction."""
    X, correction = C, np.zeros_like(C)
    for _ in range(5000):
        values, vectors = np.linalg.eigh(X - correction)
        semidefinite = (vectors * np.maximum(values, 0.0)) @ vectors.T
        correction = semidefinite - (X - correction)
        X = semidefinite - np.diag(semidefinite.diagonal() - 1.0)
    return X


@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_correlation_matrix(seed: int) -> None:
    """min ||X - C||_F^2 / 2 s.t. X_ii = 1, X semidefinite (Higham, 2002), from loose answers."""
    n, rng = 6, np.random.default_rng(seed)
    columns, rows = np.tril_indices(n)
    C = np.where(rows == columns, 1.0, np.sqrt(2.0) * rng.uniform(-3, 3, rows.size))
    diagonal = np.eye(rows.size)[rows == columns]
    A = np.vstack([diagonal, -np.eye(rows.size)])
    b = np.concatenate([np.ones(n), np.zeros(rows.size)])
    program = cone_program(np.eye(rows.size), -C, A, b, [Zero(n), PSDTriangle(n)])
    loose = find_solver("clarabel").solve(program, tol=1e-6)
    assert not certify_cone_program(program, loose.point, loose.multipliers).holds(1e-9)
    repaired = repair(program, loose.point, loose.multipliers, 1e-11)
    assert repaired.certificate.holds(1e-11), repaired.certificate
    matrix, given = np.zeros((n, n)), np.zeros((n, n))
    for full, stored in ((matrix, repaired.point), (given, C)):
        full[rows, columns] = full[columns, rows] = np.where(rows == columns, 1.0, np.sqrt(0.5)) * stored
    np.testing.assert_allclose(matrix, alternating_projections(given), atol=1e-5)
    assert (np.abs(np.linalg.eigvalsh(matrix)) < 1e-9).sum() >= 2


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
