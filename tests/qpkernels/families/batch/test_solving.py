# SPDX-License-Identifier: BSD-3-Clause
"""A batch answers what each of its machines would alone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from qpkernels import RBF, Expansion, Gram, Precomputed
from qpkernels.arrays import Indices, Vector
from qpkernels.errors import IndefiniteKernelError, ParameterError, QPKernelsError, ShapeError
from qpkernels.families.batch import Fitted, Machine, solve_batch
from qpkernels.families.batch import groups as groups_module
from qpkernels.families.batch.groups import Reading, grouped
from qpkernels.families.batch.machine import Start
from qpkernels.families.batch.solving import Alone
from qpkernels.problems import KernelQP
from qpkernels.solvers import Claim

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] + 0.4 * RNG.normal(size=60) > 0, 1.0, -1.0)


def soft_margin(gram: Gram, y: Vector, C: float) -> KernelQP:
    return KernelQP(gram, y, np.minimum(0.0, C * y), np.maximum(0.0, C * y), 0.0)


def machine(gram: Gram, samples: Indices, C: float, after: int | None = None) -> Machine:
    out = np.setdiff1d(np.arange(len(gram)), samples)
    return Machine(soft_margin(gram.part(samples), Y[samples], C), samples, after, out)


def fitted(answer: Fitted | QPKernelsError) -> Fitted:
    assert isinstance(answer, Fitted)
    return answer


def test_a_path_in_folds_is_proved_and_its_values_are_those_of_the_functions() -> None:
    gram = Gram(RBF(0.3), X)
    machines = []
    for fold in range(3):
        samples = np.flatnonzero(np.arange(60) % 3 != fold)
        for C in (0.1, 1.0, 10.0):
            machines.append(machine(gram, samples, C, len(machines) - 1 if C > 0.1 else None))
    seen = dict[int, Fitted | QPKernelsError]()
    answers = solve_batch(gram, machines, tol=1e-8, report=seen.__setitem__)
    for number, (each, answer) in enumerate(zip(machines, answers, strict=True)):
        assert seen[number] is answer
        one = fitted(answer)
        assert one.certificate.holds(1e-8)
        assert one.outcome.values is not None
        np.testing.assert_allclose(one.outcome.values, each.program.gram.product(one.outcome.point), atol=1e-12)
        function = Expansion(gram.kernel, X[each.samples], one.outcome.point, one.intercept)
        assert each.held_out is not None
        np.testing.assert_allclose(one.held_out, function(X[each.held_out]), atol=1e-12)


def test_a_machine_that_fails_keeps_its_error_and_the_others_their_answers() -> None:
    K = np.eye(60)
    K[50, 51] = K[51, 50] = 2.0
    gram = Gram(Precomputed(K), np.arange(60))
    machines = [
        machine(gram, np.arange(40), 1.0),
        machine(gram, np.arange(30, 60), 1.0),
        machine(gram, np.arange(45), 1.0, 1),
    ]
    answers = solve_batch(gram, machines)
    assert isinstance(answers[1], IndefiniteKernelError)
    assert all(fitted(answers[k]).certificate.holds(1e-3) for k in (0, 2))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_starts_from_more_from_fewer_and_from_other_samples(n_jobs: int) -> None:
    gram, everything = Gram(RBF(0.3), X), np.arange(60)
    sets = [(everything, None), *((np.delete(everything, k), 0) for k in range(0, 60, 6)), (everything[:40], 3)]
    sets += [(everything[20:], 11), (everything, 12)]
    machines = [machine(gram, samples, 3.0, after) for samples, after in sets]
    for tol in (1e-3, 1e-9):
        for each, answer in zip(machines, solve_batch(gram, machines, tol=tol, n_jobs=n_jobs), strict=True):
            alone = fitted(solve_batch(gram, [Machine(each.program, each.samples)], tol=tol)[0])
            assert fitted(answer).certificate.holds(tol)
            assert fitted(answer).certificate.primal_value >= alone.certificate.dual_value - 1e-12
            assert alone.certificate.primal_value >= fitted(answer).certificate.dual_value - 1e-12


@pytest.fixture
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "_SMALL", 0)


@pytest.mark.usefixtures("_large")
def test_machines_that_do_not_fit_together_are_parted() -> None:
    gram, parts = Gram(RBF(0.3), X), [np.arange(20), np.arange(20, 40), np.arange(40, 60)]
    machines = [machine(gram, part, C) for C in range(1, 17) for part in parts]
    groups, alone = grouped(gram, machines, 4 * 20**2)
    assert [group.numbers for group in groups] == [tuple(range(k, 48, 3)) for k in range(3)]
    assert grouped(gram, machines, 4 * 20**2 - 1) == ([], list(range(48)))
    assert not alone


@pytest.mark.parametrize(("cache_size", "reading"), [(64, Reading.SHARED), (8, Reading.KEPT)])
def test_many_samples_are_read_from_a_matrix_or_from_rows_that_are_kept(cache_size: float, reading: Reading) -> None:
    rng = np.random.default_rng(3)
    many = rng.normal(size=(2200, 4))
    y = np.where(many[:, 0] + 0.5 * rng.normal(size=2200) > 0, 1.0, -1.0)
    gram, samples, out = Gram(RBF(0.2), many), np.arange(2100), np.arange(2100, 2200)
    part = gram.part(samples)
    costs = (0.01, 0.1, 1.0, 0.3, 0.3)
    machines = [
        Machine(soft_margin(part, y[:2100], C), samples, k - 1 if k else None, out) for k, C in enumerate(costs)
    ]
    groups, _ = grouped(gram, machines, int(cache_size * 2**20))
    assert [group.reading for group in groups] == [reading]
    answers = [fitted(answer) for answer in solve_batch(gram, machines, cache_size=cache_size)]
    for answer in answers:
        assert answer.certificate.holds(1e-3)
        assert answer.outcome.values is not None
        np.testing.assert_allclose(answer.outcome.values, part.product(answer.outcome.point), atol=1e-9)
        function = Expansion(gram.kernel, part.X, answer.outcome.point, answer.intercept)
        np.testing.assert_allclose(answer.held_out, function(many[2100:]), atol=1e-9)
    assert answers[-1].outcome.iterations == 0


def test_limits_of_time_and_steps_return_where_each_machine_stands() -> None:
    gram = Gram(RBF(0.3), X)
    machines = [machine(gram, np.arange(40), C) for C in (1.0, 10.0)]
    hard = [machine(gram, np.arange(60), 1e8)]
    for answer in (*solve_batch(gram, hard, tol=1e-13, time_limit=1e-9), *solve_batch(gram, machines, max_iter=1)):
        assert fitted(answer).outcome.claim is Claim.STOPPED
        assert not fitted(answer).certificate.holds(1e-13)
        assert np.isfinite(fitted(answer).certificate.relative_gap)
    assert all(fitted(answer).certificate.holds(1e-3) for answer in solve_batch(gram, machines, time_limit=60.0))


def test_what_was_spent_before_counts_for_a_machine_left_to_the_solver_of_one() -> None:
    gram = Gram(RBF(0.3), X)
    one, spent = machine(gram, np.arange(40), 10.0), Start(None, 30, 2.0)
    free = fitted(Alone(gram, [one], 1e-6, None, None, 64).solve(0, spent, {}))
    assert free.certificate.holds(1e-6)
    assert free.outcome.seconds > 2.0
    assert (free.outcome.iterations or 0) > 31
    limited = fitted(Alone(gram, [one], 1e-6, 31, None, 64).solve(0, spent, {}))
    assert limited.outcome.iterations == 31


@pytest.mark.parametrize(
    ("features", "reading"), [(2, Reading.ARRAYS), (70, Reading.SHARED)], ids=["few features", "many"]
)
def test_pairs_of_many_classes_make_their_own_rows_of_few_features(features: int, reading: Reading) -> None:
    rng, classes = np.random.default_rng(0), np.arange(1200) % 6
    many = rng.normal(size=(1200, features)) + 0.5 * np.cos(classes)[:, None]
    gram, machines = Gram(RBF(0.3 / features), many), []
    for a, b in combinations(range(6), 2):
        samples = np.flatnonzero((classes == a) | (classes == b))
        machines.append(
            Machine(soft_margin(gram.part(samples), np.where(classes[samples] == a, 1.0, -1.0), 3.0), samples)
        )
    groups, _ = grouped(gram, machines, 2**30)
    assert [group.reading for group in groups] == [reading]
    # In the second call, threads write over memory that held the rows of others.
    for tol in (1e-3, 1e-6):
        for answer in solve_batch(gram, machines, tol=tol, n_jobs=2):
            assert fitted(answer).certificate.holds(tol)
            assert fitted(answer).outcome.message.startswith("relative gap")


def test_large_bounds_take_few_steps_since_free_coefficients_move_together() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 3))
    y = np.where(points[:, 0] + 0.3 * np.sin(4 * points[:, 1]) + 0.1 * rng.normal(size=400) > 0, 1.0, -1.0)
    gram = Gram(RBF(0.3), points)
    (answer,) = solve_batch(gram, [Machine(soft_margin(gram, y, 1e4), np.arange(400))])
    assert fitted(answer).certificate.holds(1e-3)
    # Pair steps alone take more than 100 for each sample.
    assert (fitted(answer).outcome.iterations or 0) < 40 * 400


def test_a_memory_too_small_for_a_row_is_refused() -> None:
    gram = Gram(RBF(0.3), X)
    with pytest.raises(ParameterError, match="cache_size must hold a row of the kernel matrix"):
        solve_batch(gram, [machine(gram, np.arange(40), 1.0)], cache_size=1e-4)


def test_a_machine_that_does_not_belong_to_the_batch_is_refused() -> None:
    gram, other = Gram(RBF(0.3), X), Gram(RBF(0.3), X)
    with pytest.raises(ParameterError, match="machine 0 must be stated on samples of the shared matrix"):
        solve_batch(gram, [machine(other, np.arange(20), 1.0)])
    with pytest.raises(ParameterError, match="machine 0 starts from machine 0, which must come before it"):
        solve_batch(gram, [machine(gram, np.arange(20), 1.0, after=0)])
    with pytest.raises(ParameterError, match="machine 0 must have held_out within the 60"):
        solve_batch(gram, [Machine(soft_margin(gram, Y, 1.0), np.arange(60), None, np.array([60]))])
    with pytest.raises(ShapeError, match="samples must name one sample for each of the 60"):
        Machine(soft_margin(gram, Y, 1.0), np.arange(59))
    with pytest.raises(ParameterError, match="samples must differ from each other"):
        Machine(soft_margin(gram, Y, 1.0), np.zeros(60, int))
