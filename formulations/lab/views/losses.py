# SPDX-License-Identifier: BSD-3-Clause
r"""The loss of a machine and its slope, with the margins or residuals of the samples on both graphs.

By the optimality conditions every multiplier is minus the slope of its sample's loss.

The primal value is a penalty of f, the sum of the losses L_i of the decision values, and, of a machine whose level is
free, what it earns by that:

.. math:: P(f, b) = \tfrac12 \|f\|^2 + \sum_i L_i(f(x_i) + b) \ (- \nu \rho).

All samples of a machine here share their loss, as a function of the margin or the residual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from formulations.lab.answers import LabAnswer, multiplier_name, place_name
from formulations.lab.settings import MachineChoice, Stated
from formulations.lab.views.view import Drawn, still
from formulations.modelling import Model
from formulations.modelling.solution import Solution
from formulations.plots.graph import OptimalityGraph, Places, program_of
from qpkernels.arrays import Vector
from qpkernels.display.maths import to_text
from qpkernels.errors import ParameterError
from qpkernels.problems import FenchelBounds, KernelQP, Status
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds
from qpkernels.problems.linear_program import LinearProgramBounds

__all__ = ["KKT", "LOSSES"]

_POINTS = 241
"""Places at which the loss is computed."""

_BEYOND = 0.15
"""Share of the range of the samples by which the curve goes on beyond them."""


def _graph_drawn(answer: LabAnswer) -> Drawn:
    model, solution = answer.model, answer.solution
    if not isinstance(model, Model) or not isinstance(solution, Solution):
        return Drawn({"words": _NO_CONDITIONS})
    try:
        graph = OptimalityGraph.of(model, solution)
    except ParameterError:
        return Drawn({"words": _NO_GRAPH})
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


def _losses_drawn(answer: LabAnswer) -> Drawn:
    model, solution = answer.model, answer.solution
    if solution is None:
        return Drawn({"words": "There is no answer, and so there are no losses."})
    if not isinstance(model, Model) or not isinstance(solution, Solution):
        return Drawn({"words": _NO_LOSS})
    places, value = Places.of(model), _losses(model, solution.decision)
    place, losses = places.at(solution.decision), value(solution.decision)
    # What is beyond a hard constraint by rounding costs nothing.
    charged = np.where(np.isfinite(losses), losses, 0.0)
    total = float(charged.sum())
    x = _grid(place)
    penalty, rest = _penalty(model, solution)
    terms = [*penalty, ("losses", total), *rest]
    sum_of = " + ".join(f"{number:.5g} ({words})" for words, number in terms)
    facts: dict[str, Any] = {
        "words": f"The objective is the penalty of f and the sum of the losses of all samples: {sum_of} = "
        f"{solution.certificate.primal_value:.5g}.",
        "place": place_name(model),
        "sum": total,
        "terms": terms,
    }
    return Drawn(facts, {"place": place, "loss": charged, "curve": np.column_stack([x, _curve(places, value, x)])})


def _losses(model: Model[Any], decision: Vector) -> Callable[[Vector], Vector]:
    """Return the losses of all samples as a function of their decision values, shape (m,)."""
    bounds = model.bounds()
    if isinstance(bounds, FenchelBounds):
        return lambda v: bounds.losses.value(v - bounds.losses.level)
    if isinstance(bounds, LinearProgramBounds):
        return lambda v: bounds.costs * np.maximum(1.0 - bounds.y * v, 0.0)
    program = program_of(bounds, decision, model.name)
    return lambda v: _of_program(program, v)


def _of_program(program: KernelQP, v: Vector) -> Vector:
    """Return L_i(v_i), the largest (target_i - v_i) s - epsilon_i |s| - ridge_i/2 s^2 within the bounds."""
    s, excess = program.slopes(v), program.target - v
    short = (excess > program.epsilon) & np.isinf(program.upper) & (program.ridge == 0)
    over = (excess < -program.epsilon) & np.isinf(program.lower) & (program.ridge == 0)
    return np.where(short | over, np.inf, excess * s - program.costs(s))


def _curve(places: Places, value: Callable[[Vector], Vector], x: Vector) -> Vector:
    """Return the loss at places: as samples share it, each computes some of them. NaN where it is infinite."""
    m = places.signs.size
    dealt = np.resize(x, (-(-x.size // m), m))
    found = np.concatenate([value(places.decision(each)) for each in dealt])[: x.size]
    return np.where(np.isfinite(found), found, np.nan)


def _grid(place: Vector) -> Vector:
    """Return places from beyond the least to beyond the largest, 0 and 1 among them."""
    low, high = min(float(place.min()), 0.0), max(float(place.max()), 0.0)
    beyond = _BEYOND * (high - low) or 1.0
    return np.unique(np.append(np.linspace(low - beyond, high + beyond, _POINTS), [0.0, 1.0]))


def _penalty(model: Model[Any], solution: Solution) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return what the objective has beside the losses, in words."""
    bounds = model.bounds()
    if isinstance(bounds, LinearProgramBounds):
        return [("coefficients", float(np.abs(solution.beta).sum()))], []
    penalty = [("half the squared norm of f", 0.5 * solution.function.squared_norm)]
    if isinstance(bounds, MarginLevelBounds):
        level = bounds.level(bounds.losses(bounds.excess(solution.decision, 0.0)))
        return penalty, [(to_text("-nu rho"), bounds.budget * level)]
    if isinstance(bounds, TubeLevelBounds):
        level = bounds.level(bounds.losses(bounds.excess(solution.decision, 0.0)))
        return penalty, [(to_text("nu C m epsilon"), bounds.budget * level)]
    total = getattr(bounds, "program", None)
    if isinstance(total, KernelQP) and total.total:
        return penalty, [(to_text("-rho"), solution.intercept * total.total)]
    return penalty, []


_NO_CONDITIONS = "There are no optimality conditions of single samples to show."
_NO_GRAPH = "The coefficients of this machine are no multipliers of its margins, and lie on no graph with them."
_NO_LOSS = "A relevance machine has no loss and penalty: it makes the evidence of its weights' variances largest."


def _graph_refusal(_: MachineChoice, model: Stated) -> str | None:
    if not isinstance(model, Model):
        return _NO_CONDITIONS
    return _NO_GRAPH if isinstance(model.bounds(), LinearProgramBounds) else None


def _losses_refusal(_: MachineChoice, model: Stated) -> str | None:
    return None if isinstance(model, Model) else _NO_LOSS


KKT = still("kkt", "Optimality", _graph_drawn, _graph_refusal)
LOSSES = still("losses", "Losses", _losses_drawn, _losses_refusal)
