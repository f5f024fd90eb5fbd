# SPDX-License-Identifier: BSD-3-Clause
"""Every step lowers the objective and stays feasible, whatever rows of a block come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from builders import every_family, manufacture, random_feasible, two_classes
from qpkernels import RBF
from qpkernels.problems import KernelQP
from qpkernels.solvers.smo.steps import Block, pair_steps, single_steps


def state_of(program: KernelQP, beta: np.ndarray) -> tuple[Any, ...]:
    K = program.gram.dense
    box = np.array((program.target, program.epsilon, program.ridge, program.lower, program.upper))
    return *Block.whole(K), box, beta, K @ beta


@every_family
@pytest.mark.parametrize("seed", range(2))
def test_every_step_lowers_the_objective_and_stays_feasible(name: str, seed: int) -> None:
    program = manufacture(name, seed).program
    step = single_steps if program.total is None else pair_steps
    state = state_of(program, random_feasible(program, seed))
    beta, values = state[-2:]
    before, taken = program.objective(beta), 0
    while step(*state, 1, 1e-9, 0.0)[0] == 1 and taken < 3000:
        after = program.objective(beta)
        # A step from the floor of 1e-9 may gain less than the last digits of the objective.
        assert after <= before + 1e-14 * abs(before)
        assert (beta >= program.lower).all()
        assert (beta <= program.upper).all()
        if program.total is not None:
            assert beta.sum() == pytest.approx(program.total, abs=1e-12)
        before, taken = after, taken + 1
    assert 5 < taken < 3000
    np.testing.assert_allclose(values, program.gram.dense @ beta, atol=1e-11)


@pytest.mark.parametrize("m", [3, 15, 16, 17, 33, 40, 64])
def test_a_step_changes_the_pair_that_gains_most_wherever_it_is(m: int) -> None:
    rng = np.random.default_rng(m)
    for _ in range(20):
        X, y, C = rng.normal(size=(m, 2)), np.where(np.arange(m) % 2, 1.0, -1.0), 2.0
        K = RBF(1.0).matrix(X, X)
        beta = y * np.append(0.5, rng.choice([0.0, 0.5, C], m - 1))
        box = np.array([y, np.zeros(m), np.zeros(m), np.where(y > 0, 0, -C), np.where(y > 0, C, 0)])
        slope, before = K @ beta - y, beta.copy()
        (up,), (down,) = np.nonzero(beta < box[4]), np.nonzero(beta > box[3])
        i = up[np.argmin(slope[up])]
        gain = np.maximum(slope[down] - slope[i], 0.0) ** 2 / np.maximum(2 - 2 * K[i, down], 2e-14)
        taken, _ = pair_steps(*Block.whole(K), box, beta, K @ beta, 1, 1e-9, 0.0)
        expected = {i, down[np.argmax(gain)]} if gain.max(initial=0.0) > 0 else set()
        assert (taken, set(np.flatnonzero(beta != before))) == (len(expected) // 2, expected)


@every_family
def test_the_first_step_gains_much(name: str) -> None:
    program = manufacture(name).program
    step = single_steps if program.total is None else pair_steps
    beta = random_feasible(program, 1)
    before = program.objective(beta)
    assert step(*state_of(program, beta), 1, 1e-9, 0.0) == (1, False)
    assert program.objective(beta) < before - 1e-3


@every_family
def test_steps_end_within_the_gap_that_they_go_for(name: str) -> None:
    known = manufacture(name, 1)
    program = known.program
    if program.is_hard:
        return
    step = single_steps if program.total is None else pair_steps
    beta = random_feasible(program, 0)
    taken, settled = step(*state_of(program, beta), 10**6, 1e-12, 1e-3)
    assert 0 < taken < 10**6
    assert not settled
    assert program.objective(beta) - known.optimum < 1e-3 * abs(known.optimum)
    assert step(*state_of(program, beta), 10**6, 1e-12, 1e-3) == (0, False)


@pytest.mark.parametrize("steps", [pair_steps, single_steps])
def test_rows_made_on_demand_are_those_of_the_matrix(steps: Callable[..., Any]) -> None:
    X, y = two_classes(90, shift=0.3, features=4)
    kernel, box = RBF(0.5), np.array((y, 0.0 * y, 0.0 * y, np.minimum(y, 0.0), np.maximum(y, 0.0)))
    K = kernel.matrix(X, X).astype(np.float32)
    # Memory that was used before: no number of it may be read.
    memory = np.full(90**2 + 5, np.nan, np.float32)
    columns = np.random.default_rng(0).permutation(120)[:90]
    larger = np.full((120, 120), np.nan, np.float32)
    larger[np.ix_(columns, columns)] = K
    block = Block.within(larger, columns, memory)
    answers = []
    for each in (block, Block.whole(K)):
        beta, values = np.zeros(90), np.zeros(90)
        steps(*each, box, beta, values, 10**6, 1e-4, 0.0)
        np.testing.assert_allclose(values, K.astype(float) @ beta, atol=1e-4)
        answers.append(beta)
    np.testing.assert_allclose(*answers, atol=2e-3)
    used = np.flatnonzero(answers[0])
    made = block.slots[:-1]
    assert (made[used] >= 0).all()
    assert sorted(made[made >= 0]) == list(range(block.slots[-1]))
    rows = block.rows(used)
    np.testing.assert_allclose(rows, K[used], atol=1e-5)
