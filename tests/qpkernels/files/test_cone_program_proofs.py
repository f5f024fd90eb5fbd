# SPDX-License-Identifier: BSD-3-Clause
"""Proofs of cone programs, checked by the checker that any reader of the file has."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from model_data import FIRST_CASES
from qpkernels.errors import NoProofError
from qpkernels.files.proofs import prove_cone_program, prove_infeasible
from qpkernels.problems import Block, ConeProgram, Nonnegative, SecondOrder, Zero
from qpkernels.solvers import find_solver


def program_of(P, q, A, b, cones):
    names = (Block("x", 0, len(q)),), (Block("rows", 0, len(b)),)
    matrices = [csc_array(np.array(M, dtype=float)) for M in (P, A)]
    return ConeProgram(matrices[0], np.array(q, float), matrices[1], np.array(b, float), tuple(cones), *names)


@pytest.mark.parametrize("case", FIRST_CASES, ids=str)
def test_forms_are_proved_where_the_vocabulary_has_their_cones(case):
    program = case.state().lower().program
    answer = find_solver("clarabel").solve(program, tol=1e-9)
    if not all(isinstance(cone, Zero | Nonnegative | SecondOrder) for cone in program.cones):
        with pytest.raises(NoProofError, match="no words"):
            prove_cone_program(program, answer.point, answer.multipliers, str(case))
        return
    proof = prove_cone_program(program, answer.point, answer.multipliers, str(case))
    size = max(abs(program.objective(answer.point)), 1e-6)
    assert proof.upper - proof.lower <= 1e-6 * size
    assert abs(proof.lower - program.objective(answer.point)) <= 1e-5 * size


def test_a_factor_that_would_take_hours_to_check_is_refused():
    n = 1501
    P = csc_array(np.eye(n) + np.ones((n, n)))
    blocks = (Block("x", 0, n),), (Block("rows", 0, 1),)
    program = ConeProgram(P, np.zeros(n), csc_array(np.ones((1, n))), np.ones(1), (Nonnegative(1),), *blocks)
    with pytest.raises(NoProofError, match="P couples 1501 variables"):
        prove_cone_program(program, np.zeros(n), np.zeros(1), "words")


def contradiction():
    """x + y >= 1 in units of 3, x <= 0, y <= 0 in units of 7, and a row that has nothing to do with it."""
    return program_of(np.zeros((2, 2)), [1, 1], [[-3, -3], [1, 0], [0, 7], [1, 1]], [-3, 0, 0, 5], [Nonnegative(4)])


def test_a_contradiction_is_proved_with_points_that_leave_out_one_row():
    spared = {0: np.array([-1.0, -1.0]), 1: np.array([2.0, -0.5]), 2: np.array([-0.5, 2.0])}
    z = np.array([1 / 3, 1.0, 1 / 7, 0.0])
    assert "there is no solution" in prove_infeasible(contradiction(), z, "words", spared).check()[-1]


def test_a_contradiction_with_bounds_is_proved_by_the_rows_that_are_left():
    proof = prove_infeasible(contradiction(), np.array([1 / 3, 1.0, 1 / 7, 0.0]), "words")
    assert proof.statement["upper"] == "0x0p+0"
    assert proof.lower == np.inf


def test_a_row_that_can_be_left_out_is_not_called_irreducible():
    program = program_of(np.zeros((1, 1)), [0], [[-1], [1], [1]], [-1, 0, 0.5], [Nonnegative(3)])
    with pytest.raises(NoProofError, match="no point near"):
        prove_infeasible(program, np.array([2.0, 1.0, 1.0]), "words", {1: np.array([1.0])})


def test_a_file_that_the_checker_would_not_read_is_not_written(tmp_path, monkeypatch):
    proof = prove_infeasible(contradiction(), np.array([1 / 3, 1.0, 1 / 7, 0.0]), "words")
    monkeypatch.setattr("proofcheck.MOST_BYTES", 100)
    with pytest.raises(NoProofError, match="proofcheck reads less than"):
        proof.write(tmp_path / "contradiction.proof")
    assert not list(tmp_path.iterdir())


def test_multipliers_that_prove_nothing_are_refused():
    with pytest.raises(NoProofError, match="does not hold"):
        prove_infeasible(contradiction(), np.zeros(4), "words")
