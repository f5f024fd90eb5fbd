# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of CVXPY by their names."""

import pytest

from qpkernels.errors import SolverNotInstalledError
from qpkernels.solvers import Claim, find_solver
from solver_examples import SOFT


def test_a_missing_solver_of_cvxpy_says_what_there_is() -> None:
    with pytest.raises(SolverNotInstalledError, match=r"no solver 'NOSUCH'; it finds .*CLARABEL"):
        find_solver("cvxpy:NOSUCH").solve(SOFT.to_cone_program())


def test_names_of_cvxpy_solvers_may_be_written_small() -> None:
    assert find_solver("cvxpy:clarabel").solve(SOFT.to_cone_program()).claim is Claim.OPTIMAL
