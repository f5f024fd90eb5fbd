# SPDX-License-Identifier: BSD-3-Clause
"""Challenges on the page: begun, judged after each answer, and marked as solved."""

from __future__ import annotations

from .conftest import CLASSES

VERDICT = ".lab-verdict"


def test_a_challenge_is_begun_judged_and_solved_by_the_keyboard(window):
    lab = window.open({"points": CLASSES})
    panel = lab.page.get_by_role("group", name="Challenges")
    assert panel.get_by_role("button").count() == 0
    challenge = lab.page.get_by_label("Challenge", exact=True)
    challenge.focus()
    lab.choose("Challenge", "common-point")
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
    assert challenge.evaluate("node => node.selectedOptions[0].textContent") == "✓ No line, and why"
    panel.get_by_role("button", name="Begin this challenge again").press("Enter")
    assert lab.settled().points == start
    lab.says("A line separates these classes", VERDICT)
    lab.choose("Challenge", "")
    assert not verdict.is_visible()


def test_a_verdict_does_not_outlast_its_answer(window):
    lab = window.open({"points": CLASSES})
    lab.choose("Challenge", "several-intercepts")
    lab.says("There is one optimal b", VERDICT)
    lab.page.get_by_label("C as a number", exact=True).fill("0.01")
    gone = lab.page.evaluate("""() => {
        window.lab.store.change({ points: window.lab.setting.points.slice(1) });
        return document.querySelector('.lab-verdict').textContent;
    }""")
    assert gone == ""
    lab.says("There is one optimal b", VERDICT)
    lab.press("Enter")
    lab.says("Solved. Every b from", VERDICT)


def test_the_server_being_away_leaves_the_verdict_empty(fresh_window):
    lab = fresh_window.open({"points": CLASSES})
    lab.choose("Challenge", "degree-two")
    lab.says("Choose the kernel Polynomial", VERDICT)
    lab.page.evaluate("() => { window.lab.conversation.alive = false; window.lab.challenges.forget(); }")
    lab.page.evaluate("() => window.lab.challenges.look()")
    assert lab.page.locator(VERDICT).inner_text() == ""
    lab.page.evaluate("() => { window.lab.conversation.alive = true; }")
