# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the other models of classes: smooth losses, several classes, probabilities, and the perceptron."""

from __future__ import annotations

from collections.abc import Callable

import cvxpy as cp
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from conventions.checks import GAMMA, Samples, agree, check, two_classes
from formulations import (
    LeastSquaresClassifier,
    Logistic,
    MarginLossClassifier,
    NormConstrainedClassifier,
    OneVersusOne,
    OneVersusRest,
    PenalisedLogistic,
    Perceptron,
    PlattCalibration,
)
from formulations.losses import LogisticLoss
from formulations.modelling.inputs.estimators import with_constant
from qpkernels import RBF

C, TOL = 2.5, 1e-11


def logistic_objective(data: Samples, w: np.ndarray, b: float, cost: float, of_intercept: float = 0.0) -> float:
    """Return 1/2 (||w||^2 + of_intercept b^2) + cost sum log(1 + exp(-y (w'x + b)))."""
    losses = np.logaddexp(0.0, -data.y * (data.X @ w + b))
    return float(0.5 * (w @ w + of_intercept * b**2) + cost * losses.sum())


@check("logistic-regression")
def logistic_regression() -> None:
    data = two_classes()
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(data.X, data.labels)
    ours = Logistic(data.X, data.labels, C=C).solve(tol=TOL)
    agree(
        lambda w, b: logistic_objective(data, w, b, C),
        (theirs.coef_[0], theirs.intercept_[0]),
        (data.X.T @ ours.beta, ours.intercept),
    )


@check("liblinear-logistic")
def liblinear_logistic() -> None:
    data, scaling = two_classes(), 3.0
    theirs = LogisticRegression(C=C, solver="liblinear", intercept_scaling=scaling, tol=1e-12, max_iter=10_000)
    theirs.fit(data.X, data.labels)
    X = with_constant(data.X, scaling)
    w = X.T @ Logistic(X, data.labels, C=C, fit_intercept=False).solve(tol=TOL).beta
    agree(
        lambda w, b: logistic_objective(data, w, b, C, scaling**-2),
        (theirs.coef_[0], theirs.intercept_[0]),
        (w[:-1], scaling * w[-1]),
    )


@check("glmnet-logistic")
def glmnet_logistic() -> None:
    data, penalty = two_classes(), 0.05
    w, b = cp.Variable(3), cp.Variable()
    losses = cp.logistic(-cp.multiply(data.y, data.X @ w + b))
    objective = cp.sum(losses) / len(data) + penalty / 2.0 * cp.sum_squares(w)
    cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    cost = 1.0 / (len(data) * penalty)
    ours = Logistic(data.X, data.labels, C=cost).solve(tol=TOL)
    agree(
        lambda w, b: logistic_objective(data, w, b, cost) / (cost * len(data)),
        (w.value, float(b.value)),
        (data.X.T @ ours.beta, ours.intercept),
    )


@check("penalised-logistic")
def penalised_logistic() -> None:
    data, regularisation = two_classes(), 0.3
    theirs = LogisticRegression(C=0.5 / regularisation, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(data.X, data.labels)
    ours = PenalisedLogistic(data.X, data.labels, regularisation=regularisation).solve(tol=TOL)
    agree(
        lambda w: logistic_objective(data, w, 0.0, 0.5 / regularisation),
        (theirs.coef_[0],),
        (data.X.T @ ours.beta,),
    )


@check("sgd-classifier")
def sgd_classifier() -> None:
    data, alpha = two_classes(), 0.1
    theirs = SGDClassifier("log_loss", alpha=alpha, tol=None, max_iter=20_000, average=100 * len(data), random_state=0)
    theirs.fit(data.X, data.labels)
    cost = 1.0 / (len(data) * alpha)
    ours = MarginLossClassifier(data.X, data.labels, loss=LogisticLoss(), C=cost).solve(tol=1e-9)
    # A stochastic method: the average of its steps is near the optimum, and never at it.
    agree(
        lambda w, b: logistic_objective(data, w, b, cost) / (cost * len(data)),
        (theirs.coef_[0], theirs.intercept_[0]),
        (data.X.T @ ours.beta, ours.intercept),
        tolerance=1e-3,
    )


@check("logistic-ball")
def logistic_ball() -> None:
    data = two_classes()
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(data.X, data.labels)
    w = theirs.coef_[0]
    model = NormConstrainedClassifier(data.X, data.labels, loss=LogisticLoss(), R=float(w @ w))
    ours = model.solve(tol=1e-9)
    np.testing.assert_allclose(model.regularisation_of(ours.beta), 0.5 / (len(data) * C), rtol=1e-5)
    agree(
        lambda w, b: logistic_objective(data, w, b, C),
        (w, theirs.intercept_[0]),
        (ours.function.weights, ours.intercept),
    )


def squares(data: Samples, K: np.ndarray, beta: np.ndarray, b: float, cost: float) -> float:
    """Return 1/2 ||f||^2 + cost/2 sum (y - f - b)^2."""
    f = K @ beta
    return float(0.5 * beta @ f + 0.5 * cost * ((data.y - f - b) ** 2).sum())


@check("ridge-classifier")
def ridge_classifier() -> None:
    data, alpha = two_classes(), 0.7
    theirs = RidgeClassifier(alpha=alpha).fit(data.X, data.labels)
    ours = LeastSquaresClassifier(data.X, data.labels, C=1.0 / alpha).solve()

    def objective(w: np.ndarray, b: float) -> float:
        return float(((data.y - data.X @ w - b) ** 2).sum() + alpha * w @ w)

    agree(objective, (np.ravel(theirs.coef_), np.ravel(theirs.intercept_)[0]), (data.X.T @ ours.beta, ours.intercept))


def eliminated(H: np.ndarray, targets: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, float]:
    """Return a and b of [0, row'; row, H] [b; a] = [0; targets], as LS-SVMlab eliminates b."""
    v, eta = np.linalg.solve(H, targets), np.linalg.solve(H, row)
    b = float(eta @ targets) / float(row @ eta)
    return v - eta * b, b


@check("lssvmlab-1.8")
def lssvmlab_newer() -> None:
    data, gam, sig2 = two_classes(), 1.7, 1.25
    omega = np.exp(-cdist(data.X, data.X, "sqeuclidean") / (2.0 * sig2))
    theirs = eliminated(omega + np.eye(len(data)) / gam, data.y, np.ones(len(data)))
    ours = LeastSquaresClassifier(data.X, data.labels, RBF(1.0 / (2.0 * sig2)), C=gam).solve()
    agree(lambda alpha, b: squares(data, omega, alpha, b, gam), theirs, (ours.beta, ours.intercept))


@check("lssvmlab-1.5")
def lssvmlab_older() -> None:
    data, gam, sig2 = two_classes(), 1.7, 2.5
    omega = np.exp(-cdist(data.X, data.X, "sqeuclidean") / sig2)
    H = np.outer(data.y, data.y) * omega + np.eye(len(data)) / gam
    theirs = eliminated(H, np.ones(len(data)), data.y)
    ours = LeastSquaresClassifier(data.X, data.labels, RBF(1.0 / sig2), C=gam).solve()
    agree(lambda alpha, b: squares(data, omega, data.y * alpha, b, gam), theirs, (ours.alpha, ours.intercept))


@check("kernlab-lssvm")
def kernlab_lssvm() -> None:
    data, tau = two_classes(), 0.01
    m, targets = len(data), (data.y + 1.0) / 2.0
    centred = data.K - data.K.mean(axis=0)[:, None]
    beta = np.linalg.solve(centred @ data.K + m * tau * data.K, centred @ targets)
    b = float(targets.mean() - (data.K @ beta).mean())
    ours = LeastSquaresClassifier(data.X, data.labels, RBF(GAMMA), C=1.0 / (m * tau)).solve()
    agree(
        lambda beta, b: squares(data, data.K, 2.0 * beta, 2.0 * b - 1.0, 1.0 / (m * tau)),
        (beta, b),
        (ours.beta / 2.0, (ours.intercept + 1.0) / 2.0),
    )


@check("one-vs-rest")
def one_vs_rest() -> None:
    X, labels = load_iris(return_X_y=True)
    theirs = OneVsRestClassifier(SVC(C=C, gamma=GAMMA, tol=1e-9)).fit(X, labels)
    ours = OneVersusRest(X, labels, RBF(GAMMA), C=C).solve(tol=TOL, progress=False)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@check("svc-one-vs-one")
def svc_one_vs_one() -> None:
    X, labels = load_iris(return_X_y=True)
    theirs = SVC(C=C, gamma=GAMMA, tol=1e-9, decision_function_shape="ovo").fit(X, labels)
    ours = OneVersusOne(X, labels, RBF(GAMMA), C=C).solve(tol=TOL, progress=False)
    np.testing.assert_allclose(-ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def sigmoid_loss(scores: np.ndarray, t: np.ndarray) -> Callable[[float, float], float]:
    """Return the loss of Platt's P = 1 / (1 + exp(A s + B)) at the targets t."""
    return lambda A, B: float((np.logaddexp(0.0, -(A * scores + B)) + t * (A * scores + B)).sum())


@check("platt")
def platt() -> None:
    data = two_classes(shift=0.6)
    scores, positive = data.X @ np.ones(3), data.labels == 7
    high, low = int(positive.sum()), int((~positive).sum())
    t = np.where(positive, (high + 1.0) / (high + 2.0), 1.0 / (low + 2.0))
    A, B = cp.Variable(), cp.Variable()
    z = A * scores + B
    cp.Problem(cp.Minimize(cp.sum(cp.logistic(-z) + cp.multiply(t, z)))).solve(solver="CLARABEL", tol_gap_rel=1e-12)
    ours = PlattCalibration(scores, data.labels, targets="platt").solve(tol=1e-9)
    agree(sigmoid_loss(scores, t), (float(A.value), float(B.value)), (-ours.A, -ours.B), tolerance=1e-4)


@check("calibrated-classifier")
def calibrated_classifier() -> None:
    data = two_classes(shift=0.6)
    machine = SVC(C=C, gamma=GAMMA, tol=1e-9).fit(data.X[:30], data.labels[:30])
    theirs = CalibratedClassifierCV(FrozenEstimator(machine), method="sigmoid").fit(data.X[30:], data.labels[30:])
    (sigmoid,) = theirs.calibrated_classifiers_[0].calibrators
    scores = machine.decision_function(data.X[30:])
    problem = PlattCalibration(scores, data.labels[30:], targets="platt")
    ours = problem.solve(tol=1e-9)
    agree(sigmoid_loss(scores, problem.t), (sigmoid.a_, sigmoid.b_), (-ours.A, -ours.B), tolerance=1e-4)


@check("sklearn-perceptron")
def sklearn_perceptron() -> None:
    data = two_classes(shift=2.5, samples=40)
    theirs = TheirPerceptron(shuffle=False, tol=None, max_iter=500).fit(data.X, data.labels)
    ours = Perceptron(data.X, data.labels).solve(max_epochs=500)
    assert ours.separated
    np.testing.assert_allclose(ours.weights, np.append(theirs.intercept_, theirs.coef_), rtol=1e-10)
