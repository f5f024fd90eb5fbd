# SPDX-License-Identifier: BSD-3-Clause
"""What a page can choose from, as JSON: its controls are made of this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from formulations.lab.challenges import CHALLENGES
from formulations.lab.settings import KERNELS, MACHINES, MOST_POINTS, PARAMETRISATIONS, Setting
from formulations.lab.settings.choices import Choice
from formulations.lab.settings.presets import PRESETS
from formulations.lab.views import VIEWS

__all__ = ["menu"]


def menu(start: Setting | None = None) -> Mapping[str, Any]:
    """Return machines, kernels, views, presets, challenges and limits, and the setting that a page starts with."""
    machines = [
        {**_choice(each), "task": each.task, "labels": each.takes_labels, "most_points": each.most_points}
        for each in MACHINES.values()
    ]
    return {
        "machines": machines,
        "kernels": [_choice(each) for each in KERNELS.values()],
        "parametrisations": PARAMETRISATIONS,
        "views": [{"name": each.name, "title": each.title} for each in VIEWS.values()],
        "presets": [
            {"name": each.name, "title": each.title, "setting": each.setting.stated()} for each in PRESETS.values()
        ],
        "challenges": [
            {"name": each.name, "title": each.title, "words": each.words, "setting": each.start.stated()}
            for each in CHALLENGES.values()
        ],
        "most_points": MOST_POINTS,
        "start": None if start is None else start.stated(),
    }


def _choice(choice: Choice) -> dict[str, Any]:
    return {"name": choice.name, "title": choice.title, "sliders": [asdict(each) for each in choice.sliders]}
