# SPDX-License-Identifier: BSD-3-Clause
"""The evidence by convex problems."""

import numpy as np
import pytest

import formulations.models.relevance.reweighted as reweighted
from formulations.models.relevance import (
    ReweightedRelevance,
)
from qpkernels.arrays import Vector
from qpkernels.problems import ConeProgram
from qpkernels.problems.certificate import undefined
from qpkernels.solvers.repair import Repaired
from relevance_data import KERNEL, REGRESSIONS, assert_never_falls, sine


@pytest.mark.parametrize("seed", [2, 4])
def test_g3_agrees_with_g1_on_w6(seed: int) -> None:
    X, y = sine(seed=seed)
    direct, convex = (machine(X, y, KERNEL).solve() for machine in REGRESSIONS)
    assert_never_falls(convex)
    assert convex.converged, convex
    assert convex.log_evidence >= direct.log_evidence - 0.01 * abs(direct.log_evidence)
    assert convex.iterations <= len(convex.certificates)
    assert all(certificate.holds(1e-6) for certificate in convex.certificates)
    assert "convex steps" in str(convex)
    assert direct.certificates == ()


def test_the_convex_step_is_declared_once_and_solves_the_lasso() -> None:
    X, y = sine()
    machine = ReweightedRelevance(X, y, KERNEL)
    problem = machine.lasso.problem
    assert problem.is_dcp(dpp=True)
    for cost in (0.01, 0.5):
        w, certificate = machine.lasso.solve(np.full(21, cost))
        assert certificate.holds(1e-6)
        slope = machine.columns.T @ (y - machine.columns @ w)
        assert np.abs(slope).max() <= cost * (1 + 1e-4)
        np.testing.assert_allclose(slope[np.abs(w) > 1e-3], cost * np.sign(w[np.abs(w) > 1e-3]), rtol=1e-4)
    assert machine.lasso.problem is problem


def test_a_convex_step_without_proof_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def unproved(program: ConeProgram, x: Vector, z: Vector, tol: float) -> Repaired:
        del program, tol
        return Repaired(x, z, undefined("nothing is proved"))

    monkeypatch.setattr(reweighted, "repair", unproved)
    solution = ReweightedRelevance(*sine(), KERNEL).solve()
    assert not solution.converged
    assert "convex step 1 is not certified" in solution.message
    assert solution.iterations == 0
    assert len(solution.certificates) == 1
