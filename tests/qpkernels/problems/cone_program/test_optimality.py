# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs: optima by hand pass in any units, false answers fail."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import KNOWN_OPTIMA, SEEDS, cone_program, every_family, manufacture
from qpkernels.errors import NonconvexError
from qpkernels.problems import Nonnegative, SecondOrder, Zero, certify_cone_program
from qpkernels.solvers.repair import repair

every_optimum = pytest.mark.parametrize("known", KNOWN_OPTIMA.values(), ids=KNOWN_OPTIMA)


@every_optimum
def test_optima_by_hand_are_certified(known: Any) -> None:
    certificate = certify_cone_program(known.program, known.x, known.z)
    # The bound of rounding errors counts in the gap.
    assert certificate.holds(1e-13), certificate
    assert certificate.primal_value == pytest.approx(known.value, rel=1e-14)
    assert certificate.dual_value == pytest.approx(known.value, rel=1e-14)


@every_optimum
def test_perturbed_optima_are_refused(known: Any) -> None:
    for k in range(known.x.size):
        for step in (0.01, -0.01):
            x = known.x.copy()
            x[k] += step
            assert not certify_cone_program(known.program, x, known.z).holds(1e-6)
    for k in range(known.z.size):
        for step in (0.01, -0.01):
            z = known.z.copy()
            z[k] += step
            assert not certify_cone_program(known.program, known.x, z).holds(1e-6), k
    for x, z in ((known.x, -known.z), (-known.x, known.z), (known.x, 0 * known.z), (0 * known.x, 0 * known.z)):
        assert not certify_cone_program(known.program, x, z).holds(1e-6)
    for bad in (np.nan, np.inf):
        assert not certify_cone_program(known.program, known.x + bad, known.z).holds(np.inf)
        assert not certify_cone_program(known.program, known.x, known.z + bad).holds(np.inf)


def test_a_wrong_sign_is_refused_although_all_else_is_right() -> None:
    # min |x|^2 / 2 s.t. x1 <= 1: at x = (1, 0), z = -1 the point is feasible, Px + q + A'z = 0, and there is no gap.
    program = cone_program(np.eye(2), [0, 0], [[1, 0]], [1], [Nonnegative(1)])
    x, z = np.array([1.0, 0.0]), np.array([-1.0])
    certificate = certify_cone_program(program, x, z)
    np.testing.assert_array_equal(program.P @ x + program.q + program.A.T @ z, 0)
    assert certificate.primal_residual == 0
    assert certificate.dual_residual >= 1.0
    assert not certificate.holds(1e-6)
    assert certify_cone_program(program, np.zeros(2), np.zeros(1)).holds(0.0)


@given(seed=SEEDS, units=st.tuples(*[st.integers(-6, 6)] * 3), quadratic=st.booleans())
def test_certificates_do_not_depend_on_units(seed: int, units: tuple[int, int, int], quadratic: bool) -> None:
    rng = np.random.default_rng(seed)
    n, k = 4, 8
    A, x, active = rng.normal(size=(k, n)), rng.normal(size=n), rng.permutation(k) < n
    s, z = np.where(active, 0.0, rng.uniform(0.2, 1, k)), np.where(active, rng.uniform(0.2, 1, k), 0.0)
    B = quadratic * rng.normal(size=(n, n))
    b, q = A @ x + s, -(B @ B.T @ x + A.T @ z)
    of_x, of_row, of_value = (10.0**unit for unit in units)
    program = cone_program(
        of_value / of_x**2 * B @ B.T, of_value / of_x * q, of_row / of_x * A, of_row * b, [Nonnegative(k)]
    )
    assert certify_cone_program(program, of_x * x, of_value / of_row * z).holds(1e-10)
    for step in (1e-3, -1e-3):
        for i in range(n):
            moved = x + step * (np.arange(n) == i)
            assert not certify_cone_program(program, of_x * moved, of_value / of_row * z).holds(1e-6)
        for i in range(k):
            moved = z + step * (np.arange(k) == i)
            assert not certify_cone_program(program, of_x * x, of_value / of_row * moved).holds(1e-6)


def test_a_large_row_hides_no_violation() -> None:
    # 1e9 x1 = 1e9 and x2 = 5 in one cone, at x = (1, 0).
    program = cone_program(np.diag([0, 1]), [1, 0], [[1e9, 0], [0, 1]], [1e9, 5], [Zero(2)])
    assert not certify_cone_program(program, np.array([1.0, 0.0]), np.array([-1e-9, 0.0])).holds(1e-6)
    # The same with a hard margin whose samples are all violated at w = 0.
    program = cone_program([[1]], [0], [[-1], [-2], [1e9]], [-1, -1, 1e9], [Nonnegative(3)])
    assert not certify_cone_program(program, np.zeros(1), np.zeros(3)).holds(1e-6)


def test_a_small_bound_on_a_variable_with_a_cost_is_no_excuse() -> None:
    # min x1 + x2 s.t. x2 >= 1, x1 <= 1e-9 is unbounded below along x1.
    program = cone_program(np.zeros((2, 2)), [1, 1], [[0, -1], [1, 0]], [-1, 1e-9], [Nonnegative(2)])
    for z in ((1.0, 0.0), (1.0, -1.0)):
        assert not certify_cone_program(program, np.array([0.0, 1.0]), np.array(z)).holds(1e-6)


def test_gaps_that_cancel_are_refused() -> None:
    # max x1 + x2 s.t. x1 <= 1, x2 <= 1 at x = (0, 2): the products s_i z_i are 1 and -1, and their sum is 0.
    program = cone_program(np.zeros((2, 2)), [-1, -1], np.eye(2), [1, 1], [Nonnegative(2)])
    certificate = certify_cone_program(program, np.array([0.0, 2.0]), np.ones(2))
    assert certificate.primal_value == certificate.dual_value
    assert min(certificate.relative_gap, certificate.complementarity) > 0.1
    assert not certificate.holds(1e-6)


def test_the_worst_place_is_named() -> None:
    known = KNOWN_OPTIMA["LP: min -x1 - 2 x2 s.t. x1 + x2 <= 4, x1 <= 3, x2 <= 2, x >= 0"]
    z = known.z.copy()
    z[1] += 1.0
    assert certify_cone_program(known.program, known.x, z).worst.startswith("the slope of entry 0 of 'x' is off")
    below = known.x - np.array([0.0, 1.0])
    assert certify_cone_program(known.program, below, known.z).worst.startswith("row 0 of 'rows 0' adds 1.0e+00 to")
    idle = cone_program([[0.0]], [0.0], [[-1.0]], [-1.0], [Nonnegative(1)])
    assert certify_cone_program(idle, np.zeros(1), np.zeros(1)).worst.startswith("row 0 of 'rows 0' is outside of its")


@every_family
def test_both_certificates_agree_on_the_optimum(name: str) -> None:
    made = manufacture(name)
    program, matrices = made.program, made.program.to_cone_program()
    x = np.concatenate([np.maximum(made.beta, 0), np.maximum(-made.beta, 0)]) if program.epsilon.any() else made.beta
    decision = program.gram.dense @ made.beta + made.intercept
    slope = decision + program.ridge * made.beta - program.target
    z = np.zeros(matrices.b.size)
    blocks = {block.name: block.range for block in matrices.rows}
    if "balance" in blocks:
        z[blocks["balance"]] = made.intercept
    rising, falling = np.maximum(-slope - program.epsilon, 0.0), np.maximum(slope - program.epsilon, 0.0)
    z[blocks["upper"]] = rising[np.isfinite(program.upper)]
    z[blocks["lower"]] = falling[np.isfinite(program.lower)]
    if "split" in blocks:
        z[blocks["split"]] = np.concatenate([program.epsilon + slope + rising, program.epsilon - slope + falling])
    certificate = certify_cone_program(matrices, x, z)
    assert certificate.holds(1e-12), certificate
    assert certificate.primal_value == pytest.approx(made.optimum, rel=1e-11)


def test_a_column_that_only_rounding_touches_refuses_nothing() -> None:
    # min x1^2 / 2 - x1 s.t. x1 <= 3, x2 >= 0: nothing but the multiplier of its own slack row enters the column of x2.
    program = cone_program(np.diag([1, 0]), [-1, 0], [[1, 0], [0, -1]], [3, 0], [Nonnegative(2)])
    x = np.array([1.0, 2.0])
    assert repair(program, x, np.array([1e-13, 1e-13]), 1e-9).certificate.holds(1e-9)
    assert not certify_cone_program(program, x, np.array([1e-13, 1e-2])).holds(1e-9)


def test_nothing_is_proved_of_an_objective_that_is_not_convex() -> None:
    """min -x^2/2 on [-1, 2] satisfies all conditions at x = 0, where it is largest."""
    program = cone_program([[-1.0]], [0.0], [[-1.0], [1.0]], [1.0, 2.0], [Nonnegative(2)])
    with pytest.raises(NonconvexError, match="smallest eigenvalue of its P is -1 "):
        certify_cone_program(program, np.zeros(1), np.zeros(2))


def test_a_small_bound_beside_a_large_one_is_no_less_a_bound() -> None:
    # min |x1 - 500| + |x2 - 1| in epigraph form, x1 <= 600, x2 <= 5e-5: x2 = 1.3e-4 is nothing beside 600.
    rows = [[1, 0, -1, 0], [-1, 0, -1, 0], [0, 1, 0, -1], [0, -1, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]]
    program = cone_program(np.zeros((4, 4)), [0, 0, 1, 1], rows, [500, -500, 1, -1, 600, 5e-5], [Nonnegative(6)])
    z = np.array([0.5, 0.5, 0.0, 1.0, 0.0, 1.0])
    best = certify_cone_program(program, np.array([500, 5e-5, 0, 1 - 5e-5]), z)
    assert best.holds(1e-11), best
    assert not certify_cone_program(program, np.array([500, 1.3e-4, 0, 1 - 1.3e-4]), z).holds(0.1)


def test_a_gap_is_not_small_beside_a_constant() -> None:
    # min 1/2 (x - 170)^2 = 1/2 x^2 - 170 x + 14450, whose optimum is 0; beside 14450, x = 171 is not far off.
    program = cone_program([[1]], [-170], [[1]], [900], [Nonnegative(1)], offset=14450.0)
    for x in (171.0, 170.001):
        assert not certify_cone_program(program, np.array([x]), np.zeros(1)).holds(0.5)
    certificate = certify_cone_program(program, np.array([170.0]), np.zeros(1))
    assert certificate.holds(1e-14)
    assert (certificate.primal_value, certificate.dual_value) == (0.0, 0.0)
    # Nor does a constant of the user's make it so.
    shifted = cone_program([[1]], [-1], [[1]], [900], [Nonnegative(1)], offset=1e9)
    assert not certify_cone_program(shifted, np.array([1.01]), np.zeros(1)).holds(1e-6)


def test_an_optimum_of_0_is_proved_up_to_rounding() -> None:
    # min 1/2 (x - y)^2 s.t. x + y = 1 in numbers that float64 does not hold: the sums leave rounding, not 0.
    third = 1.0 / 3.0
    program = cone_program([[third, -third], [-third, third]], [0, 0], [[1, 1]], [1], [Zero(1)])
    x = np.array([0.5, 0.5 + 1e-16])
    assert certify_cone_program(program, x, np.array([1e-17])).holds(1e-9)
    assert not certify_cone_program(program, np.array([0.5 + 1e-6, 0.5 - 1e-6]), np.zeros(1)).holds(1e-3)


def test_an_optimum_of_0_is_not_proved_by_rows_that_cancel() -> None:
    # min t s.t. |y - F u| <= t, where the rows of F are equal but for rounding and y = (0, 1): t = 1/2, if not for a u
    # so large that the rows lose it.
    def fit(last: float) -> Any:
        F = np.array([[1.0, 1.0], [1.0, last]])
        rows = np.column_stack([-np.ones(4), np.vstack([-F, F])])
        return cone_program(np.zeros((3, 3)), [1, 0, 0], rows, [0, -1, 0, 1], [Nonnegative(4)])

    certificate = certify_cone_program(
        fit(1.0 + 2.0**-52), np.array([0.0, -1e16, 1e16]), np.array([0.0, 0.5, 0.5, 0.0])
    )
    assert certificate.primal_value == 0.0
    assert certificate.primal_residual < 1e-15
    assert certificate.dual_residual < 1e-15
    assert not certificate.holds(0.1)
    assert certify_cone_program(fit(2.0), np.array([0.0, -1.0, 1.0]), np.array([0.5, 0.0, 0.5, 0.0])).holds(1e-9)


@pytest.mark.parametrize("size", [1e6, 2.0**30, 1e12, 2.0**53, 1e20])
def test_values_that_are_lost_in_rounding_are_no_optimum_of_0(size: float) -> None:
    # Twins of two classes contradict each other: along (1, 1) the dual of their hard margin falls without bound, but
    # for what rounding may leave of x'Px there, beside which the values are nothing.
    for rounding in (0.0, 2.0**-52):
        P = np.array([[1.0 + rounding, -1.0], [-1.0, 1.0]])
        program = cone_program(P, [-1, -1], -np.eye(2), [0, 0], [Nonnegative(2)])
        certificate = certify_cone_program(program, np.full(2, size), np.zeros(2))
        assert not certificate.holds(0.1), certificate
        assert repair(program, np.full(2, size), np.zeros(2), 1e-9).error > 0.1


def test_a_slope_costs_no_more_than_the_curvature_lets_it() -> None:
    # min 1/2 |x|^2 - x1, x2 >= 1 at x = (1, 1) with z = 1 + d: the slope d in the column of x2 costs 1/2 d^2.
    program = cone_program(np.eye(2), [-1, 0], [[0, -1]], [-1], [Nonnegative(1)])
    for d in (1e-3, -1e-3):
        certificate = certify_cone_program(program, np.ones(2), np.array([1 + d]))
        assert certificate.dual_residual < 1e-15
        assert certificate.primal_value - certificate.dual_value == pytest.approx(d**2 / 2, rel=1e-6)


def test_a_bound_takes_over_a_slope_at_its_own_cost() -> None:
    # min x1 + 1e-7 x2 s.t. x1 >= 1, 0 <= x2 <= 9, whose slope in x2 is left out: it costs 1e-7 x2 at most.
    program = cone_program(np.zeros((2, 2)), [1, -1e-7], [[-1, 0], [0, -1], [0, 1]], [-1, 0, 9e7], [Nonnegative(3)])
    certificate = certify_cone_program(program, np.array([1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert certificate.dual_value == pytest.approx(1 - 9.0)
    assert not certificate.holds(0.5)
    assert certify_cone_program(program, np.array([1.0, 9e7]), np.array([1.0, 0.0, 1e-7])).holds(1e-14)


def test_the_rounding_that_counts_in_the_gap_is_stated() -> None:
    # min x^2 / 2 - x + 1e8 is exact at x = 1 but for the constant.
    program = replace(cone_program([[1.0]], [-1.0], [[1.0]], [2.0], [Nonnegative(1)]), offset=1e8)
    certificate = certify_cone_program(program, np.ones(1), np.zeros(1))
    assert certificate.rounding >= 1e8 * np.finfo(float).eps
    assert certificate.relative_gap == pytest.approx(certificate.rounding / 0.5, rel=1e-12)
    assert "is rounding" in certificate.explain(1e-9)


def test_what_a_coupled_cone_gains_outside_is_not_offset_by_what_it_leaves_over() -> None:
    # min t s.t. |(1e-4, 0)| <= t, at a t that is too small by as much as the multipliers fall short: z's = 0.
    program = cone_program([[0.0]], [1.0], [[-1.0], [0.0], [0.0]], [0.0, 1e-4, 0.0], [SecondOrder(3)])
    x, z = np.array([1e-4 - 1e-9]), np.array([1.0, -1.0 + 1e-5, 0.0])
    s = program.b - program.A @ x
    assert abs(s @ z) < 1e-12
    assert SecondOrder(3).violation(s) == pytest.approx(1e-9)
    certificate = certify_cone_program(program, x, z)
    assert certificate.relative_gap >= 1.9e-5
