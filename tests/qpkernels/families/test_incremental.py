# SPDX-License-Identifier: BSD-3-Clause
"""The active-set method of changed problems: right for every family, and where it does not suffice by another."""

from __future__ import annotations

import numpy as np
import pytest

from builders import FAMILIES, manufacture
from qpkernels import RBF, Gram
from qpkernels.families.incremental import ActiveSet
from qpkernels.gram.changing import ChangingGram
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers import Claim, Outcome

TOL = 1e-9


def follow(solver: ActiveSet, program: KernelQP, beta: np.ndarray) -> Outcome:
    outcome = solver.solve(program, tol=TOL, warm_start=beta, values=program.gram.product(beta))
    intercept = float(outcome.multipliers.sum())
    certificate = certify_kernel_qp(program, outcome.point, intercept)
    assert certificate.holds(TOL), certificate
    assert outcome.values is not None
    np.testing.assert_allclose(outcome.values, program.gram.product(outcome.point), atol=1e-9)
    return outcome


def replaced(program: KernelQP, **parts: object) -> KernelQP:
    names = ("gram", "target", "lower", "upper", "total", "epsilon", "ridge", "name")
    return KernelQP(**{name: parts.get(name, getattr(program, name)) for name in names})


def kept(name: str, seed: int) -> tuple[KernelQP, np.ndarray]:
    known = manufacture(name, seed)
    return replaced(known.program, gram=ChangingGram.of(known.program.gram)), known.beta


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_targets_that_change_one_after_the_other_are_followed(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    program, beta = kept(name, seed)
    solver = ActiveSet()
    for _ in range(6):
        target = program.target.copy()
        target[int(rng.integers(24))] += rng.normal()
        program = replaced(program, target=target)
        outcome = follow(solver, program, beta)
        assert not outcome.message.startswith("by smo")
        beta = outcome.point


def test_bounds_and_a_ridge_that_change_are_noticed() -> None:
    program, beta = kept("Huber", 0)
    solver = ActiveSet()
    follow(solver, program, beta)
    for factor in (0.3, 4.0):
        changed = replaced(program, ridge=factor * program.ridge, upper=factor * program.upper)
        beta = follow(solver, changed, beta).point


def test_samples_twice_are_left_to_sequential_minimal_optimisation() -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 2)), 2, axis=0)
    y = np.repeat(np.where(np.arange(20) % 2 == 0, 1.0, -1.0), 2)
    gram = ChangingGram.of(Gram(RBF(2.0), X))
    program = KernelQP(gram, y, np.where(y > 0, 0.0, -9.0), np.where(y > 0, 9.0, 0.0), 0.0)
    outcome = follow(ActiveSet(), program, 0.1 * y)
    assert outcome.message.startswith("by smo")


def test_without_a_matrix_in_memory_it_is_sequential_minimal_optimisation() -> None:
    program = manufacture("hinge", 0).program
    alone = replaced(program, gram=Gram(program.gram.kernel, program.gram.X))
    assert follow(ActiveSet(), alone, np.zeros(24)).message.startswith("by smo")


def test_equations_that_depend_on_each_other_are_left_to_linear_algebra() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 2, axis=0)
    program = KernelQP(ChangingGram.of(Gram(RBF(2.0), X)), X[:, 0], -np.inf, np.inf, 0.0)
    outcome = ActiveSet().solve(program, warm_start=np.zeros(40), values=np.zeros(40))
    assert outcome.claim is Claim.FAILED
    assert np.isnan(outcome.point).all()


def test_an_inverse_that_is_wrong_is_made_anew() -> None:
    program, beta = kept("hinge", 0)
    solver = ActiveSet()
    follow(solver, program, beta)
    solver._inverse.memory *= 1.01
    target = program.target.copy()
    target[3] += 0.5
    outcome = follow(solver, replaced(program, target=target), beta)
    assert not outcome.message.startswith("by smo")
