# SPDX-License-Identifier: BSD-3-Clause
"""The contract of every formulation: its answer, multipliers, proof, extension and export."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import qpsolvers
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
    CASES,
    CERTIFIED_CASES,
    FORMULATIONS,
    KERNELS,
    PRICE,
    ROUTES,
    SHARP,
    SOFT_CASES,
    Case,
    contradiction,
    lagrangian,
    multipliers_of,
    overlapping,
    separable,
    values_of,
    xor,
)
from qpkernels.certificates import Status
from qpkernels.errors import (
    ExtendedModelError,
    InfeasibleError,
    InseparableError,
    UnsupportedProgramError,
)
from qpkernels.expansion import Expansion
from qpkernels.export import read_npz
from qpkernels.kernels import RBF, Kernel, Linear, Precomputed
from qpkernels.solvers import find_solver

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_certified_case = pytest.mark.parametrize("case", CERTIFIED_CASES, ids=str)
each_soft_case = pytest.mark.parametrize("case", SOFT_CASES, ids=str)
each_route = pytest.mark.parametrize(("case", "solver"), ROUTES, ids=[f"{case}-{solver}" for case, solver in ROUTES])


def test_every_formulation_was_found() -> None:
    known = {
        HardMarginDual,
        HardMarginGeometric,
        HardMarginPrimal,
        Separability,
        SoftMarginDual,
        SoftMarginHinge,
        SoftMarginPrimal,
    }
    assert known <= set(FORMULATIONS)
    assert len({form.catalogue for form in FORMULATIONS}) == len(FORMULATIONS)


# --- the answer ---


@each_route
def test_the_answer_is_proved(case: Case, solver: str) -> None:
    model = case.state()
    solution = model.solve(solver, tol=SHARP[solver])
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(SHARP[solver])
    assert (solution.formulation, solution.solver, solution.tol) == (case.form.__name__, solver, SHARP[solver])
    assert solution.objective == pytest.approx(float(model.problem.objective.value), rel=1e-7, abs=1e-7)


@each_route
def test_the_partner_has_the_value_that_duality_says(case: Case, solver: str) -> None:
    model = case.state()
    mine = model.solve(solver, tol=SHARP[solver])
    partner = model.partner
    theirs = partner.solve("clarabel", tol=1e-8)
    assert model.objective_of(theirs.certificate) == pytest.approx(mine.objective, rel=1e-6, abs=1e-9)
    expected = {
        HardMarginGeometric: -0.5 / mine.objective**2 if mine.objective else np.nan,
        Separability: 0.0,
    }.get(case.form, -mine.objective)
    assert theirs.objective == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert np.array_equal(partner.y, model.y)
    assert partner.gram is model.gram


@each_route
def test_cvxpy_itself_finds_the_same_value(case: Case, solver: str) -> None:
    model = case.state()
    solution = model.solve(solver, tol=SHARP[solver])
    assert type(model.problem) is cp.Problem
    assert case.state().problem.solve(solver=cp.CLARABEL) == pytest.approx(solution.objective, rel=1e-6, abs=1e-7)
    assert model.problem.solve(solver=cp.CLARABEL) == pytest.approx(solution.objective, rel=1e-6, abs=1e-7)


@each_certified_case
def test_both_routes_find_the_same_function(case: Case) -> None:
    ours = case.state().solve("smo", tol=1e-11)
    theirs = case.state().solve("clarabel", tol=1e-8)
    X, _ = case.data()
    grid = np.vstack([X, np.random.default_rng(0).normal(size=(20, X.shape[1]))])
    assert theirs.function(grid) == pytest.approx(ours.function(grid), abs=1e-4)
    assert theirs.intercept == pytest.approx(ours.intercept, abs=1e-5)
    assert theirs.support.indices.tolist() == ours.support.indices.tolist()
    assert theirs.support.bounded.tolist() == ours.support.bounded.tolist()


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


@each_route
def test_kkt_of_the_declared_problem(case: Case, solver: str) -> None:
    """Feasible, signs right, complementary; and no move of the variables lowers the Lagrangian."""
    model = case.state()
    model.solve(solver, tol=SHARP[solver])
    problem = model.problem
    for constraint in problem.constraints:
        assert constraint.label
        value, multiplier = np.asarray(constraint.expr.value), np.asarray(constraint.dual_value)
        assert multiplier.dtype == np.float64, f"{constraint.label} has no multiplier"
        assert multiplier.shape == value.shape
        if isinstance(constraint, cp.constraints.Zero | cp.constraints.Equality):
            assert np.abs(value).max() <= 1e-7
        else:
            assert value.max() <= 1e-6
            assert multiplier.min() >= -1e-6
            assert np.abs(multiplier * value).max() <= 1e-6
    rng = np.random.default_rng(3)
    here = {variable: np.array(variable.value) for variable in problem.variables()}
    lowest = lagrangian(problem)
    for step in (1e-4, 1e-3, 1e-2, 1.0):
        for _ in range(10):
            for variable, value in here.items():
                variable.value = value + step * rng.normal(size=value.shape)
            assert lagrangian(problem) >= lowest - 1e-6 * (1e-1 + step)


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


HAS_MULTIPLIERS = [(case, solver) for case, solver in ROUTES if case.form not in (Separability, SoftMarginHinge)]


@pytest.mark.parametrize(
    ("case", "solver"), HAS_MULTIPLIERS, ids=[f"{case}-{solver}" for case, solver in HAS_MULTIPLIERS]
)
def test_stationarity_by_the_textbook(case: Case, solver: str) -> None:
    model = case.state()
    model.solve(solver, tol=SHARP[solver])
    for name, residual in stationarity(model).items():
        assert np.abs(residual).max() <= 2e-5, name


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_hinge_form_by_the_textbook(kernel: str, solver: str) -> None:
    """w = sum alpha_i y_i x_i with alpha in the subdifferential: C beyond the margin, 0 outside, between on it."""
    model = Case(SoftMarginHinge, kernel).state()
    solution = model.solve(solver, tol=SHARP[solver])
    K = model.gram.kernel(model.gram.X)
    f = model.gram.X @ model.w.value if model.data.explicit else K @ model.beta.value
    assert f == pytest.approx(K @ solution.beta, abs=1e-6)
    margins = model.y * (f + model.b.value)
    assert solution.alpha[margins < 1 - 1e-4] == pytest.approx(PRICE, abs=1e-4)
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


@each_route
def test_lowered_blocks_keep_their_names(case: Case, solver: str) -> None:
    model = case.state()
    model.solve(solver, tol=SHARP[solver])
    program = model.lower().program
    variables = {block.name: block for block in program.variables}
    rows = {block.name: block for block in program.rows}
    assert len(variables) == len(program.variables)
    assert len(rows) == len(program.rows)
    declared = {variable.name(): variable.size for variable in model.problem.variables()}
    labelled = {constraint.label: constraint.size for constraint in model.problem.constraints}
    for blocks, names in ((variables, declared), (rows, labelled)):
        for name, size in names.items():
            assert blocks[name].stop - blocks[name].start == size
        assert all(name.startswith("auxiliary ") for name in blocks.keys() - names.keys())
    outcome = find_solver("clarabel").solve(program, tol=1e-8)
    for name, multiplier in multipliers_of(case_multipliers(case)).items():
        assert outcome.multipliers[rows[name].range] == pytest.approx(np.atleast_1d(multiplier), abs=1e-4)
    sign = -1.0 if isinstance(model.problem.objective, cp.Maximize) else 1.0
    assert sign * program.objective(outcome.point) == pytest.approx(float(model.problem.objective.value), abs=1e-5)


def case_multipliers(case: Case) -> cp.Problem:
    model = case.state()
    model.solve("clarabel", tol=1e-8)
    return model.problem


# --- the function ---


@pytest.mark.parametrize(
    ("negative", "positive"), [(3, 7), (False, True), ("ham", "spam"), (-1.5, 2.5)], ids=["int", "bool", "str", "float"]
)
@each_case
def test_predictions_are_the_labels_that_came(case: Case, negative: Any, positive: Any) -> None:
    X, signs = case.data()
    y = np.array([positive if sign > 0 else negative for sign in signs])
    model = case.state(y=y)
    solution = model.solve(tol=1e-6)
    predicted = solution.function.predict(X)
    assert predicted.dtype == y.dtype
    assert set(predicted.tolist()) == {negative, positive}
    decision = solution.function(X)
    assert np.array_equal(predicted, np.where(decision > 0, y[signs > 0][0], y[signs < 0][0]))
    assert np.mean(predicted == y) >= 0.7
    K = model.gram.kernel(X)
    if case.is_kernel_qp:
        assert decision == pytest.approx(K @ solution.beta + solution.intercept, abs=1e-4)


@pytest.mark.parametrize("dtype", ["<U4", object])
def test_functions_of_named_classes_are_saved(dtype: Any, tmp_path: Path) -> None:
    X, signs = overlapping()
    y = np.where(signs > 0, "spam", "ham").astype(dtype)
    function = SoftMarginDual(X, y, RBF(0.5)).solve().function
    loaded = Expansion.load(function.save(tmp_path / "function"))
    assert np.array_equal(loaded(X), function(X))
    assert loaded.predict(X).tolist() == function.predict(X).tolist()


@each_case
def test_the_function_takes_new_samples(case: Case) -> None:
    X, _ = case.data()
    solution = case.state().solve(tol=1e-6)
    assert solution.function(X[4:7]) == pytest.approx(solution.function(X)[4:7], abs=1e-12)
    assert solution.function.intercept == solution.intercept


# --- hyper-parameters ---


@each_soft_case
def test_sweeping_c_is_stating_new_models(case: Case) -> None:
    model = case.state()
    assert model.problem.is_dpp()
    compiled = model.problem
    for C in (0.05, 3.0, np.linspace(0.1, 2.0, 30)):
        assert model.set_params(C=C) is model
        assert np.array_equal(model.partner.C.value, np.full(30, C))
        assert model.problem is compiled
        fresh = case.state(C=C)
        for solver in ("smo", "clarabel"):
            swept, stated = model.solve(solver, tol=SHARP[solver]), fresh.solve(solver, tol=SHARP[solver])
            assert swept.objective == pytest.approx(stated.objective, rel=1e-9)
            assert swept.alpha == pytest.approx(stated.alpha, abs=1e-6)
        model.C.value = np.full(30, 2 * C)
        assert model.solve("smo").objective == pytest.approx(case.state(C=2 * C).solve("smo").objective, rel=1e-5)


@each_case
def test_the_problem_compiles_once(case: Case) -> None:
    assert case.state().problem.is_dcp(dpp=True)


@each_soft_case
def test_the_price_of_one_sample(case: Case) -> None:
    """Raising the price of a bounded sample alone can only lower its slack."""
    before = case.state().solve("smo", tol=1e-11)
    sample = int(before.support.bounded[0])
    C = np.full(30, PRICE)
    C[sample] = 50.0
    model = case.state(C=C)
    after = model.solve("smo", tol=1e-11)
    margins = [model.y[sample] * answer.function(model.gram.X)[sample] for answer in (before, after)]
    assert margins[1] > margins[0] + 1e-3
    assert after.alpha[sample] > PRICE


@each_case
def test_attributes_cannot_be_replaced(case: Case) -> None:
    model = case.state()
    assert model.problem is model.problem
    for name in list(vars(model)):
        if not name.startswith("_"):
            with pytest.raises(AttributeError, match=f"a {case.form.__name__} is frozen, so '{name}' cannot be set"):
                setattr(model, name, 3.0)


@each_case
def test_the_solution_is_frozen(case: Case) -> None:
    solution = case.state().solve(tol=1e-6)
    with pytest.raises(FrozenInstanceError):
        solution.objective = 0.0
    for array in (solution.alpha, solution.beta, solution.function.coefficients, solution.function.centers):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@each_certified_case
def test_limits_and_warm_start(case: Case) -> None:
    model = case.state()
    cold = model.solve("smo", tol=1e-10)
    stopped = model.solve("smo", tol=1e-10, max_iter=2)
    assert stopped.status is Status.STOPPED
    assert stopped.iterations == 2
    assert stopped.certificate.relative_gap > 1e-3
    for start in (cold, cold.beta):
        warm = model.solve("smo", tol=1e-10, warm_start=start)
        assert warm.status is Status.OPTIMAL
        assert warm.iterations <= 30 < cold.iterations
        assert warm.objective == pytest.approx(cold.objective, rel=1e-9)


# --- certify ---


def fitted_svc(case: Case, X: np.ndarray, y: np.ndarray, C: float = PRICE) -> SVC:
    kernel = {"explicit": {"kernel": "linear"}, "rbf": {"kernel": "rbf", "gamma": 0.5}}[case.kernel]
    return SVC(C=C, tol=1e-8, **kernel).fit(X, y)


@each_certified_case
def test_own_answers_are_certified(case: Case) -> None:
    model = case.state()
    solution = model.solve("smo", tol=1e-11)
    assert model.certify(solution).holds(1e-11)
    assert model.certify((solution.beta, solution.intercept)).holds(1e-11)
    assert model.certify((solution.beta.tolist(), solution.intercept)).holds(1e-11)
    assert model.partner.certify(solution).holds(1e-11)
    assert model.certify(solution).primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-11)


@each_certified_case
def test_wrong_answers_are_not_certified(case: Case) -> None:
    model = case.state()
    solution = model.solve("smo", tol=1e-11)
    beta, b = solution.beta, solution.intercept
    bent = beta * (1 + 0.1 * np.random.default_rng(1).normal(size=30))
    undefined = np.where(np.arange(30) == 4, np.nan, beta)
    for wrong in ((bent, b), (-beta, -b), (beta, b + 0.1), (0 * beta, b), (1.1 * beta, b)):
        certificate = model.certify(wrong)
        assert not certificate.holds(1e-4)
        assert max(certificate.relative_gap, certificate.primal_residual, certificate.dual_residual) > 1e-4
    for nothing in ((undefined, b), (beta, np.nan), (beta, np.inf)):
        assert not model.certify(nothing).holds(1e300)


@pytest.mark.parametrize("names", [(-1, 1), ("healthy", "ill")])
@each_soft_case
def test_libsvm_is_certified(case: Case, names: tuple[Any, Any]) -> None:
    X, signs = case.data()
    y = np.array([names[1] if sign > 0 else names[0] for sign in signs])
    model = case.state(y=y)
    assert model.certify(fitted_svc(case, X, y)).holds(1e-5)
    assert not model.certify(fitted_svc(case, X, y, C=2 * PRICE)).holds(1e-3)
    assert not case.state(y=y[::-1]).certify(fitted_svc(case, X, y)).holds(1e-3)


@pytest.mark.parametrize("kernel", KERNELS)
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
        cp.Minimize(0.5 * cp.sum_squares(w) + PRICE * cp.sum(xi) + term * cp.norm1(coefficients)),
        [cp.multiply(y, f + b) >= 1 - xi, cp.abs(cp.sum(f[:10])) <= 0.2, cp.norm1(coefficients) <= 0.9],
    )
    return float(problem.solve(solver=cp.CLARABEL))


@pytest.mark.parametrize("solver", ["clarabel", "scs", None])
@pytest.mark.parametrize("kernel", KERNELS)
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


@pytest.mark.parametrize("kernel", KERNELS)
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


@each_case
def test_extending_leaves_the_model_as_it_was(case: Case) -> None:
    model = case.state()
    before = model.solve("clarabel", tol=1e-8)
    count = len(model.problem.constraints)
    variable = model.problem.variables()[-1]
    extended = model.extend(cp.norm_inf(variable) <= 1e-3)
    assert (model.is_extended, extended.is_extended) == (False, True)
    assert len(model.problem.constraints) == count
    assert len(extended.problem.constraints) == count + 1
    assert model.solve("clarabel", tol=1e-8).objective == pytest.approx(before.objective, rel=1e-9, abs=1e-9)
    with pytest.raises(ExtendedModelError, match="multipliers of the added constraints are missing"):
        extended.certify(before)
    with pytest.raises(UnsupportedProgramError, match="since it was extended; choose a cone solver"):
        extended.solve("smo")
    assert "it was extended" in extended.refusal(find_solver("smo"))
    assert extended.refusal(find_solver("clarabel")) is None


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


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
@each_case
def test_contradicting_extension(case: Case, solver: str) -> None:
    model = case.state()
    entry = model.problem.variables()[-1]
    entry = entry[0] if entry.size > 1 else entry
    extended = model.extend((entry >= 2.0).set_label("floor"), (entry <= 1.0).set_label("ceiling"))
    with pytest.raises(InfeasibleError, match=r"contradict each other .* row 0 of '(floor|ceiling)'") as caught:
        extended.solve(solver)
    assert not isinstance(caught.value, InseparableError)
    assert caught.value.certificate.holds(1e-5)
    assert caught.value.multipliers.size == extended.lower().program.b.size


@each_case
def test_extension_with_names_already_taken(case: Case) -> None:
    """Names are for people: a variable or a label that occurs twice changes no answer."""
    model = case.state()
    plain = model.solve("clarabel", tol=1e-8)
    twin = cp.Variable(name="b")
    labels = [constraint.label for constraint in model.problem.constraints]
    extended = model.extend(*((twin >= k).set_label(label) for k, label in enumerate([*labels, "again"])))
    solution = extended.solve("clarabel", tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(plain.objective, rel=1e-6, abs=1e-6)
    assert solution.alpha == pytest.approx(plain.alpha, abs=1e-4)


def test_extension_that_is_not_convex() -> None:
    model = model_of(SoftMarginPrimal, "explicit")
    with pytest.raises(UnsupportedProgramError, match="not convex by CVXPY's rules"):
        model.extend(cp.sum_squares(model.w) >= 1).solve()


# --- export ---


@each_case
def test_exported_program_is_read_back(case: Case, tmp_path: Path) -> None:
    model = case.state()
    path = model.export(tmp_path / "program")
    assert path == tmp_path / "program.npz"
    written, read = model.lower().program, read_npz(path)
    for name in ("P", "A"):
        assert abs(getattr(written, name) - getattr(read, name)).sum() == 0
    for name in ("q", "b"):
        assert np.array_equal(getattr(written, name), getattr(read, name))
    for name in ("cones", "variables", "rows", "offset", "name"):
        assert getattr(written, name) == getattr(read, name)
    labels = {constraint.label for constraint in model.problem.constraints}
    assert labels <= {block.name for block in read.rows}
    outcome = find_solver("clarabel").solve(read, tol=1e-8)
    sign = -1.0 if isinstance(model.problem.objective, cp.Maximize) else 1.0
    assert sign * read.objective(outcome.point) == pytest.approx(model.solve().objective, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("case", [case for case in CERTIFIED_CASES if case.form is not HardMarginGeometric], ids=str)
def test_exported_program_is_a_problem_of_qpsolvers(case: Case, tmp_path: Path) -> None:
    model = case.state()
    problem = qpsolvers.Problem.load(str(model.export(tmp_path / "program.npz")))
    found = qpsolvers.solve_problem(problem, solver="piqp")
    assert found.found
    value = 0.5 * found.x @ problem.P @ found.x + problem.q @ found.x + read_npz(tmp_path / "program.npz").offset
    assert value == pytest.approx(model.solve("smo", tol=1e-10).objective, rel=1e-5)


# --- separation ---


@pytest.mark.parametrize("kernel", KERNELS)
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


@pytest.mark.parametrize("kernel", KERNELS)
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


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("form", FORMULATIONS)
def test_weights_and_coefficients_are_the_same_with_the_linear_kernel(form: type, solver: str) -> None:
    case = Case(form, "explicit")
    X, y = case.data()
    prices = {"C": PRICE} if case.is_soft else {}
    route = solver if case.is_kernel_qp else "clarabel"
    with_weights = form(X, y, **prices).solve(route, tol=1e-8)
    with_coefficients = form(X, y, Linear(), **prices).solve(route, tol=1e-8)
    assert with_coefficients.objective == pytest.approx(with_weights.objective, rel=1e-7, abs=1e-9)
    if case.is_kernel_qp:
        assert with_coefficients.function(X) == pytest.approx(with_weights.function(X), abs=1e-4)
    else:
        assert np.array_equal(with_coefficients.function.predict(X), with_weights.function.predict(X))


@pytest.mark.parametrize("form", [SoftMarginPrimal, SoftMarginHinge, HardMarginPrimal, HardMarginGeometric])
def test_variables_go_by_the_name_of_the_textbook(form: type) -> None:
    explicit, kernel = model_of(form, "explicit"), model_of(form, "rbf")
    assert (explicit.w.shape, kernel.u.shape, kernel.beta.shape) == ((3,), (30,), (30,))
    with pytest.raises(AttributeError, match="leave the kernel out for w"):
        _ = kernel.w
    with pytest.raises(AttributeError, match="pass a kernel for beta"):
        _ = explicit.beta
    with pytest.raises(AttributeError, match="pass a kernel for u"):
        _ = explicit.u


# --- answers that once went wrong ---


def test_an_extended_hinge_reads_its_own_multipliers() -> None:
    hinge, primal = model_of(SoftMarginHinge, "explicit"), model_of(SoftMarginPrimal, "explicit")
    for extend in (
        lambda model: model.extend(objective=cp.sum_squares(model.b - 1)),
        lambda model: model.extend((model.b * np.ones(3) <= 7).set_label("auxiliary rows")),
    ):
        one, other = extend(hinge).solve("clarabel", tol=1e-8), extend(primal).solve("clarabel", tol=1e-8)
        assert one.alpha == pytest.approx(other.alpha, abs=1e-4)


def test_a_changed_price_leaves_no_answer_behind() -> None:
    model = model_of(SoftMarginDual, "rbf")
    model.solve("smo")
    model.set_params(C=7.0)
    assert model.problem.status is None


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("form", [SoftMarginPrimal, SoftMarginHinge, SoftMarginDual])
def test_a_kernel_that_is_zero_leaves_only_the_intercept(form: type, solver: str) -> None:
    model = form(np.arange(5), [1, 1, 1, -1, -1], Precomputed(np.zeros((5, 5))))
    solution = model.solve(solver)
    assert solution.status is Status.OPTIMAL
    assert abs(solution.objective) == pytest.approx(4.0, rel=1e-6)
