# SPDX-License-Identifier: BSD-3-Clause
"""Challenges about tubes."""

from __future__ import annotations

import numpy as np

from formulations.lab.answers import Answer
from formulations.lab.challenges.challenge import Challenge, certified, proof_of, require
from formulations.lab.settings.parts import kernel_part, machine_part, points_part
from formulations.lab.settings.setting import Setting
from formulations.modelling.solution import Regression
from qpkernels.display import count

__all__ = ["OF_TUBES"]

_LEAST_POINTS = 5
"""Points of which a tube without a support vector says something."""

_HEIGHTS = [0.3, -0.4, 0.5, 1.2, 0.9, 1.4, 0.6, -0.2, -0.7, -1.1, -0.5, 0.1]


def _empty_tube(answer: Answer) -> str:
    setting = answer.setting
    require(len(setting.points) >= _LEAST_POINTS, f"Have at least {_LEAST_POINTS} points.")
    solution = certified(answer, Regression)
    vectors = len(solution.support)
    half = 0.5 * float(np.ptp(setting.y))
    require(
        vectors == 0,
        f"The tube has {count(vectors, 'support vector')}. Its half width epsilon is {solution.epsilon:.4g}, and the "
        f"targets lie within {half:.4g} of their middle.",
    )
    low, high = solution.intercept_interval
    return (
        f"No sample has a coefficient: f = 0, and every b from {low:.4g} to {high:.4g} is optimal, since all targets "
        f"lie within epsilon = {solution.epsilon:.4g} of it; from {half:.4g} on they do. {proof_of(solution)}"
    )


OF_TUBES = (
    Challenge(
        "empty-tube",
        "A tube without a support vector",
        "Widen the tube until no sample is a support vector. What is f then, and how narrow may the tube be? At least "
        f"{_LEAST_POINTS} points.",
        Setting(
            machine_part("tube", C=10, epsilon=0.25),
            kernel_part("gaussian", gamma=1),
            points_part(np.linspace(-3.3, 3.3, len(_HEIGHTS)), _HEIGHTS),
        ),
        _empty_tube,
    ),
)
