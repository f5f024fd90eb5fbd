# SPDX-License-Identifier: BSD-3-Clause
"""Stories on the page: a prediction is judged by the answers before and after, and a goal by the answer shown."""

from __future__ import annotations

import pytest

from .conftest import CLASSES

VERDICT = ".lab-verdict"


def begin(lab, name):
    lab.choose("Story", name)
    lab.says("proof", ".lab-proof") if name == "degree-two" else lab.says("Proved optimal")


def predicted(lab, option):
    """Predict, and return what is said once the change was made."""
    lab.until("document.querySelector('.lab-options button:enabled')")
    lab.page.locator(".lab-options button").nth(option).click()
    lab.until("document.querySelector('.lab-options button[data-came]')")
    return lab.page.locator(VERDICT).inner_text()


def came(lab):
    options = lab.page.locator(".lab-options button").all()
    return [k for k, each in enumerate(options) if each.get_attribute("data-came") is not None]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("without-weight", 2), ("at-the-bound", 0), ("support-alone", 2), ("smaller-cost", 0), ("narrow-kernel", 0),
     ("corners", 2), ("wider-tube", 1)],
)  # fmt: skip
def test_a_prediction_is_judged_by_both_answers(window, name, outcome):
    lab = window.open({"points": CLASSES})
    begin(lab, name)
    start = lab.setting
    assert predicted(lab, outcome).startswith("You were right. ")
    assert came(lab) == [outcome]
    assert lab.setting != start
    lab.page.get_by_role("button", name="Begin this story again").click()
    lab.settled()
    assert lab.setting["points"] == start["points"]
    assert predicted(lab, (outcome + 1) % 3).startswith("This is what happened: ")


def test_the_outcome_is_that_of_the_points_at_hand(window):
    """The point without weight is moved to the margin of its own class by another start: then the line follows."""
    lab = window.open({"points": CLASSES})
    begin(lab, "without-weight")
    lab.until("document.querySelector('.lab-options button:enabled')")
    lab.page.evaluate("""() => {
        const { open } = window.lab.stories;
        open.kept ??= open.act;
        open.act = (before, i) => {
            const { points } = open.kept(before, i);
            return { points: points.with(i, [-points[i][0], -points[i][1], points[i][2]]) };
        };
    }""")
    predicted(lab, 2)
    assert came(lab) == [0]
    lab.page.evaluate("() => { const { open } = window.lab.stories; open.act = open.kept; }")


def test_a_prediction_is_of_the_points_of_the_story(window):
    lab = window.open({"points": CLASSES})
    begin(lab, "smaller-cost")
    lab.until("document.querySelector('.lab-options button:enabled')")
    lab.click(-3, 2)
    lab.page.locator(".lab-options button").first.click()
    assert "no longer those of the story" in lab.page.locator(VERDICT).inner_text()


def test_a_goal_is_reached_by_the_keyboard(window):
    lab = window.open({"points": CLASSES})
    panel = lab.page.get_by_role("group", name="Stories")
    assert panel.get_by_role("button").count() == 0
    story = lab.page.get_by_label("Story", exact=True)
    story.focus()
    lab.choose("Story", "common-point")
    assert "convex hulls of both classes" in panel.inner_text()
    lab.says("A line separates these classes", VERDICT)
    verdict = lab.page.locator(VERDICT)
    assert verdict.get_attribute("role") == "status"
    assert verdict.get_attribute("data-state") == "open"
    start = lab.points
    lab.page.locator(".lab-over").focus()
    lab.press("Home", "n", "n", "n", "l")
    lab.says("No line separates these classes. Look at the reason in Hulls.", VERDICT)
    lab.page.get_by_role("tab", name="Hulls").press("Enter")
    lab.settled().says("Solved. No line separates the classes", VERDICT)
    assert verdict.get_attribute("data-state") == "proved"
    assert story.evaluate("node => node.selectedOptions[0].textContent") == "✓ No line, and why"
    panel.get_by_role("button", name="Begin this story again").press("Enter")
    assert lab.settled().points == start
    lab.says("A line separates these classes", VERDICT)
    lab.choose("Story", "")
    assert not verdict.is_visible()


SOLVED = {
    "begin-to-count": ("no point that had no ring", {"points": {3: [-0.2, 0.1, 1]}}),
    "several-intercepts": ("There is one optimal b", {"values": {"C": 0.01}}),
    "ten-at-the-bound": ("12 support vectors at the bound", {"values": {"C": 2}}),
    "by-heart": ("samples are free support vectors", {"kernel": {"gamma": 1000}}),
    "empty-tube": ("The tube has", {"values": {"epsilon": 1.3}}),
    "degree-two": ("Choose the kernel Polynomial", {"kernel": {"degree": 2, "gamma": 1, "coef0": 1}}),
    "three-support-vectors": ("rests on 2 support vectors", {"points": {4: [-1.4, 0.9, -1], 5: [-1.4, -3, -1]}}),
}

CHANGE = """({ points = {}, values, kernel }) => {
    const { store } = window.lab, { setting } = store;
    const machine = values ? { ...setting.machine, values: { ...setting.machine.values, ...values } } : setting.machine;
    const name = kernel && "degree" in kernel ? "polynomial" : setting.kernel[0].name;
    store.change({ machine, points: setting.points.map((point, i) => points[i] ?? point),
        kernel: kernel ? [{ name, values: kernel }] : setting.kernel });
}"""


@pytest.mark.parametrize("name", SOLVED)
def test_a_goal_says_what_is_missing_until_it_is_reached(window, name):
    missing, change = SOLVED[name]
    lab = window.open({"points": CLASSES})
    lab.choose("Story", name)
    lab.says(missing, VERDICT)
    lab.page.evaluate(CHANGE, change)
    assert lab.page.locator(VERDICT).inner_text() == ""
    lab.says("Solved. ", VERDICT)
