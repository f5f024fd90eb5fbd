# SPDX-License-Identifier: BSD-3-Clause
"""Hard and soft margins, their duals, multipliers and intercepts, and the linear-programming machine."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog

from formulations import HardMargin, LinearProgramMachine, SoftMargin
from formulations.modelling import Classification
from qpkernels import RBF, Kernel, Polynomial, ScaledQuadraticMap
from textbook.cases import APART, GAMMA, MIXED, TOL, Pairs, formula, minimised, root, strictly_between

__all__: list[str] = []

C = 1.5


@cache
def hard(kernel: Kernel | None = None) -> Classification:
    """Return our hard margin."""
    return HardMargin(APART.X, APART.y, kernel).solve(tol=TOL)


@cache
def soft(kernel: Kernel | None = None, cost: float = C) -> Classification:
    """Return our soft margin."""
    return SoftMargin(MIXED.X, MIXED.y, kernel, C=cost).solve(tol=TOL)


@cache
def hard_primal(in_kernel: bool = False) -> SimpleNamespace:
    """Return the restated hard margin in w and b, in the features or in those of the Gaussian kernel."""
    Z = root(APART.K) if in_kernel else APART.X
    w, b = cp.Variable(Z.shape[1]), cp.Variable()
    rows = cp.multiply(APART.y, Z @ w + b) >= 1
    value = minimised(0.5 * cp.sum_squares(w), rows)
    return SimpleNamespace(value=value, w=w.value, b=float(b.value), a=rows.dual_value, g=Z @ w.value + b.value)


@cache
def hard_dual(in_kernel: bool = False) -> SimpleNamespace:
    """Return the restated dual of the hard margin."""
    Z, y = root(APART.K) if in_kernel else APART.X, APART.y
    a = cp.Variable(len(y))
    value = minimised(0.5 * cp.sum_squares(Z.T @ cp.multiply(y, a)) - cp.sum(a), y @ a == 0, a >= 0)
    return SimpleNamespace(value=value, a=a.value)


@cache
def soft_primal(in_kernel: bool = False) -> SimpleNamespace:
    """Return the restated soft margin with slacks."""
    Z, y = root(MIXED.K) if in_kernel else MIXED.X, MIXED.y
    w, b, xi = cp.Variable(Z.shape[1]), cp.Variable(), cp.Variable(len(y))
    margin, slack = cp.multiply(y, Z @ w + b) >= 1 - xi, xi >= 0
    value = minimised(0.5 * cp.sum_squares(w) + C * cp.sum(xi), margin, slack)
    return SimpleNamespace(
        value=value, w=w.value, b=float(b.value), xi=xi.value, a=margin.dual_value, mu=slack.dual_value
    )


@cache
def soft_dual(in_kernel: bool = False) -> SimpleNamespace:
    """Return the restated dual of the soft margin."""
    Z, y = root(MIXED.K) if in_kernel else MIXED.X, MIXED.y
    a = cp.Variable(len(y))
    value = minimised(0.5 * cp.sum_squares(Z.T @ cp.multiply(y, a)) - cp.sum(a), y @ a == 0, a >= 0, a <= C)
    return SimpleNamespace(value=value, a=a.value)


@formula
def linear_discriminant() -> Pairs:
    best = hard_primal()
    yield hard().function(APART.N), APART.N @ best.w + best.b


@formula
def class_by_sign() -> Pairs:
    best = hard_primal()
    yield hard().predict(APART.N), np.sign(APART.N @ best.w + best.b)


@formula
def correct_side() -> Pairs:
    best = hard_primal()
    yield np.sign(hard().margins), np.ones(len(APART))
    yield hard().margins, APART.y * (APART.X @ best.w + best.b)


@formula
def separating_hyperplane() -> Pairs:
    w, b = hard().function.weights, hard().intercept
    foot = -b * w / (w @ w)
    yield hard().function(foot[None, :]), [0.0]
    # |b| / ||w|| is the distance of the hyperplane from the origin.
    yield np.linalg.norm(foot), abs(hard_primal().b) / np.linalg.norm(hard_primal().w)


@formula
def distance_to_the_hyperplane() -> Pairs:
    best, w = hard_primal(), hard().function.weights
    projected = APART.X - np.outer(hard().decision / (w @ w), w)
    yield hard().function(projected), np.zeros(len(APART))
    yield hard().margins * hard().margin, APART.y * (APART.X @ best.w + best.b) / np.linalg.norm(best.w)
    yield hard().margins * hard().margin, np.linalg.norm(APART.X - projected, axis=1)


@formula
def margin_is_the_least_distance() -> Pairs:
    best = hard_primal()
    distances = APART.y * (APART.X @ best.w + best.b) / np.linalg.norm(best.w)
    yield hard().margin, distances.min()


@formula
def largest_margin() -> Pairs:
    w, b, m = cp.Variable(2), cp.Variable(), cp.Variable()
    value = -minimised(-m, cp.multiply(APART.y, APART.X @ w + b) >= m, cp.norm(w) <= 1)
    answer = HardMargin(APART.X, APART.y).geometric.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.function.weights * answer.objective, w.value


@formula
def rescaled_hyperplane() -> Pairs:
    w, b = 7.0 * hard().function.weights, 7.0 * hard().intercept
    yield hard().margins * hard().margin, APART.y * (APART.X @ w + b) / np.linalg.norm(w)


@formula
def canonical_scale() -> Pairs:
    best = hard_primal()
    yield hard().margins.min(), 1.0
    yield hard().margin * np.linalg.norm(hard().function.weights), (APART.y * (APART.X @ best.w + best.b)).min()
    yield hard().margin, 1.0 / np.linalg.norm(best.w)


@formula
def margin_between_two_samples() -> Pairs:
    best, on = hard_primal(), hard().support.free
    upper, lower = (APART.X[on[APART.y[on] == sign][0]] for sign in (1, -1))
    yield hard().margin, (best.w @ upper - best.w @ lower) / (2.0 * np.linalg.norm(best.w))


@formula
def hard_margin_primal() -> Pairs:
    best, answer = hard_primal(), HardMargin(APART.X, APART.y).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.function.weights, best.w
    yield answer.intercept, best.b


@formula
def hard_margin_lagrangian() -> Pairs:
    s, w = hard(), hard().function.weights
    a = hard_dual().a

    def lagrangian(w: np.ndarray, b: float, a: np.ndarray) -> float:
        return float(0.5 * w @ w - a @ (APART.y * (APART.X @ w + b) - 1.0))

    # A saddle point: its value is the optimum, the function has it for every b, and every other w has more.
    yield s.objective, lagrangian(w, s.intercept, s.alpha)
    yield s.objective, lagrangian(w, 17.0, a)
    for step in np.eye(2):
        yield s.objective + 0.5 * step @ step, lagrangian(w + step, s.intercept, a)


@formula
def hard_margin_weights() -> Pairs:
    yield hard().function.weights, APART.X.T @ (APART.y * hard_dual().a)
    yield APART.X.T @ (APART.y * hard().alpha), hard_primal().w


@formula
def hard_margin_balance() -> Pairs:
    yield APART.y @ hard().alpha, 0.0
    yield APART.y @ hard(RBF(GAMMA)).alpha, 0.0


@formula
def hard_margin_reduced_lagrangian() -> Pairs:
    a, y = hard(RBF(GAMMA)).alpha, APART.y
    reduced = sum(a) - 0.5 * sum(
        a[n] * y[n] * a[m] * y[m] * APART.K[n, m] for n in range(len(y)) for m in range(len(y))
    )
    yield hard(RBF(GAMMA)).certificate.dual_value, reduced


@formula
def hard_margin_dual_linear() -> Pairs:
    best, answer = hard_dual(), HardMargin(APART.X, APART.y).dual.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.function.weights, APART.X.T @ (APART.y * best.a)


@formula
def hard_margin_dual_kernel() -> Pairs:
    best, answer = hard_dual(True), HardMargin(APART.X, APART.y, RBF(GAMMA)).dual.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.alpha, best.a
    yield min(0.0, answer.alpha.min()), 0.0


@formula
def hard_margin_in_the_kernels_space() -> Pairs:
    best, answer = hard_primal(True), HardMargin(APART.X, APART.y, RBF(GAMMA)).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.decision, best.g
    yield answer.intercept, best.b


@formula
def hard_margin_complementarity() -> Pairs:
    for kernel, Z in ((None, APART.X), (RBF(GAMMA), root(APART.K))):
        s = hard(kernel)
        w = Z.T @ (APART.y * s.alpha)
        beyond = APART.y * (Z @ w + s.intercept) - 1.0
        yield s.conditions["a (y (f(x) + b) - 1)"], np.zeros(len(APART))
        yield s.alpha * beyond, np.zeros(len(APART))
        yield np.minimum(beyond, 0.0), np.zeros(len(APART))
        yield np.minimum(s.alpha, 0.0), np.zeros(len(APART))


@formula
def hard_margin_support_vectors() -> Pairs:
    best = hard_dual(True)
    yield hard(RBF(GAMMA)).support.indices, np.flatnonzero(best.a > 1e-6)
    yield hard(RBF(GAMMA)).margins[best.a > 1e-6], np.ones((best.a > 1e-6).sum())


@formula
def sparse_decision_function() -> Pairs:
    for s, data, a in (
        (hard(RBF(GAMMA)), APART, hard_dual(True).a),
        (soft(RBF(GAMMA)), MIXED, soft_dual(True).a),
    ):
        some = np.flatnonzero(a > 1e-6)
        values = data.gaussian(data.N)[:, some] @ (data.y * a)[some]
        yield s.function(data.N) - s.intercept, values


@formula
def hard_margin_intercept() -> Pairs:
    a, y, some = hard_dual(True).a, APART.y, np.flatnonzero(hard_dual(True).a > 1e-6)
    each = y[some] - APART.K[np.ix_(some, some)] @ (y * a)[some]
    yield np.full(some.size, hard(RBF(GAMMA)).intercept), each
    yield hard(RBF(GAMMA)).intercept, each.mean()


@formula
def hard_margin_intercept_between_classes() -> Pairs:
    values = APART.X @ (APART.X.T @ (APART.y * hard_dual().a))
    yield hard().intercept, -0.5 * (values[APART.y > 0].min() + values[APART.y < 0].max())


@formula
def norm_is_the_sum_of_multipliers() -> Pairs:
    a = hard_dual().a
    yield hard().function.squared_norm, a.sum()
    yield hard().function.squared_norm, a @ (APART.y * (APART.X @ hard_primal().w))
    yield hard().function.squared_norm, a @ (1.0 - APART.y * hard_primal().b)


@formula
def margin_by_multipliers() -> Pairs:
    yield hard().margin, hard_dual().a.sum() ** -0.5


@formula
def margin_in_the_kernels_space() -> Pairs:
    v = APART.y * hard_dual(True).a
    yield hard(RBF(GAMMA)).margin, (v @ APART.K @ v) ** -0.5


@formula
def soft_margin_constraint() -> Pairs:
    best, s = soft_primal(), soft()
    yield s.slacks, best.xi
    yield np.minimum(0.0, s.margins - 1.0 + s.slacks), np.zeros(len(MIXED))
    yield s.slacks[s.support.bounded], np.abs(MIXED.y - s.decision)[s.support.bounded]


@formula
def soft_margin_primal() -> Pairs:
    best, answer = soft_primal(), SoftMargin(MIXED.X, MIXED.y, C=C).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.function.weights, best.w
    yield answer.intercept, best.b


@formula
def slacks_bound_the_errors() -> Pairs:
    best = soft_primal()
    errors = (MIXED.y * (MIXED.X @ best.w + best.b) < 0).sum()
    yield (soft().predict(MIXED.X) != MIXED.y).sum(), errors
    yield min(soft().slacks.sum(), errors), errors


@formula
def hard_margin_as_the_limit() -> Pairs:
    limit = SoftMargin(APART.X, APART.y, C=1e4).solve(tol=TOL)
    yield limit.function.weights, hard_primal().w
    yield limit.intercept, hard_primal().b


@formula
def soft_margin_lagrangian() -> Pairs:
    s, w = soft(), soft().function.weights

    def lagrangian(w: np.ndarray, b: float, xi: np.ndarray, a: np.ndarray) -> float:
        margins = MIXED.y * (MIXED.X @ w + b)
        return float(0.5 * w @ w + C * xi.sum() - a @ (margins - 1.0 + xi) - (C - a) @ xi)

    yield s.objective, lagrangian(w, s.intercept, s.slacks, s.alpha)
    yield s.objective, lagrangian(w, -3.0, np.full(len(MIXED), 5.0), soft_dual().a)


@formula
def soft_margin_stationarity_of_slacks() -> Pairs:
    model = SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=C)
    model.primal.solve("clarabel", tol=1e-9)
    named = {label: model.primal.constraint(label).dual_value for label in ("margin", "slack")}
    yield named["margin"] + named["slack"], np.full(len(MIXED), C)
    yield C - named["slack"], soft_dual(True).a
    yield np.minimum(named["slack"], 0.0), np.zeros(len(MIXED))


@formula
def soft_margin_weights() -> Pairs:
    yield soft().function.weights, MIXED.X.T @ (MIXED.y * soft_dual().a)
    yield MIXED.y @ soft().alpha, 0.0


@formula
def soft_margin_reduced_lagrangian() -> Pairs:
    a, v = soft(RBF(GAMMA)).alpha, MIXED.y * soft(RBF(GAMMA)).alpha
    yield soft(RBF(GAMMA)).certificate.dual_value, a.sum() - 0.5 * v @ MIXED.K @ v


@formula
def soft_margin_dual() -> Pairs:
    linear = SoftMargin(MIXED.X, MIXED.y, C=C).dual.solve("clarabel", tol=1e-9)
    yield linear.objective, soft_dual().value
    answer = SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=C).dual.solve("clarabel", tol=1e-9)
    yield answer.objective, soft_dual(True).value
    yield answer.alpha, soft_dual(True).a
    yield max(C, answer.alpha.max()), C


@formula
def soft_margin_in_the_kernels_space() -> Pairs:
    best, answer = soft_primal(True), SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=C).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.decision, root(MIXED.K) @ best.w + best.b


@formula
def soft_margin_complementarity() -> Pairs:
    s, a = soft(RBF(GAMMA)), soft_dual(True).a
    margins = MIXED.y * (MIXED.K @ (MIXED.y * a) + s.intercept)
    xi = np.maximum(0.0, 1.0 - margins)
    yield s.conditions["a (y (f(x) + b) - 1 + xi)"], a * (margins - 1.0 + xi)
    yield s.conditions["a (y (f(x) + b) - 1 + xi)"], np.zeros(len(MIXED))
    yield s.conditions["(C - a) xi"], (C - a) * xi
    yield s.conditions["(C - a) xi"], np.zeros(len(MIXED))


@formula
def soft_margin_intercept() -> Pairs:
    a, some = soft_dual(True).a, strictly_between(soft_dual(True).a, C)
    each = (MIXED.y - MIXED.K @ (MIXED.y * a))[some]
    yield np.full(each.size, soft(RBF(GAMMA)).intercept), each


@formula
def soft_margin_distance_inside() -> Pairs:
    s, best = soft(), soft_primal()
    at_cost = s.support.bounded
    distance = MIXED.y * (MIXED.X @ best.w + best.b) / np.linalg.norm(best.w)
    yield s.margin - s.slacks[at_cost] * s.margin, distance[at_cost]


@formula
def soft_margin_hinge() -> Pairs:
    Z, y = MIXED.X, MIXED.y
    w, b = cp.Variable(2), cp.Variable()
    value = minimised(0.5 * cp.sum_squares(w) + C * cp.sum(cp.pos(1 - cp.multiply(y, Z @ w + b))))
    answer = SoftMargin(Z, y, C=C).hinge.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.function.weights, w.value


@formula
def soft_margin_hinge_in_the_kernels_space() -> Pairs:
    Z, y = root(MIXED.K), MIXED.y
    w, b = cp.Variable(len(y)), cp.Variable()
    value = minimised(0.5 * cp.sum_squares(w) + C * cp.sum(cp.pos(1 - cp.multiply(y, Z @ w + b))))
    answer = SoftMargin(MIXED.X, y, RBF(GAMMA), C=C).hinge.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.decision, Z @ w.value + b.value


@formula
def soft_margin_as_penalised_error() -> Pairs:
    Z, y, penalty = MIXED.X, MIXED.y, 1.0 / (2.0 * C)
    w, b = cp.Variable(2), cp.Variable()
    value = minimised(cp.sum(cp.pos(1 - cp.multiply(y, Z @ w + b))) + penalty * cp.sum_squares(w))
    yield soft().objective / C, value
    yield soft().function.weights, w.value


@formula
def linear_programming_machine() -> Pairs:
    # With y_j in the sum, as the discriminant has it; for its printed form see the errata.
    y, m = MIXED.y, len(MIXED)
    signed = y[:, None] * MIXED.K * y
    rows = -np.hstack([signed, y[:, None], np.eye(m)])
    costs = np.concatenate([np.ones(m), [0.0], np.full(m, C)])
    ranges = [(0, None)] * m + [(None, None)] + [(0, None)] * m
    best = linprog(costs, rows, -np.ones(m), bounds=ranges, method="highs")
    answer = LinearProgramMachine(MIXED.X, y, RBF(GAMMA), C=C).primal.solve("highs", tol=1e-9)
    yield answer.objective, best.fun
    yield np.abs(answer.beta).sum() + C * answer.slacks.sum(), best.fun


@formula
def machine_of_an_explicit_map() -> Pairs:
    Z = np.column_stack([MIXED.X[:, 0] ** 2, np.sqrt(2.0) * MIXED.X[:, 0] * MIXED.X[:, 1], MIXED.X[:, 1] ** 2])
    w, b = cp.Variable(3), cp.Variable()
    value = minimised(0.5 * cp.sum_squares(w) + C * cp.sum(cp.pos(1 - cp.multiply(MIXED.y, Z @ w + b))))
    for answer in (
        SoftMargin(ScaledQuadraticMap()(MIXED.X), MIXED.y, C=C).solve(tol=TOL),
        SoftMargin(MIXED.X, MIXED.y, Polynomial(2), C=C).solve(tol=TOL),
    ):
        yield answer.objective, value
        yield answer.decision, Z @ w.value + b.value
