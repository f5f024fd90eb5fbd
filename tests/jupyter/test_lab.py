# SPDX-License-Identifier: BSD-3-Clause
"""The lab in a cell of JupyterLab, by mouse and keyboard."""

import re
from pathlib import Path

import pytest

DOCUMENTED = Path(__file__).parents[2] / "docs" / "lab-notebook.md"
LAB = "from formulations.lab.notebook import Lab\nlab = Lab([[0, 1], [1, 0], [-1, -1]], [1, 1, -1])\nlab"
TOLD = "print(len(lab.setting['points']), type(lab.model).__name__, lab.solution.status)"


def test_the_cells_of_the_documentation_run(notebook):
    cells = re.findall(r"^```python\n(.*?)^```$", DOCUMENTED.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    book = notebook(*cells)
    assert book.run(0) == ""
    book.settle()
    status, gap, total = book.run(1).split()
    assert status == "optimal"
    assert float(gap) <= 1e-6
    assert float(total) > 0


def test_what_is_drawn_and_chosen_is_the_model_of_the_next_cell(notebook):
    book = notebook(LAB, TOLD)
    book.run(0)
    book.settle()
    mouse = book.page.mouse
    mouse.click(*book.pixel(0.9, 0.9))
    mouse.move(*book.pixel(0.9, 0.9))
    mouse.down()
    mouse.move(*book.pixel(0.8, 0.5), steps=5)
    mouse.up()
    book.page.get_by_label("Machine", exact=True).select_option("squared-hinge")
    book.settle()
    book.says("Proved optimal to 1e−6")
    assert book.run(1) == "4 SquaredHinge optimal\n"
    left, right, bottom, top = book.page.evaluate("() => window.lab.setting.window")
    x, y, label = book.page.evaluate("() => window.lab.setting.points[3]")
    assert (x - left) / (right - left) == pytest.approx(0.8, abs=0.01)
    assert (y - bottom) / (top - bottom) == pytest.approx(0.5, abs=0.01)
    assert label == 1


def test_keys_of_the_lab_are_no_commands_of_the_notebook(notebook):
    book = notebook(LAB, TOLD)
    book.run(0)
    book.settle()
    page = book.page
    for part in (".lab-over", ".lab-sentence", ".lab-icon >> nth=-1"):
        book.lab.locator(part).click()
        for key in ("d", "d", "a", "b", "x", "m", "0", "0"):
            page.keyboard.press(key)
    assert book.cells == 2
    assert page.locator(".jp-Dialog").count() == 0
    book.lab.locator(".lab-over").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Delete")
    book.settle()
    assert book.run(1).startswith("3 ")
    book.lab.locator(".lab-sentence").click()
    page.keyboard.press("Control+z")
    book.settle()
    assert book.run(1).startswith("4 ")
    # But for the one that saves it.
    page.locator(".lab-over").focus()
    page.keyboard.press("Control+s")
    book.until("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")


def test_the_right_button_and_shift_add_points_and_do_no_more(notebook):
    book = notebook(LAB, "1", TOLD)
    book.run(0)
    book.settle()
    book.run(2)
    page = book.page
    page.mouse.click(*book.pixel(0.1, 0.9), button="right")
    page.keyboard.down("Shift")
    page.mouse.click(*book.pixel(0.2, 0.9))
    page.keyboard.up("Shift")
    book.settle()
    assert page.evaluate("() => window.lab.setting.points.slice(3).map((point) => point[2])") == [-1, -1]
    assert page.locator(".lm-Menu").count() == 0
    assert page.locator(".jp-Cell.jp-mod-selected").count() == 1
    assert page.evaluate("() => document.activeElement.className") == "lab-over"


def test_of_two_places_the_one_that_was_touched_last_is_answered(notebook):
    book = notebook(LAB, "lab", TOLD)
    book.run(0)
    book.settle()
    book.run(1)
    book.until("() => document.querySelectorAll('.lab-over').length === 2")
    book.says("Proved optimal", 1)
    book.says("Shown in another place", 0)
    book.page.mouse.click(*book.pixel(0.9, 0.9, 0))
    book.says("Proved optimal", 0)
    book.says("Shown in another place", 1)
    book.page.mouse.click(*book.pixel(0.1, 0.9, 0))
    book.page.wait_for_timeout(500)
    assert book.run(2).startswith("5 ")
    book.page.mouse.click(*book.pixel(0.9, 0.9, 1))
    book.says("Proved optimal", 1)
    assert book.run(2).startswith("4 ")


def test_a_lab_goes_on_after_its_page_was_loaded_anew(notebook):
    book = notebook(LAB, TOLD)
    book.run(0)
    book.settle()
    book.page.mouse.click(*book.pixel(0.9, 0.9))
    book.settle()
    book.command("docmanager:save")
    book.until("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    book.page.reload()
    book.settle()
    assert book.page.evaluate("() => window.lab.setting.points.length") == 4
    book.says("Proved optimal")


def test_a_kernel_that_was_restarted_answers_no_more_until_the_cell_is_run(notebook):
    book = notebook(LAB, TOLD)
    book.run(0)
    book.settle()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    book.says("run the cell again")
    book.page.mouse.click(*book.pixel(0.9, 0.9))
    book.says("run the cell again")
    book.run(0)
    book.settle()
    book.says("Proved optimal")
    assert book.run(1).startswith("3 ")


def test_the_lab_is_dark_where_the_notebook_is(notebook):
    book = notebook(LAB)
    book.run(0)
    book.settle()
    for theme in ("dark", "light"):
        # JupyterLab fails where it shows this twice at once.
        book.until("() => !document.querySelector('#jupyterlab-splash')")
        book.command("apputils:change-theme", theme=f"JupyterLab {theme.title()}")
        book.until("(theme) => document.querySelector('.qp-lab').dataset.scheme === theme", theme)
    # What a notebook styles in its own way is as it is on the page.
    name = book.page.locator(".lab-counts dt").first
    assert name.evaluate("(node) => [getComputedStyle(node).float, getComputedStyle(node).fontWeight]") == [
        "none",
        "400",
    ]


def test_a_lab_that_is_closed_leaves_the_notebook(notebook):
    book = notebook(LAB, "lab.close()")
    book.run(0)
    book.settle()
    book.run(1)
    book.until("() => !document.querySelector('.qp-lab')")
