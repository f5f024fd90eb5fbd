# SPDX-License-Identifier: BSD-3-Clause
"""Tables and reports, in a terminal, as text and as HTML."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from qpkernels.display import Column, TableReport, TextTable, as_text
from qpkernels.display.tables import Reported
from showing import read_html

TABLE = TextTable(
    (Column("name", "left"), Column("value"), Column("more", least_width=100)),
    (("a <b>", "1", "x"), ("c", "22", "y")),
    faint=frozenset({1}),
)
LONG = "a note that is much longer than any terminal is wide, " * 8


class Shown(Reported):
    def report(self) -> TableReport:
        return TableReport((TABLE,), "two <rows>", ("a <warning>",), (LONG,))


def test_a_report_as_text_has_every_column_and_breaks_no_note() -> None:
    lines = str(Shown()).splitlines()
    assert lines[:2] == ["a <warning>", "two <rows>"]
    assert [line.split() for line in lines if line.startswith((" a", " c"))] == [
        ["a", "<b>", "1", "x"],
        ["c", "22", "y"],
    ]
    assert lines[-1] == LONG.rstrip()
    assert repr(Shown()) == "<Shown: two <rows>>"


def test_a_report_as_text_is_the_same_in_a_notebook_and_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = str(Shown())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert str(Shown()) == expected
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert str(Shown()) == expected


def test_a_narrow_terminal_has_fewer_columns() -> None:
    printed = []
    for width in (60, 120):
        console = Console(width=width, no_color=True)
        with console.capture() as capture:
            console.print(Shown())
        printed.append("more" in capture.get())
    assert printed == [False, True]


def test_a_report_as_html() -> None:
    html = Shown()._repr_html_()
    assert read_html(html) == f"a <warning>two <rows>namevaluemorea <b>1xc22y{LONG}"
    assert '<tr style="opacity: 0.6"><td style="text-align: left">c</td><td style="text-align: right">22</td>' in html


def test_a_report_without_a_title_counts_its_rows() -> None:
    assert TableReport((TABLE,)).summary == "2 answers, 1 of them not proved"


def test_a_report_as_text_shows_nothing_beside_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    notebook = SimpleNamespace(display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=notebook))
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    assert str(Shown())
    assert shown == []


def test_nan_is_an_empty_cell() -> None:
    assert as_text(float("nan"), ".2g") == ""
    assert as_text(0.125, ".2g") == "0.12"
