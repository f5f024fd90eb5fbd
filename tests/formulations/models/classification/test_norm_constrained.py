# SPDX-License-Identifier: BSD-3-Clause
"""Classification within a ball: the penalty form at its multiplier, in both directions, and balls that do not bind."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import HardMargin, LeastSquaresFit, MarginLossClassifier, NormConstrainedClassifier
from formulations.losses import Hinge, LogisticLoss, SquaredHinge, SquaredMargin, ZeroOne
from formulations.losses import Squared as SquaredResidual
from model_data import overlapping, separable, touching, xor
from qpkernels.errors import OneClassError, ParameterError, UnsupportedProgramError
from qpkernels.kernels import RBF, Kernel
from regression_data import each_kernel, solved

RADIUS = 0.2
"""Smaller than the squared norm of any answer without a bound, of these losses on these samples."""


def squares(z: cp.Variable) -> cp.Expression:
    """A loss of the user's own."""
    return cp.square(1 - z)


each_form = pytest.mark.parametrize("form", ["primal", "dual"])
LOSSES = (Hinge(), SquaredHinge(), SquaredMargin(), LogisticLoss())
each_loss = pytest.mark.parametrize(
    ("loss", "kernel", "fit_intercept"),
    # That of the user's own is solved for many costs until one has the norm.
    [*product(LOSSES, (None, RBF(0.8)), (True, False)), (squares, RBF(0.8), True)],
    ids=lambda each: getattr(each, "name", None),
)
each_falling_loss = pytest.mark.parametrize("loss", [Hinge(), SquaredHinge()], ids=lambda loss: loss.name)
each_intercept = pytest.mark.parametrize("fit_intercept", [True, False], ids=["b", "no b"])


def mean_loss(model: NormConstrainedClassifier, decision: np.ndarray) -> float:
    return float(model.loss.value(model.y * decision).mean())


@each_loss
def test_the_multiplier_of_the_norm_is_the_weight_of_the_penalty(
    loss: Any, kernel: Kernel | None, fit_intercept: bool
) -> None:
    """1/m sum psi + lambda ||f||^2 is 2 lambda times 1/2 ||f||^2 + C sum psi with C = 1/(2 m lambda)."""
    stated = {"loss": loss, "fit_intercept": fit_intercept}
    model = NormConstrainedClassifier(*overlapping(), kernel, R=RADIUS, **stated)
    constrained = solved(model.primal, tol=1e-8)
    weight = float(np.squeeze(model.primal.constraint("norm").dual_value))
    assert weight > 0.02
    assert model.regularisation_of(constrained.beta) == pytest.approx(weight, rel=1e-9)
    assert constrained.function.squared_norm == pytest.approx(RADIUS, rel=1e-6)
    assert constrained.objective == pytest.approx(mean_loss(model, constrained.decision), rel=1e-9)
    cost = model.cost_of(constrained.beta)
    assert cost == pytest.approx(0.5 / (len(model) * weight), rel=1e-12)
    penalised = solved(MarginLossClassifier(*overlapping(), kernel, C=cost, **stated), None, tol=1e-8)
    assert penalised.decision == pytest.approx(constrained.decision, rel=0, abs=1e-3)
    assert penalised.function.squared_norm == pytest.approx(RADIUS, rel=1e-3)
    value = constrained.objective + weight * RADIUS
    assert 2.0 * weight * penalised.certificate.primal_value == pytest.approx(value, rel=1e-6)
    # Each answer is proved by the other's bounds.
    assert model.certify((penalised.beta, penalised.intercept)).relative_gap <= 1e-5


@each_loss
def test_the_norm_of_a_penalised_answer_is_the_radius(loss: Any, kernel: Kernel | None, fit_intercept: bool) -> None:
    stated, cost = {"loss": loss, "fit_intercept": fit_intercept}, 0.1
    penalised = solved(MarginLossClassifier(*overlapping(), kernel, C=cost, **stated), None, tol=1e-8)
    model = NormConstrainedClassifier(*overlapping(), kernel, R=penalised.function.squared_norm, **stated)
    constrained = solved(model.primal, tol=1e-8)
    assert constrained.decision == pytest.approx(penalised.decision, rel=0, abs=1e-3)
    assert constrained.objective == pytest.approx(mean_loss(model, penalised.decision), rel=1e-6)
    # The multipliers of the sum are m C = 1/(2 lambda) times those of the mean.
    assert constrained.alpha == pytest.approx(penalised.alpha / (len(model) * cost), rel=0, abs=1e-3)
    # Where a loss has kinks, there may be an interval of costs with one answer.
    if not isinstance(loss, Hinge):
        assert model.cost_of(constrained.beta) == pytest.approx(cost, rel=1e-3)


@each_intercept
@each_kernel
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_primal_and_dual_agree(loss: Any, kernel: Kernel | None, fit_intercept: bool) -> None:
    model = NormConstrainedClassifier(*overlapping(), kernel, loss=loss, R=RADIUS, fit_intercept=fit_intercept)
    primal, dual = solved(model.primal, tol=1e-8), solved(model.dual, tol=1e-8)
    assert primal.objective == pytest.approx(dual.objective, rel=1e-7)
    assert primal.decision - primal.intercept == pytest.approx(dual.decision - dual.intercept, rel=0, abs=1e-3)
    assert primal.intercept == pytest.approx(dual.intercept, abs=1e-3)
    steepest = max(map(abs, filter(np.isfinite, model.loss.domain)), default=np.inf) or np.inf
    assert (dual.alpha <= steepest / len(model) + 1e-9).all()
    assert set(dual.predict(model.gram.X)) <= {-1, 1}


@each_form
@pytest.mark.parametrize(
    ("loss", "kernel"), [(SquaredMargin(), None), (SquaredHinge(), None), (Hinge(), None)], ids=lambda each: str(each)
)
def test_a_ball_that_does_not_bind(loss: Any, kernel: Kernel | None, form: str) -> None:
    """lambda is 0, and the value is the least mean loss of any f, to which the penalised come down as C grows."""
    X, y = overlapping()
    w, b = cp.Variable(X.shape[1]), cp.Variable()
    free = cp.Problem(cp.Minimize(cp.sum(loss.atom(cp.multiply(y, X @ w + b))) / len(y)))
    least = free.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    model = NormConstrainedClassifier(X, y, kernel, loss=loss, R=100.0 * float(w.value @ w.value))
    solution = solved(model.forms[form])
    assert solution.objective == pytest.approx(least, rel=1e-7)
    assert model.regularisation_of(solution.beta) == pytest.approx(0.0, abs=1e-6)
    assert model.cost_of(solution.beta) > 1e4
    assert model.certify(solution).holds(1e-6)
    risks = [
        mean_loss(model, MarginLossClassifier(X, y, kernel, loss=loss, C=C).solve().decision) for C in (0.1, 10.0, 1e3)
    ]
    assert risks[0] > risks[1] > risks[2] >= least * (1.0 - 1e-9)
    assert risks[2] == pytest.approx(least, rel=1e-3)


@each_form
@each_falling_loss
def test_separable_classes_in_a_ball_with_room_for_the_margin_cost_nothing(loss: Any, form: str) -> None:
    X, y = separable()
    hard = solved(HardMargin(X, y)).function.squared_norm
    model = NormConstrainedClassifier(X, y, loss=loss, R=1.5 * hard)
    solution = solved(model.forms[form])
    assert str(solution.objective) == "0.0"
    assert solution.margins.min() >= 1.0 - 1e-12
    assert model.regularisation_of(solution.beta) == 0.0
    assert model.cost_of(solution.beta) == np.inf
    # Without that room they do.
    tight = solved(model.set_params(R=0.8 * hard).forms[form])
    assert tight.objective > 1e-3
    with pytest.raises(ParameterError, match=r"C must be a number above 0.* but inf came"):
        MarginLossClassifier(X, y, loss=loss, C=model.cost_of(solution.beta))


@each_form
def test_labels_that_a_function_in_the_ball_meets_cost_no_squares(form: str) -> None:
    X, y = xor()
    kernel = RBF(0.5)
    model = NormConstrainedClassifier(X, y, kernel, loss=SquaredMargin(), R=2.0 * y @ np.linalg.solve(kernel(X), y))
    solution = solved(model.forms[form])
    assert solution.objective <= 1e-30
    assert model.regularisation_of(solution.beta) == 0.0
    assert solution.margins == pytest.approx(np.ones(4), abs=1e-9)


def test_the_squared_margin_is_the_squared_residual_of_the_labels() -> None:
    X, y = overlapping()
    least = solved(LeastSquaresFit(X, y), None)
    model = NormConstrainedClassifier(X, y, loss=SquaredMargin(), R=100.0)
    assert solved(model.primal).objective == pytest.approx(0.5 * least.objective / len(y), rel=1e-7)


@each_kernel
@each_form
def test_a_poor_answer_is_not_proved(form: str, kernel: Kernel | None) -> None:
    model = NormConstrainedClassifier(*touching(), kernel, loss=LogisticLoss(), R=RADIUS)
    solution = solved(model.forms[form])
    assert not model.certify((np.zeros(len(model)), 0.0)).holds(1e-2)
    assert not model.certify(replace(solution, beta=0.9 * solution.beta[::-1])).holds(1e-3)
    outside = replace(solution, function=replace(solution.function, coefficients=2.0 * solution.function.coefficients))
    certificate = model.certify(outside)
    assert certificate.primal_residual == pytest.approx(1.0, rel=1e-6)
    assert not certificate.holds(1e-1)


@each_kernel
@pytest.mark.parametrize("loss", [Hinge(), LogisticLoss()], ids=lambda loss: loss.name)
def test_both_bounds_enclose_the_optimum(loss: Any, kernel: Kernel | None) -> None:
    """At any candidate, by weak duality."""
    model = NormConstrainedClassifier(*touching(), kernel, loss=loss, R=RADIUS)
    optimum = solved(model).objective
    rng = np.random.default_rng(3)
    for scale in (1e-3, 1e-1, 1.0, 10.0):
        for _ in range(5):
            certificate = model.certify((scale * rng.normal(size=len(model)), float(rng.normal())))
            assert certificate.dual_value - 1e-6 <= optimum <= certificate.primal_value + 1e-6


def test_the_value_falls_with_the_radius_by_lambda() -> None:
    model = NormConstrainedClassifier(*overlapping(), loss=LogisticLoss(), R=RADIUS)
    slope = -model.regularisation_of(solved(model.primal, tol=1e-10).beta)
    step = 1e-4
    values = [solved(model.set_params(R=RADIUS + side * step).primal, tol=1e-10).objective for side in (-1.0, 1.0)]
    assert (values[1] - values[0]) / (2.0 * step) == pytest.approx(slope, rel=1e-4)


def test_every_sample_gives_the_intercept_of_a_smooth_loss() -> None:
    model = NormConstrainedClassifier(*overlapping(), RBF(0.5), loss=SquaredMargin(), R=RADIUS)
    solution = solved(model.primal)
    margins = 1.0 - len(model) * solution.alpha  # (psi')^-1(-m a)
    assert model.y * margins - (solution.decision - solution.intercept) == pytest.approx(solution.intercept, abs=1e-5)


def test_probabilities_of_the_logistic_loss() -> None:
    model = NormConstrainedClassifier(*overlapping(), loss=LogisticLoss(), R=RADIUS)
    solution = solved(model.primal)
    chances = solution.predict_proba(model.gram.X)[:, 1]
    assert chances == pytest.approx(1.0 / (1.0 + np.exp(-solution.decision)), abs=1e-9)


# --- bad input ---


@pytest.mark.parametrize("R", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], "much", None, True])
def test_radii_that_are_none(R: Any) -> None:
    with pytest.raises(ParameterError, match="R must be"):
        NormConstrainedClassifier(*overlapping(), R=R)


@pytest.mark.parametrize("loss", ["hinge", Hinge, SquaredResidual(), None])
def test_what_is_no_loss_of_margins_is_refused(loss: Any) -> None:
    with pytest.raises(ParameterError, match=r"loss must be a margin loss, such as LogisticLoss\(\), but"):
        NormConstrainedClassifier(*overlapping(), loss=loss)


@pytest.mark.parametrize(
    ("loss", "error", "words"),
    [
        (ZeroOne(), UnsupportedProgramError, "the 0/1 loss is not convex"),
        (lambda z: -cp.square(z), UnsupportedProgramError, "must be convex by CVXPY's rules"),
        (lambda z: cp.exp(z), ParameterError, "rewards wrong sides; turn the sign"),
        (lambda z: cp.sum(cp.pos(1 - z)), ParameterError, "of the shape"),
    ],
    ids=["0/1", "concave", "rising", "sum"],
)
def test_losses_that_are_no_convex_falling_functions_are_refused(loss: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        NormConstrainedClassifier(*overlapping(), loss=loss)


def test_labels_of_one_class_are_refused() -> None:
    X, y = overlapping()
    with pytest.raises(OneClassError, match="nothing to separate"):
        NormConstrainedClassifier(X, np.ones(len(y)))
