# SPDX-License-Identifier: BSD-3-Clause
"""Solving without the name of a solver: who is asked, in which order, and what is kept."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from weakref import ref

import numpy as np
import pytest

from formulations import (
    ChebyshevFit,
    HardMargin,
    HardTube,
    KernelRidge,
    LaplaceFit,
    LeastAbsoluteFit,
    LeastSquares,
    LinearProgramMachine,
    Logistic,
    NuMargin,
    NuTube,
    OneClass,
    ResidualLossRegression,
    SoftMargin,
    SoftTube,
)
from formulations.losses import AbsolutePower, LogisticResidual
from formulations.modelling import Solution, routes
from formulations.modelling.batch import as_arrays
from model_data import blobs, measured, one_against_rest, overlapping
from qpkernels.errors import SolverFailedError, UnsupportedOptionError
from qpkernels.kernels import RBF
from qpkernels.problems import Status


def clouds(m: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return overlapping clouds."""
    return blobs(seed=3, samples=m, features=d, distance=1.0)


# --- what used to be given up ---


def test_a_hard_margin_on_scaled_features() -> None:
    solution = HardMargin(*one_against_rest("breast-cancer", 1)).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.iterations <= 100


@pytest.mark.parametrize("form", ["", "primal", "dual"])
def test_large_costs_in_few_features(form: str) -> None:
    model = SoftMargin(*clouds(1500, 5), C=1e4)
    solution = (getattr(model, form) if form else model).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.iterations <= 100


@pytest.mark.parametrize("C", [1e2, 1e4, 1e6])
def test_large_costs_with_a_kernel(C: float) -> None:
    solution = SoftMargin(*clouds(300, 5), kernel=RBF(0.02), C=C).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.iterations <= 50_000


def test_novelty_in_features_of_units_far_apart() -> None:
    X = np.random.default_rng(5).normal(size=(300, 3)) * [1.0, 1e5, 1.0] + [3.0, 1e5, 2.0]
    solution = OneClass(X, nu=0.1).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.iterations <= 100_000


def test_a_hard_tube_around_samples_close_together() -> None:
    X, t = measured()
    solution = HardTube(1e-4 * X, t, epsilon=1.4).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.iterations <= 100_000


# --- who is asked ---


@pytest.mark.parametrize(
    ("model", "solver"),
    [
        (lambda: SoftMargin(*clouds(40, 5), kernel=RBF(0.1)), "smo"),
        (lambda: SoftMargin(*clouds(800, 5)), "semismooth-newton"),
        (lambda: KernelRidge(*measured(), regularisation=0.1), "linear"),
        (lambda: LeastSquares(*clouds(1000, 3), C=1.0), "conjugate-gradient"),
        (lambda: KernelRidge(*clouds(2100, 3), RBF(0.1), regularisation=0.1), "conjugate-gradient"),
        (lambda: KernelRidge(*clouds(2100, 3), RBF(9.0), regularisation=1e-9), "linear"),
        (lambda: LinearProgramMachine(*overlapping()), "highs"),
        (lambda: ChebyshevFit(*measured(), kernel=RBF(5.0)), "linear"),
        (lambda: NuMargin(*clouds(200, 5), nu=0.3), "interior-point"),
        (lambda: NuTube(*measured(), nu=0.3, C=1.0), "interior-point"),
        (lambda: LeastAbsoluteFit(*measured()), "frisch-newton"),
        (lambda: LaplaceFit(*measured()), "frisch-newton"),
        (lambda: ChebyshevFit(*measured()), "frisch-newton"),
        (lambda: Logistic(*clouds(200, 5), kernel=RBF(0.1)), "newton"),
        (lambda: ResidualLossRegression(*measured(), loss=LogisticResidual()), "newton"),
    ],
)
def test_the_structure_chooses(model: Callable[[], Any], solver: str) -> None:
    solution = model().solve()
    assert (solution.status, solution.solver) == (Status.OPTIMAL, solver)


def test_more_features_than_samples_are_for_the_form_over_samples() -> None:
    X, y = blobs(seed=3, samples=30, features=80, distance=3.0)

    def state(X: np.ndarray) -> ResidualLossRegression:
        return ResidualLossRegression(X, y, loss=AbsolutePower(1.5))

    assert state(X).solve().formulation == "ResidualLossDual"
    assert state(X[:, :3]).solve().formulation == "ResidualLossPrimal"
    assert state(X).primal.solve().formulation == "ResidualLossPrimal"


def test_options_of_a_back_end_leave_it_alone() -> None:
    model = SoftMargin(*clouds(800, 5))
    assert model.solve(values=None).solver == "smo"
    assert model.solve(cache_size=10, shrinking=False).solver == "semismooth-newton"
    with pytest.raises(UnsupportedOptionError, match="'smo' has no option 'bogus'"):
        model.solve(bogus=1)


# --- what becomes of answers that are not proved ---


@dataclass(frozen=True)
class Said:
    """An answer of an attempt, or its failure; remembers what it was asked."""

    answer: Solution | Exception
    asked: list[Any]

    def __call__(self, request: Any) -> Solution:
        self.asked.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.fixture
def tube() -> SoftTube:
    return SoftTube(*measured(), kernel=RBF(0.5), C=10.0, epsilon=0.05)


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Said]]:
    """Return what replaces the attempts by these answers."""

    def set_to(*answers: Solution | Exception) -> list[Said]:
        said = [Said(answer, []) for answer in answers]
        made = [routes._Attempt(each, takes_start=True) for each in said]
        monkeypatch.setattr(routes, "_as_array", lambda *_: None)
        monkeypatch.setattr(routes, "_attempts", lambda *_: iter(made))
        return said

    return set_to


def rough(model: SoftTube, steps: int) -> Solution:
    return replace(model.solve("smo", max_iter=steps), solver=f"after {steps}")


@pytest.mark.parametrize("order", [(1, 60), (60, 1)])
def test_the_better_answer_is_kept(order: tuple[int, int], tube: SoftTube, attempts: Callable[..., list[Said]]) -> None:
    answers = [rough(tube, steps) for steps in order]
    best = min(answers, key=lambda answer: answer.certificate.error)
    attempts(*answers)
    solution = tube.solve()
    assert np.array_equal(solution.beta, best.beta)
    assert solution.solver == f"after {order[0]}, after {order[1]}"
    assert solution.iterations == 61
    assert solution.seconds.total == pytest.approx(sum(answer.seconds.total for answer in answers))
    assert [said.split(";")[0] for said in solution.attempts] == [f"after {n}: limit of iterations" for n in order]
    assert solution.message.startswith(f"{best.solver}: limit of iterations")
    assert solution.message.endswith("; the best of 2 attempts, which attempts of the solution lists")


def test_nobody_is_asked_after_a_proof(tube: SoftTube, attempts: Callable[..., list[Said]]) -> None:
    first, proved, never = attempts(rough(tube, 3), tube.solve("smo"), rough(tube, 5))
    assert tube.solve().status is Status.OPTIMAL
    assert [len(each.asked) for each in (first, proved, never)] == [1, 1, 0]


def test_each_starts_from_the_best_answer_with_what_is_left(
    tube: SoftTube, attempts: Callable[..., list[Said]]
) -> None:
    better = rough(tube, 60)
    *_, last = attempts(better, rough(tube, 1), rough(tube, 2))
    tube.solve(max_iter=100)
    (request,) = last.asked
    assert np.array_equal(request.warm_start.beta, better.beta)
    assert request.of_any.max_iter == 39


def test_a_limit_ends_it(tube: SoftTube, attempts: Callable[..., list[Said]]) -> None:
    _, never = attempts(rough(tube, 60), rough(tube, 5))
    assert tube.solve(max_iter=60).status is Status.STOPPED
    assert never.asked == []


def test_a_failure_gives_way_and_is_raised_where_nobody_answers(
    tube: SoftTube, attempts: Callable[..., list[Said]]
) -> None:
    attempts(SolverFailedError("no luck"), tube.solve("smo"))
    assert tube.solve().status is Status.OPTIMAL
    attempts(SolverFailedError("no luck"), SolverFailedError("nor here"))
    with pytest.raises(SolverFailedError, match="no luck"):
        tube.solve()


def test_the_forms_show_the_answer_that_is_kept(monkeypatch: pytest.MonkeyPatch, tube: SoftTube) -> None:
    made = [routes._Attempt(lambda _, steps=steps: tube.solve("smo", max_iter=steps)) for steps in (60, 1)]
    monkeypatch.setattr(routes, "_as_array", lambda *_: None)
    monkeypatch.setattr(routes, "_attempts", lambda *_: iter(made))
    solution = tube.solve()
    assert tube.dual.problem is not None
    shown = np.asarray(tube.dual.beta.value)
    assert np.abs(shown - solution.beta).max() <= 1e-9 * np.abs(solution.beta).max()


@pytest.mark.parametrize("solver", [None, "smo", "interior-point"])
def test_the_kernel_matrix_goes_with_its_model(solver: str | None) -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5))
    solution, gram = model.solve(solver), ref(model.gram)
    gc.disable()
    try:
        del model
        assert gram() is None
    finally:
        gc.enable()
    assert solution.certificate.holds(1e-6)


# --- few samples, which are a batch of one ---


def test_what_arrays_leave_unproved_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    model, as_array = SoftMargin(*overlapping(), RBF(0.5), C=1.0), routes._as_array
    begun: list[Solution] = []

    def roughly(asked: Any, request: Any, *rest: Any) -> Any:
        rough = replace(request, of_any=request.of_any.having(tol=1e-3))
        begun.append(replace(as_array(asked, rough, *rest), status=Status.STOPPED))  # type: ignore[type-var]
        return begun[0]

    monkeypatch.setattr(routes, "_as_array", roughly)
    solution, (first,) = model.solve(), begun
    assert solution.status is Status.OPTIMAL
    assert [said.split(":")[0] for said in solution.attempts] == ["smo", "smo"]
    assert (solution.solver, solution.certificate.asked) == ("smo", 1e-6)
    assert first.iterations < solution.iterations < 1.5 * model.solve("smo").iterations


def test_a_problem_of_many_steps_is_handed_over() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1, -1)
    solution = SoftMargin(X, y, RBF(0.005), C=1e8).solve()
    assert (solution.status, solution.solver) == (Status.OPTIMAL, "smo, interior-point")


def test_what_is_read_later_is_that_of_the_solve() -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5), C=2.0)
    early, late, kept = model.solve(), model.solve(), model.solve()
    early.__getstate__()
    model.set_params(C=5.0, gamma=0.1)
    for solution in (late, pickle.loads(pickle.dumps(kept)), replace(kept, message="")):
        assert np.array_equal(solution.support.free, early.support.free)
        assert np.array_equal(solution.support.bounded, early.support.bounded)
        assert np.array_equal(solution.decision, early.decision)
        assert solution.intercept_interval == early.intercept_interval
        assert solution.conditions.keys() == early.conditions.keys()
        assert all(np.array_equal(early.conditions[name], values) for name, values in solution.conditions.items())
    other = SoftMargin(X, y, RBF(0.5), C=2.0).solve("smo", tol=1e-6)
    assert np.array_equal(other.support.free, early.support.free)
    assert max(float(np.abs(each).max()) for each in early.conditions.values()) < 1e-3


@pytest.mark.parametrize("limits", [{"max_iter": 10**6}, {"time_limit": 60.0}, {"warm_start": np.zeros(20)}])
def test_the_certificate_is_that_of_the_other_ways(limits: dict[str, Any]) -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5))
    if "warm_start" in limits:
        limits = {"warm_start": np.zeros(len(model))}
    mine, theirs = model.solve(tol=1e-9), model.solve(tol=1e-9, **limits)
    assert mine.certificate.holds(1e-9)
    assert mine.certificate.asked == theirs.certificate.asked
    assert mine.objective == pytest.approx(theirs.objective, rel=1e-9)
    proof = model.certify((mine.beta, mine.intercept))
    assert proof.relative_gap == pytest.approx(mine.certificate.relative_gap, abs=1e-13)
    assert proof.rounding == pytest.approx(mine.certificate.rounding, rel=1e-2)


def test_more_samples_are_an_array_where_the_margin_is_free() -> None:
    X, y = clouds(2400, 2)
    assert as_arrays(NuMargin(X, y, RBF(1.0), nu=0.5)) is not None
    assert as_arrays(SoftMargin(X, y, RBF(1.0))) is None


def test_a_margin_of_0_takes_no_steps_where_both_classes_have_the_samples() -> None:
    X, _ = clouds(1250, 2)
    X, y = np.repeat(X, 2, axis=0), np.tile([1, -1], 1250)
    solution = NuMargin(X, y, RBF(1.0), nu=0.5).solve("smo")
    assert solution.status is Status.OPTIMAL
    assert solution.iterations == 0
    assert solution.margin_level == 0.0
