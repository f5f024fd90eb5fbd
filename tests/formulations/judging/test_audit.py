# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of scikit-learn before the audit: tight ones are proved, loose ones not, and other data are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.kernel_ridge import KernelRidge as KernelRidgeEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes
from formulations import (
    Audit,
    KernelRidge,
    LeastSquares,
    NuMargin,
    NuTube,
    OneClass,
    SoftMargin,
    SoftTube,
    audit,
    estimators,
)
from formulations.judging import AuditRow
from formulations.modelling.inputs.estimators import cost_of_ridge
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import RBF, Linear, Polynomial
from showing import check_bundle

RADIAL = RBF(GAMMA)
LIBLINEAR: dict[str, Any] = {"tol": 1e-10, "max_iter": 1_000_000, "random_state": 0}


@dataclass(frozen=True)
class Case:
    """An estimator, and its model stated by hand, where the audit has one to be held against."""

    estimator: Callable[..., Any]
    model: Callable[..., Any] | None = None
    tol: float = 1e-6


TWO = {
    "SVC": Case(lambda **o: SVC(C=2.0, gamma=GAMMA, **o), lambda X, y: SoftMargin(X, y, RADIAL, C=2.0)),
    "SVC linear": Case(lambda **o: SVC(C=0.5, kernel="linear", **o), lambda X, y: SoftMargin(X, y, Linear(), C=0.5)),
    "SVC poly": Case(
        lambda **o: SVC(kernel="poly", degree=2, gamma=0.1, coef0=1.0, **o),
        lambda X, y: SoftMargin(X, y, Polynomial(2, 0.1, 1.0)),
    ),
    "NuSVC": Case(lambda **o: NuSVC(nu=0.3, gamma=GAMMA, **o), lambda X, y: NuMargin(X, y, RADIAL, nu=0.3)),
    "OneClassSVM": Case(lambda **o: OneClassSVM(nu=0.3, gamma=GAMMA, **o), lambda X, _: OneClass(X, RADIAL, nu=0.3)),
    "LinearSVC": Case(lambda **o: LinearSVC(C=0.7, dual=False, **{**LIBLINEAR, **o})),
    "LinearSVC hinge": Case(lambda **o: LinearSVC(C=0.7, loss="hinge", **{**LIBLINEAR, **o}), tol=1e-4),
    "LinearSVC without b": Case(lambda **o: LinearSVC(fit_intercept=False, dual=False, **{**LIBLINEAR, **o})),
    "LinearSVC scaled": Case(lambda **o: LinearSVC(intercept_scaling=10.0, dual=False, **{**LIBLINEAR, **o})),
    "LogisticRegression": Case(lambda **o: LogisticRegression(C=1.8, max_iter=10000, **o)),
    "LogisticRegression without b": Case(lambda **o: LogisticRegression(fit_intercept=False, max_iter=10000, **o)),
    "LogisticRegression liblinear": Case(lambda **o: LogisticRegression(solver="liblinear", **{**LIBLINEAR, **o})),
}
REAL = {
    "SVR": Case(
        lambda **o: SVR(C=2.0, gamma=GAMMA, epsilon=0.3, **o), lambda X, y: SoftTube(X, y, RADIAL, C=2.0, epsilon=0.3)
    ),
    "NuSVR": Case(lambda **o: NuSVR(C=2.0, gamma=GAMMA, nu=0.4, **o), lambda X, y: NuTube(X, y, RADIAL, C=2.0, nu=0.4)),
    "LinearSVR": Case(lambda **o: LinearSVR(C=0.6, epsilon=0.1, **{**LIBLINEAR, **o}), tol=1e-4),
    "LinearSVR squared": Case(
        lambda **o: LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.2, dual=False, **{**LIBLINEAR, **o})
    ),
    "KernelRidge": Case(
        lambda **_: KernelRidgeEstimator(alpha=0.6, kernel="rbf", gamma=GAMMA),
        lambda X, y: KernelRidge(X, y, RADIAL, regularisation=0.6),
    ),
    "Ridge": Case(lambda **_: Ridge(alpha=2.5)),
}
CASES = {**TWO, **REAL}
each_case = pytest.mark.parametrize("name", CASES)


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    return two_classes() if name in TWO else targets()


@each_case
def test_a_sharp_answer_is_proved(name: str) -> None:
    case, (X, y) = CASES[name], data(name)
    (found,) = audit(case.estimator(**SHARP).fit(X, y), X, y, tol=case.tol)
    assert found.status == "optimal"
    assert found.certificate.holds(case.tol)
    assert found.row.wrong == (0 if found.machine.holds_multipliers else None)
    assert found.remarks == ()
    assert found.rows.tolist() == list(range(len(y)))


LOOSE = {"tol": 0.5}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.model and name != "KernelRidge"])
def test_a_loose_answer_has_the_certificate_of_its_model(name: str) -> None:
    case, (X, y) = CASES[name], data(name)
    estimator = case.estimator(**LOOSE).fit(X, y)
    assert case.model is not None
    expected = case.model(X, y).certify(estimator)
    (found,) = audit(estimator, X, y)
    assert found.status == "uncertified"
    assert expected.relative_gap > 1e-3
    for value in ("primal_value", "dual_value", "relative_gap", "dual_residual"):
        assert getattr(found.certificate, value) == pytest.approx(getattr(expected, value), rel=1e-9, abs=1e-12)
    assert found.row.wrong > 0


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(("Linear", "Logistic"))])
def test_weights_alone_are_as_far_above_the_optimum_as_they_are(name: str) -> None:
    """The primal value is that of w and b; the dual bound is below the optimum, and not far."""
    case, (X, y) = CASES[name], data(name)
    estimator = case.estimator(**SHARP).fit(X, y)
    optimum = audit(estimator, X, y)[0].certificate
    estimator.coef_ = estimator.coef_ * 1.01
    (row,) = audit(estimator, X, y, tol=1e-5).rows
    assert row.remarks[0].startswith("it holds weights only, and the lower bound is that of multipliers read off")
    assert (row.wrong, row.worst) == (None, ())
    found = audit(estimator, X, y)[0].certificate
    assert found.dual_value <= optimum.primal_value * (1 + 1e-9)
    assert found.primal_value > optimum.primal_value
    assert found.relative_gap < 0.3
    assert not found.holds(1e-5)


def test_the_value_of_a_linear_machine_is_that_of_its_objective() -> None:
    X, y = two_classes()
    machine = LinearSVC(C=0.7, loss="hinge", intercept_scaling=2.0, **LIBLINEAR).fit(X, y)
    sign = np.where(y == "yes", 1.0, -1.0)
    w, b = machine.coef_[0], machine.intercept_[0]
    value = 0.5 * (w @ w + (b / 2.0) ** 2) + 0.7 * np.maximum(0.0, 1.0 - sign * (X @ w + b)).sum()
    assert audit(machine, X, y)[0].certificate.primal_value == pytest.approx(value, rel=1e-12)


def test_ridge_is_least_squares_with_the_cost_of_its_penalty() -> None:
    X, y = targets()
    machine = Ridge(alpha=2.5).fit(X, y)
    value = LeastSquares(X, y, C=cost_of_ridge(2.5)).solve(tol=1e-10).certificate.primal_value
    assert audit(machine, X, y)[0].certificate.primal_value == pytest.approx(value, rel=1e-9)


# --- other data, other hyper-parameters ---


def test_another_cost_is_told() -> None:
    X, y = two_classes()
    machine = SVC(C=2.0, gamma=GAMMA, **SHARP).fit(X, y)
    (found,) = audit(machine, X, y, C=0.5)
    assert found.status == "uncertified"
    assert found.remarks[0].startswith("beyond the bound: ")
    assert "by a factor of 4;" in found.remarks[0]
    (found,) = audit(machine, X, y, C=8.0)
    assert found.status == "uncertified"
    assert "share the largest value, 0.25 of their bound" in found.remarks[0]
    assert audit(machine.set_params(C=3.0), X, y).status == "uncertified"
    assert audit(machine, X, y, C=2.0).status == "optimal"


def test_another_kernel_is_told() -> None:
    X, y = two_classes()
    machine = SVC(gamma=GAMMA, **SHARP).fit(X, y)
    assert audit(machine, X, y, gamma=2 * GAMMA).status == "uncertified"
    scaled = SVC(**SHARP).fit(X, y)
    assert audit(scaled, X, y).status == "optimal"
    assert audit(scaled, X, y, gamma=1.0 / (X.shape[1] * X.var())).status == "optimal"


def test_labels_of_a_sample_without_a_coefficient_are_told_by_its_margin() -> None:
    X, y = two_classes()
    machine = SVC(gamma=GAMMA, **SHARP).fit(X, y)
    other = y.copy()
    sample = int(np.setdiff1d(np.arange(len(y)), machine.support_)[0])
    other[sample] = "yes" if y[sample] == "no" else "no"
    (found,) = audit(machine, X, other)
    assert found.status == "uncertified"
    assert found.row.worst[0].sample == sample
    assert found.row.worst[0].multiplier == 0
    assert found.row.worst[0].expected == 1.0


@pytest.mark.parametrize("tol", [0.0, -1.0, 1.0, np.nan, "small"])
def test_tolerances(tol: Any) -> None:
    X, y = two_classes()
    with pytest.raises(ParameterError, match=r"tol must be"):
        audit(SVC().fit(X, y), X, y, tol=tol)


@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), estimators.SVC()], ids=["SVC", "linear", "of this package"])
def test_what_are_no_samples(estimator: Any) -> None:
    X, y = two_classes()
    fitted = estimator.fit(X, y)
    for text, words in (("X", "the text 'X' came"), (["a"] * len(y), "text came|two dimensions")):
        with pytest.raises(ShapeError, match=words):
            audit(fitted, text, y)


def test_hyper_parameters_that_nobody_has() -> None:
    X, y = two_classes()
    with pytest.raises(
        ParameterError, match=r"SVC has no hyper-parameter 'c'; those that can be given are C, class_we"
    ):
        audit(SVC().fit(X, y), X, y, c=1.0)


def found(tol: float = 0.5) -> Audit:
    X, y = three_classes()
    return audit(SVC(gamma=GAMMA, tol=tol).fit(X, y), X, y)


def test_it_is_a_sequence_of_machines() -> None:
    audited = found()
    assert len(audited) == 3
    assert audited[1].machine.name == "'c' against 'a'"
    assert [each.machine.name for each in audited[:2]] == ["'b' against 'a'", "'c' against 'a'"]
    assert audited.status == "uncertified"
    assert found(1e-9).status == "optimal"


def test_the_table_says_all() -> None:
    text = str(found())
    assert "SVC: optimal = proved to a relative gap and residuals of 0.001" in text
    assert "0 of 3 machines are proved" in text
    assert "'c' against 'a': not proved to 0.001: up to " in text
    assert "samples add more than their share to the gap:" in text
    assert "where it should be 1; adds " in text
    for heading in ("primal value", "dual res.", "‖f − f*‖ ≤", "certain", "wrong"):
        assert heading in text
    assert "3 of 3 machines are proved" in str(found(1e-9))


def test_a_single_machine_has_its_verdict() -> None:
    X, y = targets()
    text = str(audit(SVR(**SHARP).fit(X, y), X, y))
    assert "SVR: proved optimal to 0.001: at most " in text
    assert "machines are proved" not in text


def test_a_narrow_terminal_shows_what_matters() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(found())
    assert "primal value" not in capture.get()
    assert "rel. gap" in capture.get()


def test_json() -> None:
    rows = json.loads(found().to_json())
    assert [row["machine"] for row in rows] == ["'b' against 'a'", "'c' against 'a'", "'c' against 'b'"]
    assert set(rows[0]) == set(AuditRow.__dataclass_fields__)
    assert rows[0]["status"] == "uncertified"
    assert 0 < rows[0]["relative_gap"] < 1
    assert 1 <= len(rows[0]["worst"]) <= 5
    worst = rows[0]["worst"][0]
    _, y = three_classes()
    assert worst["label"] == y[worst["sample"]]
    assert worst["measure"] == "margin"
    assert worst["violation"] == max(each["violation"] for each in rows[0]["worst"])


def test_what_is_not_known_is_null() -> None:
    X, y = two_classes()
    (row,) = json.loads(audit(NuSVC(nu=0.3, **SHARP).fit(X, y), X, y).to_json(indent=None))
    assert row["certain"] is None
    assert row["distance"] >= 0


def test_it_is_one_line_where_it_is_not_printed() -> None:
    assert repr(found()) == "<Audit of SVC: 0 of 3 machines proved to 0.001>"
    X, y = two_classes()
    alone = audit(SVC(gamma=GAMMA, tol=1e-9).fit(X, y), X, y)
    assert repr(alone).startswith("<Audit of SVC: proved optimal to 0.001: at most ")
    assert check_bundle(alone, maths=False)
    assert alone._repr_mimebundle_()["text/plain"] == str(alone)


def test_html() -> None:
    html = found()._repr_html_()
    assert html.startswith("<div><table><caption>SVC: optimal = proved")
    assert html.count("<tr") == 4
    assert "&#x27;b&#x27; against &#x27;a&#x27;" in html


@pytest.mark.parametrize("tol", [1e-1, 1e-6])
def test_the_tolerance_decides(tol: float) -> None:
    X, y = two_classes()
    machine = SVC(gamma=GAMMA, tol=1e-3).fit(X, y)
    audited = audit(machine, X, y, tol=tol)
    assert audited.status == ("optimal" if tol > 1e-2 else "uncertified")
    assert f"{tol:g}" in str(audited)
