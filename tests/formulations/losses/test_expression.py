# SPDX-License-Identifier: BSD-3-Clause
"""Losses as CVXPY expressions: their numerical conjugates against closed forms, and the models with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import Logistic, MarginLossClassifier, ResidualLossRegression, SoftMargin
from formulations.estimators import KernelClassifier, KernelRegressor
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    ExpressionLoss,
    Hinge,
    Huber,
    LogisticLoss,
    Loss,
    Pinball,
    Squared,
    SquaredHinge,
)
from model_data import measured, overlapping
from qpkernels import RBF
from qpkernels.errors import NoEnclosureError, ParameterError, UnsupportedProgramError

PAIRS: dict[str, tuple[Callable[[Any], Any], Loss]] = {
    "hinge": (lambda z: cp.pos(1 - z), Hinge()),
    "squared hinge": (lambda z: cp.square(cp.pos(1 - z)), SquaredHinge()),
    "logistic": (lambda z: cp.logistic(-z), LogisticLoss()),
    "tube": (lambda r: cp.pos(cp.abs(r) - 0.3), EpsilonInsensitive(0.3)),
    "pinball": (lambda r: cp.maximum(0.3 * r, -0.7 * r), Pinball(0.3)),
    "Huber": (lambda r: 0.5 * cp.huber(r, 0.5), Huber(0.5)),
    "squared": (lambda r: 0.5 * cp.square(r), Squared()),
    "power": (lambda r: cp.power(cp.abs(r), 1.5), AbsolutePower(1.5)),
}
each_pair = pytest.mark.parametrize(("function", "loss"), PAIRS.values(), ids=PAIRS)


@each_pair
def test_it_is_the_loss_stated_by_hand(function: Callable[[Any], Any], loss: Loss) -> None:
    own, t = ExpressionLoss(function), np.linspace(-4.0, 4.0, 33)
    # Of what is linear and quadratic by pieces, the matrices tell all.
    assert own.quadratic_conjugate == loss.quadratic_conjugate
    assert own.quadratic_conjugate is None or own.domain == pytest.approx(loss.domain, rel=1e-15)
    np.testing.assert_allclose(own.value(t), loss.value(t), rtol=1e-12, atol=1e-14)
    assert own.domain == pytest.approx(loss.domain)
    slopes = own.slope(t)
    bounds = own.value(t)[:, None] + slopes[:, None] * (t - t[:, None])
    assert (own.value(t) >= bounds - 1e-7).all()
    s = np.linspace(max(loss.domain[0], -3.0), min(loss.domain[1], 3.0), 21)
    found, expected = own.conjugate(s), loss.conjugate(s)
    # Never below it: then the dual value of a certificate is a lower bound.
    assert (found >= expected).all()
    np.testing.assert_allclose(found, expected, atol=1e-10)
    if np.isfinite(loss.domain[1]):
        assert own.conjugate(loss.domain[1] + 0.1) == np.inf


def test_slopes_without_an_end() -> None:
    own = ExpressionLoss(lambda z: cp.exp(-z))
    assert own.domain == (-np.inf, 0.0)
    s = np.array([-5.0, -1.0, -0.01])
    expected = -s * np.log(-s) + s
    assert (own.conjugate(s) >= expected).all()
    np.testing.assert_allclose(own.conjugate(s), expected, atol=1e-12)
    assert own.conjugate(0.0) == pytest.approx(0.0, abs=1e-12)


def mixed(z: Any) -> Any:
    return cp.logistic(-z) + 0.1 * cp.square(cp.pos(1 - z))


def steep(r: Any) -> Any:
    return cp.maximum(cp.square(r), 2 * cp.abs(r))


@pytest.mark.parametrize("kernel", [None, RBF(0.5)], ids=["explicit", "rbf"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_models_with_it_are_solved_and_proved(kernel: Any, fit_intercept: bool) -> None:
    X, y = overlapping()
    costs = np.linspace(0.0, 1.5, 30)
    model = MarginLossClassifier(X, y, kernel, loss=mixed, C=costs, fit_intercept=fit_intercept)
    solution = model.solve(tol=1e-6)
    assert solution.status == "optimal"
    problem = model.primal.problem
    assert solution.objective == pytest.approx(problem.solve(solver="CLARABEL"), rel=1e-6)
    assert model.certify(solution.function).holds(1e-5)
    worse = model.certify((0.9 * solution.beta, solution.intercept))
    assert worse.primal_value > solution.certificate.dual_value > worse.dual_value
    tube = ResidualLossRegression(*measured(), kernel, loss=steep, fit_intercept=fit_intercept).solve(tol=1e-6)
    assert tube.status == "optimal"


def test_the_optimum_is_that_of_the_same_loss_by_hand() -> None:
    X, y = overlapping()
    for name, model in (("hinge", SoftMargin), ("logistic", Logistic)):
        own = MarginLossClassifier(X, y, RBF(0.5), loss=PAIRS[name][0], C=0.8).solve(tol=1e-7)
        by_hand = model(X, y, RBF(0.5), C=0.8).solve(tol=1e-9)
        assert own.status == "optimal"
        assert own.objective == pytest.approx(by_hand.objective, rel=1e-6)
        np.testing.assert_allclose(own.decision, by_hand.decision, atol=1e-3)


def test_models_with_a_conjugate_that_the_matrices_tell_are_those_of_the_loss_stated_by_hand() -> None:
    X, y = overlapping()
    own = MarginLossClassifier(X, y, RBF(0.5), loss=PAIRS["hinge"][0], C=0.8)
    solution = own.solve(tol=1e-9)
    assert solution.solver != "clarabel"
    assert solution.objective == pytest.approx(SoftMargin(X, y, RBF(0.5), C=0.8).solve(tol=1e-9).objective, rel=1e-8)
    assert own.dual.solve("clarabel").objective == pytest.approx(solution.objective, rel=1e-5)


@pytest.mark.parametrize(
    "function",
    [mixed, steep, lambda r: cp.abs(r) + 0.5, lambda r: cp.exp(r)],
    ids=["smooth part", "three kinks", "above 0", "smooth"],
)
def test_other_losses_have_a_conjugate_that_is_bounded_by_values(function: Callable[[Any], Any]) -> None:
    assert ExpressionLoss(function).quadratic_conjugate is None


def test_the_dual_form_takes_the_conjugate_as_an_expression() -> None:
    X, y = overlapping()
    with pytest.raises(UnsupportedProgramError, match="the dual form needs the conjugate"):
        MarginLossClassifier(X, y, loss=mixed).dual.solve("clarabel")
    own = MarginLossClassifier(X, y, loss=ExpressionLoss(PAIRS["hinge"][0], lambda s: s), C=0.8)
    solution = own.dual.solve("clarabel", tol=1e-7)
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(SoftMargin(X, y, C=0.8).solve(tol=1e-9).objective, rel=1e-6)
    # A wrong one is stated, and nothing is proved by it.
    wrong = MarginLossClassifier(X, y, loss=ExpressionLoss(PAIRS["hinge"][0], lambda s: 2.0 * s), C=0.8)
    assert wrong.dual.solve("clarabel").status != "optimal"


def test_estimators_take_a_function() -> None:
    X, y = overlapping()
    fitted = KernelClassifier(loss=mixed, gamma=0.5, tol=1e-6).fit(X, y)
    alone = MarginLossClassifier(X, y, RBF(0.5), loss=mixed).solve(tol=1e-6)
    np.testing.assert_allclose(fitted.decision_function(X), alone.decision, atol=1e-4)
    regressor = KernelRegressor(loss=steep, gamma=0.5).fit(*measured())
    assert regressor.certificate_.holds(1e-3)
    with pytest.raises(UnsupportedProgramError, match="convex by CVXPY's rules"):
        KernelRegressor(loss=lambda r: cp.sqrt(r)).fit(*measured())


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda z: -cp.square(z), UnsupportedProgramError, r"\(DCP\), but the curvature of .* is concave"),
        (lambda z: cp.square(cp.square(z) - 1), UnsupportedProgramError, "is unknown"),
        (lambda z: cp.norm(z), ParameterError, r"of the shape \(9,\) that it was given, but one of shape \(\)"),
        (lambda z: cp.pos(z) + 0 * cp.sum(cp.square(z)) + cp.norm(z), ParameterError, "of each entry alone"),
        (lambda z: z + cp.Variable(), ParameterError, "no variables or parameters of its own"),
        (lambda z: cp.Parameter(nonneg=True, value=1.0) * z, ParameterError, "no variables or parameters of its own"),
        (
            lambda z: -cp.log(z),
            ParameterError,
            r"everywhere, but ExpressionLoss.* does not at -30",
        ),
        (lambda z: np.log1p(np.exp(z)), ParameterError, "must take a CVXPY variable, but .* raised RuntimeError"),
        (lambda z: 0.0 if z is None else 1.0, ParameterError, "but 1.0 came"),
        (3, ParameterError, "takes functions of a CVXPY variable, but 3"),
    ],
)
def test_what_is_no_loss(function: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ExpressionLoss(function)


def test_what_it_does_not_know() -> None:
    X, y = overlapping()
    model = MarginLossClassifier(X, y, loss=mixed)
    with pytest.raises(NoEnclosureError):
        model.enclose(model.solve())
    for loss in ("hinge", Hinge, None):
        with pytest.raises(ParameterError, match="loss must be a margin loss"):
            MarginLossClassifier(X, y, loss=loss)
