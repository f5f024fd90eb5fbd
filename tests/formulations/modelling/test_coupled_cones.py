# SPDX-License-Identifier: BSD-3-Clause
"""Extensions with coupled cones, one of whose rows has a constant that is large beside all others."""

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import SoftMargin

Stated = Callable[[Any, float], Any]


def _form() -> Any:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=20) > 0, 1, -1)
    return SoftMargin(X, y, C=1.0).primal


def _matrix(w: Any, size: float) -> Any:
    return cp.bmat([[np.array([[size]]), np.zeros((1, 1))], [np.zeros((1, 1)), cp.reshape(w[1] - 1, (1, 1), "C")]])


# Each allows w_1 >= 1 and little else, whatever the constant.
AT_LEAST_ONE: dict[str, Stated] = {
    "power": lambda w, size: cp.PowCone3D(w[1] - 1, cp.Constant(size), w[0] * 1e-3, 0.5),
    "geometric mean": lambda w, size: cp.geo_mean(cp.hstack([w[1] - 1, size, 1])) >= 0,
    "semidefinite": lambda w, size: _matrix(w, size) >> 0,
    "rotated second order": lambda w, size: cp.quad_over_lin(w[0] * 1e-3, w[1] - 1) <= size,
    "logarithm": lambda w, size: cp.log(w[1] - 1) >= -size,
    "exponential": lambda w, size: cp.ExpCone(cp.Constant(-size), cp.Constant(1.0), w[1] - 1),
}


@pytest.mark.parametrize("size", [1.0, 1e9, 1e12])
@pytest.mark.parametrize("name", AT_LEAST_ONE)
def test_no_constant_of_a_cone_hides_a_violated_row(name: str, size: float) -> None:
    least = _form()
    least = least.extend(least.w[1] >= 1).solve("clarabel", tol=1e-9).objective
    form = _form()
    solution = form.extend(AT_LEAST_ONE[name](form.w, size)).solve()
    # The cone asks for no less than the inequality does, so that no optimum is below that of it.
    assert solution.status != "optimal" or solution.objective >= least * (1 - 1e-6), solution.certificate
    assert solution.status != "optimal" or form.w.value[1] >= 1 - 1e-6
    if name == "semidefinite" or size == 1.0:
        assert solution.status == "optimal", solution.certificate


def test_rounding_in_a_repair_is_no_fault_of_the_model() -> None:
    form = _form()
    solution = form.extend(cp.quad_over_lin(form.w[0] * 1e-3, form.w[1] - 1) <= 1e12).solve()
    assert np.isfinite(solution.objective)


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("seed", range(3))
def test_sums_of_squares_are_proved_at_loose_tolerances_too(seed: int, tol: float) -> None:
    # c'w >= 0 for a polynomial on the line, with coefficients affine in w: a Gram matrix of its monomials.
    form, order, rng = _form(), 3 + seed, np.random.default_rng(seed)
    slopes, constants = rng.normal(size=(2 * order - 1, 2)), np.zeros(2 * order - 1)
    slopes[0], slopes[-1], constants[0] = [1.0, 1.0], [1.0, 0.5], -1.0
    gram = cp.Variable((order, order), PSD=True)
    equal = [
        cp.sum([gram[i, degree - i] for i in range(order) if 0 <= degree - i < order])
        == constants[degree] + slopes[degree] @ form.w
        for degree in range(2 * order - 1)
    ]
    solution = form.extend(*equal).solve("clarabel", tol=tol)
    assert solution.status == "optimal", solution.certificate
    if seed:  # the polynomial of the model alone is such a sum
        assert solution.objective == pytest.approx(_form().model.solve(tol=1e-9).objective, rel=2 * tol)


@pytest.mark.parametrize("seed", range(6))
def test_convex_objectives_are_judged_and_not_refused(seed: int) -> None:
    form, matrix = _form(), np.random.default_rng(seed).normal(size=(3, 3))
    largest = 0.5 * cp.lambda_max(form.w[0] * (matrix + matrix.T) + form.w[1] * np.eye(3))
    assert form.extend(objective=largest).solve("clarabel").status == "optimal"
    form = _form()
    norms = 0.5 * cp.square(cp.norm(form.w) + cp.abs(form.w[0]))
    assert form.extend(objective=norms).solve("clarabel").status == "optimal"
