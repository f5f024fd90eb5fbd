# SPDX-License-Identifier: BSD-3-Clause
"""The hard margin: its geometric form, the proof where there is no answer, and an extension."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import HardMargin
from model_data import Case, contradiction, overlapping, separable, xor
from qpkernels.errors import InseparableError, SolverFailedError, UnsupportedProgramError
from qpkernels.kernels import RBF
from qpkernels.problems import Status

FORMS = ("primal", "dual", "geometric")


def form_of(form: str, kernel: str) -> Any:
    return Case(HardMargin, form, kernel).state()


@pytest.mark.parametrize("kernel", ["explicit", "rbf"])
def test_the_geometric_margin(kernel: str) -> None:
    primal = form_of("primal", kernel).solve("clarabel", tol=1e-8)
    geometric = form_of("geometric", kernel).solve("clarabel", tol=1e-8)
    dual = form_of("dual", kernel).solve("smo", tol=1e-11)
    X, y = separable()
    norm = np.sqrt(dual.function.squared_norm)
    assert geometric.objective == pytest.approx(1 / norm, rel=1e-7)
    assert geometric.objective == pytest.approx((2 * primal.objective) ** -0.5, rel=1e-7)
    assert geometric.objective == pytest.approx(dual.alpha.sum() ** -0.5, rel=1e-7)
    assert (y * geometric.function(X)).min() == pytest.approx(1, abs=1e-6)
    assert (y * dual.function(X)).min() / norm == pytest.approx(geometric.objective, rel=1e-7)


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
def test_extended_margin(solver: str) -> None:
    form = form_of("geometric", "explicit")
    solution = form.extend(form.b == 0).solve(solver, tol=1e-7)
    assert solution.status is Status.OPTIMAL
    through_origin = cp.Variable(3)
    primal = cp.Problem(
        cp.Minimize(cp.sum_squares(through_origin)),
        [cp.multiply(form.model.y, form.model.gram.X @ through_origin) >= 1],
    )
    assert solution.objective == pytest.approx(primal.solve(solver=cp.CLARABEL) ** -0.5, rel=1e-5)
    assert solution.intercept == pytest.approx(0, abs=1e-6)


# --- without an answer ---


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs"])
@pytest.mark.parametrize("data", [xor(), overlapping(), contradiction()], ids=["xor", "overlapping", "contradiction"])
@pytest.mark.parametrize("form", FORMS)
def test_no_hard_margin_on_inseparable_data(form: str, data: tuple[np.ndarray, np.ndarray], solver: str) -> None:
    stated = getattr(HardMargin(*data), form)
    if form == "geometric" and solver == "osqp":
        with pytest.raises(UnsupportedProgramError, match="no cones of kind SecondOrder"):
            stated.solve(solver)
        return
    with pytest.raises(
        InseparableError, match=r"no hyperplane separates the two classes: their .* kernel \(solver"
    ) as caught:
        stated.solve(solver)
    proof = caught.value.proof
    assert np.abs((data[1] * proof.multipliers) @ data[0]).max() <= 1e-5
    assert caught.value.certificate.holds(1e-5)


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs"])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_no_hard_margin_where_a_point_has_both_labels(form: str, solver: str) -> None:
    with pytest.raises(InseparableError, match="no hyperplane separates") as caught:
        getattr(HardMargin(*contradiction(), RBF(0.5)), form).solve(solver)
    assert set(caught.value.proof.support.tolist()) == {0, 30}


@pytest.mark.parametrize("gap", [1e-10, 1e-9, 1e-8])
def test_classes_that_nearly_touch_are_not_called_inseparable(gap: float) -> None:
    try:
        solution = HardMargin([[0.0], [0.5], [0.5 + gap], [1.0]], [-1, -1, 1, 1]).solve()
    except SolverFailedError:
        pass
    else:
        assert solution.status is not Status.OPTIMAL or solution.margin == pytest.approx(gap / 2, rel=1e-6)
    with pytest.raises(InseparableError):
        HardMargin([[0.0], [0.5], [0.5], [1.0]], [-1, -1, 1, 1]).solve()
