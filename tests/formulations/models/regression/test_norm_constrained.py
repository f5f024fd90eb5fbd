# SPDX-License-Identifier: BSD-3-Clause
"""Regularisation as a constraint: the penalty form at its multiplier, balls that do not bind, and proofs of both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from formulations import LeastSquaresFit, NormConstrainedRegression, ResidualLossRegression
from formulations.losses import AbsolutePower, EpsilonInsensitive, LogisticResidual, Pinball, Squared
from formulations.losses import Huber as HuberLoss
from qpkernels.kernels import Kernel
from regression_data import each_kernel, solved, targets

each_form = pytest.mark.parametrize("form", ["primal", "dual"])
each_loss = pytest.mark.parametrize(
    "loss",
    [Squared(), HuberLoss(0.4), Pinball(0.3), EpsilonInsensitive(0.2), AbsolutePower(1.0), LogisticResidual()],
    ids=repr,
)


@each_kernel
@each_loss
def test_primal_and_dual_agree(loss: Any, kernel: Kernel | None) -> None:
    model = NormConstrainedRegression(*targets(), kernel, loss=loss, R=0.5)
    primal, dual = solved(model.primal, tol=1e-9), solved(model.dual, tol=1e-9)
    assert primal.objective == pytest.approx(dual.objective, rel=1e-7)
    assert primal.decision - primal.intercept == pytest.approx(dual.decision - dual.intercept, rel=0, abs=1e-4)
    assert np.ptp(primal.decision) > 0.1
    # Losses with a kink may leave a choice of b.
    low, high = primal.intercept_interval
    assert low - 1e-4 <= dual.intercept <= high + 1e-4


@each_kernel
@each_loss
def test_the_multiplier_of_the_norm_is_the_weight_of_the_penalty(loss: Any, kernel: Kernel | None) -> None:
    model = NormConstrainedRegression(*targets(), kernel, loss=loss, R=0.5)
    constrained = solved(model.primal, tol=1e-9)
    weight = float(np.squeeze(model.primal.constraint("norm").dual_value))
    assert weight > 0.1
    assert model.regularisation_of(constrained.beta) == pytest.approx(weight, rel=1e-4)
    assert constrained.function.squared_norm == pytest.approx(0.5, rel=1e-7)
    penalised = solved(ResidualLossRegression(*targets(), kernel, loss=loss, C=0.5 / weight), tol=1e-9)
    assert penalised.decision == pytest.approx(constrained.decision, rel=0, abs=1e-4)
    # The sum of the losses is the value of the constrained form, and each answer is proved by the other's bounds.
    losses = 2.0 * weight * (penalised.certificate.primal_value - 0.5 * penalised.function.squared_norm)
    assert constrained.objective == pytest.approx(losses, rel=1e-5)
    assert model.certify((penalised.beta, penalised.intercept)).relative_gap <= 1e-5
    assert model.certify(penalised).relative_gap <= 1e-5


@each_form
def test_a_ball_that_does_not_bind(form: str) -> None:
    X, y = targets()
    free = solved(LeastSquaresFit(X, y), None)
    model = NormConstrainedRegression(X, y, loss=Squared(), R=100.0 * free.function.squared_norm)
    solution = solved(model.forms[form])
    assert solution.decision == pytest.approx(free.decision, abs=1e-5)
    assert solution.objective == pytest.approx(0.5 * free.objective, rel=1e-7)
    assert model.regularisation_of(solution.beta) == pytest.approx(0.0, abs=1e-6)
    assert model.certify(solution).holds(1e-6)


@each_kernel
@each_form
def test_a_poor_answer_is_not_proved(form: str, kernel: Kernel | None) -> None:
    model = NormConstrainedRegression(*targets(), kernel, loss=Squared(), R=0.5)
    solution = solved(model.forms[form])
    assert not model.certify((np.zeros(len(model)), 0.0)).holds(1e-2)
    assert not model.certify(replace(solution, beta=0.9 * solution.beta[::-1])).holds(1e-2)
    # Twice the function is outside of the ball, however little it costs; brought back, it is the answer.
    outside = replace(solution, function=replace(solution.function, coefficients=2.0 * solution.function.coefficients))
    certificate = model.certify(outside)
    assert certificate.primal_residual == pytest.approx(1.0, rel=1e-6)
    assert not certificate.holds(1e-1)


@each_kernel
def test_both_bounds_enclose_the_optimum(kernel: Kernel | None) -> None:
    """At any candidate, by weak duality."""
    model = NormConstrainedRegression(*targets(), kernel, loss=AbsolutePower(1.0), R=0.5)
    optimum = solved(model).objective
    rng = np.random.default_rng(3)
    for scale in (1e-3, 1e-1, 1.0, 10.0):
        for _ in range(5):
            certificate = model.certify((scale * rng.normal(size=len(model)), float(rng.normal())))
            assert certificate.dual_value - 1e-6 <= optimum <= certificate.primal_value + 1e-6


def test_raising_the_radius_lowers_the_loss() -> None:
    model = NormConstrainedRegression(*targets(), loss=AbsolutePower(1.0), R=0.1)
    values = [solved(model.set_params(R=R).dual).objective for R in (0.1, 0.4, 1.6)]
    assert values[0] > values[1] > values[2]
