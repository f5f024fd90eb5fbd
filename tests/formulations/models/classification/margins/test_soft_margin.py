# SPDX-License-Identifier: BSD-3-Clause
"""The soft margin: against LIBSVM, its hinge form by the textbook, costs, certified answers, and extensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from sklearn.svm import SVC

from formulations import HardMargin, Logistic, SoftMargin
from model_data import COST, KERNELS, SHARP, Case, multipliers_of, overlapping, partner
from qpkernels.errors import ParameterError, UnsupportedProgramError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Linear, Precomputed, Sigmoid
from qpkernels.problems import Status

FORMS = ("dual", "hinge", "primal")
CASES = [Case(SoftMargin, form, kernel) for form in FORMS for kernel in ("explicit", "rbf")]

each_kernel = pytest.mark.parametrize("kernel", ["explicit", "rbf"])
each_form = pytest.mark.parametrize("form", FORMS)
each_case = pytest.mark.parametrize("case", CASES, ids=str)


def form_of(form: str, kernel: str) -> Any:
    return Case(SoftMargin, form, kernel).state()


# --- the answer ---


@pytest.mark.parametrize("C", [1e10, 1e14, 1e30])
@pytest.mark.parametrize("kernel", [None, RBF(0.5)], ids=["explicit", "rbf"])
def test_with_a_cost_beyond_every_multiplier_it_is_the_hard_margin(kernel: Kernel | None, C: float) -> None:
    X = np.random.default_rng(8).normal(size=(50, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.2 * y
    hard = HardMargin(X, y, kernel).solve(tol=1e-9)
    model = SoftMargin(X, y, kernel, C=C)
    soft = model.solve(tol=1e-9)
    assert soft.status is Status.OPTIMAL
    assert soft.objective == pytest.approx(hard.objective, rel=1e-9)
    assert soft.decision == pytest.approx(hard.decision, rel=1e-6)
    assert model.certify(hard).holds(1e-8)
    assert model.dual.problem.constraints[0].violation() == pytest.approx(0.0, abs=1e-9)


def fitted_svc(case: Case, X: np.ndarray, y: np.ndarray, C: float = COST) -> SVC:
    kernel = {"explicit": {"kernel": "linear"}, "rbf": {"kernel": "rbf", "gamma": 0.5}}[case.kernel]
    return SVC(C=C, tol=1e-8, **kernel).fit(X, y)


@each_case
def test_against_libsvm(case: Case) -> None:
    X, y = case.data()
    solution = case.state().solve("smo", tol=1e-11)
    machine = fitted_svc(case, X, y)
    assert solution.support.indices.tolist() == sorted(machine.support_.tolist())
    assert solution.function(X) == pytest.approx(machine.decision_function(X), abs=1e-5)
    assert solution.intercept == pytest.approx(float(machine.intercept_[0]), abs=1e-5)


@pytest.mark.parametrize("names", [(-1, 1), ("healthy", "ill")])
@each_kernel
def test_libsvm_is_certified(kernel: str, names: tuple[Any, Any]) -> None:
    case = Case(SoftMargin, "primal", kernel)
    X, signs = case.data()
    y = np.array([names[1] if sign > 0 else names[0] for sign in signs])
    model = case.state_model(y=y)
    assert model.certify(fitted_svc(case, X, y)).holds(1e-5)
    with pytest.raises(ParameterError, match=r"fitted with C = 1\.6, but the model has C = 0\.8"):
        model.certify(fitted_svc(case, X, y, C=2 * COST))
    with pytest.raises(ParameterError, match="pass the y that it was fitted to"):
        case.state_model(y=y[::-1]).certify(fitted_svc(case, X, y))


@each_kernel
@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_hinge_form_by_the_textbook(kernel: str, solver: str) -> None:
    """w = sum alpha_i y_i x_i with alpha in the subdifferential: C beyond the margin, 0 outside, between on it."""
    form = form_of("hinge", kernel)
    solution = form.solve(solver, tol=SHARP[solver])
    model = form.model
    _ = form.problem
    K = model.gram.kernel(model.gram.X)
    f = model.gram.X @ form.w.value if model.data.explicit else K @ form.beta.value
    assert f == pytest.approx(K @ solution.beta, abs=1e-6)
    margins = model.y * (f + form.b.value)
    assert solution.alpha[margins < 1 - 1e-4] == pytest.approx(COST, abs=1e-4)
    assert solution.alpha[margins > 1 + 1e-4] == pytest.approx(0, abs=1e-4)
    assert solution.beta.sum() == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("dtype", ["<U4", object])
def test_functions_of_named_classes_are_saved(dtype: Any, tmp_path: Path) -> None:
    X, signs = overlapping()
    y = np.where(signs > 0, "spam", "ham").astype(dtype)
    function = SoftMargin(X, y, RBF(0.5)).solve().function
    loaded = Expansion.load(function.save(tmp_path / "function"))
    assert np.array_equal(loaded(X), function(X))
    assert loaded.predict(X).tolist() == function.predict(X).tolist()


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@each_form
def test_a_kernel_that_is_zero_leaves_only_the_intercept(form: str, solver: str) -> None:
    model = SoftMargin(np.arange(5), [1, 1, 1, -1, -1], Precomputed(np.zeros((5, 5))))
    solution = model.forms[form].solve(solver)
    assert solution.status is Status.OPTIMAL
    assert abs(solution.objective) == pytest.approx(4.0, rel=1e-6)


# --- costs ---


@each_case
def test_a_cost_is_also_set_as_the_parameter_that_it_is(case: Case) -> None:
    form = case.state()
    for C in (0.05, np.linspace(0.1, 2.0, 30)):
        form.model.C.value = np.broadcast_to(C, 30).copy()
        for solver in ("smo", "clarabel"):
            expected = case.state(C=C).solve(solver, tol=SHARP[solver])
            solution = form.solve(solver, tol=SHARP[solver])
            assert solution.objective == pytest.approx(expected.objective, rel=1e-9)
            assert solution.alpha == pytest.approx(expected.alpha, abs=1e-6)
        assert partner(form).model is form.model


@each_case
def test_the_cost_of_one_sample(case: Case) -> None:
    """Raising the cost of a bounded sample alone can only lower its slack."""
    before = case.state().solve("smo", tol=1e-11)
    sample = int(before.support.bounded[0])
    C = np.full(30, COST)
    C[sample] = 50.0
    form = case.state(C=C)
    after = form.solve("smo", tol=1e-11)
    y, X = form.model.y, form.model.gram.X
    margins = [y[sample] * answer.function(X)[sample] for answer in (before, after)]
    assert margins[1] > margins[0] + 1e-3
    assert after.alpha[sample] > COST


# --- extension ---


def coefficients(form: Any) -> cp.Expression:
    return form.w if form.model.data.explicit else form.beta


def fairness(form: Any) -> list[cp.Constraint]:
    """Return: the mean of f over the first ten samples is near 0, and the coefficients are few."""
    budget = cp.norm1(coefficients(form)) <= 0.9
    fair = cp.abs(cp.sum(form.f.values[:10])) / 10 <= 0.02
    return [fair.set_label("fair"), budget.set_label("budget")]


def stated_from_scratch(kernel: Kernel | None, term: float = 0.0) -> float:
    """Return the optimum of the extended soft margin, stated without the package."""
    X, y = overlapping()
    features = X if kernel is None else np.linalg.cholesky(kernel(X) + 1e-13 * np.eye(30))
    coefficients = cp.Variable(X.shape[1] if kernel is None else 30)
    w = coefficients if kernel is None else features.T @ coefficients
    b, xi = cp.Variable(), cp.Variable(30, nonneg=True)
    f = features @ w
    problem = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(w) + COST * cp.sum(xi) + term * cp.norm1(coefficients)),
        [cp.multiply(y, f + b) >= 1 - xi, cp.abs(cp.sum(f[:10])) <= 0.2, cp.norm1(coefficients) <= 0.9],
    )
    return float(problem.solve(solver=cp.CLARABEL))


@pytest.mark.parametrize("solver", ["clarabel", "scs", None])
@each_kernel
@pytest.mark.parametrize("name", ["primal", "hinge"])
def test_extended_with_fairness_and_a_budget(name: str, kernel: str, solver: str | None) -> None:
    form = form_of(name, kernel)
    fair = form.extend(*fairness(form))
    solution = fair.solve(solver)
    assert solution.solver == (solver or "clarabel")
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-6)
    assert solution.objective == pytest.approx(stated_from_scratch(KERNELS[kernel]), rel=2e-5)
    values = solution.function(form.model.gram.X) - solution.intercept
    assert abs(values[:10].mean()) == pytest.approx(0.02, abs=1e-4)
    assert np.abs(coefficients(form).value).sum() <= 0.9 + 1e-5
    assert multipliers_of(fair.problem)["fair"] > 1e-3


@each_kernel
def test_extended_objective(kernel: str) -> None:
    form = form_of("primal", kernel)
    term = 0.3 * cp.norm1(coefficients(form))
    for extended in (
        form.extend(*fairness(form), objective=term),
        form.extend(objective=term).extend(*fairness(form)),
        form.extend(*fairness(form), objective=term / 2).extend(objective=term / 2),
    ):
        solution = extended.solve()
        assert solution.status is Status.OPTIMAL
        assert solution.objective == pytest.approx(stated_from_scratch(KERNELS[kernel], 0.3), rel=2e-5)
    shifted_form = form.extend(objective=7.0)
    assert shifted_form.lower().program.offset == 7.0
    shifted = shifted_form.solve()
    assert shifted.certificate.primal_value == pytest.approx(shifted.objective, rel=1e-7)
    assert shifted.objective == pytest.approx(7.0 + form.solve("smo").objective, rel=1e-6)


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
def test_extended_dual(solver: str) -> None:
    form = form_of("dual", "rbf")
    capped = form.extend(cp.sum(form.alpha) <= 5.0)
    solution = capped.solve(solver)
    assert solution.status is Status.OPTIMAL
    assert solution.alpha.sum() == pytest.approx(5.0, abs=1e-4)
    assert solution.objective > form.solve("smo").objective + 1e-3


def test_extension_with_a_semidefinite_constraint() -> None:
    form = form_of("primal", "explicit")
    matrix = cp.bmat([[0.04, form.w[0]], [form.w[0], 1.0]])
    extended = form.extend((matrix >> 0).set_label("schur"))
    solution = extended.solve("clarabel")
    linear = form.extend(cp.abs(form.w[0]) <= 0.2).solve("clarabel", tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-6)
    assert solution.objective == pytest.approx(linear.objective, rel=1e-5)
    assert "schur" in {block.name for block in extended.lower().program.rows}
    with pytest.raises(UnsupportedProgramError, match="'scs' has no cones of kind PSDTriangle"):
        extended.solve("scs")


@pytest.mark.parametrize("solver", ["clarabel", "scs", "cvxpy:CLARABEL"])
def test_extension_with_an_exponential_constraint(solver: str) -> None:
    form = form_of("primal", "explicit")
    solution = form.extend(cp.exp(form.w[0]) <= 1.2).solve(solver)
    assert solution.status is Status.OPTIMAL
    linear = form.extend(form.w[0] <= np.log(1.2)).solve("clarabel", tol=1e-8)
    assert solution.objective == pytest.approx(linear.objective, rel=1e-5)
    with pytest.raises(UnsupportedProgramError, match="'osqp' has no cones of kind Exponential"):
        form.extend(cp.exp(form.w[0]) <= 1.2).solve("osqp")


def test_extension_that_is_not_convex() -> None:
    form = form_of("primal", "explicit")
    with pytest.raises(UnsupportedProgramError, match="not convex by CVXPY's rules"):
        form.extend(cp.sum_squares(form.w) >= 1).solve()


def test_an_extended_hinge_reads_its_own_multipliers() -> None:
    hinge, primal = form_of("hinge", "explicit"), form_of("primal", "explicit")
    for extend in (
        lambda form: form.extend(objective=cp.sum_squares(form.b - 1)),
        lambda form: form.extend((form.b * np.ones(3) <= 7).set_label("auxiliary rows")),
    ):
        one, other = extend(hinge).solve("clarabel", tol=1e-8), extend(primal).solve("clarabel", tol=1e-8)
        assert one.alpha == pytest.approx(other.alpha, abs=1e-4)


# --- data that once went wrong ---

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(30, 2))
LABELS = np.where(CLOUD[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1, -1)


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e7])
@pytest.mark.parametrize(("form", "sign"), [("dual", -1), ("primal", 1)])
def test_features_far_from_the_origin(form: str, sign: float, offset: float) -> None:
    """K loses the digits that the samples share, and must not lend its rounding to a proof."""
    optimum = SoftMargin(CLOUD, LABELS).solve(tol=1e-10).objective
    far = SoftMargin(CLOUD + offset, LABELS)
    solution = far.forms[form].solve("smo", max_iter=10**6)
    if solution.status is Status.OPTIMAL:
        assert sign * solution.objective == pytest.approx(optimum, rel=1e-5)
    assert far.primal.solve("clarabel").objective == pytest.approx(optimum, rel=1e-5)


@pytest.mark.parametrize("model", [SoftMargin, Logistic])
def test_primal_and_dual_of_a_shifted_matrix_have_the_same_function(model: Any) -> None:
    shifted = model(Gram(Sigmoid(0.3, 0.2), CLOUD, indefinite="shift"), LABELS)
    ours, theirs = (form.solve("clarabel", tol=1e-8) for form in (shifted.primal, shifted.dual))
    assert ours.status is Status.OPTIMAL
    assert "kernel matrix" in str(ours)
    assert ours.function(CLOUD) == pytest.approx(theirs.function(CLOUD), abs=1e-4)
    assert shifted.certify(ours).holds(1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kernel", [None, Linear(), RBF(0.5)], ids=["explicit", "linear", "rbf"])
@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_predictions_of_far_samples_are_the_signs_of_their_decision_values(
    seed: int, kernel: Kernel | None, solver: str
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)
    solution = SoftMargin(X + 1e5, y, kernel, C=1e3).dual.solve(solver)
    np.testing.assert_array_equal(solution.function.predict(X + 1e5), np.sign(solution.decision))
    np.testing.assert_allclose(solution.function(X + 1e5), solution.decision, rtol=0, atol=1e-5)
