# SPDX-License-Identifier: BSD-3-Clause
"""The bar that steps through an algorithm, in a real browser."""

from __future__ import annotations

import pytest

from .conftest import CLASSES


def open_view(window, view="smo", step=0, machine="soft-margin"):
    lab = window.open({"machine": {"name": machine}, "points": CLASSES, "view": {"name": view, "step": step}})
    lab.until(f"window.lab.diagram.frame?.facts.view.name === '{view}'")
    lab.until("!window.lab.frame.facts.view.pending")
    return lab


def shown(lab):
    """The step that is drawn, and that of the last step."""
    view = lab.facts["view"]
    assert lab.page.locator(".lab-place").inner_text() == f"{view['step']} / {view['steps']}"
    return view["step"], view["steps"]


def press(lab, name):
    # Force: at an end a button is told as disabled, but may be pressed.
    lab.page.get_by_role("button", name=name, exact=True).click(force=True)
    lab.settled()


def test_buttons_step(window):
    lab = open_view(window)
    _, last = shown(lab)
    assert last > 3
    for name, step in (
        ("Forward a step", 1),
        ("Forward a step", 2),
        ("Back a step", 1),
        ("To the end", last),
        ("Forward a step", last),
        ("To the start", 0),
        ("Back a step", 0),
    ):
        press(lab, name)
        assert shown(lab) == (step, last), name
    assert lab.setting["view"] == {"name": "smo", "step": 0}


def test_keys_step_from_anywhere_in_the_bar(window):
    lab = open_view(window)
    _, last = shown(lab)
    lab.page.get_by_role("button", name="Play", exact=True).focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)):
        lab.press(key)
        assert shown(lab) == (step, last), key
    lab.page.get_by_role("slider", name="Step", exact=True).focus()
    for key, step in (("ArrowRight", 1), ("End", last), ("ArrowLeft", last - 1), ("Home", 0)):
        lab.press(key)
        assert shown(lab) == (step, last), key


@pytest.mark.parametrize("speed", ["quick", "fast"])
def test_playing_asks_for_a_step_after_the_last_was_drawn(window, speed):
    lab = open_view(window, "interior-point" if speed == "quick" else "smo")
    _, last = shown(lab)
    lab.page.get_by_label("Speed", exact=True).select_option(speed)
    lab.page.evaluate("""() => {
        const { diagram } = window.lab, step = diagram.step.bind(diagram);
        window.asked = [];
        diagram.step = (k) => { window.asked.push([k, window.lab.frame.facts.view.step]); step(k); };
    }""")
    press(lab, "Play")
    lab.until(f"window.lab.frame.facts.view.step === {last}")
    lab.page.get_by_role("button", name="Play", exact=True).wait_for()
    asked = lab.page.evaluate("() => window.asked")
    stride = {"quick": 1, "fast": 10}[speed]
    expected = [[min(k + stride, last), k] for k in range(0, last, stride)]
    assert asked == expected
    # From the end it begins anew.
    press(lab, "Play")
    lab.until("window.asked.length > " + str(len(asked)))
    assert lab.page.evaluate("() => window.asked")[len(asked)] == [0, last]


def test_it_stops_by_hand_and_goes_on_where_points_move(window):
    lab = open_view(window)
    lab.page.get_by_label("Speed", exact=True).select_option("quick")
    press(lab, "Play")
    lab.until("window.lab.frame.facts.view.step >= 3")
    lab.page.evaluate("""() => {
        const { store } = window.lab, points = [...store.setting.points];
        points[0] = [-2.5, -1.5, -1];
        store.change({ points });
    }""")
    lab.until("window.lab.frame.facts.view.step >= 5")
    lab.page.get_by_role("button", name="Back a step").click()
    lab.page.get_by_role("button", name="Play", exact=True).wait_for()
    step, _ = shown(lab.settled())
    lab.page.wait_for_timeout(300)
    assert shown(lab)[0] == step


def test_names_and_places_are_told(window):
    lab = open_view(window, step=2)
    bar = lab.page.get_by_role("group", name="Steps of the algorithm")
    assert bar.get_by_role("button").count() == 5
    slider = bar.get_by_role("slider", name="Step", exact=True)
    assert slider.get_attribute("aria-valuetext") == f"step 2 of {shown(lab)[1]}"
    assert bar.get_by_role("button", name="To the start").get_attribute("aria-disabled") == "false"
    press(lab, "To the start")
    assert bar.get_by_role("button", name="To the start").get_attribute("aria-disabled") == "true"


@pytest.mark.parametrize(("view", "machine"), [("picture", "soft-margin"), ("smo", "nu-margin")])
def test_without_steps_there_is_no_bar(window, view, machine):
    lab = open_view(window, view, machine=machine)
    assert not lab.page.locator(".lab-bar").is_visible()


def test_who_wants_less_motion_begins_slowly(window, browser, address):
    lab = open_view(window)
    assert lab.page.get_by_label("Speed", exact=True).input_value() == "slow"
    context = browser.new_context(reduced_motion="no-preference")
    other = open_view(type(lab)(context.new_page(), address))
    assert other.page.get_by_label("Speed", exact=True).input_value() == "usual"
    context.close()


@pytest.mark.parametrize("view", ["perceptron", "smo", "interior-point", "race"])
def test_every_algorithm_is_drawn(window, view):
    lab = open_view(window, view)
    press(lab, "To the end")
    assert lab.colours(".lab-diagram canvas") > 30


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("smo", "proof of the answer. The picture and the support vectors below are those of step 1 of the algorithm."),
        (
            "path",
            "proof of the answer at the C of the slider. The picture and the support vectors below are those of step",
        ),
    ],
)
def test_the_proof_says_that_it_is_of_the_answer_and_the_picture_of_a_step(window, view, words):
    lab = open_view(window, view, step=1)
    lab.says(words, ".lab-proof .lab-words")
    show_picture = lab.page.locator("[data-view=picture]")
    show_picture.click()
    lab.settled()
    assert not lab.page.locator(".lab-proof > .lab-words").is_visible()
