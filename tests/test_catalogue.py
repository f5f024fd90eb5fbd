# SPDX-License-Identifier: BSD-3-Clause
"""The page of the catalogue: every problem and form is there, solved and proved, and no cell is empty."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from model_data import FORMS, MODELS

ROOT = Path(__file__).parent.parent

WITHOUT_FORMS = {
    "BatchPerceptron",
    "OneVersusOne",
    "OneVersusRest",
    "Perceptron",
    "PlattCalibration",
    "RelevanceClassification",
    "RelevanceRegression",
    "ReweightedRelevance",
    "SoftMargin(QuadraticMap()(X), y)",
    "SoftMargin(ScaledQuadraticMap()(X), y)",
}
"""The problems that have no form in CVXPY."""


@cache
def catalogue() -> Any:
    """Return the program that writes the page."""
    spec = importlib.util.spec_from_file_location("catalogue", ROOT / "docs" / "catalogue.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["catalogue"] = module
    spec.loader.exec_module(module)
    return module


@cache
def entries() -> list[Any]:
    return list(catalogue().build())


def test_the_page_lists_every_problem() -> None:
    """The page itself is left where the documentation looks for it."""
    page = ROOT / "docs" / "catalogue.md"
    catalogue().write(entries(), page)
    lines = page.read_text(encoding="utf-8").replace("&#8203;", "").splitlines()
    listed = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][1:]
    assert listed == [entry.problem for entry in entries()]
    problems = [entry.problem for entry in entries() if not catalogue().is_form(entry)]
    assert sorted(problems) == sorted(WITHOUT_FORMS | {model.__name__ for model in MODELS})
    assert page.with_suffix(".png").stat().st_size > 0


def test_every_form_of_a_public_model_has_one_line_after_that_of_its_model() -> None:
    problems = [entry.problem for entry in entries()]
    for model in MODELS:
        forms = [f"{model.__name__}.{name}" for owner, name, _ in FORMS if owner is model]
        first = problems.index(model.__name__)
        assert problems[first + 1 : first + 1 + len(forms)] == forms
    assert len([entry for entry in entries() if catalogue().is_form(entry)]) == len(FORMS)


def test_no_cell_is_empty() -> None:
    assert [entry for entry in entries() if not all(astuple(entry))] == []


def test_two_back_ends_prove_every_convex_problem_and_form() -> None:
    alone = {entry.problem for entry in entries() if "," not in entry.solvers}
    schemes = {"PlattCalibration", "OneVersusOne", "OneVersusRest"}
    rules = {"BatchPerceptron", "Perceptron", "RelevanceClassification", "RelevanceRegression"}
    assert alone == schemes | rules


def test_the_line_of_a_model_counts_all_its_forms_and_who_takes_it_as_it_is() -> None:
    solvers = {entry.problem: set(entry.solvers.split(", ")) for entry in entries()}
    for entry in entries():
        if catalogue().is_form(entry):
            found = solvers[entry.problem]
            assert found <= solvers[entry.problem.partition(".")[0]]
            assert "smo" not in found
    assert "smo" in solvers["SoftMargin"]
    assert {"smo", "linear"} <= solvers["LeastSquares"]
    assert "linear" in solvers["LeastSquares.system"]
    assert "linear" not in solvers["LeastSquares.dual"]


def test_an_empty_cell_is_an_error(tmp_path: Path) -> None:
    unsolved = catalogue().Entry("LeastSquaresFit", "primal, dual", "a file", solvers="", proof="")
    with pytest.raises(ValueError, match=r"the line of LeastSquaresFit has nothing under solved by, weakest proof"):
        catalogue().write([unsolved], tmp_path / "page.md")
