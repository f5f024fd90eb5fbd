# SPDX-License-Identifier: BSD-3-Clause
"""Every bad input has its own exception, whose message says what came and what to do."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC, SVR

import qpkernels.solvers.interface as interface
from formulations import (
    ChebyshevFit,
    HardMargin,
    Huber,
    NuMargin,
    OneClass,
    PenalisedLogistic,
    PenalisedTube,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SoftTube,
)
from formulations.losses import AbsolutePower, Hinge
from formulations.models.classification.margins.hard_margin import HardMarginDual, HardMarginGeometric, HardMarginPrimal
from formulations.models.classification.margins.soft_margin import SoftMarginDual, SoftMarginPrimal
from formulations.models.regression.ridge.interpolation import InterpolationDual, InterpolationPrimal
from formulations.models.regression.tubes.hard import HardTubeDual, HardTubePrimal
from formulations.models.regression.tubes.sparse_approximation import SparseApproximationL1, SparseApproximationSplit
from model_data import (
    CASES,
    FIRST_CASES,
    MODEL_CASES,
    MODELS,
    ROUTES,
    Case,
    contradiction,
    few,
    measured,
    overlapping,
    stated,
    xor,
)
from qpkernels.errors import (
    GramTooLargeError,
    IndefiniteKernelError,
    InfeasibleError,
    InseparableError,
    LabelError,
    NonFiniteError,
    NotSquareError,
    NotSymmetricError,
    OneClassError,
    ParameterError,
    QPKernelsError,
    ShapeError,
    SolverFailedError,
    SolverNotInstalledError,
    UnknownSolverError,
    UnsupportedOptionError,
    UnsupportedProgramError,
)
from qpkernels.kernels import RBF, Linear, Precomputed
from qpkernels.problems import Status
from together import together

each_case = together("case", MODEL_CASES)
each_form = together("case", FIRST_CASES)
LABELLED = [case for case in MODEL_CASES if "y" in case.has and not case.is_regression]
TARGETED = [case for case in MODEL_CASES if case.is_regression]
each_labelled_case = together("case", LABELLED)
each_targeted_case = together("case", TARGETED)
WITH_COST = [case for case in MODEL_CASES if "C" in case.has]
COSTS_EACH = [case for case in WITH_COST if any(np.ndim(value) for value in case.example.others["C"])]
each_case_of_costs = together("case", COSTS_EACH)

HARD_ROUTES = [
    (case, solver) for case, solver in ROUTES if case.model in (HardMargin, Separability) and case.kernel == "explicit"
]


def changed(array: np.ndarray, index: Any, value: float) -> np.ndarray:
    result = np.array(array, dtype=float)
    result[index] = value
    return result


# --- data ---


@together("value", [np.nan, np.inf, -np.inf])
@each_case
def test_data_that_are_not_finite(case: Case, value: float) -> None:
    X, *targets = case.data()
    for bad in (changed(X, (4, 1), value), csr_array(changed(X, (4, 1), value))):
        with pytest.raises(NonFiniteError, match=rf"X must hold finite numbers only, but X\[4, 1\] is {value}.*drop"):
            case.state_model(X=bad)
    if targets:
        kind = "numbers" if case.is_regression else "labels"
        with pytest.raises(NonFiniteError, match=rf"y must hold finite {kind} only, but y\[3\] is {value}"):
            case.state_model(y=changed(targets[0], 3, value))


@each_labelled_case
def test_labels_that_are_not_two(case: Case) -> None:
    X, y = case.data()
    with pytest.raises(LabelError, match=r"y must hold two classes, but it holds 3 \(-1, 1, 2\).*rest") as caught:
        case.state_model(y=changed(y, 0, 2))
    assert not isinstance(caught.value, OneClassError)
    with pytest.raises(LabelError, match=r"it holds 30 \(0, 1, 2, 3, 4, 5, \.\.\.\).* regression, such as SoftTube"):
        case.state_model(y=np.arange(len(X)))
    with pytest.raises(OneClassError, match=r"every label is .*'ham'.*nothing to separate"):
        case.state_model(y=["ham"] * len(X))
    with pytest.raises(OneClassError, match=r"every label is 1;"):
        case.state_model(y=np.ones(len(X)))
    mixed = [1, "ham"] * (len(X) // 2)
    for both in (mixed, np.array(mixed, dtype=object)):
        with pytest.raises(LabelError, match="y must hold numbers or text, but both came, such as 1 and 'ham'"):
            case.state_model(y=both)


@each_case
def test_shapes_that_do_not_fit(case: Case) -> None:
    X, *targets = case.data()
    m, word = len(X), "targets" if case.is_regression else "labels"
    if targets:
        (y,) = targets
        with pytest.raises(ShapeError, match=f"X has {m} samples and y has {m - 1} {word}"):
            case.state_model(y=y[:-1])
        with pytest.raises(ShapeError, match=rf"y must have one dimension, .* its shape is \({m}, 1\)"):
            case.state_model(y=y[:, None])
        with pytest.raises(ShapeError, match=rf"y must have one dimension, .* its shape is \({m}, 2\)"):
            case.state_model(y=np.column_stack([y, y]))
    with pytest.raises(ShapeError, match=r"X must have two dimensions .* X\.reshape\(-1, 1\)"):
        case.state_model(X=X[:, 0])
    for bad in (X[:, :0], csr_array(X[:, :0])):
        with pytest.raises(ShapeError, match=rf"at least one sample and one feature, but its shape is \({m}, 0\)"):
            case.state_model(X=bad)
    with pytest.raises(ShapeError, match="X must hold real numbers, but text came, such as 'a'"):
        case.state_model(X=[["a", "b"]] * m)


@each_targeted_case
def test_targets_that_are_no_numbers(case: Case) -> None:
    X, y = case.data()
    with pytest.raises(ShapeError, match=r"its shape is .*, 1\); pass y.ravel\(\)"):
        case.state_model(y=y[:, None])
    with pytest.raises(ShapeError, match=r"its shape is .*, 3\); fit one model to each column"):
        case.state_model(y=np.column_stack([y, y, y]))
    with pytest.raises(ShapeError, match="y must hold real numbers, but text came, such as 'much'"):
        case.state_model(y=["much"] * len(X))


@each_case
def test_kernels_that_are_none(case: Case) -> None:
    data = case.data()
    with pytest.raises(
        ParameterError, match=r"kernel must be a Kernel object, such as RBF\(gamma=0.1\), or .* but 'rbf'"
    ):
        case.model(*data, "rbf", **case.example.parameters)
    gram = case.state_model().gram
    with pytest.raises(ParameterError, match="a Gram is bound to its kernel already; leave kernel out"):
        case.model(gram, *data[1:], Linear(), **case.example.parameters)


@together("case", [case for case in MODEL_CASES if "fit_intercept" in inspect.signature(case.model).parameters])
def test_fit_intercept_is_true_or_false(case: Case) -> None:
    for nonsense in (1, 0, "no", None, [True]):
        with pytest.raises(
            ParameterError, match=rf"fit_intercept must be True or False, but {re.escape(repr(nonsense))}"
        ):
            case.state_model(fit_intercept=nonsense)
    assert case.state_model(fit_intercept=np.False_).fit_intercept is False


# --- hyper-parameters ---

OUTSIDE: dict[str, list[tuple[Any, str]]] = {
    "C": [
        (0.0, "C must be a number above 0, but 0"),
        (-1.0, "C must be a number above 0, but -1"),
        (np.nan, "C must be a number above 0.* but nan came"),
        (np.inf, "C must be a number above 0.* but inf came"),
    ],
    "epsilon": [
        (-1e-9, "epsilon must be a number of at least 0, but -1e-09 came"),
        (np.nan, "epsilon must be a number of at least 0, but nan came"),
        (np.inf, "epsilon must be a number of at least 0, but inf came"),
        (np.ones(24), "epsilon must be one number of at least 0, but array"),
    ],
    "nu": [
        (0.0, "nu must be a number above 0 and at most 1, but 0.0 came"),
        (1.0 + 1e-9, "nu must be a number above 0 and at most 1, but 1.000000001 came"),
        (-0.2, "nu must be a number above 0 and at most 1, but -0.2 came"),
        (np.nan, "nu must be a number above 0 and at most 1, but nan came"),
        ([0.5], r"nu must be one number above 0 and at most 1, but \[0.5\] came"),
    ],
    "sample_weight": [
        (0.0, "sample_weight must be a number above 0, but 0"),
        (-1.0, "sample_weight must be a number above 0, but -1"),
        (np.nan, "sample_weight must be a number above 0.* but nan came"),
        (np.inf, "sample_weight must be a number above 0.* but inf came"),
    ],
    "tau": [
        (0.0, "tau must be a number between 0 and 1, but 0.0 came"),
        (1.0, "tau must be a number between 0 and 1, but 1.0 came"),
        (np.nan, "tau must be a number between 0 and 1, but nan came"),
    ],
    "delta": [
        (0.0, "delta must be a number above 0, but 0.0 came"),
        (-1.0, "delta must be a number above 0, but -1.0 came"),
        (np.inf, "delta must be a number above 0, but inf came"),
    ],
    "R": [
        (0.0, "R must be a number above 0, but 0.0 came"),
        (-1.0, "R must be a number above 0, but -1.0 came"),
        (np.inf, "R must be a number above 0, but inf came"),
    ],
    "regularisation": [
        (0.0, "regularisation must be a number above 0, but 0.0 came"),
        (-1.0, "regularisation must be a number above 0, but -1.0 came"),
        (np.nan, "regularisation must be a number above 0, but nan came"),
    ],
}
NUMBERS = [(case, name) for case in MODEL_CASES for name in case.example.others]
each_number = together("case, name", NUMBERS)


def test_every_hyperparameter_has_a_range() -> None:
    assert {name for _, name in NUMBERS} == set(OUTSIDE)


@each_number
def test_numbers_outside_their_range(case: Case, name: str) -> None:
    for value, words in OUTSIDE[name]:
        with pytest.raises(ParameterError, match=words):
            case.state_model(**{name: value})
        model = case.state_model()
        before = np.array(getattr(model, name).value)
        with pytest.raises(ParameterError, match=words):
            model.set_params(**{name: value})
        assert np.array_equal(getattr(model, name).value, before)


@each_number
def test_numbers_that_are_no_numbers(case: Case, name: str) -> None:
    with pytest.raises((ShapeError, ParameterError), match=f"{name} must be"):
        case.state_model(**{name: "much"})
    with pytest.raises((ShapeError, ParameterError), match=f"{name} must be"):
        case.state_model(**{name: None})


@each_number
def test_numbers_set_outside_their_range(case: Case, name: str) -> None:
    """The parameters are CVXPY's own, and check only signs themselves."""
    model = case.state_model()
    parameter = getattr(model, name)
    parameter.value = np.full(parameter.shape, 0.0 if name != "epsilon" else np.inf)
    words = f"{name}.* (is 0|but 0.0 came|but inf came)"
    for solver in case.routes:
        with pytest.raises(ParameterError, match=words):
            model.solve(solver)
    for form in model.forms.values():
        with pytest.raises(ParameterError, match=words):
            form.lower()
    with pytest.raises(ParameterError, match=words):
        model.certify((np.zeros(len(model)), 0.0))


@each_case
def test_hyperparameters_that_it_has_not(case: Case) -> None:
    model = case.state_model()
    has = ", ".join(case.model.entry.names) or "none"
    words = f"a {case.model.__name__} has no hyper-parameter 'gamma', nor has its kernel .* the names are {has} of the"
    with pytest.raises(ParameterError, match=words):
        model.set_params(gamma=1.0)
    with pytest.raises(TypeError, match="gamma"):
        case.state_model(gamma=1.0)


def test_all_numbers_are_set_or_none() -> None:
    model = Huber(*measured(), C=2.0, delta=0.5)
    with pytest.raises(ParameterError, match="delta must be"):
        model.set_params(C=5.0, delta=-1.0)
    with pytest.raises(ParameterError, match="no hyper-parameter 'D'"):
        model.set_params(C=5.0, D=1.0)
    assert (float(model.C.value[0]), float(model.delta.value)) == (2.0, 0.5)


@together("model", [PenalisedLogistic(*overlapping()), PenalisedTube(*measured())])
def test_a_cost_that_follows_from_the_penalty(model: Any) -> None:
    with pytest.raises(ParameterError, match=r"has no hyper-parameter 'C'.* the names are regularisation"):
        model.set_params(C=2.0)
    assert model.C.value == pytest.approx(0.5 / float(model.regularisation.value))
    model.set_params(regularisation=2.0)
    assert model.C.value == pytest.approx(0.25)


def test_a_nu_that_the_classes_do_not_allow() -> None:
    X, y = overlapping()
    words = "of 20 and 10 samples: the largest feasible nu is 0.666667"
    with pytest.raises(ParameterError, match=words):
        NuMargin(X, y, nu=0.7)
    model = NuMargin(X, y, nu=2 / 3)
    with pytest.raises(ParameterError, match=words):
        model.set_params(nu=0.7)
    assert float(model.nu.value) == 2 / 3
    assert model.set_params(nu=0.6).solve().status == "optimal"


def test_losses_that_are_none_of_residuals() -> None:
    for loss in (Hinge(), "absolute", None, AbsolutePower):
        with pytest.raises(ParameterError, match=r"loss must be a residual loss, such as AbsolutePower\(1.5\), but"):
            ResidualLossRegression(*measured(), loss=loss)
    with pytest.raises(ParameterError, match=r"p must be a finite number of at least 1, but 0.5 came; .*not convex"):
        ResidualLossRegression(*measured(), loss=AbsolutePower(0.5))


# --- costs of the samples ---


@each_case_of_costs
def test_costs_outside_their_range(case: Case) -> None:
    m = len(case.data()[0])
    for C, words in (
        (np.zeros(m), "C must be above 0 for some sample, but each C is 0"),
        (changed(np.ones(m), 7, -2.5), r"C\[7\] is -2.5"),
        (changed(np.ones(m), 2, np.inf), r"C\[2\] is inf"),
    ):
        with pytest.raises(ParameterError, match=words):
            case.state_model(C=C)
        with pytest.raises(ParameterError, match=words):
            case.state_model().set_params(C=C)


@each_case_of_costs
def test_costs_that_do_not_fit(case: Case) -> None:
    m = len(case.data()[0])
    for C, words in (
        (np.ones(m - 1), f"C must have {m} entries, one for each sample, but it has {m - 1}"),
        (np.ones((m, 1)), rf"C must have one dimension, but its shape is \({m}, 1\)"),
        (["cheap"] * m, "C must hold real numbers, but text came, such as 'cheap'"),
        ("cheap", "C must be a number above 0, but 'cheap' came"),
    ):
        with pytest.raises((ShapeError, ParameterError), match=words):
            case.state_model(C=C)
        model = case.state_model()
        with pytest.raises((ShapeError, ParameterError), match=words):
            model.set_params(C=C)
        assert np.array_equal(model.C.value, np.full(m, case.example.parameters["C"]))


@together(
    "model, words",
    [
        (SoftMargin, "An infinite C is the hard margin: HardMargin"),
        (SoftTube, "An infinite C is the hard tube: HardTube"),
    ],
)
def test_an_infinite_cost_is_another_model(model: Any, words: str) -> None:
    X, y = overlapping()
    for C in (np.inf, changed(np.ones(30), 2, np.inf)):
        with pytest.raises(ParameterError, match=words):
            model(X, y, C=C)


# --- kernels ---


def test_precomputed_matrices() -> None:
    X, y = overlapping()
    K = RBF(0.5)(X)
    rows = np.arange(30)
    with pytest.raises(NotSquareError, match=r"must be square, but K has shape \(30, 29\)"):
        Precomputed(K[:, :-1])
    with pytest.raises(NotSymmetricError, match=r"K\[3, 5\] = .* and K\[5, 3\] = "):
        Precomputed(changed(K, (3, 5), 9.0))
    with pytest.raises(NonFiniteError, match=r"K\[0, 1\] is nan"):
        Precomputed(changed(K, (0, 1), np.nan))
    with pytest.raises(ParameterError, match="integers from 0 to 29"):
        SoftMargin(rows + 1, y, Precomputed(K))
    assert SoftMargin(rows, y, Precomputed(K)).solve(tol=1e-10).objective == pytest.approx(
        SoftMargin(X, y, RBF(0.5)).solve(tol=1e-10).objective, rel=1e-9
    )


@together("model", [model for model in MODELS if not model.__name__.startswith("LinearProgram")])
def test_an_indefinite_matrix(model: Any) -> None:
    targets = [] if model is OneClass else [overlapping()[1]]
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    K = basis @ np.diag(np.append(np.linspace(1, 2, 29), -0.125)) @ basis.T
    with pytest.raises(
        IndefiniteKernelError, match=r"smallest eigenvalue is -0\.125 .*add at least 0\.125 .*al\.$"
    ) as caught:
        model(np.arange(30), *targets, kernel=Precomputed(0.5 * (K + K.T)))
    assert caught.value.smallest_eigenvalue == pytest.approx(-0.125, rel=1e-9)


@together("form", [SoftMarginDual, SoftMarginPrimal])
def test_a_matrix_above_the_memory_limit(form: type) -> None:
    model = stated(form, *overlapping(), RBF(0.5))
    model.model.gram.memory_limit = 1000
    with pytest.raises(GramTooLargeError, match=r"kernel matrix of 30 samples takes .* above the limit"):
        model.solve("clarabel")
    # It makes rows as it needs them.
    assert model.solve("smo").status is Status.OPTIMAL


def test_certifying_zero_needs_no_matrix() -> None:
    model = SoftMargin(*overlapping(), RBF(0.5), C=2.0)
    model.gram.memory_limit = 1000
    certificate = model.certify((np.zeros(30), 0.0))
    assert (certificate.primal_value, certificate.dual_value) == (60.0, 0.0)


# --- solvers ---


@each_form
def test_unknown_solvers(case: Case) -> None:
    model = case.state()
    with pytest.raises(UnknownSolverError, match="no solver is called 'clarabell'; did you mean 'clarabel'"):
        model.solve("clarabell")
    with pytest.raises(UnknownSolverError, match="'Clarabel'; did you mean 'clarabel'"):
        model.solve("Clarabel")
    with pytest.raises(UnknownSolverError, match=r"Known: clarabel, .*smo.*cvxpy:NAME"):
        model.solve("xyzzy")
    with pytest.raises(SolverNotInstalledError, match="CVXPY finds no solver 'XYZZY'; it finds CLARABEL"):
        model.solve("cvxpy:xyzzy")


@pytest.mark.parametrize(("solver", "install"), [("clarabel", "pip install clarabel"), ("smo", "pip install numba")])
def test_a_solver_that_is_not_installed(solver: str, install: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "find_spec", {}.get)
    with pytest.raises(SolverNotInstalledError, match=rf"solver '{solver}' needs the module .* run: {install}"):
        SoftMargin(*overlapping()).dual.solve(solver)


@each_form
def test_solvers_that_do_not_take_the_program(case: Case) -> None:
    model = case.state()
    cones = {type(cone).__name__ for cone in model.lower().program.cones} - {"Zero", "Nonnegative"}
    if cones:
        kinds = ", ".join(sorted(cones))
        with pytest.raises(UnsupportedProgramError, match=f"'osqp' has no cones of kind {kinds}, which"):
            model.solve("osqp")
    else:
        assert model.solve("osqp").objective == pytest.approx(model.solve().objective, rel=1e-2, abs=1e-6)
    name = case.form_class.__name__
    if "smo" not in case.routes:
        taken = "a KernelQP or a LevelQP"
        with pytest.raises(UnsupportedProgramError, match=f"takes {taken}, and this {name} is not one.*clarabel"):
            model.solve("smo")
    if not case.is_system:
        with pytest.raises(
            UnsupportedProgramError, match=f"takes a LinearSystem or a LeastSquares, and this {name} is"
        ):
            model.solve("linear")


@each_form
def test_unknown_options(case: Case) -> None:
    model = case.state()
    with pytest.raises(UnsupportedOptionError, match="'clarabel' has no option 'colour'"):
        model.solve("clarabel", colour="blue")
    if case.is_kernel_qp:
        with pytest.raises(UnsupportedOptionError, match="'smo' has no option 'colour'; it has cache_size, checkpoint"):
            model.solve("smo", colour="blue")
    if case.is_system:
        with pytest.raises(UnsupportedOptionError, match="'linear' has no option 'colour'; it has "):
            model.solve("linear", colour="blue")
    assert model.solve("clarabel", presolve_enable=False).status == "optimal"


@together("tol", [0.0, -1e-6, np.nan, np.inf, "tight", None])
@each_form
def test_tolerances_outside_their_range(case: Case, tol: Any) -> None:
    for solver in case.routes:
        with pytest.raises(ParameterError, match=r"tol must be .*above 0 and below 1, but"):
            case.state().solve(solver, tol=tol)


@together("solver", ["smo", "clarabel", "piqp"])
def test_limits_outside_their_range(solver: str) -> None:
    model = SoftMargin(*overlapping()).dual
    for max_iter in (0, -3, 2.5):
        with pytest.raises(ParameterError, match=f"max_iter must be an integer of at least 1, but {max_iter} came"):
            model.solve(solver, max_iter=max_iter)
    for time_limit in (0.0, -1.0, np.nan):
        with pytest.raises(ParameterError, match="time_limit must be finite and above 0"):
            model.solve(solver, time_limit=time_limit)
    with pytest.raises(UnsupportedOptionError, match="memory_limit is that of a process of its own"):
        model.solve(solver, memory_limit=2**30)


def test_a_backend_that_raises_is_quoted() -> None:
    with pytest.raises(SolverFailedError, match="solver 'osqp' raised"):
        SoftMargin(*overlapping()).dual.solve("osqp", alpha=-1.0)


# --- warm starts ---


@each_form
def test_warm_starts(case: Case) -> None:
    model = case.state()
    m = len(model.model)
    with pytest.raises(UnsupportedOptionError, match=r"by 'clarabel' does not start warm; choose a solver that does"):
        model.solve("clarabel", warm_start=np.zeros(m))
    if case.is_kernel_qp:
        with pytest.raises(
            ShapeError, match=f"warm_start must have {m} entries, one for each sample, but it has {m - 1}"
        ):
            model.solve("smo", warm_start=np.zeros(m - 1))
        with pytest.raises(NonFiniteError, match=r"warm_start\[3\] is nan"):
            model.solve("smo", warm_start=changed(np.zeros(m), 3, np.nan))
    if case.is_system:
        with pytest.raises(UnsupportedOptionError, match=r"by 'linear' does not start warm; choose a solver that does"):
            model.solve("linear", warm_start=np.zeros(m))


# --- no answer ---


@together("form", [HardMarginDual, HardMarginPrimal, HardMarginGeometric])
@together("solver", ["smo", "clarabel"])
def test_inseparable_classes(form: type, solver: str) -> None:
    with pytest.raises(InseparableError, match="convex combination of the samples 0, 1, 2, 3; use a soft margin"):
        stated(form, *xor()).solve(solver)
    with pytest.raises(InseparableError, match="use a soft margin, or a more flexible kernel"):
        stated(form, *contradiction(), RBF(3.0)).solve(solver)


@together("case, solver", HARD_ROUTES)
def test_samples_that_are_all_zero(case: Case, solver: str) -> None:
    """The hulls meet in the origin, and every norm that could scale their distance is 0."""
    with pytest.raises(InseparableError, match="no hyperplane separates") as caught:
        getattr(case.model(np.zeros((4, 2)), [1, -1, 1, -1]), case.form).solve(solver)
    assert caught.value.proof.distance == 0.0


@together("solver", ["smo", "clarabel", "scs"])
@together("form", [HardTubePrimal, HardTubeDual])
def test_a_tube_that_is_too_thin(form: type, solver: str) -> None:
    X, y = measured()
    smallest = ChebyshevFit(X, y).primal.solve(tol=1e-8).objective
    assert smallest == pytest.approx(0.894, abs=1e-3)
    words = f"within epsilon = 0.8 of every target: the smallest feasible epsilon is {smallest:.5g}"
    with pytest.raises(InfeasibleError, match=words) as caught:
        stated(form, X, y, epsilon=0.8).solve(solver)
    certificate = caught.value.certificate
    assert certificate.dual_value > 0.8
    # The proof: multipliers orthogonal to every function, which the targets outweigh.
    v = caught.value.multipliers
    assert np.abs(v @ np.column_stack([X, np.ones(len(y))])).max() <= 1e-6
    assert float(v @ y) > 0.8 * float(np.abs(v).sum())
    assert stated(form, X, y, epsilon=smallest * (1 + 1e-4)).solve("clarabel").status == "optimal"


@together("form", [HardTubePrimal, HardTubeDual])
def test_a_limit_of_ones_own_is_no_reason_to_look_for_a_proof(form: type) -> None:
    assert stated(form, *measured(), epsilon=0.8).solve("smo", max_iter=20).status == "stopped"


@together("form", [SparseApproximationL1, SparseApproximationSplit])
def test_values_that_no_function_comes_near(form: type) -> None:
    smallest = ChebyshevFit(*measured(), fit_intercept=False).primal.solve(tol=1e-8).objective
    # Steps of pairs move as far as the multipliers must grow, which is the longer the nearer epsilon is.
    for solver, share in (("smo", 0.5), ("clarabel", 0.9)):
        with pytest.raises(InfeasibleError, match=f"the smallest feasible epsilon is {smallest:.5g}"):
            stated(form, *measured(), epsilon=share * smallest).solve(solver)


def twice(contradicting: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return data with one sample twice, with the same target or with two."""
    X, y = few()
    return np.vstack([X, X[:1]]), np.append(y, y[0] + (1.0 if contradicting else 0.0))


@together("kernel", [None, RBF(0.5)])
@together("form", [InterpolationPrimal, InterpolationDual])
def test_interpolation_of_a_sample_that_comes_twice(form: type, kernel: Any) -> None:
    """K is singular: the answer of least norm is found, or it is proved that there is none."""
    for solver in ("linear", "clarabel", "scs"):
        with pytest.raises(
            InfeasibleError, match=r"no function of this space meets every target: the kernel matrix is"
        ):
            stated(form, *twice(contradicting=True), kernel).solve(solver)
    for solver in ("linear", "clarabel"):
        solution = stated(form, *twice(contradicting=False), kernel).solve(solver)
        assert solution.status == "optimal"
        assert np.abs(solution.residuals).max() <= 1e-5


# --- answers from outside ---


@each_case
def test_answers_that_do_not_fit(case: Case) -> None:
    model = case.state_model()
    m = len(model)
    with pytest.raises(ShapeError, match=rf"(beta must hold|\(beta, b\) with) {m}\b.* \({m - 1},\)"):
        model.certify((np.zeros(m - 1), 0.0))
    with pytest.raises(ShapeError, match=rf" \({m}, 1\)"):
        model.certify((np.zeros((m, 1)), 0.0))
    with pytest.raises(ShapeError, match=r"and b one, but .* and \(1,\) came"):
        model.certify((np.zeros(m), np.zeros(1)))
    with pytest.raises(ShapeError, match=f"must hold {m} real numbers"):
        model.certify((["much"] * m, 0.0))
    for nothing in (None, 5.0, "optimal", np.zeros(m), SVC):
        with pytest.raises(
            ParameterError, match=r"an answer is a Solution, a pair \(beta, b\) or \(w, b\), .* or a fitted \w+, but"
        ):
            model.certify(nothing)


@together("case", [case for case in CASES if not case.state_model().fit_intercept])
def test_an_intercept_given_to_a_model_without(case: Case) -> None:
    model = case.state_model()
    with pytest.raises(ParameterError, match=f"this {case.model.__name__} has no intercept, but b = 0.5 came"):
        model.certify((np.zeros(len(model)), 0.5))


@together("case", [case for case in LABELLED if not case.model.__name__.startswith("Nu")])
def test_classifiers_fitted_to_other_data(case: Case) -> None:
    X, y = case.data()
    model = case.state_model()
    more = SVC(kernel="linear").fit(np.vstack([X, X]), np.append(y, -y))
    with pytest.raises(ShapeError, match="must be fitted to these 30 samples, but it was fitted to 60"):
        model.certify(more)
    three = SVC(kernel="linear").fit(X, np.arange(30) % 3)
    with pytest.raises(ParameterError, match=r"fitted to the classes \[-1, 1\], but it was fitted to \[0, 1, 2\]"):
        model.certify(three)
    with pytest.raises(ParameterError, match=r"but it was fitted to \['ham', 'spam'\]"):
        model.certify(SVC().fit(X, np.where(y > 0, "spam", "ham")))
    if case.example.others and model.fit_intercept:
        other = SVC(kernel="linear").fit(X[::-1] + 1, y)
        with pytest.raises(ParameterError, match="the estimator was fitted"):
            model.certify(other)


@each_labelled_case
def test_a_regression_given_to_a_model_of_classes(case: Case) -> None:
    X, y = case.data()
    with pytest.raises(
        ParameterError, match="a fitted two-class SVC has support_ and classes_, but this estimator does not"
    ):
        case.state_model().certify(SVR().fit(X, y))


@together("case", [case for case in TARGETED if case.example.data is measured])
def test_a_classifier_given_to_a_model_of_real_targets(case: Case) -> None:
    X, _ = case.data()
    fitted = SVC(kernel="linear").fit(X, np.arange(len(X)) % 2)
    words = rf"a {case.model.__name__} has real targets, but the estimator was fitted to the classes \[0, 1\]"
    with pytest.raises(ParameterError, match=words):
        case.state_model().certify(fitted)
    with pytest.raises(ShapeError, match="must be fitted to these 24 samples, but it was fitted to 12"):
        case.state_model().certify(SVR().fit(X[:12], np.arange(12.0)))


def test_every_error_is_caught_by_one_name() -> None:
    """And by the built-in exception that a caller would expect."""
    for model, builtin in (
        (lambda: SoftMargin([[np.nan]], [1]).dual, ValueError),
        (lambda: SoftMargin(*overlapping(), C=-1).dual, ValueError),
        (lambda: SoftMargin(*overlapping()).dual.solve("xyzzy"), LookupError),
        (lambda: SoftMargin(*overlapping()).dual.solve("cvxpy:xyzzy"), ImportError),
        (lambda: Separability(*overlapping()).primal.solve("smo"), TypeError),
        (lambda: HardMargin(*xor()).dual.solve(), ValueError),
    ):
        with pytest.raises(QPKernelsError) as caught:
            model()
        assert isinstance(caught.value, builtin)
