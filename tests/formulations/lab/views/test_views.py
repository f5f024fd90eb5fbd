# SPDX-License-Identifier: BSD-3-Clause
"""Every view of every machine is a frame that a page can read, also where there is no answer."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from formulations.lab.session import Session
from formulations.lab.settings import MACHINES, LabTask, MachineChoice, Setting
from formulations.lab.views import VIEWS, Scene
from formulations.modelling.solution import Solution
from lab_scenes import curve, scene_of, setting_of, two_classes
from qpkernels.problems import Status
from together import together

DATA = [("linear", "some"), ("rbf", "some"), ("rbf", "two"), ("linear", "equal"), ("rbf", "none")]
"""Kernels and points; points that are few, equal or none are the same to every kernel."""


def points_of(machine: MachineChoice, samples: str) -> list[list[float]]:
    if machine.task is LabTask.REGRESSION:
        return {"some": curve(14), "two": curve(2), "equal": [[1.0, 2.0]] * 4, "none": []}[samples]
    return {
        "some": two_classes(14),
        "two": two_classes(2, 4.0),
        "equal": [[1.0, 2.0, 1], [1.0, 2.0, -1]] * 2,
        "none": [],
    }[samples]


@pytest.fixture(scope="module", params=product(MACHINES, DATA), ids=lambda case: "-".join((case[0], *case[1])))
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
