# SPDX-License-Identifier: BSD-3-Clause
"""Methods that hand over to each other, what becomes of their points, and the limits that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from qpkernels.errors import SolverFailedError, UnsupportedOptionError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Kernel, Linear
from qpkernels.problems import KernelQP, LinearSystem, certify_kernel_qp
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.solvers import Claim, Outcome, Request, find_solver
from qpkernels.solvers.automatic import Automatic, AutomaticSystem, Budget, first_order, relay


def program(C: float = 1.0, m: int = 120, d: int = 4, linear: bool = False) -> KernelQP:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(m, d))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=m) > 0, 1.0, -1.0)
    return KernelQP(Gram(Linear() if linear else RBF(0.05), X), y, np.minimum(0, C * y), np.maximum(0, C * y))


def proved(stated: KernelQP, outcome: Outcome, tol: float = 1e-6) -> bool:
    return certify_kernel_qp(stated, outcome.point, float(outcome.multipliers[0])).holds(tol)


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what lets these solvers be asked, in that order."""

    def set_to(*solvers: Any) -> None:
        monkeypatch.setattr(relay, "_stages", lambda *_: [(solver, {}) for solver in solvers])

    return set_to


@pytest.fixture
def smo_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "first_order", lambda program: replace(first_order(program), work=0.0))


class Fixed:
    """Answers as it is told, and remembers what it was asked."""

    name = "fixed"

    def __init__(self, answer: Outcome | Exception) -> None:
        self.answer = answer
        self.asked: dict[str, Any] = {}

    def answer_to(self, _: KernelQP, request: Request, **own: Any) -> Outcome:
        self.asked = vars(request) | own
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def stopped(stated: KernelQP, steps: int) -> Outcome:
    return find_solver("smo").solve(stated, max_iter=steps)


def test_what_is_easy_stays_with_its_first_method() -> None:
    outcome = Automatic().solve(program())
    assert (outcome.solver, outcome.claim) == ("smo", Claim.OPTIMAL)


@pytest.mark.usefixtures("smo_first")
def test_large_costs_are_handed_over_after_few_steps() -> None:
    stated = program(C=1e6, m=400)
    outcome = Automatic().solve(stated)
    assert (outcome.solver, outcome.claim) == ("smo, interior-point", Claim.OPTIMAL)
    assert outcome.message.startswith("smo: gave up after")
    assert "; then interior-point: " in outcome.message
    assert outcome.iterations is not None
    assert outcome.iterations <= 50_000
    assert proved(stated, outcome)


def test_few_samples_in_wide_bounds_go_to_the_second_order_method_at_once() -> None:
    assert Automatic().solve(program(C=1e6, m=400)).solver == "interior-point"


@pytest.mark.parametrize(("m", "solver"), [(900, "semismooth-newton"), (300, "interior-point")])
def test_few_features_go_to_a_second_order_method_at_once(m: int, solver: str) -> None:
    stated = program(C=1e4, m=m, linear=True)
    outcome = Automatic().solve(stated)
    assert (outcome.solver, outcome.claim) == (solver, Claim.OPTIMAL)
    assert proved(stated, outcome)


def test_few_features_under_hard_constraints_go_to_the_method_that_tells_where_they_cannot_be_met() -> None:
    assert Automatic().solve(program(C=np.inf, m=900, linear=True)).solver.startswith("interior-point")


@pytest.mark.usefixtures("smo_first")
def test_the_same_problem_is_always_solved_alike() -> None:
    first, second = (Automatic().solve(program(C=1e6, m=400)) for _ in range(2))
    assert np.array_equal(first.point, second.point)
    assert (first.message, first.iterations) == (second.message, second.iterations)


@pytest.mark.usefixtures("smo_first")
def test_limits_are_those_of_all_together() -> None:
    stated = program(C=1e6, m=400)
    few = Automatic().solve(stated, max_iter=100)
    assert (few.solver, few.claim, few.iterations) == ("smo", Claim.STOPPED, 100)
    more = Automatic().solve(stated, max_iter=5003)
    assert more.iterations is not None
    assert more.iterations <= 5003
    assert more.claim is Claim.STOPPED


@pytest.mark.parametrize("worse_last", [False, True])
def test_the_better_of_two_points_is_kept(worse_last: bool, stages: Callable[..., None]) -> None:
    stated = program(C=100.0)
    worse, better = stopped(stated, 20), stopped(stated, 200)
    order = [better, worse] if worse_last else [worse, better]
    assert not proved(stated, better)
    stages(*(Fixed(replace(each, solver=f"{k}")) for k, each in enumerate(order)))
    outcome = Automatic().solve(stated)
    assert np.array_equal(outcome.point, better.point)
    assert (outcome.solver, outcome.iterations) == ("0, 1", 220)


def test_each_goes_on_from_the_best_point(stages: Callable[..., None]) -> None:
    stated = program(C=100.0)
    better, last = stopped(stated, 200), Fixed(stopped(stated, 20))
    stages(Fixed(stopped(stated, 20)), Fixed(better), last)
    Automatic().solve(stated, max_iter=1000)
    assert np.array_equal(last.asked["warm_start"], better.point)
    assert last.asked["max_iter"] == 780


def test_a_failure_is_told_and_another_is_asked(stages: Callable[..., None]) -> None:
    stated = program()
    stages(Fixed(SolverFailedError("no luck")), find_solver("smo"))
    outcome = Automatic().solve(stated)
    assert (outcome.solver, outcome.claim) == ("smo", Claim.OPTIMAL)
    assert "no luck" in outcome.message


def test_that_all_fail_is_what_the_first_one_says(stages: Callable[..., None]) -> None:
    stages(Fixed(SolverFailedError("no luck")), Fixed(SolverFailedError("nor here")))
    with pytest.raises(SolverFailedError, match="no luck"):
        Automatic().solve(program())


def test_an_interruption_keeps_the_best_point(stages: Callable[..., None]) -> None:
    stated = program(C=100.0)
    first, never = stopped(stated, 20), Fixed(stopped(stated, 30))
    stages(Fixed(first), Fixed(KeyboardInterrupt()), never)  # type: ignore[arg-type]
    outcome = Automatic().solve(stated)
    assert np.array_equal(outcome.point, first.point)
    assert outcome.claim is Claim.INTERRUPTED
    assert never.asked == {}


def test_who_was_interrupted_hands_over_to_nobody(stages: Callable[..., None]) -> None:
    stated = program()
    never = Fixed(stopped(stated, 30))
    stages(Fixed(replace(stopped(stated, 20), claim=Claim.INTERRUPTED)), never)
    assert Automatic().solve(stated).claim is Claim.INTERRUPTED
    assert never.asked == {}


@pytest.mark.usefixtures("smo_first")
def test_in_a_process_of_its_own() -> None:
    outcome = Automatic().solve(program(C=1e6, m=400), isolate=True)
    assert (outcome.solver, outcome.claim) == ("smo, interior-point", Claim.OPTIMAL)


def test_nobody_is_asked_for_more_than_rounding_lets_anybody_prove() -> None:
    # f within 1/2 of noise, from samples so near each other that beta is near 1e8 and its terms cancel.
    rng = np.random.default_rng(0)
    X = 0.01 * rng.normal(size=(100, 5))
    y = rng.normal(size=100)
    stated = KernelQP(Gram(RBF(0.2), X), 0.4 * y / np.abs(y).max(), -np.inf, np.inf, None, epsilon=0.2)
    outcome = Automatic().solve(stated, tol=1e-9)
    proof = certify_kernel_qp(stated, outcome.point, 0.0)
    assert proof.is_lost_in_rounding(1e-9)
    assert not proof.is_lost_in_rounding(1.0)
    assert outcome.claim is not Claim.OPTIMAL
    assert outcome.solver == "interior-point"


def apart(C: float, flipped: int = 0) -> KernelQP:
    """Return two classes that can be separated, unless labels are flipped."""
    X = np.random.default_rng(4).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += 0.5 * y
    y[:flipped] *= -1.0
    return KernelQP(Gram(Linear(), X), y, np.minimum(0, C * y), np.maximum(0, C * y))


@pytest.mark.parametrize("C", [1e10, 1e14, 1e30])
def test_bounds_that_nothing_reaches_are_left_out(C: float) -> None:
    stated, hard = apart(C), Automatic().solve(apart(np.inf), tol=1e-9)
    outcome = Automatic().solve(stated, tol=1e-9)
    assert proved(stated, outcome, 1e-9)
    np.testing.assert_allclose(outcome.point, hard.point, rtol=1e-9)
    assert (outcome.claim, outcome.iterations) == (Claim.OPTIMAL, hard.iterations)


def test_bounds_that_something_reaches_are_not() -> None:
    stated = apart(1e10, flipped=3)
    outcome = Automatic().solve(stated)
    assert np.abs(outcome.point).max() == 1e10
    assert proved(stated, outcome)


@pytest.mark.parametrize("largest", [0.5, 2.0])
def test_an_answer_without_bounds_counts_only_if_it_is_within_them(
    largest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether bounds are far is a guess; the certificate of the program with them decides."""
    loose = np.abs(Automatic().solve(apart(np.inf)).point).max()
    stated = apart(loose / largest)
    monkeypatch.setattr(relay, "without_far_bounds", lambda program, _: apart(np.inf) if program is stated else None)
    outcome = Automatic().solve(stated)
    assert proved(stated, outcome)
    assert (np.abs(outcome.point).max() == stated.upper.max()) == (largest > 1.0)


def test_limits_count_what_was_done_without_bounds() -> None:
    outcome = Automatic().solve(apart(1e14), max_iter=2)
    assert outcome.claim is Claim.STOPPED
    assert outcome.iterations == 2


def test_without_limits_nothing_is_ever_spent() -> None:
    shared = Budget(None, None)
    shared.spend(10**9)
    assert not shared.is_spent
    assert shared.iterations_left is None
    assert shared.seconds_left is None


def test_iterations_are_counted_where_they_are_told() -> None:
    shared = Budget(100, None)
    shared.spend(60)
    shared.spend(None)
    assert (shared.iterations, shared.iterations_left, shared.is_spent) == (60, 40, False)
    shared.spend(50)
    assert (shared.iterations, shared.iterations_left, shared.is_spent) == (110, 1, True)


def test_seconds_run_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(relay, "perf_counter", lambda: now[0])
    shared = Budget(None, 5.0, begun=100.0)
    assert (shared.seconds_left, shared.is_spent) == (5.0, False)
    now[0] = 103.0
    assert (shared.seconds, shared.seconds_left) == (3.0, 2.0)
    now[0] = 105.0
    assert shared.is_spent
    assert 0 < (shared.seconds_left or 0) < 0.01


def system(m: int, ridge: float = 0.1, kernel: Kernel | None = None, memory: float = 2**32) -> LinearSystem:
    X = np.random.default_rng(m).normal(size=(m, 3))
    gram = Gram(RBF(0.1) if kernel is None else kernel, X, memory)
    return LinearSystem(RidgedGram(gram, np.full(m, ridge)), np.sin(X[:, 0]) + X[:, 1], name="ridge")


def solved(program: LinearSystem, **options: object) -> Outcome:
    backend = AutomaticSystem()
    backend.prepare(program)
    outcome = backend.solve(program, **options)
    assert outcome.claim is Claim.OPTIMAL
    assert program.residual(outcome.point, 0.0) <= 1e-3
    return outcome


@pytest.mark.parametrize(
    ("program", "solver"),
    [
        (system(300), "linear"),
        (system(500, kernel=Linear()), "conjugate-gradient"),
        (system(2100), "conjugate-gradient"),
        (system(300, memory=1e5), "conjugate-gradient"),
        (LinearSystem(np.diag([1.0, 2.0]), np.ones(2)), "linear"),
    ],
    ids=["small", "few features", "large", "beyond memory", "dense"],
)
def test_the_structure_chooses(program: LinearSystem, solver: str) -> None:
    assert solved(program).solver == solver


def test_it_factors_where_too_many_iterations_are_expected() -> None:
    outcome = solved(system(2100, 1e-8, RBF(9.0)))
    assert (outcome.solver, outcome.iterations) == ("linear", None)
    assert outcome.message.startswith("conjugate-gradient: gave up, since about ")
    assert "; then linear: Cholesky, relative residual " in outcome.message


def test_a_limit_of_iterations_ends_it() -> None:
    outcome = AutomaticSystem().solve(system(2100, 0.01, RBF(1.0)), tol=1e-10, max_iter=2)
    assert (outcome.claim, outcome.solver, outcome.iterations) == (Claim.STOPPED, "conjugate-gradient", 2)


def test_a_factorisation_has_no_start() -> None:
    with pytest.raises(UnsupportedOptionError, match="solver 'linear' has no warm_start"):
        AutomaticSystem().solve(system(300), warm_start=np.zeros(300))
    assert solved(system(2100), warm_start=np.zeros(2100)).solver == "conjugate-gradient"
