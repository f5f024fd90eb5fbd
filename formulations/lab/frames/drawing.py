# SPDX-License-Identifier: BSD-3-Clause
"""An answer as a frame: the proof, the facts, the points, and the function over the window."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.lab.frames.frame import Frame
from formulations.lab.frames.plane import grid_of, values_on
from formulations.lab.frames.refusal import refusal
from formulations.lab.frames.uncertainty import deviation_of, has_probability, probability_of
from formulations.lab.frames.vanishing import unseen_words, vanishing_words
from formulations.lab.notation import coefficient_name, decision_name
from formulations.lab.settings import Setting, Task
from formulations.lab.settings.machines import Stated
from formulations.lab.views import VIEWS, Scene
from formulations.lab.views.base import Drawn
from formulations.modelling.model import Model
from formulations.modelling.solution import Classification, Novelty, Regression, Solution
from formulations.relevance.solution import RelevanceSolution
from qpkernels.arrays import Matrix, Vector
from qpkernels.display import TextbookProblem
from qpkernels.display.maths import to_html
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Expansion

__all__ = ["draw"]


def draw(scene: Scene, setting: Setting) -> Frame:
    """Return the frame of an answer as the setting shows it."""
    answer = scene.answer
    drawn = VIEWS[setting.view.name].draw(scene, setting.view.step)
    facts: dict[str, Any] = {"machine": setting.machine.choice.name, "samples": len(setting.points)}
    arrays: dict[str, NDArray[Any]] = {}
    if answer.solution is None or answer.model is None:
        facts |= {"error": refusal(answer.error), **_problem_without_answer(setting)}
    else:
        facts |= {"proof": _proof(answer.solution), "facts": _facts(answer.solution)}
        facts |= _problem(answer.model)
        facts |= _widths(answer.solution, drawn.has_margin)
        arrays |= _points(answer.solution, setting.X, drawn.function is not None)
    if drawn.function:
        arrays |= _function(drawn.function, setting)
    elif answer.solution:
        arrays |= _answer(answer.solution, setting)
        if setting.task is Task.CLASSIFICATION:
            if words := vanishing_words(answer.solution):
                facts["vanishing"] = words
            elif words := unseen_words(answer.solution, setting, arrays["field"]):
                facts["unseen"] = words
    facts["view"] = {"name": setting.view.name, "step": setting.view.step, "marked": answer.named, **drawn.facts}
    arrays.update({f"view.{name}": array for name, array in drawn.arrays.items()})
    return Frame(facts, {**arrays, **_replaced(drawn)})


def _replaced(drawn: Drawn) -> Mapping[str, NDArray[Any]]:
    """Return what a view shows of the points in place of what the answer has."""
    own = {"multipliers": drawn.multipliers, "roles": drawn.roles}
    return {name: array for name, array in own.items() if array is not None}


def _function(function: Expansion, setting: Setting) -> Mapping[str, NDArray[Any]]:
    """Return the function on the grid of the window, or on a line of a regression."""
    if setting.task is Task.CLASSIFICATION:
        return {"field": values_on(grid_of(setting.window), function)}
    return {"curve": function(_across(setting))}


def _answer(solution: Solution | RelevanceSolution, setting: Setting) -> Mapping[str, NDArray[Any]]:
    """Return the function of an answer, and how sure it is of it."""
    arrays = _function(solution.function, setting)
    if has_probability(solution):
        return {**arrays, "probability": probability_of(solution, grid_of(setting.window), arrays["field"])}
    if isinstance(solution, RelevanceSolution):
        return {**arrays, "deviation": deviation_of(solution, _across(setting))}
    return arrays


def _across(setting: Setting) -> Matrix:
    return np.linspace(setting.window.left, setting.window.right, 401)[:, None]


def _widths(solution: Solution | RelevanceSolution, has_margin: bool) -> Mapping[str, float]:
    """Return the level of the margin, where what is drawn has one, or the half width of the tube."""
    if isinstance(solution, Classification):
        return {"level": solution.margin_level} if has_margin and not has_probability(solution) else {}
    return {"epsilon": solution.epsilon} if isinstance(solution, Regression) else {}


def _proof(solution: Solution | RelevanceSolution) -> Mapping[str, Any]:
    """Return what is proved, with numbers that JSON can say."""
    if isinstance(solution, RelevanceSolution):
        word = "stationary" if solution.converged else "not stationary"
        return {"status": word, "evidence": solution.log_evidence, "message": solution.message}
    certificate = solution.certificate
    return {
        "status": str(solution.status),
        "primal": _finite(certificate.primal_value),
        "dual": _finite(certificate.dual_value),
        "gap": _finite(certificate.relative_gap),
        "tol": solution.tol,
        "solver": solution.solver,
        "iterations": solution.iterations,
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _problem(model: Stated) -> Mapping[str, Any]:
    """Return the problem as the textbook has it, words and HTML line by line, and how its values are written."""
    formulas = [] if model.statement is None else list(_as_html(model.statement))
    facts = {"formulas": formulas, "decision": decision_name(model)}
    if not isinstance(model, Model):
        return facts
    formulas.append(("with", to_html(f"f = sum_i beta_i k(x_i, .),  {model.coefficient}")))
    return {**facts, "coefficient": coefficient_name(model)}


def _problem_without_answer(setting: Setting) -> Mapping[str, Any]:
    """Return the problem that has no answer; nothing, where the points do not make one."""
    try:
        return _problem(setting.state())
    except QPKernelsError:
        return {"formulas": []}


@lru_cache(64)
def _as_html(problem: TextbookProblem) -> list[tuple[str, str]]:
    return [(line.words, to_html(line.formula)) for line in problem.lines]


def _facts(solution: Solution | RelevanceSolution) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in solution.card().facts]


def _points(solution: Solution | RelevanceSolution, X: Matrix, replaced: bool) -> Mapping[str, NDArray[Any]]:
    """Return the multipliers, roles (0 none, 1 free, 2 at the bound), decision values and slacks of the points.

    Where a view has ``replaced`` the function, its values and slacks are others.
    """
    if isinstance(solution, RelevanceSolution):
        roles = np.zeros(solution.alpha.size)
        roles[solution.relevance] = 1.0
        return {"roles": roles} if replaced else {"roles": roles, "decision": solution.mean(X)}
    roles = np.zeros(solution.beta.size)
    roles[solution.support.free], roles[solution.support.bounded] = 1.0, 2.0
    values = {} if replaced else {"decision": solution.decision, **_slacks(solution)}
    return {"multipliers": solution.beta, "roles": roles, **values}


def _slacks(solution: Solution) -> Mapping[str, Vector]:
    """Return the slacks of a margin, a tube or a boundary; with probabilities there is none of them."""
    if isinstance(solution, Classification | Regression | Novelty) and not has_probability(solution):
        return {"slacks": solution.slacks}
    return {}
