# SPDX-License-Identifier: BSD-3-Clause
"""An answer as a frame: the proof, the facts, the points, and the function over the window.

A frame is sent as one binary message: the length of the head as four bytes, the lowest first; the head, JSON in UTF-8,
padded with spaces to a multiple of four; and the arrays one after the other in float32. The head lists them as
name: [offset, shape], the offset counted in numbers from the end of the head.

A picture that has no line says why: the function is 0, or the line too fine to be seen. The primal P is strongly convex
in f, 1/2 ||f - f*||^2 <= P(f, b) - D: where 1/2 ||f||^2 is within the gap, f* = 0 is not excluded by what is proved.

A kernel exp(-gamma |x - z|^p) with |.|^p summed over features is a product of functions of one feature, so that on a
grid of points (u_a, v_b)

    sum_i beta_i k((u_a, v_b), x_i) = sum_i k(u_a, x_i1) beta_i k(v_b, x_i2),

one product of two thin matrices: 160 + 120 exponentials a support vector in place of 160 x 120. For a sum of kernels,
each term is taken by itself. A kernel of the distance takes that from squares of 160 + 120 differences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.lab.answers import coefficient_name, decision_name
from formulations.lab.settings import LabTask, Setting, Stated, Window, terms_of
from formulations.lab.views import VIEWS, Scene
from formulations.lab.views.view import Drawn
from formulations.modelling.cards import statement_of_form
from formulations.modelling.model import Model
from formulations.modelling.prediction import Labels
from formulations.modelling.solution import Solution
from formulations.modelling.tasks import Classification, Novelty, Regression
from formulations.models.relevance.machine import RelevanceSolution
from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import in_parts, without_blas_threads
from qpkernels.display import TextbookProblem
from qpkernels.display.maths import to_html
from qpkernels.errors import QPKernelsError
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Laplacian, Matern

__all__ = ["Frame", "draw", "grid_of", "problem_shown", "values_on"]

GRID = (120, 160)
"""Rows and columns of the values of a decision function."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The points (u_a, v_b) of a grid; v ascends."""

    u: Vector
    v: Vector

    def points(self) -> Matrix:
        """Return the points, shape (len(v) len(u), 2): u runs first."""
        u, v = np.meshgrid(self.u, self.v)
        return np.column_stack([u.ravel(), v.ravel()])


def grid_of(window: Window, shape: tuple[int, int] = GRID) -> Grid:
    """Return the grid whose corners are those of the window."""
    return Grid(np.linspace(window.left, window.right, shape[1]), np.linspace(window.bottom, window.top, shape[0]))


def values_on(grid: Grid, function: Expansion) -> Matrix:
    """Return the values of f + b on the grid, shape (len(v), len(u)), each term of the kernel by its own means."""
    values = np.full((grid.v.size, grid.u.size), function.intercept)
    for kernel in terms_of(function.kernel):
        values += _term_values(grid, replace(function, kernel=kernel, intercept=0.0))
    return values


def _term_values(grid: Grid, function: Expansion) -> Matrix:
    match function.kernel:
        case RBF(gamma=float()) | Laplacian(gamma=float()) as kernel:
            return _product_values(grid, function, kernel)
        case Matern() as kernel if kernel.nu < np.inf:
            return _distance_values(grid, function, kernel)
    return np.asarray(function(grid.points())).reshape(grid.v.size, grid.u.size)


def _product_values(grid: Grid, function: Expansion, kernel: Kernel) -> Matrix:
    X = np.asarray(function.centers)
    across = kernel.matrix(grid.u[:, None], X[:, :1])
    upwards = kernel.matrix(grid.v[:, None], X[:, 1:])
    with without_blas_threads():
        return np.asarray((upwards * function.coefficients) @ across.T)


def _distance_values(grid: Grid, function: Expansion, kernel: Matern) -> Matrix:
    """Return the values row by row of the grid: their distances stay in a processor's cache."""
    X = np.asarray(function.centers)
    across, upwards = np.subtract.outer(grid.u, X[:, 0]) ** 2, np.subtract.outer(grid.v, X[:, 1]) ** 2
    values = np.empty((grid.v.size, grid.u.size))

    def work(number: int, rows: slice) -> None:
        del number
        for row in range(rows.start, rows.stop):
            values[row] = kernel.at_distances(np.sqrt(across + upwards[row])) @ function.coefficients

    with without_blas_threads():
        in_parts(work, grid.v.size, 1, 10.0 * values.size * len(X))
    return values


_ONE_CLASS = (
    "f = 0 and ρ = 0, so that there is no boundary: the origin of the feature space lies among the samples, and no "
    "hyperplane has them on one side of it. Take the Gaussian kernel, with which one always has."
)

_UNSEEN = (
    "the line where the decision value is 0 runs closer around some samples than the picture can show: zoom in on one"
)

_ROUNDING = 1e-6
"""Share of the largest decision value below which a sample may lie on the line."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The content of a page: facts that JSON can say, and numbers, as float32."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def encode(self) -> bytes:
        """Return the message."""
        listed, parts, offset = {}, [], 0
        for name, array in self.arrays.items():
            # What is beyond float32 is infinite to a page.
            with np.errstate(over="ignore"):
                part = np.ascontiguousarray(array, dtype="<f4")
            listed[name] = [offset, list(part.shape)]
            parts.append(part.tobytes())
            offset += part.size
        head = json.dumps({**self.facts, "arrays": listed}, allow_nan=False).encode()
        head += b" " * (-len(head) % 4)
        return b"".join([len(head).to_bytes(4, "little"), head, *parts])


def draw(scene: Scene, setting: Setting) -> Frame:
    """Return the frame of an answer as the setting shows it."""
    answer = scene.answer
    drawn = VIEWS[setting.view.name].draw(scene, setting.view.step)
    facts: dict[str, Any] = {"machine": setting.machine.choice.name, "samples": len(setting.points)}
    arrays: dict[str, NDArray[Any]] = {}
    if answer.solution is None or answer.model is None:
        facts |= {"error": answer.refusal, **_problem_without_answer(setting)}
    else:
        facts |= {"proof": _proof(answer.solution), "facts": _facts(answer.solution)}
        facts |= problem_shown(answer.model)
        facts |= _widths(answer.solution, drawn.has_margin)
        facts |= _function_numbers(answer.solution, setting)
        arrays |= _points(answer.solution, setting.X, drawn.function is not None)
    if drawn.function:
        arrays |= _function(drawn.function, setting)
    elif answer.solution:
        arrays |= _answer(answer.solution, setting)
        if setting.task is LabTask.CLASSIFICATION:
            if words := _vanishing_words(answer.solution):
                facts["vanishing"] = words
            elif words := _unseen_words(answer.solution, setting, arrays["field"]):
                facts["unseen"] = words
    facts["view"] = {
        "name": setting.view.name,
        "step": setting.view.step,
        "marked": [] if answer.common_point is None else answer.common_point.support.tolist(),
        **drawn.facts,
    }
    arrays.update({f"view.{name}": array for name, array in drawn.arrays.items()})
    return Frame(facts, {**arrays, **_replaced(drawn)})


def _replaced(drawn: Drawn) -> Mapping[str, NDArray[Any]]:
    """Return what a view shows of the points in place of what the answer has."""
    own = {"multipliers": drawn.multipliers, "roles": drawn.roles}
    return {name: array for name, array in own.items() if array is not None}


def _function(function: Expansion, setting: Setting) -> Mapping[str, NDArray[Any]]:
    """Return the function on the grid of the window, or on a line of a regression."""
    if setting.task is LabTask.CLASSIFICATION:
        return {"field": values_on(grid_of(setting.window), function)}
    return {"curve": function(_across(setting))}


def _answer(solution: Solution | RelevanceSolution, setting: Setting) -> Mapping[str, NDArray[Any]]:
    """Return the function of an answer, and how sure it is of it."""
    arrays = _function(solution.function, setting)
    if _has_probability(solution):
        values = arrays["field"]
        if isinstance(solution, RelevanceSolution):
            probability = solution.probability(grid_of(setting.window).points())
        else:
            probability = solution.predictor.decision.probabilities(values.reshape(-1, 1))[:, 1]
        return {**arrays, "probability": probability.reshape(values.shape)}
    if isinstance(solution, RelevanceSolution):
        return {**arrays, "deviation": np.sqrt(solution.variance(_across(setting)))}
    return arrays


def _across(setting: Setting) -> Matrix:
    return np.linspace(setting.window.left, setting.window.right, 401)[:, None]


def _widths(solution: Solution | RelevanceSolution, has_margin: bool) -> Mapping[str, float]:
    """Return the level of the margin, where what is drawn has one, or the half width of the tube."""
    if isinstance(solution, Classification):
        return {"level": solution.margin_level} if has_margin and not _has_probability(solution) else {}
    return {"epsilon": solution.epsilon} if isinstance(solution, Regression) else {}


def _function_numbers(solution: Solution | RelevanceSolution, setting: Setting) -> Mapping[str, Any]:
    """Return ||f|| and b, and of linear kernels the w with f(x) = w'x; nothing of a relevance machine."""
    if isinstance(solution, RelevanceSolution):
        return {}
    norm = max(float(solution.beta @ (solution.decision - solution.intercept)), 0.0) ** 0.5
    facts: dict[str, Any] = {"norm": _finite(norm), "intercept": _finite(solution.intercept)}
    if all(term.choice.name == "linear" for term in setting.kernel):
        facts["weights"] = [len(setting.kernel) * each for each in (solution.beta @ setting.X).tolist()]
    return facts


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
        "tol": solution.certificate.asked,
        "solver": solution.solver,
        "iterations": solution.iterations,
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def problem_shown(model: Stated) -> Mapping[str, Any]:
    """Return the problem and its dual as the textbook has them, as words and HTML, and how values are written."""
    formulas = [] if model.statement is None else list(_as_html(model.statement))
    facts: dict[str, Any] = {"formulas": formulas, "decision": decision_name(model)}
    if not isinstance(model, Model):
        return facts
    if model.entry.counts:
        formulas.append(("counted as", to_html(model.entry.counts)))
    if (form := model.forms.get("dual")) is not None and (dual := statement_of_form(form)) is not None:
        facts["dual"] = _as_html(dual)
    formulas.append(("with", to_html(f"f = sum_i beta_i k(x_i, .),  {model.entry.coefficient}")))
    return {**facts, "coefficient": coefficient_name(model)}


def _problem_without_answer(setting: Setting) -> Mapping[str, Any]:
    """Return the problem that has no answer; nothing, where the points do not make one."""
    try:
        return problem_shown(setting.state())
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
    if isinstance(solution, Classification | Regression | Novelty) and not _has_probability(solution):
        return {"slacks": solution.slacks}
    return {}


def _has_probability(solution: Solution | RelevanceSolution) -> bool:
    """Whether the decision values have a probability of the class +1 each."""
    decision = solution.predictor.decision
    return isinstance(decision, Labels) and decision.sigmoids is not None


# Words in place of a line ---------------------------------------------------------------------------------------


def _vanishing_words(solution: Solution | RelevanceSolution) -> str | None:
    """Return why an answer of one or two classes has no line where its decision value is 0; None where it has one."""
    if not isinstance(solution, Classification | Novelty) or not _is_zero(solution):
        return None
    if isinstance(solution, Novelty):
        return _ONE_CLASS
    return (
        f"f = 0, so that f(x) + b = {solution.intercept + 0.0:.3g} everywhere, and there is no line: no function of "
        "this kernel is worth its penalty here. Take a more flexible kernel, such as the Gaussian, or another cost."
    )


def _unseen_words(solution: Solution | RelevanceSolution, setting: Setting, field: Matrix) -> str | None:
    """Return why a sample lies on a side of the line that the field around it has not; None where all lie on theirs.

    The field has the decision values on the grid of the window, from below and from the left.
    """
    if not isinstance(solution, Classification | Novelty):
        return None
    window, (rows, columns) = setting.window, field.shape
    across = (setting.X[:, 0] - window.left) / (window.right - window.left) * (columns - 1)
    upwards = (setting.X[:, 1] - window.bottom) / (window.top - window.bottom) * (rows - 1)
    inside = (across >= 0) & (across <= columns - 1) & (upwards >= 0) & (upwards <= rows - 1)
    values = solution.decision[inside]
    j = np.minimum(across[inside].astype(int), columns - 2)
    i = np.minimum(upwards[inside].astype(int), rows - 2)
    corners = np.array([field[i, j], field[i, j + 1], field[i + 1, j], field[i + 1, j + 1]])
    counts = np.abs(values) > _ROUNDING * np.abs(values).max(initial=0.0)
    return _UNSEEN if (counts & (values * corners <= 0).all(axis=0)).any() else None


def _is_zero(solution: Solution) -> bool:
    certificate = solution.certificate
    proved = certificate.primal_value - certificate.dual_value
    rounding = float(np.finfo(float).eps) * max(1.0, abs(certificate.primal_value))
    return not 0.5 * solution.function.squared_norm > max(proved, rounding)
