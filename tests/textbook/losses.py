# SPDX-License-Identifier: BSD-3-Clause
"""Loss functions, and the machines of the logistic loss: regression, two levels, and several classes."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from formulations import (
    Logistic,
    OneVersusOne,
    OneVersusRest,
    PenalisedLogistic,
    PlattCalibration,
    SoftMargin,
    calibrate,
)
from formulations.losses import EpsilonInsensitive, Hinge, LogisticLoss, LogisticResidual, Squared, ZeroOne
from qpkernels import RBF
from textbook.cases import GAMMA, MIXED, TOL, Pairs, formula, minimised, root

__all__: list[str] = []

T = np.linspace(-3.0, 3.0, 41)
"""Margins or residuals."""

C = 1.5


@formula
def hinge() -> Pairs:
    yield Hinge().value(T), np.maximum(0.0, 1.0 - T)


@formula
def margin_based_loss() -> Pairs:
    # L(y, t) = l(yt): the loss of a label and a value is that of their product.
    for label in (-1.0, 1.0):
        yield Hinge().value(label * T), np.where(label * T < 1.0, 1.0 - label * T, 0.0)
        yield LogisticLoss().value(label * T), -np.log(expit(label * T))


@formula
def error_measures() -> Pairs:
    binary = np.log2(1.0 + np.exp(-T))
    yield ZeroOne().value(T), T <= 0.0
    yield Hinge().value(T), np.maximum(1.0 - T, 0.0)
    yield LogisticLoss().value(T) / np.log(2.0), binary
    # Both are upper bounds of the number of errors.
    for loss in (Hinge().value(T), binary):
        yield np.minimum(loss, ZeroOne().value(T)), ZeroOne().value(T)


@formula
def losses_far_out() -> Pairs:
    yield Hinge().value([-1e12, 1e12]) / 1e12, [1.0, 0.0]
    yield LogisticLoss().value([-1e12, 1e12]) / 1e12, [1.0, 0.0]


@formula
def distance_based_loss() -> Pairs:
    y, t = np.meshgrid(T, T[::5])
    yield EpsilonInsensitive(0.4).value(y - t), np.maximum(0.0, np.abs(y - t) - 0.4)
    yield EpsilonInsensitive(0.4).value(t - y), EpsilonInsensitive(0.4).value(y - t)


@formula
def epsilon_insensitive_loss() -> Pairs:
    yield EpsilonInsensitive(0.5).value(T), np.where(np.abs(T) < 0.5, 0.0, np.abs(T) - 0.5)


@formula
def logistic_losses() -> Pairs:
    yield LogisticLoss().value(T), np.log(1.0 + np.exp(-T))
    yield LogisticResidual().value(T), -np.log(4.0 * np.exp(T) / (1.0 + np.exp(T)) ** 2)


@formula
def squared_loss() -> Pairs:
    yield 2.0 * Squared().value(T), T**2
    for label in (-1.0, 1.0):
        yield 2.0 * Squared().value(label - T), (1.0 - label * T) ** 2


@cache
def logistic() -> SimpleNamespace:
    """Return the restated logistic regression with an intercept, by a method of SciPy."""
    X, y, penalty = MIXED.X, MIXED.y, 0.2

    def value(v: np.ndarray) -> tuple[float, np.ndarray]:
        margins = y * (X @ v[:2] + v[2])
        slope = -y * expit(-margins)
        gradient = np.append(X.T @ slope + 2 * penalty * v[:2], slope.sum())
        return float(np.logaddexp(0.0, -margins).sum() + penalty * v[:2] @ v[:2]), gradient

    best = minimize(value, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-10})
    return SimpleNamespace(penalty=penalty, value=best.fun, w=best.x[:2], b=best.x[2])


@formula
def logistic_regression() -> Pairs:
    best = logistic()
    answer = Logistic(MIXED.X, MIXED.y, C=1.0 / (2.0 * best.penalty)).solve(tol=TOL)
    yield 2.0 * best.penalty * answer.objective, best.value
    yield answer.function.weights, best.w
    yield answer.intercept, best.b


@formula
def logistic_probability() -> Pairs:
    best = logistic()
    answer = Logistic(MIXED.X, MIXED.y, C=1.0 / (2.0 * best.penalty)).solve(tol=TOL)
    values = MIXED.N @ best.w + best.b
    yield answer.predict_proba(MIXED.N), np.column_stack([expit(-values), expit(values)])


@formula
def kernel_logistic_regression() -> Pairs:
    K, y, m, penalty = MIXED.K, MIXED.y, len(MIXED), 0.4
    beta, S = cp.Variable(m), root(MIXED.K)
    losses = cp.sum(cp.logistic(-cp.multiply(y, K @ beta)))
    value = minimised(penalty / m * cp.sum_squares(S.T @ beta) + losses / m)
    answer = PenalisedLogistic(MIXED.X, y, RBF(GAMMA), regularisation=penalty).penalised.solve("clarabel", tol=1e-8)
    yield answer.objective, value
    yield answer.decision, K @ beta.value
    # No coefficient is 0: each is a slope of its loss.
    yield answer.beta, y * expit(-y * (K @ beta.value)) / (2.0 * penalty)
    yield answer.sparsity, 0.0


def scores() -> np.ndarray:
    """Return the decision values of a soft margin on its own samples."""
    return np.asarray(SoftMargin(MIXED.X, MIXED.y, RBF(GAMMA), C=C).solve(tol=1e-6).decision)


def sigmoid_of(s: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the least mean of log(1 + exp(-y (A s + B))), and the best (A, B)."""

    def mean(v: np.ndarray) -> tuple[float, np.ndarray]:
        margins = MIXED.y * (v[0] * s + v[1])
        slope = -MIXED.y * expit(-margins) / s.size
        return float(np.logaddexp(0.0, -margins).mean()), np.array([slope @ s, slope.sum()])

    best = minimize(mean, np.array([1.0, 0.0]), jac=True, method="BFGS", options={"gtol": 1e-10})
    return best.fun, best.x


@formula
def sigmoid_over_scores() -> Pairs:
    s = scores()
    value, (A, B) = sigmoid_of(s)
    fitted = PlattCalibration(s, MIXED.y).solve(tol=1e-9)
    yield fitted.certificate.primal_value, value
    yield [fitted.A, fitted.B], [A, B]


@formula
def two_level_machine() -> Pairs:
    machine = calibrate(
        lambda X, y: SoftMargin(X, y, RBF(GAMMA), C=C), MIXED.X, MIXED.y, folds=None, targets="plain", tol=1e-9
    )
    _, (A, B) = sigmoid_of(scores())
    yield machine.probability(MIXED.N), expit(A * machine.function(MIXED.N) + B)


def _three_classes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    labels = np.arange(24) % 3
    centres = np.array([[1.5, 0.0], [-1.0, 1.2], [-0.8, -1.4]])
    return centres[labels] + 0.9 * rng.normal(size=(24, 2)), labels, 2.0 * rng.normal(size=(15, 2))


def _scores_of(X: np.ndarray, signs: np.ndarray, new: np.ndarray) -> np.ndarray:
    w, b = cp.Variable(2), cp.Variable()
    minimised(0.5 * cp.sum_squares(w) + C * cp.sum(cp.pos(1 - cp.multiply(signs, X @ w + b))))
    return np.asarray(new @ w.value + b.value)


@formula
def one_versus_the_rest() -> Pairs:
    X, labels, new = _three_classes()
    values = np.column_stack([_scores_of(X, np.where(labels == k, 1.0, -1.0), new) for k in range(3)])
    yield OneVersusRest(X, labels, C=C).solve(tol=1e-9).predict(new), values.argmax(axis=1)


@formula
def one_versus_one() -> Pairs:
    X, labels, new = _three_classes()
    votes = np.zeros((len(new), 3))
    for j, k in ((0, 1), (0, 2), (1, 2)):
        rows = (labels == j) | (labels == k)
        won = _scores_of(X[rows], np.where(labels[rows] == k, 1.0, -1.0), new) > 0
        votes[np.arange(len(new)), np.where(won, k, j)] += 1
    # Where one class has more votes than every other; ties are the library's own.
    clear = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) == 1
    yield OneVersusOne(X, labels, C=C).solve(tol=1e-9).predict(new)[clear], votes.argmax(axis=1)[clear]
