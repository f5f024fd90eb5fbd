# SPDX-License-Identifier: BSD-3-Clause
"""Challenges: each begins unsolved, is solved by an answer that does what it says, and tells what is missing."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from formulations.lab.answers import Answers
from formulations.lab.challenges import CHALLENGES, ChallengeVerdict
from formulations.lab.presets import kernel_part, machine_part
from formulations.lab.settings import MACHINES, LabTask, ShownView, read_setting
from formulations.lab.views import VIEWS
from lab_settings import lab_setting

every_challenge = pytest.mark.parametrize("name", CHALLENGES)


def moved(name: str, i: int, *place: float) -> dict[str, Any]:
    """Return the points of a start with one of them elsewhere."""
    points = CHALLENGES[name].start.points.copy()
    points[i, :2] = place
    return {"points": points}


TWO = kernel_part("polynomial", degree=2)
HULLS = {"view": ShownView("hulls")}
CROSSED = moved("common-point", 0, -2, -1.2)

SOLVED: dict[str, tuple[dict[str, Any], str]] = {
    "three-support-vectors": (moved("three-support-vectors", 0, 1.0, -0.3), "rests on the samples 0, "),
    "several-intercepts": ({"machine": machine_part("soft-margin", C=0.01)}, "none of the 8 support vectors is free"),
    "ten-at-the-bound": ({"machine": machine_part("soft-margin", C=2)}, "10 support vectors are at the bound"),
    "common-point": ({**CROSSED, **HULLS}, "the point (−2, −1.2) lies in the hull of sample 0 of class +1"),
    "degree-two": ({"kernel": TWO}, "No line separates the classes"),
    "by-heart": ({"kernel": kernel_part("rbf", gamma=1e4)}, "All 12 samples are free support vectors"),
    "empty-tube": ({"machine": machine_part("soft-tube", epsilon=1.3)}, "every b from 0.1 to 0.2 is optimal"),
}

MISSING: list[tuple[str, dict[str, Any], str]] = [
    ("three-support-vectors", {}, "The margin rests on 2 support vectors; 3 are wanted."),
    ("three-support-vectors", {"machine": machine_part("soft-margin")}, "Choose the machine Hard margin."),
    ("three-support-vectors", {"kernel": TWO}, "Choose the kernel Linear, and no other beside it."),
    ("three-support-vectors", {"kernel": kernel_part("linear") * 2}, "Choose the kernel Linear, and no other"),
    ("three-support-vectors", {"points": CHALLENGES["common-point"].start.points[:4]}, "Have at least 5 points."),
    ("three-support-vectors", CROSSED, "There is no answer: the classes cannot be separated"),
    ("several-intercepts", {}, "There is one optimal b, −0.0715, fixed by 2 free support vectors"),
    ("several-intercepts", {"points": np.zeros((0, 3))}, "There is no answer: there are no points yet"),
    ("ten-at-the-bound", {}, "At C = 1, 12 support vectors are at the bound; 10 are wanted."),
    ("ten-at-the-bound", moved("ten-at-the-bound", 0, 3, 3), "The points are not those of the start"),
    ("common-point", {}, "A line separates these classes, with the margin "),
    ("common-point", CROSSED, "No line separates these classes. Look at the reason in Hulls."),
    ("common-point", {"points": np.ones((3, 3)), **HULLS}, "There is no answer: all points are of one class"),
    ("degree-two", {}, "Choose the kernel Polynomial"),
    ("degree-two", {"kernel": kernel_part("polynomial", degree=3)}, "The degree is 3; 2 is wanted."),
    ("degree-two", {"kernel": TWO, "points": CHALLENGES["common-point"].start.points}, "A line separates these"),
    ("degree-two", {"kernel": TWO, "points": np.ones((101, 3))}, "Have at most 100 points."),
    ("by-heart", {}, "9 of 12 samples are free support vectors; all are wanted."),
    ("by-heart", {"machine": machine_part("soft-margin", C=10)}, "C is 10; 1000000 is wanted."),
    ("empty-tube", {}, "The tube has 7 support vectors. Its half width epsilon is 0.25, and the targets lie within"),
    ("empty-tube", {"machine": machine_part("nu-tube")}, "Choose the machine Soft tube."),
]


def verdict(name: str, parts: dict[str, Any]) -> ChallengeVerdict:
    challenge = CHALLENGES[name]
    setting = replace(challenge.start, **parts)
    return challenge.check(Answers().answer(setting))


@every_challenge
def test_it_is_solved_as_it_says_and_says_what_is_proved(name: str) -> None:
    parts, words = SOLVED[name]
    found = verdict(name, parts)
    assert found.solved, found.words
    assert found.words.startswith("Solved. ")
    assert words in found.words
    assert "Proved " in found.words


@pytest.mark.parametrize(("name", "parts", "words"), MISSING, ids=[f"{name}: {words}" for name, _, words in MISSING])
def test_it_says_what_is_missing(name: str, parts: dict[str, Any], words: str) -> None:
    found = verdict(name, parts)
    assert not found.solved
    assert found.words.startswith(words)


@every_challenge
def test_its_start_is_not_solved_and_is_read_from_what_is_sent_of_it(name: str) -> None:
    start = CHALLENGES[name].start
    assert name in {missing for missing, parts, _ in MISSING if not parts}
    read = read_setting(json.loads(json.dumps(start.stated())), VIEWS)
    assert read.same_problem(start)
    assert not start.points.flags.writeable


def test_what_is_not_proved_solves_nothing() -> None:
    challenge = CHALLENGES["several-intercepts"]
    solved = replace(challenge.start, machine=machine_part("soft-margin", C=0.01))
    answer = Answers(tol=1e-300).answer(solved)
    assert answer.solution is not None
    assert answer.solution.status != "optimal"
    found = challenge.check(answer)
    assert not found.solved
    assert found.words.startswith("The answer is not proved: its relative gap is ")


@pytest.mark.parametrize("task", LabTask)
def test_answers_of_any_machine_are_judged(task: LabTask) -> None:
    """A challenge stays open while the user goes on to another machine."""
    for machine in MACHINES.values():
        if machine.task is task:
            answer = Answers().answer(lab_setting(machine.name))
            for name, challenge in CHALLENGES.items():
                assert isinstance(challenge.check(answer), ChallengeVerdict), (machine.name, name)
