# SPDX-License-Identifier: BSD-3-Clause
"""The presets: each is a setting that a page can send, with an answer that is proved."""

import json

import numpy as np
import pytest

from formulations.lab.answers import Answers
from formulations.lab.presets import PRESETS, Preset
from formulations.lab.settings import IN_BROWSER, MACHINES, LabTask, read_setting, setting_of_model
from formulations.lab.views import VIEWS
from formulations.modelling import Model
from formulations.models.relevance.machine import RelevanceSolution

every_preset = pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)

SUPPORT = {"three-points": 3, "corner": 4, "exclusive-or": 8, "cost-and-width": 15, "tube": 8}
"""Support vectors that docs/examples finds on the same points."""

RELEVANCE = {"relevance-classes": 3, "relevance-regression": 3}


@every_preset
def test_its_answer_is_proved(preset: Preset) -> None:
    solution = Answers().answer(preset.setting).solution
    if isinstance(solution, RelevanceSolution):
        assert solution.stationarity.holds(1e-6)
        assert solution.n_relevance == RELEVANCE[preset.name]
    else:
        assert solution is not None
        assert solution.status == "optimal"
        assert solution.certificate.holds(1e-6)
        assert solution.n_support == SUPPORT.get(preset.name, solution.n_support)


@every_preset
def test_it_is_read_from_what_is_sent_of_it(preset: Preset) -> None:
    sent = json.loads(json.dumps(preset.setting.stated()))
    read = read_setting(sent, VIEWS)
    assert read.same_problem(preset.setting)
    if preset.setting.machine.choice.name in IN_BROWSER:
        model = preset.setting.state()
        assert isinstance(model, Model)
        assert setting_of_model(model).same_problem(preset.setting)
    assert (read.window, read.view) == (preset.setting.window, preset.setting.view)


@every_preset
def test_its_points_are_few_and_within_the_window(preset: Preset) -> None:
    points, window = preset.setting.points, preset.setting.window
    assert 3 <= len(points) <= 120
    assert not points.flags.writeable
    inside = (points[:, 0] >= window.left) & (points[:, 0] <= window.right)
    assert (inside & (points[:, 1] >= window.bottom) & (points[:, 1] <= window.top)).all()
    assert np.array_equal(points, np.round(points, 3))


def test_both_tasks_have_some() -> None:
    assert {preset.setting.task for preset in PRESETS.values()} == set(LabTask)
    assert {preset.setting.machine.choice.name for preset in PRESETS.values()} <= MACHINES.keys()
