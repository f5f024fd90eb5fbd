# SPDX-License-Identifier: BSD-3-Clause
"""Hard and soft tubes around a function, their duals, multipliers and intercepts, and the penalised tube."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import cvxpy as cp
import numpy as np

from formulations import HardTube, PenalisedTube, SoftTube, SparseApproximation
from formulations.modelling import Regression
from qpkernels import RBF, Kernel
from textbook.cases import CURVE, GAMMA, PLANE, TOL, Pairs, Samples, formula, minimised, root, strictly_between

__all__: list[str] = []

C, EPSILON, WIDE = 2.0, 0.2, 0.85


def features(data: Samples) -> np.ndarray:
    """Return the samples of the plane as they are, those of the curve in the space of the kernel."""
    return data.X if data is PLANE else root(data.K)


def kernel_of(data: Samples) -> Kernel | None:
    """Return the kernel that goes with them."""
    return None if data is PLANE else RBF(GAMMA)


@cache
def hard(data: Samples) -> Regression:
    """Return our hard tube."""
    return HardTube(data.X, data.y, kernel_of(data), epsilon=WIDE).solve(tol=TOL)


@cache
def soft(data: Samples) -> Regression:
    """Return our soft tube."""
    return SoftTube(data.X, data.y, kernel_of(data), C=C, epsilon=EPSILON).solve(tol=TOL)


@cache
def primal(data: Samples, cost: float | None) -> SimpleNamespace:
    """Return the restated tube with slacks of this cost, or without: r = y - f - b."""
    Z, y, m = features(data), data.y, len(data)
    w, b, up, down = cp.Variable(Z.shape[1]), cp.Variable(), cp.Variable(m, nonneg=True), cp.Variable(m, nonneg=True)
    g = Z @ w + b
    if cost is None:
        above, below = y - g <= WIDE, g - y <= WIDE
        value = minimised(0.5 * cp.sum_squares(w), above, below)
    else:
        above, below = y - g <= EPSILON + up, g - y <= EPSILON + down
        value = minimised(0.5 * cp.sum_squares(w) + cost * cp.sum(up + down), above, below)
    return SimpleNamespace(value=value, w=w.value, b=float(b.value), g=g.value, up=up.value, down=down.value)


@cache
def dual(data: Samples, cost: float | None) -> SimpleNamespace:
    """Return the restated dual in a+ and a-."""
    Z, y, m = features(data), data.y, len(data)
    epsilon = WIDE if cost is None else EPSILON
    up, down = cp.Variable(m, nonneg=True), cp.Variable(m, nonneg=True)
    rows = [cp.sum(up - down) == 0] + ([] if cost is None else [up <= cost, down <= cost])
    curvature = 0.5 * cp.sum_squares(Z.T @ (up - down))
    value = minimised(curvature + epsilon * cp.sum(up + down) - y @ (up - down), *rows)
    return SimpleNamespace(value=value, up=up.value, down=down.value, beta=up.value - down.value)


def lagrangian(data: Samples, w: np.ndarray, b: float, beta: np.ndarray, epsilon: float) -> float:
    """Return the Lagrangian of the hard tube, which is that of the soft one once the slacks have cancelled."""
    residual = data.y - features(data) @ w - b
    up, down = np.maximum(beta, 0.0), np.maximum(-beta, 0.0)
    return float(0.5 * w @ w + up @ (residual - epsilon) + down @ (-residual - epsilon))


def sides(beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a+ and a-, of which one is 0."""
    return np.maximum(beta, 0.0), np.maximum(-beta, 0.0)


@formula
def hard_tube_primal() -> Pairs:
    best, answer = primal(PLANE, None), HardTube(PLANE.X, PLANE.y, epsilon=WIDE).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.function.weights, best.w
    yield answer.intercept, best.b


@formula
def hard_tube_in_the_kernels_space() -> Pairs:
    best = primal(CURVE, None)
    answer = HardTube(CURVE.X, CURVE.y, RBF(GAMMA), epsilon=WIDE).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.decision, best.g


@formula
def hard_tube_lagrangian() -> Pairs:
    s, best = hard(CURVE), primal(CURVE, None)
    yield s.objective, lagrangian(CURVE, best.w, best.b, s.beta, WIDE)
    yield s.objective, lagrangian(CURVE, best.w, 5.0, dual(CURVE, None).beta, WIDE)


@formula
def hard_tube_weights() -> Pairs:
    yield hard(PLANE).function.weights, PLANE.X.T @ dual(PLANE, None).beta
    yield hard(PLANE).beta.sum(), 0.0


@formula
def one_coefficient_for_both_sides() -> Pairs:
    best = dual(CURVE, C)
    yield soft(CURVE).beta, best.up - best.down
    yield np.zeros(len(CURVE)), best.up * best.down


@formula
def hard_tube_reduced_lagrangian() -> Pairs:
    beta = hard(CURVE).beta
    value = -0.5 * beta @ CURVE.K @ beta - WIDE * np.abs(beta).sum() + CURVE.y @ beta
    yield hard(CURVE).certificate.dual_value, value


@formula
def hard_tube_dual() -> Pairs:
    for data in (PLANE, CURVE):
        model = HardTube(data.X, data.y, kernel_of(data), epsilon=WIDE)
        yield model.dual.solve("clarabel", tol=1e-9).objective, dual(data, None).value
    yield hard(CURVE).beta, dual(CURVE, None).beta


@formula
def sparse_regression_function() -> Pairs:
    for s, best in ((hard(CURVE), dual(CURVE, None)), (soft(CURVE), dual(CURVE, C))):
        some = np.abs(best.beta) > 1e-6
        yield s.support.indices, np.flatnonzero(some)
        yield s.function(CURVE.N) - s.intercept, CURVE.gaussian(CURVE.N)[:, some] @ best.beta[some]


@formula
def regression_prediction() -> Pairs:
    best = dual(CURVE, C)
    yield soft(CURVE).predict(CURVE.N), CURVE.gaussian(CURVE.N) @ best.beta + primal(CURVE, C).b


@formula
def hard_tube_complementarity() -> Pairs:
    s, best = hard(CURVE), dual(CURVE, None)
    residual = CURVE.y - CURVE.K @ best.beta - s.intercept
    zero = np.zeros(len(CURVE))
    yield best.up * (WIDE - residual), zero
    yield best.down * (WIDE + residual), zero
    for values in s.conditions.values():
        yield values, zero


@formula
def hard_tube_intercept() -> Pairs:
    beta = dual(CURVE, None).beta
    values = CURVE.y - CURVE.K @ beta
    upper, lower = values[beta > 1e-5] - WIDE, values[beta < -1e-5] + WIDE
    yield np.full(upper.size, hard(CURVE).intercept), upper
    yield np.full(lower.size, hard(CURVE).intercept), lower


@formula
def tube_constraints() -> Pairs:
    # The two slacks of a sample have names of their own; one printed form gives both the same.
    s, best = soft(CURVE), primal(CURVE, C)
    yield np.maximum(0.0, s.residuals - EPSILON), best.up
    yield np.maximum(0.0, -s.residuals - EPSILON), best.down
    yield s.slacks, best.up + best.down


@formula
def soft_tube_primal() -> Pairs:
    best = primal(PLANE, C)
    answer = SoftTube(PLANE.X, PLANE.y, C=C, epsilon=EPSILON).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.function.weights, best.w
    yield answer.intercept, best.b


@formula
def soft_tube_in_the_kernels_space() -> Pairs:
    best = primal(CURVE, C)
    answer = SoftTube(CURVE.X, CURVE.y, RBF(GAMMA), C=C, epsilon=EPSILON).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, best.value
    yield answer.decision, best.g


@formula
def soft_tube_loss() -> Pairs:
    for data in (PLANE, CURVE):
        Z = features(data)
        w, b = cp.Variable(Z.shape[1]), cp.Variable()
        beyond = cp.pos(cp.abs(Z @ w + b - data.y) - EPSILON)
        value = minimised(0.5 * cp.sum_squares(w) + C * cp.sum(beyond))
        answer = SoftTube(data.X, data.y, kernel_of(data), C=C, epsilon=EPSILON).loss.solve("clarabel", tol=1e-9)
        yield answer.objective, value
        yield answer.decision, Z @ w.value + b.value


@formula
def soft_tube_lagrangian() -> Pairs:
    s, best = soft(CURVE), primal(CURVE, C)
    up, down = sides(s.beta)
    residual = CURVE.y - best.g
    value = 0.5 * best.w @ best.w + C * (best.up + best.down).sum() - (C - up) @ best.up - (C - down) @ best.down
    value += up @ (residual - EPSILON - best.up) + down @ (-residual - EPSILON - best.down)
    yield s.objective, value
    yield s.objective, lagrangian(CURVE, best.w, best.b, s.beta, EPSILON)


@formula
def soft_tube_weights() -> Pairs:
    yield soft(PLANE).function.weights, PLANE.X.T @ dual(PLANE, C).beta


@formula
def soft_tube_balance() -> Pairs:
    yield soft(PLANE).beta.sum(), 0.0
    yield soft(CURVE).beta.sum(), 0.0


@formula
def soft_tube_stationarity_of_slacks() -> Pairs:
    model = SoftTube(CURVE.X, CURVE.y, RBF(GAMMA), C=C, epsilon=EPSILON)
    model.primal.solve("clarabel", tol=1e-9)
    labels = ("above", "slack_plus", "below", "slack_minus")
    up, slack_up, down, slack_down = (model.primal.constraint(label).dual_value for label in labels)
    yield up + slack_up, np.full(len(CURVE), C)
    yield down + slack_down, np.full(len(CURVE), C)
    yield up - down, dual(CURVE, C).beta


@formula
def soft_tube_reduced_lagrangian() -> Pairs:
    beta = soft(CURVE).beta
    value = -0.5 * beta @ CURVE.K @ beta - EPSILON * np.abs(beta).sum() + CURVE.y @ beta
    yield soft(CURVE).certificate.dual_value, value


@formula
def soft_tube_dual() -> Pairs:
    for data in (PLANE, CURVE):
        model = SoftTube(data.X, data.y, kernel_of(data), C=C, epsilon=EPSILON)
        yield model.dual.solve("clarabel", tol=1e-9).objective, dual(data, C).value
    yield soft(CURVE).beta, dual(CURVE, C).beta


@formula
def soft_tube_box() -> Pairs:
    up, down = sides(soft(CURVE).beta)
    yield max(C, up.max(), down.max()), C
    # Both ends are reached, so that the box is the whole of it.
    yield [up.max(), down.max(), up.min(), down.min()], [C, C, 0.0, 0.0]


@formula
def soft_tube_complementarity() -> Pairs:
    s, best, zero = soft(CURVE), dual(CURVE, C), np.zeros(len(CURVE))
    residual = CURVE.y - CURVE.K @ best.beta - s.intercept
    up, down = np.maximum(0.0, residual - EPSILON), np.maximum(0.0, -residual - EPSILON)
    yield best.up * (EPSILON + up - residual), zero
    yield best.down * (EPSILON + down + residual), zero
    yield (C - best.up) * up, zero
    yield (C - best.down) * down, zero
    for values in s.conditions.values():
        yield values, zero


@formula
def inside_the_tube() -> Pairs:
    inside = np.abs(primal(CURVE, C).g - CURVE.y) < EPSILON - 1e-5
    yield soft(CURVE).tube.inside, np.flatnonzero(inside)
    yield soft(CURVE).beta[inside], np.zeros(inside.sum())


@formula
def soft_tube_intercept() -> Pairs:
    best = dual(CURVE, C)
    values = CURVE.y - CURVE.K @ best.beta
    upper = values[strictly_between(best.up, C)] - EPSILON
    lower = values[strictly_between(best.down, C)] + EPSILON
    yield np.full(upper.size, soft(CURVE).intercept), upper
    yield np.full(lower.size, soft(CURVE).intercept), lower
    yield soft(CURVE).intercept, np.concatenate([upper, lower]).mean()


@formula
def soft_tube_intercept_with_slacks() -> Pairs:
    # A multiplier at its bound may belong to a slack: it enters with the sign of epsilon.
    best, values = primal(CURVE, C), CURVE.y - (primal(CURVE, C).g - primal(CURVE, C).b)
    up, down = sides(soft(CURVE).beta)
    above, below = up > 1e-5, down > 1e-5
    yield np.full(above.sum(), soft(CURVE).intercept), (values - EPSILON - best.up)[above]
    yield np.full(below.sum(), soft(CURVE).intercept), (values + EPSILON + best.down)[below]


@formula
def penalised_tube() -> Pairs:
    penalty, m = 0.3, len(CURVE)
    for data in (PLANE, CURVE):
        Z, m = features(data), len(data)
        w = cp.Variable(Z.shape[1])
        beyond = cp.pos(cp.abs(Z @ w - data.y) - EPSILON)
        value = minimised(penalty / m * cp.sum_squares(w) + cp.sum(beyond) / m)
        model = PenalisedTube(data.X, data.y, kernel_of(data), regularisation=penalty, epsilon=EPSILON)
        answer = model.loss.solve("clarabel", tol=1e-9)
        yield answer.objective, value
        yield answer.decision, Z @ w.value


@formula
def sparse_approximation() -> Pairs:
    a, y, S, epsilon = cp.Variable(len(CURVE)), CURVE.y, root(CURVE.K), 0.3
    value = minimised(0.5 * cp.sum_squares(S.T @ a) - a @ y + epsilon * cp.norm1(a))
    answer = SparseApproximation(CURVE.X, y, RBF(GAMMA), epsilon=epsilon).l1.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.beta, a.value


@formula
def distance_in_the_kernels_space() -> Pairs:
    # The function to be approximated is itself an expansion, whose values at the samples are the targets.
    rng, epsilon = np.random.default_rng(8), 0.3
    own = rng.normal(size=len(CURVE))
    S, a = root(CURVE.K), cp.Variable(len(CURVE))
    value = minimised(0.5 * cp.sum_squares(S.T @ (own - a)) + epsilon * cp.norm1(a))
    answer = SparseApproximation(CURVE.X, CURVE.K @ own, RBF(GAMMA), epsilon=epsilon).l1.solve("clarabel", tol=1e-9)
    yield answer.objective + 0.5 * own @ CURVE.K @ own, value
    yield answer.function(CURVE.N), CURVE.gaussian(CURVE.N) @ a.value


@formula
def sparse_approximation_split() -> Pairs:
    m, S, epsilon = len(CURVE), root(CURVE.K), 0.3
    up, down = cp.Variable(m, nonneg=True), cp.Variable(m, nonneg=True)
    value = minimised(0.5 * cp.sum_squares(S.T @ (up - down)) - CURVE.y @ (up - down) + epsilon * cp.sum(up + down))
    answer = SparseApproximation(CURVE.X, CURVE.y, RBF(GAMMA), epsilon=epsilon).split.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.beta, up.value - down.value
    yield np.abs(answer.beta), up.value + down.value
    yield np.zeros(m), up.value * down.value
