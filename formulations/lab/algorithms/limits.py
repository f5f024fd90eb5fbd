# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded at most, and for which models: every other setting gets a sentence in place of a recording."""

from __future__ import annotations

from typing import Any

from formulations.lab.settings import Setting
from formulations.modelling.model import Model
from qpkernels.errors import ParameterError, UnsupportedProgramError

__all__ = ["MOST_POINTS", "MOST_STEPS", "TOL", "few_points", "stated"]

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


def stated(setting: Setting) -> Model[Any]:
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
