# SPDX-License-Identifier: BSD-3-Clause
"""An answer as a frame: the proof, the facts, the points, and the function over the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.lab.answers import Answer
from formulations.lab.frames.frame import Frame
from formulations.lab.frames.plane import grid_of, values_on
from formulations.lab.settings import Setting, Task
from formulations.lab.views import VIEWS, Scene
from formulations.lab.views.base import Drawn
from formulations.modelling.solution import Classification, Novelty, Regression, Solution
from formulations.relevance.solution import RelevanceSolution
from qpkernels.arrays import Matrix, Vector
from qpkernels.display.maths import to_html
from qpkernels.gram import Expansion

__all__ = ["draw"]


def draw(scene: Scene, setting: Setting) -> Frame:
    """Return the frame of an answer as the setting shows it."""
    answer = scene.answer
    drawn = VIEWS[setting.view.name].draw(scene, setting.view.step)
    facts: dict[str, Any] = {"machine": setting.machine.choice.name, "samples": len(setting.points)}
    arrays: dict[str, NDArray[Any]] = {}
    if answer.solution is None or answer.model is None:
        facts["error"] = str(answer.error)
    else:
        facts |= {"proof": _proof(answer.solution), "formulas": _formulas(answer), "facts": _facts(answer.solution)}
        arrays |= _points(answer.solution, drawn.function is not None)
        if isinstance(answer.solution, Classification) and drawn.has_margin:
            facts["level"] = answer.solution.margin_level
    function = drawn.function or (answer.solution and answer.solution.function)
    if function:
        arrays |= _function(function, setting)
    if drawn.function is None and isinstance(answer.solution, RelevanceSolution):
        arrays |= _deviation(answer.solution, setting)
    facts["view"] = {"name": setting.view.name, "step": setting.view.step, **drawn.facts}
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
    return {"curve": np.asarray(function(_across(setting)))}


def _deviation(solution: RelevanceSolution, setting: Setting) -> Mapping[str, NDArray[Any]]:
    """Return the standard deviation of a new target along the curve of a regression."""
    if setting.task is Task.CLASSIFICATION:
        return {}
    return {"deviation": np.sqrt(solution.variance(_across(setting)))}


def _across(setting: Setting) -> Matrix:
    """Return the places of a curve, shape (401, 1)."""
    return np.linspace(setting.window.left, setting.window.right, 401)[:, None]


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


def _formulas(answer: Answer) -> list[tuple[str, str]]:
    """Return the problem as the textbook has it, words and HTML, line by line."""
    assert answer.model is not None
    return [(line.words, to_html(line.formula)) for line in answer.model.card().formulas]


def _facts(solution: Solution | RelevanceSolution) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in solution.card().facts]


def _points(solution: Solution | RelevanceSolution, replaced: bool) -> Mapping[str, NDArray[Any]]:
    """Return the multipliers, roles (0 none, 1 free, 2 at the bound), decision values and slacks of the points.

    Where a view has ``replaced`` the function, its values and slacks are others.
    """
    if isinstance(solution, RelevanceSolution):
        roles = np.zeros(solution.alpha.size)
        roles[solution.relevance] = 1.0
        return {"roles": roles}
    roles = np.zeros(solution.beta.size)
    roles[solution.support.free], roles[solution.support.bounded] = 1.0, 2.0
    values = {} if replaced else {"decision": solution.decision, **_slacks(solution)}
    return {"multipliers": solution.beta, "roles": roles, **values}


def _slacks(solution: Solution) -> Mapping[str, Vector]:
    return {"slacks": solution.slacks} if isinstance(solution, Classification | Regression | Novelty) else {}
