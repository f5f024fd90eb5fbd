# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that there is no solution: true ones pass at any scale, false ones fail."""

import numpy as np
import pytest
from hypothesis import given

from builders import SEEDS, cone_program
from qpkernels.problems import Nonnegative, SecondOrder, Zero, certify_infeasibility, certify_unboundedness
from together import together


def test_a_direction_that_leaves_one_row_is_no_proof() -> None:
    # min -x1 s.t. x1 <= 1, -1e9 x2 <= 0 is bounded; the ray (1, 1) leaves the first row.
    program = cone_program(np.zeros((2, 2)), [-1, 0], [[1, 0], [0, -1e9]], [1, 0], [Nonnegative(2)])
    assert not certify_unboundedness(program, np.ones(2)).holds(1e-6)


def test_wrong_signs_in_other_units_prove_nothing() -> None:
    # 1e-9 x <= 1e-9 and x <= 2 are satisfied by x = 0.
    program = cone_program([[0]], [0], [[1e-9], [1]], [1e-9, 2], [Nonnegative(2)])
    assert not certify_infeasibility(program, np.array([1e9, -1.0])).holds(1e-6)


# x <= 1 and x >= 2, stated in the rows of each kind of cone, with the multipliers that contradict.
INFEASIBLE = {
    "inequalities": (cone_program([[1]], [1], [[1], [1], [-1]], [9, 1, -2], [Nonnegative(3)]), [0.0, 1.0, 1.0]),
    "equation": (cone_program([[0]], [0], [[1], [1]], [2, 1], [Zero(1), Nonnegative(1)]), [-1.0, 1.0]),
    "equations": (cone_program([[0]], [0], [[1], [1]], [1, 2], [Zero(2)]), [1.0, -1.0]),
    "cone": (
        cone_program([[0]], [0], [[0], [-1], [-1]], [1, 0, -2], [SecondOrder(2), Nonnegative(1)]),
        [1.0, -1.0, 1.0],
    ),
}


infeasible = pytest.mark.parametrize("name", INFEASIBLE)


@together("name", INFEASIBLE)
@together("scale", [1e-8, 1.0, 1e8])
def test_a_true_proof_of_infeasibility_is_accepted_at_any_scale(name: str, scale: float) -> None:
    program, proof = INFEASIBLE[name]
    certificate = certify_infeasibility(program, scale * np.array(proof))
    assert certificate.holds(1e-12), certificate
    assert (certificate.primal_value, certificate.dual_value) == (np.inf, np.inf)
    assert "contradicting" in certificate.worst


@infeasible
def test_a_false_proof_of_infeasibility_is_refused(name: str) -> None:
    program, listed = INFEASIBLE[name]
    proof = np.array(listed)
    for k in range(proof.size):
        for step in (0.01, -0.01):
            z = proof.copy()
            z[k] += step
            # A little more on the axis of a second-order cone proves the same.
            still_true = name == "cone" and k == 0 and step > 0
            # So does the multiplier 0 of an inequality with a wrong sign, which is dropped.
            still_true |= name == "inequalities" and proof[k] == 0 and step < 0
            assert certify_infeasibility(program, z).holds(1e-6) == still_true, (k, step)
    for z in (-proof, 0 * proof, np.full_like(proof, np.nan), np.full_like(proof, np.inf)):
        assert not certify_infeasibility(program, z).holds(1e-6)


@given(seed=SEEDS)
def test_no_multipliers_prove_a_feasible_program_infeasible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, x = rng.normal(size=(5, 3)), rng.normal(size=3)
    s = np.array([0.0, 0.0, *rng.uniform(0, 1, 3)])
    program = cone_program(np.zeros((3, 3)), np.zeros(3), A, A @ x + s, [Zero(2), Nonnegative(3)])
    null = np.linalg.svd(A.T)[2][3:]
    for z in (rng.normal(size=5), rng.uniform(0, 1, 5), *null, *(-null)):
        assert not certify_infeasibility(program, z).holds(1e-6)


def test_a_large_bound_does_not_turn_rounding_into_a_proof() -> None:
    # x <= 1e9 and 0 <= 0 are satisfied by x = 0; z = (-1e-9, 1) has b'z = -1 by its wrong sign alone.
    program = cone_program([[0]], [0], [[1], [0]], [1e9, 0], [Nonnegative(2)])
    assert not certify_infeasibility(program, np.array([-1e-9, 1.0])).holds(1e-6)


def test_imbalance_that_outweighs_the_proof_proves_nothing() -> None:
    # x <= 1 and x >= 1 are satisfied by x = 1; b'z = -1e-7 comes from A'z = -1e-7 alone.
    program = cone_program([[0]], [0], [[1], [-1]], [1, -1], [Nonnegative(2)])
    assert not certify_infeasibility(program, np.array([1.0, 1.0 + 1e-7])).holds(1e-6)


# Each falls along the first direction; the second one curves, or leaves the constraints.
UNBOUNDED = {
    "curved": (cone_program(np.diag([1, 0]), [0, -1], [[1, 0], [0, -1]], [1, 0], [Nonnegative(2)]), [0, 1], [0.01, 1]),
    "line": (cone_program(np.zeros((2, 2)), [-1, -1], [[1, -1]], [3], [Zero(1)]), [1, 1], [1.01, 1]),
    "half-plane": (cone_program(np.zeros((2, 2)), [-1, -1], [[1, 0]], [3], [Nonnegative(1)]), [-1, 2], [0.01, 2]),
    "cone": (cone_program(np.zeros((2, 2)), [-1, 0], -np.eye(2), [0, 0], [SecondOrder(2)]), [1, 0.5], [1, 1.01]),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_a_direction_proves_the_objective_unbounded(name: str) -> None:
    program, true, leaving = UNBOUNDED[name]
    x = np.array(true, float)
    for scale in (1e-8, 1.0, 1e8):
        certificate = certify_unboundedness(program, scale * x)
        assert certificate.holds(1e-12), certificate
        assert (certificate.primal_value, certificate.dual_value) == (-np.inf, -np.inf)
    for false in (np.array(leaving), -x, 0 * x, np.full(2, np.nan), np.full(2, np.inf)):
        assert not certify_unboundedness(program, false).holds(1e-6)


def test_curvature_that_outweighs_the_fall_proves_nothing() -> None:
    # (x1 - x2)^2 / 2 + x1 - x2 is nowhere below -1/2.
    program = cone_program([[1, -1], [-1, 1]], [1, -1], np.zeros((0, 2)), [], [])
    assert not certify_unboundedness(program, np.array([1.0, 1.0 + 1e-7])).holds(1e-6)
