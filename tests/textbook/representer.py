# SPDX-License-Identifier: BSD-3-Clause
"""The optimum lies in the span of the samples: one penalised linear problem, its expansion, and norms."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from formulations import MarginLossClassifier, SoftMargin
from formulations.losses import SquaredHinge
from formulations.modelling import Classification
from qpkernels import RBF, Expansion, Mercer, Polynomial
from textbook.cases import GAMMA, MIXED, TOL, Pairs, formula, minimised, root

__all__: list[str] = []

PENALTY = 0.3

SIX = np.array([[1.0, 0.2], [-0.5, 1.4], [2.0, -1.0], [0.3, -1.3]])
"""Fewer samples than features below."""

LABELS = np.array([1.0, -1.0, 1.0, -1.0])


def features(X: np.ndarray) -> np.ndarray:
    """Return ten features whose inner products are (x'z + 1)^3."""
    x, z, r = X[:, 0], X[:, 1], np.sqrt(3.0)
    one = np.ones(len(X))
    squares = np.column_stack([r * x**2, np.sqrt(6.0) * x * z, r * z**2])
    cubes = np.column_stack([x**3, r * x**2 * z, r * x * z**2, z**3])
    return np.column_stack([one, r * x, r * z, squares, cubes])


def ours() -> Classification:
    """Return our machine of squared hinges, in the kernel of these features and without an intercept."""
    kernel = Polynomial(3, coef0=1.0)
    model = MarginLossClassifier(SIX, LABELS, kernel, loss=SquaredHinge(), C=1.0 / (2.0 * PENALTY), fit_intercept=False)
    return model.solve(tol=TOL)


def best() -> tuple[float, np.ndarray]:
    """Return the restated optimum in all ten weights: lambda/N w'w + 1/N sum of losses."""
    Z, w = features(SIX), cp.Variable(10)
    losses = cp.sum(cp.square(cp.pos(1 - cp.multiply(LABELS, Z @ w))))
    value = minimised(PENALTY / 4 * cp.sum_squares(w) + losses / 4)
    return value, np.asarray(w.value)


@formula
def penalised_linear_model() -> Pairs:
    value, w = best()
    yield 2.0 * PENALTY / 4 * ours().objective, value
    yield ours().decision, features(SIX) @ w


@formula
def weights_are_an_expansion() -> Pairs:
    _, w = best()
    yield features(SIX).T @ ours().beta, w


@formula
def values_by_the_kernel() -> Pairs:
    _, w = best()
    yield ours().function(MIXED.N), features(MIXED.N) @ w
    yield (MIXED.N @ SIX.T + 1.0) ** 3 @ ours().beta, features(MIXED.N) @ w


@formula
def nothing_beside_the_span() -> Pairs:
    _, w = best()
    Z = features(SIX)
    within = Z.T @ np.linalg.lstsq(Z.T, w)[0]
    yield w - within, np.zeros(10)
    yield ours().function.squared_norm, within @ within


@formula
def a_part_beside_the_span_adds_to_the_norm() -> Pairs:
    _, w = best()
    Z = features(SIX)
    beside = np.linalg.svd(Z)[2][-1]
    longer = w + 0.8 * beside
    yield ours().decision, Z @ longer
    yield ours().function.squared_norm + 0.8**2, longer @ longer


@formula
def function_in_feature_space() -> Pairs:
    answer = SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=1.5).primal.solve("clarabel", tol=1e-9)
    w = root(MIXED.K).T @ answer.beta
    yield answer.decision - answer.intercept, root(MIXED.K) @ w


@formula
def coordinates_in_an_orthonormal_basis() -> Pairs:
    # Orthonormal functions are sum_i v_ti k(x_i, .) / sqrt(lambda_t); w_t is the inner product with one of them.
    values, V = np.linalg.eigh(MIXED.K)
    beta = SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=1.5).solve(tol=TOL).beta
    basis = V / np.sqrt(values)
    yield basis.T @ MIXED.K @ basis, np.eye(len(MIXED))
    w = basis.T @ MIXED.K @ beta
    new = Mercer(RBF(GAMMA), MIXED.X).features_of(MIXED.N)
    signs = np.sign(np.sum(Mercer(RBF(GAMMA), MIXED.X).eigenvectors[:, ::-1] * V, axis=0))
    yield new[:, ::-1] * signs @ w, MIXED.gaussian(MIXED.N) @ beta


@formula
def norm_of_a_function() -> Pairs:
    beta = SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=1.5).solve(tol=TOL).beta
    w = root(MIXED.K).T @ beta
    yield Expansion(RBF(GAMMA), MIXED.X, beta, 0.0).squared_norm, w @ w
    yield Expansion(RBF(GAMMA), MIXED.X, beta, 0.0).squared_norm, beta @ MIXED.K @ beta


@formula
def expansion_over_the_samples() -> Pairs:
    coefficients = np.random.default_rng(9).normal(size=len(MIXED))
    function = Expansion(RBF(GAMMA), MIXED.X, coefficients, 0.0)
    values = np.zeros(len(MIXED.N))
    for c, z in zip(coefficients, MIXED.X, strict=True):
        values += c * np.exp(-GAMMA * np.sum((MIXED.N - z) ** 2, axis=1))
    yield function(MIXED.N), values
