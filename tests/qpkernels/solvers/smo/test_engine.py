# SPDX-License-Identifier: BSD-3-Clause
"""The engine: known optima, tiny problems by brute force, difficult data."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import SEEDS, every_family, manufacture, two_classes
from qpkernels import RBF, Gram, Linear, Precomputed
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.problems.kernel_qp.program import diverges
from qpkernels.solvers import Claim
from qpkernels.solvers.smo.descent import minimise
from qpkernels.solvers.smo.iterate import Iterate
from smo_problems import intercept, soft, solve
from together import together


@every_family
@together("seed", range(4))
def test_the_known_optimum_is_found(name: str, seed: int) -> None:
    made = manufacture(name, seed, m=30)
    outcome = solve(made.program, tol=1e-12)
    assert (outcome.claim, outcome.solver) == (Claim.OPTIMAL, "smo")
    assert outcome.multipliers.size == (made.program.total is not None)
    np.testing.assert_allclose(outcome.point, made.beta, atol=1e-10 * np.abs(made.beta).max())
    assert made.program.objective(outcome.point) == pytest.approx(made.optimum, rel=1e-12)
    assert intercept(outcome) == pytest.approx(made.intercept, abs=1e-10)
    assert certify_kernel_qp(made.program, outcome.point, intercept(outcome)).holds(1e-12)
    at_end = (made.beta == made.program.lower) | (made.beta == made.program.upper)
    np.testing.assert_array_equal(outcome.point[at_end], made.beta[at_end])


@every_family
@given(seed=SEEDS, spread=st.sampled_from([0.0, 1e-3, 1.0, 100.0]))
def test_any_start_leads_to_the_same_optimum(name: str, seed: int, spread: float) -> None:
    made = manufacture(name)
    start = spread * np.random.default_rng(seed).normal(size=len(made.program))
    outcome = solve(made.program, tol=1e-11, warm_start=start)
    assert outcome.claim is Claim.OPTIMAL
    np.testing.assert_allclose(outcome.point, made.beta, atol=1e-8 * np.abs(made.beta).max())


@every_family
def test_a_start_at_the_optimum_takes_no_step(name: str) -> None:
    made = manufacture(name)
    outcome = solve(made.program, tol=1e-9, warm_start=made.beta)
    assert outcome.claim is Claim.OPTIMAL
    assert outcome.iterations <= 2
    np.testing.assert_allclose(outcome.point, made.beta, atol=1e-12)


@pytest.mark.parametrize("shift", [0.5, 1.0, 3.0, 6.0])
def test_two_points_in_closed_form(shift: float) -> None:
    # beta = (a, -a) with a^2 (1 - k) - 2 a least at a = 1 / (1 - k), k = exp(-|x - z|^2).
    k = np.exp(-(shift**2))
    program = soft(np.array([[0.0], [shift]]), np.array([1.0, -1.0]), np.inf)
    outcome = solve(program, tol=1e-14)
    np.testing.assert_allclose(outcome.point, np.array([1.0, -1.0]) / (1 - k), rtol=1e-14)
    assert program.objective(outcome.point) == pytest.approx(-1.0 / (1.0 - k), rel=1e-14)
    assert intercept(outcome) == pytest.approx(0.0, abs=1e-14)


def test_two_points_of_a_soft_margin_in_closed_form() -> None:
    # gamma |x - z|^2 = 4 and C large; with a ridge of 2 e^-4 the least value is -1 / (1 + e^-4) exactly.
    ridge = 2 * np.exp(-4.0)
    program = KernelQP(Gram(RBF(1.0), [[0.0], [2.0]]), [1.0, -1.0], [0, -9], [9, 0], 0.0, 0.0, ridge)
    assert program.objective(solve(program, tol=1e-14).point) == pytest.approx(-1 / (1 + np.exp(-4.0)), rel=1e-14)
    unbiased = KernelQP(Gram(RBF(1.0), [[0.0], [2.0]]), [1.0, 1.0], 0.0, 9.0, None)
    outcome = solve(unbiased, tol=1e-14)
    assert unbiased.objective(outcome.point) == pytest.approx(-1 / (1 + np.exp(-4.0)), rel=1e-14)
    np.testing.assert_allclose(outcome.point, 1 / (1 + np.exp(-4.0)), rtol=1e-13)


def least_by_brute_force(program: KernelQP) -> float:
    """Try every combination of ends, kinks and signs; on each face solve the equations, keep the feasible minimum."""
    m, best = len(program), np.inf
    H = program.gram.dense + np.diag(program.ridge)
    for state in product(("lower", "zero", "upper", "plus", "minus"), repeat=m):
        beta = np.array(
            [{"lower": program.lower[k], "upper": program.upper[k]}.get(state[k], 0.0) for k in range(m)], float
        )
        if not np.isfinite(beta).all():
            continue
        free = np.array([s in ("plus", "minus") for s in state])
        sign = np.array([1.0 if s == "plus" else -1.0 for s in state])
        q = program.epsilon * sign - program.target + H @ np.where(free, 0.0, beta)
        n = int(free.sum())
        if n and program.total is not None:
            system = np.block([[H[np.ix_(free, free)], np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
            right = np.append(-q[free], program.total - beta[~free].sum())
            beta[free] = np.linalg.lstsq(system, right)[0][:n]
        elif n:
            beta[free] = np.linalg.lstsq(H[np.ix_(free, free)], -q[free])[0]
        within = (beta >= program.lower - 1e-9).all() and (beta <= program.upper + 1e-9).all()
        if within and (program.total is None or abs(beta.sum() - program.total) <= 1e-9):
            best = min(best, 0.5 * beta @ H @ beta - program.target @ beta + program.epsilon @ abs(beta))
    return float(best)


@given(
    m=st.integers(1, 3),
    seed=SEEDS,
    epsilon=st.sampled_from([0.0, 0.2]),
    ridge=st.sampled_from([0.0, 0.5]),
    total=st.sampled_from([None, 0.0, 0.25]),
)
def test_tiny_problems_by_brute_force(m: int, seed: int, epsilon: float, ridge: float, total: float | None) -> None:
    rng = np.random.default_rng(seed)
    lower = -rng.uniform(0, 1, m) * rng.choice([0, 1], m)
    upper = rng.uniform(0.3, 1, m)
    gram = Gram(RBF(0.5), rng.normal(size=(m, 2)))
    program = KernelQP(gram, 2 * rng.normal(size=m), lower, upper, total, epsilon, ridge)
    outcome = solve(program, tol=1e-12)
    assert program.objective(outcome.point) == pytest.approx(least_by_brute_force(program), abs=1e-9)


def test_progress_is_reported_and_never_gets_worse() -> None:
    X, y = two_classes(300, shift=0.3)
    seen: list[Iterate] = []
    final = minimise(soft(X, y, 1.0), 1e-10, 10**6, report=seen.append)
    assert seen[-1] is final
    assert final.proves(1e-10)
    assert len(seen) >= 2
    assert [iterate.iterations for iterate in seen] == sorted(iterate.iterations for iterate in seen)
    dual_values = [iterate.gap.dual_value for iterate in seen]
    assert all(later >= earlier - 1e-10 for earlier, later in pairwise(dual_values))


@pytest.mark.parametrize("total", [0.0, None])
def test_duplicated_samples(total: float | None) -> None:
    X, y = two_classes(20, shift=0.5)
    once, thrice = soft(X, y, 3.0, total=total), soft(np.tile(X, (3, 1)), np.tile(y, 3), 1.0, total=total)
    single, triple = solve(once, tol=1e-11), solve(thrice, tol=1e-11)
    assert triple.claim is Claim.OPTIMAL
    assert thrice.objective(triple.point) == pytest.approx(once.objective(single.point), rel=1e-10)
    np.testing.assert_allclose(triple.point.reshape(3, 20).sum(axis=0), single.point, atol=1e-4)


def test_equal_samples_with_opposite_labels_pay_their_loss() -> None:
    X, y = np.zeros((6, 1)), np.array([1.0, -1, 1, -1, 1, -1])
    program = soft(X, y, 2.0)
    outcome = solve(program, tol=1e-10)
    assert outcome.claim is Claim.OPTIMAL
    np.testing.assert_allclose(outcome.point, 2.0 * y, rtol=1e-14)
    assert program.objective(outcome.point) == pytest.approx(-12.0, rel=1e-14)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [0.0]], [1.0, -1.0]),
        ([[0.0], [1.0], [2.0]], [1.0, -1.0, 1.0]),
        ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [1.0, 1.0, -1.0, -1.0]),
        ([[0.0], [0.0], [5.0]], [1.0, -1.0, 1.0]),
    ],
    ids=["same point", "between", "exclusive or", "same point and another"],
)
def test_an_inseparable_hard_margin_is_called_unbounded(X: list[list[float]], y: list[float]) -> None:
    outcome = solve(soft(np.array(X), np.array(y), np.inf, Linear()), tol=1e-8)
    assert outcome.claim is Claim.UNBOUNDED
    direction = outcome.point / np.abs(outcome.point).sum()
    assert direction.sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(direction @ np.array(X), 0.0, atol=1e-5)
    assert direction @ np.array(y) == pytest.approx(1.0, rel=1e-12)


def test_a_coefficient_that_leaves_the_sum_is_no_direction_of_decrease() -> None:
    # The last sample is the origin: its coefficient moves no f, but only with the others is the sum 0.
    gram, beta = Gram(Linear(), [[1.0], [2.0], [0.0]]), np.array([-1.0, -0.5, 1.5])
    bounds = [-1.0, -1.0, 0.0], [1.0, 1.0, np.inf]
    assert not diverges(KernelQP(gram, [0.0, 1.0, 5.0], *bounds), beta)
    assert diverges(KernelQP(gram, [0.0, 1.0, 5.0], *bounds, total=None), beta)


@pytest.mark.parametrize("margin", [1.0, 1e-2, 1e-4])
def test_a_separable_hard_margin_is_solved_however_narrow(margin: float) -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, margin], [1.0, margin]])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    program = soft(X, y, np.inf, Linear())
    outcome = solve(program, tol=1e-8)
    assert outcome.claim is Claim.OPTIMAL
    # w = -2 / margin in the second direction, ||w||^2 / 2 = 2 / margin^2.
    assert program.objective(outcome.point) == pytest.approx(-2 / margin**2, rel=1e-7)
    assert intercept(outcome) == pytest.approx(1.0, rel=1e-6)


def test_a_singular_kernel_matrix() -> None:
    K = np.ones((6, 6))
    y = np.array([1.0, 1, 1, 1, -1, -1])
    program = KernelQP(Gram(Precomputed(K), np.arange(6)), y, np.where(y > 0, 0, -1.0), np.where(y > 0, 1.0, 0))
    outcome = solve(program, tol=1e-10)
    assert outcome.claim is Claim.OPTIMAL
    assert program.objective(outcome.point) == pytest.approx(-4.0, rel=1e-12)


@pytest.mark.parametrize("total", [0.0, None])
def test_a_box_that_is_one_point(total: float | None) -> None:
    program = KernelQP(Gram(RBF(1.0), np.arange(3.0)[:, None]), [1.0, -1.0, 1.0], 0.0, 0.0, total)
    outcome = solve(program)
    assert outcome.claim is Claim.OPTIMAL
    np.testing.assert_array_equal(outcome.point, 0.0)
    assert np.isfinite(outcome.multipliers).all()


def test_one_sample() -> None:
    program = KernelQP(Gram(RBF(1.0), [[3.0]]), 2.0, 0.0, 5.0, None)
    np.testing.assert_allclose(solve(program).point, [2.0], rtol=1e-14)
    only = KernelQP(Gram(RBF(1.0), [[3.0]]), 2.0, 0.0, 5.0, 1.0)
    np.testing.assert_allclose(solve(only).point, [1.0], rtol=1e-14)


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_units_do_not_matter(unit: float) -> None:
    X, _ = two_classes(30, shift=0.4)
    program = KernelQP(Gram(RBF(0.5), X), unit * X[:, 0], -unit, unit, epsilon=0.1 * unit)
    plain = KernelQP(Gram(RBF(0.5), X), X[:, 0], -1.0, 1.0, epsilon=0.1)
    scaled, reference = solve(program, tol=1e-11), solve(plain, tol=1e-11)
    assert scaled.claim is Claim.OPTIMAL
    np.testing.assert_allclose(scaled.point / unit, reference.point, atol=1e-5)
    assert program.objective(scaled.point) == pytest.approx(unit**2 * plain.objective(reference.point), rel=1e-9)
