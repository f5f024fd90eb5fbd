# SPDX-License-Identifier: BSD-3-Clause
"""The answer after any sequence of edits is that of a fresh solve, within what the certificates of both leave open."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from formulations.lab import answers
from formulations.lab.answers import Answers, LabAnswer, place_name
from formulations.lab.desk import Desk
from formulations.lab.session import Session
from formulations.lab.settings import MACHINES, Chosen, LabTask, MachineChoice, Setting, Slider, read_setting
from formulations.lab.views import VIEWS
from formulations.modelling.model import Model
from formulations.modelling.solution import Solution
from formulations.models.relevance.machine import RelevanceSolution
from qpkernels.errors import InseparableError

EDITS = (
    "move",
    "relabel",
    "both",
    "add",
    "add many",
    "remove",
    "remove many",
    "slider",
    "kernel",
    "shuffle",
    "nothing",
)


def begun(machine: MachineChoice, rng: Generator, count: int = 24) -> Setting:
    """Return a setting of a machine with points that overlap, or of a noisy curve."""
    name = {"name": machine.name}
    return read_setting({"machine": name, "points": [new_point(machine, rng) for _ in range(count)]}, VIEWS)


def new_point(machine: MachineChoice, rng: Generator) -> list[float]:
    if machine.task is LabTask.REGRESSION:
        x = float(rng.uniform(-3, 3))
        return [x, float(np.sin(2 * x) + 0.3 * rng.normal())]
    label = int(rng.choice([-1, 1]))
    return [*(rng.normal(size=2) + 0.6 * label).tolist(), label]


def edited(setting: Setting, edit: str, rng: Generator) -> Setting:
    """Return the setting after a random edit of that kind."""
    machine, points = setting.machine.choice, setting.points.copy()
    i, columns = int(rng.integers(len(points))), setting.X.shape[1]
    new = np.array([new_point(machine, rng) for _ in range(4)])
    match edit:
        case "move":
            points[i, :columns] += 0.1 * rng.normal(size=columns)
        case "relabel":
            points[i, -1] = -points[i, -1] if columns == 2 else points[i, -1] + 0.2
        case "both":
            points[i] = new[0]
        case "add" | "add many":
            points = np.vstack([points, new[: 1 if edit == "add" else 4]])
        case "remove" | "remove many":
            points = np.delete(points, rng.choice(len(points), 1 if edit == "remove" else 3, replace=False), axis=0)
        case "shuffle":
            points = rng.permutation(points)
        case "slider" if machine.sliders:
            return replace(setting, machine=slid(setting.machine, machine.sliders[int(rng.integers(2)) - 1], rng))
        case "kernel":
            return replace(setting, kernel=(slid(setting.kernel[0], setting.kernel[0].choice.sliders[0], rng),))
    return replace(setting, points=points)


def slid(chosen: Chosen[Any], slider: Slider, rng: Generator) -> Chosen[Any]:
    value = float(np.clip(chosen.values[slider.name] * np.exp(0.3 * rng.normal()), slider.low, slider.high))
    return Chosen(chosen.choice, {**chosen.values, slider.name: value})


def assert_same(found: LabAnswer, fresh: LabAnswer) -> None:
    if fresh.solution is None:
        # What a solver says of points that have no answer may differ; that they have none may not.
        assert found.solution is None
        assert type(found.error) is type(fresh.error)
        return
    if isinstance(fresh.solution, RelevanceSolution):
        assert isinstance(found.solution, RelevanceSolution)
        assert found.solution.log_evidence == fresh.solution.log_evidence
        return
    assert isinstance(found.solution, Solution), found.error
    one, two = found.solution.certificate, fresh.solution.certificate
    assert found.solution.status is fresh.solution.status
    scale = max(abs(two.primal_value), abs(two.dual_value))
    allowed = (one.relative_gap + two.relative_gap) * scale + 1e-12 * scale
    assert abs(one.primal_value - two.primal_value) <= allowed
    np.testing.assert_allclose(found.solution.function(found.setting.X), found.solution.decision, atol=1e-8)


@pytest.mark.parametrize("name", MACHINES)
def test_any_sequence_of_edits_has_the_answers_of_fresh_solves(name: str) -> None:
    # Relevance machines follow nothing, and take their time.
    rng, few = np.random.default_rng(len(name)), "relevance" in name
    setting, following = begun(MACHINES[name], rng), Answers()
    for edit in EDITS[:1] if few else [*EDITS, *rng.choice(EDITS, 10)]:
        setting = edited(setting, str(edit), rng)
        assert_same(following.answer(setting), Answers().answer(setting))


def test_small_edits_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, following = np.random.default_rng(0), Answers()
    setting = begun(MACHINES["soft-margin"], rng)
    following.answer(setting)
    # From now on nothing is solved from nothing.
    monkeypatch.delattr(answers, "Incremental")
    for edit in ("move", "relabel", "both", "add", "add many", "remove", "remove many", "slider", "nothing"):
        setting = edited(setting, edit, rng)
        assert following.answer(setting).solution is not None


def test_points_that_leave_one_class_are_told_and_recovered_from() -> None:
    rng, following = np.random.default_rng(0), Answers()
    setting = begun(MACHINES["soft-margin"], rng, 6)
    of_both = replace(setting, points=np.array([[0.0, 0, 1], [1, 0, 1], [2, 0, 1], [3, 0, 1], [4, 0, -1]]))
    of_one = replace(setting, points=np.where(of_both.points == -1, 1.0, of_both.points))
    assert following.answer(of_both).solution is not None
    for _ in range(2):
        assert following.answer(of_one).solution is None
        assert following.answer(of_both).solution is not None


def test_no_more_points_than_a_machine_takes() -> None:
    rng, following = np.random.default_rng(0), Answers()
    few = replace(MACHINES["soft-margin"], most_points=24)
    setting = replace(begun(few, rng), machine=Chosen(few, {"C": 1.0}))
    assert following.answer(setting).solution is not None
    assert "at most 24 points, but 25 came" in str(following.answer(edited(setting, "add", rng)).error)


def unanswered(points: list[list[float]], kernel: dict[str, Any]) -> LabAnswer:
    setting = read_setting({"machine": {"name": "hard-margin"}, "kernel": [kernel], "points": points}, VIEWS)
    return Answers().answer(setting)


def test_classes_that_meet_are_named_by_their_samples() -> None:
    answer = unanswered([[0, 0, 1], [2, 2, 1], [0, 2, -1], [2, 0, -1], [9, 9, 1]], {"name": "linear"})
    assert isinstance(answer.error, InseparableError)
    assert answer.common_point is answer.error.proof is not None
    assert "solver" in str(answer.error)
    words = answer.refusal
    assert words.startswith("the classes cannot be separated:")
    assert f"of the samples {', '.join(map(str, answer.common_point.support))};" in words
    assert "solver" not in words


def test_many_samples_are_not_all_named() -> None:
    labels = np.where(np.arange(200) % 2, 1, -1)
    mixed = np.column_stack([np.random.default_rng(0).normal(size=(200, 2)), labels]).round(2).tolist()
    answer = unanswered(mixed, {"name": "polynomial", "values": {"degree": 4}})
    assert isinstance(answer.error, InseparableError)
    assert answer.common_point is answer.error.proof is not None
    assert answer.common_point.support.size > 8
    assert ", ...; use a soft margin" in answer.refusal


def test_other_errors_speak_for_themselves() -> None:
    assert unanswered([], {"name": "linear"}).refusal == "there are no points yet; add some."


COEFFICIENTS = {
    **dict.fromkeys(("soft-margin", "hard-margin", "nu-margin", "squared-hinge", "linear-program-machine"), "β = y a"),
    **dict.fromkeys(("logistic", "least-squares-classifier"), "β = y a"),
    "one-class": "β = a",
    **dict.fromkeys(("soft-tube", "nu-tube"), "β = a⁺ − a⁻"),
    **dict.fromkeys(("quantile", "huber", "least-squares", "kernel-ridge"), "β = c"),
}
DECISIONS = {"one-class": "f(x) − ρ", "kernel-ridge": "f(x)"}


def asked(name: str, view: str = "picture") -> Setting:
    rng, machine = np.random.default_rng(0), MACHINES[name]
    if machine.task is LabTask.CLASSIFICATION:
        y = np.repeat([1.0, -1.0], 6)
        points = np.column_stack([rng.normal(size=(12, 2)) + 3 * y[:, None], y])
    else:
        points = rng.normal(size=(12, 2))
    stated = {"machine": {"name": name}, "points": points.tolist(), "view": {"name": view}}
    return read_setting(stated, VIEWS)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_facts_and_sentences_have_the_same_letters(name: str) -> None:
    setting = asked(name)
    facts: Any = Session().frame(setting).facts
    decision = DECISIONS.get(name, "f(x) + b")
    assert (facts["decision"], facts["coefficient"]) == (decision, COEFFICIENTS[name])
    assert facts["formulas"][-1][0] == "with"
    desk = Desk(setting)
    assert desk.take('{"seq": 1, "ask": "explain", "sample": 3}') is None
    said = json.loads(desk.reply())["answer"]
    assert f"coefficient {COEFFICIENTS[name]} = " in said
    written = "y − f(x) − b" if MACHINES[name].task is LabTask.REGRESSION else decision
    assert written in said
    assert not re.search(r"g\(x\)|class [+-]?1\.0|\b(alpha|beta|xi|rho|epsilon)\b", said)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS.keys() - {"linear-program-machine"}))
def test_the_axes_of_the_views_have_the_same_letters(name: str) -> None:
    setting, session = asked(name, "kkt"), Session()
    facts: Any = session.frame(setting).facts
    regression = MACHINES[name].task is LabTask.REGRESSION
    assert facts["view"]["multiplier"].split(",")[0] == (
        f"coefficient {COEFFICIENTS[name]}" if regression else "multiplier a"
    )
    decision = DECISIONS.get(name, "f(x) + b")
    places = {"one-class": decision, "kernel-ridge": "residual r = y − f(x)"}
    usual = "residual r = y − f(x) − b" if regression else f"margin y ({decision})"
    assert facts["view"]["place"] == places.get(name, usual)
    model = session.scene(setting).answer.model
    assert isinstance(model, Model)
    assert place_name(model) == facts["view"]["place"]
    assert facts["view"]["marked"] == [facts["view"]["worst"]]
