# SPDX-License-Identifier: BSD-3-Clause
"""Fits without a penalty in three norms, least squares with one as systems of equations, and kernel ridge."""

from __future__ import annotations

from functools import cache

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog

from formulations import (
    ChebyshevFit,
    KernelRidge,
    LaplaceFit,
    LeastAbsoluteFit,
    LeastSquares,
    LeastSquaresClassifier,
    LeastSquaresFit,
    NormConstrainedClassifier,
)
from formulations.losses import Hinge, SquaredMargin
from formulations.modelling import Regression
from qpkernels import RBF
from textbook.cases import CURVE, GAMMA, MIXED, PLANE, TOL, Pairs, formula, minimised, root

__all__: list[str] = []

C, PENALTY = 0.7, 0.3


@formula
def least_squares_fit() -> Pairs:
    rows = np.column_stack([PLANE.X, np.ones(len(PLANE))])
    best, rest, *_ = np.linalg.lstsq(rows, PLANE.y)
    answer = LeastSquaresFit(PLANE.X, PLANE.y).solve(tol=TOL)
    yield np.append(answer.function.weights, answer.intercept), best
    yield (answer.residuals**2).sum(), rest[0]


@formula
def least_absolute_fit() -> Pairs:
    m, rows = len(PLANE), np.column_stack([PLANE.X, np.ones(len(PLANE))])
    beyond = np.vstack([np.hstack([rows, -np.eye(m)]), np.hstack([-rows, -np.eye(m)])])
    costs = np.append(np.zeros(4), np.ones(m))
    sides = np.append(PLANE.y, -PLANE.y)
    best = linprog(costs, beyond, sides, bounds=(None, None), method="highs")
    answer = LeastAbsoluteFit(PLANE.X, PLANE.y).solve(tol=TOL)
    yield np.abs(answer.residuals).sum(), best.fun
    total = np.append(rows.sum(axis=0), np.zeros(m))[None, :]
    balanced = linprog(costs, beyond, sides, total, PLANE.y.sum(), bounds=(None, None), method="highs")
    laplace = LaplaceFit(PLANE.X, PLANE.y).solve(tol=TOL)
    yield np.abs(laplace.residuals).sum(), balanced.fun
    yield laplace.residuals.sum(), 0.0


@formula
def chebyshev_fit() -> Pairs:
    m, rows = len(PLANE), np.column_stack([PLANE.X, np.ones(len(PLANE))])
    beyond = np.vstack([np.hstack([rows, -np.ones((m, 1))]), np.hstack([-rows, -np.ones((m, 1))])])
    best = linprog([0, 0, 0, 0, 1], beyond, np.append(PLANE.y, -PLANE.y), bounds=(None, None), method="highs")
    answer = ChebyshevFit(PLANE.X, PLANE.y).solve(tol=TOL)
    yield np.abs(answer.residuals).max(), best.fun
    yield np.append(answer.function.weights, answer.intercept), best.x[:4]


@cache
def ours(in_kernel: bool = False) -> Regression:
    """Return our least squares with a penalty."""
    data = CURVE if in_kernel else PLANE
    return LeastSquares(data.X, data.y, RBF(GAMMA) if in_kernel else None, C=C).solve(tol=TOL)


def best_plane() -> tuple[float, np.ndarray, float]:
    """Return the value, w and b of the restated least squares with a penalty."""
    w, b = cp.Variable(3), cp.Variable()
    value = minimised(0.5 * cp.sum_squares(w) + 0.5 * C * cp.sum_squares(PLANE.X @ w + b - PLANE.y))
    return value, w.value, float(b.value)


@formula
def penalised_least_squares() -> Pairs:
    value, w, b = best_plane()
    answer = LeastSquares(PLANE.X, PLANE.y, C=C).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.function.weights, w
    yield answer.intercept, b


@formula
def penalised_least_squares_of_labels() -> Pairs:
    w, b = cp.Variable(2), cp.Variable()
    margins = cp.multiply(MIXED.y, MIXED.X @ w + b)
    value = minimised(0.5 * cp.sum_squares(w) + 0.5 * C * cp.sum_squares(1 - margins))
    answer = LeastSquaresClassifier(MIXED.X, MIXED.y, C=C).solve(tol=TOL)
    yield answer.objective, value
    yield answer.function.weights, w.value


@formula
def least_squares_in_matrices() -> Pairs:
    X, w = PLANE.X.T, ours().function.weights
    residual = X.T @ w + ours().intercept * np.ones(len(PLANE)) - PLANE.y
    yield ours().objective, 0.5 * w @ w + 0.5 * C * residual @ residual


@formula
def least_squares_gradient() -> Pairs:
    X, w, b, ones = PLANE.X.T, ours().function.weights, ours().intercept, np.ones(len(PLANE))
    yield w / C + X @ X.T @ w + b * X @ ones - X @ PLANE.y, np.zeros(3)
    yield ones @ X.T @ w - ones @ PLANE.y + len(PLANE) * b, 0.0
    yield b, PLANE.y.mean() - best_plane()[1] @ PLANE.X.mean(axis=0)


@formula
def least_squares_system() -> Pairs:
    X, y, m = PLANE.X.T, PLANE.y, len(PLANE)
    mean = X.mean(axis=1)
    matrix = np.block([[np.ones((1, 1)), mean[None, :]], [mean[:, None], X @ X.T / m + np.eye(3) / (m * C)]])
    best = np.linalg.solve(matrix, np.append(y.mean(), X @ y / m))
    answer = LeastSquares(PLANE.X, y, C=C).system.solve(tol=1e-9)
    yield np.append(answer.intercept, answer.function.weights), best
    stated = LeastSquares(PLANE.X, y, C=C).system.linear_system()
    yield stated.matrix, matrix


@formula
def least_squares_centred() -> Pairs:
    Xc = (PLANE.X - PLANE.X.mean(axis=0)).T
    w = np.linalg.solve(Xc @ Xc.T + np.eye(3) / C, Xc @ PLANE.y)
    answer = LeastSquares(PLANE.X, PLANE.y, C=C).centred.solve(tol=1e-9)
    yield answer.function.weights, w
    # Of the centred samples the intercept is the mean of the targets.
    yield answer.intercept + answer.function.weights @ PLANE.X.mean(axis=0), PLANE.y.mean()


@formula
def centring_keeps_the_weights() -> Pairs:
    v, b = cp.Variable(3), cp.Variable()
    Xc = PLANE.X - PLANE.X.mean(axis=0)
    minimised(0.5 * cp.sum_squares(v) + 0.5 * C * cp.sum_squares(Xc @ v + b - PLANE.y))
    centred = LeastSquares(Xc, PLANE.y, C=C).solve(tol=TOL)
    yield centred.function.weights, v.value
    yield ours().function.weights, v.value
    yield centred.intercept, PLANE.y.mean()


@formula
def eliminated_intercept() -> Pairs:
    w = cp.Variable(3)
    level = PLANE.y.mean() - PLANE.X.mean(axis=0) @ w
    value = minimised(0.5 * cp.sum_squares(w) + 0.5 * C * cp.sum_squares(PLANE.X @ w + level - PLANE.y))
    yield ours().objective, value
    yield ours().function.weights, w.value


@formula
def least_squares_with_slacks() -> Pairs:
    w, b, xi = cp.Variable(3), cp.Variable(), cp.Variable(len(PLANE))
    row = PLANE.X @ w + b - PLANE.y == xi
    value = minimised(0.5 * cp.sum_squares(w) + 0.5 * C * cp.sum_squares(xi), row)
    answer = LeastSquares(PLANE.X, PLANE.y, C=C).constrained.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    # The library's slack is the residual y - f - b, the negative of the printed one.
    yield -answer.residuals, xi.value


@formula
def least_squares_lagrangian() -> Pairs:
    s = ours()
    xi, w = -s.residuals, s.function.weights

    def lagrangian(w: np.ndarray, b: float, xi: np.ndarray) -> float:
        violation = PLANE.X @ w + b - PLANE.y - xi
        return float(0.5 * w @ w + 0.5 * C * xi @ xi - s.beta @ violation)

    yield s.objective, lagrangian(w, s.intercept, xi)
    yield s.objective, lagrangian(w, 4.0, xi)
    yield s.objective + 0.5 * C * len(PLANE), lagrangian(w, s.intercept, xi + 1.0)


@formula
def least_squares_stationarity() -> Pairs:
    _, w, b = best_plane()
    xi = PLANE.X @ w + b - PLANE.y
    yield ours().beta, -C * xi
    yield PLANE.X.T @ ours().beta, w
    yield ours().beta.sum(), 0.0


@formula
def least_squares_dual_system() -> Pairs:
    m, ones = len(CURVE), np.ones((len(CURVE), 1))
    matrix = np.block([[np.zeros((1, 1)), ones.T], [ones, CURVE.K + np.eye(m) / C]])
    best = np.linalg.solve(matrix, np.append(0.0, CURVE.y))
    yield ours(True).intercept, best[0]
    yield ours(True).beta, best[1:]
    answer = LeastSquares(CURVE.X, CURVE.y, RBF(GAMMA), C=C).dual.solve("clarabel", tol=1e-9)
    yield answer.beta, best[1:]


@formula
def least_squares_function() -> Pairs:
    m, ones = len(CURVE), np.ones((len(CURVE), 1))
    matrix = np.block([[np.zeros((1, 1)), ones.T], [ones, CURVE.K + np.eye(m) / C]])
    best = np.linalg.solve(matrix, np.append(0.0, CURVE.y))
    yield ours(True).function(CURVE.N), CURVE.gaussian(CURVE.N) @ best[1:] + best[0]


@formula
def ridge_regression() -> Pairs:
    w, m = cp.Variable(3), len(PLANE)
    value = minimised(PENALTY / m * cp.sum_squares(w) + cp.sum_squares(PLANE.y - PLANE.X @ w) / m)
    answer = KernelRidge(PLANE.X, PLANE.y, regularisation=PENALTY).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    yield answer.function.weights, w.value
    yield w.value, np.linalg.solve(PLANE.X.T @ PLANE.X + PENALTY * np.eye(3), PLANE.X.T @ PLANE.y)


@formula
def kernel_ridge_objective() -> Pairs:
    beta, m, K, y = cp.Variable(len(CURVE)), len(CURVE), CURVE.K, CURVE.y
    value = minimised(PENALTY / m * cp.sum_squares(root(K).T @ beta) + cp.sum_squares(y - K @ beta) / m)
    answer = KernelRidge(CURVE.X, y, RBF(GAMMA), regularisation=PENALTY).primal.solve("clarabel", tol=1e-9)
    yield answer.objective, value
    own = answer.beta
    expanded = PENALTY * own @ K @ own + own @ K.T @ K @ own - 2.0 * own @ K.T @ y + y @ y
    yield answer.objective, expanded / m


@formula
def kernel_ridge_gradient() -> Pairs:
    answer = KernelRidge(CURVE.X, CURVE.y, RBF(GAMMA), regularisation=PENALTY).solve(tol=TOL)
    K, m, own = CURVE.K, len(CURVE), answer.beta
    yield 2.0 / m * (PENALTY * K.T @ own + K.T @ K @ own - K.T @ CURVE.y), np.zeros(m)
    yield 2.0 / m * K.T @ ((PENALTY * np.eye(m) + K) @ own - CURVE.y), np.zeros(m)


@formula
def kernel_ridge_coefficients() -> Pairs:
    answer = KernelRidge(CURVE.X, CURVE.y, RBF(GAMMA), regularisation=PENALTY).solve(tol=TOL)
    yield answer.beta, np.linalg.solve(PENALTY * np.eye(len(CURVE)) + CURVE.K, CURVE.y)


@formula
def loss_within_a_ball() -> Pairs:
    w, b, radius = cp.Variable(2), cp.Variable(), 0.6
    margins = cp.multiply(MIXED.y, MIXED.X @ w + b)
    for loss, terms in {
        Hinge(): cp.pos(1 - margins),
        SquaredMargin(): 0.5 * cp.square(1 - margins),
    }.items():
        value = minimised(cp.sum(terms) / len(MIXED), cp.norm(w) <= np.sqrt(radius))
        model = NormConstrainedClassifier(MIXED.X, MIXED.y, loss=loss, R=radius)
        answer = model.solve(tol=1e-9)
        yield answer.objective, value
        yield answer.function.weights, w.value
