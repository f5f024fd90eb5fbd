# SPDX-License-Identifier: BSD-3-Clause
"""The batch finds the known optimum of every shape of a KernelQP, whichever rows it reads."""

import numpy as np
import pytest

from builders import every_family, manufacture
from qpkernels.families.batch import Fitted, Machine, solve_batch


@every_family
@pytest.mark.parametrize("copies", [1, 5], ids=["own rows", "shared rows"])
def test_the_known_optimum_is_found(name: str, copies: int) -> None:
    known = manufacture(name, 1)
    program = known.program
    samples = np.arange(len(program))
    machines = [Machine(program, samples, k - 1 if k else None) for k in range(copies)]
    for answer in solve_batch(program.gram, machines, tol=1e-10):
        assert isinstance(answer, Fitted)
        assert answer.certificate.holds(1e-10)
        assert program.objective(answer.outcome.point) == pytest.approx(known.optimum, rel=1e-9)
        np.testing.assert_allclose(answer.outcome.point, known.beta, atol=1e-3)
        assert answer.intercept == pytest.approx(known.intercept, abs=1e-3)


@every_family
def test_a_tiny_memory_changes_nothing_but_who_answers(name: str) -> None:
    program = manufacture(name, 1).program
    machines = [Machine(program, np.arange(len(program)), k - 1 if k else None) for k in range(5)]
    large, small = (solve_batch(program.gram, machines, tol=1e-6, cache_size=size) for size in (64, 1e-3))
    for one, other in zip(large, small, strict=True):
        assert isinstance(one, Fitted)
        assert isinstance(other, Fitted)
        # Bounds hold up to the residuals of hard constraints.
        room = 1e-6 * abs(one.certificate.primal_value)
        assert one.certificate.primal_value >= other.certificate.dual_value - room
        assert other.certificate.primal_value >= one.certificate.dual_value - room
        assert one.certificate.holds(1e-6)
        assert other.certificate.holds(1e-6)
