# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that must hold: optima certified elsewhere, closed forms, and problems solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import HardMargin, SoftMargin
from formulations.models.classification.margins.hard_margin import HardMarginDual, HardMarginGeometric, HardMarginPrimal
from formulations.models.classification.margins.soft_margin import SoftMarginHinge, SoftMarginPrimal
from model_data import one_against_rest, relative_error, stated, xor
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial
from qpkernels.problems import Status

# Breast cancer, 569 x 30, features in [-1, 1]: kernel, C, dual optimum, intercept, support vectors, at the bound.
# Certified by an independent float64 SMO to a relative gap of 5e-13.
GAMMA = 1 / 30
BREAST_CANCER = {
    "rbf-1": (RBF(GAMMA), 1.0, -101.617809222902, -0.0049293321, 140, 131),
    "rbf-10": (RBF(GAMMA), 10.0, -498.376495157767, -0.7510131284, 72, 57),
    "rbf-100": (RBF(GAMMA), 100.0, -2619.976614989408, -1.8669936175, 48, 24),
    "linear-1": (Linear(), 1.0, -45.403543898013, -7.1216858907, 62, 50),
    "polynomial-1": (Polynomial(3, GAMMA, 0.0), 1.0, -176.733323054341, -1.1274518944, 233, 229),
}
each_row = pytest.mark.parametrize("row", BREAST_CANCER)


def breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    return one_against_rest("breast-cancer", 1)


@each_row
def test_breast_cancer_by_smo(row: str) -> None:
    kernel, C, optimum, intercept, n_support, n_bounded = BREAST_CANCER[row]
    solution = SoftMargin(*breast_cancer(), kernel, C=C).dual.solve("smo", tol=1e-12)
    assert solution.status is Status.OPTIMAL
    assert relative_error(solution.objective, optimum) <= 1e-11
    assert abs(solution.intercept - intercept) <= 1e-8
    assert (solution.n_support, solution.support.bounded.size) == (n_support, n_bounded)


@each_row
def test_breast_cancer_dual_by_clarabel(row: str) -> None:
    kernel, C, optimum, intercept, n_support, n_bounded = BREAST_CANCER[row]
    solution = SoftMargin(*breast_cancer(), kernel, C=C).dual.solve("clarabel", tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert relative_error(solution.objective, optimum) <= 1e-7
    assert abs(solution.intercept - intercept) <= 1e-5
    assert (solution.n_support, solution.support.bounded.size) == (n_support, n_bounded)


@pytest.mark.parametrize(
    ("form", "row"), [*((SoftMarginPrimal, row) for row in BREAST_CANCER), (SoftMarginHinge, "rbf-10")]
)
def test_breast_cancer_primal_by_clarabel(form: type, row: str) -> None:
    kernel, C, optimum, intercept, *_ = BREAST_CANCER[row]
    solution = stated(form, *breast_cancer(), kernel, C=C).solve("clarabel", tol=1e-6)
    assert relative_error(solution.objective, -optimum) <= 1e-6
    assert solution.status is Status.OPTIMAL
    assert abs(solution.intercept - intercept) <= 1e-3
    assert solution.certificate.relative_gap <= 1e-6


@pytest.mark.parametrize("form", [SoftMarginPrimal, SoftMarginHinge])
def test_breast_cancer_in_explicit_features(form: type) -> None:
    _, C, optimum, intercept, n_support, n_bounded = BREAST_CANCER["linear-1"]
    model = stated(form, *breast_cancer(), C=C)
    solution = model.solve("clarabel", tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert relative_error(solution.objective, -optimum) <= 1e-7
    assert abs(solution.intercept - intercept) <= 1e-5
    assert (solution.n_support, solution.support.bounded.size) == (n_support, n_bounded)
    X, y = breast_cancer()
    slacks = np.maximum(0, 1 - y * (X @ model.w.value + model.b.value))
    assert relative_error(0.5 * float(model.w.value @ model.w.value) + C * float(slacks.sum()), -optimum) <= 1e-7


@pytest.mark.parametrize(("name", "positive", "kernel"), [("wine", 0, RBF(1 / 13)), ("digits", 8, RBF(1 / 64))])
def test_gap_on_real_data(name: str, positive: int, kernel: Kernel) -> None:
    X, y = one_against_rest(name, positive)
    model = SoftMargin(X[:600], y[:600], kernel, C=1.0).dual
    ours, theirs = model.solve("smo", tol=1e-9), model.solve("clarabel", tol=1e-6)
    assert ours.status is Status.OPTIMAL
    assert theirs.status is Status.OPTIMAL
    assert ours.certificate.relative_gap <= 1e-9
    assert theirs.certificate.relative_gap <= 1e-6
    assert relative_error(theirs.objective, ours.objective) <= 2e-6


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_two_points(solver: str) -> None:
    # By symmetry alpha_1 = alpha_2 = C = 1: the objective is 1/2 (2 - 2 exp(-4)) - 2.
    solution = SoftMargin([[1.0], [-1.0]], [1, -1], RBF(1.0), C=1.0).dual.solve(solver, tol=1e-9)
    assert solution.objective == pytest.approx(-(1 + np.exp(-4)), rel=1e-12 if solver == "smo" else 1e-8)
    assert solution.intercept == pytest.approx(0.0, abs=1e-7)
    assert (solution.n_support, solution.support.bounded.size) == (2, 2)


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0, 1e4])
def test_xor(C: float, solver: str) -> None:
    # sum_i x_i y_i = 0 for the four corners, so w = 0, every alpha_i = C, and every slack is 1.
    model = SoftMargin(*xor(), C=C).dual
    solution = model.solve(solver, tol=1e-9)
    assert solution.objective == pytest.approx(-4 * C, rel=1e-7)
    assert solution.alpha == pytest.approx(np.full(4, C), rel=1e-6)
    assert solution.support.bounded.size == 4
    assert SoftMargin(*xor(), C=C).primal.solve("clarabel").objective == pytest.approx(4 * C, rel=1e-6)


def by_hand() -> tuple[np.ndarray, np.ndarray]:
    return np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]]), np.array([1, 1, -1])


# w = (1/2, 1/2), b = 0 meets y_i (w'x_i + b) = 1 at all three points, and with alpha = (1/8, 1/8, 1/4)
# sum alpha_i y_i x_i = (2/8 + 1/4, 2/8 + 1/4) = w, sum alpha_i y_i = 0. The value is 1/2 ||w||^2 = 1/4.


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("kernel", [None, Linear()])
@pytest.mark.parametrize(
    ("form", "objective"),
    [(HardMarginPrimal, 0.25), (HardMarginDual, -0.25), (HardMarginGeometric, np.sqrt(2.0))],
)
def test_three_points_by_hand(form: type, objective: float, kernel: Kernel | None, solver: str) -> None:
    solution = stated(form, *by_hand(), kernel).solve(solver, tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(objective, rel=1e-6)
    assert solution.intercept == pytest.approx(0.0, abs=1e-6)
    assert solution.alpha == pytest.approx([1 / 8, 1 / 8, 1 / 4], abs=1e-5)
    assert solution.function(np.eye(2)) == pytest.approx([0.5, 0.5], abs=1e-6)
    assert solution.support.free.tolist() == [0, 1, 2]


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_duplicated_sample_by_hand(solver: str) -> None:
    # x = 1, 1, -1 with y = +, +, -, linear, C = 0.3. With a = alpha_1 + alpha_2 and alpha_3 = a, w = 2a and the dual
    # is 2a^2 - 2a over a <= 0.3 (alpha_3 is bounded first), so a = 0.3, w = 0.6, and -0.42. The copies are
    # together below their bound 0.6, so one is free and w + b = 1: b = 0.4.
    model = SoftMargin([[1.0], [1.0], [-1.0]], [1, 1, -1], C=0.3).dual
    solution = model.solve(solver, tol=1e-10)
    assert solution.objective == pytest.approx(-0.42, rel=1e-8)
    assert solution.intercept == pytest.approx(0.4, abs=1e-6)
    assert solution.alpha[:2].sum() == pytest.approx(0.3, rel=1e-6)
    assert solution.alpha[2] == pytest.approx(0.3, rel=1e-6)
    assert solution.function([[1.0]])[0] == pytest.approx(1.0, abs=1e-6)
    assert SoftMargin([[1.0], [1.0], [-1.0]], [1, 1, -1], C=0.3).primal.solve("clarabel").objective == pytest.approx(
        0.42, rel=1e-6
    )


def test_duplicated_sample_divides_the_multiplier() -> None:
    # The three points by hand with the third twice: the sum of its two multipliers stays 1/4.
    X, y = by_hand()
    model = HardMargin(np.vstack([X, X[2:]]), np.append(y, -1)).dual
    for solver in ("smo", "clarabel"):
        solution = model.solve(solver, tol=1e-8)
        assert solution.objective == pytest.approx(-0.25, rel=1e-6)
        assert solution.alpha[2:].sum() == pytest.approx(0.25, abs=1e-6)
        assert solution.alpha[:2] == pytest.approx([1 / 8, 1 / 8], abs=1e-6)
