# SPDX-License-Identifier: BSD-3-Clause
"""The lab on a phone and in a lecture hall: the picture stays, and fingers do what a mouse does."""

from __future__ import annotations

import pytest

from .conftest import CLASSES

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
GROUPS = {
    "machine": ".lab-controls",
    "stories": ".lab-stories",
    "points": ".lab-sets",
    "test": ".lab-testing",
    "views": ".lab-tabs",
    "proof": ".lab-proof",
}


@pytest.fixture
def phone(windows):
    lab = windows(PHONE)
    yield lab.open({"points": CLASSES, "kernel": [{"name": "linear"}]})
    lab.leave()
    complaints, lab.complaints[:] = list(lab.complaints), []
    assert not complaints


def swipe(lab, start, by):
    """Put a finger down at a place in pixels, move it, and lift it."""
    session = lab.page.context.new_cdp_session(lab.page)
    (x, y), steps = start, 8
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for k in range(1, steps + 1):
        place = {"x": x, "y": y + by * k / steps}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_the_picture_stays_and_one_group_of_panels_is_below_it(phone):
    page = phone.page
    for group, panel in GROUPS.items():
        page.locator(f"[data-group={group}]").tap()
        assert [name for name, each in GROUPS.items() if page.locator(each).first.is_visible()] == [group], panel
        page.evaluate("() => window.scrollTo(0, 9999)")
        box = page.locator(".lab-plane").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
        assert box["width"] >= 388


def test_what_a_finger_presses_is_large_enough(phone):
    page = phone.page
    for group in GROUPS:
        page.locator(f"[data-group={group}]").tap()
        for control in page.locator("button, select, summary, .lab-modes span, input[type=range]").all():
            box = control.bounding_box()
            assert box is None or box["height"] >= 43.5, control.evaluate("node => node.outerHTML")


def test_a_swipe_scrolls_unless_it_begins_on_a_point(phone):
    page = phone.page
    page.locator("[data-group=machine]").tap()
    page.evaluate("() => window.scrollTo(0, 0)")
    swipe(phone, phone.pixel(0, -2.5), -120)
    phone.until("window.scrollY > 20")
    assert phone.points == CLASSES
    # What was swiped goes on for a while, and a finger that is put down then only ends it.
    page.evaluate(
        "() => new Promise((still) => { document.addEventListener('scrollend', still, { once: true });"
        "setTimeout(still, 300); })"
    )
    page.evaluate("() => window.scrollTo(0, 0)")
    phone.until("window.scrollY === 0")
    swipe(phone, phone.pixel(2, 1), 60)
    phone.settled()
    assert phone.points[4][1] < 0.5
    assert page.evaluate("() => window.scrollY") == 0


def test_a_tap_adds_a_point_and_words_are_about_taps(phone):
    phone.page.touchscreen.tap(*phone.pixel(-3, 2))
    phone.settled()
    assert len(phone.points) == len(CLASSES) + 1
    assert phone.page.locator(".lab-sentence").inner_text().startswith("Tap to add a point")


def test_the_bar_of_an_algorithm_is_with_the_picture(phone):
    phone.page.locator("[data-group=views]").tap()
    phone.page.get_by_role("tab", name="SMO").tap()
    phone.until("window.lab.frame.facts.view.steps > 0")
    bar, plane = (phone.page.locator(each).bounding_box() for each in (".lab-bar", ".lab-plane"))
    assert 0 <= bar["y"] - plane["y"] - plane["height"] < 12


def test_a_lecture_shows_all_larger(window):
    lab = window.open({"points": CLASSES})
    before = lab.page.locator(".lab-plane").bounding_box()
    lab.page.get_by_role("button", name="Show the picture large").click()
    lab.until("document.querySelector('.lab-plane').clientWidth > window.innerWidth / 2")
    box = lab.page.locator(".lab-plane").bounding_box()
    assert box["width"] > 1.25 * before["width"]
    assert lab.page.locator(".lab-proof").is_visible()
    lab.click(-3, 2)
    assert lab.points[-1] == pytest.approx([-3, 2, 1], abs=0.03)
    lab.page.locator("[data-group=views]").click()
    lab.page.get_by_role("tab", name="SMO").click()
    lab.until("window.lab.frame.facts.view.steps > 0")
    diagram = lab.page.locator(".lab-diagram").bounding_box()
    assert diagram["x"] + diagram["width"] < box["x"] + box["width"]
    lab.page.get_by_role("button", name="Show the picture large").click()
    lab.until("!document.querySelector('.qp-lab.lab-grouped')")
    assert lab.page.locator(".lab-plane").bounding_box()["width"] < box["width"]
