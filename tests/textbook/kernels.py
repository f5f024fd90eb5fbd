# SPDX-License-Identifier: BSD-3-Clause
"""Kernel functions, their construction, features and decomposition, and discriminants of explicit maps."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import cvxpy as cp
import numpy as np
from scipy.spatial.distance import cdist

from formulations import HardMargin, Separability, SoftMargin
from formulations.models.classification.separation.separability import HullIntersection
from qpkernels import (
    RBF,
    FunctionKernel,
    Gram,
    Linear,
    Mercer,
    Polynomial,
    QuadraticMap,
    RankOne,
    ScaledQuadraticMap,
    Sigmoid,
    Spectrum,
)
from textbook.cases import GAMMA, MIXED, TOL, Pairs, formula, minimised

__all__: list[str] = []

X, N = MIXED.X, MIXED.N


@formula
def linear_kernel_matrix() -> Pairs:
    yield Gram(Linear(), X).dense, np.array([[sum(x * z) for z in X] for x in X])
    yield min(0.0, np.linalg.eigvalsh(Gram(Linear(), X).dense)[0]), 0.0


@formula
def kernel_matrix() -> Pairs:
    yield Gram(RBF(GAMMA), X).dense, MIXED.K
    Z = np.column_stack([X[:, 0] ** 2, np.sqrt(2.0) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    yield Gram(Polynomial(2), X).dense, Z @ Z.T


@formula
def gaussian_kernel_by_c() -> Pairs:
    yield RBF.from_c(1.7)(X, N), np.exp(-cdist(X, N, "sqeuclidean") / 1.7**2)


@formula
def gaussian_kernel_by_sigma() -> Pairs:
    yield RBF.from_sigma(1.3)(X, N), np.exp(-cdist(X, N, "sqeuclidean") / (2.0 * 1.3**2))


@formula
def sigmoid_kernel() -> Pairs:
    yield Sigmoid(kappa=0.6, b=0.4)(X, N), np.tanh(0.6 * X @ N.T - 0.4)


@formula
def polynomial_kernel() -> Pairs:
    yield Polynomial(3)(X, N), (X @ N.T) ** 3


@formula
def inhomogeneous_polynomial_kernel() -> Pairs:
    yield Polynomial(3, coef0=1.0)(X, N), (X @ N.T + 1.0) ** 3


@formula
def string_kernel() -> Pairs:
    words = ["abracadabra", "cadabra", "barbara"]
    counts = [Counter(word[i : i + 2] for i in range(len(word) - 1)) for word in words]
    yield (
        Spectrum(2, normalise=False)(words),
        [[sum(one[part] * other[part] for part in one) for other in counts] for one in counts],
    )


@formula
def sum_of_kernels() -> Pairs:
    yield (RBF(GAMMA) + Polynomial(2))(X, N), np.exp(-GAMMA * cdist(X, N, "sqeuclidean")) + (X @ N.T) ** 2


@formula
def multiple_of_a_kernel() -> Pairs:
    yield (2.5 * RBF(GAMMA))(X, N), 2.5 * np.exp(-GAMMA * cdist(X, N, "sqeuclidean"))


@formula
def product_of_kernels() -> Pairs:
    yield (RBF(GAMMA) * Polynomial(2))(X, N), np.exp(-GAMMA * cdist(X, N, "sqeuclidean")) * (X @ N.T) ** 2


@formula
def kernel_of_one_function() -> Pairs:
    yield RankOne(lambda Z: Z[:, 0] - 2.0 * Z[:, 1])(X, N), np.outer(X @ [1.0, -2.0], N @ [1.0, -2.0])


@formula
def kernel_of_images() -> Pairs:
    yield RBF(GAMMA).compose(np.sin)(X, N), np.exp(-GAMMA * cdist(np.sin(X), np.sin(N), "sqeuclidean"))


@formula
def polynomial_of_a_kernel() -> Pairs:
    k = X @ N.T
    yield Linear().polynomial([0.5, 0.0, 2.0, 0.1])(X, N), 0.5 + 2.0 * k**2 + 0.1 * k**3


@formula
def exponential_of_a_kernel() -> Pairs:
    yield Linear().exp()(X, N), np.exp(X @ N.T)


@formula
def kernel_of_a_feature_map() -> Pairs:
    # A function of two samples that is an inner product of features is a kernel like any other.
    def features(X: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(X)), X, np.sin(X)])

    kernel = FunctionKernel(lambda X, Z: features(X) @ features(Z).T)
    Z, w, b = features(X), cp.Variable(5), cp.Variable()
    minimised(0.5 * cp.sum_squares(w) + cp.sum(cp.pos(1 - cp.multiply(MIXED.y, Z @ w + b))))
    yield kernel(X, N), Z @ features(N).T
    yield SoftMargin(X, MIXED.y, kernel, C=1.0).solve(tol=TOL).function(N), features(N) @ w.value + b.value


@formula
def scaled_quadratic_map() -> Pairs:
    Z = np.column_stack([N[:, 0] ** 2, np.sqrt(2.0) * N[:, 0] * N[:, 1], N[:, 1] ** 2])
    ours = ScaledQuadraticMap()(N)
    yield ours @ ours.T, (N @ N.T) ** 2
    yield np.sort(ours, axis=1), np.sort(Z, axis=1)


@formula
def quadratic_discriminant() -> Pairs:
    pairs = list(combinations_with_replacement(range(2), 2))
    products = np.column_stack([N[:, i] * N[:, j] for i, j in pairs])
    answer = SoftMargin(QuadraticMap()(X), MIXED.y).solve(tol=TOL)
    w = answer.function.weights
    yield QuadraticMap()(N), np.column_stack([N, products])
    values = answer.intercept + N @ w[:2] + products @ w[2:]
    yield answer.function(QuadraticMap()(N)), values


@formula
def eigenvalues_of_the_kernel_matrix() -> Pairs:
    decomposition = Mercer(RBF(GAMMA), X)
    V, values = decomposition.eigenvectors, decomposition.eigenvalues
    yield np.sort(values), np.linalg.eigvalsh(MIXED.K)
    yield V * values @ V.T, MIXED.K
    yield V.T @ V, np.eye(len(X))


@formula
def features_of_the_eigenvectors() -> Pairs:
    # Eigenvectors have a sign of their own, so that the features are compared by their sizes.
    values, V = np.linalg.eigh(MIXED.K)
    ours = Mercer(RBF(GAMMA), X).features
    yield np.abs(ours), np.abs(V * np.sqrt(values))[:, ::-1]


@formula
def features_reproduce_the_kernel() -> Pairs:
    ours = Mercer(RBF(GAMMA), X).features
    yield ours @ ours.T, MIXED.K


@formula
def kernels_are_positive_semidefinite() -> Pairs:
    for kernel, K in (
        (RBF(GAMMA), MIXED.K),
        (Polynomial(3), (X @ X.T) ** 3),
        (Sigmoid(kappa=1.0, b=1.0), np.tanh(X @ X.T - 1.0)),
    ):
        decomposition, least = Mercer(kernel, X), np.linalg.eigvalsh(K)[0]
        yield decomposition.smallest_eigenvalue, least
        yield decomposition.is_psd, least > -1e-10


@formula
def quadratic_form_of_a_kernel() -> Pairs:
    rng = np.random.default_rng(6)
    for f in rng.normal(size=(5, len(X))):
        form = sum(f[i] * f[j] * MIXED.K[i, j] for i in range(len(X)) for j in range(len(X)))
        yield f @ Gram(RBF(GAMMA), X).product(f), form
        yield min(0.0, form), 0.0


@formula
def exclusive_or() -> Pairs:
    inputs, y = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([0.0, 1.0, 1.0, 0.0])
    proof = Separability(inputs, y).decide()
    assert isinstance(proof, HullIntersection)
    # Both diagonals of the square meet in its middle.
    yield proof.coordinates, (inputs[0] + inputs[3]) / 2.0
    yield HardMargin(QuadraticMap()(inputs), y).solve(tol=TOL).predict(QuadraticMap()(inputs)), y


@formula
def integral_operator() -> Pairs:
    # Of exp(-(x - z)^2 / 2) with the density N(0, 1), by Gauss and Hermite's rule, and its eigenfunctions 0 and 1.
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    x, ratio, slope = np.linspace(-2.0, 2.0, 9), (3.0 - np.sqrt(5.0)) / 2.0, (np.sqrt(5.0) - 1.0) / 4.0
    K = RBF(0.5).matrix(x[:, None], nodes[:, None])
    for degree in (0, 1):
        u = lambda x, degree=degree: x**degree * np.exp(-slope * x**2)  # noqa: E731
        yield K @ (weights / weights.sum() * u(nodes)), (1.0 - ratio) * ratio**degree * u(x)
