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
    ChebyshevFit,
    HardMargin,
    HardTube,
    Huber,
    HullIntersection,
    Interpolation,
    KernelRidge,
    LeastAbsoluteFit,
    LeastSquares,
    Logistic,
    NuMargin,
    NuTube,
    OneClass,
    PenalisedLogistic,
    PenalisedTube,
    Quantile,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SoftTube,
    SparseApproximation,
    SquaredHinge,
)
from formulations.losses import AbsolutePower, EpsilonInsensitive, Pinball, Squared
from formulations.losses import Huber as HuberLoss
from qpkernels.errors import InfeasibleError
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, Precomputed
from qpkernels.problems import Status

TOL = 1e-9

law = settings(derandomize=True, deadline=None, max_examples=50, database=None)
slow_law = settings(derandomize=True, deadline=None, max_examples=20, database=None)


@dataclass(frozen=True)
class Drawn:
    """Random data with a kernel and a cost."""

    X: np.ndarray
    y: np.ndarray
    kernel: Kernel | None
    C: float

    def soft(self, **changes: Any) -> SoftMargin:
        """Return a soft margin on these data, with what is named exchanged."""
        return SoftMargin(**({"X": self.X, "y": self.y, "kernel": self.kernel, "C": self.C} | changes))

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
    model = drawn.soft()
    dual = model.dual.solve("clarabel", tol=1e-8)
    assert dual.status is Status.OPTIMAL
    for form in (model.primal, model.hinge):
        primal = form.solve("clarabel", tol=1e-8)
        assert primal.objective == pytest.approx(-dual.objective, rel=1e-6)
        assert primal.certificate.relative_gap <= 1e-6


@given(drawn=data())
@slow_law
def test_smo_and_clarabel_agree(drawn: Drawn) -> None:
    ours, theirs = solved(drawn.soft().dual), drawn.soft().dual.solve("clarabel", tol=1e-8)
    assert theirs.objective == pytest.approx(ours.objective, rel=1e-7)
    assert theirs.function(drawn.X) - theirs.intercept == pytest.approx(
        ours.function(drawn.X) - ours.intercept, abs=1e-3 * np.sqrt(1 + abs(ours.objective))
    )


@given(drawn=data(separable=True))
@slow_law
def test_hard_margin_smo_and_clarabel_agree(drawn: Drawn) -> None:
    ours = solved(HardMargin(drawn.X, drawn.y, drawn.kernel).dual)
    primal = HardMargin(drawn.X, drawn.y, drawn.kernel).primal.solve("clarabel", tol=1e-8)
    geometric = HardMargin(drawn.X, drawn.y, drawn.kernel).geometric.solve("clarabel", tol=1e-8)
    assert primal.objective == pytest.approx(-ours.objective, rel=1e-6)
    assert geometric.objective == pytest.approx(ours.alpha.sum() ** -0.5, rel=1e-6)


@given(drawn=data(), noise=st.floats(0, 2), seed=st.integers(0, 1000))
@law
def test_every_candidate_bounds_the_optimum(drawn: Drawn, noise: float, seed: int) -> None:
    model = drawn.soft()
    solution = solved(model)
    rng = np.random.default_rng(seed)
    beta = solution.beta + noise * rng.normal(size=len(model))
    certificate = model.certify((beta, solution.intercept + noise * rng.normal()), weights=False)
    slack = 10 * TOL * abs(solution.objective)
    assert certificate.dual_value <= solution.objective + slack
    assert certificate.primal_value >= solution.objective - slack
    assert certificate.relative_gap >= 0


@given(drawn=data())
@law
def test_flipped_labels_flip_the_sign(drawn: Drawn) -> None:
    solution = solved(drawn.soft())
    flipped = drawn.soft(y=-drawn.y)
    assert flipped.certify((-solution.beta, -solution.intercept), weights=False).holds(2 * TOL)
    assert solved(flipped).objective == pytest.approx(solution.objective, rel=10 * TOL)


@given(drawn=data(), seed=st.integers(0, 1000))
@law
def test_the_order_of_samples_is_irrelevant(drawn: Drawn, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    solution = solved(drawn.soft())
    permuted = drawn.soft(X=drawn.X[order], y=drawn.y[order])
    assert permuted.certify((solution.beta[order], solution.intercept), weights=False).holds(2 * TOL)
    assert solved(permuted).objective == pytest.approx(solution.objective, rel=10 * TOL)


@given(drawn=data())
@law
def test_duplicated_samples_double_the_cost(drawn: Drawn) -> None:
    dear = solved(drawn.soft(C=2 * drawn.C))
    doubled = drawn.soft(X=np.vstack([drawn.X, drawn.X]), y=np.tile(drawn.y, 2))
    half = 0.5 * np.tile(dear.beta, 2)
    assert doubled.certify((half, dear.intercept), weights=False).holds(2 * TOL)
    assert solved(doubled).objective == pytest.approx(dear.objective, rel=10 * TOL)


@given(drawn=data(), exponent=st.floats(-2, 2))
@law
def test_scaling_the_kernel_is_scaling_the_cost(drawn: Drawn, exponent: float) -> None:
    s = 10.0**exponent
    solution = solved(drawn.soft())
    scaled = drawn.soft(kernel=s * drawn.named_kernel, C=drawn.C / s)
    assert scaled.certify((solution.beta / s, solution.intercept), weights=False).holds(2 * TOL)
    assert solved(scaled).objective == pytest.approx(solution.objective / s, rel=10 * TOL)


@given(drawn=data(), constant=st.floats(0.0, 3.0))
@law
def test_a_constant_added_to_the_kernel_changes_nothing(drawn: Drawn, constant: float) -> None:
    """y'a = 0 annuls it: k + c has the same beta, b and optimum."""
    plain, raised = Polynomial(1, 1.0, 0.0), Polynomial(1, 1.0, constant)
    solution = solved(drawn.soft(kernel=plain))
    lifted = drawn.soft(kernel=raised)
    assert lifted.certify((solution.beta, solution.intercept), weights=False).holds(10 * TOL)
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
        assert there.certify((solution.beta, solution.intercept - offset), weights=False).holds(1e-7)


@given(drawn=data())
@law
def test_support_vectors_alone_give_the_same_answer(drawn: Drawn) -> None:
    solution = solved(drawn.soft())
    carrying = np.flatnonzero(solution.beta)
    alone = drawn.soft(X=drawn.X[carrying], y=drawn.y[carrying])
    assert alone.certify((solution.beta[carrying], solution.intercept), weights=False).holds(2 * TOL)


@given(drawn=data(), factors=st.tuples(st.floats(1.1, 5.0), st.floats(1.1, 5.0)))
@law
def test_the_optimum_rises_concavely_with_the_cost(drawn: Drawn, factors: tuple[float, float]) -> None:
    costs = drawn.C * np.cumprod([1.0, *factors])
    values = [solved(drawn.soft(C=C)).objective for C in costs]
    slack = 10 * TOL * values[-1]
    assert values[0] <= values[1] + slack
    assert values[1] <= values[2] + slack
    share = (costs[1] - costs[0]) / (costs[2] - costs[0])
    assert values[1] >= (1 - share) * values[0] + share * values[2] - slack


@given(drawn=data(), seed=st.integers(0, 1000))
@slow_law
def test_equal_costs_one_by_one_are_one_cost(drawn: Drawn, seed: int) -> None:
    rng = np.random.default_rng(seed)
    once, each = solved(drawn.soft()), solved(drawn.soft(C=np.full(len(drawn.y), drawn.C)))
    assert np.array_equal(once.beta, each.beta)
    costs = drawn.C * rng.uniform(0.5, 2.0, size=len(drawn.y))
    weighted = solved(drawn.soft(C=costs))
    low, high = (solved(drawn.soft(C=C)).objective for C in (costs.min(), costs.max()))
    slack = 10 * TOL * high
    assert low - slack <= weighted.objective <= high + slack


@given(drawn=data(separable=True))
@law
def test_hard_margin_is_the_soft_margin_at_a_high_cost(drawn: Drawn) -> None:
    hard = solved(HardMargin(drawn.X, drawn.y, drawn.kernel))
    soft = drawn.soft(C=2 * float(hard.alpha.max()))
    assert soft.certify(hard).holds(100 * TOL)
    assert solved(soft).objective == pytest.approx(hard.objective, rel=100 * TOL)
    assert solved(soft).support.bounded.size == 0


@given(drawn=data(separable=True), scale=st.floats(0.1, 10.0))
@law
def test_the_margin_is_measured_in_the_units_of_the_features(drawn: Drawn, scale: float) -> None:
    margins = [solved(HardMargin(X, drawn.y).geometric).objective for X in (drawn.X, scale * drawn.X)]
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


# --- relations between the models ---

relation = settings(derandomize=True, deadline=None, max_examples=15, database=None)


@dataclass(frozen=True)
class Measured:
    """Random samples with real targets, a kernel and a cost."""

    X: np.ndarray
    y: np.ndarray
    kernel: Kernel | None
    C: float


@st.composite
def targets(draw: st.DrawFn) -> Measured:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    samples, features = draw(st.integers(8, 20)), draw(st.integers(1, 3))
    X = rng.normal(size=(samples, features))
    y = np.sin(2 * X[:, 0]) + 0.5 + 0.3 * rng.standard_t(3, size=samples)
    kernel = draw(st.sampled_from([None, Linear(), RBF(0.5), RBF(2.0), Polynomial(2, 0.5, 1.0)]))
    return Measured(X, y, kernel, 10.0 ** draw(st.floats(-1, 1)))


def proved(model: Any, tol: float = 1e-8, solver: str | None = None) -> Any:
    solution = model.solve(solver, tol=tol)
    assert solution.status is Status.OPTIMAL, solution
    return solution


def assert_same_function(one: Any, other: Any, X: np.ndarray, atol: float = 1e-3) -> None:
    assert one.function(X) == pytest.approx(other.function(X), abs=atol * (1 + np.abs(other.function(X)).max()))


@given(drawn=targets())
@relation
def test_four_ways_to_least_squares(drawn: Measured) -> None:
    data = (drawn.X, drawn.y, drawn.kernel)
    model = LeastSquares(*data, C=drawn.C)
    forms = (model.dual, model.primal, model.system, model.centred)
    dual, primal, system, centred = (proved(form) for form in forms)
    for other in (primal, system, centred):
        assert_same_function(other, dual, drawn.X, 1e-4)
        assert other.intercept == pytest.approx(dual.intercept, abs=1e-4)
    loss = proved(ResidualLossRegression(*data, loss=Squared(), C=drawn.C).primal)
    assert loss.objective == pytest.approx(dual.objective, rel=1e-6)
    squares = proved(ResidualLossRegression(*data, loss=AbsolutePower(2.0), C=0.5 * drawn.C).primal)
    assert squares.objective == pytest.approx(dual.objective, rel=1e-6)
    # Beyond the largest residual Huber's loss never turns linear.
    wide = 2.0 * float(np.abs(dual.residuals).max())
    assert proved(Huber(*data, C=drawn.C, delta=wide).dual).objective == pytest.approx(dual.objective, rel=1e-6)


@given(drawn=targets())
@relation
def test_ridge_is_least_squares_through_the_origin(drawn: Measured) -> None:
    data, m = (drawn.X, drawn.y, drawn.kernel), len(drawn.y)
    ridge = 1.0 / drawn.C
    model = KernelRidge(*data, regularisation=ridge)
    dual, primal = proved(model.dual), proved(model.primal)
    K = (drawn.kernel or Linear())(drawn.X)
    beta = np.linalg.solve(K + ridge * np.eye(m), drawn.y)
    assert dual.beta == pytest.approx(beta, abs=1e-6 * np.abs(beta).max())
    f = K @ beta
    assert primal.objective == pytest.approx((ridge * beta @ f + np.sum((drawn.y - f) ** 2)) / m, rel=1e-7)
    unbiased = ResidualLossRegression(*data, loss=Squared(), C=drawn.C, fit_intercept=False).primal
    assert proved(unbiased).objective == pytest.approx(dual.objective, rel=1e-6)


@given(drawn=targets(), width=st.floats(0.05, 0.5))
@relation
def test_one_tube_in_four_scalings(drawn: Measured, width: float) -> None:
    data, m = (drawn.X, drawn.y, drawn.kernel), len(drawn.y)
    soft = proved(SoftTube(*data, C=drawn.C, epsilon=width).dual)
    loss = proved(ResidualLossRegression(*data, loss=EpsilonInsensitive(width), C=drawn.C).primal)
    assert loss.objective == pytest.approx(-soft.objective, rel=1e-6)
    unbiased = proved(SoftTube(*data, C=drawn.C, epsilon=width, fit_intercept=False).dual)
    penalised = proved(PenalisedTube(*data, regularisation=0.5 / drawn.C, epsilon=width).loss)
    assert penalised.objective == pytest.approx(-unbiased.objective / (drawn.C * m), rel=1e-6)
    # At epsilon = 0 the tube is the absolute loss: twice the pinball of the median.
    absolute = proved(SoftTube(*data, C=drawn.C, epsilon=0.0).dual)
    median = proved(Quantile(*data, C=2 * drawn.C, tau=0.5).dual)
    assert median.objective == pytest.approx(-absolute.objective, rel=1e-6)
    pinball = proved(ResidualLossRegression(*data, loss=Pinball(0.5), C=2 * drawn.C).primal)
    assert pinball.objective == pytest.approx(median.objective, rel=1e-6)


@given(drawn=targets(), nu=st.floats(0.15, 0.85))
@relation
def test_a_nu_tube_is_the_soft_tube_of_the_width_it_finds(drawn: Measured, nu: float) -> None:
    data = (drawn.X, drawn.y, drawn.kernel)
    found = proved(NuTube(*data, nu=nu, C=drawn.C).dual)
    soft = SoftTube(*data, C=drawn.C, epsilon=found.epsilon).dual
    cost = drawn.C * nu * len(drawn.y) * found.epsilon
    assert -found.objective - cost == pytest.approx(-proved(soft).objective, rel=1e-5, abs=1e-6)
    outside = found.slacks > 1e-5 * (1 + found.epsilon)
    assert outside.sum() <= nu * len(drawn.y) + 1e-9


@given(drawn=targets(), room=st.floats(1.05, 3.0))
@relation
def test_sparse_approximation_is_the_dual_of_the_hard_tube(drawn: Measured, room: float) -> None:
    data = (drawn.X, drawn.y, drawn.kernel)
    smallest = ChebyshevFit(*data, fit_intercept=False).primal.solve(tol=1e-8).objective
    # A narrow tube and a nearly singular kernel matrix leave coefficients of any size.
    width = room * max(smallest, 0.5 * float(np.abs(drawn.y).max()))
    sparse = SparseApproximation(*data, epsilon=width)
    values = [proved(form, solver="clarabel").objective for form in (sparse.l1, sparse.split)]
    unbiased = {"epsilon": width, "fit_intercept": False}
    primal = proved(HardTube(*data, **unbiased).primal, solver="clarabel").objective
    dual = proved(HardTube(*data, **unbiased).dual, solver="clarabel").objective
    assert values == pytest.approx([dual, dual], rel=1e-6, abs=1e-7)
    assert primal == pytest.approx(-dual, rel=1e-6, abs=1e-7)


@given(drawn=targets(), share=st.floats(0.2, 0.8))
@relation
def test_the_smallest_tube_is_the_chebyshev_fit(drawn: Measured, share: float) -> None:
    fit = proved(ChebyshevFit(drawn.X, drawn.y).primal)
    width = fit.objective
    assert np.abs(fit.residuals).max() == pytest.approx(width, rel=1e-6)
    assert proved(HardTube(drawn.X, drawn.y, epsilon=1.001 * width).primal).objective > 0
    assert width <= np.abs(proved(LeastAbsoluteFit(drawn.X, drawn.y).primal).residuals).max() * (1 + 1e-6)
    with pytest.raises(InfeasibleError, match="the smallest feasible epsilon is"):
        HardTube(drawn.X, drawn.y, epsilon=share * width).primal.solve("clarabel")


@given(drawn=targets())
@relation
def test_interpolation_is_the_limit_of_the_ridge(drawn: Measured) -> None:
    data = (drawn.X, drawn.y, RBF(2.0))
    K = RBF(2.0)(drawn.X)
    if np.linalg.cond(K) > 1e6:
        return
    solution = proved(Interpolation(*data).primal)
    assert solution.beta == pytest.approx(np.linalg.solve(K, drawn.y), rel=1e-6, abs=1e-8)
    assert np.abs(solution.residuals).max() <= 1e-8
    values = [KernelRidge(*data, regularisation=ridge).dual.solve().objective for ridge in (1e-2, 1e-6, 1e-10)]
    assert values[0] <= values[1] <= values[2] <= solution.objective * (1 + 1e-9)
    assert values[2] == pytest.approx(solution.objective, rel=1e-4)


@given(drawn=targets(), delta=st.floats(0.1, 1.0))
@relation
def test_huber_by_its_own_form_and_by_its_loss(drawn: Measured, delta: float) -> None:
    data = (drawn.X, drawn.y, drawn.kernel)
    models = Huber(*data, C=drawn.C, delta=delta), ResidualLossRegression(*data, loss=HuberLoss(delta), C=drawn.C)
    one, other = proved(models[0].dual), proved(models[1].primal)
    assert one.objective == pytest.approx(other.objective, rel=1e-6)
    # Where every residual is beyond delta, b is any of an interval, and each solver takes another.
    assert one.function(drawn.X) - one.intercept == pytest.approx(other.function(drawn.X) - other.intercept, abs=1e-3)
    assert one.intercept_interval == pytest.approx(other.intercept_interval, abs=1e-3)
    assert models[0].certify(other).holds(1e-7)
    assert models[1].certify(one).holds(1e-7)


@given(drawn=data())
@relation
def test_the_squared_hinge_is_a_hard_margin_on_a_lifted_diagonal(drawn: Drawn) -> None:
    K = drawn.named_kernel(drawn.X)
    lifted = Precomputed(K + np.eye(len(K)) / (2 * drawn.C))
    hard = proved(HardMargin(np.arange(len(K)), drawn.y, lifted).dual, 1e-7)
    squared = proved(SquaredHinge(drawn.X, drawn.y, drawn.kernel, C=drawn.C).dual, 1e-7)
    assert squared.objective == pytest.approx(hard.objective, rel=1e-6)
    assert squared.alpha == pytest.approx(hard.alpha, abs=1e-2 * hard.alpha.max())


@given(drawn=data())
@relation
def test_logistic_regression_in_two_scalings(drawn: Drawn) -> None:
    m = len(drawn.y)
    with_cost = proved(Logistic(drawn.X, drawn.y, drawn.kernel, C=drawn.C, fit_intercept=False).dual)
    penalised = proved(PenalisedLogistic(drawn.X, drawn.y, drawn.kernel, regularisation=0.5 / drawn.C).penalised)
    assert penalised.objective == pytest.approx(with_cost.objective / (drawn.C * m), rel=1e-6)
    assert_same_function(with_cost, penalised, drawn.X)


@given(drawn=data(), share=st.floats(0.3, 0.95))
@relation
def test_a_nu_machine_is_the_soft_margin_of_the_cost_it_finds(drawn: Drawn, share: float) -> None:
    m = len(drawn.y)
    nu = share * 2 * min((drawn.y > 0).sum(), (drawn.y < 0).sum()) / m
    found = proved(NuMargin(drawn.X, drawn.y, drawn.kernel, nu=nu).dual, 1e-7)
    if found.margin_level < 1e-2:
        return
    soft = proved(drawn.soft(C=1.0 / (m * found.margin_level)))
    assert_same_function(soft, _Scaled(found, 1.0 / found.margin_level), drawn.X, 1e-2)
    assert (found.slacks > 1e-5 * found.margin_level).sum() <= nu * m + 1e-9


@dataclass(frozen=True)
class _Scaled:
    """A solution whose function is multiplied by a number."""

    solution: Any
    factor: float

    def function(self, X: np.ndarray) -> np.ndarray:
        return self.factor * self.solution.function(X)


@given(drawn=data(), nu=st.floats(0.1, 0.9))
@relation
def test_at_most_a_share_nu_lies_outside_of_one_class(drawn: Drawn, nu: float) -> None:
    solution = proved(OneClass(drawn.X, RBF(0.5), nu=nu).dual)
    m = len(drawn.X)
    assert solution.outliers.size <= nu * m + 1e-9
    assert len(solution.support) >= nu * m - 1e-9
    assert solution.beta.sum() == pytest.approx(1.0, abs=1e-9)
    # A line through the origin of the space: doubling the kernel doubles rho.
    doubled = proved(OneClass(drawn.X, 2.0 * RBF(0.5), nu=nu).dual)
    assert doubled.rho == pytest.approx(2.0 * solution.rho, rel=1e-4)
