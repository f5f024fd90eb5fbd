# SPDX-License-Identifier: BSD-3-Clause
"""The interior-point method: its optima, its limits, and the data that are hard on it."""

from typing import Any

import numpy as np
import pytest

from builders import FAMILIES, every_family, manufacture, two_classes
from qpkernels import RBF, Gram, Linear, Polynomial
from qpkernels.errors import IndefiniteKernelError, ShapeError, UnsupportedOptionError
from qpkernels.kernels import Precomputed
from qpkernels.problems import Certificate, KernelQP, certify_kernel_qp
from qpkernels.solvers import Claim, Outcome, find_solver
from qpkernels.solvers.interior_point.path import CentralPath, boxes_of
from qpkernels.solvers.newton_systems import DenseSystem, FeatureSystem, NewtonSystem, newton_system
from smo_problems import intercept, soft_margin
from together import together


def solve(program: KernelQP, **options: Any) -> Outcome:
    return find_solver("interior-point").solve(program, **options)


def certificate(program: KernelQP, outcome: Outcome) -> Certificate:
    return certify_kernel_qp(program, outcome.point, intercept(outcome))


def assert_proved(program: KernelQP, tol: float = 1e-9, **options: Any) -> Outcome:
    outcome = solve(program, tol=tol, **options)
    assert outcome.claim is Claim.OPTIMAL, outcome.message
    assert certificate(program, outcome).holds(tol)
    return outcome


def hard_margin(gram: Gram, y: np.ndarray, total: float | None = 0.0) -> KernelQP:
    return soft_margin(gram, y, np.inf, total)


# --- optima that are known ---


@every_family
@together("seed", range(2))
def test_manufactured_optima_are_met_to_the_last_digits(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    outcome = assert_proved(made.program, 1e-10)
    np.testing.assert_allclose(outcome.point, made.beta, atol=1e-7)
    assert intercept(outcome) == pytest.approx(made.intercept, abs=1e-7)
    assert made.program.objective(outcome.point) == pytest.approx(made.optimum, rel=1e-10)
    np.testing.assert_array_equal(outcome.values, made.program.gram.product(outcome.point))


@every_family
def test_coefficients_are_at_their_bounds_exactly(name: str) -> None:
    made = manufacture(name, 5, m=40)
    program, beta = made.program, assert_proved(made.program).point
    for place in (program.lower, np.zeros(len(program)), program.upper):
        there = made.beta == place
        np.testing.assert_array_equal(beta[there], place[there])
    if program.total is not None:
        assert beta.sum() == pytest.approx(program.total, abs=1e-14 * np.abs(beta).sum())


@pytest.mark.parametrize("distance", [1e-8, 1.0, 1e8])
def test_the_margin_of_two_samples_has_a_closed_form(distance: float) -> None:
    program = hard_margin(Gram(Linear(), np.array([[0.0], [distance]])), np.array([-1.0, 1.0]))
    outcome = assert_proved(program)
    np.testing.assert_allclose(outcome.point, [-2.0 / distance**2, 2.0 / distance**2], rtol=1e-12)
    assert intercept(outcome) == pytest.approx(-1.0)


def test_targets_that_all_coefficients_reach_are_interpolated() -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    gram, target = Gram(RBF(1.0), X), np.sin(X[:, 0])
    outcome = assert_proved(KernelQP(gram, target, -np.inf, np.inf, total=None))
    np.testing.assert_allclose(outcome.point, np.linalg.solve(gram.dense, target), rtol=1e-6)


def test_what_cannot_move_is_left_out() -> None:
    X, y = two_classes(40, seed=2, shift=0.5)
    box = np.where(np.arange(40) < 30, 2.0, 0.0)
    whole = KernelQP(Gram(RBF(0.5), X), y, np.where(y > 0, 0.0, -box), np.where(y > 0, box, 0.0))
    part = soft_margin(Gram(RBF(0.5), X[:30]), y[:30], 2.0)
    outcome = assert_proved(whole)
    np.testing.assert_allclose(outcome.point[:30], solve(part, tol=1e-9).point, atol=1e-9)
    np.testing.assert_array_equal(outcome.point[30:], 0.0)
    np.testing.assert_array_equal(outcome.values, whole.gram.product(outcome.point))
    fixed = KernelQP(whole.gram, y, 0.0, 0.0, total=None)
    np.testing.assert_array_equal(solve(fixed).point, 0.0)


@pytest.mark.parametrize("family", FAMILIES)
def test_clarabel_finds_the_same_optimum(family: str) -> None:
    program = manufacture(family, 11, m=30).program
    matrices = program.to_cone_program()
    other = find_solver("clarabel").solve(matrices, tol=1e-8).point
    value = 0.5 * other @ (matrices.P @ other) + matrices.q @ other
    assert program.objective(assert_proved(program).point) == pytest.approx(value, rel=1e-6, abs=1e-8)


# --- data that are hard on it ---


def tilted(m: int, features: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return samples whose class is the side of a plane, but for noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, features))
    return X, np.where(X @ rng.normal(size=features) + noise * rng.normal(size=m) > 0, 1.0, -1.0)


@together("C", [1e-3, 1.0, 1e4, 1e6, np.inf])
@together("total", [0.0, None])
def test_any_cost(C: float, total: float | None) -> None:
    X, y = tilted(300, 4, 0.0 if np.isinf(C) else 0.5)
    assert_proved(soft_margin(Gram(Linear(), X), y, C, total), 1e-8)


def test_many_samples_of_few_features_need_no_matrix() -> None:
    X, y = tilted(20_000, 10, 1.0)
    gram = Gram(Linear(), X, memory_limit=0)
    assert_proved(soft_margin(gram, y, 1.0))
    assert not gram.is_formed


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("offset", [0.0, 10.0])
def test_units_and_offsets_of_samples_cost_no_digits(unit: float, offset: float) -> None:
    X, y = tilted(200, 4, 0.3)
    plain = assert_proved(soft_margin(Gram(Linear(), X), y, 1.0))
    scaled = assert_proved(soft_margin(Gram(Linear(), unit * (X + offset)), y, 1.0 / unit**2))
    np.testing.assert_allclose(unit**2 * scaled.point, plain.point, atol=1e-7)


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_features_in_different_units(C: float) -> None:
    X, y = tilted(150, 6, 0.3)
    assert_proved(soft_margin(Gram(Linear(), X * 10.0 ** np.arange(-3, 3)), y, C), 1e-6)


DEGENERATE = {
    "equal samples": lambda X: np.repeat(X[::4], 4, axis=0)[: len(X)],
    "a constant feature": lambda X: np.column_stack([X, np.full(len(X), 3.0)]),
    "a feature twice": lambda X: np.column_stack([X, X[:, 0]]),
    "rank 1": lambda X: X[:, :1] * np.ones(3),
    "features 0": lambda X: np.column_stack([X, np.zeros((len(X), 2))]),
}


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Polynomial(2, 1.0, 1.0)], ids=repr)
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_samples(name: str, kernel: Any) -> None:
    X, y = tilted(80, 3, 0.4)
    for C, tol in ((0.1, 1e-9), (1e4, 1e-8)):
        assert_proved(soft_margin(Gram(kernel, DEGENERATE[name](X)), y, C), tol)
    t = X[:, 0] + 0.1 * y
    assert_proved(KernelQP(Gram(kernel, DEGENERATE[name](X)), t, -10.0, 10.0, epsilon=0.1), 1e-8)


def test_a_single_sample_and_a_single_class() -> None:
    assert_proved(KernelQP(Gram(Linear(), [[2.0]]), 1.0, 0.0, 0.1, total=None))
    X = np.random.default_rng(1).normal(size=(20, 2))
    assert_proved(KernelQP(Gram(RBF(1.0), X), 0.0, 0.0, 0.1, total=1.0))


# --- what it says when there is no optimum, or no more time ---


@pytest.mark.parametrize("total", [0.0, None])
def test_classes_that_no_plane_separates_are_reported(total: float | None) -> None:
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    outcome = solve(hard_margin(Gram(Linear(), X), np.array([1.0, -1.0, 1.0, -1.0]), total))
    assert outcome.claim is Claim.UNBOUNDED
    assert "unbounded below" in outcome.message
    x, y = two_classes(60, shift=0.2)
    assert solve(hard_margin(Gram(Linear(), x), y, total)).claim is Claim.UNBOUNDED


def test_limits_return_the_best_so_far() -> None:
    X, y = tilted(100, 5, 0.5)
    program = soft_margin(Gram(Linear(), X), y, 100.0)
    first, late = solve(program, tol=1e-9, max_iter=1), solve(program, tol=1e-9, time_limit=1e-9)
    assert (first.claim, first.iterations) == (late.claim, late.iterations) == (Claim.STOPPED, 1)
    assert first.message.startswith("limit of iterations; relative gap ")
    assert late.message.startswith("limit of time; relative gap ")
    assert certificate(program, first).dual_residual <= 1e-12
    least = program.objective(solve(program, tol=1e-9).point)
    assert least < program.objective(first.point)


def test_an_interruption_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = two_classes(60, shift=0.2)
    advance, steps = CentralPath.advance, []

    def interrupted(path: CentralPath) -> float:
        steps.append(path)
        if len(steps) == 4:
            raise KeyboardInterrupt
        return advance(path)

    monkeypatch.setattr(CentralPath, "advance", interrupted)
    program = soft_margin(Gram(RBF(0.5), X), y, 10.0)
    outcome = solve(program, tol=1e-13)
    assert (outcome.claim, outcome.iterations) == (Claim.INTERRUPTED, 4)
    assert outcome.message.startswith("interrupted; relative gap ")
    assert certificate(program, outcome).holds(0.1)


@pytest.mark.parametrize("epsilon", [0.0, 2.0])
def test_an_objective_of_0_is_divided_by_nothing(epsilon: float) -> None:
    # The objective is 0 at every beta = (s, -s): all samples are one, with one target.
    program = KernelQP(Gram(Linear(), np.ones((4, 1))), np.ones(4), -1.0, 1.0, 0.0, epsilon)
    assert certificate(program, solve(program)).holds(1e-6)


def test_an_accuracy_beyond_float64_is_not_claimed() -> None:
    X, y = tilted(60, 5, 0.5)
    program = soft_margin(Gram(Linear(), X), y, 10.0)
    outcome = solve(program, tol=1e-25)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith("no step improves in float64; relative gap ")
    assert certificate(program, outcome).holds(1e-11)


@every_family
def test_its_own_answer_is_proved_without_a_step(name: str) -> None:
    program = manufacture(name, 2).program
    best = assert_proved(program)
    assert assert_proved(program, warm_start=best.point).iterations == 0
    rough = find_solver("smo").solve(program, tol=1e-3).point
    again = assert_proved(program, warm_start=rough)
    np.testing.assert_allclose(again.point, best.point, atol=1e-7)


def test_progress_is_logged_when_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    X, y = two_classes(20)
    program = soft_margin(Gram(RBF(1.0), X), y, 1.0)
    caplog.set_level("INFO", "qpkernels")
    solve(program, verbose=True)
    assert caplog.messages[0].startswith("interior-point:   1, step ")
    caplog.clear()
    solve(program)
    assert caplog.messages == []


def test_bad_options_and_starts_are_refused() -> None:
    X, y = two_classes(4)
    program = soft_margin(Gram(RBF(1.0), X), y, 1.0)
    with pytest.raises(
        UnsupportedOptionError, match="solver 'interior-point' has no option 'barrier'; it has max_iter, "
    ):
        solve(program, barrier=1.0)
    with pytest.raises(ShapeError, match="warm_start must have 4 entries"):
        solve(program, warm_start=np.zeros(3))
    program = KernelQP(Gram(Precomputed([[0.0, 2.0], [2.0, 0.0]]), np.arange(2)), 1.0, 0.0, 1.0, total=None)
    with pytest.raises(IndefiniteKernelError, match="smallest eigenvalue is -2 "):
        solve(program)


# --- its parts ---


def both_systems(bordered: bool) -> list[NewtonSystem]:
    Z = np.random.default_rng(3).normal(size=(30, 4)) + 2.0
    return [FeatureSystem(Z, bordered), DenseSystem(Z @ Z.T, bordered)]


@pytest.mark.parametrize("bordered", [False, True])
def test_the_newton_system_is_solved(bordered: bool) -> None:
    rng = np.random.default_rng(4)
    weights, s = 10.0 ** rng.uniform(-8, 8, 30), 0.7 if bordered else 0.0
    q = weights * rng.normal(size=30)
    for system in both_systems(bordered):
        system.factor(weights)
        lag = system.expand(rng.normal(size=30))
        change, c = system.solve(q, s, lag)
        h = system.at_samples(change) + c
        d = q - weights * h
        own = system.at_samples(system.expand(d) + lag) + c
        # d is a difference, which K multiplies.
        lost = 1e-14 * np.sqrt(30.0) * np.abs(q).sum()
        np.testing.assert_allclose(own, h, atol=30 * lost)
        assert not bordered or d.sum() == pytest.approx(s, abs=lost)
        assert bordered or c == 0.0


@pytest.mark.parametrize("bordered", [False, True])
def test_both_systems_are_one(bordered: bool) -> None:
    beta = np.random.default_rng(5).normal(size=30)
    few, dense = both_systems(bordered)
    assert few.unit == pytest.approx(dense.unit)
    np.testing.assert_allclose(few.at_samples(few.expand(beta)), dense.expand(beta), atol=1e-11)
    np.testing.assert_allclose(few.offset, dense.offset, atol=1e-12)
    rows = np.array([3, 7, 20])
    for system in (few, dense):
        whole, part = system.expand(beta), system.part(rows)
        np.testing.assert_allclose(
            part.at_samples(system.restricted(whole, rows)), system.at_samples(whole)[rows], atol=1e-13
        )
        before = system.at_samples(system.expand(beta)) * system.unit
        system.rescale(100.0)
        np.testing.assert_allclose(system.at_samples(system.expand(beta)) * system.unit, before, atol=1e-11)


def test_the_cheaper_system_is_chosen() -> None:
    X = np.random.default_rng(6).normal(size=(120, 3))
    assert isinstance(newton_system(Gram(Linear(), X), bordered=True), FeatureSystem)
    assert isinstance(newton_system(Gram(Polynomial(2, 1.0, 1.0), X), bordered=True), FeatureSystem)
    assert isinstance(newton_system(Gram(RBF(1.0), X), bordered=True), DenseSystem)
    assert isinstance(newton_system(Gram(Linear(), X.T), bordered=True), DenseSystem)
    assert isinstance(newton_system(Gram(Polynomial(2, 1.0, 1.0), X[:60]), bordered=True), DenseSystem)


@every_family
def test_boxes_state_the_same_problem(name: str) -> None:
    made = manufacture(name, 1, m=20)
    system = newton_system(made.program.gram, made.program.total is not None)
    boxes, _ = boxes_of(made.program, system)
    x = boxes.split(made.beta / boxes.coefficient)
    np.testing.assert_array_equal(boxes.coefficient * boxes.fold(x), made.beta)
    values = system.at_samples(system.expand(boxes.fold(x)))
    objective = 0.5 * boxes.fold(x) @ values + 0.5 * boxes.ridge @ x**2 - boxes.goal @ x
    if made.program.total in (None, 0.0):
        assert boxes.value * boxes.coefficient * objective == pytest.approx(made.optimum, rel=1e-10)
    slope = boxes.spread(values + made.intercept / boxes.value) + boxes.ridge * x - boxes.goal
    inside = (x > boxes.lower) & (x < boxes.upper)
    assert np.ptp(slope[inside]) <= 1e-12
