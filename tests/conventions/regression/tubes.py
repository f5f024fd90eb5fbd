# SPDX-License-Identifier: BSD-3-Clause
"""The checks of tubes: hard, soft, penalised, with nu, and of sparse approximation."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from sklearn.linear_model import Lasso
from sklearn.svm import SVR, LinearSVR, NuSVR

from conventions.checks import GAMMA, Samples, agree, check, found_by
from conventions.regression.targets import TOL, expanded, minimised, real_targets
from formulations import HardTube, NuTube, PenalisedTube, SoftTube, SparseApproximation
from formulations.modelling import Regression
from formulations.modelling.inputs.estimators import with_constant
from qpkernels import RBF, FunctionKernel

C, EPSILON, NU = 1.5, 0.25, 0.3
SHARP = {"gamma": GAMMA, "tol": 1e-9}


def beyond(residuals: np.ndarray, epsilon: float = EPSILON) -> np.ndarray:
    """Return how far residuals lie outside the tube."""
    return np.maximum(0.0, np.abs(residuals) - epsilon)


def soft_objective(data: Samples, beta: np.ndarray, b: float, cost: float = C) -> float:
    """Return 1/2 ||f||^2 + C sum max(0, |r| - epsilon)."""
    f = data.K @ beta
    return float(0.5 * beta @ f + cost * beyond(data.labels - f - b).sum())


def soft(data: Samples) -> Regression:
    """Return our soft tube."""
    return SoftTube(data.X, data.labels, RBF(GAMMA), C=C, epsilon=EPSILON).solve(tol=TOL)


def free(beta: np.ndarray, cost: float = C) -> np.ndarray:
    """Return which coefficients are strictly between 0 and the cost in size."""
    return (np.abs(beta) > 1e-5 * cost) & (np.abs(beta) < (1.0 - 1e-5) * cost)


@check("svr-hard")
def svr_hard() -> None:
    data = real_targets(12)
    ours = HardTube(data.X, data.labels, RBF(GAMMA), epsilon=EPSILON).solve(tol=TOL)
    cost = 1.001 * float(np.abs(ours.beta).max())
    theirs = SVR(C=cost, epsilon=EPSILON, **SHARP).fit(data.X, data.labels)
    agree(
        lambda beta, b: soft_objective(data, beta, b, cost),
        found_by(theirs, len(data)),
        (ours.beta, ours.intercept),
    )


@check("svr")
def svr() -> None:
    data = real_targets()
    theirs, ours = SVR(C=C, epsilon=EPSILON, **SHARP).fit(data.X, data.labels), soft(data)
    agree(
        lambda beta, b: soft_objective(data, beta, b),
        found_by(theirs, len(data)),
        (ours.beta, ours.intercept),
    )


@check("libsvm-svr")
def libsvm_svr() -> None:
    # Underneath, scikit-learn keeps what its copy of LIBSVM found, but for the sign of rho.
    data = real_targets()
    fitted, ours = SVR(C=C, epsilon=EPSILON, **SHARP).fit(data.X, data.labels), soft(data)
    coefficients, rho = np.zeros(len(data)), -float(fitted._intercept_[0])
    coefficients[fitted.support_] = fitted._dual_coef_[0]
    agree(
        lambda coefficients, rho: soft_objective(data, coefficients, -rho),
        (coefficients, rho),
        (ours.beta, -ours.intercept),
    )


@check("liblinear-svr")
def liblinear_svr() -> None:
    data, scaling = real_targets(), 3.0
    theirs = LinearSVR(C=C, epsilon=EPSILON, intercept_scaling=scaling, tol=1e-10, max_iter=10**6)
    theirs.fit(data.X, data.labels)
    X = with_constant(data.X, scaling)
    ours = SoftTube(X, data.labels, C=C, epsilon=EPSILON, fit_intercept=False).solve(tol=TOL)
    w = X.T @ ours.beta

    def objective(w: np.ndarray, b: float) -> float:
        losses = beyond(data.labels - data.X @ w - b)
        return float(0.5 * (w @ w + (b / scaling) ** 2) + C * losses.sum())

    agree(objective, (theirs.coef_, theirs.intercept_[0]), (w[:-1], scaling * w[-1]))


@check("kernlab-eps-svr")
def kernlab_eps_svr() -> None:
    data = real_targets()
    beta, f, squared_norm = expanded(data.K)
    width = EPSILON * cp.norm1(beta)
    minimised(0.5 * squared_norm - data.labels @ beta + width, cp.sum(beta) == 0, cp.abs(beta) <= C)
    on_edge = free(beta.value)
    # Its predictions are K coef - b.
    offsets = f.value - data.labels + EPSILON * np.sign(beta.value)
    ours = soft(data)
    agree(
        lambda coef, b: soft_objective(data, coef, -b),
        (beta.value, float(offsets[on_edge].mean())),
        (ours.beta, -ours.intercept),
    )


@check("kernlab-eps-bsvr")
def kernlab_eps_bsvr() -> None:
    data = real_targets()
    beta, _, squared_norm = expanded(data.K + 1.0)
    minimised(0.5 * squared_norm - data.labels @ beta + EPSILON * cp.norm1(beta), cp.abs(beta) <= C)
    kernel = RBF(GAMMA) + FunctionKernel(lambda X, Z: np.ones((len(X), len(Z))))
    ours = SoftTube(data.X, data.labels, kernel, C=C, epsilon=EPSILON, fit_intercept=False).solve(tol=TOL)

    def objective(coef: np.ndarray, b: float) -> float:
        return soft_objective(data, coef, -b) + 0.5 * b**2

    agree(objective, (beta.value, -float(beta.value.sum())), (ours.beta, -float(ours.beta.sum())))


def risk(data: Samples, regularisation: float, w: np.ndarray, b: float) -> float:
    """Return lambda ||w||^2 + the mean of the losses."""
    return float(regularisation * w @ w + beyond(data.labels - data.X @ w - b).mean())


@check("tube-risk")
def tube_risk() -> None:
    data, regularisation = real_targets(), 0.02
    w, b = cp.Variable(3), cp.Variable()
    losses = cp.pos(cp.abs(data.labels - data.X @ w - b) - EPSILON)
    minimised(regularisation * cp.sum_squares(w) + cp.sum(losses) / len(data))
    cost = 1.0 / (2.0 * len(data) * regularisation)
    ours = SoftTube(data.X, data.labels, C=cost, epsilon=EPSILON).solve(tol=TOL)
    agree(
        lambda w, b: risk(data, regularisation, w, b),
        (w.value, float(b.value)),
        (data.X.T @ ours.beta, ours.intercept),
    )


@check("tube-risk-origin")
def tube_risk_origin() -> None:
    data, regularisation = real_targets(), 0.02
    w = cp.Variable(3)
    losses = cp.pos(cp.abs(data.labels - data.X @ w) - EPSILON)
    minimised(regularisation * cp.sum_squares(w) + cp.sum(losses) / len(data))
    model = PenalisedTube(data.X, data.labels, regularisation=len(data) * regularisation, epsilon=EPSILON)
    agree(
        lambda w: risk(data, regularisation, w, 0.0),
        (w.value,),
        (data.X.T @ model.solve(tol=TOL).beta,),
    )


@check("liblinear-svr-origin")
def liblinear_svr_origin() -> None:
    data = real_targets()
    theirs = LinearSVR(C=C, epsilon=EPSILON, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(data.X, data.labels)
    ours = PenalisedTube(data.X, data.labels, regularisation=1.0 / (2.0 * C), epsilon=EPSILON).solve(tol=TOL)
    agree(lambda w: risk(data, 1.0 / (2.0 * C * len(data)), w, 0.0), (theirs.coef_,), (data.X.T @ ours.beta,))


def nu_objective(data: Samples, beta: np.ndarray, b: float) -> float:
    """Return 1/2 ||f||^2 + C (nu m epsilon + sum max(0, |r| - epsilon)) at the best epsilon."""
    f = data.K @ beta
    residuals = data.labels - f - b
    best = min(NU * len(data) * width + beyond(residuals, width).sum() for width in (0.0, *np.abs(residuals)))
    return float(0.5 * beta @ f + C * best)


def nu(data: Samples) -> Regression:
    """Return our nu-tube."""
    return NuTube(data.X, data.labels, RBF(GAMMA), C=C, nu=NU).solve(tol=TOL)


@check("nu-svr")
def nu_svr() -> None:
    data = real_targets()
    theirs, ours = NuSVR(C=C, nu=NU, **SHARP).fit(data.X, data.labels), nu(data)
    agree(
        lambda beta, b: nu_objective(data, beta, b),
        found_by(theirs, len(data)),
        (ours.beta, ours.intercept),
    )


@check("kernlab-nu-svr")
def kernlab_nu_svr() -> None:
    data = real_targets()
    beta, f, squared_norm = expanded(data.K)
    minimised(
        0.5 * squared_norm - data.labels @ beta,
        cp.sum(beta) == 0,
        cp.norm1(beta) <= C * NU * len(data),
        cp.abs(beta) <= C,
    )
    offsets, on_edge = f.value - data.labels, free(beta.value)
    above, below = (float(offsets[on_edge & (sign * beta.value > 0)].mean()) for sign in (1.0, -1.0))
    ours = nu(data)
    np.testing.assert_allclose(ours.epsilon, (below - above) / 2.0, rtol=1e-5)
    agree(
        lambda coef, b: nu_objective(data, coef, -b),
        (beta.value, (above + below) / 2.0),
        (ours.beta, -ours.intercept),
    )


@check("nu-svr-paper")
def nu_svr_paper() -> None:
    data, cost = real_targets(), 20.0
    m = len(data)
    w, b, width, slack = cp.Variable(3), cp.Variable(), cp.Variable(nonneg=True), cp.Variable(m, nonneg=True)
    minimised(
        0.5 * cp.sum_squares(w) + cost * (NU * width + cp.sum(slack) / m),
        cp.abs(data.labels - data.X @ w - b) <= width + slack,
    )
    ours = NuTube(data.X, data.labels, C=cost / m, nu=NU).solve(tol=TOL)

    def objective(w: np.ndarray, b: float, width: float) -> float:
        return float(0.5 * w @ w + cost * (NU * width + beyond(data.labels - data.X @ w - b, width).mean()))

    agree(
        objective,
        (w.value, float(b.value), float(width.value)),
        (data.X.T @ ours.beta, ours.intercept, ours.epsilon),
    )


@check("lasso")
def lasso() -> None:
    data = real_targets(30)
    m, lower = len(data), np.linalg.cholesky(data.K)
    design, targets = lower.T, np.linalg.solve(lower, data.labels)
    theirs = Lasso(alpha=EPSILON / m, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(design, targets)
    ours = SparseApproximation(data.X, data.labels, RBF(GAMMA), epsilon=EPSILON).solve(tol=TOL)

    def objective(a: np.ndarray) -> float:
        return float(((targets - design @ a) ** 2).sum() / (2 * m) + EPSILON / m * np.abs(a).sum())

    agree(objective, (theirs.coef_,), (ours.beta,))
