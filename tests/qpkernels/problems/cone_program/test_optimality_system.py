# SPDX-License-Identifier: BSD-3-Clause
"""The linear system that a quadratic program with equations is."""

import numpy as np
import pytest

from builders import cone_program
from qpkernels.errors import UnsupportedProgramError
from qpkernels.problems import Block, Nonnegative, Zero
from qpkernels.problems.cone_program.elimination import optimality_system
from qpkernels.solvers import find_solver

P = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]])
Q = np.array([1.0, -2.0, 0.5])
A = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, -1.0]])
B = np.array([1.0, 0.25])


def test_its_solution_is_the_optimum_with_the_multipliers_that_a_solver_finds() -> None:
    program = cone_program(P, Q, A, B, [Zero(2)], 0.7, "a program")
    system = optimality_system(program, {})
    x = np.linalg.solve(system.A.toarray(), system.b)
    answer = find_solver("clarabel").solve(program, tol=1e-10)
    np.testing.assert_allclose(x, np.concatenate([answer.point, answer.multipliers]), atol=1e-7)
    assert (system.P.nnz, system.offset, system.name, system.cones) == (0, 0.0, "a program", (Zero(5),))


def test_multipliers_have_the_names_given_or_that_of_their_rows() -> None:
    program = cone_program(P, Q, A, B, [Zero(2)], 0.0, "a program")
    label = program.rows[0].name
    for names, expected in (({label: "b"}, "b"), ({}, f"multiplier of {label}")):
        system = optimality_system(program, names)
        assert system.variables == (*program.variables, Block(expected, 3, 5))
        assert system.rows == (Block("optimality", 0, 3), Block(label, 3, 5))


def test_without_rows_it_is_Px_equal_to_minus_q() -> None:
    system = optimality_system(cone_program(P, Q, np.zeros((0, 3)), np.zeros(0), [], 0.0, "a program"), {})
    np.testing.assert_array_equal(system.A.toarray(), P)
    np.testing.assert_array_equal(system.b, -Q)


def test_inequalities_are_refused() -> None:
    with pytest.raises(UnsupportedProgramError, match="only where all its rows are equations"):
        optimality_system(cone_program(P, Q, A, B, [Zero(1), Nonnegative(1)], 0.0, "a program"), {})
