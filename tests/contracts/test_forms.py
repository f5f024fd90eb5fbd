# SPDX-License-Identifier: BSD-3-Clause
"""The contract of every formulation: its answer, multipliers, proof, extension and export."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import clarabel
import cvxpy as cp
import numpy as np
import pytest
import qpsolvers

import formulations
from builders import two_classes
from file_programs import assert_same
from formulations import (
    KernelRidge,
    LeastSquares,
    LeastSquaresFit,
    LinearProgramMachine,
    MarginLossClassifier,
    OneClass,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SoftTube,
)
from formulations.losses import LogisticLoss
from formulations.modelling import Dual, Primal
from formulations.modelling.ball import BallModel
from formulations.modelling.cards import statement_of_form
from formulations.models.classification.logistic import LogisticDual, LogisticPenalised, LogisticPrimal
from formulations.models.classification.margin_loss import MarginLossDual, MarginLossPrimal
from formulations.models.classification.margins.hard_margin import HardMarginGeometric, HardMarginPrimal
from formulations.models.classification.margins.soft_margin import SoftMarginHinge
from formulations.models.classification.norm_constrained import (
    NormConstrainedClassifierDual,
    NormConstrainedClassifierPrimal,
)
from formulations.models.regression.huber import HuberPrimal
from formulations.models.regression.linear_fits import (
    ChebyshevFitDual,
    ChebyshevFitPrimal,
    LaplaceFitDual,
    LaplaceFitPrimal,
    LeastAbsoluteFitDual,
    LeastAbsoluteFitPrimal,
    LinearFit,
)
from formulations.models.regression.norm_constrained import NormConstrainedDual, NormConstrainedPrimal
from formulations.models.regression.quantile import QuantilePrimal
from formulations.models.regression.residual_loss import ResidualLossDual, ResidualLossPrimal
from formulations.models.regression.ridge.least_squares import LeastSquaresCentred, LeastSquaresSystem
from formulations.models.regression.tubes.penalised import PenalisedTubeLoss
from formulations.models.regression.tubes.soft import SoftTubeLoss
from formulations.models.regression.tubes.sparse_approximation import SparseApproximationL1
from handed_out import HandedOut
from model_data import (
    CASES,
    CERTIFIED_CASES,
    EXAMPLES,
    FIRST_CASES,
    FORMS,
    KERNELS,
    MODEL_CASES,
    MODELS,
    ROUTES,
    SHARP,
    Case,
    coefficients_of,
    lagrangian,
    loosely_solved,
    measured,
    model_of,
    multipliers_of,
    partner,
    restored,
    solved,
)
from qpkernels.errors import InfeasibleError, InseparableError, NonconvexError, UnsupportedProgramError
from qpkernels.files import FORMATS
from qpkernels.files import read as read_program
from qpkernels.files import write as write_program
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Linear
from qpkernels.problems import Certificate, ConeProgram, Power, Status
from qpkernels.solvers import find_solver
from together import together

each_case = together("case", CASES, by=model_of)
each_first_case = together("case", FIRST_CASES, by=model_of)
each_model_case = together("case", MODEL_CASES, by=model_of)
each_route = together("case, solver", ROUTES, by=model_of)

EQUATIONS = (LeastSquaresCentred, LeastSquaresSystem)
"""Forms that state optimality conditions as equations: their objective is 0, and no multiplier means anything."""


def sign_of(problem: cp.Problem) -> float:
    return -1.0 if isinstance(problem.objective, cp.Maximize) else 1.0


def test_every_model_has_an_example() -> None:
    assert len(MODELS) >= 27
    assert len(FORMS) >= 58
    assert set(EXAMPLES) == set(MODELS)
    classes = {form for _, _, form in FORMS}
    assert len({form.__name__ for form in classes}) == len(classes)
    for model in MODELS:
        for example in EXAMPLES[model]:
            assert set(example.others) == set(model.entry.names)
            assert set(example.others) <= set(example.parameters)
            assert example.kernels[0] == "explicit"
            assert len(example.kernels) == 2


def test_every_form_is_reached_by_its_model_and_shallow() -> None:
    """Whoever asks where a value comes from is sent through few files."""
    for _, _, form in FORMS:
        assert form.__name__ not in formulations.__all__
        assert len(form.__mro__) <= 6, form.__mro__


# --- the answer ---


@each_route
def test_the_answer_is_proved(case: Case, solver: str) -> None:
    form, solution = solved(case, solver)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(SHARP[solver])
    assert (solution.formulation, solution.solver) == (case.form_class.__name__, solver)
    assert solution.certificate.asked == SHARP[solver]
    assert solution.objective == pytest.approx(float(form.problem.objective.value), rel=1e-7, abs=1e-7)
    assert form.problem.status == cp.OPTIMAL
    assert abs(solution.objective) > 0.01 or (case.model is Separability or case.form_class in EQUATIONS)
    assert "optimal" in str(solution)


@each_case
def test_the_best_solver_is_chosen(case: Case) -> None:
    solution = case.state().solve()
    assert solution.solver == case.chosen
    assert solution.status is Status.OPTIMAL


OTHERS = [case for case in FIRST_CASES if case.model is not Separability and case.form_class not in EQUATIONS]


@together("case", OTHERS, by=model_of)
def test_another_back_end_finds_the_same(case: Case) -> None:
    form = case.state()
    solver = "piqp" if form.lower().program.is_quadratic else "scs"
    solution = form.solve(solver)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(solved(case, "clarabel")[1].objective, rel=3e-5)


SCALED = ("PenalisedTubeLoss", "LogisticPenalised", "KernelRidgePrimal")
"""The forms with a mean loss: their value is 2 lambda/m times that of their dual."""


def model_value(form: Any, solution: Any) -> float:
    """Return the optimal value in the scale and sign of the model, by the relations of the docstrings."""
    value = solution.objective
    if isinstance(form, EQUATIONS):
        # Both state the least squares with a cost.
        squares = float(solution.residuals @ solution.residuals)
        return 0.5 * solution.function.squared_norm + 0.5 * float(form.model.C.value) * squares
    if isinstance(form, HardMarginGeometric):
        return 0.5 / value**2
    if type(form).__name__ in SCALED:
        return value * len(form.model) / (2 * float(form.model.regularisation.value))
    return -value if isinstance(form, Dual) and isinstance(form.problem.objective, cp.Minimize) else value


@each_route
def test_the_partner_has_the_value_that_duality_says(case: Case, solver: str) -> None:
    form, mine = solved(case, solver)
    other, theirs = solved(case.partner, "clarabel")
    assert theirs.status is Status.OPTIMAL
    assert form.objective_of(theirs.certificate) == pytest.approx(mine.objective, rel=1e-6, abs=1e-9)
    assert model_value(other, theirs) == pytest.approx(model_value(form, mine), rel=1e-6, abs=1e-9)
    assert type(partner(form)) is type(other)
    assert partner(form).model is form.model


WITHOUT_FACTOR = (*EQUATIONS, HardMarginGeometric)
"""Forms whose value is no multiple of that of their model: none at all, and its inverse root."""


@each_case
def test_the_stated_factor_is_what_the_values_are_of_each_other(case: Case) -> None:
    """The value of the form by CVXPY, that of the model by NumPy from what the solution hands out."""
    form, solution = solved(case, "clarabel")
    value = HandedOut(form.model, solution).primal_value
    assert (solution.scale.objective, solution.scale.formula) == (form.scale.objective, form.factor_formula)
    assert solution.scale.factor == pytest.approx(form.factor, rel=0, abs=0, nan_ok=True)
    if isinstance(form, WITHOUT_FACTOR):
        assert np.isnan(form.factor)
        assert form.scale.times == ""
    else:
        assert float(form.problem.objective.value) == pytest.approx(form.factor * value, rel=1e-6, abs=1e-9)
        assert form.scale.times.endswith(f"{form.factor:.4g}")
    # A factor that changes with the numbers of the model has a formula.
    assert bool(form.factor_formula) == (abs(form.factor) != 1.0 and not isinstance(form, WITHOUT_FACTOR))
    stated = statement_of_form(form)
    assert form.scale.objective == (stated.objective if stated.text.startswith(("min", "max")) else "")


@together("case", MODEL_CASES)
def test_a_model_counts_in_the_scale_that_it_states(case: Case) -> None:
    model = case.state_model()
    solution = model.solve(tol=1e-9)
    assert model.scale.factor == 1.0
    assert (model.scale.objective == "") == (case.model is Separability)
    if solution.formulation == model.name:
        assert solution.scale == model.scale
        value = HandedOut(model, solution).primal_value
        assert solution.objective == pytest.approx(value, rel=1e-6, abs=1e-9)
    # The textbook's own scale is another where it divides by m, and there the model says which it has.
    scaled = [form for form in model.forms.values() if form.factor_formula]
    assert bool(model.entry.counts) == bool(scaled)
    assert all(form.scale.objective != model.scale.objective for form in scaled)


@each_case
def test_cvxpy_itself_finds_the_same_value(case: Case) -> None:
    form = case.state()
    assert type(form.problem) is cp.Problem
    value = form.problem.solve(solver=cp.CLARABEL)
    for solver in case.routes:
        assert value == pytest.approx(solved(case, solver)[1].objective, rel=1e-6, abs=1e-7), solver


@each_case
def test_all_routes_find_the_same_function(case: Case) -> None:
    X = case.data()[0]
    grid = np.vstack([X, np.random.default_rng(0).normal(size=(20, X.shape[1]))])
    theirs = solved(case, "clarabel")[1]
    for solver in case.routes:
        ours = solved(case, solver)[1]
        assert theirs.function(grid) == pytest.approx(ours.function(grid), abs=1e-4)
        assert theirs.intercept == pytest.approx(ours.intercept, abs=1e-5)
        assert theirs.support.indices.tolist() == ours.support.indices.tolist()
        assert theirs.support.bounded.tolist() == ours.support.bounded.tolist()
        assert (theirs.n_support, theirs.sparsity) == (ours.n_support, ours.sparsity)


@each_case
def test_the_partner_finds_the_same_function(case: Case) -> None:
    if case.model is Separability:
        return
    X = case.data()[0]
    ours, theirs = solved(case, case.routes[0])[1], solved(case.partner, "clarabel")[1]
    assert theirs.function(X) == pytest.approx(ours.function(X), abs=1e-4)
    assert theirs.support.indices.tolist() == ours.support.indices.tolist()


@each_route
def test_multipliers_are_the_coefficients_of_the_function(case: Case, solver: str) -> None:
    """f = sum beta_j k(x_j, .): beta comes from the multipliers of a primal form, f from its variables."""
    form, solution = solved(case, solver)
    K = form.model.gram.kernel(form.model.gram.X)
    f = solution.decision - solution.intercept
    size = max(1.0, float(np.abs(f).max()))
    assert solution.function(form.model.gram.X) == pytest.approx(solution.decision, abs=1e-9 * size)
    if case.model is Separability:
        return
    if isinstance(form.model, LinearFit):
        # There beta are the multipliers of the residuals, orthogonal to every function of the space.
        assert K @ solution.beta == pytest.approx(0 * f, abs=1e-6 * np.abs(K).max() * np.abs(solution.beta).max())
        assert float(form.model.y @ solution.beta) == pytest.approx(
            (2.0 if isinstance(form.model, LeastSquaresFit) else 1.0) * solution.certificate.dual_value, rel=1e-6
        )
    elif isinstance(form.model, BallModel):
        # There they are the multipliers of the losses, and 2 lambda times as large.
        multiple = 2 * form.model.regularisation_of(solution.beta) * f
        assert K @ solution.beta == pytest.approx(multiple, abs=1e-5 * float(np.abs(multiple).max()))
    else:
        # Two answers that differ by h in the space of the kernel have a gap of at least 1/2 ||h||^2.
        close = np.sqrt(2 * SHARP[solver] * abs(solution.certificate.primal_value) * np.diag(K).max())
        assert K @ solution.beta == pytest.approx(f, abs=1e-6 * size + close)
        assert solution.function.squared_norm == pytest.approx(float(solution.beta @ f), rel=1e-4, abs=1e-8)
    if not case.intercept or not form.model.fit_intercept:
        assert solution.intercept == 0.0
    elif not isinstance(form.model, LinearProgramMachine):
        total = 1.0 if isinstance(form.model, OneClass) else 0.0
        assert float(solution.beta.sum()) == pytest.approx(total, abs=1e-7 * np.abs(solution.beta).sum())


@each_route
def test_a_solution_is_certified_again_as_it_was(case: Case, solver: str) -> None:
    form, solution = solved(case, solver)
    again = form.model.certify(solution)
    assert_no_worse(again, solution.certificate)
    if case.model is not Separability:
        assert again.holds(10 * SHARP[solver])
        assert again.primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-7)
        assert form.objective_of(again) == pytest.approx(solution.objective, rel=1e-6, abs=1e-9)


@each_first_case
def test_a_loose_solution_is_certified_again_as_it_was(case: Case) -> None:
    form, solution = loosely_solved(case)
    assert_no_worse(form.model.certify(solution), solution.certificate)


def assert_no_worse(again: Certificate, certificate: Certificate) -> None:
    """A fit may find multipliers that prove more; nothing else may differ but by rounding."""
    size = max(abs(certificate.primal_value), abs(certificate.dual_value))
    assert again.primal_value == pytest.approx(certificate.primal_value, rel=1e-9, abs=1e-9)
    assert again.dual_value >= certificate.dual_value - 1e-8 * size - 1e-9
    for measure in ("relative_gap", "primal_residual", "dual_residual", "complementarity"):
        assert getattr(again, measure) <= 1.001 * getattr(certificate, measure) + 1e-8


# --- an answer that is not exact ---


@together("case", OTHERS, by=model_of)
def test_the_objective_is_the_one_that_was_certified(case: Case) -> None:
    form, solution = loosely_solved(case)
    assert solution.objective == form.objective_of(solution.certificate)
    assert (form.problem.status == cp.OPTIMAL) == (solution.status is Status.OPTIMAL)
    form = case.state()
    stopped = form.solve("scs", tol=1e-14, max_iter=10)
    assert stopped.objective == form.objective_of(stopped.certificate)
    assert (stopped.status, form.problem.status) == (Status.STOPPED, cp.OPTIMAL_INACCURATE)


SHOWN = [case for case in CASES if case.form_class not in EQUATIONS]


@together("case", SHOWN, by=model_of)
def test_the_variables_hold_the_point_that_was_certified(case: Case) -> None:
    form, solution = loosely_solved(case)
    # Where no point near by meets the hard constraints, the certificate says so.
    allowed = 1e-9 if solution.certificate.uncounted == 0.0 else np.inf
    for constraint in form.problem.constraints:
        value = np.ravel(constraint.expr.value)
        equation = isinstance(constraint, cp.constraints.Zero | cp.constraints.Equality)
        assert max(np.abs(value) if equation else value) <= allowed
    assert form.problem.value == pytest.approx(solution.objective, rel=1e-9, abs=1e-9)


def test_what_another_form_was_solved_for_leaves_no_old_multipliers() -> None:
    X, y = two_classes(20)

    class Unknown(LogisticLoss):
        """A loss that says no more of itself than it must: not the multipliers of its ends."""

        def _value(self, t: np.ndarray) -> np.ndarray:
            return super()._value(t)

    model = MarginLossClassifier(X, y, RBF(0.5), loss=Unknown(), C=1.0)
    model.dual.solve("clarabel")
    assert model.dual.constraint("upper").dual_value is not None
    model.set_params(C=3.0)
    solution = model.primal.solve("clarabel")
    assert model.dual.problem.value == pytest.approx(solution.certificate.dual_value, rel=1e-9)
    assert model.dual.constraint("upper").dual_value is None


@pytest.mark.parametrize("sense", [cp.Minimize, cp.Maximize])
def test_the_objective_of_an_extended_form_is_the_one_that_was_certified(sense: Any) -> None:
    X, y = two_classes(40)
    model = SoftMargin(X, y, RBF(0.5), C=1.0) if sense is cp.Minimize else ResidualLossRegression(X, y, RBF(0.5))
    form = model.dual.extend(model.dual.beta <= 0.7)
    solution = form.solve("scs", tol=1e-14, eps_abs=1e-3, eps_rel=1e-3)
    assert type(form.problem.objective) is sense
    assert solution.objective == (1.0 if sense is cp.Minimize else -1.0) * solution.certificate.primal_value
    assert form.problem.status == cp.OPTIMAL_INACCURATE


# --- the multipliers of the declared problem ---


@each_route
def test_kkt_of_the_declared_problem(case: Case, solver: str) -> None:
    """Feasible, signs right, complementary; and no move of the variables lowers the Lagrangian."""
    form, _ = solved(case, solver)
    problem = form.problem
    for constraint in problem.constraints:
        assert constraint.label
        value = np.asarray(constraint.expr.value)
        if isinstance(constraint, cp.constraints.Zero | cp.constraints.Equality):
            assert np.abs(value).max() <= (1e-6 if case.form_class in EQUATIONS else 1e-7)
        else:
            assert value.max() <= 1e-6
        if case.form_class in EQUATIONS:
            continue
        multiplier = np.asarray(constraint.dual_value)
        assert multiplier.dtype == np.float64, f"{constraint.label} has no multiplier"
        assert multiplier.size == value.size
        if not isinstance(constraint, cp.constraints.Zero | cp.constraints.Equality):
            assert multiplier.min() >= -1e-6
            assert np.abs(np.ravel(multiplier) * np.ravel(value)).max() <= 1e-6
    if case.form_class in EQUATIONS:
        return
    rng = np.random.default_rng(3)
    lowest = lagrangian(problem)
    with restored(problem) as here:
        for _ in range(2):
            move = {variable: rng.normal(size=value.shape) for variable, value in here.items()}
            # Where the Lagrangian has a slope along a move, it falls there or on the way back.
            for step in (1e-4, -1e-4, 1e-3, -1e-3, 1e-2, -1e-2, 1.0, -1.0):
                for variable, value in here.items():
                    variable.value = value + step * move[variable]
                assert lagrangian(problem) >= lowest - 1e-6 * (1e-1 + abs(step))


@each_case
def test_lowered_blocks_keep_their_names(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    program = form.lower().program
    variables = {block.name: block for block in program.variables}
    rows = {block.name: block for block in program.rows}
    assert len(variables) == len(program.variables)
    assert len(rows) == len(program.rows)
    declared = {variable.name(): variable.size for variable in form.problem.variables()}
    labelled = {constraint.label: constraint.size for constraint in form.problem.constraints}
    assert len(declared) == len(form.problem.variables())
    assert len(labelled) == len(form.problem.constraints)
    cones = ("norm", "unit")  # rows that the reduction writes anew
    for blocks, names in ((variables, declared), (rows, labelled)):
        for name, size in names.items():
            if name not in cones:
                assert blocks[name].stop - blocks[name].start == size
        assert all(name.startswith("auxiliary ") for name in blocks.keys() - names.keys())
    outcome = find_solver("clarabel").solve(program, tol=1e-8)
    for name, multiplier in multipliers_of(form.problem).items():
        if name in rows and outcome.multipliers[rows[name].range].size == multiplier.size:
            assert outcome.multipliers[rows[name].range] == pytest.approx(np.ravel(multiplier), abs=1e-4)
    assert sign_of(form.problem) * program.objective(outcome.point) == pytest.approx(solution.objective, abs=1e-5)


# --- the function ---


@each_case
def test_the_function_takes_new_samples(case: Case) -> None:
    X = case.data()[0]
    solution = solved(case, "clarabel")[1]
    assert solution.function(X[4:6]) == pytest.approx(solution.function(X)[4:6], abs=1e-12)
    assert solution.function.intercept == solution.intercept
    if "y" not in case.has or case.is_regression:
        assert np.array_equal(solution.function.predict(X), solution.function(X))
    else:
        assert set(solution.function.predict(X).tolist()) == {-1, 1}


@each_case
def test_the_function_is_saved(case: Case, tmp_path: Path) -> None:
    X = case.data()[0]
    function = solved(case, "clarabel")[1].function
    loaded = Expansion.load(function.save(tmp_path / "function"))
    assert np.array_equal(loaded(X), function(X))
    assert np.array_equal(loaded.predict(X), function.predict(X))
    assert (loaded.kernel, loaded.intercept) == (function.kernel, function.intercept)


NAMES = [(3, 7), (False, True), ("ham", "spam"), (-1.5, 2.5)]
CLASSIFIERS = [case for case in FIRST_CASES if "y" in case.has and not case.is_regression]


@pytest.mark.parametrize(("negative", "positive"), NAMES, ids=["int", "bool", "str", "float"])
@together("case", CLASSIFIERS)
def test_predictions_are_the_labels_that_came(case: Case, negative: Any, positive: Any) -> None:
    X, signs = case.data()
    y = np.array([positive if sign > 0 else negative for sign in signs])
    solution = case.state(y=y).solve()
    predicted = solution.function.predict(X)
    assert predicted.dtype == y.dtype
    assert set(predicted.tolist()) == {negative, positive}
    decision = solution.function(X)
    assert np.array_equal(predicted, np.where(decision > 0, y[signs > 0][0], y[signs < 0][0]))
    assert np.mean(predicted == y) >= 0.7
    assert solution.objective == pytest.approx(solved(case, "clarabel")[1].objective, rel=1e-5, abs=1e-9)


@each_first_case
def test_weights_and_coefficients_are_the_same_with_the_linear_kernel(case: Case) -> None:
    X, *targets = case.data()
    with_weights = solved(case, "clarabel")[1]
    for solver in case.routes:
        form = getattr(case.model(X, *targets, Linear(), **case.example.parameters), case.form)
        with_coefficients = form.solve(solver, tol=1e-8 if solver == "clarabel" else 1e-9)
        assert with_coefficients.status is Status.OPTIMAL
        assert with_coefficients.objective == pytest.approx(with_weights.objective, rel=1e-7, abs=1e-9)
        if case.model is Separability:
            assert np.array_equal(with_coefficients.function.predict(X), with_weights.function.predict(X))
        else:
            assert with_coefficients.function(X) == pytest.approx(with_weights.function(X), abs=1e-4)


@together("case", [case for case in FIRST_CASES if issubclass(case.form_class, Primal)])
def test_variables_go_by_the_name_of_the_textbook(case: Case) -> None:
    explicit, kernel = case.state(), replace(case, kernel=case.example.kernels[1]).state()
    samples, features = explicit.model.gram.X.shape
    assert explicit.w.shape == (features,)
    assert kernel.u.shape == (kernel.model.gram.factor.shape[1],)
    assert kernel.beta.shape == (samples,)
    with pytest.raises(AttributeError, match="leave the kernel out for w"):
        _ = kernel.w
    with pytest.raises(AttributeError, match="pass a kernel for beta"):
        _ = explicit.beta
    with pytest.raises(AttributeError, match="pass a kernel for u"):
        _ = explicit.u


# --- hyper-parameters ---

SWEEPS = [(case, name) for case in FIRST_CASES for name in case.example.others]


@together("case, name", SWEEPS, by=model_of)
def test_sweeping_is_stating_new_models(case: Case, name: str) -> None:
    form = case.state()
    compiled = form.problem
    for value in case.example.others[name]:
        assert form.model.set_params(**{name: value}) is form.model
        assert np.array_equal(getattr(form.model, name).value, np.broadcast_to(value, getattr(form.model, name).shape))
        assert form.problem is compiled
        fresh = case.state(**{name: value})
        # What is solved without the declaration is one program, whichever solver gets it.
        for solver in dict.fromkeys((case.routes[0], "clarabel")):
            swept, stated = form.solve(solver, tol=1e-8), fresh.solve(solver, tol=1e-8)
            assert swept.objective == pytest.approx(stated.objective, rel=1e-9, abs=1e-12)
            assert swept.beta == pytest.approx(stated.beta, abs=1e-6)
        through = partner(form).solve("clarabel", tol=1e-8)
        assert form.objective_of(through.certificate) == pytest.approx(stated.objective, rel=1e-6, abs=1e-9)


@together("case, name", SWEEPS, by=model_of)
def test_a_changed_number_leaves_no_answer_behind(case: Case, name: str) -> None:
    # What a solver of cone programs has written is CVXPY's own, which keeps it.
    for solver in (each for each in case.routes if ConeProgram not in find_solver(each).programs):
        form = case.state()
        form.solve(solver)
        form.model.set_params(**{name: case.example.others[name][0]})
        assert form.problem.status is None


@each_case
def test_the_problem_compiles_once(case: Case) -> None:
    assert case.state().problem.is_dcp(dpp=True)


@each_case
def test_attributes_cannot_be_replaced(case: Case) -> None:
    form = case.state()
    assert form.problem is form.problem
    for frozen in (form, form.model):
        for name in (*vars(frozen), "anything"):
            with pytest.raises(AttributeError, match=f"a {frozen.name} is frozen, so '{name}' cannot be set"):
                setattr(frozen, name, 3.0)


@each_case
def test_the_solution_is_frozen(case: Case) -> None:
    solution = solved(case, "clarabel")[1]
    with pytest.raises(FrozenInstanceError):
        solution.objective = 0.0
    for array in (solution.beta, solution.decision, solution.function.coefficients, solution.function.centers):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@together("case", CERTIFIED_CASES, by=model_of)
def test_limits_and_warm_start(case: Case) -> None:
    form = case.state()
    cold = form.solve("smo", tol=1e-10)
    stopped = form.solve("smo", tol=1e-10, max_iter=2)
    assert stopped.status is Status.STOPPED
    assert stopped.iterations == 2
    assert stopped.certificate.relative_gap > 1e-3
    for start in (cold, cold.beta):
        warm = form.solve("smo", tol=1e-10, warm_start=start)
        assert warm.status is Status.OPTIMAL
        assert warm.iterations <= cold.iterations
        assert warm.objective == pytest.approx(cold.objective, rel=1e-9, abs=1e-12)
        # One step from the answer is the answer, one step from 0 is not.
        assert form.solve("smo", tol=1e-10, max_iter=1, warm_start=start).status is Status.OPTIMAL


def test_a_sweep_starts_from_the_bounds_of_the_next_problem() -> None:
    X, y = two_classes(600, shift=0.3, features=4)
    form = SoftMargin(X, y, RBF(0.3), C=0.5).dual
    before = form.solve("smo")
    form.model.set_params(C=1.0)
    gaps = [
        form.solve("smo", max_iter=100, warm_start=start).certificate.relative_gap
        for start in (before, before.beta, None)
    ]
    assert before.support.bounded.size > 100
    assert gaps[0] < 0.5 * gaps[1] < 0.5 * gaps[2]
    assert form.solve("smo", warm_start=before).objective == pytest.approx(form.solve("smo").objective, rel=1e-6)


# --- certify ---

SEPARATED = [case for case in CASES if case.model is not Separability]


@together("case", SEPARATED, by=model_of)
def test_a_pair_of_coefficients_and_intercept_is_certified(case: Case) -> None:
    form, solution = solved(case, case.routes[0])
    beta = coefficients_of(form, solution)
    for pair in ((beta, solution.intercept), (beta.tolist(), solution.intercept)):
        certificate = form.model.certify(pair)
        assert certificate.holds(1e-6), certificate
        assert certificate.primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-6)


@together("case", SEPARATED, by=model_of)
def test_wrong_answers_are_not_certified(case: Case) -> None:
    form, solution = solved(case, case.routes[0])
    beta, b = coefficients_of(form, solution), solution.intercept
    bent = beta * (1 + 0.1 * np.random.default_rng(1).normal(size=len(form.model)))
    undefined = np.where(np.arange(len(form.model)) == 4, np.nan, beta)
    wrong = [(bent, b), (-beta, -b), (0 * beta, b), (1.1 * beta, b)]
    nothing = [(undefined, b), (np.full(len(form.model), np.inf), b)]
    if form.model.fit_intercept:
        wrong.append((beta, b + 0.1))
        nothing += [(beta, np.nan), (beta, np.inf)]
    optimum = solution.certificate.primal_value
    for answer in wrong:
        certificate = form.model.certify(answer)
        assert not certificate.holds(1e-4), answer
        assert max(certificate.relative_gap, certificate.primal_residual, certificate.dual_residual) > 1e-4
        if certificate.primal_residual == 0:
            assert certificate.primal_value >= optimum - 1e-6 * abs(optimum)
            assert certificate.dual_value <= optimum + 1e-6 * abs(optimum)
    for answer in nothing:
        assert not form.model.certify(answer).holds(1e300)


# --- extension ---


def a_variable(form: Any) -> cp.Variable:
    return form.problem.variables()[-1]


@each_first_case
def test_extending_leaves_the_model_as_it_was(case: Case) -> None:
    form = case.state()
    before = form.solve("clarabel", tol=1e-8)
    count = len(form.problem.constraints)
    extended = form.extend(cp.norm_inf(a_variable(form)) <= 1e-3)
    assert (form.is_extended, extended.is_extended) == (False, True)
    assert len(form.problem.constraints) == count
    assert len(extended.problem.constraints) == count + 1
    assert form.solve("clarabel", tol=1e-8).objective == pytest.approx(before.objective, rel=1e-9, abs=1e-9)
    with pytest.raises(UnsupportedProgramError, match="since it was extended; choose a cone solver"):
        extended.solve("smo")
    assert "it was extended" in extended.refusal(find_solver("smo"))
    assert extended.refusal(find_solver("clarabel")) is None


@together("case", OTHERS, by=model_of)
def test_an_extended_model_is_certified_by_its_cones(case: Case) -> None:
    """A bound a little below the largest entry of the answer, and a further term: the optimum gets worse."""
    answer, plain = solved(case, "clarabel")
    largest = max(answer.problem.variables(), key=lambda variable: np.abs(variable.value).max())
    cap = 0.99 * float(np.abs(largest.value).max())
    form = case.state()
    (variable,) = (variable for variable in form.problem.variables() if variable.name() == largest.name())
    sign = sign_of(form.problem)
    extended = form.extend((cp.norm_inf(variable) <= cap).set_label("cap"))
    if case.form_class is HardMarginPrimal:
        # The margin leaves no room.
        with pytest.raises(InfeasibleError, match="'cap'"):
            extended.solve()
        extended, cap = form, np.inf
    extended = extended.extend(objective=0.05 * sign * cp.sum_squares(variable))
    solution = extended.solve()
    assert solution.solver == "clarabel"
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-6)
    assert np.abs(variable.value).max() <= cap * (1 + 1e-6)
    assert sign * solution.objective > sign * plain.objective + 1e-5 * abs(plain.objective)
    assert sign * solution.certificate.primal_value == pytest.approx(solution.objective, rel=1e-6)
    assert extended.problem.solve(solver=cp.CLARABEL) == pytest.approx(solution.objective, rel=1e-5)


@together("case", [case for case in FIRST_CASES if case.form_class in EQUATIONS])
def test_extended_equations_are_not_solved_as_they_were(case: Case) -> None:
    form = case.state()
    b = solved(case, "clarabel")[1].intercept
    loose = form.extend((form.b >= b - 1.0).set_label("bound"), objective=cp.square(form.b)).solve()
    assert loose.solver == "clarabel"
    assert loose.status is Status.OPTIMAL
    assert loose.objective == pytest.approx(b**2, rel=1e-6)
    with pytest.raises(InfeasibleError, match="contradict each other"):
        form.extend(form.b >= b + 1.0).solve()


def contradicting(case: Case) -> Any:
    """Return the form with a variable that is at least 2e-3 and at most 1e-3, which contradicts nothing else."""
    form = case.state()
    entry = a_variable(form)
    entry = entry[0] if entry.size > 1 else entry
    return form.extend((entry >= 2e-3).set_label("floor"), (entry <= 1e-3).set_label("ceiling"))


CONTRADICTED = [(case, "clarabel") for case in FIRST_CASES] + [(case, "scs") for case in MODEL_CASES]


@together("case, solver", CONTRADICTED, by=model_of)
def test_contradicting_extension(case: Case, solver: str) -> None:
    extended = contradicting(case)
    # A slope that the textbook bounds by 0 contradicts the floor alone.
    named = ".*" if case.form_class in EQUATIONS else r".*'(floor|ceiling)'"
    with pytest.raises(InfeasibleError, match=f"contradict each other {named}") as caught:
        extended.solve(solver)
    assert not isinstance(caught.value, InseparableError)
    assert caught.value.certificate.holds(1e-5)
    assert caught.value.multipliers.size == extended.lower().program.b.size


@each_model_case
def test_why_an_extension_contradicts_itself(case: Case) -> None:
    extended = contradicting(case)
    conflict, relaxation = extended.conflict(), extended.relaxation()
    assert conflict.is_irreducible
    # The textbook may leave no room for one of them already.
    assert {"'floor'", "'ceiling'"} & set(conflict.names)
    assert relaxation.is_proved
    assert relaxation.total >= 1e-3 * (1 - 1e-6)
    assert relaxation.lower_bound >= 1e-3 * (1 - 1e-6)


@each_model_case
def test_extension_with_names_already_taken(case: Case) -> None:
    """Names are for people: a variable or a label that occurs twice changes no answer."""
    plain = solved(case, "clarabel")[1]
    form = case.state()
    twin = cp.Variable(name="b")
    labels = [constraint.label for constraint in form.problem.constraints]
    extended = form.extend(*((twin >= k).set_label(label) for k, label in enumerate([*labels, "again"])))
    solution = extended.solve("clarabel", tol=1e-8)
    # Answers with power cones are judged as they come: nothing polishes them.
    power = any(isinstance(cone, Power) for cone in extended.lower().program.cones)
    assert solution.status is Status.OPTIMAL or (power and solution.certificate.holds(1e-5))
    assert solution.objective == pytest.approx(plain.objective, rel=1e-6, abs=1e-6)
    if case.model is not Separability:
        assert solution.function(form.model.gram.X) == pytest.approx(plain.function(form.model.gram.X), abs=1e-4)
        assert solution.beta == pytest.approx(plain.beta, abs=1e-4)


# --- export ---

WITH_EPIGRAPHS = {
    ChebyshevFitPrimal: "a largest entry",
    ChebyshevFitDual: "absolute values",
    HardMarginGeometric: "a norm",
    HuberPrimal: "absolute values",
    LaplaceFitPrimal: "absolute values",
    LaplaceFitDual: "a largest entry",
    LeastAbsoluteFitPrimal: "absolute values",
    LeastAbsoluteFitDual: "a largest entry",
    LogisticPrimal: "exponentials",
    LogisticPenalised: "exponentials",
    LogisticDual: "exponentials",
    MarginLossPrimal: "hinges or exponentials",
    NormConstrainedClassifierPrimal: "a norm, and losses of pieces",
    NormConstrainedClassifierDual: "a norm",
    NormConstrainedPrimal: "a norm, and powers",
    NormConstrainedDual: "a norm, and powers",
    PenalisedTubeLoss: "hinges",
    QuantilePrimal: "hinges",
    ResidualLossPrimal: "powers or exponentials",
    ResidualLossDual: "powers or exponentials",
    SoftMarginHinge: "hinges",
    SoftTubeLoss: "hinges",
    SparseApproximationL1: "absolute values",
}
"""Forms whose matrices have variables beside the declared ones, and what these are above."""


def has_epigraphs(case: Case) -> bool:
    logistic = case.form_class is MarginLossDual and case.label == "logistic"
    return logistic or case.form_class in WITH_EPIGRAPHS


@each_case
def test_the_exported_program_is_that_of_the_blackboard(case: Case) -> None:
    """It has the variables and the rows of the declaration and, where something has an epigraph, those of that."""
    form = case.state()
    program = form.matrices()
    declared = {variable.name(): variable.size for variable in form.problem.variables()}
    labelled = {constraint.label: constraint.size for constraint in form.problem.constraints}
    if isinstance(form, Dual) and form.is_system:
        unknowns = sum(declared.values())
        declared |= {"b": 1} if "balance" in labelled else {}
        labelled |= {"optimality": unknowns}
        assert program.P.nnz == 0
        assert not program.q.any()
        assert (program.A != program.A.T).nnz == 0
    blocks = {block.name: block.stop - block.start for block in program.variables}
    rows = {block.name: block.stop - block.start for block in program.rows}
    assert {name: size for name, size in blocks.items() if not name.startswith("auxiliary")} == declared
    assert any(name.startswith("auxiliary") for name in blocks) == has_epigraphs(case)
    assert labelled.keys() <= rows.keys()
    if not has_epigraphs(case):
        assert rows == labelled
    assert (program.P != program.P.T).nnz == 0
    assert (form.lower().program.P != form.lower().program.P.T).nnz == 0


# The program of CVXPY's lowering is written as any other: it is that of a form of each model.
EXPORTED = [(case, "textbook") for case in FIRST_CASES] + [(case, "lowered") for case in MODEL_CASES]


@together("case, structure", EXPORTED, by=model_of)
def test_the_exported_program_is_read_back_from_every_format(case: Case, structure: Any, tmp_path: Path) -> None:
    form = case.state()
    program = form.matrices(structure)
    assert form.export(tmp_path / "program", structure) == tmp_path / "program.npz"
    for suffix, each in FORMATS.items():
        path = tmp_path / f"program{suffix}"
        if program.is_quadratic or each.cones:
            assert_same(read_program(form.export(path, structure)), program)
        else:
            with pytest.raises(UnsupportedProgramError):
                form.export(path, structure)


WITH_INTERCEPT = [case for case in CASES if case.intercept]


def solved_elsewhere(path: Path) -> np.ndarray:
    """Return the optimum of a file that its readers solve without this project."""
    program = read_program(path)
    if program.is_quadratic:
        problem = qpsolvers.Problem.load(str(path))
        found = qpsolvers.solve_problem(problem, solver="piqp", eps_abs=1e-10, eps_rel=1e-10)
        assert found.found
        return found.x
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    return np.array(clarabel.load_from_file(str(write_program(program, path.with_suffix(".json"))), settings).solve().x)


@together("case", WITH_INTERCEPT, by=model_of)
def test_the_exported_program_has_the_optimum_of_the_form(case: Case, tmp_path: Path) -> None:
    """The values of its variables are put into the declaration, whose objective and constraints then say so."""
    form = case.state()
    path = form.export(tmp_path / "program.npz")
    x, program, problem = solved_elsewhere(path), read_program(path), form.problem
    found = {block.name: x[block.range] for block in program.variables}
    for variable in problem.variables():
        variable.value = found[variable.name()].reshape(variable.shape, order="F")
    answer = solved(case, "clarabel")[1]
    assert problem.objective.value == pytest.approx(answer.objective, rel=1e-5, abs=1e-7)
    for constraint in problem.constraints:
        assert np.max(constraint.violation()) <= 1e-6
    if isinstance(form, Dual) and form.is_system:
        assert program.objective(x) == 0.0
        assert found.get("b", 0.0) == pytest.approx(answer.intercept, rel=1e-6, abs=1e-6)
    else:
        assert sign_of(problem) * program.objective(x) == pytest.approx(answer.objective, rel=1e-5, abs=1e-7)


def test_the_matrices_of_a_tube_and_of_least_squares_by_hand() -> None:
    X, y = measured()
    kernel = RBF(0.5)
    K = kernel(X, X)
    tube = SoftTube(X, y, kernel, C=1.3, epsilon=0.25).dual.matrices()
    np.testing.assert_allclose(tube.P.toarray(), np.block([[K, -K], [-K, K]]), atol=1e-14)
    np.testing.assert_allclose(tube.q, np.concatenate([0.25 - y, 0.25 + y]), atol=1e-14)
    ones = np.ones((len(y), 1))
    bordered = LeastSquares(X, y, kernel, C=2.0).dual.matrices()
    expected = np.block([[K + np.eye(len(y)) / 2.0, ones], [ones.T, np.zeros((1, 1))]])
    np.testing.assert_allclose(bordered.A.toarray(), expected, atol=1e-14)
    assert bordered.b.tolist() == [*y.tolist(), 0.0]
    ridge = KernelRidge(X, y, kernel, regularisation=0.4).dual.matrices()
    np.testing.assert_allclose(ridge.A.toarray(), K + 0.4 * np.eye(len(y)), atol=1e-14)
    assert ridge.b.tolist() == y.tolist()


def test_an_extended_linear_system_is_written_as_the_program_that_it_is() -> None:
    X, y = measured()
    dual = LeastSquares(X, y, C=2.0).dual
    extended = dual.extend((dual.c <= 0.5).set_label("cap"))
    program = extended.matrices()
    assert [block.name for block in program.variables] == ["c"]
    assert {block.name for block in program.rows} == {"balance", "cap"}
    assert program.P.nnz == len(y) ** 2


# --- special cases of all ---


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_registry_names_kernels_that_exist(kernel: str) -> None:
    assert any(case.kernel == kernel for case in CASES)


def test_a_further_term_that_is_not_convex_is_refused_whatever_is_said_of_it() -> None:
    form = SoftMargin(*two_classes(20), C=1.0).primal
    term = cp.quad_form(form.w, cp.psd_wrap(np.diag([-3.0, 1.0])))
    with pytest.raises(
        NonconvexError, match=r"SoftMarginPrimal is not convex: the smallest eigenvalue of its P is -5 "
    ):
        form.extend(objective=term).solve("clarabel")
