# SPDX-License-Identifier: BSD-3-Clause
"""What a solution says in the words of its model: samples explained, support, margins, tube, intercept, correction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from formulations import (
    ChebyshevFit,
    HardMarginDual,
    HardTubeDual,
    HardTubePrimal,
    HuberDual,
    HuberPrimal,
    InterpolationDual,
    KernelRidgeDual,
    LeastAbsoluteFit,
    LeastAbsoluteFitDual,
    LeastSquaresDual,
    LeastSquaresFit,
    LinearProgramDual,
    LinearProgramPrimal,
    LogisticDual,
    NuMarginDual,
    NuMarginPrimal,
    NuTubeDual,
    NuTubePrimal,
    OneClassDual,
    OneClassPrimal,
    QuantileDual,
    QuantilePrimal,
    Separability,
    SoftMarginDual,
    SoftMarginHinge,
    SoftMarginPrimal,
    SoftTubeDual,
    SoftTubeLoss,
    SoftTubePrimal,
)
from formulations.fit_forms import LinearFit
from formulations.solution import Classification, Novelty, Regression
from model_data import (
    CASES,
    KERNELS,
    ROUTES,
    SHARP,
    Case,
    coefficients_of,
    overlapping,
    separable,
    solved,
    xor,
)
from qpkernels.certificates import Status
from qpkernels.errors import IndefiniteKernelError, ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed, Sigmoid

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_route = pytest.mark.parametrize(("case", "solver"), ROUTES, ids=[f"{case}-{solver}" for case, solver in ROUTES])

DENSE = ("Logistic", "LeastSquares", "KernelRidge", "Interpolation", "Chebyshev", "LeastAbsolute", "Laplace")
"""How the names of the forms without support vectors begin."""


# --- one sample ---


@each_case
def test_every_sample_is_explained(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    for sample in range(len(model)):
        text = solution.explain(sample)
        assert text.startswith(f"sample {sample}: ")
        assert text.endswith(".")
        assert f"{solution.beta[sample]:.6g}" in text
        for formula, values in solution.conditions.items():
            assert f"{formula} = {values[sample]:.1e}" in text
    assert solution.explain(np.int64(2)) == solution.explain(2)


@each_case
def test_an_explanation_says_where_a_sample_stands(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    for sample in range(len(model)):
        text = solution.explain(sample)
        free, bounded = sample in solution.support.free, sample in solution.support.bounded
        if not solution.sparse:
            assert "support vector" not in text
        else:
            role = "a free support vector" if free else "a support vector at its bound" if bounded else "no support"
            assert role in text
        match solution:
            case Classification():
                assert f"class {solution.y[sample]:+g}" in text
                assert f"y g(x) = {solution.margins[sample]:.6g} is " in text
                assert ("on the wrong side" in text) == (solution.margins[sample] < 0)
            case Regression():
                assert f"target {solution.y[sample]:.6g}, residual {solution.residuals[sample]:.6g}" in text
                inside = solution.epsilon > 0 and not free and not bounded
                assert ("inside the tube" in text) == inside
            case Novelty():
                assert f"f(x) - rho = {solution.decision[sample]:.6g} is " in text
                assert ("outside" in text) == bounded
    assert type(solution) in (Classification, Regression, Novelty)


@each_route
def test_the_optimality_conditions_vanish(case: Case, solver: str) -> None:
    model, solution = solved(case, solver)
    assert solution.conditions
    targets = 1.0 if "y" not in case.has else float(np.abs(model.y).max())
    size = max(1.0, float(np.abs(solution.beta).max())) * max(targets, float(np.abs(solution.decision).max()))
    for formula, values in solution.conditions.items():
        assert values.shape == (len(model),)
        assert np.abs(values).max() <= 1e-5 * size, formula


@each_case
def test_the_conditions_of_a_poor_answer_do_not_vanish(case: Case) -> None:
    if case.form is Separability:
        return
    model, solution = solved(case, "clarabel")
    bent = 1 + 0.3 * np.random.default_rng(1).normal(size=len(model))
    candidate = model.candidate((bent * coefficients_of(model, solution), 0.5 * solution.intercept))
    worst = max(np.abs(values).max() for values in model.conditions(candidate, model.decision(candidate)).values())
    assert worst > 1e-3 * np.abs(solution.beta).max()


@each_case
def test_samples_that_do_not_exist(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    for sample in (len(model), -1, 1.0, True, "first", None):
        with pytest.raises(ParameterError, match=rf"number from 0 to {len(model) - 1}, but {re.escape(repr(sample))}"):
            solution.explain(sample)


# --- support ---


@each_case
def test_support_and_sparsity(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    assert solution.sparse == (not case.form.__name__.startswith(DENSE))
    if solution.sparse:
        assert solution.n_support == len(solution.support) == solution.support.free.size + solution.support.bounded.size
        assert solution.sparsity == pytest.approx(1 - len(solution.support) / len(model), abs=1e-15)
        assert f"{solution.n_support} support vectors" in str(solution)
    else:
        assert (solution.n_support, solution.sparsity) == (None, 0.0)
        assert "dense coefficients" in str(solution)
    assert not np.intersect1d(solution.support.free, solution.support.bounded).size
    assert solution.correction is None


@each_case
def test_samples_without_support_leave_the_answer_as_it_is(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    if not solution.sparse or isinstance(model, LinearFit) or case.form is Separability:
        return
    beta = np.zeros(len(model))
    beta[solution.support.indices] = solution.beta[solution.support.indices]
    K = model.gram.kernel(model.gram.X)
    assert K @ beta + solution.intercept == pytest.approx(solution.decision, abs=1e-4)


# --- classes ---


@pytest.mark.parametrize("case", [case for case in CASES if case.example.data in (overlapping, separable)], ids=str)
def test_margins(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    assert solution.margins == pytest.approx(model.y * solution.function(model.gram.X), abs=1e-8)
    assert solution.slacks == pytest.approx(np.maximum(0, 1 - solution.margins), abs=1e-12)
    assert solution.margin_level == 1.0
    assert solution.margin == pytest.approx(1 / np.sqrt(solution.function.squared_norm), rel=1e-12)
    assert np.array_equal(solution.alpha, model.y * solution.beta)


@pytest.mark.parametrize("kernel", ["explicit", "rbf"])
@pytest.mark.parametrize("form", [NuMarginPrimal, NuMarginDual])
def test_the_margin_of_a_nu_machine_lies_at_rho(form: type, kernel: str) -> None:
    model, solution = solved(Case(form, kernel), "clarabel")
    rho = model.level.value if form is NuMarginPrimal else model.constraint("share").dual_value
    assert solution.margin_level == pytest.approx(float(rho), rel=1e-5)
    assert solution.margins[solution.support.free] == pytest.approx(solution.margin_level, rel=1e-4)
    assert solution.margin == pytest.approx(solution.margin_level / np.sqrt(solution.function.squared_norm), rel=1e-12)
    nu, m = float(model.nu.value), len(model)
    assert (solution.slacks > 1e-6).sum() <= nu * m <= len(solution.support)


# --- the tube ---


@pytest.mark.parametrize("case", [case for case in CASES if case.is_regression], ids=str)
def test_the_tube_holds_every_sample_once(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    tube = solution.tube
    places = np.concatenate([tube.inside, tube.edge, tube.above, tube.below])
    assert np.array_equal(np.sort(places), np.arange(len(model)))
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


@pytest.mark.parametrize("form", [NuTubePrimal, NuTubeDual])
def test_the_tube_of_a_nu_machine_is_found_along_with_it(form: type) -> None:
    model, solution = solved(Case(form, "rbf"), "clarabel")
    width = model.epsilon.value if form is NuTubePrimal else model.constraint("share").dual_value
    assert solution.epsilon == pytest.approx(float(width), rel=1e-5)
    share = float(model.nu.value) * len(model)
    assert solution.tube.above.size + solution.tube.below.size <= share <= len(solution.support)


# --- one class ---


@pytest.mark.parametrize("kernel", ["explicit", "rbf"])
@pytest.mark.parametrize("form", [OneClassPrimal, OneClassDual])
def test_outliers(form: type, kernel: str) -> None:
    model, solution = solved(Case(form, kernel), "clarabel")
    assert solution.rho == -solution.intercept > 0
    f = solution.function(model.gram.X) - solution.intercept
    assert np.array_equal(np.flatnonzero(f < solution.rho - 1e-6), solution.outliers)
    assert solution.slacks == pytest.approx(np.maximum(0, solution.rho - f), abs=1e-8)
    share = float(model.nu.value) * len(model)
    assert solution.outliers.size <= share <= len(solution.support)
    if kernel == "explicit":
        assert solution.outliers.size == 7
        assert float(model.rho.value if form is OneClassPrimal else -model.constraint("balance").dual_value) == (
            pytest.approx(solution.rho, rel=1e-9)
        )


# --- the intercept ---


@dataclass(frozen=True)
class Flat:
    """A model without a free support vector on each side, and the b that are optimal with its only f."""

    form: type
    X: Any
    y: Any
    parameters: dict[str, Any]
    ends: tuple[float, float]

    def state(self) -> Any:
        data = (self.X,) if self.y is None else (self.X, self.y)
        return self.form(*data, **self.parameters)


_LINE = [[-2.0], [-1.0], [1.0], [2.0]]
_POINT = np.zeros((4, 1))
FLAT = [
    # f = 0, and every hinge has the slope of its class for b within [-1, 1].
    *(
        Flat(form, *xor(), {"C": 0.7}, (-1.0, 1.0))
        for form in (SoftMarginPrimal, SoftMarginHinge, SoftMarginDual, LinearProgramPrimal, LinearProgramDual)
    ),
    # w = 1/2 with the inner two samples at their bound: 1/2 <= rho + b, rho - b <= 1.
    *(Flat(form, _LINE, [-1, -1, 1, 1], {"nu": 0.5}, (-0.25, 0.25)) for form in (NuMarginPrimal, NuMarginDual)),
    # f(x) = 3/2 x with the first two at their bound: rho lies between f(2) and f(3).
    *(
        Flat(form, [[1.0], [2.0], [3.0], [4.0]], None, {"nu": 0.5}, (-4.5, -3.0))
        for form in (OneClassPrimal, OneClassDual)
    ),
    # f = 0 everywhere below, since a constant is within the tube, or every sample is the origin.
    *(
        Flat(form, _POINT, [0, 0, 1, 1], {"epsilon": 0.1}, (0.1, 0.9))
        for form in (SoftTubePrimal, SoftTubeLoss, SoftTubeDual)
    ),
    *(Flat(form, _LINE, [0, 0, 0.2, 0.2], {"epsilon": 0.3}, (-0.1, 0.3)) for form in (HardTubePrimal, HardTubeDual)),
    *(Flat(form, _POINT, [0, 0, 1, 1], {"tau": 0.5}, (0.0, 1.0)) for form in (QuantilePrimal, QuantileDual)),
    *(Flat(form, _POINT, [0, 0, 1, 1], {"delta": 0.1}, (0.1, 0.9)) for form in (HuberPrimal, HuberDual)),
    *(Flat(form, _POINT, [0, 0, 1, 1], {"nu": 1.0}, (0.0, 1.0)) for form in (NuTubePrimal, NuTubeDual)),
    *(Flat(form, _POINT, [0, 0, 1, 1], {}, (0.0, 1.0)) for form in (LeastAbsoluteFit, LeastAbsoluteFitDual)),
]
FLAT_ROUTES = [
    (flat, solver)
    for flat in FLAT
    for solver in ("smo", "clarabel")
    if solver == "clarabel" or flat.state().kernel_qp()
]


@pytest.mark.parametrize(
    ("flat", "solver"), FLAT_ROUTES, ids=[f"{flat.form.__name__}-{solver}" for flat, solver in FLAT_ROUTES]
)
def test_the_interval_of_an_intercept_that_is_not_unique(flat: Flat, solver: str) -> None:
    solution = flat.state().solve(solver, tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.intercept_interval == pytest.approx(flat.ends, abs=1e-5)
    assert solution.intercept_interval[0] <= solution.intercept <= solution.intercept_interval[1]


WITH_INTERCEPT = [case for case in CASES if case.form is not Separability and case.state().fit_intercept]


def assert_optimal_between_and_nowhere_else(model: Any, solution: Any, tol: float) -> None:
    """P(f, b) by brute force: the optimum at both ends and between, more beyond them."""
    beta = coefficients_of(model, solution)
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


@pytest.mark.parametrize("case", WITH_INTERCEPT, ids=str)
def test_every_b_of_the_interval_is_optimal_and_no_other(case: Case) -> None:
    solver = case.routes[0]
    model, solution = solved(case, solver)
    low, high = solution.intercept_interval
    assert high - low <= 1e-5
    assert low <= solution.intercept <= high
    assert_optimal_between_and_nowhere_else(model, solution, 1e-5)


@pytest.mark.parametrize("flat", FLAT, ids=[flat.form.__name__ for flat in FLAT])
def test_every_b_of_a_wide_interval_is_optimal_and_no_other(flat: Flat) -> None:
    model = flat.state()
    assert_optimal_between_and_nowhere_else(model, model.solve("clarabel", tol=1e-8), 1e-5)


@each_case
def test_without_an_intercept_there_is_no_interval(case: Case) -> None:
    model, solution = solved(case, "clarabel")
    if not model.fit_intercept:
        assert solution.intercept_interval == (0.0, 0.0)


# --- indefinite kernels ---

INDEFINITE = Sigmoid(0.6, -0.4)


def bound(indefinite: str) -> Gram:
    return Gram(INDEFINITE, overlapping()[0], indefinite=indefinite)


def stated_on(gram: Gram) -> list[Any]:
    y = overlapping()[1]
    return [
        SoftMarginDual(gram, y),
        SoftMarginPrimal(gram, y),
        LogisticDual(gram, y),
        NuMarginDual(gram, y, nu=0.3),
        OneClassDual(gram),
        SoftTubeDual(gram, y),
        LeastSquaresDual(gram, y),
        KernelRidgeDual(gram, y),
    ]


@pytest.mark.parametrize("kind", ["clip", "shift"])
def test_a_correction_is_recorded(kind: str) -> None:
    eigenvalues = np.linalg.eigvalsh(INDEFINITE(overlapping()[0]))
    assert eigenvalues[0] < -0.01
    for model in stated_on(bound(kind)):
        solution = model.solve()
        assert solution.status is Status.OPTIMAL, model.name
        correction = solution.correction
        assert correction is not None
        assert correction.kind == kind
        assert correction.smallest_eigenvalue == pytest.approx(eigenvalues[0], rel=1e-9)
        assert correction.negative_eigenvalues == int((eigenvalues < 0).sum())
        assert str(correction) in str(solution)
        K = model.gram.dense
        assert np.linalg.eigvalsh(K)[0] >= -1e-10
        assert K @ solution.beta + solution.intercept == pytest.approx(solution.decision, abs=1e-4)
        if kind == "clip":
            assert solution.function(model.gram.X) == pytest.approx(solution.decision, abs=1e-4)


@pytest.mark.parametrize("kind", ["clip", "shift"])
def test_the_corrected_matrix_is_the_one_whose_problem_is_solved(kind: str) -> None:
    gram, y = bound(kind), overlapping()[1]
    corrected = Precomputed(np.array(gram.dense))
    for solver in ("smo", "clarabel"):
        ours = SoftMarginDual(gram, y).solve(solver, tol=1e-8)
        theirs = SoftMarginDual(np.arange(30), y, corrected).solve(solver, tol=1e-8)
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-7)


def test_an_indefinite_kernel_is_refused_unless_asked() -> None:
    y = overlapping()[1]
    for form, targets in (
        (SoftMarginDual, (y,)),
        (HardMarginDual, (y,)),
        (LogisticDual, (y,)),
        (NuMarginDual, (y,)),
        (OneClassDual, ()),
        (ChebyshevFit, (y,)),
        (LeastSquaresFit, (y,)),
        (SoftTubeDual, (y,)),
        (KernelRidgeDual, (y,)),
        (InterpolationDual, (y,)),
    ):
        for data, kernel in ((overlapping()[0], INDEFINITE), (bound("refuse"), None)):
            with pytest.raises(IndefiniteKernelError, match=r'smallest eigenvalue is -.*indefinite="clip"'):
                form(data, *targets, kernel)


@pytest.mark.parametrize("form", [LinearProgramPrimal, LinearProgramDual])
def test_the_linear_program_takes_an_indefinite_kernel_as_it_is(form: type) -> None:
    X, y = overlapping()
    model = form(X, y, INDEFINITE)
    solution = model.solve(tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.correction is None
    assert np.array_equal(model.gram.dense, INDEFINITE(X))
    assert model.objective_of(model.partner.solve(tol=1e-8).certificate) == pytest.approx(solution.objective, rel=1e-7)
    assert solution.function(X) == pytest.approx(INDEFINITE(X) @ solution.beta + solution.intercept, abs=1e-9)
    assert solution.alpha.min() >= -1e-9


# --- an optimum of 0 ---


@pytest.mark.parametrize("nu", [0.2, 0.37])
@pytest.mark.parametrize("form", [NuMarginPrimal, NuMarginDual])
def test_classes_that_overlap_too_much_for_nu(form: type, nu: float) -> None:
    """The reduced hulls meet: f = 0 is the answer, and it is proved."""
    solution = form(*overlapping(), nu=nu).solve()
    assert solution.status is Status.OPTIMAL, solution
    assert abs(solution.objective) <= 1e-8
    assert solution.margin_level == pytest.approx(0.0, abs=1e-4)
    assert abs(solution.function.squared_norm) <= 1e-6


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
@pytest.mark.parametrize("form", [HardTubePrimal, HardTubeDual])
def test_targets_within_the_tube_of_a_constant(form: type, solver: str) -> None:
    X, _ = overlapping()
    y = np.random.default_rng(3).uniform(-1.0, 1.5, size=len(X))
    solution = form(X, y, epsilon=2.0).solve(solver)
    assert solution.status is Status.OPTIMAL, solution
    assert solution.n_support == 0
    assert solution.objective == pytest.approx(0.0, abs=1e-7)
    assert solution.intercept_interval == pytest.approx((y.max() - 2.0, y.min() + 2.0), abs=1e-5)
    assert "inside the tube" in solution.explain(0)


@pytest.mark.parametrize("form", [ChebyshevFit, LeastAbsoluteFit, LeastSquaresFit])
def test_an_exact_fit_is_proved_too(form: type) -> None:
    """A kernel of full rank leaves no residual, and the optimum 0 is proved against the loss of the best constant."""
    model, _ = solved(Case(form, "explicit"), "clarabel")
    exact = form(model.gram.X, model.y, KERNELS["rbf"])
    for solver in (None, "clarabel"):
        solution = exact.solve(solver)
        assert solution.status is Status.OPTIMAL, solution
        assert np.abs(solution.residuals).max() <= 1e-5
        assert SHARP["clarabel"] < solution.tol
