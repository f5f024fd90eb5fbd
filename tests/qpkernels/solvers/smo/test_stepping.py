# SPDX-License-Identifier: BSD-3-Clause
"""Steps one at a time: against brute force on two samples, and what they say of themselves on every family."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from builders import every_family, manufacture
from qpkernels import RBF, Gram
from qpkernels.problems import KernelQP
from qpkernels.solvers.smo.stepping import Stepper
from smo_problems import solve
from together import together


def two_samples(seed: int) -> KernelQP:
    """Two samples with bounds, an epsilon and a ridge, in some of the problems."""
    rng = np.random.default_rng(seed)
    C, epsilon, ridge = rng.exponential(2.0), rng.choice([0.0, 0.3]), rng.choice([0.0, 0.5])
    return KernelQP(Gram(RBF(0.5), rng.normal(size=(2, 2))), rng.normal(size=2), -C, C, 0.0, epsilon, ridge)


@together("seed", range(20))
def test_one_step_solves_two_samples(seed: int) -> None:
    program = two_samples(seed)
    C = float(program.upper[0])
    along = minimize_scalar(lambda t: program.objective(np.array([t, -t])), bounds=(-C, C), method="bounded")
    best = min(along.fun, *(program.objective(np.array([t, -t])) for t in (-C, 0.0, C)))
    stepper = Stepper(program)
    before = program.objective(stepper.iterate.beta)
    change = stepper.step()
    after = program.objective(stepper.iterate.beta)
    assert after == pytest.approx(best, abs=1e-6)
    assert (change is None) == (after == before)
    if change is not None:
        assert change.clipped == (abs(stepper.iterate.beta[0]) == C)
    assert stepper.iterate.proves(1e-9)


@every_family
def test_a_step_goes_to_the_minimum_along_its_line(name: str) -> None:
    program = manufacture(name).program
    stepper = Stepper(program)
    for _ in range(15):
        beta = stepper.iterate.beta
        change = stepper.step()
        if change is None:
            break
        line = np.zeros(beta.size)
        if change.up is not None:
            line[change.up] = 1.0
        if change.down is not None:
            line[change.down] = -1.0
        np.testing.assert_allclose(stepper.iterate.beta, beta + change.length * line, atol=1e-12)
        end = min(change.room, 10.0 * change.length)
        along = minimize_scalar(
            lambda t, beta=beta, line=line: program.objective(beta + t * line), bounds=(0.0, end), method="bounded"
        )
        assert program.objective(stepper.iterate.beta) <= along.fun + 1e-9 * abs(along.fun)
        assert change.length <= change.room
        h = 1e-6 * change.length
        if change.length < 1e-9:
            # What rounding had left of a bound: too short for a difference quotient.
            continue
        fall = (program.objective(beta) - program.objective(beta + h * line)) / h
        assert change.slope == pytest.approx(fall, rel=1e-3, abs=1e-6)


@every_family
def test_the_descent_is_that_of_the_engine(name: str) -> None:
    program = manufacture(name).program
    stepper, values = Stepper(program), [np.inf]
    while not stepper.iterate.proves(1e-6) and len(values) < 20_000 and stepper.step() is not None:
        values.append(program.objective(stepper.iterate.beta))
    # A step may gain less than the last digit of the objective.
    assert (np.diff(values) <= 1e-14 * np.abs(values[1:])).all()
    outcome = solve(program, tol=1e-6)
    reached = program.objective(outcome.point)
    assert values[-1] == pytest.approx(reached, rel=2e-6, abs=1e-9)
    if program.total is not None:
        assert stepper.iterate.beta.sum() == pytest.approx(program.total, abs=1e-9)
        assert stepper.intercept == pytest.approx(float(outcome.multipliers[0]), abs=1e-2)


def test_nothing_is_left_to_step_at_the_optimum() -> None:
    program = KernelQP(Gram(RBF(1.0), np.eye(3)), np.zeros(3), -1.0, 1.0, 0.0)
    assert Stepper(program).step() is None
