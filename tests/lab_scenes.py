# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the lab, and what its views draw of them."""

from typing import Any

import numpy as np

from formulations.lab.answers import Answers
from formulations.lab.settings import Setting, read_setting
from formulations.lab.views import VIEWS, Drawn, Scene


def two_classes(count: int = 24, apart: float = 1.0, seed: int = 0) -> list[list[float]]:
    """Return points of two classes, which overlap where they are not far ``apart``."""
    y = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    X = np.random.default_rng(seed).normal(size=(count, 2)) + apart * y[:, None] * [0.5, 0.3]
    return np.column_stack([X, y]).tolist()


def curve(count: int = 24, seed: int = 0) -> list[list[float]]:
    """Return points of a regression, with noise."""
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(-3.0, 3.0, count))
    return np.column_stack([x, np.sin(x) + 0.3 * random.normal(size=count)]).tolist()


def setting_of(
    machine: str,
    points: list[list[float]],
    kernel: str = "gaussian",
    view: str = "picture",
    step: int = 0,
    **values: float,
) -> Setting:
    """Return a setting; what is left out is the default."""
    message: dict[str, Any] = {
        "machine": {"name": machine, "values": values},
        "kernel": [{"name": kernel}],
        "points": points,
        "view": {"name": view, "step": step},
    }
    return read_setting(message, VIEWS)


def scene_of(setting: Setting, tol: float = 1e-6) -> Scene:
    """Return the answer to a setting, for its views."""
    return Scene(Answers(tol).answer(setting))


def drawn(setting: Setting, tol: float = 1e-6) -> Drawn:
    """Return what the view of a setting draws."""
    return VIEWS[setting.view.name].draw(scene_of(setting, tol), setting.view.step)
