# SPDX-License-Identifier: BSD-3-Clause
"""The concordance of formulas has no dead ends: pages, headings, objects and tests are there, or a reason is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from textbook import FORMULAS

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

from extensions.concordance import DOCUMENTS, ROOT, ROWS, Row, headings, place_of_test, source_of

from together import together

NAMED = sorted({row.test for row in ROWS if row.test})


def unexplained(row: Row) -> bool:
    """Whether a formula has no code, or no test, and nothing says why."""
    return not (row.code and row.test) and not row.note


@together("place", sorted({row.page for row in ROWS}))
def test_the_page_has_the_heading(place: str) -> None:
    file, _, anchor = place.partition("#")
    assert anchor in headings(file)


@together("code", sorted({row.code for row in ROWS if row.code}))
def test_the_object_has_a_line(code: str) -> None:
    file, number = source_of(code)
    assert code.rpartition(".")[2] in "".join(
        file.read_text(encoding="utf-8").splitlines(True)[number - 1 : number + 3]
    )


@together("test", NAMED)
def test_the_test_is_a_formula_that_is_run(test: str) -> None:
    file, number = place_of_test(test)
    case = FORMULAS[test.partition("::")[2]]
    assert case.__code__.co_filename == str(file)
    assert case.__code__.co_firstlineno in (number, number - 1)  # that of its decorator


def test_every_restated_formula_stands_in_the_table() -> None:
    assert sorted(FORMULAS) == sorted(name.partition("::")[2] for name in NAMED)


def test_a_formula_without_test_or_code_says_why() -> None:
    assert [row for row in ROWS if unexplained(row)] == []
    # As it would have to be found:
    assert unexplained(Row("survey", "(1)", "a formula", "models/index.md#models", "formulations.SoftMargin", "", ""))


def test_every_line_is_whole() -> None:
    places = [(row.document, row.place, row.formula) for row in ROWS]
    assert len(set(places)) == len(places)
    for row in ROWS:
        assert row.document in DOCUMENTS
        assert all((row.place, row.formula, row.page))


def test_the_page_shows_every_document_and_is_listed() -> None:
    page = (ROOT / "docs" / "concordance.md").read_text(encoding="utf-8")
    assert all(f"```{{concordance}} {document}\n" in page for document in DOCUMENTS)
    assert "\n../concordance\n" in (ROOT / "docs" / "models" / "index.md").read_text(encoding="utf-8")


def test_a_dead_end_is_found() -> None:
    with pytest.raises(AttributeError):
        source_of("formulations.models.classification.margins.soft_margin.SoftMarginDual.no_such_member")
    with pytest.raises(AttributeError):
        source_of("formulations.models.classification.margins.softer_margin.SoftMarginDual")
    with pytest.raises(KeyError):
        place_of_test("textbook/margins.py::no_such_formula")
    with pytest.raises(FileNotFoundError):
        place_of_test("textbook/no_such_file.py::hinge")
    assert "no-such-heading" not in headings("models/soft-margin.md")
