# SPDX-License-Identifier: BSD-3-Clause
"""Least squares: slacks and multipliers of the constrained form, and the same answer from every linear system."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import LeastSquares
from qpkernels.kernels import Kernel
from regression_data import each_kernel, solved, targets


@each_kernel
@pytest.mark.parametrize("solver", ["clarabel", "linear", "smo"])
def test_the_multipliers_are_the_slacks_times_the_cost(solver: str, kernel: Kernel | None) -> None:
    X, y = targets()
    model = LeastSquares(X, y, kernel, C=0.7)
    solution = solved(model.constrained, solver, 1e-10)
    multipliers = model.constrained.constraint("residual").dual_value
    assert multipliers == pytest.approx(solution.beta, abs=1e-9)
    assert model.constrained.xi.value == pytest.approx(y - solution.decision, abs=1e-9)
    assert multipliers == pytest.approx(0.7 * model.constrained.xi.value, abs=1e-5)
    assert multipliers.sum() == pytest.approx(0.0, abs=1e-7)
    assert solution.objective == pytest.approx(
        0.5 * solution.function.squared_norm + 0.35 * float(np.sum(model.constrained.xi.value**2)), rel=1e-7
    )


@each_kernel
def test_all_forms_have_one_answer(kernel: Kernel | None) -> None:
    X, y = targets()
    model = LeastSquares(X, y, kernel, C=0.7)
    bordered = np.zeros((len(y) + 1, len(y) + 1))
    bordered[0, 1:] = bordered[1:, 0] = 1.0
    bordered[1:, 1:] = model.gram.dense + np.eye(len(y)) / 0.7
    unknowns = np.linalg.solve(bordered, np.append(0.0, y))
    for name, form in model.forms.items():
        for solver in ("linear", "clarabel"):
            solution = solved(form, solver)
            assert solution.intercept == pytest.approx(unknowns[0], abs=1e-6), name
            assert solution.beta == pytest.approx(unknowns[1:], abs=1e-6), name


def test_the_cost_may_change() -> None:
    X, y = targets()
    model = LeastSquares(X, y, C=0.7)
    first = {name: solved(form).beta for name, form in model.forms.items()}
    model.set_params(C=7.0)
    fresh = LeastSquares(X, y, C=7.0)
    for name, form in model.forms.items():
        again = solved(form).beta
        assert again == pytest.approx(solved(fresh.forms[name]).beta, abs=1e-6)
        assert np.abs(again - first[name]).max() > 0.1
