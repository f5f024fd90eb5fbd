# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons: one row a pair, whatever the solver does."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from foreign_solvers import Broken, Crying, Empty, Fake, Hostile, Lying
from formulations import (
    Comparison,
    HardMargin,
    KernelRidge,
    LeastSquares,
    LeastSquaresFit,
    LinearProgramMachine,
    Logistic,
    NormConstrainedClassifier,
    NuTube,
    OneClass,
    PenalisedLogistic,
    PenalisedTube,
    ResidualLossRegression,
    SoftMargin,
    compare,
    cross_examine,
)
from formulations.judging import Row
from model_data import FORMS, MODEL_CASES, Case, overlapping, separable, solved, xor
from qpkernels.errors import ParameterError, UnknownSolverError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Linear, Sigmoid
from qpkernels.problems import ConeProgram
from qpkernels.solvers import Answer, installed_solvers, registry
from qpkernels.solvers.smo import SMO

COLUMNS = {
    "problem",
    "formulation",
    "solver",
    "status",
    "objective",
    "factor",
    "scale",
    "primal_value",
    "dual_value",
    "relative_gap",
    "primal_residual",
    "dual_residual",
    "complementarity",
    "accuracy",
    "n_support",
    "intercept",
    "seconds_gram",
    "seconds_lower",
    "seconds_solve",
    "seconds_certify",
    "claim",
    "reason",
}


class Missing(Fake):
    """Is not installed."""

    name = "missing"
    module = "a_module_that_does_not_exist"

    def answer(self, variables: int, rows: int) -> Answer:
        raise AssertionError(f"called with {variables} variables and {rows} rows")


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    families = (*registry._families(), Broken, Lying, Crying, Empty, Hostile, Missing)
    monkeypatch.setattr(registry, "_families", lambda: families)


def soft() -> SoftMargin:
    return SoftMargin(*overlapping(), RBF(0.5))


def comparison(models: Any, solvers: Any, **options: Any) -> Comparison:
    return compare(models, solvers, progress=False, **options)


# --- rows ---


def test_one_row_for_each_pair_in_order() -> None:
    rows = comparison(soft(), ["clarabel", "smo", "scs"])
    assert [(row.formulation, row.solver) for row in rows] == [
        ("SoftMargin", "smo"),
        *(
            (form, name)
            for form in ("SoftMarginPrimal", "SoftMarginHinge", "SoftMarginDual")
            for name in ("clarabel", "scs")
        ),
    ]
    assert len(rows) == 7
    assert rows[0] is next(iter(rows))
    assert [row.solver for row in rows[:2]] == ["smo", "clarabel"]
    assert {field.name for field in fields(Row)} == COLUMNS
    for row in rows:
        assert (row.problem, row.status) == ("SoftMargin", "optimal")
        sign = -1 if row.formulation == "SoftMarginDual" else 1
        assert sign * row.objective == pytest.approx(rows[0].objective, rel=1e-5)
        assert row.primal_value == pytest.approx(row.dual_value, rel=1e-5)
        assert max(row.relative_gap, row.primal_residual, row.dual_residual, row.complementarity) <= 1e-6
        assert row.n_support == rows[0].n_support
        assert row.intercept == pytest.approx(rows[0].intercept, abs=1e-3)
        phases = (row.seconds_gram, row.seconds_lower, row.seconds_solve, row.seconds_certify)
        assert min(phases) >= 0
        assert row.seconds_solve > 0
        assert row.seconds == sum(phases)


def test_one_form_and_all_solvers() -> None:
    form = soft().dual
    rows = comparison(form, "all")
    # First those of the model itself, then those of the form.
    program = form.model.qp()
    own = {solver.name for solver in installed_solvers() if solver.refusal(program) is None}
    names = [row.solver for row in rows]
    assert set(names[: len(own)]) == own >= {"coordinate-descent", "interior-point", "smo"}
    assert names[len(own) :] == [solver.name for solver in installed_solvers() if ConeProgram in solver.programs]
    assert {row.formulation for row in rows} == {"SoftMargin", "SoftMarginDual"}
    assert {"smo", "clarabel", "osqp", "scs"} <= {row.solver for row in rows if row.status == "optimal"}


def test_refused_pairs_are_left_out_of_all_and_present_by_name() -> None:
    form = HardMargin(*separable()).geometric
    everyone = {row.solver for row in comparison(form, "all")}
    assert {"smo", "clarabel", "scs"} <= everyone
    assert not {"osqp", "piqp"} & everyone
    (row,) = comparison(form, ["osqp"])
    assert row.status == "failed"
    assert "no cones of kind SecondOrder" in row.reason
    assert np.isnan(row.objective)
    extended = form.extend(form.b == 0)
    assert "smo" not in {row.solver for row in comparison(extended, "all")}
    (row,) = comparison(extended, ["smo"])
    assert "it was extended" in row.reason


# --- one problem, or several ---


def test_forms_of_equal_models_are_one_problem() -> None:
    X, y = overlapping()
    apart = [SoftMargin(X, y, RBF(0.5), C=2.0).primal, SoftMargin(X.copy(), y, RBF(0.5), C=np.full(30, 2.0)).dual]
    rows = comparison(apart, ["smo", "clarabel"])
    assert {row.problem for row in rows} == {"SoftMargin"}
    assert [row.formulation for row in rows] == ["SoftMargin", "SoftMarginPrimal", "SoftMarginDual"]
    assert rows.warnings == []
    assert len(rows.remarks) == 1


def test_weights_and_coordinates_are_two_statements_of_one_problem() -> None:
    X, y = overlapping()
    rows = comparison([SoftMargin(X, y).primal, SoftMargin(X, y, Linear()).primal], ["smo", "clarabel"])
    assert {row.problem for row in rows} == {"SoftMargin"}
    assert [row.formulation for row in rows] == ["SoftMargin", "SoftMarginPrimal", "SoftMarginPrimal"]
    assert rows.warnings == []


OTHERS = {
    "C (1 and 2)": {"C": 2.0},
    "the kernel (RBF(gamma=0.5) and RBF(gamma=0.7))": {"kernel": RBF(0.7)},
    "the samples": {"X": 1.0 + overlapping()[0]},
    "the targets": {"y": -overlapping()[1]},
    "the intercept": {"fit_intercept": False},
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_primal_beside_the_dual_of_another_problem_is_said_first(what: str) -> None:
    X, y = overlapping()
    settings = {"X": X, "y": y, "kernel": RBF(0.5), "C": 1.0} | OTHERS[what]
    rows = comparison([soft().primal, SoftMargin(**settings).dual], ["smo", "clarabel"])
    assert {row.problem for row in rows} == {"SoftMargin #1", "SoftMargin #2"}
    warning = f"SoftMargin #1 and SoftMargin #2 are different problems: they differ in {what}."
    assert rows.warnings == [warning]
    assert str(rows).lstrip().startswith(warning)
    assert warning in rows._repr_html_()
    assert [remark.partition(":")[0] for remark in rows.remarks] == ["SoftMargin #1", "SoftMargin #2"]


def test_two_corrections_of_one_kernel_are_two_problems() -> None:
    X, y = overlapping()
    grams = (Gram(Sigmoid(), X, indefinite="clip"), Gram(Sigmoid(), X, indefinite="shift"))
    rows = comparison([SoftMargin(gram, y) for gram in grams], ["smo"])
    assert [row.problem for row in rows] == ["SoftMargin #1", "SoftMargin #2"]
    assert [row.status for row in rows] == ["optimal", "optimal"]
    assert "they differ in the correction of the kernel matrix (clip and shift)." in rows.warnings[0]


def test_a_proved_contradiction_is_the_loudest_line() -> None:
    rows = comparison(soft(), ["smo", "clarabel"])
    wrong = replace(rows[2], primal_value=2.0, dual_value=2.0)
    torn = Comparison((*rows[:2], wrong), rows.tol, rows.problems)
    assert not torn.agreement("SoftMargin").holds
    assert str(torn).lstrip().startswith("DISAGREEMENT: the 3 proved answers of SoftMargin contradict each other")
    assert torn.remarks == []
    assert rows.agreement("SoftMargin").holds


@pytest.mark.usefixtures("fakes")
def test_a_solver_that_fails_is_a_row() -> None:
    names = ["clarabel", "broken", "empty", "missing", "smo"]
    rows = comparison(soft(), names)
    assert len(rows) == 1 + 3 * 4
    for row in rows:
        if row.solver in ("clarabel", "smo"):
            assert row.status == "optimal"
            continue
        assert row.status == "failed"
        assert row.n_support is None
        assert all(np.isnan(value) for value in (row.objective, row.relative_gap, row.intercept, row.seconds_solve))
    words = {row.solver: row.reason for row in rows}
    assert words["broken"] == "solver 'broken' raised ZeroDivisionError: <b>no pivot</b> & no luck"
    assert "'empty' returned no point with multipliers (lost)" in words["empty"]
    assert "run: nothing to install" in words["missing"]


def test_an_unknown_name_is_refused_before_anybody_solves() -> None:
    seen: list[str] = []

    class Watched(SMO):
        name = "watched"

        def ask(self, *args: Any, **options: Any) -> Any:
            seen.append("asked")
            return super().ask(*args, **options)

    for ask in (compare, cross_examine):
        with pytest.raises(UnknownSolverError, match="no solver is called 'smoo'; did you mean 'smo'"):
            ask(soft(), [Watched(), "smoo"], progress=False)
    assert seen == []
    assert {row.solver for row in compare(soft(), [Watched()], progress=False)} == {"watched"}
    assert seen


@pytest.mark.usefixtures("fakes")
def test_solvers_that_fail_are_rows_of_all() -> None:
    states = {row.solver: row.status for row in comparison(soft().dual, "all")}
    assert (states["broken"], states["empty"], states["lying"]) == ("failed", "failed", "uncertified")
    assert "missing" not in states


@pytest.mark.usefixtures("fakes")
def test_back_ends_of_others_run_apart_and_in_time() -> None:
    rows = comparison(soft(), ["smo", "hostile"], deed="hang", time_limit=0.1)
    assert [row.solver for row in rows] == ["smo", "hostile"]
    assert "'smo' has no option 'deed'" in rows[0].reason
    assert re.search(r"says 'no answer within 0\.(1|0\d+) s'", rows[1].reason)
    (row,) = comparison(soft(), ["hostile"], deed="segfault")
    assert "its process was ended by signal 11 (SIGSEGV)" in row.reason


@pytest.mark.usefixtures("fakes")
def test_one_that_stops_long_before_its_time_may_have_met_a_contradiction() -> None:
    (row,) = comparison(HardMargin(*xor()), ["hostile"])
    assert row.status == "infeasible"
    assert "no hyperplane separates the two classes" in row.reason


@pytest.mark.usefixtures("fakes")
def test_a_lie_is_uncertified() -> None:
    X, y = separable()
    models = [soft(), HardMargin(X, y)]
    for row in comparison(models, ["lying"]):
        assert row.status == "uncertified", row
        assert row.reason.startswith("trust me; ")
        assert max(row.relative_gap, row.primal_residual, row.dual_residual) > 0.1


@pytest.mark.usefixtures("fakes")
def test_a_false_claim_of_infeasibility_fails() -> None:
    for row in comparison(soft(), ["crying"]):
        assert row.status == "failed"
        assert "does not prove it" in row.reason


def test_an_infeasible_model_is_a_row_with_its_proof() -> None:
    for row in comparison([HardMargin(*xor()).primal, HardMargin(*xor()).dual], ["smo", "clarabel", "osqp"]):
        assert row.status == "infeasible"
        assert "no hyperplane separates the two classes" in row.reason
        assert np.isnan(row.objective)
        assert row.dual_residual <= 1e-5
        assert row.dual_value == np.inf


def test_limits_are_asked_of_those_who_have_them() -> None:
    rows = comparison(soft().dual, ["smo", "piqp", "clarabel"], time_limit=30.0)
    assert [row.status for row in rows] == ["optimal"] * 3
    (row,) = comparison(soft().dual, ["smo"], max_iter=2)
    assert row.status == "stopped"
    assert np.isfinite(row.objective)
    assert "limit of iterations" in row.reason


def test_options_are_refused_in_words() -> None:
    rows = comparison(soft().dual, ["smo", "clarabel"], colour="blue")
    assert [row.status for row in rows] == ["failed", "failed"]
    assert all("colour" in row.reason for row in rows)


def test_tolerance_reaches_the_rows() -> None:
    model = soft().dual
    sharp = comparison(model, ["smo"], tol=1e-11)
    assert sharp.tol == 1e-11
    assert sharp[0].relative_gap <= 1e-11
    assert comparison(model, ["osqp"], tol=1e-3)[0].status in ("optimal", "uncertified")


def test_one_solver_by_its_name() -> None:
    (row,) = comparison(soft().dual, "smo")
    assert (row.solver, row.status) == ("smo", "optimal")


def test_remarks_say_who_agrees() -> None:
    rows = comparison([soft(), HardMargin(*xor()).dual], ["smo", "clarabel"])
    remarks = rows.remarks
    assert remarks[0].startswith(
        f"SoftMargin: 4 of 4 answers by 2 solvers are proved and agree: optimum {rows[0].objective:.6g}"
    )
    assert remarks[1] == "HardMargin: no answer is proved"
    assert remarks[2].startswith("HardMargin by smo is infeasible: no hyperplane separates")
    assert len(remarks) == 4


def test_nothing_to_compare() -> None:
    for models in ([], None, 3, "soft-margin", [soft(), None]):
        with pytest.raises(ParameterError, match="compare needs at least one model or form, and nothing else"):
            comparison(models, "all")
    with pytest.raises(ParameterError, match="at least one solver, or be 'all', but an empty list came"):
        comparison(soft(), [])


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    compare(soft().dual, ["smo"], progress=True)
    assert capsys.readouterr().out == ""


# --- every kind of model ---

KINDS = [
    Case(HardMargin, "geometric", "explicit"),
    Case(LinearProgramMachine, "primal", "explicit"),
    Case(Logistic, "dual", "explicit"),
    Case(LeastSquares, "dual", "rbf"),
    Case(LeastSquaresFit, "primal", "explicit"),
    Case(LeastSquares, "system", "explicit"),
    Case(KernelRidge, "primal", "explicit"),
    Case(NuTube, "dual", "explicit"),
    Case(OneClass, "primal", "explicit"),
    Case(ResidualLossRegression, "primal", "explicit", "power"),
]


@pytest.mark.parametrize("case", KINDS, ids=str)
def test_all_solvers_are_those_that_take_the_model(case: Case) -> None:
    model = case.state()
    rows = comparison(model, "all")
    takes = {solver.name for solver in installed_solvers() if model.refusal(solver) is None}
    assert {row.solver for row in rows} == takes
    assert ("linear" in takes) == case.is_system
    assert ("smo" in takes) == ("smo" in case.routes)
    proved = [row for row in rows if row.status == "optimal"]
    assert {"clarabel", *case.routes} <= {row.solver for row in proved}
    expected = solved(case, "clarabel")[1]
    for row in proved:
        assert row.primal_value == pytest.approx(expected.certificate.primal_value, rel=3e-5, abs=1e-6)
        assert row.n_support == expected.n_support
    assert rows.warnings == []
    assert str(rows)
    for solver in {solver.name for solver in installed_solvers()} - takes:
        (row,) = comparison(model, [solver])
        assert row.status == "failed"
        assert f"{solver!r} " in row.reason


def test_models_of_all_kinds_stand_in_one_table() -> None:
    rows = comparison([case.state() for case in KINDS], ["linear", "clarabel"])
    systems = [case for case in KINDS if case.is_system]
    assert {row.formulation for row in rows if row.solver == "clarabel"} == {case.form_class.__name__ for case in KINDS}
    assert {row.formulation for row in rows if row.solver == "linear" and row.status == "optimal"} >= {
        case.model.__name__ for case in systems
    }
    dense = [row for row in rows if row.formulation in ("LogisticDual", "LeastSquaresDual") and row.status == "optimal"]
    assert len(dense) == 2
    assert all(row.n_support is None for row in dense)
    refused = {row.formulation for row in rows if row.status == "failed"}
    assert refused == {case.model.__name__ for case in KINDS} - {case.model.__name__ for case in systems}
    assert rows.to_pandas()["n_support"].isna().sum() >= len(refused) + len(dense)
    assert len(json.loads(rows.to_json())) == len(rows)


# --- in which scale ---

HALF = "½ ‖f‖² + "
MEAN = "λ/m ‖f‖² + 1/m "
SCALED = {
    KernelRidge: ("primal", "C Σᵢ (yᵢ − f(xᵢ))²", "Σᵢ (yᵢ − f(xᵢ))²"),
    PenalisedTube: ("loss", "C Σᵢ max(0, |yᵢ − f(xᵢ)| − ε)", "Σᵢ max(0, |yᵢ − f(xᵢ)| − ε)"),
    PenalisedLogistic: ("penalised", "C Σᵢ log(1 + exp(−yᵢ f(xᵢ)))", "Σᵢ log(1 + exp(−yᵢ f(xᵢ)))"),
}


def test_the_models_with_a_scale_of_the_textbooks_are_all_there() -> None:
    assert {model for model, _, form in FORMS if form.factor_formula} == set(SCALED)


@pytest.mark.parametrize("kind", SCALED, ids=lambda kind: kind.__name__)
def test_the_table_shows_which_scale_an_objective_is_in(kind: Any) -> None:
    case = next(case for case in MODEL_CASES if case.model is kind)
    name, of_model, of_form = SCALED[kind]
    model = case.state_model()
    rows = comparison(model, ["clarabel"])
    factor = 2.0 * float(model.regularisation.value) / len(model)
    (scaled,) = (row for row in rows if row.formulation == model.forms[name].name)
    assert scaled.factor == pytest.approx(factor, rel=1e-14)
    assert scaled.scale == MEAN + of_form
    for row in rows:
        assert row.objective == pytest.approx(row.factor * row.primal_value, rel=1e-5)
    printed = str(rows)
    (line,) = (line for line in printed.splitlines() if line.split()[:2] == [scaled.formulation, "clarabel"])
    assert line.split()[3:5] == [f"{scaled.objective:.10g}", f"{factor:.4g}"]
    said = (
        f"The value of {model.name} is {HALF}{of_model}, C = 1/(2 λ); the objective of {scaled.formulation} is {MEAN}"
    )
    assert said + f"{of_form}, 2 λ/m = {factor:.4g} times as large" in printed
    assert said in rows.report().notes[-1]


def test_the_factor_of_other_forms() -> None:
    rows = comparison([HardMargin(*separable()), soft(), soft().dual.extend(soft().dual.alpha >= 0)], ["clarabel"])
    factors = {(row.problem, row.formulation): row.factor for row in rows}
    assert factors["HardMargin", "HardMarginPrimal"] == factors["SoftMargin", "SoftMarginHinge"] == 1.0
    assert factors["HardMargin", "HardMarginDual"] == factors["SoftMargin", "SoftMarginDual"] == -1.0
    assert np.isnan(factors["HardMargin", "HardMarginGeometric"])
    assert np.isnan(factors["SoftMargin extended", "SoftMarginDual"])
    assert rows.scales == ("The value of HardMargin is ½ ‖f‖²", "The value of SoftMargin is ½ ‖f‖² + Σᵢ Cᵢ ξᵢ")


def test_classification_in_a_ball_counts_the_mean() -> None:
    rows = comparison(NormConstrainedClassifier(*overlapping(), R=0.2), ["clarabel"])
    assert [row.factor for row in rows] == [1.0, 1.0]
    assert rows.scales == ("The value of NormConstrainedClassifier is 1/m Σᵢ ψ(zᵢ)",)


# --- what it looks like ---


@pytest.mark.usefixtures("fakes")
def test_json() -> None:
    rows = comparison([soft().dual, HardMargin(*xor()).dual], ["clarabel", "broken"])

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    records = json.loads(rows.to_json(), parse_constant=refuse)
    assert len(records) == 4
    assert all(set(record) == COLUMNS for record in records)
    assert records[0]["objective"] == rows[0].objective
    assert records[0]["status"] == "optimal"
    assert records[1]["objective"] is None
    assert records[1]["relative_gap"] is None
    assert records[2]["status"] == "infeasible"
    assert records[2]["dual_value"] is None
    assert "\n" not in rows.to_json(indent=None)


@pytest.mark.usefixtures("fakes")
def test_pandas() -> None:
    rows = comparison(soft(), ["smo", "broken"])
    frame = rows.to_pandas()
    assert list(frame.columns) == [field.name for field in fields(Row)]
    assert frame.shape == (4, len(COLUMNS))
    assert frame["objective"].isna().tolist() == [False, True, True, True]
    assert frame["status"].tolist() == ["optimal", *["failed"] * 3]
    assert frame.loc[0, "objective"] == rows[0].objective


@pytest.mark.usefixtures("fakes")
def test_text() -> None:
    text = str(comparison([soft(), HardMargin(*xor()).dual], ["smo", "clarabel", "lying", "broken"]))
    for words in ("optimal", "uncertified", "failed", "infeasible", "SoftMarginHinge", "clarabel", "rel. gap"):
        assert words in text
    assert (
        "SoftMarginDual by broken is failed: solver 'broken' raised ZeroDivisionError: <b>no pivot</b> & no luck"
        in text
    )
    assert "proved to a relative gap and residuals of 1e-06" in text
    assert "nan" not in text
    assert "\x1b" not in text


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        del attrs
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.usefixtures("fakes")
def test_html_is_escaped() -> None:
    rows = comparison(soft(), ["smo", "lying", "broken"])
    html = rows._repr_html_()
    assert "&lt;b&gt;no pivot&lt;/b&gt; &amp; no luck" in html
    page = _Text()
    page.feed(html)
    assert set(page.tags) == {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert page.tags.count("tr") == 1 + len(rows)
    assert page.tags.count("td") == len(rows) * page.tags.count("th")
    assert {"optimal", "uncertified", "failed"} <= set(page.text)
    assert any("<b>no pivot</b> & no luck" in text for text in page.text)
