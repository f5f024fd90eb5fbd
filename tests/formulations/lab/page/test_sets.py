# SPDX-License-Identifier: BSD-3-Clause
"""Sets of points that the browser keeps, also where it keeps nothing, has no room, or holds something else."""

from __future__ import annotations

import json

import pytest

from .conftest import CLASSES, TOKEN, WAVE

KEY = "qpkernels-lab-sets"
FORGET = f"() => window.localStorage.removeItem('{KEY}')"
HOSTILE = "<img src=x onerror=alert(1)> & “x”"


class Sets:
    """The panel of a page."""

    def __init__(self, lab):
        self.lab = lab
        self.panel = lab.page.get_by_role("group", name="Sets of points")
        self.name = lab.page.get_by_label("Name", exact=True)
        self.list = lab.page.get_by_label("Kept sets", exact=True)

    def press(self, words):
        self.panel.get_by_role("button").filter(has_text=words).click()
        return self.said

    @property
    def said(self):
        return self.panel.get_by_role("status").inner_text()

    @property
    def listed(self):
        return self.list.locator("option").all_inner_texts()[1:]

    def keep(self, name):
        self.name.fill(name)
        return self.press("Keep")


@pytest.fixture
def sets(window):
    window.open({"points": CLASSES})
    window.page.evaluate(FORGET)
    window.open({"points": CLASSES})
    yield Sets(window)
    window.page.evaluate(FORGET)


def test_sets_are_kept_renamed_loaded_and_deleted(sets):
    lab = sets.lab
    assert sets.keep("seven") == "Kept “seven”: 7 points."
    lab.click(-2.5, 2)
    assert sets.keep("  eight\n") == "Kept “eight”: 8 points."
    assert sets.listed == ["eight (8 points)", "seven (7 points)"]
    sets.name.fill("seven")
    assert "another name" in sets.press("Rename")
    sets.name.fill(HOSTILE)
    assert sets.press("Rename") == f"“eight” is called “{HOSTILE}” now."
    assert sets.listed == [f"{HOSTILE} (8 points)", "seven (7 points)"]
    assert sets.panel.locator("img").count() == 0
    # Another page of this browser: all is there again.
    sets = Sets(lab.open({"points": WAVE, "machine": {"name": "soft-tube"}}))
    assert sets.listed == [f"{HOSTILE} (8 points)", "seven (7 points)"]
    sets.list.select_option("seven")
    assert sets.press("Load") == "Loaded “seven”: 7 points. Ctrl-Z goes back."
    lab.settled()
    assert lab.points == CLASSES
    assert lab.setting["machine"]["name"] == "soft-margin"
    lab.page.get_by_role("button", name="Undo").click()
    assert lab.settled().points == WAVE
    assert "deletes it for good" in sets.press("Delete")
    assert len(sets.listed) == 2
    assert sets.press("Delete") == "Deleted “seven”."
    assert sets.listed == [f"{HOSTILE} (8 points)"]


def test_nothing_is_replaced_or_deleted_at_a_single_word(sets):
    sets.keep("mine")
    sets.lab.click(-2.5, 2)
    assert sets.keep("mine") == "“mine” is kept already, with 7 points. Keep once more replaces it."
    assert "deletes it for good" in sets.press("Delete")
    assert "Keep once more" in sets.press("Keep")
    assert sets.listed == ["mine (7 points)"]
    assert sets.press("Keep") == "Kept “mine”: 8 points."


def test_what_cannot_be_kept_is_said(sets):
    assert sets.keep(" \t ") == "Write a name first."
    sets.lab.page.get_by_role("button", name="Delete all points").click()
    assert sets.keep("none") == "There are no points to keep; add some first."
    assert sets.listed == []
    assert sets.panel.get_by_role("button").filter(has_text="Load").is_disabled()


def test_ctrl_z_in_a_name_is_that_of_the_name(sets):
    sets.lab.click(-2.5, 2)
    sets.name.press_sequentially("abc")
    sets.name.press("Control+z")
    assert len(sets.lab.points) == len(CLASSES) + 1


GOOD = {"name": "good", "points": CLASSES, "window": [-4, 4, -3, 3]}
GARBAGE = {
    "no JSON": "{",
    "no list": '{"sets": 1}',
    "no sets": json.dumps([1, None, "a", [], {}, {"name": 3}]),
    "no points": json.dumps([{**GOOD, "points": points} for points in ("x", [], [None], [[1, 2, 3]], [[1, "a", 1]])]),
    "mixed points": json.dumps([{**GOOD, "points": [[1, 2], [1, 2, 1]]}, {**GOOD, "points": [[1e9, 0, 1]]}]),
    "no window": json.dumps([{**GOOD, "window": [4, -4, -3, 3]}, {**GOOD, "window": None}]),
    "no name": json.dumps([{**GOOD, "name": name} for name in ("", " a", "a\u202eb", "a" * 61)]),
    "too many points": json.dumps([{**GOOD, "points": [[0, 0, 1]] * 5001}]),
}


@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_said_and_left_until_something_is_kept(sets, text):
    sets.lab.page.evaluate("([key, text]) => window.localStorage.setItem(key, text)", [KEY, text])
    sets.list.focus()
    assert sets.said.startswith("Some of what this browser keeps as sets of points cannot be read")
    assert sets.listed == []
    assert sets.lab.page.evaluate("(key) => window.localStorage.getItem(key)", KEY) == text
    assert sets.keep("fresh") == "Kept “fresh”: 7 points."
    assert sets.listed == ["fresh (7 points)"]


def test_good_sets_are_told_from_others(sets):
    text = json.dumps([GOOD, {**GOOD, "name": "wave", "points": WAVE}, 1])
    sets.lab.page.evaluate("([key, text]) => window.localStorage.setItem(key, text)", [KEY, text])
    sets.list.focus()
    assert sets.listed == ["good (7 points)", "wave (8 points)"]
    assert "cannot be read" in sets.said


def test_a_full_browser_is_said(sets):
    sets.lab.page.evaluate("""() => {
        window.setItem = Storage.prototype.setItem;
        Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
    }""")
    assert sets.keep("more").startswith("This browser has no room left for this page")
    sets.lab.page.evaluate("() => { Storage.prototype.setItem = window.setItem; }")
    assert sets.keep("more") == "Kept “more”: 7 points."


def test_a_browser_that_keeps_nothing_shows_the_lab_all_the_same(fresh_window):
    fresh_window.page.add_init_script("""Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("blocked", "SecurityError"); } });""")
    lab = fresh_window.open({"points": CLASSES})
    sets = Sets(lab)
    assert sets.said == "This browser keeps nothing for this page."
    assert sets.keep("a") == "This browser keeps nothing for this page."
    assert f"token={TOKEN}" in lab.page.url
    lab.page.reload()
    lab.settled().says("Proved optimal")
