# SPDX-License-Identifier: BSD-3-Clause
"""What is proved of an optimal value: intervals hold the known one, and nothing is said where nothing is proved."""

from __future__ import annotations

import numpy as np
import pytest

from builders import KNOWN_OPTIMA, KnownOptimum, cone_program
from formulations.testset import entries, optimum_of
from qpkernels.problems import Nonnegative, Status

QUADRATIC = {name: known for name, known in KNOWN_OPTIMA.items() if known.program.is_quadratic}


@pytest.mark.parametrize("known", QUADRATIC.values(), ids=QUADRATIC)
def test_the_interval_holds_the_optimum(known: KnownOptimum) -> None:
    found = optimum_of(known.program)
    value = known.program.objective(known.x)
    assert found.status is Status.OPTIMAL
    assert found.lower - 1e-12 <= value <= found.upper + 1e-12
    assert found.upper - found.lower <= 1e-8


def test_a_program_without_a_feasible_point() -> None:
    found = optimum_of(cone_program(np.eye(1), [0], [[1], [-1]], [-1, -1], [Nonnegative(2)]))
    assert (found.status, found.lower, found.upper) == (Status.INFEASIBLE, np.inf, np.inf)
    assert found.relative_width == np.inf


def test_a_program_without_a_lower_bound() -> None:
    found = optimum_of(cone_program(np.zeros((1, 1)), [-1], [[-1]], [0], [Nonnegative(1)]))
    assert (found.status, found.lower, found.upper) == (Status.UNBOUNDED, -np.inf, -np.inf)


def test_an_answer_that_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formulations.testset.optimum.installed_solvers", lambda: ())
    found = optimum_of(cone_program(np.eye(1), [0], [[1]], [1], [Nonnegative(1)]))
    assert found.status is Status.FAILED
    assert not found.exact


def test_a_ray_is_a_proof_though_no_solver_claims_it() -> None:
    (entry,) = (entry for entry in entries(100) if entry.name == "contradiction_dual_100")
    assert optimum_of(entry.program()).status is Status.UNBOUNDED
