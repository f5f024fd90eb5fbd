# SPDX-License-Identifier: BSD-3-Clause
"""Loose answers become proofs, false ones do not, and neither depends on the names of blocks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from builders import SEEDS, cone_program
from qpkernels.problems import Block, ConeProgram, Nonnegative, SecondOrder, Zero, certify_cone_program
from qpkernels.solvers.repair import repair


def manufactured(seed: int, quadratic: bool, units: bool = True) -> tuple[ConeProgram, np.ndarray, np.ndarray, float]:
    """A program with bounds, equations and inequalities in units far apart, its optimal pair and value."""
    rng = np.random.default_rng(seed)
    n, k = 12, 10
    A = np.vstack([rng.normal(size=(k, n)), np.eye(n), -np.eye(n)])
    x = rng.normal(size=n) * (rng.random(n) < 0.7)
    cones = (Zero(3), Nonnegative(k - 3 + 2 * n))
    active = np.concatenate([np.ones(3, bool), rng.random(k - 3) < 0.4, rng.random(n) < 0.3, rng.random(n) < 0.3])
    s = np.where(active, 0.0, rng.uniform(0.5, 2, active.size))
    z = np.where(active, rng.uniform(0.5, 2, active.size), 0.0)
    B = quadratic * rng.normal(size=(n, 4))
    scale = 10.0 ** rng.integers(-4, 5, n) if units else np.ones(n)
    rows = 10.0 ** rng.integers(-4, 5, active.size) if units else np.ones(active.size)
    b, q = A @ x + s, -(B @ B.T @ x + A.T @ z)
    program = cone_program(
        B @ B.T / np.outer(scale, scale), q / scale, rows[:, None] * A / scale, rows * b, cones, offset=3.0
    )
    return program, scale * x, z / rows, float(0.5 * x @ B @ B.T @ x + q @ x) + 3.0


def renamed(program: ConeProgram) -> ConeProgram:
    """The same with a block for each variable and for each row."""
    return replace(
        program,
        variables=tuple(Block(f"x{j}", j, j + 1) for j in range(program.q.size)),
        rows=tuple(Block(f"row {i}", i, i + 1) for i in range(program.b.size)),
    )


@pytest.mark.parametrize("quadratic", [False, True], ids=["linear", "quadratic"])
@given(seed=SEEDS)
def test_a_loose_answer_becomes_a_proof(quadratic: bool, seed: int) -> None:
    program, x, z, value = manufactured(seed, quadratic)
    rng = np.random.default_rng(seed)
    loose_x = x * (1 + 1e-5 * rng.normal(size=x.size)) + 1e-7 * np.abs(x).max() * rng.normal(size=x.size) * (x != 0)
    loose_z = z * (1 + 1e-5 * rng.normal(size=z.size))
    assert not certify_cone_program(program, loose_x, loose_z).holds(1e-9)
    repaired = repair(program, loose_x, loose_z, 1e-9)
    assert repaired.certificate.holds(1e-9), repaired.certificate
    assert repaired.error <= 1e-9
    assert repaired.certificate.primal_value == pytest.approx(value, rel=1e-8, abs=1e-8)
    assert program.objective(repaired.point) == repaired.certificate.primal_value


@given(seed=SEEDS)
def test_names_change_no_verdict(seed: int) -> None:
    program, x, z, _ = manufactured(seed, True)
    rng = np.random.default_rng(seed)
    for size in (0.0, 1e-12, 1e-6, 1e-2):
        point, multipliers = x * (1 + size * rng.normal(size=x.size)), z * (1 + size * rng.normal(size=z.size))
        one, other = (certify_cone_program(each, point, multipliers) for each in (program, renamed(program)))
        assert replace(one, worst="") == replace(other, worst="")


def test_what_holds_already_is_left_as_it_is() -> None:
    program, x, z, _ = manufactured(1, True)
    repaired = repair(program, x, z, 1e-9)
    assert repaired.point is x
    assert repaired.multipliers is z


def test_degenerate_vertices_are_reached() -> None:
    # min x1 + x2 s.t. x1 + k x2 >= 1 + k for k = 0..9 (all active at (1, 1)), x <= 9.
    slopes = np.arange(10.0)
    rows = np.vstack([-np.column_stack([np.ones(10), slopes]), np.eye(2)])
    program = cone_program(np.zeros((2, 2)), [1, 1], rows, np.concatenate([-(1 + slopes), [9, 9]]), [Nonnegative(12)])
    rng = np.random.default_rng(0)
    z = np.abs(rng.normal(size=12)) * 1e-3 + np.array([0.0, 1.0] + [0.0] * 10)
    repaired = repair(program, np.array([1.001, 0.999]), z, 1e-12)
    assert repaired.certificate.holds(1e-12), repaired.certificate
    np.testing.assert_allclose(repaired.point, 1, rtol=1e-12)


def test_rows_that_stop_what_has_no_curvature_are_found() -> None:
    # min -x1 s.t. x1 <= x2 <= 1e-4 x3, x3 <= 3, from a point that violates all of them a little.
    program = cone_program(
        np.zeros((3, 3)), [-1, 0, 0], [[1, -1, 0], [0, 1, -1e-4], [0, 0, 1]], [0, 0, 3], [Nonnegative(3)]
    )
    repaired = repair(program, np.array([4e-4, 3.5e-4, 3.1]), np.array([0.9, 1.1, 1e-4]), 1e-12)
    assert repaired.certificate.holds(1e-12), repaired.certificate
    assert repaired.certificate.primal_value == pytest.approx(-3e-4, rel=1e-12)


@pytest.mark.parametrize("cone", [SecondOrder(2), Nonnegative(2)])
def test_what_has_no_answer_is_not_accepted(cone: SecondOrder | Nonnegative) -> None:
    program = cone_program(np.zeros((2, 2)), [-1, 0], -np.eye(2), [0, 0], [cone])
    for x in (np.ones(2), np.array([np.nan, 1.0])):
        repaired = repair(program, x, np.ones(2), 1e-6)
        assert not repaired.certificate.holds(1e-6)
        assert repaired.error > 0.1
