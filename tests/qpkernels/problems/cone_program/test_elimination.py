# SPDX-License-Identifier: BSD-3-Clause
"""Programs without the variables that equations define: the textbook's matrices, the same optimum, and the way back."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import block_array, csc_array, diags_array, eye_array

from qpkernels.errors import ParameterError, UnsupportedProgramError
from qpkernels.problems import Block, Cone, ConeProgram, Nonnegative, SecondOrder, Zero, certify_cone_program
from qpkernels.problems.cone_program.elimination import defining_rows, eliminate
from qpkernels.solvers import find_solver

M, D, C = 12, 3, 0.7


def samples() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(M, D)), np.where(np.arange(M) % 3, 1.0, -1.0)


def blocks(*parts: tuple[str, int]) -> tuple[Block, ...]:
    edges = np.cumsum([0, *(size for _, size in parts)]).tolist()
    return tuple(Block(name, a, b) for (name, _), (a, b) in zip(parts, pairwise(edges), strict=True))


def lifted_margin(scale: np.ndarray, constant: np.ndarray) -> ConeProgram:
    """The dual of the soft margin in (t, alpha), where scale t = (Y X)'alpha + constant; t comes first."""
    X, y = samples()
    A = block_array(
        [
            [-diags_array(scale), (y[:, None] * X).T],
            [None, y[None, :]],
            [None, -eye_array(M)],
            [None, eye_array(M)],
        ]
    )
    return ConeProgram(
        P=csc_array(diags_array(np.r_[np.ones(D), np.zeros(M)])),
        q=np.r_[np.zeros(D), -np.ones(M)],
        A=csc_array(A),
        b=np.r_[-constant, 0.0, np.zeros(M), np.full(M, C)],
        cones=(Zero(D + 1), Nonnegative(2 * M)),
        variables=blocks(("t", D), ("alpha", M)),
        rows=blocks(("lift", D), ("balance", 1), ("lower", M), ("upper", M)),
        offset=2.5,
        name="lifted dual",
    )


def test_the_lifted_dual_becomes_the_textbooks() -> None:
    X, y = samples()
    program = eliminate(lifted_margin(np.ones(D), np.zeros(D)), ["t"]).program
    np.testing.assert_allclose(program.P.toarray(), np.outer(y, y) * (X @ X.T), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(program.q, -np.ones(M))
    np.testing.assert_array_equal(program.A.toarray(), np.vstack([y, -np.eye(M), np.eye(M)]))
    np.testing.assert_array_equal(program.b, np.r_[0.0, np.zeros(M), np.full(M, C)])
    assert program.cones == (Zero(1), Nonnegative(2 * M))
    assert program.variables == blocks(("alpha", M))
    assert program.rows == blocks(("balance", 1), ("lower", M), ("upper", M))
    assert (program.offset, program.name) == (2.5, "lifted dual")
    # What was sparse is sparse.
    assert program.A.nnz == 3 * M


def test_the_dual_of_a_tube_becomes_the_textbooks() -> None:
    X, _ = samples()
    program = ConeProgram(
        P=csc_array(diags_array(np.r_[np.zeros(2 * M), np.ones(D)])),
        q=np.r_[np.full(2 * M, 0.1), np.zeros(D)],
        A=csc_array(block_array([[-eye_array(2 * M), None], [np.hstack([X.T, -X.T]), -eye_array(D)]])),
        b=np.zeros(2 * M + D),
        cones=(Nonnegative(2 * M), Zero(D)),
        variables=blocks(("a+", M), ("a-", M), ("t", D)),
        rows=blocks(("plus", M), ("minus", M), ("lift", D)),
    )
    textbook = eliminate(program, ["t"]).program
    K = X @ X.T
    np.testing.assert_allclose(textbook.P.toarray(), np.block([[K, -K], [-K, K]]), rtol=0, atol=1e-14)
    assert textbook.cones == (Nonnegative(2 * M),)
    assert [block.name for block in textbook.variables] == ["a+", "a-"]


@pytest.mark.parametrize("constant", [0.0, 0.4])
def test_both_have_the_same_optimum_and_the_way_back_keeps_the_proof(constant: float) -> None:
    lifted = lifted_margin(np.array([1.0, -2.0, 0.5]), np.full(D, constant))
    elimination = eliminate(lifted, ["t"])
    outcome = find_solver("clarabel").solve(elimination.program, tol=1e-9)
    x, z = elimination.expand(outcome.point, outcome.multipliers)
    assert elimination.program.objective(outcome.point) == pytest.approx(lifted.objective(x), rel=1e-12)
    certificate = certify_cone_program(lifted, x, z)
    assert certificate.holds(1e-7)
    assert certificate.primal_value == pytest.approx(
        certify_cone_program(elimination.program, outcome.point, outcome.multipliers).primal_value, rel=1e-9
    )
    direct = find_solver("clarabel").solve(lifted, tol=1e-9)
    assert lifted.objective(direct.point) == pytest.approx(lifted.objective(x), rel=1e-7)


def chained(cone: Cone) -> ConeProgram:
    """u = 2 t + x_1, t = x_1 + x_2 - 1: the second block is defined by the first, and both are used elsewhere."""
    A = np.array(
        [
            [1.0, 1.0, -1.0, 0.0],
            [1.0, 0.0, 2.0, -1.0],
            [0.0, 0.0, 0.0, -1.0],
            [-1.0, 0.0, -1.0, 0.0],
            [0.0, -1.0, 0.0, 0.0],
        ]
    )
    return ConeProgram(
        P=csc_array(np.diag([0.0, 1.0, 1.0, 3.0])),
        q=np.array([1.0, 0.0, -1.0, 2.0]),
        A=csc_array(A),
        b=np.array([1.0, 0.0, 4.0, 1.0, 2.0]),
        cones=(Zero(2), cone),
        variables=blocks(("x", 2), ("t", 1), ("u", 1)),
        rows=blocks(("of t", 1), ("of u", 1), ("rest", 3)),
    )


@pytest.mark.parametrize("order", [["t", "u"], ["u", "t"]])
@pytest.mark.parametrize("cone", [Nonnegative(3), SecondOrder(3)])
def test_definitions_may_build_on_each_other(order: list[str], cone: Cone) -> None:
    program = chained(cone)
    elimination = eliminate(program, order)
    assert elimination.program.cones == (cone,)
    assert elimination.program.variables == blocks(("x", 2))
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=2), rng.normal(size=3)
    point, multipliers = elimination.expand(x, z)
    t = x[0] + x[1] - 1.0
    np.testing.assert_allclose(point, [*x, t, 2.0 * t + x[0]], rtol=1e-14)
    assert elimination.program.objective(x) == pytest.approx(program.objective(point), rel=1e-13)
    np.testing.assert_allclose(
        elimination.program.b - elimination.program.A @ x, (program.b - program.A @ point)[2:], atol=1e-13
    )
    # Stationarity holds at what was eliminated, and is the same as before at the rest.
    slope = program.P @ point + program.q + program.A.T @ multipliers
    left = elimination.program.P @ x + elimination.program.q + elimination.program.A.T @ z
    np.testing.assert_allclose(slope[2:], 0.0, atol=1e-13)
    np.testing.assert_allclose(slope[:2], left, atol=1e-13)


def test_what_no_equations_define_is_refused() -> None:
    program = lifted_margin(np.ones(D), np.zeros(D))
    assert defining_rows(program, "t") == Block("lift", 0, D)
    assert defining_rows(program, "alpha") is None
    with pytest.raises(UnsupportedProgramError, match=r"no block of equations of lifted dual defines .*'alpha'"):
        eliminate(program, ["alpha"])
    with pytest.raises(ParameterError, match="lifted dual has no variables 'w'; it has t, alpha"):
        eliminate(program, ["w"])
    # A row that several of the variables share defines none of them.
    mixed = program.A.toarray()
    mixed[0, 1] = 1.0
    with pytest.raises(UnsupportedProgramError, match="defines the variables 't'"):
        eliminate(
            ConeProgram(
                program.P, program.q, csc_array(mixed), program.b, program.cones, program.variables, program.rows
            ),
            ["t"],
        )
