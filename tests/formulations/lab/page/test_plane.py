# SPDX-License-Identifier: BSD-3-Clause
"""Points on the plane by mouse, touch and keyboard."""

from __future__ import annotations

import json
from urllib.parse import unquote

import numpy as np
import pytest

from formulations.lab.session import Session
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS

from .conftest import CLASSES, WAVE

CLASSIFICATION = {"points": CLASSES}
REGRESSION = {"points": WAVE, "machine": {"name": "soft-tube"}}


@pytest.fixture
def plane(window):
    return window.open(CLASSIFICATION)


def mode(lab, title):
    lab.page.locator(".lab-modes label", has_text=title).click()


def near(point, expected, tol=0.03):
    return all(abs(a - b) < tol for a, b in zip(point, expected, strict=True))


def test_a_click_adds_a_point_of_the_class_of_the_mode(plane):
    plane.click(-3, 2)
    mode(plane, "Add −1")
    plane.click(3, 2)
    assert near(plane.points[-2], [-3, 2, 1])
    assert near(plane.points[-1], [3, 2, -1])
    plane.says("Proved optimal to 1e−6")


def test_points_snap_to_the_grid(plane):
    plane.page.get_by_role("button", name="Snap points to a grid").click()
    plane.click(-2.93, 2.07)
    plane.drag((2, 1), (2.54, -1.07))
    assert plane.points[-1] == [-3, 2, 1]
    assert plane.points[4] == [2.6, -1, 1]


def test_shift_and_the_other_button_add_the_other_class(plane):
    plane.click(-3, 2, button="right")
    assert plane.points[-1][2] == -1
    plane.page.keyboard.down("Shift")
    plane.click(3, 2)
    plane.page.keyboard.up("Shift")
    assert plane.points[-1][2] == -1


def test_a_dragged_point_moves_and_is_sent_alone(plane):
    plane.page.evaluate("""() => {
        const { transport } = window.lab.conversation, send = transport.send.bind(transport);
        window.lab.sent = [];
        transport.send = (text) => { window.lab.sent.push(text); send(text); };
    }""")
    plane.drag((2, 1), (2.5, -1))
    assert len(plane.points) == len(CLASSES)
    assert near(plane.points[4], [2.5, -1, 1])
    sent = [json.loads(text) for text in plane.page.evaluate("() => window.lab.sent")]
    moves = [message for message in sent if "ask" not in message]
    assert moves
    assert all([change[0] for change in message["points"]] == [4] for message in moves)
    assert plane.page.evaluate("() => window.lab.latencies.length") >= len(moves)


def test_the_frame_is_that_of_the_session(plane):
    plane.drag((2, 1), (2.5, -1))
    plane.says("Proved optimal")
    expected = Session().frame(read_setting(plane.setting, VIEWS))
    shown = plane.page.evaluate("() => Array.from(window.lab.frame.arrays.field.data)")
    assert shown == pytest.approx(expected.arrays["field"].ravel(), abs=1e-4)


def test_a_double_click_deletes_but_not_what_it_added(plane):
    plane.page.mouse.dblclick(*plane.pixel(2, 1))
    plane.settled()
    assert len(plane.points) == len(CLASSES) - 1
    plane.page.mouse.dblclick(*plane.pixel(-3, -2))
    plane.settled()
    assert len(plane.points) == len(CLASSES)


@pytest.mark.parametrize("window", [{}, {"has_touch": True}], indirect=True, ids=["mouse", "finger"])
def test_quick_clicks_at_two_places_are_two_points(window, request):
    plane = window.open(CLASSIFICATION)
    press = plane.page.touchscreen.tap if request.node.callspec.id == "finger" else plane.page.mouse.click
    x, y = plane.pixel(-3, 2)
    for place in ((x, y), (x + 15, y), (x + 15, y + 15)):
        press(*place)
    plane.settled()
    assert len(plane.points) == len(CLASSES) + 3


def test_a_quick_click_beside_a_point_adds_and_deletes_none(plane):
    x, y = plane.pixel(2, 1)
    plane.page.mouse.click(x, y)
    plane.page.mouse.click(x + 10, y)
    plane.settled()
    assert plane.points[:-1] == CLASSES
    assert plane.page.evaluate("() => window.lab.hand.selected") is None
    plane.page.wait_for_timeout(450)
    plane.page.mouse.click(x - 10, y)
    plane.settled()
    assert len(plane.points) == len(CLASSES) + 1
    assert plane.page.evaluate("() => window.lab.hand.selected") == 4


def test_modes_relabel_and_delete(plane):
    mode(plane, "Relabel")
    plane.click(2, 1)
    assert plane.points[4] == [2, 1, -1]
    mode(plane, "Delete")
    plane.click(2, 1)
    assert [2, 1, -1] not in plane.points
    plane.click(-3.5, 2.5)
    assert len(plane.points) == len(CLASSES) - 1


def test_dragging_nothing_moves_the_window(plane):
    mode(plane, "Move")
    plane.drag((-3, 2), (-2, 1))
    assert near(plane.setting["window"], [-5, 3, -2, 4])
    assert plane.points == CLASSES


def test_the_wheel_zooms_around_the_pointer_and_fit_returns(plane):
    plane.page.mouse.move(*plane.pixel(2, 1))
    plane.page.mouse.wheel(0, -300)
    plane.page.wait_for_timeout(50)
    assert plane.setting["window"] == [-4, 4, -3, 3]
    plane.page.locator(".lab-over").focus()
    plane.page.mouse.wheel(0, -300)
    plane.until("window.lab.setting.window[1] < 4")
    left, right, bottom, top = plane.setting["window"]
    assert (2 - left) / (right - left) == pytest.approx(0.75, abs=0.01)
    assert (right - left) / (top - bottom) == pytest.approx(4 / 3, rel=1e-2)
    plane.page.get_by_role("button", name="Fit the window to the points").click()
    left, right, bottom, top = plane.settled().setting["window"]
    assert left < -2
    assert right > 2
    plane.page.get_by_role("button", name="Zoom out").click()
    assert plane.settled().setting["window"][0] < left


def test_a_window_far_away_or_deep_inside_stays_one(plane):
    plane.page.evaluate("() => window.lab.hand.look([12345, 12345.01, 0.5, 0.5075])")
    left, right, bottom, top = plane.settled().setting["window"]
    assert near([left, right, bottom, top], [12345, 12345.01, 0.5, 0.5075], 1e-5)
    plane.click((left + right) / 2, (bottom + top) / 2)
    assert near(plane.points[-1][:2], [12345.005, 0.50375], 5e-5)
    plane.page.evaluate("() => window.lab.hand.look([-1e7, 1e7, -1, 1])")
    assert plane.settled().setting["window"] == [left, right, bottom, top]


def test_undo_and_redo_take_a_drag_as_one(plane):
    plane.drag((2, 1), (2.5, -1))
    plane.click(-3, 2)
    moved = plane.points[:-1]
    plane.press("Control+z")
    assert plane.points == moved
    plane.press("Control+z")
    assert plane.points == CLASSES
    plane.press("Control+Shift+Z")
    assert plane.points == moved
    plane.page.get_by_role("button", name="Delete all points").click()
    plane.settled()
    assert plane.points == []
    plane.page.get_by_role("button", name="Undo (Ctrl-Z)").click()
    assert plane.settled().points == moved


def test_the_keyboard_does_all_of_it(plane):
    plane.page.locator(".lab-over").focus()
    plane.press("ArrowRight", "ArrowUp", "Enter")
    assert near(plane.points[-1], [0.1, 0.1, 1])
    plane.press("n", "ArrowLeft")
    assert near(plane.points[0], [-2.1, -1, -1], 0.011)
    plane.press("l")
    assert plane.points[0][2] == 1
    plane.press("-")
    assert plane.points[0][2] == -1
    plane.press("p", "Delete")
    assert len(plane.points) == len(CLASSES)
    plane.press("End", "Escape", "ArrowDown")
    assert "Cross at" in plane.page.locator(".lab-over [role=option]").inner_text()
    plane.press("Home")
    assert "Point 1 of 7, class −1" in plane.page.locator(".lab-over [role=option]").inner_text()


@pytest.mark.parametrize("window", [{"has_touch": True}], indirect=True, ids=["touch"])
def test_a_finger_adds_and_drags(window):
    plane = window.open(CLASSIFICATION)
    plane.page.touchscreen.tap(*plane.pixel(-3, 2))
    plane.settled()
    assert near(plane.points[-1], [-3, 2, 1])
    client = plane.page.context.new_cdp_session(plane.page)
    for kind, place in (("Start", (2.1, 1.1)), ("Move", (2.4, 0.0)), ("Move", (2.6, -0.9)), ("End", None)):
        touched = [dict(zip("xy", plane.pixel(*place), strict=True))] if place else []
        client.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": touched})
    plane.settled()
    assert near(plane.points[4], [2.5, -1, 1])


def test_the_edge_of_the_tube_is_dragged(window):
    plane = window.open(REGRESSION)
    value = plane.page.evaluate("() => window.lab.plane.curveAt(-0.5)")
    plane.drag((-0.5, value + 0.25), (-0.5, value + 0.6))
    assert plane.setting["machine"]["values"]["epsilon"] == pytest.approx(0.6, abs=0.05)
    assert plane.points == WAVE
    plane.press("Control+z")
    assert plane.setting["machine"]["values"]["epsilon"] == 0.25


def edge_of(lab, u):
    """Return the pixel of the upper edge of the tube."""
    value = lab.page.evaluate("(u) => window.lab.plane.curveAt(u)", u)
    return lab.pixel(u, value + 0.25)


def drag(lab, start, by):
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(start[0], start[1] + by, steps=4)
    lab.page.mouse.up()
    lab.settled()


def test_the_edge_of_the_tube_is_reached_from_beside_it(window):
    plane = window.open(REGRESSION)
    over = plane.page.locator(".lab-over")
    x, y = edge_of(plane, -0.5)
    plane.page.mouse.move(x, y - 10)
    assert over.get_attribute("data-over") == "tube"
    assert over.evaluate("(node) => getComputedStyle(node).cursor") == "ns-resize"
    assert "drag its edge" in plane.page.locator(".lab-legend").inner_text()
    drag(plane, (x, y - 10), -40)
    assert plane.setting["machine"]["values"]["epsilon"] > 0.5
    assert plane.points == WAVE


def test_a_click_on_the_edge_of_the_tube_adds_a_sample(window):
    plane = window.open(REGRESSION)
    x, y = edge_of(plane, -0.5)
    plane.page.mouse.click(x, y)
    plane.settled()
    assert plane.setting["machine"]["values"]["epsilon"] == 0.25
    assert near(plane.points[-1][:1], [-0.5])
    assert len(plane.points) == len(WAVE) + 1


def test_a_sample_at_the_edge_of_the_tube_is_dragged_before_it(window):
    wide = {"machine": {"name": "soft-tube", "values": {"C": 100, "epsilon": 0.25}}, "points": WAVE}
    plane = window.open(wide)
    edges = plane.page.evaluate("""() => window.lab.setting.points.map(([u, v]) =>
        Math.abs(Math.abs(v - window.lab.plane.curveAt(u)) - 0.25))""")
    i = edges.index(min(edges))
    assert edges[i] < 0.05
    drag(plane, plane.pixel(*WAVE[i]), -60)
    assert plane.points[i][1] > WAVE[i][1] + 0.2
    assert plane.setting["machine"]["values"]["epsilon"] == 0.25


def test_a_click_adds_a_sample_of_a_regression(window):
    plane = window.open(REGRESSION)
    plane.click(-3.5, -2)
    assert near(plane.points[-1], [-3.5, -2])
    plane.says("Proved optimal to 1e−6")


def test_a_point_under_the_pointer_is_explained(plane):
    plane.page.mouse.move(*plane.pixel(2, 1))
    plane.says("y (f(x) + b)", ".lab-sentence")
    plane.page.locator(".lab-over").focus()
    plane.press("Home")
    plane.says("sample 0", ".lab-sentence")


def test_the_address_holds_the_setting(fresh_window):
    plane = fresh_window.open(CLASSIFICATION)
    plane.drag((2, 1), (2.5, -1))
    plane.until("decodeURIComponent(location.hash).includes(JSON.stringify(window.lab.setting.points))")
    assert json.loads(unquote(plane.page.url.partition("#")[2])) == plane.setting
    assert "token" not in plane.page.url
    before = plane.setting
    plane.page.reload()
    assert plane.settled().setting == before


def test_back_returns_to_the_machine_before(fresh_window):
    plane = fresh_window.open(CLASSIFICATION)
    plane.choose("Machine", "logistic")
    plane.choose("Machine", "soft-tube")
    plane.page.go_back()
    plane.until("window.lab.setting.machine.name === 'logistic'")
    assert plane.settled().points == CLASSES
    plane.page.go_forward()
    plane.until("window.lab.setting.machine.name === 'soft-tube'")


def test_two_windows_have_a_setting_each(plane, browser):
    other = type(plane)(browser.new_page(), plane.address).open(REGRESSION)
    plane.click(-3, 2)
    other.click(-3.5, -2)
    assert (len(plane.points), len(other.points)) == (len(CLASSES) + 1, len(WAVE) + 1)
    assert not other.complaints
    other.page.close()


def test_better_answers_of_the_same_setting_follow_its_first(plane):
    plane.page.evaluate("""() => {
        const { conversation, frame } = window.lab, seen = [];
        conversation.on.frame = (each) => seen.push([each.facts.seq, each.stamp, each.setting === window.lab.setting]);
        window.lab.seen = seen;
        const later = { facts: frame.facts, arrays: frame.arrays };
        conversation.frame(later);
        conversation.frame({ ...later, facts: { ...frame.facts, seq: 0 } });
    }""")
    assert plane.page.evaluate("() => window.lab.seen") == [[plane.facts["seq"], None, True]]


def test_what_was_said_of_a_point_goes_with_the_answer(plane):
    plane.page.mouse.move(*plane.pixel(2, 1))
    plane.says("y (f(x) + b)", ".lab-sentence")
    plane.page.mouse.move(0, 0)
    plane.choose("Kernel", "rbf")
    plane.says("Click to add a point", ".lab-sentence")


def test_no_proof_is_claimed_of_a_setting_that_is_not_answered_yet(plane):
    plane.says("Proved optimal to 1e−6")
    plane.page.evaluate("""() => {
        const { transport } = window.lab.conversation, send = transport.send.bind(transport);
        transport.send = (text) => { window.lab.goOn = () => send(text); };
    }""")
    is_marked = "window.lab.root.classList.contains('lab-before')"
    plane.page.locator("[data-view=kkt]").click()
    plane.says("Drawing the view")
    assert not plane.page.evaluate(is_marked)
    plane.page.evaluate("() => window.lab.goOn()")
    plane.settled()
    plane.says("Proved optimal to 1e−6")
    colourful = saturation(plane)
    plane.page.get_by_label("Kernel", exact=True).select_option("laplacian")
    plane.says("Solving the new problem")
    assert plane.page.evaluate(is_marked)
    plane.says("of the problem before", ".lab-proof .lab-words")
    assert saturation(plane) < 0.2 * colourful
    plane.page.evaluate("() => window.lab.goOn()")
    plane.settled()
    plane.says("Proved optimal to 1e−6")
    assert not plane.page.evaluate(is_marked)
    assert not plane.page.locator(".lab-proof > .lab-words").is_visible()


def saturation(plane):
    """How far the channels of the picture are apart, on the mean of all pixels."""
    return np.ptp(plane.picture().astype(int), axis=2).mean()


CROWD = [[round(0.13 * k % 4 - 2, 2), round(0.29 * k % 3 - 1.5, 2), 1 if 13 * k % 400 > 200 else -1] for k in range(60)]
"""Samples that lie over each other."""

AGAINST_THE_WHOLE = """async () => {
    const [{ drawSamples }, { CanvasPainter }] = await Promise.all([import("/picture.js"), import("/paint.js")]);
    const { samples, width, height } = window.lab.plane, whole = document.createElement("canvas");
    drawSamples(new CanvasPainter(whole, width, height), window.lab.frame, window.lab.setting);
    const [one, other] = [samples.canvas, whole].map((canvas) => {
        const drawing = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        drawing.fillRect(0, 0, canvas.width, canvas.height);
        drawing.drawImage(canvas, 0, 0);
        return drawing.getImageData(0, 0, canvas.width, canvas.height).data;
    });
    if (one.length !== other.length) return Infinity;
    return one.reduce((most, value, k) => Math.max(most, Math.abs(value - other[k])), 0);
}"""
"""How far the canvas of the samples, over black, is from all samples drawn at once, where they differ most."""


@pytest.mark.parametrize("window", [{"device_scale_factor": ratio} for ratio in (1, 1.25, 2)], indirect=True, ids=str)
def test_samples_drawn_one_by_one_are_those_drawn_at_once(window):
    plane = window.open({"points": CROWD})
    for start, end in (((-2, -1.5), (-1.2, -2.95)), ((-1.2, -2.95), (-3.9, -1))):
        plane.drag(start, end)
        # Along the edge of what was drawn anew, curves are smoothed a little differently.
        assert plane.page.evaluate(AGAINST_THE_WHOLE) < 64
    plane.page.evaluate("""() => {
        const { frame } = window.lab, { roles } = frame.arrays;
        const data = roles.data.map((role, i) => (i % 9 ? role : 2 - role));
        window.lab.plane.show({ ...frame, arrays: { ...frame.arrays, roles: { ...roles, data } } });
    }""")
    assert plane.page.evaluate(AGAINST_THE_WHOLE) < 64
