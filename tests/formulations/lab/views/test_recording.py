# SPDX-License-Identifier: BSD-3-Clause
"""The views of algorithms: every one of every machine gives a frame, with a recording or a sentence."""

from __future__ import annotations

import json
from threading import Event
from typing import Any

import numpy as np
import pytest

from formulations.lab.session import Session
from formulations.lab.settings import MACHINES
from lab_settings import at, classes, lab_setting

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
