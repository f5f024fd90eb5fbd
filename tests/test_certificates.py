# SPDX-License-Identifier: BSD-3-Clause
"""Certificates: true at known optima, bounds everywhere, and false for every kind of wrong answer."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from builders import FAMILIES, KNOWN_OPTIMA, cone_program, manufacture, random_feasible, two_classes
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    Hinge,
    Huber,
    LogisticLoss,
    LogisticResidual,
    Loss,
    MarginLoss,
    Pinball,
    Squared,
    SquaredHinge,
)
from qpkernels import RBF, Gram, Linear
from qpkernels.certificates import (
    Certificate,
    FunctionAtSamples,
    SampleLosses,
    certify_cone_program,
    certify_fenchel,
    certify_infeasibility,
    certify_kernel_qp,
    certify_unboundedness,
    certify_values,
    duality_gap,
    intercept_interval,
    split_support,
)
from qpkernels.certificates.certificate import relative, undefined
from qpkernels.programs import KernelQP, Nonnegative, SecondOrder, Zero

every_family = pytest.mark.parametrize("name", FAMILIES)
SEEDS = st.integers(0, 2**32 - 1)
HARD = [name for name in FAMILIES if name.startswith("hard margin")]
SOFT = [name for name in FAMILIES if name not in HARD]

# --- KernelQP: the truth passes ---


@every_family
@pytest.mark.parametrize("seed", range(3))
def test_the_known_optimum_is_certified(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    certificate = certify_kernel_qp(made.program, made.beta, made.intercept)
    assert certificate.holds(1e-12), certificate
    assert certificate.primal_value == pytest.approx(-made.optimum, rel=1e-11)
    assert certificate.dual_value == pytest.approx(-made.optimum, rel=1e-11)
    assert str(certificate).startswith("relative gap ")
    assert "sample" in certificate.worst


@every_family
def test_a_function_given_by_its_values_is_judged_by_them(name: str) -> None:
    made = manufacture(name)
    values = made.program.gram.dense @ made.beta
    f = FunctionAtSamples(values, float(made.beta @ values))
    assert certify_kernel_qp(made.program, made.beta, made.intercept, f).holds(1e-12)
    other = FunctionAtSamples(values + 0.1, f.squared_norm)
    assert not certify_kernel_qp(made.program, made.beta, made.intercept, other).holds(1e-6)
    longer = FunctionAtSamples(values, 1.01 * f.squared_norm)
    assert not certify_kernel_qp(made.program, made.beta, made.intercept, longer).holds(1e-6)
    shorter = FunctionAtSamples(values, 0.99 * f.squared_norm)
    assert not certify_kernel_qp(made.program, made.beta, made.intercept, shorter).holds(1e-6)


def test_nothing_to_learn_is_optimal_at_zero() -> None:
    gram = Gram(RBF(1.0), np.arange(4.0)[:, None])
    certificate = certify_kernel_qp(KernelQP(gram, 0.0, -1.0, 1.0), np.zeros(4), 0.0)
    assert certificate.holds(0.0), certificate
    assert (certificate.primal_value, certificate.dual_value) == (0.0, 0.0)


# --- KernelQP: weak duality ---


@pytest.mark.parametrize("name", SOFT)
@given(seed=SEEDS, b=st.floats(-3, 3))
def test_the_primal_value_is_never_below_the_dual_value(name: str, seed: int, b: float) -> None:
    made = manufacture(name)
    program = made.program
    b = 0.0 if program.total is None else b
    beta, other = random_feasible(program, seed), random_feasible(program, seed + 1)
    expansion = program.gram.dense @ other
    f = FunctionAtSamples(expansion, float(other @ expansion))
    for gap in (
        duality_gap(program, beta, program.gram.dense @ beta, b),
        duality_gap(program, beta, program.gram.dense @ beta, b, f),
    ):
        slack = 1e-12 * max(1.0, gap.scale)
        assert gap.violation == 0
        assert gap.primal_value >= gap.dual_value - slack
        assert gap.primal_value >= -made.optimum - slack
        assert gap.dual_value <= -made.optimum + slack
        assert gap.parts.min() >= -slack


@pytest.mark.parametrize("name", SOFT)
@given(seed=SEEDS, b=st.floats(-3, 3))
def test_the_parts_add_up_to_the_gap(name: str, seed: int, b: float) -> None:
    program = manufacture(name).program
    b = 0.0 if program.total is None else b
    beta = random_feasible(program, seed)
    gap = duality_gap(program, beta, program.gram.dense @ beta, b)
    assert gap.parts.sum() == pytest.approx(gap.primal_value - gap.dual_value, abs=1e-10 * max(1.0, gap.scale))


@given(seed=SEEDS, b=st.floats(-3, 3))
def test_a_rescaled_function_bounds_the_hard_margin_from_above(seed: int, b: float) -> None:
    X, y = two_classes(12, seed % 5)
    program = KernelQP(Gram(RBF(1.0), X), y, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0))
    margins = np.random.default_rng(seed).uniform(0.2, 1.5, len(y))
    values = y * margins - b
    norm = float(values @ np.linalg.solve(program.gram.dense, values))
    beta = random_feasible(program, seed)
    gap = duality_gap(program, beta, program.gram.dense @ beta, b, FunctionAtSamples(values, norm))
    assert gap.violation == pytest.approx(max(0.0, 1.0 - margins.min()), rel=1e-12)
    assert gap.primal_value == pytest.approx(0.5 * norm * max(1.0, 1.0 / margins.min()) ** 2, rel=1e-12)
    assert gap.primal_value >= gap.dual_value
    best = random_feasible(program, seed + 1)
    scale = float(y @ best) / float(best @ program.gram.dense @ best)
    assert gap.primal_value >= -program.objective(scale * best)


def test_the_rescaling_makes_an_upper_bound_of_a_function_that_is_too_small() -> None:
    X = np.array([[2.0], [-1.0]])
    program = KernelQP(Gram(Linear(), X), [1.0, -1.0], [0.0, -np.inf], [np.inf, 0.0])
    # The optimum is w = 2/3, b = -1/3; half of it violates every constraint by one half.
    w, b = 1 / 3, -1 / 6
    gap = duality_gap(program, np.zeros(2), np.zeros(2), b, FunctionAtSamples(w * X[:, 0], w**2))
    assert gap.violation == pytest.approx(0.5)
    assert gap.primal_value == pytest.approx(0.5 * (2 / 3) ** 2, rel=1e-14)
    assert gap.dual_value == 0


def test_the_rescaling_counts_the_intercept() -> None:
    X = np.array([[1.0], [2.0]])
    program = KernelQP(Gram(Linear(), X), 1.0, 0.0, np.inf, total=3.0)
    w, b = 0.25, 0.25
    gap = duality_gap(program, np.array([3.0, 0.0]), X[:, 0] * 3.0, b, FunctionAtSamples(w * X[:, 0], w**2))
    assert gap.primal_value == pytest.approx(0.5 * (2 * w) ** 2 + 3.0 * 2 * b, rel=1e-14)


def test_a_function_that_no_rescaling_mends_keeps_its_violation() -> None:
    X = np.array([[2.0], [-1.0]])
    program = KernelQP(Gram(Linear(), X), [1.0, -1.0], [0.0, -np.inf], [np.inf, 0.0])
    for w, b in ((-1.0, 0.0), (0.0, 0.0), (1e-310, 0.0), (0.0, 1e-310)):
        gap = duality_gap(program, np.zeros(2), np.zeros(2), b, FunctionAtSamples(w * X[:, 0], w**2))
        assert gap.violation >= 1.0
    assert not certify_kernel_qp(program, np.zeros(2), 0.0).holds(1e-6)


# --- KernelQP: the losses in closed form ---

V = np.linspace(-2.5, 2.5, 41)
C = 1.5
LOSSES: list[tuple[str, dict[str, Any], Callable[[Any], Any]]] = [
    ("hinge, y = 1", {"target": 1.0, "lower": 0.0, "upper": C}, lambda v: C * np.maximum(0, 1 - v)),
    ("hinge, y = -1", {"target": -1.0, "lower": -C, "upper": 0.0}, lambda v: C * np.maximum(0, 1 + v)),
    (
        "epsilon-insensitive",
        {"target": 0.3, "lower": -C, "upper": C, "epsilon": 0.4},
        lambda v: C * np.maximum(0, abs(v - 0.3) - 0.4),
    ),
    ("absolute", {"target": 0.3, "lower": -C, "upper": C}, lambda v: C * abs(v - 0.3)),
    (
        "pinball",
        {"target": 0.3, "lower": -(1 - 0.8) * C, "upper": 0.8 * C},
        lambda v: C * np.where(v < 0.3, 0.8 * (0.3 - v), 0.2 * (v - 0.3)),
    ),
    (
        "Huber",
        {"target": 0.3, "lower": -C, "upper": C, "ridge": 0.5},
        lambda v: np.where(abs(v - 0.3) <= 0.5 * C, (v - 0.3) ** 2, C * abs(v - 0.3) - 0.25 * C**2),
    ),
    (
        "squared",
        {"target": 0.3, "lower": -np.inf, "upper": np.inf, "ridge": 0.5},
        lambda v: (v - 0.3) ** 2,
    ),
    (
        "squared hinge",
        {"target": 1.0, "lower": 0.0, "upper": np.inf, "ridge": 0.5},
        lambda v: np.maximum(0, 1 - v) ** 2,
    ),
    (
        "squared epsilon-insensitive",
        {"target": 0.3, "lower": -np.inf, "upper": np.inf, "epsilon": 0.4, "ridge": 0.5},
        lambda v: np.maximum(0, abs(v - 0.3) - 0.4) ** 2,
    ),
    ("one class", {"target": 0.0, "lower": 0.0, "upper": C}, lambda v: C * np.maximum(0, -v)),
    ("hard", {"target": 1.0, "lower": 0.0, "upper": np.inf}, lambda v: np.where(v >= 1, 0.0, np.nan)),
]


@pytest.mark.parametrize(("parts", "loss"), [row[1:] for row in LOSSES], ids=[row[0] for row in LOSSES])
def test_each_loss_has_its_textbook_formula(parts: dict[str, float], loss: Callable[[Any], Any]) -> None:
    gram = Gram(Linear(), np.ones((1, 1)))
    for v in V[~np.isnan(loss(V))]:
        program = KernelQP(gram, total=None, **parts)
        gap = duality_gap(program, np.zeros(1), np.zeros(1), 0.0, FunctionAtSamples(np.array([v]), 0.7))
        assert gap.primal_value == pytest.approx(0.35 + float(loss(v)), rel=1e-12, abs=1e-14)
        assert gap.parts[0] == pytest.approx(float(loss(v)), rel=1e-12, abs=1e-14)


@given(
    target=st.floats(-2, 2),
    v=st.floats(-4, 4),
    lower=st.floats(-3, 0),
    upper=st.floats(0, 3),
    epsilon=st.floats(0, 1),
    ridge=st.sampled_from([0.0, 0.3, 2.0]),
)
def test_any_loss_is_the_largest_value_over_its_box(
    target: float, v: float, lower: float, upper: float, epsilon: float, ridge: float
) -> None:
    def value(s: float) -> float:
        return (target - v) * s - epsilon * abs(s) - 0.5 * ridge * s**2

    found = [minimize_scalar(lambda s: -value(s), bounds=side, method="bounded") for side in ((lower, 0), (0, upper))]
    best = max([value(lower), value(upper), 0.0, *(-result.fun for result in found)])
    program = KernelQP(Gram(Linear(), np.ones((1, 1))), target, lower, upper, None, epsilon, ridge)
    gap = duality_gap(program, np.zeros(1), np.zeros(1), 0.0, FunctionAtSamples(np.array([v]), 0.0))
    assert gap.primal_value == pytest.approx(best, rel=1e-6, abs=1e-7)


def test_a_hard_constraint_is_violated_by_its_distance() -> None:
    gram = Gram(Linear(), np.ones((1, 1)))
    program = KernelQP(gram, 3.0, -np.inf, np.inf, None, epsilon=0.5)
    for v, violation in ((2.5, 0.0), (3.5, 0.0), (2.0, 0.5 / 3.5), (4.2, 0.7 / 3.5), (-1.0, 3.5 / 3.5)):
        gap = duality_gap(program, np.zeros(1), np.zeros(1), 0.0, FunctionAtSamples(np.array([v]), 1.0))
        assert gap.violation == pytest.approx(violation, rel=1e-12)


# --- KernelQP: wrong answers fail ---


def refused(program: KernelQP, beta: np.ndarray, b: float) -> bool:
    return not certify_kernel_qp(program, beta, b).holds(1e-6)


@every_family
def test_any_perturbed_coefficient_is_refused(name: str) -> None:
    made = manufacture(name)
    for k in range(len(made.beta)):
        for step in (0.01, -0.01):
            beta = made.beta.copy()
            beta[k] += step
            assert refused(made.program, beta, made.intercept), (k, step)


@every_family
def test_wrong_signs_wrong_sizes_and_no_answer_are_refused(name: str) -> None:
    made = manufacture(name)
    for beta in (-made.beta, 2 * made.beta, 0.5 * made.beta, 0 * made.beta, np.roll(made.beta, 1)):
        assert refused(made.program, beta, made.intercept)


@every_family
def test_a_multiplier_of_the_wrong_sign_is_refused(name: str) -> None:
    made = manufacture(name)
    outside = made.program.lower == 0
    if not outside.any():
        outside, step = np.isfinite(made.program.upper), 0.02
    else:
        step = -0.02
    for k in np.flatnonzero(outside)[:5]:
        beta = made.beta.copy()
        beta[k] = (made.program.lower[k] if step < 0 else made.program.upper[k]) + step
        certificate = certify_kernel_qp(made.program, beta, made.intercept)
        assert certificate.dual_residual > 1e-3
        assert not certificate.holds(1e-6)


WITH_INTERCEPT = [name for name, family in FAMILIES.items() if family.total is not None]


@pytest.mark.parametrize("name", WITH_INTERCEPT)
def test_a_sum_that_is_off_counts_in_full(name: str) -> None:
    made = manufacture(name)
    size = float(np.abs(made.beta).sum())
    for step in (1e-4, -1e-4):
        beta = made.beta.copy()
        beta[np.abs(beta).argmax()] *= 1 + step * size / np.abs(beta).max()
        certificate = certify_kernel_qp(made.program, beta, made.intercept)
        assert certificate.dual_residual >= 0.99e-4


@pytest.mark.parametrize("name", WITH_INTERCEPT)
def test_a_wrong_intercept_is_refused(name: str) -> None:
    made = manufacture(name)
    for b in (made.intercept + 0.01, made.intercept - 0.01, -made.intercept):
        assert refused(made.program, made.beta, b)


@every_family
def test_the_answer_to_a_program_with_a_swapped_label_is_refused(name: str) -> None:
    made = manufacture(name)
    program = made.program
    free = (made.beta > program.lower) & (made.beta < program.upper) & (made.beta != 0)
    for k in np.flatnonzero(free):
        target, lower, upper = program.target.copy(), program.lower.copy(), program.upper.copy()
        target[k], lower[k], upper[k] = -target[k], -upper[k], -lower[k]
        assert refused(replace(program, target=target, lower=lower, upper=upper), made.beta, made.intercept), k
        assert refused(replace(program, target=target), made.beta, made.intercept), k


@every_family
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(name: str, bad: float) -> None:
    made = manufacture(name)
    beta = made.beta.copy()
    beta[3] = bad
    for certificate in (
        certify_kernel_qp(made.program, beta, made.intercept),
        certify_kernel_qp(made.program, made.beta, bad),
    ):
        assert not certificate.holds(np.inf)
        assert "NaN" in certificate.worst


def test_a_function_of_nan_is_refused() -> None:
    made = manufacture("hinge")
    values = np.full(len(made.program), np.nan)
    for f in (FunctionAtSamples(values, 1.0), FunctionAtSamples(made.program.gram.dense @ made.beta, np.nan)):
        assert not certify_kernel_qp(made.program, made.beta, made.intercept, f).holds(1e-2)


def test_an_all_zero_answer_is_judged_without_the_matrix() -> None:
    X, y = two_classes(6)
    program = KernelQP(Gram(RBF(1.0), X, memory_limit=0), y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0))
    certificate = certify_kernel_qp(program, np.zeros(6), 0.0)
    assert (certificate.primal_value, certificate.dual_value) == (6.0, 0.0)
    assert not certificate.holds(1e-6)


@every_family
def test_each_measure_alone_can_refuse(name: str) -> None:
    made = manufacture(name)
    good = certify_kernel_qp(made.program, made.beta, made.intercept)
    assert good.holds(1e-6)
    for measure in ("relative_gap", "primal_residual", "dual_residual", "complementarity"):
        for bad in (1e-5, -1e-5, np.nan, np.inf):
            assert not replace(good, **{measure: bad}).holds(1e-6)


def test_gaps_are_relative_without_units() -> None:
    made = manufacture("squared hinge")
    program = made.program
    for unit in (1e-6, 1e6):
        scaled = replace(program, target=unit * program.target)
        certificate = certify_kernel_qp(scaled, unit * made.beta, unit * made.intercept)
        assert certificate.holds(1e-11), certificate
        assert refused(scaled, unit * 1.01 * made.beta, unit * made.intercept)


def test_the_worst_sample_is_named() -> None:
    made = manufacture("squared hinge")
    target = made.program.target.copy()
    target[7] += 1000.0 * np.sign(made.program.upper[7] - 0.5)
    certificate = certify_kernel_qp(replace(made.program, target=target), made.beta, made.intercept)
    assert certificate.worst.startswith("sample 7 ")


def test_ratios() -> None:
    assert relative(0.0, 0.0) == 0.0
    assert relative(1.0, 0.0) == np.inf
    assert relative(1.0, 4.0) == 0.25
    assert not undefined("x").holds(np.inf)
    assert undefined("why").worst == "why"
    assert not Certificate(1, 1, 0, 0, np.nan, 0, "").holds(1)


# --- cone programs ---

every_optimum = pytest.mark.parametrize("known", KNOWN_OPTIMA.values(), ids=KNOWN_OPTIMA)


@every_optimum
def test_optima_by_hand_are_certified(known: Any) -> None:
    certificate = certify_cone_program(known.program, known.x, known.z)
    assert certificate.holds(1e-14), certificate
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
    assert (certificate.relative_gap, certificate.primal_residual, certificate.complementarity) == (0, 0, 0)
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


def test_a_direction_that_leaves_one_row_is_no_proof() -> None:
    # min -x1 s.t. x1 <= 1, -1e9 x2 <= 0 is bounded; the ray (1, 1) leaves the first row.
    program = cone_program(np.zeros((2, 2)), [-1, 0], [[1, 0], [0, -1e9]], [1, 0], [Nonnegative(2)])
    assert not certify_unboundedness(program, np.ones(2)).holds(1e-6)


def test_wrong_signs_in_other_units_prove_nothing() -> None:
    # 1e-9 x <= 1e-9 and x <= 2 are satisfied by x = 0.
    program = cone_program([[0]], [0], [[1e-9], [1]], [1e-9, 2], [Nonnegative(2)])
    assert not certify_infeasibility(program, np.array([1e9, -1.0])).holds(1e-6)


def test_gaps_that_cancel_are_refused() -> None:
    # max x1 + x2 s.t. x1 <= 1, x2 <= 1 at x = (0, 2): the products s_i z_i are 1 and -1, and their sum is 0.
    program = cone_program(np.zeros((2, 2)), [-1, -1], np.eye(2), [1, 1], [Nonnegative(2)])
    certificate = certify_cone_program(program, np.array([0.0, 2.0]), np.ones(2))
    assert certificate.relative_gap == 0
    assert certificate.complementarity > 0.1
    assert not certificate.holds(1e-6)


def test_the_worst_row_is_named() -> None:
    known = KNOWN_OPTIMA["LP: min -x1 - 2 x2 s.t. x1 + x2 <= 4, x1 <= 3, x2 <= 2, x >= 0"]
    z = known.z.copy()
    z[1] += 1.0
    assert certify_cone_program(known.program, known.x, z).worst.startswith("row 1 of 'rows 0' contributes")


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
    slope_left = slope + program.epsilon * np.sign(made.beta)
    slope_left = np.where((made.beta == 0) & (program.epsilon > 0), 0.0, slope_left)
    one_sided = (made.beta == 0) & ((program.lower == 0) | (program.upper == 0))
    slope_left = np.where(
        one_sided, slope + np.where(program.lower == 0, program.epsilon, -program.epsilon), slope_left
    )
    z[blocks["upper"]] = np.maximum(-slope_left, 0)[np.isfinite(program.upper)]
    z[blocks["lower"]] = np.maximum(slope_left, 0)[np.isfinite(program.lower)]
    if "split" in blocks:
        z[blocks["split"]] = np.concatenate(
            [program.epsilon + slope - slope_left, program.epsilon - slope + slope_left]
        )
    certificate = certify_cone_program(matrices, x, z)
    assert certificate.holds(1e-12), certificate
    assert certificate.primal_value == pytest.approx(made.optimum, rel=1e-11)


# --- infeasibility ---

# x <= 1 and x >= 2, stated in the rows of each kind of cone, with the multipliers that contradict.
INFEASIBLE = {
    "inequalities": (cone_program([[1]], [1], [[1], [1], [-1]], [9, 1, -2], [Nonnegative(3)]), [0.0, 1.0, 1.0]),
    "equation": (cone_program([[0]], [0], [[1], [1]], [2, 1], [Zero(1), Nonnegative(1)]), [-1.0, 1.0]),
    "equations": (cone_program([[0]], [0], [[1], [1]], [1, 2], [Zero(2)]), [1.0, -1.0]),
    "cone": (
        cone_program([[0]], [0], [[0], [-1], [-1]], [1, 0, -2], [SecondOrder(2), Nonnegative(1)]),
        [1.0, -1.0, 1.0],
    ),
}
infeasible = pytest.mark.parametrize("name", INFEASIBLE)


@infeasible
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_a_true_proof_of_infeasibility_is_accepted_at_any_scale(name: str, scale: float) -> None:
    program, proof = INFEASIBLE[name]
    certificate = certify_infeasibility(program, scale * np.array(proof))
    assert certificate.holds(1e-12), certificate
    assert (certificate.primal_value, certificate.dual_value) == (np.inf, np.inf)
    assert "contradicting" in certificate.worst


@infeasible
def test_a_false_proof_of_infeasibility_is_refused(name: str) -> None:
    program, listed = INFEASIBLE[name]
    proof = np.array(listed)
    for k in range(proof.size):
        for step in (0.01, -0.01):
            z = proof.copy()
            z[k] += step
            # A little more on the axis of a second-order cone proves the same.
            still_true = name == "cone" and k == 0 and step > 0
            # So does the multiplier 0 of an inequality with a wrong sign, which is dropped.
            still_true |= name == "inequalities" and proof[k] == 0 and step < 0
            assert certify_infeasibility(program, z).holds(1e-6) == still_true, (k, step)
    for z in (-proof, 0 * proof, np.full_like(proof, np.nan), np.full_like(proof, np.inf)):
        assert not certify_infeasibility(program, z).holds(1e-6)


@given(seed=SEEDS)
def test_no_multipliers_prove_a_feasible_program_infeasible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, x = rng.normal(size=(5, 3)), rng.normal(size=3)
    s = np.array([0.0, 0.0, *rng.uniform(0, 1, 3)])
    program = cone_program(np.zeros((3, 3)), np.zeros(3), A, A @ x + s, [Zero(2), Nonnegative(3)])
    null = np.linalg.svd(A.T)[2][3:]
    for z in (rng.normal(size=5), rng.uniform(0, 1, 5), *null, *(-null)):
        assert not certify_infeasibility(program, z).holds(1e-6)


def test_a_large_bound_does_not_turn_rounding_into_a_proof() -> None:
    # x <= 1e9 and 0 <= 0 are satisfied by x = 0; z = (-1e-9, 1) has b'z = -1 by its wrong sign alone.
    program = cone_program([[0]], [0], [[1], [0]], [1e9, 0], [Nonnegative(2)])
    assert not certify_infeasibility(program, np.array([-1e-9, 1.0])).holds(1e-6)


def test_imbalance_that_outweighs_the_proof_proves_nothing() -> None:
    # x <= 1 and x >= 1 are satisfied by x = 1; b'z = -1e-7 comes from A'z = -1e-7 alone.
    program = cone_program([[0]], [0], [[1], [-1]], [1, -1], [Nonnegative(2)])
    assert not certify_infeasibility(program, np.array([1.0, 1.0 + 1e-7])).holds(1e-6)


# --- unboundedness ---

# Each falls along the first direction; the second one curves, or leaves the constraints.
UNBOUNDED = {
    "curved": (cone_program(np.diag([1, 0]), [0, -1], [[1, 0], [0, -1]], [1, 0], [Nonnegative(2)]), [0, 1], [0.01, 1]),
    "line": (cone_program(np.zeros((2, 2)), [-1, -1], [[1, -1]], [3], [Zero(1)]), [1, 1], [1.01, 1]),
    "half-plane": (cone_program(np.zeros((2, 2)), [-1, -1], [[1, 0]], [3], [Nonnegative(1)]), [-1, 2], [0.01, 2]),
    "cone": (cone_program(np.zeros((2, 2)), [-1, 0], -np.eye(2), [0, 0], [SecondOrder(2)]), [1, 0.5], [1, 1.01]),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_a_direction_proves_the_objective_unbounded(name: str) -> None:
    program, true, leaving = UNBOUNDED[name]
    x = np.array(true, float)
    for scale in (1e-8, 1.0, 1e8):
        certificate = certify_unboundedness(program, scale * x)
        assert certificate.holds(1e-12), certificate
        assert (certificate.primal_value, certificate.dual_value) == (-np.inf, -np.inf)
    for false in (np.array(leaving), -x, 0 * x, np.full(2, np.nan), np.full(2, np.inf)):
        assert not certify_unboundedness(program, false).holds(1e-6)


def test_curvature_that_outweighs_the_fall_proves_nothing() -> None:
    # (x1 - x2)^2 / 2 + x1 - x2 is nowhere below -1/2.
    program = cone_program([[1, -1], [-1, 1]], [1, -1], np.zeros((0, 2)), [], [])
    assert not certify_unboundedness(program, np.array([1.0, 1.0 + 1e-7])).holds(1e-6)


# --- support ---


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_support_of_an_exact_answer(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    program, beta = made.program, made.beta
    at_bound = (beta != 0) & ((beta == program.upper) | (beta == program.lower))
    support = split_support(program, beta, program.gram.dense @ beta + made.intercept)
    np.testing.assert_array_equal(support.bounded, np.flatnonzero(at_bound))
    np.testing.assert_array_equal(support.free, np.flatnonzero((beta != 0) & ~at_bound))
    np.testing.assert_array_equal(support.indices, np.flatnonzero(beta))
    assert len(support) == np.count_nonzero(beta)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("noise", [1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("seed", range(3))
def test_the_support_of_an_inexact_answer(name: str, noise: float, seed: int) -> None:
    made = manufacture(name, seed)
    program, beta = made.program, made.beta
    # As an interior-point method leaves it: strictly inside wherever the exact answer is at an end.
    rng = np.random.default_rng(seed)
    fuzz = noise * rng.uniform(0.1, 1.0, len(program))
    lower, upper = np.maximum(program.lower, -2.0), np.minimum(program.upper, 2.0)
    fuzzy = beta + np.select(
        [(beta == upper) & (upper > 0), (beta == lower) & (lower < 0), (beta == 0) & (lower == 0), beta == 0],
        [-fuzz, fuzz, fuzz, -fuzz],
        fuzz * rng.choice([-1.0, 1.0], len(program)),
    )
    support = split_support(program, fuzzy, program.gram.dense @ fuzzy + made.intercept)
    exact = split_support(program, beta, program.gram.dense @ beta + made.intercept)
    np.testing.assert_array_equal(support.free, exact.free)
    np.testing.assert_array_equal(support.bounded, exact.bounded)


def test_a_ridge_keeps_a_coefficient_off_its_bound() -> None:
    # beta = 0.95 <= 1 minimises (1 + 0.5) beta^2 / 2 - 1.425 beta.
    program = KernelQP(Gram(RBF(1.0), [[0.0]]), 1.425, -1.0, 1.0, None, ridge=0.5)
    assert certify_kernel_qp(program, np.array([0.95]), 0.0).holds(1e-12)
    assert split_support(program, np.array([0.95]), np.array([0.95])).free.tolist() == [0]


def test_no_answer_has_no_support() -> None:
    X, y = two_classes(6)
    program = KernelQP(Gram(RBF(1.0), X), y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0))
    assert len(split_support(program, np.zeros(6), 2 * y)) == 0


def test_rounding_carries_nothing() -> None:
    """Where the optimum counts as 0, coefficients of the size of rounding are no support vectors."""
    gram, targets = Gram(RBF(1.0), np.arange(4.0)[:, None]), [0.0, 0.0, 0.2, 0.2]
    noise = 1e-15 * np.array([-1.0, -1.0, 1.0, 1.0])
    decision = np.full(4, 0.1)
    for tolerance, some in ((0.0, True), (1e-5, False)):
        program = KernelQP(gram, targets, -np.inf, np.inf, epsilon=0.3, zero_tolerance=tolerance)
        assert (len(split_support(program, noise, decision)) > 0) is some


# --- multipliers of rounding ---


def test_a_column_that_only_rounding_touches_refuses_nothing() -> None:
    # min x1^2 / 2 - x1 s.t. x1 <= 3, x2 >= 0: nothing but the multiplier of its own slack row enters the column of x2.
    program = cone_program(np.diag([1, 0]), [-1, 0], [[1, 0], [0, -1]], [3, 0], [Nonnegative(2)])
    x = np.array([1.0, 2.0])
    assert certify_cone_program(program, x, np.array([1e-13, 1e-13])).holds(1e-9)
    assert not certify_cone_program(program, x, np.array([1e-13, 1e-2])).holds(1e-9)


# --- the intercept ---


def optimal_value(program: KernelQP, values: np.ndarray, b: float) -> float:
    """Return the part of P(f, b) that depends on b, by the textbook formula of the losses; infinite beyond a wall."""
    slope = np.array([program.target - values - b - program.epsilon, values + b - program.target - program.epsilon])
    walls = np.array([program.upper, -program.lower])
    with np.errstate(invalid="ignore"):
        losses = np.where(slope > 1e-12, slope * walls, 0.0)
    return float(losses.max(axis=0).sum() + b * (program.total or 0.0))


INTERVALS = [
    # (target, lower, upper, epsilon, total, values, beta), all without a free coefficient
    ([1, -1, -1, 1], [0, -2, -2, 0], [2, 0, 0, 2], 0.0, 0.0, [0, 0, 0, 0], [2, -2, -2, 2]),
    ([0, 0, 1, 1], [-1] * 4, [1] * 4, 0.1, 0.0, [0] * 4, [-1, -1, 1, 1]),
    ([0, 0, 1, 1], [-0.5] * 4, [0.5] * 4, 0.0, 0.0, [0] * 4, [-0.5, -0.5, 0.5, 0.5]),
    ([0, 0, 0.2, 0.2], [-np.inf] * 4, [np.inf] * 4, 0.3, 0.0, [0] * 4, [0] * 4),
    ([0] * 4, [0] * 4, [0.5] * 4, 0.0, 1.0, [1.5, 3.0, 4.5, 6.0], [0.5, 0.5, 0, 0]),
    ([1, 1, -1, -1], [0, 0, -np.inf, -np.inf], [np.inf, np.inf, 0, 0], 0.0, 0.0, [2, 3, -2, -4], [0] * 4),
]


@pytest.mark.parametrize("row", INTERVALS, ids=["hinge", "tube", "absolute", "hard tube", "one class", "hard margin"])
def test_the_interval_of_the_intercept_by_brute_force(row: tuple[Any, ...]) -> None:
    target, lower, upper, epsilon, total, *answer = row
    gram = Gram(RBF(1.0), np.arange(4.0)[:, None])
    program = KernelQP(gram, target, np.array(lower, float), np.array(upper, float), total, epsilon)
    values, beta = np.array(answer[0], float), np.array(answer[1], float)
    grid = np.linspace(-8, 8, 3201)
    costs = np.array([optimal_value(program, values, b) for b in grid])
    best = grid[costs <= costs.min() + 1e-12]
    inside = float(0.5 * (best[0] + best[-1]))
    support = split_support(program, beta, values + inside)
    assert support.free.size == 0
    interval = intercept_interval(program, beta, values, inside, support)
    assert interval == pytest.approx((best[0], best[-1]), abs=1e-9)
    assert interval[1] - interval[0] > 0.3


@every_family
def test_a_free_coefficient_leaves_no_interval(name: str) -> None:
    made = manufacture(name)
    program = made.program
    values = program.gram.dense @ made.beta
    support = split_support(program, made.beta, values + made.intercept)
    assert support.free.size
    assert intercept_interval(program, made.beta, values, made.intercept, support) == (made.intercept, made.intercept)


# --- any convex loss ---


def sample_losses(loss: Loss, y: np.ndarray, C: float) -> SampleLosses:
    """Return C psi(y - v), or C phi(y v), with the conjugates in beta."""
    low, high = loss.domain
    if isinstance(loss, MarginLoss):
        ends = np.where(y > 0, -C * high, C * low), np.where(y > 0, -C * low, C * high)
        return SampleLosses(
            value=lambda v: C * loss.value(y * v),
            conjugate=lambda beta: C * loss.conjugate(np.clip(-y * beta / C, low, high)),
            lower=ends[0],
            upper=ends[1],
        )
    return SampleLosses(
        value=lambda v: C * loss.value(y - v),
        conjugate=lambda beta: C * loss.conjugate(np.clip(beta / C, low, high)) - y * beta,
        lower=np.full(len(y), C * low),
        upper=np.full(len(y), C * high),
    )


FENCHEL: list[Loss] = [
    LogisticLoss(),
    Hinge(),
    SquaredHinge(),
    AbsolutePower(1.0),
    AbsolutePower(1.3),
    AbsolutePower(2.0),
    AbsolutePower(4.0),
    LogisticResidual(),
    Squared(),
    Huber(0.5),
    Pinball(0.3),
    EpsilonInsensitive(0.2),
]
every_loss = pytest.mark.parametrize("loss", FENCHEL, ids=repr)


def setting(loss: Loss, seed: int) -> tuple[Gram, np.ndarray, SampleLosses, float]:
    rng = np.random.default_rng(seed)
    gram = Gram(RBF(0.7), rng.normal(size=(14, 2)))
    y = np.where(np.arange(14) % 2 == 0, 1.0, -1.0) if isinstance(loss, MarginLoss) else rng.normal(size=14)
    C = float(10.0 ** rng.uniform(-1, 1))
    return gram, y, sample_losses(loss, y, C), C


@every_loss
@given(seed=SEEDS, b=st.floats(-3, 3), balanced=st.booleans(), spread=st.sampled_from([1e-3, 1.0, 30.0]))
def test_weak_duality_of_any_loss(loss: Loss, seed: int, b: float, balanced: bool, spread: float) -> None:
    """P(f, b) >= D(beta) for every f, b and beta: beta is moved to where D is finite, and f is another function."""
    gram, _, losses, _ = setting(loss, seed % 7)
    rng = np.random.default_rng(seed)
    beta, other = spread * rng.normal(size=(2, 14))
    values = gram.dense @ other
    b = b if balanced else 0.0
    for function in (None, FunctionAtSamples(values, float(other @ values))):
        certificate = certify_fenchel(gram, losses, beta, b, 0.0 if balanced else None, function)
        slack = 1e-9 * max(1.0, abs(certificate.primal_value), abs(certificate.dual_value))
        assert certificate.primal_value >= certificate.dual_value - slack
        assert certificate.relative_gap >= 0
        assert certificate.complementarity >= 0


@every_loss
def test_fenchel_bounds_meet_at_the_optimum(loss: Loss) -> None:
    """Without an intercept: the beta that is the slope of the loss at its own function, by damped iteration."""
    gram, y, losses, C = setting(loss, 3)
    smooth = isinstance(loss, LogisticLoss | SquaredHinge | LogisticResidual | Squared | Huber)
    if not smooth:
        certificate = certify_fenchel(gram, losses, np.zeros(14), 0.0, None)
        assert not certificate.holds(1e-3)
        return
    beta = np.zeros(14)
    for _ in range(20_000):
        f = gram.dense @ beta
        slope = -y * loss.slope(y * f) if isinstance(loss, MarginLoss) else loss.slope(y - f)
        beta += 0.5 / (1.0 + 4 * C * 14) * (C * slope - beta)
    certificate = certify_fenchel(gram, losses, beta, 0.0, None)
    assert certificate.holds(1e-9), certificate
    for wrong in (1.1 * beta, -beta, 0 * beta, np.roll(beta, 1)):
        assert not certify_fenchel(gram, losses, wrong, 0.0, None).holds(1e-6)


@pytest.mark.parametrize(
    ("loss", "parts"),
    [
        (Squared(), lambda _, C: {"lower": -np.inf, "upper": np.inf, "ridge": 1 / C}),
        (Huber(0.5), lambda _, C: {"lower": -0.5 * C, "upper": 0.5 * C, "ridge": 1 / C}),
        (Pinball(0.3), lambda _, C: {"lower": -0.7 * C, "upper": 0.3 * C}),
        (EpsilonInsensitive(0.2), lambda _, C: {"lower": -C, "upper": C, "epsilon": 0.2}),
        (Hinge(), lambda y, C: {"lower": np.where(y > 0, 0, -C), "upper": np.where(y > 0, C, 0)}),
        (
            SquaredHinge(),
            lambda y, C: {
                "lower": np.where(y > 0, 0, -np.inf),
                "upper": np.where(y > 0, np.inf, 0),
                "ridge": 0.5 / C,
            },
        ),
    ],
    ids=lambda value: repr(value) if isinstance(value, Loss) else "",
)
@given(seed=SEEDS, b=st.floats(-3, 3))
def test_both_certificates_agree_on_losses_that_both_know(loss: Loss, parts: Any, seed: int, b: float) -> None:
    gram, y, losses, C = setting(loss, seed % 7)
    program = KernelQP(gram, y, total=0.0, **parts(y, C))
    beta = np.random.default_rng(seed).normal(size=14)
    ours = certify_kernel_qp(program, beta, b)
    theirs = certify_fenchel(gram, losses, beta, b, 0.0)
    assert theirs.primal_value == pytest.approx(ours.primal_value, rel=1e-9, abs=1e-9)
    assert theirs.dual_value == pytest.approx(ours.dual_value, rel=1e-9, abs=1e-9)
    assert theirs.relative_gap == pytest.approx(ours.relative_gap, rel=1e-6, abs=1e-9)
    assert theirs.dual_residual == pytest.approx(ours.dual_residual, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_fenchel_refuses_what_is_not_finite(bad: float) -> None:
    gram, _, losses, _ = setting(LogisticLoss(), 1)
    beta = np.zeros(14)
    assert not certify_fenchel(gram, losses, beta, bad, 0.0).holds(np.inf)
    beta[3] = bad
    assert not certify_fenchel(gram, losses, beta, 0.0, 0.0).holds(np.inf)


def test_what_is_moved_into_the_domain_is_the_dual_residual() -> None:
    gram, y, losses, C = setting(LogisticLoss(), 2)
    beta = 0.5 * C * y
    assert certify_fenchel(gram, losses, beta, 0.0, 0.0).dual_residual == 0.0
    outside = beta.copy()
    outside[2] = -0.1 * C * y[2]
    certificate = certify_fenchel(gram, losses, outside, 0.0, None)
    assert certificate.dual_residual == pytest.approx(0.1 / 0.5, rel=1e-9)
    assert not certificate.holds(0.1)


# --- certificates from values ---


def test_a_certificate_from_two_values() -> None:
    certificate = certify_values(10.0, 9.0, primal_residual=0.25, dual_residual=0.5, worst="here")
    assert (certificate.primal_value, certificate.dual_value) == (10.0, 9.0)
    assert certificate.relative_gap == certificate.complementarity == pytest.approx(0.1, rel=1e-15)
    assert (certificate.primal_residual, certificate.dual_residual, certificate.worst) == (0.25, 0.5, "here")
    assert certify_values(10.0, 9.0, largest=-0.5).complementarity == pytest.approx(0.05, rel=1e-15)
    # A dual value above the primal one is a contradiction, and counts as a gap as well.
    assert certify_values(9.0, 10.0).relative_gap == pytest.approx(0.1, rel=1e-15)


def test_values_below_the_floor_count_as_zero() -> None:
    assert certify_values(1e-12, 0.0).relative_gap == 1.0
    assert certify_values(1e-12, 0.0, zero_tolerance=1e-3).relative_gap == pytest.approx(1e-9, rel=1e-12)
    assert certify_values(2.0, 1.0, zero_tolerance=1e-3).relative_gap == 0.5
    assert certify_values(0.0, 0.0).holds(0.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_prove_nothing(bad: float) -> None:
    good: dict[str, float] = {"primal": 1.0, "dual": 1.0, "primal_residual": 0.0, "dual_residual": 0.0}
    assert certify_values(**good).holds(0.0)
    for name in good:
        certificate = certify_values(**(good | {name: bad}))
        assert not certificate.holds(np.inf)
        assert "NaN or infinity" in certificate.worst
