# SPDX-License-Identifier: BSD-3-Clause
"""Every view of every machine is a frame that a page can read, also where there is no answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from threading import Event
from typing import Any

import numpy as np
import pytest

from formulations.lab.desk import menu
from formulations.lab.session import Session
from formulations.lab.settings import MACHINES, LabTask, MachineChoice, Setting
from formulations.lab.views import VIEWS, Scene, race
from formulations.modelling.solution import Solution
from lab_scenes import curve, scene_of, setting_of, two_classes
from lab_settings import at, classes, lab_setting
from qpkernels.problems import Status
from together import together

DATA = [("rbf", "some"), ("rbf", "two"), ("linear", "equal"), ("rbf", "none")]
"""Kernels and points; points that are few, equal or none are the same to every kernel."""

IN_FEATURES = ("soft-margin", "hard-margin", "nu-margin", "soft-tube")
"""Machines whose hulls and tubes are drawn in the features of a linear kernel."""


def points_of(machine: MachineChoice, samples: str) -> list[list[float]]:
    if machine.task is LabTask.REGRESSION:
        return {"some": curve(14), "two": curve(2), "equal": [[1.0, 2.0]] * 4, "none": []}[samples]
    return {
        "some": two_classes(14),
        "two": two_classes(2, 4.0),
        "equal": [[1.0, 2.0, 1], [1.0, 2.0, -1]] * 2,
        "none": [],
    }[samples]


@pytest.fixture(autouse=True)
def unrepeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a race take the time of one run for what it is: no time is looked at here."""
    monkeypatch.setattr(race, "_SHORT", 0.0)


CASES = [*product(MACHINES, DATA), *product(IN_FEATURES, [("linear", "some")])]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join((case[0], *case[1])))
def asked(request: pytest.FixtureRequest) -> tuple[Session, Callable[[str], Setting]]:
    """Return a session, which solves the problem of a machine once, and how its settings ask for a view."""
    machine, (kernel, samples) = request.param
    points = points_of(MACHINES[machine], samples)
    return Session(), lambda view: setting_of(machine, points, kernel, view, 3)


@together("view", VIEWS)
def test_it_is_a_frame(asked: tuple[Session, Callable[[str], Setting]], view: str) -> None:
    session, setting = asked
    frame = session.frame(setting(view))
    message = frame.encode()
    length = int.from_bytes(message[:4], "little")
    head = json.loads(message[4 : 4 + length])
    assert head["view"]["name"] == view
    for name, array in frame.arrays.items():
        curve_of_a_wall = name == "view.curve" and setting(view).machine.choice.name == "hard-margin"
        assert np.isfinite(array).all() or curve_of_a_wall, name
    if view != "picture":
        assert head["view"]["words"]


@pytest.mark.parametrize("view", ["hulls", "kkt"])
def test_nothing_is_called_optimal_that_is_not_proved(view: str) -> None:
    answer = scene_of(setting_of("soft-margin", two_classes())).answer
    assert isinstance(answer.solution, Solution)
    unproved = replace(answer, solution=replace(answer.solution, status=Status.STOPPED))
    assert "not proved" not in VIEWS[view].draw(Scene(answer), 0).facts["words"]
    assert "not proved" in VIEWS[view].draw(Scene(unproved), 0).facts["words"]


ALGORITHMS = ("perceptron", "smo", "interior-point", "race")


def read(message: bytes) -> dict[str, Any]:
    length = int.from_bytes(message[:4], "little")
    return json.loads(message[4 : 4 + length])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("view", ALGORITHMS)
def test_every_algorithm_of_every_machine_gives_a_frame(view: str, machine: str) -> None:
    session, setting = Session(), lab_setting(machine)
    steps = None
    for step in (0, 1, 10**6):
        head = read(session.frame(at(setting, view, step)).encode())
        facts = head["view"]
        assert facts["words"].endswith(".")
        assert 0 <= facts["step"] <= min(step, facts["steps"])
        assert steps in (None, facts["steps"])
        steps = facts["steps"]
        arrays = [name for name in head["arrays"] if name.startswith("view.")]
        assert arrays or not steps
    assert facts["step"] == steps


@pytest.mark.parametrize("view", ALGORITHMS)
@pytest.mark.parametrize("points", [[], [[0.0, 0.0, 1]], [[0.0, 0.0, 1], [0.0, 0.0, -1]], classes(samples=201)])
def test_few_and_many_points_give_a_frame(view: str, points: list[list[float]]) -> None:
    facts = read(Session().frame(at(lab_setting(points=points), view, 1)).encode())["view"]
    assert facts["words"].endswith(".")


@pytest.mark.parametrize("view", ["smo", "interior-point"])
def test_the_last_step_shows_the_answer(view: str) -> None:
    session, setting = Session(), lab_setting()
    answer, last = session.frame(setting), session.frame(at(setting, view, 10**6))
    np.testing.assert_allclose(last.arrays["field"], answer.arrays["field"], atol=1e-2)
    np.testing.assert_allclose(last.arrays["multipliers"], answer.arrays["multipliers"], atol=1e-2)
    assert "slacks" not in last.arrays


def test_an_algorithm_is_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from formulations.lab.views import smo

    made = []

    def counted(setting: Any) -> Any:
        made.append(setting)
        return original(setting)

    original = smo.model_to_record
    monkeypatch.setattr(smo, "model_to_record", counted)
    session, setting = Session(), lab_setting()
    for step in range(3):
        session.frame(at(setting, "smo", step))
    assert len(made) == 1


def test_a_step_marks_the_samples_that_it_is_about() -> None:
    session, setting = Session(), lab_setting()
    before = session.frame(at(setting, "smo", 4)).arrays["multipliers"]
    frame = session.frame(at(setting, "smo", 5))
    moved = np.flatnonzero(frame.arrays["multipliers"] != before)
    assert sorted(frame.facts["view"]["marked"]) == moved.tolist()
    frame = session.frame(at(setting, "perceptron", 3))
    assert len(frame.facts["view"]["marked"]) == 1


def test_roles_are_those_of_the_iterate() -> None:
    frame = Session().frame(at(lab_setting(), "smo", 3))
    beta, roles = frame.arrays["multipliers"], frame.arrays["roles"]
    np.testing.assert_array_equal(roles > 0.0, beta != 0.0)
    np.testing.assert_array_equal(roles == 2.0, np.abs(beta) == 1.0)


def test_a_hard_margin_without_an_answer_still_shows_how_algorithms_fare() -> None:
    setting = lab_setting("hard-margin", classes(apart=0.1), "linear")
    frame = Session().frame(at(setting, "perceptron", 10**6))
    assert "for ever" in frame.facts["view"]["words"]
    assert "error" in frame.facts
    assert "field" in frame.arrays


def test_what_takes_long_to_record_is_pending_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    from formulations.lab import session as sessions
    from formulations.lab.views import smo

    may_end, original, made = Event(), smo.model_to_record, []

    def held(setting: Any) -> Any:
        made.append(len(setting.points))
        assert may_end.wait(60.0)
        return original(setting)

    monkeypatch.setattr(smo, "model_to_record", held)
    monkeypatch.setattr(sessions, "PATIENCE", 0.01)
    session = Session(first=10.0)
    # Points are drawn while the first recording is under way; those of settings that have been left are not recorded.
    for samples in (20, 22, 24):
        frame = session.frame(at(lab_setting(points=classes(samples=samples)), "smo", 1))
        assert frame.facts["view"]["pending"]
        assert frame.facts["samples"] == samples
        assert "decision" in frame.arrays
    may_end.set()
    newest = at(lab_setting(points=classes(samples=24)), "smo", 1)
    while "pending" in (facts := session.frame(newest).facts["view"]):
        pass
    assert facts["step"] == 1
    assert made == [20, 24]


def test_what_a_view_says_of_a_machine_that_it_refuses_is_what_the_menu_says() -> None:
    refused = {each["name"]: each["refusals"] for each in menu()["machines"]}
    assert {"hulls", "kkt", "smo"} == refused["linear-program-machine"].keys()
    for name, machine in MACHINES.items():
        session = Session()
        for view, words in refused[name].items():
            frame = session.frame(setting_of(name, points_of(machine, "some"), "rbf", view, 0))
            assert frame.facts["view"]["words"] == words
            assert not any(each.startswith("view.") for each in frame.arrays)
