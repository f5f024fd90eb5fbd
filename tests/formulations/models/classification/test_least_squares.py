# SPDX-License-Identifier: BSD-3-Clause
"""Least squares of margins: labels as targets, text as labels, several classes, slacks of either sign."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import LeastSquares
from formulations.models.classification.least_squares import LeastSquaresClassifier
from formulations.models.classification.meta.multiclass import OneVersusRest
from model_data import SHARP, overlapping
from qpkernels.files import load_dataset, scale_features
from qpkernels.kernels import RBF, Kernel
from regression_data import solved

each_kernel = pytest.mark.parametrize("kernel", [None, RBF(0.5)], ids=["explicit", "rbf"])


@pytest.mark.parametrize("solver", ["clarabel", None])
@pytest.mark.parametrize("form", ["primal", "constrained", "dual"])
def test_two_points(form: str, solver: str | None) -> None:
    # At x = 1 and x = -1, f(x) = w x: 1/2 w^2 + C (1 - w)^2 has its minimum at w = 2C / (1 + 2C).
    model = LeastSquaresClassifier([[1.0], [-1.0]], ["yes", "no"], C=0.5)
    solution = solved(model.forms[form], solver)
    assert solution.objective == pytest.approx(0.25, rel=1e-7)
    assert solution.alpha == pytest.approx([0.25, 0.25], abs=1e-6)
    assert solution.function.predict([[0.3], [-0.3]]).tolist() == ["yes", "no"]


@each_kernel
def test_it_is_least_squares_with_the_labels_as_targets(kernel: Kernel | None) -> None:
    X, y = overlapping()
    mine = solved(LeastSquaresClassifier(X, y, kernel, C=0.8), None)
    theirs = solved(LeastSquares(X, y.astype(float), kernel, C=0.8), None)
    assert mine.decision == pytest.approx(theirs.decision, abs=1e-10)
    assert mine.objective == pytest.approx(theirs.objective, rel=1e-10)


@each_kernel
@pytest.mark.parametrize("solver", ["clarabel", "linear", "smo"])
def test_multipliers_are_slacks_times_costs_of_either_sign(solver: str, kernel: Kernel | None) -> None:
    X, y = overlapping()
    costs = np.linspace(1.0, 20.0, len(y))
    model = LeastSquaresClassifier(X, y, kernel, C=costs)
    solution = solved(model.constrained, solver, SHARP[solver])
    alpha, xi = model.constrained.constraint("margin").dual_value, model.constrained.xi.value
    assert xi == pytest.approx(1.0 - model.y * solution.decision, abs=1e-8)
    assert alpha == pytest.approx(costs * xi, abs=1e-4)
    assert xi.min() < -0.01
    assert xi.max() > 0.01
    assert alpha == pytest.approx(solution.alpha, abs=1e-8)
    assert model.y @ alpha == pytest.approx(0.0, abs=1e-7)


@each_kernel
def test_the_textbook_system(kernel: Kernel | None) -> None:
    X, y = overlapping()
    model = LeastSquaresClassifier(X, y, kernel, C=0.8)
    signs = np.where(y > 0, 1.0, -1.0)
    bordered = np.zeros((len(y) + 1, len(y) + 1))
    bordered[0, 1:] = bordered[1:, 0] = signs
    bordered[1:, 1:] = np.outer(signs, signs) * model.gram.dense + np.eye(len(y)) / 0.8
    unknowns = np.linalg.solve(bordered, np.append(0.0, np.ones(len(y))))
    for form in model.forms.values():
        solution = solved(form, None)
        assert solution.intercept == pytest.approx(unknowns[0], abs=1e-9)
        assert solution.alpha == pytest.approx(unknowns[1:], abs=1e-9)


def test_several_classes() -> None:
    wine = load_dataset("wine")
    X = scale_features(wine.X)
    names = np.array(["red", "rose", "white"])[np.unique(wine.y, return_inverse=True)[1]]
    solution = OneVersusRest(X, names, RBF(0.3), machine=LeastSquaresClassifier, C=10.0).solve()
    assert np.mean(solution.predict(X) == names) > 0.98


def test_without_an_intercept() -> None:
    X, y = overlapping()
    model = LeastSquaresClassifier(X, y, RBF(0.5), C=0.8, fit_intercept=False)
    expected = np.linalg.solve(model.gram.dense + np.eye(len(y)) / 0.8, y)
    assert solved(model, None).beta == pytest.approx(expected, abs=1e-9)
    assert solved(model.dual).beta == pytest.approx(expected, abs=1e-5)
