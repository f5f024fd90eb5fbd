# SPDX-License-Identifier: BSD-3-Clause
"""Answers that are a function alone, certified by the multipliers that are read off them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC, LinearSVR

from formulations import (
    ChebyshevFit,
    HardMargin,
    LeastSquares,
    LinearProgramMachine,
    Logistic,
    PrimalFunction,
    Separability,
    SoftMargin,
    SoftTube,
    SquaredHinge,
)
from formulations.modelling.inputs.estimators import cost_of_ridge, with_constant
from model_data import CASES, SHARP, Case, few, measured, model_of, overlapping, separable
from qpkernels import RBF, Expansion, Linear
from qpkernels.errors import ParameterError, ShapeError
from together import together

TOLD = [
    case
    for case in CASES
    if case.form == next(iter(case.state_model().forms)) and case.model not in (LinearProgramMachine, Separability)
]


@together("case", TOLD, by=model_of)
def test_the_function_of_a_sharp_answer_is_proved(case: Case) -> None:
    model = case.state_model()
    solution = model.solve(tol=SHARP["clarabel"])
    f = solution.function
    functions: list[Any] = [f, PrimalFunction(lambda X: f(X) - f.intercept, f.squared_norm, f.intercept)]
    if model.data.explicit:
        functions.append((f.weights, solution.intercept))
    for answer in functions:
        certificate = model.certify(answer)
        assert certificate.holds(1e-5)
        assert certificate.primal_only
        assert certificate.primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-5, abs=1e-9)
    assert not model.certify(solution).primal_only


@together("case", TOLD, by=model_of)
def test_any_function_is_bounded_from_both_sides(case: Case) -> None:
    model = case.state_model()
    solution = model.solve(tol=1e-6)
    rng = np.random.default_rng(2)
    f = solution.function
    moved = Expansion(f.kernel, f.centers, f.coefficients * rng.uniform(0.7, 1.3, f.coefficients.size), f.intercept)
    certificate = model.certify(moved)
    size = abs(solution.certificate.primal_value)
    assert certificate.dual_value <= solution.certificate.primal_value + 1e-6 * size
    # Where a hard constraint is violated, the primal value is that of no feasible point.
    if certificate.primal_residual == 0.0:
        assert certificate.primal_value >= solution.certificate.dual_value - 1e-6 * size


X, Y = overlapping()
T = measured()[1]


@pytest.mark.parametrize(
    ("loss", "model"), [("hinge", SoftMargin), ("squared_hinge", SquaredHinge)], ids=["hinge", "squared hinge"]
)
def test_linear_machines_of_liblinear(loss: Any, model: Any) -> None:
    for tol, gap in ((1e-4, 1e-3), (1e-10, 1e-6)):
        fitted = LinearSVC(loss=loss, C=0.8, tol=tol, max_iter=1_000_000, random_state=0).fit(X, Y)
        ours = model(with_constant(X), Y, C=0.8, fit_intercept=False)
        assert ours.certify((np.append(fitted.coef_, fitted.intercept_), 0.0)).holds(gap)
    fitted = LinearSVR(C=2.0, epsilon=0.2, tol=1e-10, max_iter=1_000_000, random_state=0).fit(measured()[0], T)
    tube = SoftTube(with_constant(measured()[0]), T, C=2.0, epsilon=0.2, fit_intercept=False)
    assert tube.certify((np.append(fitted.coef_, fitted.intercept_), 0.0)).holds(1e-6)


def test_estimators_with_weights() -> None:
    labels = np.where(Y > 0, "yes", "no")
    fitted = LogisticRegression(C=0.8, tol=1e-8).fit(X, labels)
    model = Logistic(X, labels, C=0.8)
    for answer in (fitted, (fitted.coef_, fitted.intercept_), (fitted.coef_[0], fitted.intercept_[0])):
        assert model.certify(answer).holds(1e-6)
    assert Logistic(X, labels, Linear(), C=0.8).certify(fitted).holds(1e-6)
    ridge = Ridge(alpha=0.3).fit(measured()[0], T)
    assert LeastSquares(*measured(), C=cost_of_ridge(0.3)).certify(ridge).holds(1e-9)
    with pytest.raises(ParameterError, match=r"classes of the answer must be \[-1, 1\], but they are \['no', 'yes'\]"):
        Logistic(X, Y).certify(fitted)


def test_a_hard_margin_that_is_violated_a_little() -> None:
    X, y = separable()
    model = HardMargin(X, y)
    f = model.solve(tol=1e-9).function
    w, b = 0.999 * f.weights, 0.999 * f.intercept
    certificate = model.certify((w, b))
    margins = y * (X @ w + b)
    terms = np.abs(y - b) + np.abs(X @ w)
    assert certificate.primal_residual == pytest.approx(((1.0 - margins) / terms).max(), rel=1e-6)
    assert certificate.primal_value == pytest.approx(0.5 * float(w @ w) / margins.min() ** 2, rel=1e-12)
    assert certificate.relative_gap < 1e-6


def test_as_many_features_as_samples() -> None:
    data = few()
    model = LeastSquares(data[0][:, :6], data[1])
    solution = model.solve(tol=1e-10)
    w, b = solution.function.weights, solution.intercept
    with pytest.raises(ParameterError, match="6 numbers may be w, one for each feature, or beta"):
        model.certify((w, b))
    assert model.certify((w, b), weights=True).holds(1e-8)
    assert model.certify((solution.beta, b), weights=False).holds(1e-8)
    assert model.certify((w[None, :], [b])).holds(1e-8)
    assert model.enclose((w, b), weights=True).lower <= solution.certificate.primal_value


def test_it_is_said_which_side_was_given() -> None:
    model = SoftMargin(X, Y, RBF(0.5))
    solution = model.solve(tol=1e-8)
    assert "of a function alone, with multipliers read off it: " in str(model.certify(solution.function))
    assert "a function alone was given" in model.certify(solution.function).explain()
    assert "alone" not in str(model.certify(solution)) + model.certify(solution).explain()
    own, other = model.enclose(solution.function), model.enclose(solution)
    assert own.lower <= other.upper
    assert other.lower <= own.upper


@pytest.mark.parametrize("w", [np.nan, np.inf, 1e300])
def test_nothing_is_proved_of_what_is_not_finite(w: float) -> None:
    assert not SoftMargin(X, Y).certify((np.full((1, 3), w), 0.0)).holds(np.inf)
    assert not ChebyshevFit(*measured()).certify((np.full((1, 3), w), 0.0)).holds(np.inf)


KERNEL = SoftMargin(X, Y, RBF(0.5))


@together(
    "action, error, words",
    [
        (
            lambda: SoftMargin(X, Y).certify((np.zeros(7), 0.0)),
            ShapeError,
            r"\(w, b\) with 3 .* \(beta, b\) with 30",
        ),
        (lambda: SoftMargin(X, Y).certify((np.zeros(7), 0.0), weights=True), ShapeError, "w must hold 3 numbers"),
        (lambda: KERNEL.certify((np.zeros(3), 0.0), weights=True), ParameterError, "this SoftMargin has RBF"),
        (lambda: KERNEL.certify(Expansion(Linear(), X, Y)), ParameterError, r"kernel RBF.*, but it is in that of Lin"),
        (lambda: KERNEL.certify(Expansion(RBF(0.5), X[:, :2], Y)), ShapeError, r"of samples of shape \(2,\)"),
        (lambda: KERNEL.certify(abs), ParameterError, "a PrimalFunction with its norm"),
        (lambda: KERNEL.certify(PrimalFunction(lambda Z: Z, 1.0)), ShapeError, "values of the function"),
        (lambda: KERNEL.enclose(PrimalFunction(lambda Z: Z[:, 0], 1.0)), ParameterError, "pass an Expansion"),
        (lambda: PrimalFunction(abs, -1.0), ParameterError, "squared_norm must be"),
        (lambda: PrimalFunction(3, 1.0), ParameterError, "takes a function of samples"),  # type: ignore[arg-type]
        (lambda: LinearProgramMachine(X, Y).certify((np.zeros(3), 0.0)), ParameterError, "not told by its function"),
        (lambda: SoftMargin(X, Y, fit_intercept=False).certify((np.zeros(3), 1.0)), ParameterError, "no intercept"),
    ],
)
def test_what_is_no_answer(action: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        action()
