# SPDX-License-Identifier: BSD-3-Clause
"""Models trained together: each answer is that of its model alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import HardMargin, NuMargin, SoftMargin
from formulations.modelling.batch import Part, Solutions, Trained, check_jobs, train
from model_data import MODEL_CASES, Case, contradiction, overlapping
from qpkernels import RBF, Gram
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.families.batch.arrays import KernelQPs
from qpkernels.problems import Status

KERNEL_QPS = [case for case in MODEL_CASES if case.is_kernel_qp]


def thirds(model: Any) -> list[Part]:
    """Return the model without each third of its samples, which is held out."""
    numbers = np.arange(len(model))
    dealt = numbers if model.classes is None else np.argsort(model.y, kind="stable")
    parts = []
    for k in range(3):
        held = dealt[k::3]
        rows = np.setdiff1d(numbers, held)
        parts.append(Part.of(model.on(rows), rows, None, held))
    return parts


@pytest.mark.parametrize("case", MODEL_CASES, ids=str)
def test_every_model_is_trained_as_alone(case: Case) -> None:
    # The share that NuMargin asks for of all samples is more than two thirds of them allow.
    model = case.state_model(**({"nu": 0.4} if case.model is NuMargin else {}))
    for part, answer in zip(thirds(model), train(model.gram, thirds(model), tol=1e-7, n_jobs=1), strict=True):
        alone = part.model.copy().solve(tol=1e-7)
        assert isinstance(answer, Trained)
        assert answer.status is Status.OPTIMAL
        assert answer.certificate.holds(1e-7)
        solution = answer.solution
        assert type(solution) is type(alone)
        assert solution.certificate == answer.certificate
        assert solution.objective == pytest.approx(alone.objective, rel=1e-6, abs=1e-9)
        assert answer.n_support == solution.n_support
        assert part.model.certify(solution).holds(1e-6)
        np.testing.assert_allclose(answer.held_out, solution.function(model.gram.X[part.held_out]), atol=1e-9)


def test_a_warm_start_changes_the_answer_by_no_more_than_is_proved() -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5))
    rows = np.arange(len(model))
    parts = [
        Part.of(model.copy().set_params(C=C), rows, None if k == 0 else k - 1) for k, C in enumerate([0.1, 1.0, 10.0])
    ]
    for part, answer in zip(parts, train(model.gram, parts, tol=1e-8), strict=True):
        assert isinstance(answer, Trained)
        assert answer.expand is None
        assert answer.solution.objective == pytest.approx(part.model.copy().solve(tol=1e-9).objective, rel=1e-7)


@pytest.mark.parametrize("limit", [{"max_iter": 2}, {"time_limit": 1e-9}])
def test_what_the_batch_leaves_unproved_is_solved_alone_unless_a_limit_was_reached(limit: dict[str, Any]) -> None:
    X, y = overlapping()
    model, hard = (SoftMargin(X, y, RBF(0.5), C=C) for C in (100.0, 1e4))
    part, long = (Part.of(each, np.arange(len(each))) for each in (model, hard))
    (stopped,) = train(hard.gram, [long], tol=1e-14, options=limit)
    assert isinstance(stopped, Trained)
    assert stopped.expand is None
    assert stopped.status is Status.STOPPED
    assert stopped.solution.status is Status.STOPPED
    (proved,) = train(model.gram, [part], tol=1e-9)
    assert isinstance(proved, Trained)
    assert proved.status is Status.OPTIMAL


def test_what_arrays_leave_unproved_goes_on_from_there() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1, -1)
    model = SoftMargin(X, y, RBF(0.005), C=1e8)
    part, program = Part.of(model, np.arange(40)), model.qp()
    (answer,) = train(model.gram, [part], tol=1e-6, programs=KernelQPs.of(program))
    assert isinstance(answer, Trained)
    assert answer.status is Status.OPTIMAL
    assert answer.solution.solver == "smo, interior-point"
    assert len(answer.solution.attempts) == 2


def test_a_limit_of_time_is_that_of_each_model_and_leaves_them_a_batch() -> None:
    model = SoftMargin(*overlapping(), RBF(0.5))
    parts = [Part.of(model.copy().set_params(C=C), np.arange(len(model))) for C in (0.1, 1.0)]
    for answer in train(model.gram, parts, tol=1e-6, options={"time_limit": 60.0}):
        assert isinstance(answer, Trained)
        assert answer.expand is None
        assert answer.status is Status.OPTIMAL
    with pytest.raises(ParameterError, match="time_limit"):
        train(model.gram, parts, tol=1e-6, options={"time_limit": -1.0})


def test_the_error_of_one_leaves_the_others() -> None:
    X, y = contradiction()
    seen: list[int] = []
    rows = np.arange(len(X))
    gram = Gram(RBF(1.0), X)
    parts = [Part.of(kind(gram, y), rows) for kind in (SoftMargin, HardMargin, NuMargin)]
    answers = train(gram, parts, tol=1e-6, report=lambda number, _: seen.append(number))
    assert isinstance(answers[1], InfeasibleError)
    assert all(isinstance(answer, Trained) for answer in (answers[0], answers[2]))
    assert sorted(seen) == [0, 1, 2]


def test_a_corrected_matrix_is_that_of_each_part() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    from qpkernels import Sigmoid

    model = SoftMargin(Gram(Sigmoid(1.0, -1.0), X, indefinite="clip"), y)
    rows = np.arange(5, 30)
    (answer,) = train(model.gram, [Part.of(model.on(rows), rows, None, np.arange(5))], tol=1e-6)
    assert isinstance(answer, Trained)
    assert "kernel matrix" in str(answer.solution)
    alone = SoftMargin(Gram(Sigmoid(1.0, -1.0), X[rows], indefinite="clip"), y[rows]).solve()
    assert answer.solution.objective == pytest.approx(alone.objective, rel=1e-5)


def test_memory_for_kernel_values() -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5))
    part = Part.of(model, np.arange(len(model)))
    (answer,) = train(model.gram, [part], tol=1e-6, options={"cache_size": 0.001})
    assert isinstance(answer, Trained)
    assert answer.status is Status.OPTIMAL
    with pytest.raises(ParameterError, match="cache_size must hold a row of the kernel matrix"):
        train(model.gram, [part], tol=1e-6, options={"cache_size": 1e-6})


def test_solutions_are_made_when_asked_for() -> None:
    made: list[int] = []

    def state(number: int) -> Any:
        made.append(number)
        return number

    def trained(number: int) -> Any:
        found = (Status.OPTIMAL, 0.0, np.zeros(1), 0.0, None, None, 0.0)
        return Trained(*found, prove=lambda: None, count_support=lambda: 1, state=lambda: state(number))  # type: ignore[arg-type, return-value]

    solutions = Solutions([trained(number) for number in range(4)])
    assert len(solutions) == 4
    assert made == []
    assert solutions[2] == solutions[2] == 2
    assert list(solutions[1:3]) == [1, 2]
    assert made == [2, 1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, None, 10**6])
def test_numbers_of_threads_that_are_none(n_jobs: Any) -> None:
    with pytest.raises(ParameterError, match="n_jobs must be a number of threads"):
        check_jobs(n_jobs)


def test_the_cases_hold_every_family() -> None:
    assert len({case.model for case in KERNEL_QPS}) >= 13
    assert len({case.model for case in MODEL_CASES}) >= 25
