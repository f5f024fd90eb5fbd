# SPDX-License-Identifier: BSD-3-Clause
"""Challenges about margins: their support vectors, their intercept, and classes that have none."""

from __future__ import annotations

from dataclasses import replace

from formulations.classification.separation.hulls import HullIntersection
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
from formulations.lab.views.hulls import HULLS
from formulations.modelling.solution import Classification
from qpkernels.display import count
from qpkernels.errors import InseparableError

__all__ = ["OF_MARGINS"]

_LEAST_POINTS = 5
"""Points of which three support vectors are not all."""

_BOUNDED = 10
"""Support vectors of two clouds that are to be at their bound: so many are for C from 1.8 to 2.3."""

_LEAST_INTERVAL = 0.01
"""Length of the interval of b from which on it is no matter of rounding."""

_LINEAR = kernel_part("linear")
_SEPARATED = points_part(
    [[1.4, 0.9], [2.3, 0.2], [1.1, 2.2], [2.6, 1.7], [-1.2, -0.8], [-2.2, 0.4], [-0.9, -2.1], [-2.7, -1.4]],
    [1, 1, 1, 1, -1, -1, -1, -1],
)
_HARD = Setting(machine_part("hard-margin"), _LINEAR, _SEPARATED)
_SOFT = replace(_HARD, machine=machine_part("soft-margin", C=100))


def _three_support_vectors(answer: Answer) -> str:
    require_kernel(answer.setting, "linear")
    require(len(answer.setting.points) >= _LEAST_POINTS, f"Have at least {_LEAST_POINTS} points.")
    solution = certified(answer, Classification)
    support = solution.support.indices
    require(support.size == 3, f"The margin rests on {count(support.size, 'support vector')}; 3 are wanted.")
    return (
        f"The margin, {solution.margin:.4g} wide on either side, rests on the samples "
        f"{', '.join(map(str, support))}. {proof_of(solution)}"
    )


def _several_intercepts(answer: Answer) -> str:
    require_kernel(answer.setting, "linear")
    solution = certified(answer, Classification)
    low, high = solution.intercept_interval
    free = solution.support.free.size
    fixed = f", fixed by {count(free, 'free support vector')} with y (f(x) + b) = 1" if free else ""
    require(high - low >= _LEAST_INTERVAL, f"There is one optimal b, {solution.intercept + 0.0:.4g}{fixed}.")
    return (
        f"Every b from {low:.4g} to {high:.4g} is optimal with this f: none of the "
        f"{count(len(solution.support), 'support vector')} is free. {proof_of(solution)}"
    )


def _some_at_their_bound(answer: Answer) -> str:
    require_kernel(answer.setting, "linear")
    require_points(answer.setting, _CLOUDS)
    solution = certified(answer, Classification)
    bounded, cost = solution.support.bounded.size, answer.setting.machine.values["C"]
    are = f"At C = {cost:g}, {count(bounded, 'support vector')} {'is' if bounded == 1 else 'are'} at the bound"
    require(bounded == _BOUNDED, f"{are}; {_BOUNDED} are wanted.")
    return f"{are}, and {solution.support.free.size} free. {proof_of(solution)}"


def _common_point(answer: Answer) -> str:
    require_kernel(answer.setting, "linear")
    if not isinstance(answer.error, InseparableError) or not isinstance(answer.error.proof, HullIntersection):
        margin = certified(answer, Classification).margin
        raise Unsolved(f"A line separates these classes, with the margin {margin:.4g}.")
    is_shown = answer.setting.view.name == HULLS.name
    require(is_shown, f"No line separates these classes. Look at the reason in {HULLS.title}.")
    return common_point(answer.setting, answer.error.proof)


_CLOUDS = PRESETS["two-clouds"].setting

OF_MARGINS = (
    Challenge(
        "three-support-vectors",
        "Three support vectors",
        f"Move, add or delete points, at least {_LEAST_POINTS} in all, until the hard margin of the linear kernel "
        "rests on exactly three support vectors.",
        _HARD,
        _three_support_vectors,
    ),
    Challenge(
        "several-intercepts",
        "More than one b",
        "Let the soft margin of the linear kernel have more than one optimal b. C alone can do it. Which of the "
        "support vectors are free then?",
        _SOFT,
        _several_intercepts,
    ),
    Challenge(
        "ten-at-the-bound",
        "Ten at their bound",
        f"Leave the points where they are, and choose C so that exactly {_BOUNDED} support vectors are at their bound.",
        _CLOUDS,
        _some_at_their_bound,
    ),
    Challenge(
        "common-point",
        "No line, and why",
        f"Make the hard margin of the linear kernel impossible, and look in {HULLS.title} at a point that proves it: "
        "one that the convex hulls of both classes have in common.",
        _HARD,
        _common_point,
    ),
)
