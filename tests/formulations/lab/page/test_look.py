# SPDX-License-Identifier: BSD-3-Clause
"""How the page looks: wide and narrow, light and dark, to the eye and to a screen reader."""

from __future__ import annotations

import io
from base64 import b64decode
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PIL import Image

from benchmarks.lab.__main__ import weight
from formulations.lab import app
from formulations.lab.session import Session
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS

from .conftest import CLASSES, TOKEN, WAVE

PICTURES = Path(__file__).parent / "pictures"
LIGHT, DARK = {"color_scheme": "light"}, {"color_scheme": "dark"}
SIZES = {"phone": (360, 740), "tablet": (800, 1000), "wide": (1400, 900)}

SETTINGS = {
    "classification": {"points": CLASSES, "kernel": [{"name": "rbf", "values": {"gamma": 0.5}}]},
    "regression": {"points": WAVE, "machine": {"name": "soft-tube"}},
}

CONTROLS = (
    "button:not(.lab-sheet *), select, input[type=range], input[type=number], .lab-modes label, .lab-plane, summary, "
    ".lab-status"
)


def named(cases):
    return {"argvalues": list(cases.values()), "ids": list(cases), "indirect": True}


@pytest.mark.parametrize(
    "window",
    **named({name: {"viewport": dict(zip(("width", "height"), size, strict=True))} for name, size in SIZES.items()}),
)
@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_nothing_overlaps_and_nothing_is_cut_off(window, setting):
    page = window.open(setting).page
    boxes = [control.bounding_box() for control in page.locator(CONTROLS).all()]
    shown = [box for box in boxes if box is not None]
    assert len(shown) > 12
    width = page.viewport_size["width"]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in shown)
    for k, one in enumerate(shown):
        assert not [other for other in shown[k + 1 :] if overlap(one, other)]


@pytest.mark.parametrize("window", [{"viewport": {"width": 360, "height": 740}}], ids=["phone"], indirect=True)
def test_the_picture_stays_where_it_is_when_words_come_and_go(window):
    mixed = [*CLASSES, [-1.5, -0.3, 1]]
    lab = window.open({"points": mixed, "kernel": [{"name": "linear"}], "machine": {"name": "hard-margin"}})
    lab.says("No answer")
    before = lab.page.locator(".lab-plane").bounding_box()
    lab.choose("Machine", "soft-margin")
    lab.says("Proved optimal")
    assert lab.page.locator(".lab-plane").bounding_box() == before


def overlap(one, other):
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across > 0.5 and down > 0.5


@pytest.mark.parametrize("window", **named({"light": LIGHT, "dark": DARK}))
def test_words_stand_out_from_their_ground(window):
    page = window.open(SETTINGS["classification"]).page
    ratios = page.evaluate("""() => {
        const style = getComputedStyle(document.body);
        const light = (name) => {
            const hex = style.getPropertyValue(`--${name}`).trim();
            const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255)
                .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const words = ["ink", "soft", "good", "warn", "bad", "positive", "negative", "accent", "bound"];
        return words.flatMap((name) => ["paper", "panel"].map(
            (ground) => [name, ground, ratio(light(name), light(ground))]));
    }""")
    assert not [entry for entry in ratios if entry[2] < 4.5]


LEAST_CONTRAST = """() => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => [0.2126 * r, 0.7152 * g, 0.0722 * b].reduce((sum, each) => sum + each);
    const of = (rgb) => light(rgb.map((each) => linear(each / 255)));
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const channels = (css) => css.match(/[0-9.]+/g).map(Number);
    const ground = (node) => {
        for (let each = node; each; each = each.parentElement) {
            const found = channels(getComputedStyle(each).backgroundColor);
            if (found.length === 3) return found;
        }
    };
    const faint = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !node.checkVisibility()) continue;
        const { color } = getComputedStyle(node);
        let opacity = 1;
        for (let each = node; each; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
        const found = ratio(of(channels(color).slice(0, 3)), of(ground(node)));
        if (opacity < 1 || found < 4.5) faint.push([walker.currentNode.textContent, found, opacity]);
    }
    return faint;
}"""


@pytest.mark.parametrize("window", **named({"light": LIGHT, "dark": DARK}))
def test_all_text_of_the_page_stands_out_also_where_it_is_off_or_of_before(window):
    page = window.open({**SETTINGS["classification"], "view": {"name": "smo"}}).page
    window.until("window.lab.frame.facts.view.steps > 0")
    assert page.evaluate(LEAST_CONTRAST) == []
    page.evaluate("() => window.lab.root.classList.add('lab-before')")
    assert page.evaluate(LEAST_CONTRAST) == []


@pytest.mark.parametrize("window", **named({"light": LIGHT, "dark": DARK}))
def test_numbers_of_the_picture_stand_out_from_the_strongest_colours_of_the_field(window):
    window.open(SETTINGS["classification"])
    shades = window.page.evaluate("""async () => {
        const [{ drawTicks, axesOf }, { fieldImage, channels }, { colour }] = await Promise.all(
            ["/plane/axes.js", "/plane/field.js", "/paint.js"].map((name) => import(name)));
        const fills = [], painter = { text: (x, y, words, { fill }) => fills.push(fill), lines() {} };
        drawTicks(painter, axesOf([-4, 4, -3, 3], 480, 360), [-4, 4, -3, 3]);
        const { data } = fieldImage({ data: [-9, -1, 0, 1, 9], shape: [1, 5] }, 1);
        return { fills: [...new Set(fills)].map(channels), grounds: [0, 1, 2, 3, 4].map((k) =>
            Array.from(data.slice(4 * k, 4 * k + 3))) };
    }""")
    assert len(shades["fills"]) == 1
    assert min(contrast(shades["fills"][0], ground) for ground in shades["grounds"]) >= 4.5


def contrast(one, other):
    """The contrast ratio of two colours of sRGB, by WCAG 2."""
    rgb = np.array([one, other]) / 255
    low, high = sorted(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("window", **named({"light": LIGHT, "dark": DARK}))
@pytest.mark.parametrize("task", SETTINGS)
def test_the_picture_is_the_stored_one(window, task, tmp_path):
    """Compared at half its size: letters differ between machines by less than a wrong line or colour."""
    scheme = "dark" if window.page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches") else "light"
    window.open(SETTINGS[task]).says("Proved optimal")
    written = window.page.evaluate("""async () => {
        const [{ drawPicture }, { CanvasPainter }] = await Promise.all([import("/picture.js"), import("/paint.js")]);
        const canvas = document.createElement("canvas");
        drawPicture(new CanvasPainter(canvas, 480, 360), window.lab.frame, window.lab.setting);
        return canvas.toDataURL();
    }""")
    shown = Image.open(io.BytesIO(b64decode(written.partition(",")[2]))).convert("RGB").resize((240, 180))
    made, stored = tmp_path / f"{task}-{scheme}.png", PICTURES / f"{task}-{scheme}.png"
    shown.save(made, optimize=True)
    assert stored.is_file(), f"there is no stored picture; if {made} is right, put it there"
    assert stored.stat().st_size <= 40_000
    difference = np.abs(np.asarray(shown, dtype=float) - np.asarray(Image.open(stored), dtype=float))
    assert difference.mean() < 2, f"the picture has changed; if {made} is right, put it there"
    assert (difference.max(axis=2) > 60).mean() < 0.01, f"a part has changed; if {made} is right, put it there"


STROKES = """async () => {
    const { drawSlacks } = await import("/plane/marks.js");
    const { frame, setting } = window.lab;
    const drawn = [];
    const axes = { x: (x) => x, y: (y) => y };
    drawSlacks({ lines: (lines) => drawn.push(...lines) }, axes, setting.points, frame.arrays.slacks.data,
        frame.arrays.field, setting.window, frame.facts.level);
    return [drawn.map((way) => [way[0], way.at(-1)]), drawn.length, [...frame.arrays.slacks.data]];
}"""


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_strokes_of_slacks_end_on_the_margin_or_are_not_drawn(window, kernel):
    mixed = [*CLASSES, [1.2, 0.9, -1], [-1.2, -0.2, 1], [-3.9, 2.9, 1]]
    setting = {"points": mixed, "kernel": [{"name": kernel}], "machine": {"name": "soft-margin", "values": {"C": 10}}}
    window.open(setting).says("Proved optimal")
    strokes, count, slacks = window.page.evaluate(STROKES)
    assert 0 < count <= sum(each > 1e-6 for each in slacks)
    solution = read_setting(setting, VIEWS).state().solve(tol=1e-6)
    labels = {tuple(np.float64(point[:2])): point[2] for point in mixed}
    for start, end in strokes:
        label = labels[tuple(np.round(start, 9))]
        assert label * solution.decision_function([end])[0] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("fresh_window", **named({"light": LIGHT}))
def test_the_picture_follows_the_scheme(fresh_window):
    lab = fresh_window.open(SETTINGS["classification"])
    assert np.median(lab.picture()) > 150
    lab.page.emulate_media(color_scheme="dark")
    lab.until("matchMedia('(prefers-color-scheme: dark)').matches")
    assert np.median(lab.picture()) < 100


@pytest.mark.parametrize("task", SETTINGS)
def test_every_control_has_a_name_and_every_picture_words(window, task):
    page = window.open(SETTINGS[task]).page
    window.until("document.querySelector('.lab-plane canvas').getAttribute('aria-label').includes('points')")
    for control in page.locator("button, select, input, [role=listbox], [role=img], [role=tablist], output").all():
        name = control.evaluate("node => node.ariaLabel || node.labels?.[0]?.textContent || node.textContent")
        assert name.strip(), control.evaluate("node => node.outerHTML")
    snapshot = page.locator("body").aria_snapshot()
    for words in ('listbox "Points"', 'radiogroup "What a click does"', 'region "Proof"', "slider", "main", "banner"):
        assert words in snapshot


def test_what_has_the_focus_is_seen(window):
    page = window.open(SETTINGS["classification"]).page
    for _ in range(12):
        page.keyboard.press("Tab")
        seen = page.evaluate("""() => {
            const node = document.activeElement, next = node.nextElementSibling;
            return [node, next].some((each) => each && getComputedStyle(each).outlineStyle !== "none");
        }""")
        assert seen, page.evaluate("() => document.activeElement.outerHTML")


def test_a_change_is_announced_once_it_stands(window):
    lab = window.open(SETTINGS["classification"])
    lab.says("Proved optimal", ".lab-proof [role=status]")
    lab.page.evaluate("""() => {
        window.lab.announced = 0;
        new MutationObserver(() => window.lab.announced++).observe(document.querySelector('.lab-proof [role=status]'),
            { childList: true, characterData: true, subtree: true });
    }""")
    lab.drag((2, 1), (2.5, -1))
    lab.page.get_by_role("button", name="Delete all points").click()
    lab.says("No points yet", ".lab-proof [role=status]")
    assert lab.page.evaluate("() => window.lab.announced") == 1


def test_the_page_is_small():
    """What a server sends: the solver is of pages without one."""
    assert weight() <= 290_000


def test_the_page_says_when_the_server_has_gone(fresh_window):
    lab = fresh_window.open(SETTINGS["classification"])
    lab.page.context.set_offline(True)
    lab.page.evaluate("() => window.lab.conversation.transport.socket.close()")
    lab.says("The server does not answer")
    lab.complaints.clear()
    lab.page.context.set_offline(False)
    lab.until("window.lab.conversation.alive")
    lab.complaints.clear()
    lab.click(-3, 2)
    lab.says("Proved optimal")


def test_a_page_says_why_its_first_picture_takes_long(window, monkeypatch):
    may_end, drawn = Event(), Session.frame
    monkeypatch.setattr(app, "notice", lambda: "The solvers are being made ready, once.")
    monkeypatch.setattr(Session, "frame", lambda session, setting: may_end.wait(60.0) and drawn(session, setting))
    window.page.goto(f"{window.address}/?token={TOKEN}")
    window.says("The solvers are being made ready, once.")
    assert window.page.locator(".lab-status").get_attribute("data-state") == "waiting"
    may_end.set()
    window.settled().says("Proved optimal")
