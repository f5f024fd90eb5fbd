# SPDX-License-Identifier: BSD-3-Clause
"""The lab in a cell: a browser runs the joined module against a model as anywidget makes it, and a widget behind it."""

import json
from base64 import b64encode
from collections.abc import Iterator
from queue import Empty, Queue
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from formulations import HardMargin, SoftMargin
from formulations.lab.notebook import Lab

PATIENCE = 20_000
"""Milliseconds until something that is waited for must be there."""

HOST = """<!doctype html><link rel="stylesheet" href="style.css"><style>#cell { width: WIDTHpx }</style>
<div id="cell"></div><div id="other"></div>
<script type="module">
import widget from "./widget.js";
const listeners = [];
const model = {
  on: (name, heard) => listeners.push([name, heard]),
  off: (name, heard) => listeners.splice(listeners.findIndex((each) => each[0] === name && each[1] === heard), 1),
  send: (content) => {
    if (window.gone) throw new Error("Cannot send");
    window.toPython(JSON.stringify(content));
  },
};
window.happen = (name, ...what) => [...listeners].forEach((each) => each[0] === name && each[1](...what));
// A message of the kernel; its buffer begins anywhere within a larger one.
window.fromPython = (content, base64) => {
  const bytes = base64 === null ? [] : [...atob(base64)].map((letter) => letter.charCodeAt(0));
  const larger = new Uint8Array([1, 2, 3, ...bytes, 4]);
  const buffers = base64 === null ? [] : [new DataView(larger.buffer, 3, bytes.length)];
  window.happen("msg:custom", content, buffers);
};
window.listeners = listeners;
window.show = (place) => widget.render({ model, el: document.getElementById(place) });
window.takeAway = window.show("cell");
window.first = window.lab;
</script>"""


class Cell:
    """A cell with a lab, and the page that shows it."""

    def __init__(self, page: Page, lab: Lab, monkeypatch: pytest.MonkeyPatch, width: int = 900) -> None:
        self.page, self.lab = page, lab
        self.complaints: list[str] = []
        self.told: Queue[Any] = Queue()
        monkeypatch.setattr(lab, "send", lambda content, buffers=None: self.told.put((content, buffers)))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: said.type in ("error", "warning") and self.complaints.append(said.text))
        page.expose_function("toPython", lambda text: lab._handle_custom_msg(json.loads(text), []))
        files = {
            "": ("text/html", HOST.replace("WIDTH", str(width))),
            "widget.js": ("text/javascript", lab._esm),
            "style.css": ("text/css", lab._css),
        }
        for name, (kind, text) in files.items():
            self.serve(name, kind, text)
        page.goto("http://notebook.test/")

    def serve(self, name: str, kind: str, text: str) -> None:
        self.page.route(
            f"http://notebook.test/{name}",
            lambda route: route.fulfill(body=text, content_type=f"{kind}; charset=utf-8"),
        )

    def until(self, condition: str) -> None:
        """Deliver what the widget says until a condition is true."""
        for _ in range(PATIENCE // 20):
            self.deliver()
            if self.page.evaluate(f"() => !!({condition})"):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never came true: {condition}; the page said {self.complaints}")

    def deliver(self) -> None:
        while True:
            try:
                content, buffers = self.told.get_nowait()
            except Empty:
                return
            buffer = None if buffers is None else b64encode(buffers[0]).decode()
            self.page.evaluate("([content, buffer]) => window.fromPython(content, buffer)", [content, buffer])

    def settle(self) -> None:
        self.until("window.lab?.frame && window.lab.frame.setting === window.lab.setting")

    def click(self, across: float, down: float, place: int = 0) -> None:
        """Click at parts of the width and of the height of a picture."""
        over = self.page.locator(".lab-over").nth(place)
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        self.page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])

    def says(self, words: str, place: int = 0) -> None:
        """Deliver what the widget says until the status of a place has these words."""
        self.until(f"document.querySelectorAll('.lab-status')[{place}].textContent.includes({words!r})")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def test_the_cell_shows_what_the_widget_begins_with_and_its_proof(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab([[0, 1], [1, 0], [-1, -1]], [1, 1, -1]), monkeypatch)
    cell.settle()
    assert page.locator(".lab-status").inner_text().endswith("Proved optimal to 1e−6")
    assert page.evaluate("() => window.lab.setting.points") == cell.lab.setting["points"]
    drawn = page.evaluate("() => window.lab.frame.facts.proof.primal")
    assert drawn == cell.lab.solution.certificate.primal_value
    assert isinstance(cell.lab.model, SoftMargin)
    assert cell.complaints == []


def test_what_is_chosen_in_the_cell_is_the_model_in_python(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab([[0, 1], [1, 0], [-1, -1]], [1, 1, -1]), monkeypatch)
    cell.settle()
    page.get_by_label("Machine", exact=True).select_option("hard-margin")
    cell.settle()
    assert isinstance(cell.lab.model, HardMargin)
    cell.click(0.9, 0.1)
    cell.settle()
    points = cell.lab.setting["points"]
    assert len(points) == len(cell.lab.model) == 4
    assert points == page.evaluate("() => window.lab.setting.points")
    assert cell.lab.solution.status == "optimal"
    assert cell.complaints == []


def test_a_setting_that_is_assigned_in_python_is_shown(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab([[0, 1], [1, 0], [-1, -1]], [1, 1, -1]), monkeypatch)
    cell.settle()
    cell.lab.setting = {**cell.lab.setting, "machine": {"name": "hard-margin"}, "points": [[0, 1, 1], [2, 2, -1]]}
    cell.until("window.lab.setting.machine.name === 'hard-margin'")
    cell.settle()
    assert page.evaluate("() => window.lab.setting") == cell.lab.setting
    assert page.get_by_label("Machine", exact=True).input_value() == "hard-margin"
    drawn = page.evaluate("() => window.lab.frame.facts.proof.primal")
    assert drawn == cell.lab.solution.certificate.primal_value
    page.get_by_role("button", name="Undo (Ctrl-Z)").click()
    cell.settle()
    assert isinstance(cell.lab.model, SoftMargin)
    assert cell.complaints == []


def test_keys_and_menus_in_the_cell_are_no_commands_of_the_notebook(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(page, Lab(), monkeypatch)
    cell.settle()
    page.evaluate("""() => {
        window.heard = [];
        for (const name of ["keydown", "mousedown", "contextmenu"])
            document.addEventListener(name, (event) => window.heard.push(event.key ?? name));
    }""")
    cell.click(0.1, 0.1)
    page.keyboard.press("n")
    page.locator(".lab-sentence").click()
    assert page.evaluate("() => !!document.activeElement.closest('[data-lm-suppress-shortcuts]')")
    page.keyboard.press("d")
    assert page.evaluate("() => window.heard.splice(0)") == ["mousedown"]  # That of the sentence.
    page.evaluate("""() => document.querySelector(".lab-over").dispatchEvent(
        new MouseEvent("contextmenu", { bubbles: true, cancelable: true }))""")
    assert page.evaluate("() => window.heard") == []
    page.keyboard.press("Control+s")
    assert page.evaluate("() => window.heard") == ["s"]


def test_of_two_places_the_one_that_was_touched_last_is_answered(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab([[0, 1], [1, 0], [-1, -1]], [1, 1, -1]), monkeypatch)
    cell.settle()
    cell.click(0.9, 0.1)
    cell.settle()
    page.evaluate("() => { window.show('other'); }")
    cell.settle()
    assert page.evaluate("() => window.lab.setting") == cell.lab.setting
    cell.says("Shown in another place", 0)
    shown = page.evaluate("() => window.first.frame.facts")
    for _ in range(3):
        cell.click(0.1, 0.1, place=1)
        cell.settle()
        page.keyboard.press("Delete")
        cell.settle()
    # What the other place is told has the same numbers, and is not taken for an answer to this one.
    assert page.evaluate("() => window.first.frame.facts") == shown
    cell.click(0.1, 0.5, place=0)
    cell.says("Proved optimal", 0)
    cell.says("Shown in another place", 1)
    assert len(cell.lab.setting["points"]) == 5
    assert cell.complaints == []


def test_a_kernel_that_is_gone_is_said_and_asked_again_when_touched(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(page, Lab(), monkeypatch)
    cell.settle()
    page.evaluate("() => { window.gone = true; window.happen('comm_live_update'); }")
    cell.says("run the cell again")
    cell.click(0.1, 0.1)
    cell.says("run the cell again")
    page.evaluate("() => { window.gone = false; }")
    page.locator(".lab-sentence").click()
    cell.says("Proved optimal")
    assert len(cell.lab.setting["points"]) == 61
    assert cell.complaints == []


def test_the_cell_is_dark_where_its_background_is(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab(), monkeypatch)
    cell.settle()
    scheme = "document.querySelector('.qp-lab').dataset.scheme"
    cell.until(f"{scheme} === 'light'")
    page.evaluate("() => { document.body.style.background = 'oklch(0.2 0.02 250)'; }")
    cell.until(f"{scheme} === 'dark'")
    assert page.locator(".qp-lab").evaluate("(node) => getComputedStyle(node).backgroundColor") == "rgb(20, 23, 28)"
    page.evaluate("() => { document.body.style.background = ''; }")
    cell.until(f"{scheme} === 'light'")


def test_python_lines_are_asked_for_over_the_widget(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab(), monkeypatch)
    cell.settle()
    page.get_by_text("Copy Python").click()
    cell.until("document.querySelector('.lab-taken').textContent")
    # The cell came over HTTP, where browsers let no page copy: the text is there to be copied by hand.
    area = page.locator(".lab-take textarea")
    assert "SoftMargin(X, y, Linear(), C=1.0)" in area.input_value()
    assert page.get_by_text("Copy link").count() == 0


def test_a_cell_that_is_taken_away_listens_no_more(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(page, Lab(), monkeypatch)
    cell.settle()
    page.evaluate("() => window.takeAway()")
    assert page.evaluate("() => window.listeners") == []


@pytest.mark.parametrize(("width", "beside"), [(420, False), (1300, True)])
def test_the_layout_is_that_of_the_width_of_the_cell(
    width: int, beside: bool, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(page, Lab(), monkeypatch, width)
    cell.settle()
    assert page.locator(".lab-sheet").is_visible() != beside
    page.locator("[data-group=proof]").evaluate("node => node.click()")
    plane, proof = (page.locator(f".lab-{part}").bounding_box() for part in ("plane", "proof"))
    assert (proof["x"] > plane["x"] + plane["width"] - 1) == beside
    assert page.evaluate("() => document.getElementById('cell').scrollWidth") <= width
