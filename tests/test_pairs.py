# SPDX-License-Identifier: BSD-3-Clause
"""Every primal and its dual have the value that the textbook says, found by different solvers on real data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes, make_regression

from formulations import (
    ChebyshevFit,
    HardTubePrimal,
    LeastSquaresCentred,
    LeastSquaresDual,
    LeastSquaresSystem,
    Separability,
    SoftMarginDual,
    SoftTubeDual,
    SparseApproximation,
    SparseApproximationSplit,
)
from formulations.base import Formulation
from formulations.losses import AbsolutePower, LogisticResidual, ResidualLoss
from model_data import FORMULATIONS, one_against_rest, relative_error
from qpkernels.certificates import Status
from qpkernels.errors import InfeasibleError
from qpkernels.kernels import RBF, Kernel, Polynomial

TOL = 1e-7
"""Asked of every solver, where values are compared to 1e-6."""


# --- data ---


@cache
def diabetes() -> tuple[np.ndarray, np.ndarray]:
    """Return 442 x 10, everything standardised."""
    X, y = load_diabetes(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


@cache
def outliers() -> tuple[np.ndarray, np.ndarray]:
    """Return 300 x 5, a noisy plane with a target in twenty far away, in units of the noise."""
    X, y = make_regression(n_samples=300, n_features=5, noise=1.0, random_state=3)
    y = y / np.abs(y).mean()
    rng = np.random.default_rng(4)
    y[::20] += rng.choice([-1.0, 1.0], 15) * rng.uniform(4.0, 8.0, 15)
    return X, y


CLASSIFICATION = {
    "breast-cancer": lambda: one_against_rest("breast-cancer", 1),
    "wine": lambda: one_against_rest("wine", 0),
}
REGRESSION = {"diabetes": diabetes, "outliers": outliers}


def least_width(X: np.ndarray, y: np.ndarray, intercept: bool) -> float:
    """Return the smallest largest residual of a linear fit, by SciPy."""
    F = np.column_stack([X, np.ones(len(y))]) if intercept else X
    ones = np.ones((len(y), 1))
    A = np.block([[F, -ones], [-F, -ones]])
    cost = np.append(np.zeros(F.shape[1]), 1.0)
    return float(linprog(cost, A_ub=A, b_ub=np.append(y, -y), bounds=(None, None)).fun)


# --- the catalogue ---


PARAMETERS: dict[str, dict[str, Any]] = {
    "A1": {},
    "A2": {},
    "A2L": {},
    "A3": {},
    "C1": {},
    "C2": {"C": 1.7},
    "C3": {"C": 0.9},
    "C4": {"C": 2.5},
    "C4-penalised": {"regularisation": 0.3},
    "C7": {"C": 0.6},
    "C8": {"nu": 0.3},
    "C9": {"nu": 0.2},
    "D1": {"epsilon": 0.5},
    "D2": {"C": 1.3, "epsilon": 0.2},
    "D3": {"regularisation": 0.4, "epsilon": 0.2},
    "D4": {"tau": 0.3, "C": 1.1},
    "D5": {"delta": 0.4, "C": 1.4},
    "D6": {"C": 0.7},
    "D7": {"nu": 0.4, "C": 1.2},
    "E1": {"C": 0.8},
    "E2": {"regularisation": 1.5},
    "F1": {"epsilon": 0.5},
    "F2": {"epsilon": 0.5},
    "F3": {},
}
"""Hyper-parameters by catalogue id, or by its first part."""

SECOND = {
    "A1": "linear",
    "A2": "highs",
    "A2L": "highs",
    "A3": "highs",
    "C3": "highs",
    "C4": "scs",
    "C8-primal": "proxqp",
    "C8-dual": "daqp",
    "D6": "scs",
    "D7": "piqp",
    "E2-dual": "linear",
    "E1-dual": "linear",
    "F3": "linear",
}
"""The solver that stands beside Clarabel, where it is not smo."""

MINIMISED = {"C1-dual", "C2-dual", "C7-dual", "C8-dual", "C9-dual", "D1-dual", "D2-dual", "D7-dual", "F1", "F2"}
"""Ids of the duals that the textbook minimises: their value is the negative of their primal's."""

PENALISED = {"C4-penalised": "C4-dual", "D3": "D2-dual", "E2": "E2-dual"}
"""Ids of the primals in the scaling of statistics, whose value is 2 lambda/m times that of the dual named."""


def of(table: dict[str, Any], catalogue: str, default: Any = None) -> Any:
    return table.get(catalogue, table.get(catalogue.split("-")[0], default))


def from_partner(model: Any, value: float) -> float:
    """Return the value that the textbook says for a model, from the value of its partner."""
    own, other = model.catalogue, model.partner.catalogue
    if own == "C1-geometric":
        return float((-2.0 * value) ** -0.5)
    primal_value = -value if MINIMISED & {own, other} else value
    # Where both are minimised, or both scaled, nothing would be left to tell them apart.
    assert not {own, other} <= MINIMISED
    if own in PENALISED:
        assert other == PENALISED[own]
        return 2.0 * float(model.regularisation.value) / len(model) * primal_value
    if other in PENALISED:
        return primal_value * len(model) / (2.0 * float(model.regularisation.value))
    return primal_value


WITHOUT_VALUE = {"E1-system", "E1-centred"}
"""Ids of the forms that are equations: their objective is 0."""


@dataclass(frozen=True)
class Pair:
    """A formulation on one data set, with one kernel, and with one loss where it takes any."""

    form: type[Formulation]
    data: str
    kernel: str
    loss: ResidualLoss | None = field(default=None)

    def __str__(self) -> str:
        loss = f"-{self.loss.name.replace(' ', '-')}" if self.loss else ""
        return f"{self.form.catalogue}-{self.data}-{self.kernel}{loss}"

    def state(self) -> Any:
        X, y = (CLASSIFICATION | REGRESSION)[self.data]()
        if self.form.catalogue.startswith("C3") or (str(self).startswith("C1") and self.kernel == "explicit"):
            # The linear program has a dense matrix of m x m; all of breast-cancer has a margin of 1e-4 of its size.
            few = np.random.default_rng(0).permutation(len(y))[:150]
            X, y = X[few], y[few]
        return stated(self.form, X, y, self.chosen_kernel(), self.loss)

    def chosen_kernel(self) -> Kernel | None:
        if self.kernel == "explicit":
            return None
        match self.form.catalogue[0]:
            case "A":
                # A fit without regularisation meets every target in the space of an RBF.
                return Polynomial(2, 0.1, 1.0)
            case "C":
                return RBF(2.0) if self.form.catalogue.startswith("C1") else RBF(1 / 30)
            case _:
                return RBF(1.0)


def stated(
    form: type[Formulation], X: np.ndarray, y: np.ndarray, kernel: Kernel | None, loss: ResidualLoss | None = None
) -> Any:
    """Return the model with the hyper-parameters of the table, and a tube that is wide enough."""
    parameters = dict(of(PARAMETERS, form.catalogue))
    if loss is not None:
        parameters["loss"] = loss
    if kernel is None and form.catalogue[:2] in ("D1", "F1", "F2"):
        parameters["epsilon"] = 1.05 * least_width(X, y, intercept=form.catalogue.startswith("D1"))
    samples = (X,) if form.catalogue.startswith("C9") else (X, y)
    return form(*samples, kernel, **parameters)  # type: ignore[call-arg]


def losses_of(form: type[Formulation]) -> tuple[ResidualLoss | None, ...]:
    return (AbsolutePower(1.5), LogisticResidual()) if form.catalogue.startswith("D6") else (None,)


PAIRED = [form for form in FORMULATIONS if form is not Separability]
"""All but the feasibility problem B3, whose other side is a proof that it has no solution."""

PAIRS = [
    Pair(form, data, kernel, loss)
    for form in PAIRED
    for data in (CLASSIFICATION if form.catalogue[0] == "C" else REGRESSION)
    for kernel in ("explicit", "kernel")
    for loss in losses_of(form)
    if not (form.catalogue.startswith("F3") and kernel == "explicit")
]


def test_every_formulation_has_its_place_in_the_tables() -> None:
    ids = {form.catalogue for form in PAIRED}
    assert all(of(PARAMETERS, each) is not None for each in ids)
    assert {each.split("-")[0] for each in ids} == {each.split("-")[0] for each in PARAMETERS}
    assert MINIMISED | set(PENALISED) | set(PENALISED.values()) | WITHOUT_VALUE <= ids
    assert {pair.form for pair in PAIRS} == set(PAIRED)


def agree(model: Any, solver: str, tol: float, rel: float, size: float = 0.0) -> None:
    """Solve a model by Clarabel and its partner by another solver, and compare all values; ``size`` counts as 0."""
    mine, theirs = model.solve("clarabel", tol=tol), model.partner.solve(solver, tol=tol)
    assert mine.status is Status.OPTIMAL, mine
    assert theirs.status is Status.OPTIMAL, theirs
    assert model.partner.objective_of(mine.certificate) == pytest.approx(theirs.objective, rel=rel, abs=size)
    assert model.objective_of(theirs.certificate) == pytest.approx(mine.objective, rel=rel, abs=size)
    if model.catalogue in WITHOUT_VALUE:
        assert mine.objective == 0.0
        assert mine.certificate.primal_value == pytest.approx(theirs.objective, rel=rel, abs=size)
    else:
        assert mine.objective == pytest.approx(from_partner(model, theirs.objective), rel=rel, abs=size)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_both_sides_have_the_same_value(pair: Pair) -> None:
    model = pair.state()
    agree(model, of(SECOND, model.partner.catalogue, "smo"), TOL, 1e-6)


# In a hard tube samples can make up for each other in the gap: here smo once stopped before each was in place.
@example(seed=3088, kernel=None)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6), kernel=st.sampled_from([None, RBF(0.7)]))
@pytest.mark.parametrize("form", PAIRED, ids=lambda form: form.catalogue)
def test_both_sides_have_the_same_value_on_small_data(
    form: type[Formulation], seed: int, kernel: Kernel | None
) -> None:
    rng = np.random.default_rng(seed)
    m, features = int(rng.integers(4, 12)), int(rng.integers(1, 4))
    X = rng.normal(size=(m, features))
    # Apart from each other, so that no kernel matrix is nearly singular; and all on one side of the origin.
    X[:, 0] = 1.0 + rng.permutation(m) + rng.uniform(-0.3, 0.3, m)
    if form.catalogue[0] == "C":
        y = np.where(np.arange(m) % 2 == 0, -1.0, 1.0)
        if form.catalogue.startswith("C1"):
            X[:, 0] *= y
    else:
        y = X[:, 0] + rng.normal(size=m)
    if form.catalogue.startswith("F3"):
        kernel = RBF(0.7)
    if form.catalogue.startswith("A") and kernel is not None:
        kernel = Polynomial(1, 1.0, 1.0)
    for loss in losses_of(form):
        model = stated(form, X, y, kernel, loss)
        agree(model, of(SECOND | {"C8-primal": "daqp"}, model.partner.catalogue, "smo"), TOL, 1e-6, size=1e-8)


# --- one problem, stated in several ways ---


@pytest.mark.parametrize("kernel", ["explicit", "kernel"])
@pytest.mark.parametrize("data", REGRESSION)
def test_sparse_approximation_is_the_hard_tube_without_intercept(data: str, kernel: str) -> None:
    pair = Pair(SparseApproximation, data, kernel)
    X, y = REGRESSION[data]()
    epsilon = float(pair.state().epsilon.value)
    values = {
        "F1": [SparseApproximation(X, y, pair.chosen_kernel(), epsilon=epsilon)],
        "F2": [SparseApproximationSplit(X, y, pair.chosen_kernel(), epsilon=epsilon)],
        "D1": [HardTubePrimal(X, y, pair.chosen_kernel(), epsilon=epsilon, fit_intercept=False)],
    }
    for (model,) in values.values():
        for solver in ("clarabel", "smo"):
            solution = model.solve(solver, tol=1e-8)
            assert solution.status is Status.OPTIMAL
            values[model.catalogue.split("-")[0]].append(solution.objective)
    expected = values["F1"][1]
    for found in values["F1"][1:] + values["F2"][1:]:
        assert found == pytest.approx(expected, rel=1e-7)
    for found in values["D1"][1:]:
        assert found == pytest.approx(-expected, rel=1e-7)


@pytest.mark.parametrize("kernel", [None, RBF(0.3)], ids=["explicit", "rbf"])
@pytest.mark.parametrize("data", REGRESSION)
def test_the_linear_systems_of_least_squares_have_one_solution(data: str, kernel: Kernel | None) -> None:
    X, y = REGRESSION[data]()
    forms = (LeastSquaresSystem, LeastSquaresCentred, LeastSquaresDual)
    found = [form(X, y, kernel, C=0.8).solve("linear") for form in forms]
    new = np.random.default_rng(0).normal(size=(20, X.shape[1]))
    for solution in found:
        assert solution.status is Status.OPTIMAL
        assert solution.function(X) == pytest.approx(found[0].function(X), rel=0, abs=1e-10)
        assert solution.function(new) == pytest.approx(found[0].function(new), rel=0, abs=1e-10)
        assert solution.intercept == pytest.approx(found[0].intercept, rel=0, abs=1e-10)
    assert abs(found[0].function.squared_norm) > 0.01


@pytest.mark.parametrize("solver", ["smo", "clarabel", "osqp", "scs", "piqp", "daqp", "highs", "proxqp"])
@pytest.mark.parametrize("form", [SoftMarginDual, SoftTubeDual])
def test_every_back_end_finds_the_same_value(form: type[Formulation], solver: str) -> None:
    data = "wine" if form is SoftMarginDual else "outliers"
    model = Pair(form, data, "kernel").state()
    best = model.solve("smo", tol=1e-10)
    solution = model.solve(solver, tol=1e-6)
    assert solution.status is Status.OPTIMAL
    assert relative_error(solution.objective, best.objective) <= 1e-6


def test_the_smallest_tube_is_the_chebyshev_fit() -> None:
    X, y = diabetes()
    width = least_width(X, y, intercept=True)
    assert ChebyshevFit(X, y).solve("clarabel", tol=1e-8).objective == pytest.approx(width, rel=1e-7)
    assert HardTubePrimal(X, y, epsilon=1.001 * width).solve("clarabel").status is Status.OPTIMAL
    with pytest.raises(InfeasibleError, match="smallest feasible epsilon"):
        HardTubePrimal(X, y, epsilon=0.999 * width).solve("clarabel")
