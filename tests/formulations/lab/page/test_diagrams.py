# SPDX-License-Identifier: BSD-3-Clause
"""The diagrams of duality in a real browser: each of every machine, on the canvas and as SVG."""

from __future__ import annotations

from threading import Event
from xml.etree import ElementTree

import pytest

import formulations.lab.views.path as path_view
import formulations.lab.views.smo as smo_view
from formulations.lab.background import Background
from formulations.lab.session import Session
from formulations.lab.settings import MACHINES, LabTask

from .conftest import CLASSES, WAVE

EVERYWHERE = {"gram"}
"""Views that every machine has."""

SHOW = """async (raw) => {
    const { complete } = await import("/state/setting.js");
    window.lab.store.change(complete(window.lab.menu, raw));
}"""

DRAWN = """async (view) => {
    const [{ DIAGRAMS }, { SvgPainter }] = await Promise.all([import("/views/index.js"), import("/paint.js")]);
    const painter = new SvgPainter(600, 340);
    DIAGRAMS[view](painter, window.lab.frame, window.lab.frame.setting);
    return painter.document();
}"""


def show(window, machine, view, points, step=0, kernel="rbf"):
    raw = {"machine": {"name": machine}, "kernel": [{"name": kernel}], "points": points}
    window.page.evaluate(SHOW, {**raw, "view": {"name": view, "step": step}})
    window.settled()


def blots(window):
    """Return how many pixels of the canvas of the diagram are drawn."""
    return window.page.evaluate("""() => {
        const canvas = document.querySelector(".lab-diagram canvas");
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((count, value, k) => count + (k % 4 === 3 && value > 0), 0);
    }""")


@pytest.mark.parametrize("view", ["hulls", "kkt", "losses", "path", "gram"])
def test_every_machine_is_drawn_or_says_why_not(window, view):
    window.open()
    drawn = set()
    for machine in MACHINES.values():
        show(window, machine.name, view, CLASSES if machine.task is LabTask.CLASSIFICATION else WAVE)
        words, canvas = window.page.locator(".lab-caption"), window.page.locator(".lab-diagram canvas")
        window.until("!window.lab.frame.facts.view.pending")
        assert words.inner_text() == window.facts["view"]["words"]
        if not canvas.is_visible():
            continue
        drawn.add(machine.name)
        assert blots(window) > 1000
        written = window.page.evaluate(DRAWN, view)
        assert "NaN" not in written
        assert len(list(ElementTree.fromstring(written).iter())) > 10
    assert "soft-margin" in drawn
    assert (drawn == MACHINES.keys()) == (view in EVERYWHERE)


def test_an_infeasible_machine_is_drawn_with_its_error(window):
    window.open()
    show(window, "hard-margin", "hulls", [[0, 0, 1], [2, 2, 1], [0, 2, -1], [2, 0, -1]], kernel="linear")
    written = window.page.evaluate(DRAWN, "hulls")
    assert "Dual: the hulls" in written
    assert window.page.locator(".lab-diagram canvas").is_visible()


BESIDE = {"1400x900": (1400, 900), "1920x1080": (1920, 1080), "1000x800": (1000, 800)}


@pytest.mark.parametrize(
    "window", [{"viewport": {"width": w, "height": h}} for w, h in BESIDE.values()], ids=BESIDE, indirect=True
)
def test_a_diagram_is_beside_the_picture_within_the_window(window):
    page = window.open({"points": CLASSES}).page
    for view in ("hulls", "kkt", "losses", "path", "gram", "smo", "interior-point", "race", "perceptron"):
        page.locator(f"[data-view={view}]").click()
        window.settled().until("!window.lab.frame.facts.view.pending")
        picture, diagram = (page.locator(each).bounding_box() for each in (".lab-plane", ".lab-diagram canvas"))
        assert picture["x"] + picture["width"] <= diagram["x"], view
        assert max(each["y"] + each["height"] for each in (picture, diagram)) <= page.viewport_size["height"], view
        assert min(picture["width"], diagram["width"]) > 400
        assert page.evaluate("() => window.scrollY") == 0
        assert page.locator(".lab-status").evaluate("node => node.scrollWidth <= node.clientWidth"), view
        assert page.locator(".lab-status").evaluate("node => node.scrollHeight <= node.clientHeight"), view


def test_a_view_that_shows_nothing_of_the_machine_is_grey_and_says_why(window):
    lab = window.open({"points": CLASSES, "machine": {"name": "logistic"}})
    hulls = lab.page.locator("[data-view=hulls]")
    assert hulls.is_disabled()
    assert "no distance between hulls" in hulls.get_attribute("title")
    lab.page.locator("[data-view=picture]").focus()
    lab.press("ArrowRight")
    assert lab.setting["view"]["name"] == "kkt"
    lab.choose("Machine", "soft-margin")
    assert hulls.is_enabled()


RINGS = """() => [".lab-plane", ".lab-diagram"].map((each) => [...document.querySelectorAll(`${each} > .lab-ring`)]
    .filter((ring) => !ring.hidden).map((ring) => {
        const { x, y, width } = ring.getBoundingClientRect();
        return [x + width / 2, y + width / 2];
    }))"""


@pytest.mark.parametrize(("view", "panels"), [("kkt", 1), ("losses", 1), ("hulls", 2)])
def test_a_dot_of_a_diagram_explains_its_sample_and_marks_it_in_the_picture(window, view, panels):
    window.open()
    show(window, "soft-margin", view, CLASSES, kernel="linear" if panels == 1 else "rbf")
    places = window.page.evaluate("() => window.lab.diagram.places")
    assert len(places) == panels * len(CLASSES)
    box = window.page.locator(".lab-diagram canvas").bounding_box()
    x, y = places[4]
    window.page.mouse.move(box["x"] + x, box["y"] + y)
    window.says("sample 4", ".lab-sentence")
    in_picture, in_diagram = window.page.evaluate(RINGS)
    assert in_picture == [pytest.approx(window.pixel(*CLASSES[4][:2]), abs=2)]
    assert in_diagram[0] == pytest.approx([box["x"] + x, box["y"] + y], abs=2)
    assert len(in_diagram) == panels
    window.page.mouse.click(box["x"] + x, box["y"] + y)
    assert window.page.evaluate("() => window.lab.hand.selected") == 4
    window.page.mouse.move(0, 0)
    assert window.page.evaluate(RINGS)[0] == []
    window.page.mouse.move(*window.pixel(*CLASSES[0][:2]))
    in_picture, in_diagram = window.page.evaluate(RINGS)
    assert in_picture == []
    x, y = window.page.evaluate("() => window.lab.diagram.places[0]")
    assert in_diagram[0] == pytest.approx([box["x"] + x, box["y"] + y], abs=2)


def test_a_step_along_a_path_changes_the_picture(window):
    window.open()
    show(window, "soft-margin", "path", CLASSES)
    window.until("!window.lab.frame.facts.view.pending")
    first = window.picture()
    show(window, "soft-margin", "path", CLASSES, step=window.facts["view"]["steps"])
    assert window.facts["view"]["value"] == 1e6
    assert (window.picture() != first).any()


def test_a_view_that_is_not_ready_is_asked_for_again(window, monkeypatch):
    may_end = Event()
    monkeypatch.setattr(path_view, "_COMPILED", Background(may_end.wait))
    monkeypatch.setattr(path_view, "_PATIENCE", 0.0)
    window.open()
    show(window, "soft-margin", "path", CLASSES)
    assert "compiled" in window.page.locator(".lab-caption").inner_text()
    assert not window.page.locator(".lab-diagram canvas").is_visible()
    may_end.set()
    window.until("window.lab.frame.facts.view.steps > 0")
    assert window.page.locator(".lab-diagram canvas").is_visible()


def caption(window):
    return window.page.locator(".lab-caption").inner_text()


def test_no_diagram_stays_under_the_tab_of_another_view(window, monkeypatch):
    may_end, drawn = Event(), Session.frame

    def frame(session, setting):
        assert setting.view.name != "kkt" or may_end.wait(60.0)
        return drawn(session, setting)

    monkeypatch.setattr(Session, "frame", frame)
    window.open()
    show(window, "soft-margin", "smo", CLASSES)
    window.until("!window.lab.frame.facts.view.pending")
    panel, canvas = window.page.locator(".lab-diagram"), window.page.locator(".lab-diagram canvas")
    assert canvas.is_visible()
    window.page.locator("[data-view=kkt]").click()
    assert caption(window) == "Working …"
    assert panel.get_attribute("aria-busy") == "true"
    assert not canvas.is_visible()
    assert not window.page.locator(".lab-bar").is_visible()
    may_end.set()
    window.settled()
    assert canvas.is_visible()
    assert panel.get_attribute("aria-busy") == "false"
    assert caption(window) == window.facts["view"]["words"]


def test_the_picture_does_not_wait_for_a_recording(window, monkeypatch):
    may_end, begin = Event(), smo_view.model_to_record
    monkeypatch.setattr(smo_view, "model_to_record", lambda setting: may_end.wait(60.0) and begin(setting))
    window.open()
    show(window, "soft-margin", "smo", CLASSES)
    assert window.facts["proof"]["status"] == "optimal"
    assert "Working" in caption(window)
    show(window, "soft-margin", "smo", CLASSES[1:])
    assert window.facts["samples"] == len(CLASSES) - 1
    may_end.set()
    window.until("window.lab.frame.facts.view.steps > 0")
    assert window.page.locator(".lab-diagram canvas").is_visible()


SCALES = """async () => {
    const { linear, logarithmic, label, extent, panels } = await import("/views/axes.js");
    const labels = (scale, count) => scale.ticks(count).map((tick) => tick.label);
    const [plain, log] = [linear(-1, 3), logarithmic(1e-6, 1e2)];
    return {
        plain: labels(plain, 4), log: labels(log, 4),
        narrow: labels(logarithmic(2, 7), 4), one: labels(linear(3, 3), 4),
        places: [plain.place(-1), plain.place(1), log.place(1e-6), log.place(1e-2), log.place(0)],
        numbers: [0, -0.25, 12, 1e-6, -2.5e7].map(label),
        extents: [extent([1, NaN, -2], 5), extent([])],
        panels: [panels({ width: 900, height: 300 }, 2), panels({ width: 300, height: 500 }, 2)],
    };
}"""


def test_scales_have_round_ticks_and_place_values(window):
    window.open()
    found = window.page.evaluate(SCALES)
    assert found["plain"] == ["−1", "0", "1", "2", "3"]
    assert found["log"] == ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"]
    assert found["narrow"] == ["2", "4", "6"]
    assert len(found["one"]) > 1
    assert found["places"] == pytest.approx([0.0, 0.5, 0.0, 0.5, 0.0])
    assert found["numbers"] == ["0", "−0.25", "12", "10⁻⁶", "−2.5·10⁷"]
    assert found["extents"] == [[-2, 5], [0, 1]]
    assert found["panels"] == [[[0, 0, 450, 300], [450, 0, 450, 300]], [[0, 0, 300, 250], [0, 250, 300, 250]]]
