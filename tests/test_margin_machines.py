# SPDX-License-Identifier: BSD-3-Clause
"""Hard and soft margins and separability: stationarity by the textbook, LIBSVM, extensions, and proofs of no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from sklearn.svm import SVC

from formulations import (
    HardMarginDual,
    HardMarginGeometric,
    HardMarginPrimal,
    HullIntersection,
    Separability,
    SoftMarginDual,
    SoftMarginHinge,
    SoftMarginPrimal,
    Solution,
)
from model_data import (
    COST,
    KERNELS,
    ROUTES,
    SHARP,
    Case,
    contradiction,
    multipliers_of,
    overlapping,
    separable,
    values_of,
    xor,
)
from qpkernels.certificates import Status
from qpkernels.errors import InseparableError, UnsupportedProgramError
from qpkernels.gram import Expansion
from qpkernels.kernels import RBF, Kernel, Precomputed

HARD = (HardMarginDual, HardMarginGeometric, HardMarginPrimal)
SOFT = (SoftMarginDual, SoftMarginHinge, SoftMarginPrimal)
ROUTES_HERE = [(case, solver) for case, solver in ROUTES if case.form in (*HARD, *SOFT) and case.intercept]
SOFT_CASES = [Case(form, kernel) for form in SOFT for kernel in ("explicit", "rbf")]

each_kernel = pytest.mark.parametrize("kernel", ["explicit", "rbf"])
each_soft_case = pytest.mark.parametrize("case", SOFT_CASES, ids=str)
each_route = pytest.mark.parametrize(
    ("case", "solver"), ROUTES_HERE, ids=[f"{case}-{solver}" for case, solver in ROUTES_HERE]
)


# --- the answer ---


@each_soft_case
def test_against_libsvm(case: Case) -> None:
    X, y = case.data()
    solution = case.state().solve("smo", tol=1e-11)
    machine = fitted_svc(case, X, y)
    assert solution.support.indices.tolist() == sorted(machine.support_.tolist())
    assert solution.function(X) == pytest.approx(machine.decision_function(X), abs=1e-5)
    assert solution.intercept == pytest.approx(float(machine.intercept_[0]), abs=1e-5)


@each_route
def test_multipliers_stay_within_their_bounds(case: Case, solver: str) -> None:
    C = np.linspace(0.2, 1.5, 30)
    model = case.state(**({"C": C} if case.is_soft else {}))
    solution = model.solve(solver, tol=SHARP[solver])
    slack = 1e-6 * np.abs(solution.alpha).max()
    assert solution.alpha.min() >= -slack
    if case.is_soft:
        assert (solution.alpha <= C + slack).all()
        assert np.abs(solution.alpha - C)[solution.support.bounded].max() <= 1e-4
    assert np.array_equal(solution.beta, model.y * solution.alpha)
    assert solution.n_support == solution.support.free.size + solution.support.bounded.size


# --- the multipliers of the declared problem ---


def stationarity(model: Any) -> dict[str, np.ndarray]:
    """Return what must vanish at a solution, from the formulas of the textbook; everything is a function of K."""
    y, K = model.y, model.gram.kernel(model.gram.X)
    v, dual = values_of(model.problem), multipliers_of(model.problem)
    if "alpha" in v:
        gradient = y * (K @ (y * v["alpha"])) - 1 + dual["balance"] * y
        gradient -= dual["nonnegative"] if "nonnegative" in dual else dual["lower"] - dual["upper"]
        return {"alpha": gradient}
    beta = None if "w" in v else model.beta.value
    f = model.gram.X @ v["w"] if beta is None else K @ beta
    norm = np.sqrt(v["w"] @ v["w"] if beta is None else beta @ f)
    weight = dual.get("norm", norm) / norm
    alpha = dual["margin"]
    zero = {"f": weight * f - K @ (y * alpha), "b": np.atleast_1d(y @ alpha)}
    if "xi" in v:
        zero["xi"] = model.C.value - alpha - dual["slack"]
        zero["complementarity"] = alpha * (y * (f + v["b"]) - 1 + v["xi"])
    if "gamma" in v:
        zero["gamma"] = np.atleast_1d(alpha.sum() - 1)
        zero["complementarity"] = alpha * (y * (f + v["b"]) - v["gamma"])
        zero["norm"] = np.atleast_1d(norm - 1)
    return zero


HAS_MULTIPLIERS = [(case, solver) for case, solver in ROUTES_HERE if case.form is not SoftMarginHinge]


@pytest.mark.parametrize(
    ("case", "solver"), HAS_MULTIPLIERS, ids=[f"{case}-{solver}" for case, solver in HAS_MULTIPLIERS]
)
def test_stationarity_by_the_textbook(case: Case, solver: str) -> None:
    model = case.state()
    model.solve(solver, tol=SHARP[solver])
    for name, residual in stationarity(model).items():
        assert np.abs(residual).max() <= 2e-5, name


@each_kernel
@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_hinge_form_by_the_textbook(kernel: str, solver: str) -> None:
    """w = sum alpha_i y_i x_i with alpha in the subdifferential: C beyond the margin, 0 outside, between on it."""
    model = Case(SoftMarginHinge, kernel).state()
    solution = model.solve(solver, tol=SHARP[solver])
    K = model.gram.kernel(model.gram.X)
    f = model.gram.X @ model.w.value if model.data.explicit else K @ model.beta.value
    assert f == pytest.approx(K @ solution.beta, abs=1e-6)
    margins = model.y * (f + model.b.value)
    assert solution.alpha[margins < 1 - 1e-4] == pytest.approx(COST, abs=1e-4)
    assert solution.alpha[margins > 1 + 1e-4] == pytest.approx(0, abs=1e-4)
    assert solution.beta.sum() == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs", "piqp", "cvxpy:SCS"])
@pytest.mark.parametrize("form", [SoftMarginDual, HardMarginDual])
def test_the_multiplier_of_the_balance_is_b(form: type[SoftMarginDual | HardMarginDual], solver: str) -> None:
    model = Case(form, "explicit").state()
    solution = model.solve(solver)
    assert float(model.constraint("balance").dual_value) == pytest.approx(solution.intercept, abs=1e-12)
    values = model.gram.X @ (model.gram.X.T @ solution.beta)
    on_the_margin = solution.support.free
    assert solution.intercept == pytest.approx(np.mean((model.y - values)[on_the_margin]), abs=1e-3)
    assert abs(solution.intercept) > 0.1


# --- the function ---


@pytest.mark.parametrize("dtype", ["<U4", object])
def test_functions_of_named_classes_are_saved(dtype: Any, tmp_path: Path) -> None:
    X, signs = overlapping()
    y = np.where(signs > 0, "spam", "ham").astype(dtype)
    function = SoftMarginDual(X, y, RBF(0.5)).solve().function
    loaded = Expansion.load(function.save(tmp_path / "function"))
    assert np.array_equal(loaded(X), function(X))
    assert loaded.predict(X).tolist() == function.predict(X).tolist()


# --- hyper-parameters ---


@each_soft_case
def test_a_cost_is_also_set_as_the_parameter_that_it_is(case: Case) -> None:
    model = case.state()
    for C in (0.05, np.linspace(0.1, 2.0, 30)):
        model.C.value = np.broadcast_to(C, 30).copy()
        for solver in ("smo", "clarabel"):
            expected = case.state(C=C).solve(solver, tol=SHARP[solver])
            solution = model.solve(solver, tol=SHARP[solver])
            assert solution.objective == pytest.approx(expected.objective, rel=1e-9)
            assert solution.alpha == pytest.approx(expected.alpha, abs=1e-6)
        assert np.array_equal(model.partner.C.value, model.C.value)


@each_soft_case
def test_the_cost_of_one_sample(case: Case) -> None:
    """Raising the cost of a bounded sample alone can only lower its slack."""
    before = case.state().solve("smo", tol=1e-11)
    sample = int(before.support.bounded[0])
    C = np.full(30, COST)
    C[sample] = 50.0
    model = case.state(C=C)
    after = model.solve("smo", tol=1e-11)
    margins = [model.y[sample] * answer.function(model.gram.X)[sample] for answer in (before, after)]
    assert margins[1] > margins[0] + 1e-3
    assert after.alpha[sample] > COST


# --- certify ---


def fitted_svc(case: Case, X: np.ndarray, y: np.ndarray, C: float = COST) -> SVC:
    kernel = {"explicit": {"kernel": "linear"}, "rbf": {"kernel": "rbf", "gamma": 0.5}}[case.kernel]
    return SVC(C=C, tol=1e-8, **kernel).fit(X, y)


@pytest.mark.parametrize("names", [(-1, 1), ("healthy", "ill")])
@each_soft_case
def test_libsvm_is_certified(case: Case, names: tuple[Any, Any]) -> None:
    X, signs = case.data()
    y = np.array([names[1] if sign > 0 else names[0] for sign in signs])
    model = case.state(y=y)
    assert model.certify(fitted_svc(case, X, y)).holds(1e-5)
    assert not model.certify(fitted_svc(case, X, y, C=2 * COST)).holds(1e-3)
    assert not case.state(y=y[::-1]).certify(fitted_svc(case, X, y)).holds(1e-3)


@each_kernel
def test_certifying_separation(kernel: str) -> None:
    case = Case(Separability, kernel)
    model = case.state()
    solution = model.solve()
    hard = model_of(HardMarginDual, kernel).solve("smo")
    assert model.certify(hard).holds(1e-12)
    assert model.certify((0.01 * hard.beta, 0.01 * hard.intercept)).holds(1e-12)
    assert not model.certify((-hard.beta, -hard.intercept)).holds(1.0)
    assert not model.certify((hard.beta, hard.intercept + 100.0)).holds(1.0)
    margins = model.y * solution.function(model.gram.X)
    assert margins.min() >= 1 - 1e-6


def model_of(form: type, kernel: str) -> Any:
    return Case(form, kernel).state()


# --- extension ---


def coefficients(model: Any) -> cp.Expression:
    return model.w if model.data.explicit else model.beta


def fairness(model: Any) -> list[cp.Constraint]:
    """Return: the mean of f over the first ten samples is near 0, and the coefficients are few."""
    budget = cp.norm1(coefficients(model)) <= 0.9
    fair = cp.abs(cp.sum(model.f.values[:10])) / 10 <= 0.02
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
@pytest.mark.parametrize("form", [SoftMarginPrimal, SoftMarginHinge])
def test_extended_with_fairness_and_a_budget(form: type, kernel: str, solver: str | None) -> None:
    model = model_of(form, kernel)
    fair = model.extend(*fairness(model))
    solution = fair.solve(solver)
    assert solution.solver == (solver or "clarabel")
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-6)
    assert solution.objective == pytest.approx(stated_from_scratch(KERNELS[kernel]), rel=2e-5)
    values = solution.function(model.gram.X) - solution.intercept
    assert abs(values[:10].mean()) == pytest.approx(0.02, abs=1e-4)
    assert np.abs(coefficients(model).value).sum() <= 0.9 + 1e-5
    assert multipliers_of(fair.problem)["fair"] > 1e-3


@each_kernel
def test_extended_objective(kernel: str) -> None:
    model = model_of(SoftMarginPrimal, kernel)
    term = 0.3 * cp.norm1(coefficients(model))
    for extended in (
        model.extend(*fairness(model), objective=term),
        model.extend(objective=term).extend(*fairness(model)),
        model.extend(*fairness(model), objective=term / 2).extend(objective=term / 2),
    ):
        solution = extended.solve()
        assert solution.status is Status.OPTIMAL
        assert solution.objective == pytest.approx(stated_from_scratch(KERNELS[kernel], 0.3), rel=2e-5)
    shifted_model = model.extend(objective=7.0)
    assert shifted_model.lower().program.offset == 7.0
    shifted = shifted_model.solve()
    assert shifted.certificate.primal_value == pytest.approx(shifted.objective, rel=1e-7)
    assert shifted.objective == pytest.approx(7.0 + model.solve("smo").objective, rel=1e-6)


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
def test_extended_dual(solver: str) -> None:
    model = model_of(SoftMarginDual, "rbf")
    capped = model.extend(cp.sum(model.alpha) <= 5.0)
    solution = capped.solve(solver)
    assert solution.status is Status.OPTIMAL
    assert solution.alpha.sum() == pytest.approx(5.0, abs=1e-4)
    assert solution.objective > model.solve("smo").objective + 1e-3


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
def test_extended_margin(solver: str) -> None:
    model = model_of(HardMarginGeometric, "explicit")
    solution = model.extend(model.b == 0).solve(solver, tol=1e-7)
    assert solution.status is Status.OPTIMAL
    through_origin = cp.Variable(3)
    primal = cp.Problem(
        cp.Minimize(cp.sum_squares(through_origin)), [cp.multiply(model.y, model.gram.X @ through_origin) >= 1]
    )
    assert solution.objective == pytest.approx(primal.solve(solver=cp.CLARABEL) ** -0.5, rel=1e-5)
    assert solution.intercept == pytest.approx(0, abs=1e-6)


def test_extension_with_a_semidefinite_constraint() -> None:
    model = model_of(SoftMarginPrimal, "explicit")
    matrix = cp.bmat([[0.04, model.w[0]], [model.w[0], 1.0]])
    extended = model.extend((matrix >> 0).set_label("schur"))
    solution = extended.solve("clarabel")
    linear = model.extend(cp.abs(model.w[0]) <= 0.2).solve("clarabel", tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-6)
    assert solution.objective == pytest.approx(linear.objective, rel=1e-5)
    assert "schur" in {block.name for block in extended.lower().program.rows}
    with pytest.raises(UnsupportedProgramError, match="'scs' has no cones of kind PSDTriangle"):
        extended.solve("scs")


@pytest.mark.parametrize("solver", ["clarabel", "scs", "cvxpy:CLARABEL"])
def test_extension_with_an_exponential_constraint(solver: str) -> None:
    model = model_of(SoftMarginPrimal, "explicit")
    solution = model.extend(cp.exp(model.w[0]) <= 1.2).solve(solver)
    assert solution.status is Status.OPTIMAL
    linear = model.extend(model.w[0] <= np.log(1.2)).solve("clarabel", tol=1e-8)
    assert solution.objective == pytest.approx(linear.objective, rel=1e-5)
    with pytest.raises(UnsupportedProgramError, match="'osqp' has no cones of kind Exponential"):
        model.extend(cp.exp(model.w[0]) <= 1.2).solve("osqp")


def test_extension_that_is_not_convex() -> None:
    model = model_of(SoftMarginPrimal, "explicit")
    with pytest.raises(UnsupportedProgramError, match="not convex by CVXPY's rules"):
        model.extend(cp.sum_squares(model.w) >= 1).solve()


# --- separation ---


@each_kernel
def test_separable_data_give_a_separating_function(kernel: str) -> None:
    answer = model_of(Separability, kernel).decide()
    assert isinstance(answer, Solution)
    X, y = separable()
    assert (y * answer.function(X)).min() >= 1 - 1e-6
    assert np.array_equal(answer.function.predict(X), y)


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
@pytest.mark.parametrize("data", [xor(), overlapping(), contradiction()], ids=["xor", "overlapping", "contradiction"])
def test_inseparable_data_give_a_point_of_both_hulls(data: tuple[np.ndarray, np.ndarray], solver: str) -> None:
    X, y = data
    point = Separability(X, y).decide(solver)
    assert isinstance(point, HullIntersection)
    weights = point.multipliers
    assert weights.min() >= 0
    for sign in (1, -1):
        assert weights[y == sign].sum() == pytest.approx(1, abs=1e-12)
    positive, negative = weights[y > 0] @ X[y > 0], weights[y < 0] @ X[y < 0]
    assert positive == pytest.approx(negative, abs=1e-5)
    assert point.coordinates == pytest.approx(positive, abs=1e-5)
    assert point.distance <= 1e-5
    grid = np.random.default_rng(2).normal(size=(5, X.shape[1]))
    assert point.positive(grid) == pytest.approx(grid @ positive, abs=1e-9)
    assert point.negative(grid) == pytest.approx(grid @ negative, abs=1e-9)
    assert set(point.carriers.tolist()) == set(np.flatnonzero(weights > 1e-6).tolist())


def test_a_point_of_both_hulls_in_the_space_of_the_kernel() -> None:
    X, y = contradiction()
    point = Separability(X, y, RBF(0.5)).decide()
    assert isinstance(point, HullIntersection)
    assert point.coordinates is None
    assert point.carriers.tolist() in ([0, 30], [30, 0])
    assert point.positive(X) == pytest.approx(point.negative(X), abs=1e-6)


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs"])
@pytest.mark.parametrize("data", [xor(), overlapping(), contradiction()], ids=["xor", "overlapping", "contradiction"])
@pytest.mark.parametrize("form", [HardMarginPrimal, HardMarginDual, HardMarginGeometric])
def test_no_hard_margin_on_inseparable_data(form: type, data: tuple[np.ndarray, np.ndarray], solver: str) -> None:
    model = form(*data)
    if form is HardMarginGeometric and solver == "osqp":
        with pytest.raises(UnsupportedProgramError, match="no cones of kind SecondOrder"):
            model.solve(solver)
        return
    with pytest.raises(InseparableError, match=r"no hyperplane separates .* use a soft margin") as caught:
        model.solve(solver)
    proof = caught.value.proof
    assert np.abs((data[1] * proof.multipliers) @ data[0]).max() <= 1e-5
    assert caught.value.certificate.holds(1e-5)


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs"])
@pytest.mark.parametrize("form", [HardMarginPrimal, HardMarginDual])
def test_no_hard_margin_where_a_point_has_both_labels(form: type, solver: str) -> None:
    with pytest.raises(InseparableError, match="no hyperplane separates") as caught:
        form(*contradiction(), RBF(0.5)).solve(solver)
    assert set(caught.value.proof.carriers.tolist()) == {0, 30}


# --- relations between forms ---


@each_kernel
def test_the_geometric_margin(kernel: str) -> None:
    primal = model_of(HardMarginPrimal, kernel).solve("clarabel", tol=1e-8)
    geometric = model_of(HardMarginGeometric, kernel).solve("clarabel", tol=1e-8)
    dual = model_of(HardMarginDual, kernel).solve("smo", tol=1e-11)
    X, y = separable()
    norm = np.sqrt(dual.function.squared_norm)
    assert geometric.objective == pytest.approx(1 / norm, rel=1e-7)
    assert geometric.objective == pytest.approx((2 * primal.objective) ** -0.5, rel=1e-7)
    assert geometric.objective == pytest.approx(dual.alpha.sum() ** -0.5, rel=1e-7)
    assert (y * geometric.function(X)).min() == pytest.approx(1, abs=1e-6)
    assert (y * dual.function(X)).min() / norm == pytest.approx(geometric.objective, rel=1e-7)


# --- answers that once went wrong ---


def test_an_extended_hinge_reads_its_own_multipliers() -> None:
    hinge, primal = model_of(SoftMarginHinge, "explicit"), model_of(SoftMarginPrimal, "explicit")
    for extend in (
        lambda model: model.extend(objective=cp.sum_squares(model.b - 1)),
        lambda model: model.extend((model.b * np.ones(3) <= 7).set_label("auxiliary rows")),
    ):
        one, other = extend(hinge).solve("clarabel", tol=1e-8), extend(primal).solve("clarabel", tol=1e-8)
        assert one.alpha == pytest.approx(other.alpha, abs=1e-4)


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("form", [SoftMarginPrimal, SoftMarginHinge, SoftMarginDual])
def test_a_kernel_that_is_zero_leaves_only_the_intercept(form: type, solver: str) -> None:
    model = form(np.arange(5), [1, 1, 1, -1, -1], Precomputed(np.zeros((5, 5))))
    solution = model.solve(solver)
    assert solution.status is Status.OPTIMAL
    assert abs(solution.objective) == pytest.approx(4.0, rel=1e-6)
