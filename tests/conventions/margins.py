# SPDX-License-Identifier: BSD-3-Clause
"""The checks of support vector machines: hard and soft margins, squared slacks, nu, and one class."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from sklearn.svm import SVC, LinearSVC, NuSVC, OneClassSVM

from conventions.checks import GAMMA, Samples, agree, check, found_by, spread, two_classes
from formulations import HardMargin, NuMargin, OneClass, SoftMargin, SquaredHinge
from formulations.modelling import Classification
from formulations.modelling.inputs.estimators import with_constant
from qpkernels import RBF, FunctionKernel

C, NU, TOL = 2.5, 0.4, 1e-11


def soft(data: Samples) -> Classification:
    """Return our soft margin of the cost C."""
    return SoftMargin(data.X, data.labels, RBF(GAMMA), C=C).solve(tol=TOL)


def soft_objective(data: Samples, beta: np.ndarray, b: float, cost: float = C) -> float:
    """Return 1/2 ||f||^2 + C sum hinge."""
    f = data.K @ beta
    return float(0.5 * beta @ f + cost * np.maximum(0.0, 1.0 - data.y * (f + b)).sum())


def minimised(Q: np.ndarray, q: np.ndarray, upper: float, *constraints: tuple[np.ndarray, float]) -> np.ndarray:
    """Return the a of min 1/2 a'Qa + q'a, 0 <= a <= upper, with an equation v'a = value for each (v, value)."""
    a = cp.Variable(len(q))
    rows = [a >= 0, a <= upper, *(v @ a == value for v, value in constraints)]
    problem = cp.Problem(cp.Minimize(0.5 * cp.quad_form(a, cp.psd_wrap(Q)) + q @ a), rows)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return np.asarray(a.value)


def free(a: np.ndarray, upper: float) -> np.ndarray:
    """Return which entries are strictly between 0 and the upper bound."""
    return (a > 1e-5 * upper) & (a < (1.0 - 1e-5) * upper)


@check("svc")
def svc() -> None:
    data = two_classes()
    theirs, ours = SVC(C=C, gamma=GAMMA, tol=1e-9).fit(data.X, data.labels), soft(data)
    agree(
        lambda beta, b: soft_objective(data, beta, b),
        found_by(theirs, len(data)),
        (ours.beta, ours.intercept),
    )


@check("libsvm")
def libsvm() -> None:
    # Underneath, scikit-learn keeps what its copy of LIBSVM found, which has the smaller label first.
    data, sign = two_classes(), -1.0
    fitted, ours = SVC(C=C, gamma=GAMMA, tol=1e-9).fit(data.X, data.labels), soft(data)
    coefficients, rho = np.zeros(len(data)), -float(fitted._intercept_[0])
    coefficients[fitted.support_] = fitted._dual_coef_[0]
    agree(
        lambda coefficients, rho: soft_objective(data, sign * coefficients, -sign * rho),
        (coefficients, rho),
        (sign * ours.beta, -sign * ours.intercept),
    )


@check("liblinear-hinge")
def liblinear_hinge() -> None:
    data, scaling = two_classes(), 3.0
    theirs = LinearSVC(C=C, loss="hinge", intercept_scaling=scaling, tol=1e-10, max_iter=10**6)
    theirs.fit(data.X, data.labels)
    X = with_constant(data.X, scaling)
    w = X.T @ SoftMargin(X, data.labels, C=C, fit_intercept=False).solve(tol=TOL).beta

    def objective(w: np.ndarray, b: float) -> float:
        hinges = np.maximum(0.0, 1.0 - data.y * (data.X @ w + b))
        return float(0.5 * (w @ w + (b / scaling) ** 2) + C * hinges.sum())

    agree(objective, (theirs.coef_[0], theirs.intercept_[0]), (w[:-1], scaling * w[-1]))


@check("kernlab-c-svc")
def kernlab_c_svc() -> None:
    data = two_classes()
    a = minimised(np.outer(data.y, data.y) * data.K, -np.ones(len(data)), C, (data.y, 0.0))
    coef, ours = a * data.y, soft(data)
    b = float((data.K @ coef - data.y)[free(a, C)].mean())
    agree(lambda coef, b: soft_objective(data, coef, -b), (coef, b), (ours.beta, -ours.intercept))


@check("kernlab-c-bsvc")
def kernlab_c_bsvc() -> None:
    data = two_classes()
    a = minimised(np.outer(data.y, data.y) * (data.K + 1.0), -np.ones(len(data)), C)
    kernel = RBF(GAMMA) + FunctionKernel(lambda X, Z: np.ones((len(X), len(Z))))
    ours = SoftMargin(data.X, data.labels, kernel, C=C, fit_intercept=False).solve(tol=TOL)

    def objective(coef: np.ndarray, b: float) -> float:
        return soft_objective(data, coef, -b) + 0.5 * b**2

    agree(objective, (a * data.y, -float(a @ data.y)), (ours.beta, -float(ours.beta.sum())))


@check("soft-margin-risk")
def soft_margin_risk() -> None:
    data, regularisation = two_classes(), 0.02
    w, b = cp.Variable(3), cp.Variable()
    losses = cp.pos(1 - cp.multiply(data.y, data.X @ w + b))
    risk = regularisation * cp.sum_squares(w) + cp.sum(losses) / len(data)
    cp.Problem(cp.Minimize(risk)).solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    solution = SoftMargin(data.X, data.labels, C=1.0 / (2.0 * len(data) * regularisation)).solve(tol=TOL)

    def objective(w: np.ndarray, b: float) -> float:
        return float(regularisation * w @ w + np.maximum(0.0, 1.0 - data.y * (data.X @ w + b)).mean())

    agree(objective, (w.value, float(b.value)), (data.X.T @ solution.beta, solution.intercept))


@check("svc-hard")
def svc_hard() -> None:
    data = two_classes(shift=2.5, samples=20)
    ours = HardMargin(data.X, data.labels, RBF(GAMMA)).solve(tol=TOL)
    cost = 1.001 * ours.alpha.max()
    theirs = SVC(C=cost, gamma=GAMMA, tol=1e-10).fit(data.X, data.labels)
    agree(
        lambda beta, b: soft_objective(data, beta, b, cost),
        found_by(theirs, len(data)),
        (ours.beta, ours.intercept),
    )


@check("liblinear-squared")
def liblinear_squared() -> None:
    data, scaling = two_classes(), 3.0
    theirs = LinearSVC(C=C, intercept_scaling=scaling, tol=1e-12, max_iter=10**6, dual=False)
    theirs.fit(data.X, data.labels)
    X = with_constant(data.X, scaling)
    w = X.T @ SquaredHinge(X, data.labels, C=C, fit_intercept=False).solve(tol=TOL).beta

    def objective(w: np.ndarray, b: float) -> float:
        hinges = np.maximum(0.0, 1.0 - data.y * (data.X @ w + b))
        return float(0.5 * (w @ w + (b / scaling) ** 2) + C * (hinges**2).sum())

    agree(objective, (theirs.coef_[0], theirs.intercept_[0]), (w[:-1], scaling * w[-1]))


@check("squared-hinge-half")
def squared_hinge_half() -> None:
    # In LIBSVM the same machine is a hard margin, of a matrix with a larger diagonal.
    data = two_classes()
    theirs = SVC(C=1e6, kernel="precomputed", tol=1e-10).fit(data.K + np.eye(len(data)) / C, data.labels)
    ours = SquaredHinge(data.X, data.labels, RBF(GAMMA), C=C / 2.0).solve(tol=TOL)

    def objective(beta: np.ndarray, b: float) -> float:
        f = data.K @ beta
        return float(0.5 * beta @ f + 0.5 * C * (np.maximum(0.0, 1.0 - data.y * (f + b)) ** 2).sum())

    agree(objective, found_by(theirs, len(data)), (ours.beta, ours.intercept))


def nu_objective(data: Samples, beta: np.ndarray, b: float) -> float:
    """Return the soft margin's objective at the cost that its largest coefficient says: that of f and b over rho."""
    return soft_objective(data, beta, b, float(np.abs(beta).max()))


@check("nu-svc")
def nu_svc() -> None:
    data = two_classes()
    theirs = NuSVC(nu=NU, gamma=GAMMA, tol=1e-9).fit(data.X, data.labels)
    ours = NuMargin(data.X, data.labels, RBF(GAMMA), nu=NU).solve(tol=TOL)
    rho = ours.margin_level
    agree(
        lambda beta, b: nu_objective(data, beta, b),
        found_by(theirs, len(data)),
        (ours.beta / rho, ours.intercept / rho),
    )
    # The largest of theirs is the C of the soft margin with the same boundary.
    np.testing.assert_allclose(np.abs(theirs.dual_coef_).max(), 1.0 / (len(data) * rho), rtol=1e-5)


@check("kernlab-nu-svc")
def kernlab_nu_svc() -> None:
    data = two_classes()
    Q, ones = np.outer(data.y, data.y) * data.K, np.ones(len(data))
    a = minimised(Q, 0.0 * ones, 1.0, (data.y, 0.0), (ones, NU * len(data)))
    slope, free_ones = Q @ a, free(a, 1.0)
    above, below = (float(slope[free_ones & (data.y == sign)].mean()) for sign in (1.0, -1.0))
    r, rho = (above + below) / 2.0, (above - below) / 2.0
    ours = NuMargin(data.X, data.labels, RBF(GAMMA), nu=NU).solve(tol=TOL)
    agree(
        lambda coef, b: nu_objective(data, coef, -b),
        (a * data.y / r, rho / r),
        (ours.beta / ours.margin_level, -ours.intercept / ours.margin_level),
    )


def one_class_objective(data: Samples, beta: np.ndarray, rho: float) -> float:
    """Return 1/2 ||f||^2 - nu m rho + sum max(0, rho - f), LIBSVM's, whose multipliers add up to nu m."""
    f = data.K @ beta
    return float(0.5 * beta @ f - NU * len(data) * rho + np.maximum(0.0, rho - f).sum())


@check("one-class-svm")
def one_class_svm() -> None:
    data = two_classes()
    theirs = OneClassSVM(nu=NU, gamma=GAMMA, tol=1e-9).fit(data.X)
    ours, scale = OneClass(data.X, RBF(GAMMA), nu=NU).solve(tol=TOL), NU * len(data)
    agree(
        lambda beta, rho: one_class_objective(data, beta, rho),
        (spread(theirs, len(data)), theirs.offset_[0]),
        (scale * ours.beta, scale * ours.rho),
    )
    np.testing.assert_allclose(theirs.decision_function(data.X), scale * ours.decision, atol=1e-5)


@check("kernlab-one-svc")
def kernlab_one_svc() -> None:
    data, ones = two_classes(), np.ones(60)
    a = minimised(data.K, 0.0 * ones, 1.0, (ones, NU * len(data)))
    b = float((data.K @ a)[free(a, 1.0)].mean())
    ours, scale = OneClass(data.X, RBF(GAMMA), nu=NU).solve(tol=TOL), NU * len(data)
    agree(lambda a, b: one_class_objective(data, a, b), (a, b), (scale * ours.beta, scale * ours.rho))
