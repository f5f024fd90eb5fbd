# SPDX-License-Identifier: BSD-3-Clause
"""Every model, form, kernel and answer shows itself: repr, print, HTML, LaTeX, and maths that the docstring has too."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from matplotlib.mathtext import MathTextParser

import formulations
from builders import KERNEL_EXAMPLES
from formulations import (
    BatchPerceptron,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    PlattCalibration,
    RelevanceClassification,
    RelevanceRegression,
    ReweightedRelevance,
    SoftMargin,
    calibrate,
    compare,
    cross_examine,
    cross_validate,
    grid,
    leave_one_out,
    path,
)
from formulations.modelling.cards import Explained, statement_of_form
from formulations.modelling.prediction.predictor import Answering
from model_data import CASES, FIRST_CASES, FORMS, KERNELS, MODEL_CASES, measured, overlapping
from qpkernels import RBF, Columns, Kernel
from qpkernels.display import TextbookProblem, to_text
from qpkernels.display.maths import to_latex
from showing import check_bundle, check_latex, check_repr
from together import together

STATED = sorted({form for _, _, form in FORMS}, key=lambda form: form.__name__)


def others() -> dict[str, Any]:
    """What is stated and no model with forms."""
    (X, y), (Z, t) = overlapping(), measured()
    classes = np.arange(len(y)) % 3
    kernel = RBF(0.5)
    return {
        "batch perceptron": BatchPerceptron(X, y, threshold=0.25),
        "perceptron": Perceptron(X, y, kernel),
        "rest": OneVersusRest(X, classes, kernel, C=2.0),
        "one": OneVersusOne(X, classes),
        "relevance": RelevanceRegression(Z, t, kernel, noise=0.3),
        "relevance classes": RelevanceClassification(X, y, kernel),
        "reweighted": ReweightedRelevance(Z, t, kernel),
        "Platt": PlattCalibration(X[:, 0], y, targets="platt"),
    }


OTHERS = others()


def normalised(text: str) -> str:
    return " ".join(text.split())


def is_written(problem: TextbookProblem, kind: type) -> bool:
    """Whether the docstring of the module, or of the class, has the problem and its definitions."""
    said = normalised(f"{inspect.getdoc(sys.modules[kind.__module__])} {inspect.getdoc(kind)}")
    verb, _, rest = problem.text.partition(" ")
    stated = normalised(rest if verb in ("solve", "repeat", "decide") else problem.text)
    return stated in said and all(normalised(each) in said for each in problem.where)


@cache
def mathtext() -> MathTextParser:
    return MathTextParser("path")


def check_drawn(formulas: Iterator[str]) -> None:
    """Let an independent reader of LaTeX draw the formulas; it raises where it cannot."""
    for formula in formulas:
        mathtext().parse(f"${to_latex(formula)}$")


# Problems -----------------------------------------------------------------------------------------------------


def test_all_that_is_stated_is_found() -> None:
    known = {type(each) for each in OTHERS.values()} | {case.model for case in MODEL_CASES} | set(STATED)
    public = {getattr(formulations, name) for name in formulations.__all__} | {form for _, _, form in FORMS}
    stated = {each for each in public if isinstance(each, type) and issubclass(each, Explained)}
    assert {each for each in stated if not inspect.isabstract(each)} <= known


@together("form", STATED)
def test_each_form_has_the_maths_of_its_docstring(form: Any) -> None:
    assert isinstance(vars(form).get("textbook"), TextbookProblem), "each form states its own problem"
    owners = [form, *(model for model, _, each in FORMS if each is form)]
    assert any(is_written(form.textbook, owner) for owner in owners), form.textbook


@together("stated", OTHERS.values())
def test_so_has_what_has_no_forms(stated: Any) -> None:
    assert is_written(stated.textbook, type(stated)), stated.textbook


@together("case", CASES)
def test_a_problem_without_an_intercept_has_none(case: Any) -> None:
    form = case.state()
    written = f"{statement_of_form(form).text} {' '.join(statement_of_form(form).where)}"
    if not form.model.fit_intercept:
        assert re.search(r"\bb\b", written) is None
        assert not any(constraint.label == "balance" for constraint in form.problem.constraints)
    balances = ("y'a =", "1'c =", "1'v =", "1'(a+ - a-) =", "y'l =", "1'a =")
    stated = any(each.startswith(balances) for each in statement_of_form(form).constraints)
    assert stated == any(constraint.label == "balance" for constraint in form.problem.constraints)


@together("case", FIRST_CASES)
def test_a_problem_is_minimised_where_its_form_is(case: Any) -> None:
    form = case.state()
    verb = {"Minimize": "minimize", "Maximize": "maximize"}[type(form.problem.objective).__name__]
    feasibility = form.problem.objective.expr.is_constant()
    assert statement_of_form(form).verb in ({"find", "solve"} if feasibility else {verb})


# What models and forms show -----------------------------------------------------------------------------------


@together("case", MODEL_CASES)
def test_a_model_shows_itself(case: Any) -> None:
    for kernel in case.example.kernels:
        data = case.data()
        model = case.model(*data, KERNELS[kernel], **case.example.parameters)
        check_repr(model)
        text = str(model)
        assert f"{len(model)} samples" in text
        assert "features" in text
        for parameter in model.entry.parameters:
            assert parameter.name in text
            assert f"{model.value_of(parameter.name).flat[0]:g}" in text
        assert all(name in text for name in model.forms)
        if kernel != "explicit":
            assert repr(KERNELS[kernel]) in text
            assert to_text(KERNELS[kernel].formula()) in text
        read = check_bundle(model, maths=True)
        assert model.name in read
        assert "explicit" not in read


@together("case", FIRST_CASES)
def test_a_form_shows_its_own_problem(case: Any) -> None:
    form = case.state()
    check_repr(form)
    assert str(form).startswith(form.name)
    assert all(to_text(line.formula) in str(form) for line in form.textbook.lines[:1])
    check_bundle(form, maths=True)
    check_drawn(line.formula for line in statement_of_form(form).lines)


@together("stated", OTHERS.values())
def test_what_has_no_forms_shows_itself_too(stated: Any) -> None:
    check_repr(stated)
    assert "30 s" in str(stated) or "24 s" in str(stated)
    check_bundle(stated, maths=True)
    check_drawn(line.formula for line in stated.statement.lines)


def test_the_settings_of_the_others_are_shown() -> None:
    assert "threshold = 0.25" in str(OTHERS["batch perceptron"])
    assert "machine = SoftMargin, C = 2.0" in repr(OTHERS["rest"])
    assert "noise = 0.3" in str(OTHERS["relevance"])
    assert "noise learned" in str(OTHERS["reweighted"])
    assert "targets = 'platt'" in str(OTHERS["Platt"])


@together("kernel", KERNEL_EXAMPLES.values())
def test_a_kernel_shows_its_formula(kernel: Kernel) -> None:
    check_repr(kernel)
    assert "k(x, z) = " in str(kernel)
    assert type(kernel).__name__ + "(" not in kernel.formula(), "the formula of a kernel is not its name"
    check_bundle(kernel, maths=True)
    check_drawn(iter([kernel.formula()]))


# What answers show --------------------------------------------------------------------------------------------


@together("case", MODEL_CASES)
def test_an_answer_shows_itself(case: Any) -> None:
    solution = case.state_model().solve()
    check_repr(solution)
    text = str(solution)
    for said in (str(solution.status), solution.solver, f"{solution.objective:.12g}", "primal value", "dual value"):
        assert said in text
    if solution.n_support is not None:
        assert f"{solution.n_support} support vector" in text
    assert "<svg" in solution._repr_html_()
    check_bundle(solution, maths=False)
    check_repr(solution.certificate)
    assert "relative gap" in check_bundle(solution.certificate, maths=False)


def test_answers_of_several_machines_show_themselves() -> None:
    (X, y), kernel = overlapping(), RBF(0.5)
    model = SoftMargin(X, y, kernel)
    answers = (
        OTHERS["rest"].solve(),
        OTHERS["perceptron"].solve(max_epochs=3),
        OTHERS["relevance"].solve(max_iter=20),
        OTHERS["Platt"].solve(),
        calibrate(lambda samples, labels: SoftMargin(samples, labels, kernel), X, y, folds=3),
        leave_one_out(model, progress=False),
    )
    for answer in answers:
        check_repr(answer)
        check_bundle(answer, maths=answer._repr_latex_() is not None)
        if isinstance(answer, Answering):
            check_repr(answer.predictor)
            assert repr(answer.predictor.functions.kernel) in check_bundle(answer.predictor, maths=False)


def test_tables_are_the_same_in_text_and_html() -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5))
    found = (
        compare(model, ["smo", "interior-point"], progress=False),
        cross_examine(model, solvers=["smo"], progress=False),
        cross_validate(model, folds=3, progress=False),
        grid(model, C=[1.0, 2.0], folds=3, progress=False),
        path(model, C=[1.0, 2.0], progress=False),
    )
    for report in found:
        check_repr(report)
        html = normalised(check_bundle(report, maths=False)).replace(" ", "")
        for table in report.report().tables:
            for cell in (*(column.heading for column in table.columns), *(cell for row in table.rows for cell in row)):
                assert cell in str(report)
                assert cell.replace(" ", "") in html


# Escaping -----------------------------------------------------------------------------------------------------

EVIL = "<script>alert('x')</script>"


def test_names_from_outside_are_escaped() -> None:
    X, y = overlapping()
    strange = type(EVIL, (SoftMargin,), {})(X, np.where(y > 0, EVIL, "<b>"))
    assert EVIL in check_bundle(strange, maths=True)
    solution = strange.solve()
    assert EVIL in check_bundle(solution, maths=False)
    object.__setattr__(solution, "message", EVIL)
    assert "says: " + EVIL in check_bundle(solution, maths=False)
    assert EVIL not in compare(strange, ["smo"], progress=False)._repr_html_()


def test_the_names_of_columns_are_text() -> None:
    kernel = Columns(RBF(0.5), ["a_b", "50% $ {a}", "x^2~y\\", "<b>"])
    assert "&lt;b&gt;" in kernel._repr_html_()
    check_drawn(iter([kernel.formula()]))


def test_a_function_within_a_kernel_is_escaped() -> None:
    kernel = RBF(0.5).compose(lambda X: X)
    assert "<lambda>" in check_bundle(kernel, maths=True)
    check_latex(f"${to_latex('50% & #1 $ {a}')}$".replace("\\$", ""))
