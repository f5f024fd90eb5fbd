# SPDX-License-Identifier: BSD-3-Clause
"""The table of the points, the numbers of the machine, and points as CSV."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS

from .conftest import CLASSES, WAVE

LINEAR = {"points": CLASSES, "kernel": [{"name": "linear"}]}
SAID = ".lab-table .lab-said"


@pytest.fixture
def table(window):
    lab = window.open(LINEAR)
    lab.says("Proved optimal")
    lab.page.locator(".lab-table summary").click()
    # It is filled once the browser has told the page that it is open.
    lab.until("document.querySelector('.lab-table output')?.textContent")
    return lab


def solution_of(setting):
    return read_setting(setting, VIEWS).state().solve(tol=1e-9)


def test_the_machine_is_shown_in_numbers_with_both_problems(window):
    lab = window.open(LINEAR)
    lab.says("Proved optimal")
    solution = solution_of(LINEAR)
    shown = dict(zip(*[iter(lab.page.locator(".lab-proof .lab-numbers > *").all_inner_texts())] * 2, strict=True))
    w = solution.beta @ np.array(CLASSES)[:, :2]
    assert [float(each.replace("−", "-")) for each in shown["w"].strip("()").split(", ")] == pytest.approx(w, rel=1e-3)
    assert float(shown["b"].replace("−", "-")) == pytest.approx(solution.intercept, rel=1e-3)
    assert float(shown["margin width 2/‖f‖"]) == pytest.approx(2 * solution.margin, rel=1e-3)
    assert shown["training errors"] == f"{int((solution.margins <= 0).sum())} of {len(CLASSES)}"
    problem = lab.page.locator(".lab-more").inner_text()
    assert "minus the dual value" in problem
    assert "aTYKYa" in problem.replace(" ", "")


def test_the_table_says_what_the_answer_makes_of_each_point(table):
    solution = solution_of(LINEAR)
    rows = [row.locator("output").all_inner_texts() for row in table.page.locator(".lab-table tbody tr").all()]
    y = np.array(CLASSES)[:, 2]
    wanted = np.column_stack([y * solution.beta, solution.slacks, solution.margins])
    assert np.array([[each.replace("−", "-") for each in row] for row in rows], float) == pytest.approx(
        wanted, abs=2e-3
    )


def test_a_point_is_edited_in_the_table(table):
    table.page.get_by_label("x1 of point 4", exact=True).fill("2.5")
    table.press("Enter")
    assert table.points[4] == [2.5, 1, 1]
    assert table.page.evaluate("() => window.lab.hand.selected") == 4
    table.page.get_by_label("Class of point 4", exact=True).click()
    assert table.settled().points[4] == [2.5, 1, -1]
    table.page.get_by_label("x1 of point 4", exact=True).fill("1e9")
    table.press("Enter")
    table.says("within 1000000 of 0", SAID)
    assert table.points[4] == [2.5, 1, -1]


def test_the_table_is_copied_and_imported(table):
    table.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table.page.get_by_role("button", name="Copy the table as CSV").click()
    table.says("Copied 7 rows.", SAID)
    text = table.page.evaluate("() => navigator.clipboard.readText()")
    assert text.splitlines()[0] == "x1,x2,label,alpha,xi,margin"
    table.page.get_by_role("button", name="Delete all points").click()
    table.page.get_by_label("Points as CSV", exact=True).fill(text)
    table.page.get_by_role("button", name="Replace the points by the rows above").click()
    table.says("Imported 7 points.", SAID)
    assert table.settled().points == CLASSES
    table.page.get_by_label("Points as CSV", exact=True).fill("1,2,1\n3,4,5\n")
    table.page.get_by_role("button", name="Replace the points by the rows above").click()
    table.says("Nothing was imported. Line 2 must hold x1, x2 and the class 1 or −1, but it is “3,4,5”.", SAID)
    assert table.points == CLASSES


READ = """async ([text, task]) => {
    const { readPoints } = await import("/state/csv.js");
    try { return readPoints(text, task, 3); } catch (error) { return error.message; }
}"""


@pytest.mark.parametrize(
    ("text", "task", "read"),
    [
        ("1,2,-1\n\n# a note\n3,4,1", "classification", [[1, 2, -1], [3, 4, 1]]),
        ("label;x2;x1\r\n1;0,5;2", "classification", [[2, 0.5, 1]]),
        ("1\t2\n3 4", "regression", [[1, 2], [3, 4]]),
        ("a,b\n1,2", "regression", [[1, 2]]),
        ("x,y\n1,two\n3,4,5\n6,7", "regression", "Line 2 must hold x and y, but it is “1,two”. Line 3 must"),
        ("1,2", "classification", "Line 1 must hold x1, x2 and the class 1 or −1"),
        ("a,b\n1,2", "classification", "The first line must name the columns x1, x2, label, but it names a, b."),
        ("1,1e7", "regression", "Line 1 must hold"),
        ("1,", "regression", "Line 1 must hold"),
        ("1,2\n" * 4, "regression", "There can be 3 points at most, but 4 rows came."),
        ("\n", "regression", "There are no rows"),
        ("x,y", "regression", "There is no row below the names"),
    ],
)
def test_rows_are_read_or_named(window, text, task, read):
    found = window.open(LINEAR).page.evaluate(READ, [text, task])
    assert found == read if isinstance(read, list) else read in found


def test_targets_stand_in_the_table_of_a_regression(window):
    lab = window.open({"points": WAVE, "machine": {"name": "soft-tube"}})
    lab.page.locator(".lab-table summary").click()
    lab.says("y − g", ".lab-table thead")
    assert lab.page.locator(".lab-table thead th").all_inner_texts()[1:] == ["x", "y", "β", "ξ", "y − g"]
    assert lab.page.locator(".lab-table tbody tr").count() == len(WAVE)
