# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a session: certified, or with a gap that is seen closing."""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
import pytest

from formulations.lab import answers, session
from formulations.lab.answers import Answers
from formulations.lab.background import Background
from formulations.lab.desk import Show, read_message
from formulations.lab.session import Session
from formulations.lab.settings import KERNELS, MACHINES, LabTask, Setting
from lab_client import facts, opened, points, setting
from lab_settings import classes, lab_setting

MOMENT = 1e-9
"""Seconds that no solve keeps to: it ends where it first looks at the clock."""


def asked(count: int = 150, seed: int = 0, **parts: Any) -> Setting:
    message = read_message(json.dumps({"seq": 1, "setting": {"points": points(count, seed), **parts}}), None)
    assert isinstance(message, Show)
    return message.setting


def hard(seed: int = 0, **parts: Any) -> Setting:
    return asked(150, seed, machine={"name": "soft-margin", "values": {"C": 1e4}}, **parts)


def test_the_gap_is_seen_closing() -> None:
    its, setting = Session(first=MOMENT), hard()
    frames = [its.frame(setting)]
    assert frames[0].facts["unfinished"] is True
    while its.is_unfinished:
        frames.append(its.improve(setting))
    proofs = [frame.facts["proof"] for frame in frames]
    gaps = [proof["gap"] for proof in proofs]
    assert len(frames) > 2
    assert all(after <= before for before, after in pairwise(gaps))
    # Optimal is said where it is proved, and there only.
    assert [proof["status"] for proof in proofs] == ["stopped"] * (len(frames) - 1) + ["optimal"]
    assert gaps[-1] <= 1e-6 < gaps[-2]
    assert [frame.facts["unfinished"] for frame in frames] == [True] * (len(frames) - 1) + [False]
    whole = Session().frame(setting).facts["proof"]
    assert proofs[-1]["primal"] == pytest.approx(whole["primal"], rel=2e-6)


def test_a_newer_setting_begins_anew_and_may_come_back() -> None:
    its, first, second = Session(first=MOMENT), hard(), hard(seed=1)
    its.frame(first)
    for _ in range(3):
        its.improve(first)
    assert its.frame(second).facts["unfinished"] is True
    moved = read_message('{"seq": 2, "points": [[0, 0.5, 0.5, 1]]}', second)
    assert isinstance(moved, Show)
    its.frame(moved.setting)
    while its.is_unfinished:
        frame = its.improve(moved.setting)
    assert frame.facts["proof"]["gap"] <= 1e-6
    expected = Session().frame(moved.setting).facts["proof"]["primal"]
    assert frame.facts["proof"]["primal"] == pytest.approx(expected, rel=2e-6)


def test_another_view_of_the_same_problem_goes_on() -> None:
    its, setting = Session(first=MOMENT), hard()
    its.frame(setting)
    gap = its.improve(setting).facts["proof"]["gap"]
    elsewhere = hard(window=[-1, 1, -1, 1])
    assert its.frame(elsewhere).facts["proof"]["gap"] == gap
    assert its.is_unfinished


def test_a_problem_is_left_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ENOUGH", 6 * MOMENT)
    its, setting = Session(first=MOMENT), hard()
    assert its.frame(setting).facts["unfinished"] is True
    assert its.improve(setting).facts["unfinished"] is True
    last = its.improve(setting).facts
    assert last["unfinished"] is False
    assert last["proof"]["status"] == "stopped"
    assert last["proof"]["gap"] > 1e-6


@pytest.mark.parametrize("name", [name for name, machine in MACHINES.items() if not machine.in_slices])
def test_a_machine_without_slices_is_solved_at_once(name: str) -> None:
    of = points(20) if MACHINES[name].task is LabTask.CLASSIFICATION else [[x, y] for x, y, _ in points(20)]
    frame = Session(first=MOMENT).frame(asked(machine={"name": name}, points=of))
    assert frame.facts["unfinished"] is False
    assert frame.facts["proof"]["status"] in ("optimal", "stationary")


def test_a_machine_without_slices_is_not_improved_where_it_is_not_proved() -> None:
    of = [[3.0 * x, 3.0 * y] for x, y, _ in points(60)]
    power = [{"name": "polynomial", "values": {"degree": 8}}]
    its = Session(first=MOMENT)
    frame = its.frame(asked(machine={"name": "least-squares", "values": {"C": 1e4}}, kernel=power, points=of))
    assert frame.facts["proof"]["status"] != "optimal"
    assert (frame.facts["unfinished"], its.is_unfinished) == (False, False)


EXTREMES: dict[str, dict[str, Any]] = {
    "narrow": {"name": "rbf", "values": {"gamma": 1e4}},
    "wide": {"name": "rbf", "values": {"gamma": 1e-2}},
    "degree 5": {"name": "polynomial", "values": {"degree": 5}},
    "linear": {"name": "linear"},
}


@pytest.mark.parametrize("kernel", EXTREMES)
@pytest.mark.parametrize("apart", [0.7, 3.0], ids=["overlapping", "separated"])
def test_the_largest_cost_is_proved_on_tens_of_points(kernel: str, apart: float) -> None:
    for count in (10, 30, 60):
        rng, labels = np.random.default_rng(count), np.where(np.arange(count) % 2, 1, -1)
        X = 0.5 * (rng.normal(size=(count, 2)) + apart * labels[:, None])
        its = Session(first=session.FIRST)
        machine = {"name": "soft-margin", "values": {"C": 1e6}}
        setting = asked(machine=machine, kernel=[EXTREMES[kernel]], points=np.column_stack([X, labels]).tolist())
        frame = its.frame(setting)
        while its.is_unfinished:
            frame = its.improve(setting)
        proof = frame.facts["proof"]
        assert proof["status"] == "optimal", (count, proof)
        assert proof["gap"] <= 1e-6


def test_nothing_is_unfinished_without_a_limit() -> None:
    its, setting = Session(), hard()
    frame = its.frame(setting)
    assert (frame.facts["unfinished"], its.is_unfinished) == (False, False)
    assert frame.facts["proof"]["gap"] <= 1e-6


def test_large_kernel_matrices_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LARGE", 10)
    its = Session()
    matrices = []
    for gamma in (0.5, 1.0, 2.0, 4.0):
        setting = asked(12, kernel=[{"name": "rbf", "values": {"gamma": gamma}}])
        its.frame(setting)
        model = its.scene(setting).answer.model
        assert model is not None
        matrices.append(weakref.ref(model.gram))
        del model
    # The one before is there while the next is made.
    assert [each() is None for each in matrices[:2]] == [True, True]
    assert matrices[-1]() is not None


DEGENERATE: dict[str, list[list[float]]] = {
    "none": [],
    "one": [[0, 0, 1]],
    "twins": [[1, 1, 1], [1, 1, -1]],
    "far": [[1e6, 1e6, 1], [-1e6, 1e6, -1], [1e6, -1e6, -1], [3, 4, 1]],
    "tiny": [[1e-300, 0, 1], [0, 1e-300, -1], [5e-324, 0, 1]],
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_degenerate_points_are_answered_in_words_or_numbers(name: str, end: str, kernel: str) -> None:
    its = Session(first=session.FIRST)
    for machine in MACHINES.values():
        of = DEGENERATE[name] if machine.task is LabTask.CLASSIFICATION else [[x, y] for x, y, _ in DEGENERATE[name]]
        values = [
            {"name": each.name, "values": {slider.name: getattr(slider, end) for slider in each.sliders}}
            for each in (machine, KERNELS[kernel])
        ]
        frame = its.frame(asked(points=of, machine=values[0], kernel=values[1:]))
        head = facts(frame.encode())
        assert ("error" in head) != ("proof" in head)
        if head.get("proof", {}).get("status") == "optimal":
            assert head["proof"]["gap"] <= head["proof"]["tol"]


def test_a_setting_stated_is_read_as_itself() -> None:
    setting = asked(5, machine={"name": "nu-margin", "values": {"nu": 0.4}}, view={"name": "picture", "step": 3})
    again = asked(**json.loads(json.dumps(setting.stated())))
    assert again.same_problem(setting)
    assert (again.window, again.view) == (setting.window, setting.view)
    assert np.array_equal(again.points, setting.points)


def test_relevance_vectors_that_are_not_found_in_time() -> None:
    answers = Answers()
    early = answers.answer(lab_setting("relevance-classification", classes(0, 60, 2.0)), 1e-6)
    assert early.is_unfinished
    assert early.solution is not None
    assert not answers.improve(600.0).is_unfinished


CODE = """
import sys
from formulations.lab.session import Session, warm_up
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS

warm_up()
loaded = set(sys.modules)
for points in ([[0, 0, 1], [1, 1, -1], [2, 0, 1]], [[0, 0.5, 1], [1, 1, -1], [2, 0, 1]]):
    assert Session().frame(read_setting({"points": points}, VIEWS)).facts["proof"]["status"] == "optimal"
print(*(set(sys.modules) - loaded))
"""


def test_the_first_answer_loads_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_page_is_told_why_the_first_picture_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = Event()
    monkeypatch.setattr(session, "_WARMING", Background(may_end.wait))
    monkeypatch.setattr(session, "_USUALLY", 0.0)
    assert session.notice() is None
    session.begin_to_warm_up()
    with opened() as page:
        assert "first start on this computer" in page.receive()["notice"]
        assert page.shown(1, **setting())["proof"]["status"] == "optimal"
    may_end.set()
    assert session._WARMING.is_done(10.0)
    with opened() as page:
        page.send(seq=1, setting=setting())
        assert page.receive()["seq"] == 1
