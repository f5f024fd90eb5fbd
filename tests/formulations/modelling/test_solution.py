# SPDX-License-Identifier: BSD-3-Clause
"""What a solution says in the words of its model: samples explained, support, margins, tube, intercept, correction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import (
    ChebyshevFit,
    HardMargin,
    HardTube,
    Huber,
    Interpolation,
    KernelRidge,
    LeastAbsoluteFit,
    LeastSquares,
    LeastSquaresFit,
    LinearProgramMachine,
    Logistic,
    MarginLossClassifier,
    NuMargin,
    NuTube,
    OneClass,
    Quantile,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SoftTube,
)
from formulations.losses import EpsilonInsensitive
from formulations.modelling import Classification, Novelty, Regression, Stated
from model_data import (
    CASES,
    FIRST_CASES,
    KERNELS,
    ROUTES,
    SHARP,
    Case,
    coefficients_of,
    measured,
    model_of,
    overlapping,
    separable,
    solved,
    xor,
)
from qpkernels.errors import IndefiniteKernelError, ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed, Sigmoid
from qpkernels.problems import Status
from together import together

each_case = together("case", CASES, by=model_of)
each_route = together("case, solver", ROUTES, by=model_of)

DENSE = (
    "Logistic",
    "PenalisedLogistic",
    "LeastSquares",
    "KernelRidge",
    "Interpolation",
    "Chebyshev",
    "LeastAbsolute",
    "Laplace",
)
"""How the names of the models without support vectors begin."""


# --- one sample ---


@each_case
def test_every_sample_is_explained(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    conditions = solution.conditions
    for sample in range(len(form.model)):
        text = solution.explain(sample)
        assert text.startswith(f"sample {sample}: ")
        assert text.endswith(".")
        assert f"; coefficient {form.model.entry.coefficient} = {solution.beta[sample] + 0.0:.6g}" in text
        for formula, values in conditions.items():
            assert f"{formula} = {values[sample] + 0.0:.1e}" in text
    assert solution.explain(np.int64(2)) == solution.explain(2)


@each_case
def test_an_explanation_says_where_a_sample_stands(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    for sample in range(len(form.model)):
        text = solution.explain(sample)
        free, bounded = sample in solution.support.free, sample in solution.support.bounded
        if not (solution.n_support is not None):
            assert "support vector" not in text
        else:
            role = "a free support vector" if free else "a support vector at its bound" if bounded else "no support"
            assert role in text
        match solution:
            case Classification():
                assert text.startswith(f"sample {sample}: class {form.model.y[sample]:+g}, y (f(x) + b) = ")
                assert f" = {solution.margins[sample]:.6g} is " in text
                assert ("on the wrong side" in text) == (solution.margins[sample] < 0)
            case Regression():
                residual = f"residual r = y - f(x) - b = {solution.residuals[sample]:.6g}"
                assert f"target y = {form.model.y[sample]:.6g}, {residual}" in text
                inside = solution.epsilon > 0 and not free and not bounded
                assert ("inside the tube" in text) == inside
            case Novelty():
                assert f"f(x) - rho = {solution.decision[sample]:.6g} is " in text
                assert ("outside" in text) == bounded
    assert type(solution) in (Classification, Regression, Novelty)


@each_route
def test_the_optimality_conditions_vanish(case: Case, solver: str) -> None:
    form, solution = solved(case, solver)
    assert solution.conditions
    targets = 1.0 if "y" not in case.has else float(np.abs(form.model.y).max())
    size = max(1.0, float(np.abs(solution.beta).max())) * max(targets, float(np.abs(solution.decision).max()))
    for formula, values in solution.conditions.items():
        assert values.shape == (len(form.model),)
        assert np.abs(values).max() <= 1e-5 * size, formula


@each_case
def test_the_conditions_of_a_poor_answer_do_not_vanish(case: Case) -> None:
    if case.model is Separability:
        return
    form, solution = solved(case, "clarabel")
    bent = 1 + 0.3 * np.random.default_rng(1).normal(size=len(form.model))
    model = form.model
    candidate = model.candidate((bent * coefficients_of(form, solution), 0.5 * solution.intercept))
    worst = max(np.abs(values).max() for values in model.conditions(candidate).values())
    assert worst > 1e-3 * np.abs(solution.beta).max()


@each_case
def test_samples_that_do_not_exist(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    for sample in (len(form.model), -1, 1.0, True, "first", None):
        with pytest.raises(
            ParameterError, match=rf"number from 0 to {len(form.model) - 1}, but {re.escape(repr(sample))}"
        ):
            solution.explain(sample)


# --- support ---


@each_case
def test_support_and_sparsity(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    assert (solution.n_support is not None) == (not case.model.__name__.startswith(DENSE))
    if solution.n_support is not None:
        assert solution.n_support == len(solution.support) == solution.support.free.size + solution.support.bounded.size
        assert solution.sparsity == pytest.approx(1 - len(solution.support) / len(form.model), abs=1e-15)
        assert f"{solution.n_support} support vectors" in str(solution)
    else:
        assert (solution.n_support, solution.sparsity) == (None, 0.0)
        assert "dense coefficients" in str(solution)
    assert not np.intersect1d(solution.support.free, solution.support.bounded).size
    assert "kernel matrix" not in str(solution)


@each_case
def test_samples_without_support_leave_the_answer_as_it_is(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    model = form.model
    if not ((solution.n_support is not None) and model.entry.expands) or case.model is Separability:
        return
    beta = np.zeros(len(form.model))
    beta[solution.support.indices] = solution.beta[solution.support.indices]
    K = model.gram.kernel(model.gram.X)
    assert K @ beta + solution.intercept == pytest.approx(solution.decision, abs=1e-4)


# --- classes ---


@together("case", [case for case in CASES if case.example.data in (overlapping, separable)])
def test_margins(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    model = form.model
    assert solution.margins == pytest.approx(model.y * solution.function(model.gram.X), abs=1e-8)
    assert solution.slacks == pytest.approx(np.maximum(0, 1 - solution.margins), abs=1e-12)
    assert solution.margin_level == 1.0
    assert solution.margin == pytest.approx(1 / np.sqrt(solution.function.squared_norm), rel=1e-12)
    assert np.array_equal(solution.alpha, model.y * solution.beta)


@pytest.mark.parametrize("kernel", ["explicit", "rbf"])
@pytest.mark.parametrize("name", ["primal", "dual"])
def test_the_margin_of_a_nu_machine_lies_at_rho(name: str, kernel: str) -> None:
    form, solution = solved(Case(NuMargin, name, kernel), "clarabel")
    rho = form.rho.value if name == "primal" else form.constraint("share").dual_value
    assert solution.margin_level == pytest.approx(float(rho), rel=1e-5)
    assert solution.margins[solution.support.free] == pytest.approx(solution.margin_level, rel=1e-4)
    assert solution.margin == pytest.approx(solution.margin_level / np.sqrt(solution.function.squared_norm), rel=1e-12)
    nu, m = float(form.model.nu.value), len(form.model)
    assert (solution.slacks > 1e-6).sum() <= nu * m <= len(solution.support)


# --- the tube ---


@together("case", [case for case in CASES if case.is_regression])
def test_the_tube_holds_every_sample_once(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    tube = solution.tube
    places = np.concatenate([tube.inside, tube.edge, tube.above, tube.below])
    assert np.array_equal(np.sort(places), np.arange(len(form.model)))
    model = form.model
    assert solution.residuals == pytest.approx(model.y - solution.function(model.gram.X), abs=1e-8)
    assert solution.slacks == pytest.approx(np.maximum(0, np.abs(solution.residuals) - solution.epsilon), abs=1e-12)
    if solution.epsilon > 0:
        width = solution.epsilon
        assert np.abs(solution.residuals[tube.inside]).max(initial=0.0) <= width + 1e-5
        assert np.abs(solution.residuals[tube.edge]) == pytest.approx(width, abs=1e-5)
        assert solution.residuals[tube.above].min(initial=np.inf) >= width - 1e-5
        assert solution.residuals[tube.below].max(initial=-np.inf) <= -width + 1e-5
    for sample in tube.above:
        assert "is above the tube" in solution.explain(sample) or solution.epsilon == 0


@pytest.mark.parametrize("name", ["primal", "dual"])
def test_the_tube_of_a_nu_machine_is_found_along_with_it(name: str) -> None:
    form, solution = solved(Case(NuTube, name, "rbf"), "clarabel")
    width = form.epsilon.value if name == "primal" else form.constraint("share").dual_value
    assert solution.epsilon == pytest.approx(float(width), rel=1e-5)
    share = float(form.model.nu.value) * len(form.model)
    assert solution.tube.above.size + solution.tube.below.size <= share <= len(solution.support)


# --- one class ---


@pytest.mark.parametrize("kernel", ["explicit", "rbf"])
@pytest.mark.parametrize("name", ["primal", "dual"])
def test_outliers(name: str, kernel: str) -> None:
    form, solution = solved(Case(OneClass, name, kernel), "clarabel")
    assert solution.rho == -solution.intercept > 0
    f = solution.function(form.model.gram.X) - solution.intercept
    assert np.array_equal(np.flatnonzero(f < solution.rho - 1e-6), solution.outliers)
    assert solution.slacks == pytest.approx(np.maximum(0, solution.rho - f), abs=1e-8)
    share = float(form.model.nu.value) * len(form.model)
    assert solution.outliers.size <= share <= len(solution.support)
    if kernel == "explicit":
        assert solution.outliers.size == 7
        assert float(form.rho.value if name == "primal" else -form.constraint("balance").dual_value) == (
            pytest.approx(solution.rho, rel=1e-9)
        )


# --- the intercept ---


@dataclass(frozen=True)
class Flat:
    """A model without a free support vector on each side, and the b that are optimal with its only f."""

    model: type
    X: Any
    y: Any
    parameters: dict[str, Any]
    ends: tuple[float, float]

    def state(self) -> Any:
        data = (self.X,) if self.y is None else (self.X, self.y)
        return self.model(*data, **self.parameters)


_LINE = [[-2.0], [-1.0], [1.0], [2.0]]
_POINT = np.zeros((4, 1))
FLAT = [
    # f = 0, and every hinge has the slope of its class for b within [-1, 1].
    *(
        Flat(model, *xor(), {"C": 0.7}, (-1.0, 1.0))
        for model in (SoftMargin, LinearProgramMachine, MarginLossClassifier)
    ),
    # w = 1/2 with the inner two samples at their bound: 1/2 <= rho + b, rho - b <= 1.
    Flat(NuMargin, _LINE, [-1, -1, 1, 1], {"nu": 0.5}, (-0.25, 0.25)),
    # f(x) = 3/2 x with the first two at their bound: rho lies between f(2) and f(3).
    Flat(OneClass, [[1.0], [2.0], [3.0], [4.0]], None, {"nu": 0.5}, (-4.5, -3.0)),
    # f = 0 everywhere below, since a constant is within the tube, or every sample is the origin.
    Flat(SoftTube, _POINT, [0, 0, 1, 1], {"epsilon": 0.1}, (0.1, 0.9)),
    Flat(ResidualLossRegression, _POINT, [0, 0, 1, 1], {"loss": EpsilonInsensitive(0.1)}, (0.1, 0.9)),
    Flat(HardTube, _LINE, [0, 0, 0.2, 0.2], {"epsilon": 0.3}, (-0.1, 0.3)),
    Flat(Quantile, _POINT, [0, 0, 1, 1], {"tau": 0.5}, (0.0, 1.0)),
    Flat(Huber, _POINT, [0, 0, 1, 1], {"delta": 0.1}, (0.1, 0.9)),
    Flat(NuTube, _POINT, [0, 0, 1, 1], {"nu": 1.0}, (0.0, 1.0)),
    Flat(LeastAbsoluteFit, _POINT, [0, 0, 1, 1], {}, (0.0, 1.0)),
]
FLAT_FORMS = [(flat, name, form.__name__) for flat in FLAT for name, form in Stated.of(flat.model)]
FLAT_ROUTES = [
    (flat, name, solver, f"{label}-{solver}")
    for flat, name, label in FLAT_FORMS
    for solver in ("smo", "clarabel")
    if solver == "clarabel" or flat.state().qp()
]


@pytest.mark.parametrize(
    ("flat", "name", "solver"), [route[:3] for route in FLAT_ROUTES], ids=[route[3] for route in FLAT_ROUTES]
)
def test_the_interval_of_an_intercept_that_is_not_unique(flat: Flat, name: str, solver: str) -> None:
    solution = flat.state().forms[name].solve(solver, tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.intercept_interval == pytest.approx(flat.ends, abs=1e-5)
    assert solution.intercept_interval[0] <= solution.intercept <= solution.intercept_interval[1]


WITH_INTERCEPT = [case for case in CASES if case.model is not Separability and case.state_model().fit_intercept]


def assert_optimal_between_and_nowhere_else(form: Any, solution: Any, tol: float) -> None:
    """P(f, b) by brute force: the optimum at both ends and between, more beyond them."""
    model, beta = form.model, coefficients_of(form, solution)
    low, high = solution.intercept_interval
    optimum = solution.certificate.primal_value
    scale = max(abs(optimum), 1e-3)
    for b in (low, 0.5 * (low + high), high):
        certificate = model.certify((beta, b))
        assert certificate.primal_residual <= tol
        assert certificate.primal_value == pytest.approx(optimum, abs=tol * scale)
    step = 0.05 * max(high - low, 0.4)
    for b in (low - step, high + step):
        certificate = model.certify((beta, b))
        assert certificate.primal_residual > tol or certificate.primal_value > optimum + tol * scale, b


@together("case", WITH_INTERCEPT, by=model_of)
def test_every_b_of_the_interval_is_optimal_and_no_other(case: Case) -> None:
    solver = case.routes[0]
    form, solution = solved(case, solver)
    low, high = solution.intercept_interval
    assert high - low <= 1e-5
    assert low <= solution.intercept <= high
    assert_optimal_between_and_nowhere_else(form, solution, 1e-5)


@pytest.mark.parametrize(("flat", "name"), [each[:2] for each in FLAT_FORMS], ids=[label for _, _, label in FLAT_FORMS])
def test_every_b_of_a_wide_interval_is_optimal_and_no_other(flat: Flat, name: str) -> None:
    form = flat.state().forms[name]
    assert_optimal_between_and_nowhere_else(form, form.solve("clarabel", tol=1e-8), 1e-5)


@each_case
def test_without_an_intercept_there_is_no_interval(case: Case) -> None:
    form, solution = solved(case, "clarabel")
    if not form.model.fit_intercept:
        assert solution.intercept_interval == (0.0, 0.0)


# --- indefinite kernels ---

INDEFINITE = Sigmoid(0.6, -0.4)


def bound(indefinite: str) -> Gram:
    return Gram(INDEFINITE, overlapping()[0], indefinite=indefinite)


def stated_on(gram: Gram) -> list[Any]:
    y = overlapping()[1]
    return [
        SoftMargin(gram, y).dual,
        SoftMargin(gram, y).primal,
        Logistic(gram, y).dual,
        NuMargin(gram, y, nu=0.3).dual,
        OneClass(gram).dual,
        SoftTube(gram, y).dual,
        LeastSquares(gram, y).dual,
        KernelRidge(gram, y).dual,
    ]


@pytest.mark.parametrize("kind", ["clip", "shift"])
def test_a_correction_is_recorded(kind: str) -> None:
    eigenvalues = np.linalg.eigvalsh(INDEFINITE(overlapping()[0]))
    assert eigenvalues[0] < -0.01
    for form in stated_on(bound(kind)):
        solution = form.solve()
        assert solution.status is Status.OPTIMAL, form.name
        correction = form.model.gram.correction
        assert correction is not None
        assert correction.kind == kind
        assert correction.smallest_eigenvalue == pytest.approx(eigenvalues[0], rel=1e-9)
        assert correction.negative_eigenvalues == int((eigenvalues < 0).sum())
        assert str(correction) in str(solution)
        K = form.model.gram.dense
        assert np.linalg.eigvalsh(K)[0] >= -1e-10
        assert K @ solution.beta + solution.intercept == pytest.approx(solution.decision, abs=1e-4)
        if kind == "clip":
            assert solution.function(form.model.gram.X) == pytest.approx(solution.decision, abs=1e-4)


@pytest.mark.parametrize("kind", ["clip", "shift"])
def test_the_corrected_matrix_is_the_one_whose_problem_is_solved(kind: str) -> None:
    gram, y = bound(kind), overlapping()[1]
    corrected = Precomputed(np.array(gram.dense))
    for solver in ("smo", "clarabel"):
        ours = SoftMargin(gram, y).dual.solve(solver, tol=1e-8)
        theirs = SoftMargin(np.arange(30), y, corrected).dual.solve(solver, tol=1e-8)
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-7)


def test_an_indefinite_kernel_is_refused_unless_asked() -> None:
    y = overlapping()[1]
    for model, targets in (
        (SoftMargin, (y,)),
        (HardMargin, (y,)),
        (Logistic, (y,)),
        (MarginLossClassifier, (y,)),
        (NuMargin, (y,)),
        (OneClass, ()),
        (ChebyshevFit, (y,)),
        (LeastSquaresFit, (y,)),
        (SoftTube, (y,)),
        (KernelRidge, (y,)),
        (Interpolation, (y,)),
    ):
        for data, kernel in ((overlapping()[0], INDEFINITE), (bound("refuse"), None)):
            with pytest.raises(IndefiniteKernelError, match=r'smallest eigenvalue is -.*indefinite="clip"'):
                model(data, *targets, kernel)


@pytest.mark.parametrize("name", ["primal", "dual"])
def test_the_linear_program_takes_an_indefinite_kernel_as_it_is(name: str) -> None:
    X, y = overlapping()
    model = LinearProgramMachine(X, y, INDEFINITE)
    form, other = model.forms[name], next(each for key, each in model.forms.items() if key != name)
    solution = form.solve(tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert "kernel matrix" not in str(solution)
    assert np.array_equal(model.gram.dense, INDEFINITE(X))
    assert form.objective_of(other.solve(tol=1e-8).certificate) == pytest.approx(solution.objective, rel=1e-7)
    assert solution.function(X) == pytest.approx(INDEFINITE(X) @ solution.beta + solution.intercept, abs=1e-9)
    assert solution.alpha.min() >= -1e-9


# --- an optimum of 0 ---


@pytest.mark.parametrize("nu", [0.2, 0.37])
@pytest.mark.parametrize("name", ["primal", "dual"])
def test_classes_that_overlap_too_much_for_nu(name: str, nu: float) -> None:
    """The reduced hulls meet: f = 0 is the answer, and it is proved."""
    solution = NuMargin(*overlapping(), nu=nu).forms[name].solve()
    assert solution.status is Status.OPTIMAL, solution
    assert abs(solution.objective) <= 1e-8
    assert solution.margin_level == pytest.approx(0.0, abs=1e-4)
    assert abs(solution.function.squared_norm) <= 1e-6


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("name", ["primal", "dual"])
def test_targets_within_the_tube_of_a_constant(name: str, solver: str) -> None:
    X, _ = overlapping()
    y = np.random.default_rng(3).uniform(-1.0, 1.5, size=len(X))
    solution = HardTube(X, y, epsilon=2.0).forms[name].solve(solver)
    assert solution.status is Status.OPTIMAL, solution
    assert solution.n_support == 0
    assert solution.objective == pytest.approx(0.0, abs=1e-7)
    assert solution.intercept_interval == pytest.approx((y.max() - 2.0, y.min() + 2.0), abs=1e-5)
    assert "inside the tube" in solution.explain(0)


@pytest.mark.parametrize("model", [ChebyshevFit, LeastAbsoluteFit, LeastSquaresFit])
def test_an_exact_fit_is_proved_too(model: type) -> None:
    """A kernel of full rank leaves no residual, and the optimum 0 is proved against the loss of the best constant."""
    exact = model(*measured(), KERNELS["rbf"])
    for solver in (None, "clarabel"):
        solution = exact.solve(solver)
        assert solution.status is Status.OPTIMAL, solution
        assert np.abs(solution.residuals).max() <= 1e-5
        assert SHARP["clarabel"] < solution.certificate.asked


@pytest.mark.parametrize("case", [case for case in FIRST_CASES if case.state().scale.formula], ids=str)
def test_a_solution_in_a_scale_of_its_own_says_so(case: Case) -> None:
    form = case.state()
    of_form, of_model = form.solve(), form.model.solve()
    factor = of_form.objective / of_model.objective
    assert factor == pytest.approx(form.factor, rel=1e-5)
    printed = str(of_form)
    assert f"objective     {of_form.objective:.12g} = λ/m ‖f‖² + 1/m Σᵢ " in printed
    assert f"scale         2 λ/m = {form.factor:.4g} times the value of the model" in printed
    assert f"objective     {of_model.objective:.12g} = ½ ‖f‖² + C Σᵢ " in str(of_model)
    assert "scale" not in str(of_model)


def test_an_extended_form_claims_no_factor() -> None:
    """Its problem is another than the model's, and with a further term its objective is another function."""
    X, y = overlapping()
    form = SoftMargin(X, y).primal
    bounded = form.extend(form.b == 0).solve()
    assert bounded.scale.words == "½ ‖f‖² + Σᵢ Cᵢ ξᵢ"
    assert np.isnan(bounded.scale.factor)
    termed = form.extend(objective=cp.square(form.b)).solve()
    assert termed.scale.objective == ""
    assert f"objective     {termed.objective:.12g}\n" in str(termed)
