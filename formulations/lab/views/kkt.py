# SPDX-License-Identifier: BSD-3-Clause
"""The optimality conditions: every sample on the graph of margin, or residual, and multiplier."""

from __future__ import annotations

from typing import Any

import numpy as np

from formulations.displays.optimality.graph import OptimalityGraph
from formulations.lab.answers import Answer
from formulations.lab.notation import multiplier_name, place_name
from formulations.lab.views.base import Drawn, Scene, ViewKind
from formulations.modelling import Model
from formulations.modelling.solution import Solution
from qpkernels.errors import ParameterError
from qpkernels.problems import Status

__all__ = ["KKT"]


def _draw(scene: Scene, step: int) -> Drawn:
    del step
    return scene.once("kkt", _drawn)


def _drawn(answer: Answer) -> Drawn:
    model, solution = answer.model, answer.solution
    if not isinstance(model, Model) or not isinstance(solution, Solution):
        return Drawn({"words": "There are no optimality conditions of single samples to show."})
    try:
        graph = OptimalityGraph.of(model, solution)
    except ParameterError:
        words = "The coefficients of this machine are no multipliers of its margins, and lie on no graph with them."
        return Drawn({"words": words})
    unit, worst = graph.scale or 1.0, int(np.argmax(graph.violation))
    said = (
        "The answer is optimal because every sample lies on this graph: its multiplier is minus the slope of its loss."
        if solution.status is Status.OPTIMAL
        else "The answer is not proved; of an optimal one, every sample lies on this graph."
    )
    facts: dict[str, Any] = {
        "words": f"{said} Farthest from it is sample {worst}, by {graph.violation[worst]:.1e}.",
        "place": place_name(model),
        "multiplier": f"{multiplier_name(model)}{'' if graph.scale else ', by its cost'}",
        "worst": worst,
        "marked": [worst],
    }
    curve = graph.curve * [1.0, unit]
    return Drawn(
        facts, {"place": graph.place, "multiplier": unit * graph.multiplier, "curve": curve, "off": graph.violation}
    )


KKT = ViewKind("kkt", "Optimality", _draw)
