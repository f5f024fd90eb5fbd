# SPDX-License-Identifier: BSD-3-Clause
"""Every step lowers the objective and stays feasible."""

import numpy as np
import pytest

from builders import every_family, manufacture, random_feasible
from qpkernels.problems import KernelQP
from qpkernels.solvers.smo.descent.passes import Arrays
from qpkernels.solvers.smo.descent.steps import pair_steps, single_steps


def state_of(program: KernelQP, beta: np.ndarray) -> tuple[Arrays, np.ndarray, np.ndarray]:
    K = program.gram.dense
    data = Arrays(K, program.target, program.epsilon, program.ridge, program.lower, program.upper)
    return data, beta, K @ beta


@every_family
@pytest.mark.parametrize("seed", range(2))
def test_every_step_lowers_the_objective_and_stays_feasible(name: str, seed: int) -> None:
    program = manufacture(name, seed).program
    step = single_steps if program.total is None else pair_steps
    state = state_of(program, random_feasible(program, seed))
    beta, values = state[-2:]
    before, taken = program.objective(beta), 0
    while step(*state, 1, 1e-9) == 1 and taken < 3000:
        after = program.objective(beta)
        # A step from the floor of 1e-9 may gain less than the last digit of the objective.
        assert after <= before + 1e-15 * abs(before)
        assert (beta >= program.lower).all()
        assert (beta <= program.upper).all()
        if program.total is not None:
            assert beta.sum() == pytest.approx(program.total, abs=1e-12)
        before, taken = after, taken + 1
    assert 5 < taken < 3000
    np.testing.assert_allclose(values, program.gram.dense @ beta, atol=1e-11)


@every_family
def test_the_first_step_gains_much(name: str) -> None:
    program = manufacture(name).program
    step = single_steps if program.total is None else pair_steps
    beta = random_feasible(program, 1)
    before = program.objective(beta)
    assert step(*state_of(program, beta), 1, 1e-9) == 1
    assert program.objective(beta) < before - 1e-3
