# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that there is no solution: rough ones are made exact, and what is solvable has none."""

import numpy as np
import pytest
from hypothesis import given

from builders import SEEDS, cone_program
from qpkernels.problems import Nonnegative, Zero, certify_infeasibility, certify_unboundedness
from qpkernels.solvers.repair.proofs import repair_direction, repair_multipliers


@given(seed=SEEDS)
def test_rough_multipliers_become_a_proof(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, z = rng.normal(size=(9, 4)), np.append(rng.normal(size=2), rng.uniform(0.5, 1, 7))
    A[-1] = -(A[:-1].T @ z[:-1]) / z[-1]
    b = rng.normal(size=9)
    b[-1] -= (b @ z + 1.0) / z[-1]
    program = cone_program(np.zeros((4, 4)), np.ones(4), A, b, [Zero(2), Nonnegative(7)])
    rough = z * (1 + 1e-6 * rng.normal(size=9))
    assert not certify_infeasibility(program, rough).holds(1e-9)
    exact, certificate = repair_multipliers(program, rough)
    assert certificate.holds(1e-12), certificate
    np.testing.assert_allclose(exact, z, rtol=1e-3)
    assert certify_infeasibility(program, exact) == certificate


def test_a_feasible_program_is_not_proved_infeasible_by_what_is_almost_a_proof() -> None:
    # x1 - x2 <= -1 and x2 - (1 - 3e-6) x1 <= 0 are satisfied by x1 = -1 / 3e-6, and by no small x.
    program = cone_program(np.zeros((2, 2)), [0, 0], [[1, -1], [-1 + 3e-6, 1]], [-1, 0], [Nonnegative(2)])
    x = np.linalg.solve(program.A.toarray(), [-2.0, -1.0])
    assert (program.A @ x <= program.b).all()
    _, certificate = repair_multipliers(program, np.ones(2))
    assert not certificate.holds(1e-9)


def test_a_bound_makes_it_a_proof() -> None:
    # The same with -1e3 <= x1: whatever is left of A'z, the bound takes over at little cost.
    program = cone_program(
        np.zeros((2, 2)), [0, 0], [[1, -1], [-1 + 3e-6, 1], [-1, 0], [1, 0]], [-1, 0, 1e3, 1e3], [Nonnegative(4)]
    )
    z, certificate = repair_multipliers(program, np.array([1.0, 1.0, 0.0, 0.0]))
    assert certificate.holds(1e-12), certificate
    np.testing.assert_allclose(program.A.T @ z, 0, atol=1e-15)
    assert program.b @ z < -0.99


@given(seed=SEEDS)
def test_a_rough_direction_becomes_a_proof(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.5, 1, 6) * rng.choice([-1, 1], 6)
    project = np.eye(6) - np.outer(x, x) / (x @ x)
    F = project @ rng.normal(size=(6, 3))
    A = np.vstack([rng.normal(size=(2, 6)) @ project, -np.sign(x) * np.eye(6)])
    program = cone_program(F @ F.T, -x, A, np.ones(8), [Zero(2), Nonnegative(6)])
    rough = x * (1 + 1e-6 * rng.normal(size=6))
    assert not certify_unboundedness(program, rough).holds(1e-9)
    exact, certificate = repair_direction(program, rough)
    assert certificate.holds(1e-11), certificate
    np.testing.assert_allclose(exact, x, rtol=1e-3)


@pytest.mark.parametrize("ridge", [1e-6, 1e-9, 1e-12])
def test_a_strictly_convex_program_is_never_unbounded(ridge: float) -> None:
    # min (x1 - x2)^2 / 2 + ridge |x|^2 / 2 - x1 - x2 falls far along (1, 1), but not for ever.
    program = cone_program(np.array([[1.0, -1.0], [-1.0, 1.0]]) + ridge * np.eye(2), [-1, -1], np.zeros((0, 2)), [], [])
    for x in (np.ones(2), np.array([1.0, 1.0 + 1e-9])):
        assert not certify_unboundedness(program, x).holds(1.0)
        assert not repair_direction(program, x)[1].holds(1.0)


def test_what_is_no_proof_at_all_stays_none() -> None:
    program = cone_program(np.eye(2), [1, 1], np.eye(2), [1, 1], [Nonnegative(2)])
    for bad in (np.zeros(2), np.full(2, np.nan), np.ones(2), -np.ones(2)):
        assert not repair_multipliers(program, bad)[1].holds(1e-6)
        assert not repair_direction(program, bad)[1].holds(1e-6)
