# SPDX-License-Identifier: BSD-3-Clause
"""Every exercise takes right answers, says what is wrong with others, and refuses what is none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exercise_answers import RIGHT, WRONG
from formulations import HardMargin
from formulations.exercises import Exercise, Verdict, exercises
from formulations.exercises.models import OfModel
from qpkernels.errors import (
    NonFiniteError,
    ParameterError,
    QPKernelsError,
    ShapeError,
    UnsupportedOptionError,
)
from together import together

ACCEPTED = [(name, given) for name, cases in RIGHT.items() for given in cases]
REFUSED = [(name, *case) for name, cases in WRONG.items() for case in cases]
LETTERS = [(each, letter) for each in exercises.values() for letter in each.asks]
EXERCISES = together("exercise", exercises.values())
LEARN = Path(__file__).parents[3] / "docs" / "learn"


def words_of(case: object) -> str | None:
    return case[:30] if isinstance(case, str) else ", ".join(case) if isinstance(case, dict) else None


def test_every_exercise_has_right_and_wrong_answers() -> None:
    assert list(RIGHT) == list(WRONG) == list(exercises)
    asked = {(each.name, letter) for each, letter in LETTERS}
    assert {(name, letter) for name, given in ACCEPTED for letter in given} == asked
    assert {(name, letter) for name, given, _ in REFUSED for letter in given} == asked


@together("name, given", ACCEPTED)
def test_a_right_answer_is_accepted(name: str, given: dict[str, Any]) -> None:
    verdict = exercises[name].check(**given)
    assert verdict.right, verdict
    assert verdict.certificate is None or verdict.certificate.holds(1e-6)


@together("name, given, words", REFUSED)
def test_a_wrong_answer_is_told(name: str, given: dict[str, Any], words: str) -> None:
    verdict = exercises[name].check(**given)
    assert not verdict.right
    assert words in verdict.words
    assert str(verdict) == repr(verdict)
    assert verdict.certificate is None or name == "smallest-bound" or not verdict.certificate.holds(1e-6)


@together("value", ["two thirds", [["0.5"]], None, ..., [1.0, np.nan], {"w": 1}, np.zeros((2, 2, 2)), 1j])
@together("exercise, letter", LETTERS)
def test_what_is_no_answer_is_refused(exercise: Exercise, letter: str, value: Any) -> None:
    with pytest.raises((ShapeError, ParameterError, NonFiniteError), match=letter):
        exercise.check(**{letter: value})


@together("exercise, letter", LETTERS)
def test_another_number_of_entries_is_refused(exercise: Exercise, letter: str) -> None:
    if letter in ("corrections", "samples"):  # of any number
        return
    with pytest.raises((ShapeError, ParameterError), match=letter):
        exercise.check(**{letter: np.ones(7)})


@pytest.mark.parametrize(
    ("name", "given"),
    [("hulls", {"alpha": [1e200, 0, 1e200]}), ("hulls", {"b": -1e200}), ("smallest-bound", {"a": [0, 1e200, 1]})],
    ids=words_of,
)
def test_numbers_whose_squares_leave_float64_are_refused(name: str, given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"must be at most 1e\+100 in size, but 1e\+200 came"):
        exercises[name].check(**given)


def test_the_length_of_what_has_none_does_not_matter() -> None:
    assert exercises["smallest-bound"].check(a=[0, 1e-200, 1e-200]).right
    tiny = exercises["eigenfunctions"].check(eigenfunction=lambda t, x: 1e-200 * np.sin((t - 0.5) * np.pi * x))
    assert tiny.right


@EXERCISES
def test_other_letters_are_refused(exercise: Exercise) -> None:
    letter = next(iter(exercise.asks))
    with pytest.raises(UnsupportedOptionError, match=rf"takes {letter} \(.*'gamma' came; write check\({letter}="):
        exercise.check(gamma=1.0)
    with pytest.raises(ParameterError, match="nothing came"):
        exercise.check()


def test_a_function_that_fails_is_named() -> None:
    with pytest.raises(ParameterError, match=r"alpha must be a function of C, .* raised ZeroDivisionError"):
        exercises["every-cost"].check(alpha=lambda C: [C / 0, C])
    with pytest.raises(ParameterError, match=r"w must be a function of C, epsilon, .* raised TypeError"):
        exercises["flat-line"].check(w=lambda C: C)
    with pytest.raises(QPKernelsError, match="eigenfunction"):
        exercises["eigenfunctions"].check(eigenfunction=lambda t: t)


def test_an_unknown_exercise_is_named_with_those_that_there_are() -> None:
    with pytest.raises(ParameterError, match=r"'corrections'.*'relevant-targets', but 'softmargin' came"):
        exercises["softmargin"]
    assert "softmargin" not in exercises


@EXERCISES
def test_it_prints_what_is_asked_and_how_to_check_it(exercise: Exercise) -> None:
    shown = str(exercise)
    assert exercise.statement in shown
    assert exercise.code in shown
    assert all(meaning in shown for meaning in exercise.asks.values())
    assert exercise.name in repr(exercise)
    assert any(line.startswith(exercise.name) for line in str(exercises).splitlines())


@EXERCISES
def test_the_page_of_its_chapter_states_it_once(exercise: Exercise) -> None:
    page = (LEARN / f"{exercise.chapter}.md").read_text(encoding="utf-8")
    assert page.count(f"```{{exercise}} {exercise.name}\n") == 1
    assert f'exercises["{exercise.name}"].check(' in page


def test_every_chapter_has_three_grades_in_order() -> None:
    grades: dict[str, list[str]] = {}
    for each in exercises.values():
        grades.setdefault(each.chapter, []).append(each.level)
    assert all(levels == ["warm-up", "standard", "challenge"] for levels in grades.values())


def test_pages_state_no_exercise_that_there_is_not() -> None:
    stated = [
        name
        for page in sorted(LEARN.glob("*.md"))
        for name in re.findall(r"^```\{exercise\} (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(stated) == sorted(exercises)


def test_a_verdict_names_a_place_in_front() -> None:
    assert str(Verdict(False, "alpha_1 is below 0").at("at C = 2")) == "at C = 2: alpha_1 is below 0."


def test_a_right_answer_stands_where_a_sample_is_the_origin() -> None:
    """There f is 0 exactly, so that rounding of the intercept alone misses the constraint."""
    judge = OfModel(lambda: HardMargin([[1.0, -1.0], [1.0, 2.0], [0.0, 0.0]], [1, 1, -1]))
    assert judge({"alpha": [4 / 3, 2 / 3, 2.0]}).right
