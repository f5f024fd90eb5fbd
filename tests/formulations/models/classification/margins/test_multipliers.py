# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a margin: multipliers within their bounds, and stationary by the textbook, in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import HardMargin, SoftMargin
from formulations.models.classification.margins.hard_margin import HardMarginDual
from formulations.models.classification.margins.soft_margin import SoftMarginDual, SoftMarginHinge
from model_data import ROUTES, SHARP, Case, multipliers_of, values_of

ROUTES_HERE = [(case, solver) for case, solver in ROUTES if case.model in (HardMargin, SoftMargin) and case.intercept]
HAS_MULTIPLIERS = [(case, solver) for case, solver in ROUTES_HERE if case.form_class is not SoftMarginHinge]

each_route = pytest.mark.parametrize(
    ("case", "solver"), ROUTES_HERE, ids=[f"{case}-{solver}" for case, solver in ROUTES_HERE]
)


@each_route
def test_multipliers_stay_within_their_bounds(case: Case, solver: str) -> None:
    C = np.linspace(0.2, 1.5, 30)
    is_soft = case.model is SoftMargin
    form = case.state(**({"C": C} if is_soft else {}))
    solution = form.solve(solver, tol=SHARP[solver])
    slack = 1e-6 * np.abs(solution.alpha).max()
    assert solution.alpha.min() >= -slack
    if is_soft:
        assert (solution.alpha <= C + slack).all()
        assert np.abs(solution.alpha - C)[solution.support.bounded].max() <= 1e-4
    assert np.array_equal(solution.beta, form.model.y * solution.alpha)
    assert solution.n_support == solution.support.free.size + solution.support.bounded.size


def stationarity(form: Any) -> dict[str, np.ndarray]:
    """Return what must vanish at a solution, from the formulas of the textbook; everything is a function of K."""
    y, gram = form.model.y, form.model.gram
    K = gram.kernel(gram.X)
    v, dual = values_of(form.problem), multipliers_of(form.problem)
    if "alpha" in v:
        gradient = y * (K @ (y * v["alpha"])) - 1 + dual["balance"] * y
        gradient -= dual["nonnegative"] if "nonnegative" in dual else dual["lower"] - dual["upper"]
        return {"alpha": gradient}
    beta = None if "w" in v else form.beta.value
    f = gram.X @ v["w"] if beta is None else K @ beta
    norm = np.sqrt(v["w"] @ v["w"] if beta is None else beta @ f)
    weight = dual.get("norm", norm) / norm
    alpha = dual["margin"]
    zero = {"f": weight * f - K @ (y * alpha), "b": np.atleast_1d(y @ alpha)}
    if "xi" in v:
        zero["xi"] = form.model.C.value - alpha - dual["slack"]
        zero["complementarity"] = alpha * (y * (f + v["b"]) - 1 + v["xi"])
    if "gamma" in v:
        zero["gamma"] = np.atleast_1d(alpha.sum() - 1)
        zero["complementarity"] = alpha * (y * (f + v["b"]) - v["gamma"])
        zero["norm"] = np.atleast_1d(norm - 1)
    return zero


@pytest.mark.parametrize(
    ("case", "solver"), HAS_MULTIPLIERS, ids=[f"{case}-{solver}" for case, solver in HAS_MULTIPLIERS]
)
def test_stationarity_by_the_textbook(case: Case, solver: str) -> None:
    form = case.state()
    form.solve(solver, tol=SHARP[solver])
    for name, residual in stationarity(form).items():
        assert np.abs(residual).max() <= 2e-5, name


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs", "piqp", "cvxpy:SCS"])
@pytest.mark.parametrize("form", [SoftMarginDual, HardMarginDual])
def test_the_multiplier_of_the_balance_is_b(form: type[SoftMarginDual | HardMarginDual], solver: str) -> None:
    case = next(case for case, _ in ROUTES_HERE if case.form_class is form and case.kernel == "explicit")
    dual = case.state()
    solution = dual.solve(solver)
    model = dual.model
    # Where a hard margin is missed, the form shows (f, b) rescaled to it, as the certificate has them.
    rescaled = 2.0 * solution.certificate.primal_residual
    assert float(dual.constraint("balance").dual_value) == pytest.approx(solution.intercept, rel=1e-12 + rescaled)
    values = model.gram.X @ (model.gram.X.T @ solution.beta)
    on_the_margin = solution.support.free
    assert solution.intercept == pytest.approx(np.mean((model.y - values)[on_the_margin]), abs=1e-3)
    assert abs(solution.intercept) > 0.1
