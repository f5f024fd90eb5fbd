# SPDX-License-Identifier: BSD-3-Clause
"""Challenges about kernels: what a line cannot do, and what a narrow kernel does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formulations.classification.separation.hulls import HullIntersection
from formulations.classification.separation.separability import Separability
from formulations.lab.answers import Answer
from formulations.lab.challenges.challenge import (
    Challenge,
    Unsolved,
    certified,
    common_point,
    proof_of,
    require,
    require_kernel,
    require_points,
)
from formulations.lab.settings.parts import kernel_part, machine_part, points_part
from formulations.lab.settings.presets import PRESETS
from formulations.lab.settings.setting import Setting
from formulations.modelling.solution import Classification
from qpkernels.errors import SolverFailedError
from qpkernels.kernels import Linear

__all__ = ["OF_KERNELS"]

_MOST_POINTS = 100
"""Points of which it is decided beside the answer whether a line separates them."""

_COST = 1e6

_DIAGONAL = np.array([[1.5, 1.2], [2.1, 0.7], [1.0, 1.9], [-1.4, -1.1], [-2.0, -0.6], [-0.9, -1.8]])
_CORNERS = points_part(np.vstack([_DIAGONAL, _DIAGONAL * (-1, 1)]), np.repeat([1, -1], len(_DIAGONAL)))


def _degree_two_and_no_line(answer: Answer) -> str:
    setting = answer.setting
    require(len(setting.points) <= _MOST_POINTS, f"Have at most {_MOST_POINTS} points.")
    require_kernel(setting, "polynomial")
    degree = setting.kernel[0].values["degree"]
    require(degree == 2, f"The degree is {degree:g}; 2 is wanted.")
    solution = certified(answer, Classification)
    return (
        f"The kernel of degree 2 separates the classes. {proof_of(solution)} "
        f"{common_point(setting, _without_line(setting))}"
    )


def _without_line(setting: Setting) -> HullIntersection:
    """Return the proof that no line separates the classes.

    Raises
    ------
    Unsolved
        If one does, or neither is proved.
    """
    try:
        found = Separability(setting.X, setting.y, Linear()).decide()
    except SolverFailedError as error:
        raise Unsolved(f"It is not decided whether a line separates these classes: {error}") from None
    if not isinstance(found, HullIntersection):
        raise Unsolved("A line separates these classes as well: find ones for which it takes degree 2.")
    return found


def _all_support_vectors(answer: Answer) -> str:
    setting = answer.setting
    require_points(setting, _APPLET)
    require_kernel(setting, "gaussian")
    cost = setting.machine.values["C"]
    require(cost == _COST, f"C is {cost:g}; {_COST:.0f} is wanted.")
    solution = certified(answer, Classification)
    free, count = solution.support.free.size, len(setting.points)
    require(free == count, f"{free} of {count} samples are free support vectors; all are wanted.")
    return (
        f"All {count} samples are free support vectors at gamma = {setting.kernel[0].values['gamma']:g}: each lies on "
        f"the margin, and the machine knows them by heart. {proof_of(solution)}"
    )


_APPLET = PRESETS["applet"].setting

OF_KERNELS = (
    Challenge(
        "degree-two",
        "Degree 2, and no line",
        "Separate the exclusive or by a hard margin with the polynomial kernel of degree 2. That no line does it is "
        f"checked besides. Other points will do as well, at most {_MOST_POINTS}.",
        Setting(machine_part("hard-margin"), kernel_part("linear"), _CORNERS),
        _degree_two_and_no_line,
    ),
    Challenge(
        "by-heart",
        "Known by heart",
        f"Leave the points where they are, let C be {_COST:.0f}, and choose the width of the Gaussian kernel so that "
        "every sample is a free support vector.",
        replace(_APPLET, machine=machine_part("soft-margin", C=_COST)),
        _all_support_vectors,
    ),
)
