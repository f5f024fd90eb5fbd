# SPDX-License-Identifier: BSD-3-Clause
"""Every model's enclosure holds its exact optimum, found anew to 60 digits, from sharp answers and from loose ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import linprog

from exact import exact, exact_kernel, exact_matrix, polished, polished_level, polished_losses
from formulations import (
    ChebyshevFit,
    HardMargin,
    HardTube,
    Interpolation,
    LaplaceFit,
    LeastAbsoluteFit,
    LeastSquaresFit,
    LinearProgramMachine,
    Logistic,
    MarginLossClassifier,
    NormConstrainedRegression,
    NuMargin,
    NuTube,
    PenalisedLogistic,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SparseApproximation,
)
from formulations.losses import Hinge, LogisticLoss, LogisticResidual
from formulations.losses import SquaredHinge as SquaredHingeLoss
from formulations.modelling import Stated
from model_data import CASES, Case
from qpkernels.errors import NoEnclosureError
from qpkernels.kernels import RBF, Matern

FITS = (ChebyshevFit, LaplaceFit, LeastAbsoluteFit, LeastSquaresFit)
"""Models whose optimum is not enclosed in the space of a kernel."""

HARD = (HardMargin, HardTube, Interpolation, SparseApproximation)

SMOOTH = (Logistic, PenalisedLogistic, ResidualLossRegression)

MODELS = [
    case
    for case in CASES
    if case.form == next(name for name, _ in Stated.of(case.model))
    and (case.kernel == "explicit" or not issubclass(case.model, FITS))
]
each_model = pytest.mark.parametrize("case", MODELS, ids=str)
UNIT = 2.0**-53


@cache
def answer(case: Case, tol: float) -> tuple[Any, Any]:
    model = case.state_model()
    return model, model.solve("smo" if case.is_kernel_qp else None, tol=tol)


# --- the exact optimum ---


def derivatives(model: Any) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return L_i(v), L_i'(v) and L_i''(v) of a smooth model."""
    y = exact(model.y)
    costs = exact(np.broadcast_to(model.C.value, len(model)))
    if isinstance(model, Logistic | PenalisedLogistic):
        return (
            lambda i, v: costs[i] * mp.log1p(mp.exp(-y[i] * v)),
            lambda i, v: -costs[i] * y[i] / (1 + mp.exp(y[i] * v)),
            lambda i, v: costs[i] / (2 * mp.cosh(v / 2)) ** 2,
        )
    if isinstance(model.loss, LogisticResidual):
        return (
            lambda i, v: costs[i] * 2 * mp.log(mp.cosh((y[i] - v) / 2)),
            lambda i, v: -costs[i] * mp.tanh((y[i] - v) / 2),
            lambda i, v: costs[i] / (2 * mp.cosh((y[i] - v) / 2) ** 2),
        )
    p = mp.mpf(model.loss.p)
    return (
        lambda i, v: costs[i] * abs(y[i] - v) ** p,
        lambda i, v: -costs[i] * p * mp.sign(y[i] - v) * abs(y[i] - v) ** (p - 1),
        lambda i, v: costs[i] * p * (p - 1) * abs(y[i] - v) ** (p - 2),
    )


def optimum(case: Case) -> Any:
    """Return the exact optimum; None where it is not found by an active set or by Newton's method."""
    model, sharp = answer(case, 1e-10 if case.is_kernel_qp else 1e-8)
    K = exact_matrix(exact_kernel(model.gram.kernel), model.gram.X)
    if case.is_kernel_qp:
        return polished(model.qp(), K, sharp.beta)
    if isinstance(model, NuTube | NuMargin):
        return polished_level(model.bounds().free_level(), K, sharp.beta)
    if isinstance(model, SMOOTH):
        return polished_losses(*derivatives(model), K, sharp.beta, sharp.intercept, model.total is not None)
    return mp.mpf(0) if isinstance(model, Separability) else None


@each_model
def test_the_exact_optimum_is_held(case: Case) -> None:
    best = optimum(case)
    if best is None:
        pytest.skip("no exact optimum at hand")
    for tol in (1e-10 if case.is_kernel_qp else 1e-8, 1e-3):
        model, solution = answer(case, tol)
        certificate, enclosure = solution.certificate, model.enclose(solution)
        assert enclosure.lower <= best <= enclosure.upper
        gap = abs(certificate.primal_value - certificate.dual_value)
        terms = 1.0 + abs(float(best)) + float(np.abs(solution.beta).sum()) * (1.0 + abs(solution.intercept))
        # What is moved to meet hard constraints costs a little more; all that they are missed by, where P is below D.
        moved = certificate.primal_residual * terms if certificate.primal_value < certificate.dual_value else 0.0
        assert enclosure.width <= 1.001 * gap + moved + (2000 if isinstance(model, HARD) else 100) * UNIT * terms


@each_model
def test_loose_answers_agree_with_sharp_ones(case: Case) -> None:
    model, sharp = answer(case, 1e-10 if case.is_kernel_qp else 1e-8)
    inner = model.enclose(sharp)
    rng = np.random.default_rng(0)
    b = 0.1 if model.fit_intercept else 0.0
    others = [(0.0 * sharp.beta, 0.0)]
    for size in (1e-12, 1e-6, 1e-2, 10.0):
        others.append((sharp.beta * (1.0 + size * rng.normal(size=len(model))), sharp.intercept + size * b))
    for other in others:
        outer = model.enclose(other)
        assert outer.lower <= inner.upper
        assert inner.lower <= outer.upper


@pytest.mark.parametrize("loss", [Hinge(), SquaredHingeLoss(), LogisticLoss()], ids=str)
def test_losses_of_margins_agree_with_the_models_of_their_own(loss: Any) -> None:
    X, y = next(case for case in CASES if case.model is SoftMargin).data()
    general = MarginLossClassifier(X, y, RBF(0.5), loss=loss, C=0.8)
    enclosure = general.enclose(general.solve(tol=1e-8))
    assert 0.0 < enclosure.width < 1e-5 * enclosure.upper
    if isinstance(loss, Hinge):
        model = SoftMargin(X, y, RBF(0.5), C=0.8)
        own = model.enclose(model.solve(tol=1e-10))
        assert enclosure.lower <= own.upper
        assert own.lower <= enclosure.upper


def test_a_ball_is_enclosed_from_any_answer() -> None:
    case = next(case for case in MODELS if case.model is NormConstrainedRegression)
    model, solution = answer(case, 1e-8)
    enclosure = model.enclose(solution)
    assert enclosure.lower > 0.0
    assert enclosure.width <= 1e-6 * enclosure.upper
    assert enclosure.contains(solution.certificate.primal_value) or enclosure.contains(solution.certificate.dual_value)


@pytest.mark.parametrize("case", [case for case in MODELS if case.model is LinearProgramMachine], ids=str)
def test_the_linear_program_is_enclosed(case: Case) -> None:
    model, solution = answer(case, 1e-8)
    S = np.outer(model.y, model.y) * model.gram.dense
    m, has_b = len(model), model.fit_intercept
    A = np.hstack([-S, -np.eye(m), -model.y[:, None] * has_b])
    reference = linprog(
        np.concatenate([np.ones(m), np.broadcast_to(model.C.value, m), [0.0]]),
        A_ub=A,
        b_ub=-np.ones(m),
        bounds=[(0, None)] * (2 * m) + [(None, None)],
        method="highs",
    )
    enclosure = model.enclose(solution)
    assert enclosure.width <= 1e-6 * enclosure.upper
    assert enclosure.lower - 1e-9 <= reference.fun <= enclosure.upper + 1e-9


@pytest.mark.parametrize("model", FITS)
def test_fits_in_the_space_of_a_kernel_have_no_enclosure_and_say_so(model: Any) -> None:
    X, y = next(case for case in CASES if case.model is model).data()
    with pytest.raises(NoEnclosureError, match="known up to rounding only"):
        model(X, y, RBF(0.5)).enclose((np.zeros(len(y)), 0.0))


def test_a_kernel_without_bounds_says_so() -> None:
    X, y = next(case for case in CASES if case.model is SoftMargin).data()
    model = SoftMargin(X, y, Matern(1.0, 2.2), C=1.0)
    with pytest.raises(NoEnclosureError, match="states no bound of its rounding errors"):
        model.enclose(model.solve())
