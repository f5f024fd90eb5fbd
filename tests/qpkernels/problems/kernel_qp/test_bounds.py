# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of any candidate: the truth passes, everything else fails."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from builders import FAMILIES, SEEDS, every_family, manufacture, random_feasible, two_classes
from qpkernels import RBF, Gram, Linear, Precomputed
from qpkernels.errors import IndefiniteKernelError
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.solvers import find_solver
from together import together


@pytest.mark.parametrize(
    ("indefinite", "smallest", "target", "error_bound"),
    [("refuse", -1e-12, 1.0, 1e-10), ("clip", -1e-12, 1.0, 1e-10), ("clip", -0.5, 1.0, 0.0), ("shift", -0.5, 1.5, 0.0)],
)
def test_the_certificate_counts_the_error_bound_of_a_matrix_that_was_only_checked(
    indefinite: Any, smallest: float, target: float, error_bound: float
) -> None:
    gram = Gram(Precomputed(np.diag([1.0, 1.0, smallest])), np.arange(3), indefinite=indefinite)
    program = KernelQP(gram, [target, target, 0.0], -1.0, 1.0, None)
    certificate = certify_kernel_qp(program, np.array([1.0, 1.0, 0.0]), 0.0)
    # At the optimum nothing is left but the rounding.
    assert certificate.primal_value == pytest.approx(target, rel=1e-12)
    assert certificate.relative_gap == pytest.approx(error_bound, rel=1e-4, abs=1e-14)
    assert certificate.relative_gap >= error_bound


HARD = [name for name in FAMILIES if name.startswith("hard margin")]


SOFT = [name for name in FAMILIES if name not in HARD]


@every_family
@together("seed", range(3))
def test_the_known_optimum_is_certified(name: str, seed: int) -> None:
    made = manufacture(name, seed)
    certificate = certify_kernel_qp(made.program, made.beta, made.intercept)
    assert certificate.holds(1e-12), certificate
    assert certificate.primal_value == pytest.approx(-made.optimum, rel=1e-11)
    assert certificate.dual_value == pytest.approx(-made.optimum, rel=1e-11)
    assert str(certificate).startswith("optimal to 1e-06: the optimum lies between ")
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
    short = np.maximum(1.0 - margins, 0.0) / (np.abs(y - b) + np.abs(values))
    assert gap.violation == pytest.approx(short.max(), rel=1e-12)
    assert gap.primal_value == pytest.approx(0.5 * norm * max(1.0, 1.0 / margins.min()) ** 2, rel=1e-12)
    assert gap.primal_value >= gap.dual_value
    best = random_feasible(program, seed + 1)
    scale = float(y @ best) / float(best @ program.gram.dense @ best)
    assert gap.primal_value >= -program.objective(scale * best)


def test_the_rescaling_makes_an_upper_bound_of_a_function_that_is_too_small() -> None:
    X = np.array([[2.0], [-1.0]])
    program = KernelQP(Gram(Linear(), X), [1.0, -1.0], [0.0, -np.inf], [np.inf, 0.0])
    # The optimum is w = 2/3, b = -1/3; half of it violates every constraint by one half, the second of 5/6 and 1/3.
    w, b = 1 / 3, -1 / 6
    gap = duality_gap(program, np.zeros(2), np.zeros(2), b, FunctionAtSamples(w * X[:, 0], w**2))
    assert gap.violation == pytest.approx(0.5 / (5 / 6 + 1 / 3))
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


VALUES = np.linspace(-2.5, 2.5, 41)


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


@together("parts, loss", [row[1:] for row in LOSSES])
def test_each_loss_has_its_textbook_formula(parts: dict[str, float], loss: Callable[[Any], Any]) -> None:
    gram = Gram(Linear(), np.ones((1, 1)))
    for v in VALUES[~np.isnan(loss(VALUES))]:
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


def test_a_hard_constraint_is_violated_by_its_distance_as_a_share_of_its_own_terms() -> None:
    gram = Gram(Linear(), np.ones((1, 1)))
    program = KernelQP(gram, 3.0, -np.inf, np.inf, None, epsilon=0.5)
    for v, violation in ((2.5, 0.0), (3.5, 0.0), (2.0, 0.5 / 5.5), (4.2, 0.7 / 7.7), (-1.0, 3.5 / 4.5)):
        gap = duality_gap(program, np.zeros(1), np.zeros(1), 0.0, FunctionAtSamples(np.array([v]), 1.0))
        assert gap.violation == pytest.approx(violation, rel=1e-12)


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


@together("name", WITH_INTERCEPT)
def test_a_sum_that_is_off_counts_in_full(name: str) -> None:
    made = manufacture(name)
    size = float(np.abs(made.beta).sum())
    for step in (1e-4, -1e-4):
        beta = made.beta.copy()
        beta[np.abs(beta).argmax()] *= 1 + step * size / np.abs(beta).max()
        certificate = certify_kernel_qp(made.program, beta, made.intercept)
        assert certificate.dual_residual >= 0.99e-4


@together("name", WITH_INTERCEPT)
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
@together("bad", [np.nan, np.inf, -np.inf])
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


def test_nothing_is_proved_with_an_indefinite_matrix() -> None:
    """With K = [[0, 2], [2, 0]], all conditions hold at a beta that is worse than 0."""
    gram = Gram(Precomputed([[0.0, 2.0], [2.0, 0.0]]), np.arange(2))
    program = KernelQP(gram, np.array([1.0, 1.0]), 0.0, 1.0, total=None)
    with pytest.raises(IndefiniteKernelError, match="smallest eigenvalue is -2 "):
        certify_kernel_qp(program, np.array([0.5, 0.5]), 0.0)


def separable(C: float) -> KernelQP:
    X = np.random.default_rng(4).normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, 1.0, -1.0)
    X[:, 0] += 0.5 * y
    return KernelQP(Gram(Linear(), X), y, np.minimum(0.0, C * y), np.maximum(0.0, C * y), name="soft margin")


@pytest.mark.parametrize("C", [1e6, 1e10, 1e14, 1e30])
def test_rounding_costs_nothing_however_large_the_cost(C: float) -> None:
    """An answer without slack is scaled by so little that margins of 1, rounded, are at least 1."""
    hard = find_solver("interior-point").solve(separable(np.inf), tol=1e-12)
    beta, b = hard.point, float(hard.multipliers[0])
    optimum = certify_kernel_qp(separable(np.inf), beta, b).primal_value
    assert np.abs(beta).max() < 1e3
    proof = certify_kernel_qp(separable(C), beta, b)
    assert proof.holds(1e-9)
    assert proof.primal_residual <= 1e-11
    assert optimum * (1.0 - 1e-12) <= proof.primal_value <= optimum * (1.0 + 1e-8)
    assert not certify_kernel_qp(separable(C), 1.001 * beta, b).holds(1e-6)
    assert not certify_kernel_qp(separable(C), beta, b + 1e-3).holds(1e-6)


@pytest.mark.parametrize("share", [0.9, 1.0 - 1e-6, 1.0 - 1e-8])
@pytest.mark.parametrize("C", [1e10, 1e14])
def test_a_slack_that_is_no_rounding_costs_what_it_costs(C: float, share: float) -> None:
    hard = find_solver("interior-point").solve(separable(np.inf), tol=1e-12)
    program, beta, b = separable(C), share * hard.point, share * float(hard.multipliers[0])
    slacks = np.maximum(0.0, 1.0 - program.target * (program.gram.product(beta) + b))
    value = 0.5 * beta @ program.gram.product(beta) + C * slacks.sum()
    assert certify_kernel_qp(program, beta, b).primal_value == pytest.approx(value, rel=1e-6)


def test_a_coefficient_of_zero_is_named_without_a_sign() -> None:
    program = KernelQP(Gram(Linear(), [[0.0], [1.0]]), [-1.0, 1.0], [-1.0, 0.0], [0.0, 1.0])
    assert "(target -1, beta 0)" in certify_kernel_qp(program, np.array([-0.0, 0.0]), 0.0).worst
