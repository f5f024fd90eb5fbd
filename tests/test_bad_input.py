# SPDX-License-Identifier: BSD-3-Clause
"""Every bad input has its own exception, whose message says what came and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC

import qpkernels.solvers.interface as interface
from formulations import (
    HardMarginDual,
    HardMarginGeometric,
    HardMarginPrimal,
    Separability,
    SoftMarginDual,
    SoftMarginPrimal,
)
from model_data import CASES, CERTIFIED_CASES, PRICE, ROUTES, SOFT_CASES, Case, contradiction, overlapping, xor
from qpkernels.errors import (
    GramTooLargeError,
    IndefiniteKernelError,
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
from qpkernels.kernels import RBF, Precomputed

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_certified_case = pytest.mark.parametrize("case", CERTIFIED_CASES, ids=str)
each_soft_case = pytest.mark.parametrize("case", SOFT_CASES, ids=str)

HARD_ROUTES = [(case, solver) for case, solver in ROUTES if not case.is_soft and case.kernel == "explicit"]


def changed(array: np.ndarray, index: Any, value: float) -> np.ndarray:
    result = np.array(array, dtype=float)
    result[index] = value
    return result


# --- data ---


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@each_case
def test_data_that_are_not_finite(case: Case, value: float) -> None:
    X, y = case.data()
    with pytest.raises(NonFiniteError, match=rf"X must hold finite numbers only, but X\[4, 1\] is {value}.*drop"):
        case.state(X=changed(X, (4, 1), value))
    with pytest.raises(NonFiniteError, match=rf"y must hold finite labels only, but y\[3\] is {value}"):
        case.state(y=changed(y, 3, value))


@each_case
def test_labels_that_are_not_two(case: Case) -> None:
    X, y = case.data()
    with pytest.raises(LabelError, match=r"y must hold two classes, but it holds 3 \(-1.0, 1.0, 2.0\).*rest") as caught:
        case.state(y=changed(y, 0, 2))
    assert not isinstance(caught.value, OneClassError)
    with pytest.raises(LabelError, match=r"it holds 30 \(0, 1, 2, 3, 4, 5, \.\.\.\)"):
        case.state(y=np.arange(len(X)))
    with pytest.raises(OneClassError, match=r"every label is .*'ham'.*nothing to separate"):
        case.state(y=["ham"] * len(X))


@each_case
def test_shapes_that_do_not_fit(case: Case) -> None:
    X, y = case.data()
    with pytest.raises(ShapeError, match="X has 30 samples and y has 29 labels"):
        case.state(y=y[:-1])
    with pytest.raises(ShapeError, match=r"y must have one dimension, .* its shape is \(30, 1\)"):
        case.state(y=y[:, None])
    with pytest.raises(ShapeError, match=r"X must have two dimensions .* X\.reshape\(-1, 1\)"):
        case.state(X=X[:, 0])
    with pytest.raises(ShapeError, match=r"at least one sample and one feature, but its shape is \(30, 0\)"):
        case.state(X=X[:, :0])
    with pytest.raises(ShapeError, match="X must be a rectangular array of real numbers"):
        case.state(X=[["a", "b"]] * 30)


# --- prices ---


@each_soft_case
@pytest.mark.parametrize(
    ("C", "words"),
    [
        (0.0, "C must be a number above 0, but 0"),
        (-1.0, "C must be a number above 0, but -1"),
        (changed(np.ones(30), 7, 0.0), r"C\[7\] is 0; leave the sample out"),
        (changed(np.ones(30), 7, -2.5), r"C\[7\] is -2.5"),
        (np.nan, "C must be a number above 0, or one for each sample, but nan came"),
        (np.inf, "An infinite C is the hard margin: HardMarginPrimal, HardMarginDual"),
        (changed(np.ones(30), 2, np.inf), "An infinite C is the hard margin"),
    ],
)
def test_prices_outside_their_range(case: Case, C: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        case.state(C=C)
    with pytest.raises(ParameterError, match=words):
        case.state().set_params(C=C)


@each_soft_case
@pytest.mark.parametrize(
    ("C", "words"),
    [
        (np.ones(29), "C must have 30 entries, one for each sample, but it has 29"),
        (np.ones((30, 1)), r"C must have one dimension, but its shape is \(30, 1\)"),
        ("cheap", "C must be a rectangular array of real numbers"),
    ],
)
def test_prices_that_do_not_fit(case: Case, C: Any, words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        case.state(C=C)
    model = case.state()
    with pytest.raises(ShapeError, match=words):
        model.set_params(C=C)
    assert np.array_equal(model.C.value, np.full(30, PRICE))


@each_soft_case
def test_prices_set_outside_their_range(case: Case) -> None:
    model = case.state()
    model.C.value = changed(np.ones(30), 7, 0.0)
    for solver in ("smo", "clarabel"):
        with pytest.raises(ParameterError, match=r"C\[7\] is 0"):
            model.solve(solver)
    with pytest.raises(ParameterError, match=r"C\[7\] is 0"):
        model.lower()
    with pytest.raises(ParameterError, match=r"C\[7\] is 0"):
        model.certify((np.zeros(30), 0.0))


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
        SoftMarginDual(rows + 1, y, Precomputed(K))
    assert SoftMarginDual(rows, y, Precomputed(K)).solve().objective == pytest.approx(
        SoftMarginDual(X, y, RBF(0.5)).solve().objective, rel=1e-9
    )


@pytest.mark.parametrize("form", [SoftMarginDual, SoftMarginPrimal, HardMarginDual, HardMarginGeometric, Separability])
def test_an_indefinite_matrix(form: type) -> None:
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    K = basis @ np.diag(np.append(np.linspace(1, 2, 29), -0.125)) @ basis.T
    with pytest.raises(IndefiniteKernelError, match=r"smallest eigenvalue is -0\.125 .*add at least 0\.125") as caught:
        form(np.arange(30), overlapping()[1], Precomputed(0.5 * (K + K.T)))
    assert caught.value.smallest_eigenvalue == pytest.approx(-0.125, rel=1e-9)


@pytest.mark.parametrize("form", [SoftMarginDual, SoftMarginPrimal])
def test_a_matrix_above_the_memory_limit(form: type) -> None:
    for solver in ("smo", "clarabel"):
        model = form(*overlapping(), RBF(0.5))
        model.gram.memory_limit = 1000
        with pytest.raises(GramTooLargeError, match=r"kernel matrix of 30 samples takes .* above the limit"):
            model.solve(solver)


def test_certifying_zero_needs_no_matrix() -> None:
    model = SoftMarginDual(*overlapping(), RBF(0.5), C=2.0)
    model.gram.memory_limit = 1000
    certificate = model.certify((np.zeros(30), 0.0))
    assert (certificate.primal_value, certificate.dual_value) == (60.0, 0.0)


# --- solvers ---


@each_case
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
        SoftMarginDual(*overlapping()).solve(solver)


@each_certified_case
def test_solvers_that_do_not_take_the_program(case: Case) -> None:
    model = case.state()
    if any(type(cone).__name__ == "SecondOrder" for cone in model.lower().program.cones):
        with pytest.raises(UnsupportedProgramError, match="'osqp' has no cones of kind SecondOrder, which"):
            model.solve("osqp")
    else:
        assert model.solve("osqp").objective == pytest.approx(model.solve("smo").objective, rel=1e-3)
    with pytest.raises(UnsupportedProgramError, match="takes a KernelQP, and this Separability is none"):
        Separability(*case.data()).solve("smo")


@each_case
def test_unknown_options(case: Case) -> None:
    model = case.state()
    with pytest.raises(UnsupportedOptionError, match="clarabel has no setting 'colour'"):
        model.solve("clarabel", colour="blue")
    if case.is_kernel_qp:
        with pytest.raises(UnsupportedOptionError, match="smo has no option colour; it has max_iter"):
            model.solve("smo", colour="blue")
    assert model.solve("clarabel", presolve_enable=False).status == "optimal"


@pytest.mark.parametrize("tol", [0.0, -1e-6, np.nan, np.inf, "tight", None])
@each_case
def test_tolerances_outside_their_range(case: Case, tol: Any) -> None:
    for solver in ("clarabel", "smo") if case.is_kernel_qp else ("clarabel",):
        with pytest.raises(ParameterError, match=r"tol must be .* above 0, but"):
            case.state().solve(solver, tol=tol)


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_limits_outside_their_range(solver: str) -> None:
    model = SoftMarginDual(*overlapping())
    for max_iter in (0, -3, 2.5):
        with pytest.raises(ParameterError, match=f"max_iter must be an integer of at least 1, but {max_iter} came"):
            model.solve(solver, max_iter=max_iter)
    for time_limit in (0.0, -1.0, np.nan):
        with pytest.raises(ParameterError, match="time_limit must be finite and above 0"):
            model.solve(solver, time_limit=time_limit)
    with pytest.raises(UnsupportedOptionError, match="'piqp' has no time_limit; it has max_iter"):
        model.solve("piqp", time_limit=1.0)


def test_a_backend_that_raises_is_quoted() -> None:
    with pytest.raises(SolverFailedError, match="solver 'osqp' raised"):
        SoftMarginDual(*overlapping()).solve("osqp", alpha="many")


# --- warm starts ---


@each_case
def test_warm_starts(case: Case) -> None:
    model = case.state()
    with pytest.raises(UnsupportedOptionError, match="starts warm with smo only, not with 'clarabel'"):
        model.solve("clarabel", warm_start=np.zeros(30))
    if case.is_kernel_qp:
        with pytest.raises(ShapeError, match="warm_start must have 30 entries, one for each sample, but it has 29"):
            model.solve("smo", warm_start=np.zeros(29))
        with pytest.raises(NonFiniteError, match=r"warm_start\[3\] is nan"):
            model.solve("smo", warm_start=changed(np.zeros(30), 3, np.nan))


# --- no answer ---


@pytest.mark.parametrize("form", [HardMarginDual, HardMarginPrimal, HardMarginGeometric])
@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_inseparable_classes(form: type, solver: str) -> None:
    with pytest.raises(InseparableError, match="carried by the samples 0, 1, 2, 3; use a soft margin"):
        form(*xor()).solve(solver)
    with pytest.raises(InseparableError, match="use a soft margin, or a kernel that bends more"):
        form(*contradiction(), RBF(3.0)).solve(solver)


@pytest.mark.parametrize(("case", "solver"), HARD_ROUTES, ids=[f"{case}-{solver}" for case, solver in HARD_ROUTES])
def test_samples_that_are_all_zero(case: Case, solver: str) -> None:
    """The hulls meet in the origin, and every norm that could scale their distance is 0."""
    with pytest.raises(InseparableError, match="no hyperplane separates") as caught:
        case.form(np.zeros((4, 2)), [1, -1, 1, -1]).solve(solver)
    assert caught.value.proof.distance == 0.0


# --- answers from outside ---


@each_case
def test_answers_that_do_not_fit(case: Case) -> None:
    model = case.state()
    with pytest.raises(ShapeError, match=r"beta must hold 30 real numbers, .* arrays of shapes \(29,\)"):
        model.certify((np.zeros(29), 0.0))
    with pytest.raises(ShapeError, match=r"arrays of shapes \(30, 1\)"):
        model.certify((np.zeros((30, 1)), 0.0))
    with pytest.raises(ShapeError, match=r"and b one, but .* and \(1,\) came"):
        model.certify((np.zeros(30), np.zeros(1)))
    with pytest.raises(ShapeError, match="must hold 30 real numbers"):
        model.certify((["much"] * 30, 0.0))
    for nothing in (None, 5.0, "optimal", np.zeros(30), SVC()):
        with pytest.raises(ParameterError, match=r"an answer is a Solution, a pair \(beta, b\), or a fitted SVC"):
            model.certify(nothing)


@each_soft_case
def test_estimators_fitted_to_other_data(case: Case) -> None:
    X, y = case.data()
    more = SVC(kernel="linear").fit(np.vstack([X, X]), np.append(y, -y))
    with pytest.raises(ShapeError, match="must be fitted to these 30 samples, but it was fitted to 60"):
        case.state().certify(more)
    three = SVC(kernel="linear").fit(X, np.arange(30) % 3)
    with pytest.raises(ParameterError, match=r"fitted to the classes \[-1, 1\], but it was fitted to \[0, 1, 2\]"):
        case.state().certify(three)
    with pytest.raises(ParameterError, match=r"but it was fitted to \['ham', 'spam'\]"):
        case.state().certify(SVC().fit(X, np.where(y > 0, "spam", "ham")))
    other = SVC(kernel="linear").fit(X[::-1] + 1, y)
    assert not case.state().certify(other).holds(1e-3)


def test_every_error_is_caught_by_one_name() -> None:
    """And by the built-in exception that a caller would expect."""
    for model, builtin in (
        (lambda: SoftMarginDual([[np.nan]], [1]), ValueError),
        (lambda: SoftMarginDual(*overlapping(), C=-1), ValueError),
        (lambda: SoftMarginDual(*overlapping()).solve("xyzzy"), LookupError),
        (lambda: SoftMarginDual(*overlapping()).solve("cvxpy:xyzzy"), ImportError),
        (lambda: Separability(*overlapping()).solve("smo"), TypeError),
        (lambda: HardMarginDual(*xor()).solve(), ValueError),
    ):
        with pytest.raises(QPKernelsError) as caught:
            model()
        assert isinstance(caught.value, builtin)
