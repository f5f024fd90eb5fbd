# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the lab for its tests: two classes, separable and not, and a curve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from formulations.lab.settings import MACHINES, LabTask, Setting, ShownView, read_setting
from formulations.lab.views import VIEWS

__all__ = ["SEPARABLE", "at", "classes", "curve", "lab_setting", "points_for"]

SEPARABLE = [[-1.0, 0.2, -1], [-1.5, -0.7, -1], [-0.7, 1.1, -1], [1.0, 0.4, 1], [1.4, -0.9, 1], [0.8, 1.3, 1]]


def classes(seed: int = 0, samples: int = 24, apart: float = 0.7) -> list[list[float]]:
    """Points of two classes that overlap."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(samples) % 2 == 0, 1, -1)
    X = rng.normal(size=(samples, 2)) + apart * y[:, None]
    return [[float(a), float(b), int(label)] for (a, b), label in zip(X, y, strict=True)]


def curve(seed: int = 0, samples: int = 24) -> list[list[float]]:
    """Points about a wave."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-3, 3, samples))
    return np.column_stack([x, np.sin(2 * x) + 0.2 * rng.normal(size=samples)]).tolist()


def points_for(machine: str) -> list[list[float]]:
    """Points as a machine takes them."""
    return classes() if MACHINES[machine].task is LabTask.CLASSIFICATION else curve()


def lab_setting(
    machine: str = "soft-margin", points: list[list[float]] | None = None, kernel: str = "gaussian", **values: Any
) -> Setting:
    """A setting as a page sends it."""
    message = {
        "machine": {"name": machine, "values": values},
        "kernel": [{"name": kernel}],
        "points": points_for(machine) if points is None else points,
    }
    return read_setting(message, VIEWS)


def at(setting: Setting, view: str, step: int = 0) -> Setting:
    """The same at a step of a view."""
    return replace(setting, view=ShownView(view, step))
