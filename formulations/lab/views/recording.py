# SPDX-License-Identifier: BSD-3-Clause
"""What views with steps share: a recording made once, the step within it, and sentences in place of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from formulations.lab.settings import Setting
from formulations.lab.views.view import Drawn, Scene, ViewKind
from formulations.modelling.model import Model
from qpkernels.arrays import Vector
from qpkernels.errors import ParameterError, QPKernelsError, UnsupportedProgramError
from qpkernels.problems import KernelQP

__all__ = [
    "MOST_POINTS",
    "MOST_STEPS",
    "TOL",
    "few_points",
    "finite",
    "model_to_record",
    "percent",
    "recorded",
    "roles",
    "stepped",
]

MOST_POINTS = 200
"""Points of an algorithm shown step by step: its solvers run again and again on them."""

MOST_STEPS = 2000
"""Steps of a recording."""

TOL = 1e-6
"""What counts as proved."""


def few_points(setting: Setting) -> None:
    """Refuse more points than are recorded.

    Raises
    ------
    ParameterError
        If there are more.
    """
    if len(setting.points) > MOST_POINTS:
        raise ParameterError(
            f"algorithms are shown step by step on at most {MOST_POINTS} points, but there are {len(setting.points)}; "
            "remove some."
        )


def model_to_record(setting: Setting) -> Model[Any]:
    """Return the model of a setting, one of its own for the recording.

    Raises
    ------
    UnsupportedProgramError
        If the machine states no convex problem.
    QPKernelsError
        If there are too many points, or these do not make a model.
    """
    few_points(setting)
    model = setting.state()
    if not isinstance(model, Model):
        raise UnsupportedProgramError(
            "a relevance machine maximises its evidence, which is not convex: it has no certificate, and no solver of "
            "convex problems takes it. Choose another machine."
        )
    return model


Recording = TypeVar("Recording")

_WORKING = Drawn(
    {"words": "Working … The steps are being recorded; the picture shows the answer meanwhile.", "pending": True}
)
"""While a recording is under way."""

_ZERO = 1e-8
"""Share of the largest coefficient below which one counts as 0, or as at its bound."""


def stepped(
    name: str, title: str, record: Callable[[Setting], Recording], draw: Callable[[Recording, int], Drawn]
) -> ViewKind:
    """Return the view of an algorithm: what ``draw`` draws of what ``record`` recorded, at a step."""
    return ViewKind(name, title, lambda scene, step: recorded(scene, name, record, draw, step))


def recorded(
    scene: Scene,
    name: str,
    record: Callable[[Setting], Recording],
    draw: Callable[[Recording, int], Drawn],
    step: int,
) -> Drawn:
    """Return what ``draw`` draws of a recording that is made once; where there is none, why, in its facts' words."""

    def attempt(setting: Setting) -> Recording | QPKernelsError:
        try:
            return record(setting)
        except QPKernelsError as error:
            return error

    made = scene.recorded(name, attempt)
    if made is None:
        return _WORKING
    if isinstance(made, QPKernelsError):
        return Drawn({"words": _sentence(str(made)), "steps": 0, "step": 0})
    return draw(made, step)


def _sentence(words: str) -> str:
    """Return words with a capital letter, unless they begin with a symbol such as X."""
    first, _, _ = words.partition(" ")
    return words if len(first) == 1 and first != "a" else words[:1].upper() + words[1:]


def finite(value: float) -> float | None:
    """Return a number as JSON can say it: None where it is not finite."""
    return float(value) if np.isfinite(value) else None


def percent(value: float) -> str:
    """Return a relative gap in words: in percent while it is more than a thousandth."""
    if not np.isfinite(value):
        return "everything"
    if value >= 1e-3:
        return f"{100 * value:.3g} %" if value < 10.0 else f"{100 * value:,.0f} %"
    return f"{value:.1e}" if value else "nothing"


def roles(beta: Vector, program: KernelQP | None = None) -> Vector:
    """Return what samples are at coefficients: 0 without one, 1 with one, 2 at a bound of ``program``, shape (m,)."""
    size = _ZERO * float(np.abs(beta).max())
    found = (np.abs(beta) > size).astype(float)
    if program is not None:
        found[(found > 0) & ((beta >= program.upper - size) | (beta <= program.lower + size))] = 2.0
    return found
