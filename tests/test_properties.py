# SPDX-License-Identifier: BSD-3-Clause
"""Laws of the models on random data. Answers are compared by certificate: (beta, b) of one model, mapped to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formulations import (
    HardMarginDual,
    HardMarginGeometric,
    HardMarginPrimal,
    HullIntersection,
    Separability,
    SoftMarginDual,
    SoftMarginHinge,
    SoftMarginPrimal,
)
from qpkernels.certificates import Status
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial

TOL = 1e-9

law = settings(derandomize=True, deadline=None, max_examples=500, database=None)
slow_law = settings(derandomize=True, deadline=None, max_examples=50, database=None)


@dataclass(frozen=True)
class Drawn:
    """Random data with a kernel and a price."""

    X: np.ndarray
    y: np.ndarray
    kernel: Kernel | None
    C: float

    def soft(self, form: type = SoftMarginDual, **changes: Any) -> Any:
        """Return a soft margin on these data, with what is named exchanged."""
        parts = {"X": self.X, "y": self.y, "kernel": self.kernel, "C": self.C} | changes
        return form(parts["X"], parts["y"], parts["kernel"], C=parts["C"])

    @property
    def named_kernel(self) -> Kernel:
        return self.kernel or Linear()


@st.composite
def data(draw: st.DrawFn, separable: bool = False) -> Drawn:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    samples, features = draw(st.integers(4, 24)), draw(st.integers(1, 4))
    X = rng.normal(size=(samples, features))
    y = np.where(rng.random(samples) < draw(st.floats(0.2, 0.8)), 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if separable:
        X[:, 0] = y * (0.2 + np.abs(X[:, 0]))
    kernel = draw(st.sampled_from([None, Linear(), RBF(0.5), RBF(2.0), Polynomial(2, 0.5, 1.0), 0.5 * RBF(0.1)]))
    return Drawn(X, y, kernel, 10.0 ** draw(st.floats(-2, 1.5)))


def solved(model: Any) -> Any:
    solution = model.solve("smo", tol=TOL)
    assert solution.status is Status.OPTIMAL, solution
    return solution


@given(drawn=data())
@slow_law
def test_primal_and_dual_have_the_same_value(drawn: Drawn) -> None:
    dual = drawn.soft().solve("clarabel", tol=1e-8)
    assert dual.status is Status.OPTIMAL
    for form in (SoftMarginPrimal, SoftMarginHinge):
        primal = drawn.soft(form).solve("clarabel", tol=1e-8)
        assert primal.objective == pytest.approx(-dual.objective, rel=1e-6)
        assert primal.certificate.relative_gap <= 1e-6


@given(drawn=data())
@slow_law
def test_smo_and_clarabel_agree(drawn: Drawn) -> None:
    ours, theirs = solved(drawn.soft()), drawn.soft().solve("clarabel", tol=1e-8)
    assert theirs.objective == pytest.approx(ours.objective, rel=1e-7)
    assert theirs.function(drawn.X) - theirs.intercept == pytest.approx(
        ours.function(drawn.X) - ours.intercept, abs=1e-3 * np.sqrt(1 + abs(ours.objective))
    )


@given(drawn=data(separable=True))
@slow_law
def test_hard_margin_smo_and_clarabel_agree(drawn: Drawn) -> None:
    ours = solved(HardMarginDual(drawn.X, drawn.y, drawn.kernel))
    primal = HardMarginPrimal(drawn.X, drawn.y, drawn.kernel).solve("clarabel", tol=1e-8)
    geometric = HardMarginGeometric(drawn.X, drawn.y, drawn.kernel).solve("clarabel", tol=1e-8)
    assert primal.objective == pytest.approx(-ours.objective, rel=1e-6)
    assert geometric.objective == pytest.approx(ours.alpha.sum() ** -0.5, rel=1e-6)


@given(drawn=data(), noise=st.floats(0, 2), seed=st.integers(0, 1000))
@law
def test_every_candidate_bounds_the_optimum(drawn: Drawn, noise: float, seed: int) -> None:
    model = drawn.soft()
    solution = solved(model)
    rng = np.random.default_rng(seed)
    beta = solution.beta + noise * rng.normal(size=len(model))
    certificate = model.certify((beta, solution.intercept + noise * rng.normal()))
    slack = 10 * TOL * abs(solution.objective)
    assert certificate.dual_value <= -solution.objective + slack
    assert certificate.primal_value >= -solution.objective - slack
    assert certificate.relative_gap >= 0


@given(drawn=data())
@law
def test_flipped_labels_flip_the_sign(drawn: Drawn) -> None:
    solution = solved(drawn.soft())
    flipped = drawn.soft(y=-drawn.y)
    assert flipped.certify((-solution.beta, -solution.intercept)).holds(2 * TOL)
    assert solved(flipped).objective == pytest.approx(solution.objective, rel=10 * TOL)


@given(drawn=data(), seed=st.integers(0, 1000))
@law
def test_the_order_of_samples_is_irrelevant(drawn: Drawn, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    solution = solved(drawn.soft())
    permuted = drawn.soft(X=drawn.X[order], y=drawn.y[order])
    assert permuted.certify((solution.beta[order], solution.intercept)).holds(2 * TOL)
    assert solved(permuted).objective == pytest.approx(solution.objective, rel=10 * TOL)


@given(drawn=data())
@law
def test_duplicated_samples_double_the_price(drawn: Drawn) -> None:
    dear = solved(drawn.soft(C=2 * drawn.C))
    doubled = drawn.soft(X=np.vstack([drawn.X, drawn.X]), y=np.tile(drawn.y, 2))
    half = 0.5 * np.tile(dear.beta, 2)
    assert doubled.certify((half, dear.intercept)).holds(2 * TOL)
    assert solved(doubled).objective == pytest.approx(dear.objective, rel=10 * TOL)


@given(drawn=data(), exponent=st.floats(-2, 2))
@law
def test_scaling_the_kernel_is_scaling_the_price(drawn: Drawn, exponent: float) -> None:
    s = 10.0**exponent
    solution = solved(drawn.soft())
    scaled = drawn.soft(kernel=s * drawn.named_kernel, C=drawn.C / s)
    assert scaled.certify((solution.beta / s, solution.intercept)).holds(2 * TOL)
    assert solved(scaled).objective == pytest.approx(solution.objective / s, rel=10 * TOL)


@given(drawn=data(), constant=st.floats(0.0, 3.0))
@law
def test_a_constant_added_to_the_kernel_changes_nothing(drawn: Drawn, constant: float) -> None:
    """y'a = 0 annuls it: k + c has the same beta, b and optimum."""
    plain, raised = Polynomial(1, 1.0, 0.0), Polynomial(1, 1.0, constant)
    solution = solved(drawn.soft(kernel=plain))
    lifted = drawn.soft(kernel=raised)
    assert lifted.certify((solution.beta, solution.intercept)).holds(10 * TOL)
    assert solved(lifted).objective == pytest.approx(solution.objective, rel=100 * TOL)
    assert solved(drawn.soft(kernel=Linear())).objective == pytest.approx(solution.objective, rel=10 * TOL)


@given(drawn=data(), seed=st.integers(0, 1000))
@law
def test_moving_and_turning_the_samples(drawn: Drawn, seed: int) -> None:
    """A motion leaves the Gaussian kernel as it is; for a line it moves into b."""
    rng = np.random.default_rng(seed)
    d = drawn.X.shape[1]
    rotation, shift = np.linalg.qr(rng.normal(size=(d, d)))[0], rng.normal(size=d)
    moved = drawn.X @ rotation + shift
    for kernel in (RBF(0.7), None):
        solution = solved(drawn.soft(kernel=kernel))
        there = drawn.soft(X=moved, kernel=kernel)
        offset = 0.0 if kernel else float(solution.beta @ drawn.X @ rotation @ shift)
        assert there.certify((solution.beta, solution.intercept - offset)).holds(1e-7)


@given(drawn=data())
@law
def test_support_vectors_alone_give_the_same_answer(drawn: Drawn) -> None:
    solution = solved(drawn.soft())
    carrying = np.flatnonzero(solution.beta)
    alone = drawn.soft(X=drawn.X[carrying], y=drawn.y[carrying])
    assert alone.certify((solution.beta[carrying], solution.intercept)).holds(2 * TOL)


@given(drawn=data(), factors=st.tuples(st.floats(1.1, 5.0), st.floats(1.1, 5.0)))
@law
def test_the_optimum_rises_concavely_with_the_price(drawn: Drawn, factors: tuple[float, float]) -> None:
    prices = drawn.C * np.cumprod([1.0, *factors])
    values = [-solved(drawn.soft(C=C)).objective for C in prices]
    slack = 10 * TOL * values[-1]
    assert values[0] <= values[1] + slack
    assert values[1] <= values[2] + slack
    share = (prices[1] - prices[0]) / (prices[2] - prices[0])
    assert values[1] >= (1 - share) * values[0] + share * values[2] - slack


@given(drawn=data(), seed=st.integers(0, 1000))
@slow_law
def test_equal_prices_one_by_one_are_one_price(drawn: Drawn, seed: int) -> None:
    rng = np.random.default_rng(seed)
    once, each = solved(drawn.soft()), solved(drawn.soft(C=np.full(len(drawn.y), drawn.C)))
    assert np.array_equal(once.beta, each.beta)
    prices = drawn.C * rng.uniform(0.5, 2.0, size=len(drawn.y))
    weighted = solved(drawn.soft(C=prices))
    low, high = (-solved(drawn.soft(C=C)).objective for C in (prices.min(), prices.max()))
    slack = 10 * TOL * high
    assert low - slack <= -weighted.objective <= high + slack


@given(drawn=data(separable=True))
@law
def test_hard_margin_is_the_soft_margin_at_a_high_price(drawn: Drawn) -> None:
    hard = solved(HardMarginDual(drawn.X, drawn.y, drawn.kernel))
    soft = drawn.soft(C=2 * float(hard.alpha.max()))
    assert soft.certify(hard).holds(100 * TOL)
    assert solved(soft).objective == pytest.approx(hard.objective, rel=100 * TOL)
    assert solved(soft).support.bounded.size == 0


@given(drawn=data(separable=True), scale=st.floats(0.1, 10.0))
@law
def test_the_margin_is_measured_in_the_units_of_the_features(drawn: Drawn, scale: float) -> None:
    margins = [solved(HardMarginGeometric(X, drawn.y)).objective for X in (drawn.X, scale * drawn.X)]
    assert margins[1] == pytest.approx(scale * margins[0], rel=100 * TOL)


@given(drawn=data())
@slow_law
def test_either_a_separating_function_or_a_common_point(drawn: Drawn) -> None:
    answer = Separability(drawn.X, drawn.y).decide()
    if isinstance(answer, HullIntersection):
        signed = drawn.y * answer.multipliers
        assert np.abs(signed @ drawn.X).max() <= 1e-5 * np.abs(drawn.X).max()
        assert signed.sum() == pytest.approx(0, abs=1e-12)
        assert answer.multipliers.min() >= 0
    else:
        assert (drawn.y * answer.function(drawn.X)).min() >= 1 - 1e-5


def test_the_strategy_draws_both_kinds() -> None:
    """The law above is empty unless some draws are separable and some are not."""
    kinds = set()

    @given(drawn=data())
    @slow_law
    def collect(drawn: Drawn) -> None:
        kinds.add(type(Separability(drawn.X, drawn.y).decide()))

    collect()
    assert len(kinds) == 2
