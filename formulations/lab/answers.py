# SPDX-License-Identifier: BSD-3-Clause
"""The answer to each setting of a page, from the one before where one point or one value has changed; and its letters.

f is the function, sum_i beta_i k(x_i, .), and f(x) + b the decision value, or what stands in its place; a are
multipliers, and beta is y a, a or a+ - a-.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from formulations.lab.settings import Points, Setting, Stated
from formulations.modelling.incremental import Incremental
from formulations.modelling.model import Model
from formulations.modelling.solution import Solution
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.separation.separability import HullIntersection
from formulations.models.regression.regression_model import RegressionModel
from formulations.models.relevance.machine import RelevanceSolution
from qpkernels.arrays import Indices
from qpkernels.display.maths import to_text
from qpkernels.errors import InseparableError, QPKernelsError, SolverFailedError
from qpkernels.problems import Status

__all__ = ["Answers", "LabAnswer", "coefficient_name", "decision_name", "multiplier_name", "place_name"]


def decision_name(model: Stated) -> str:
    """Return how the value is written whose sign, or which itself, predicts."""
    if isinstance(model, OneClass):
        return to_text("f(x) - rho")
    return "f(x)" if isinstance(model, Model) and not model.fit_intercept else "f(x) + b"


def place_name(model: Model[Any]) -> str:
    """Return how the margin or the residual of a sample is written."""
    decision = decision_name(model)
    if isinstance(model, RegressionModel):
        return to_text(f"residual r = y - {decision.replace('+', '-')}")
    return decision if isinstance(model, OneClass) else f"margin y ({decision})"


def coefficient_name(model: Model[Any]) -> str:
    """Return how a coefficient of f is written."""
    return to_text(model.entry.coefficient)


def multiplier_name(model: Model[Any]) -> str:
    """Return how minus the slope of the loss of a sample is written."""
    return f"coefficient {coefficient_name(model)}" if isinstance(model, RegressionModel) else "multiplier a"


LARGE = 1500
"""Points above which kernel matrices are not left to the next collection of garbage; two are held at most."""

_MOST_ITERATIONS = 500
"""Steps of a relevance machine from each start: most take less than 100, but with twins, for example, all are taken."""

_SHARE = 4
"""One point in so many may change; of more, a solve from nothing takes less."""

_MOST_NAMED = 8
"""Samples that a refusal names."""


@dataclass(frozen=True, eq=False)
class LabAnswer:
    """The outcome of a setting.

    Attributes
    ----------
    setting
        What was asked.
    model, solution
        The model and its answer; None where there is none.
    error
        Why there is none, in words.
    is_unfinished
        Whether the time was over before it was proved, so that :meth:`Answers.improve` may go on.
    """

    setting: Setting
    model: Stated | None
    solution: Solution | RelevanceSolution | None
    error: QPKernelsError | None
    is_unfinished: bool = False

    @property
    def common_point(self) -> HullIntersection | None:
        """The point of both hulls that proves that no hyperplane separates the classes, where that is the error."""
        proof = self.error.proof if isinstance(self.error, InseparableError) else None
        return proof if isinstance(proof, HullIntersection) else None

    @property
    def refusal(self) -> str:
        """Why there is no answer, in words of the page, the first clause in short; what is proved, not what is said."""
        if self.common_point is None:
            return str(self.error)
        support = self.common_point.support
        samples = ", ".join(map(str, support[:_MOST_NAMED])) + (", ..." if support.size > _MOST_NAMED else "")
        return (
            "the classes cannot be separated: no hyperplane does it, since their convex hulls meet in a point that is "
            f"a convex combination of the samples {samples}; use a soft margin, or a more flexible kernel."
        )


class Answers:
    """Solves one setting after the other."""

    def __init__(self, tol: float = 1e-6) -> None:
        self._tol = tol
        self._before: Setting | None = None
        self._machine: Incremental[Any] | None = None
        self._latest: LabAnswer | None = None

    def answer(self, setting: Setting, time_limit: float | None = None) -> LabAnswer:
        """Return the answer to a setting; bad points are an answer in words, not an error.

        Parameters
        ----------
        time_limit
            Seconds after which the best point so far is the answer; None: until it is proved.
        """
        if self._latest is not None and self._latest.setting is setting:
            return self._latest
        return self._within(time_limit, setting, lambda: self._solved(setting, time_limit))

    def improve(self, time_limit: float | None = None) -> LabAnswer:
        """Go on from the latest answer, where that is unfinished, and return the better one."""
        assert self._latest is not None
        setting, machine = self._latest.setting, self._machine
        if machine is None:
            return self._within(time_limit, setting, lambda: self._solved(setting, time_limit))
        return self._within(
            time_limit, setting, lambda: LabAnswer(setting, machine.model, machine.improve(time_limit), None)
        )

    def _within(self, time_limit: float | None, setting: Setting, solve: Callable[[], LabAnswer]) -> LabAnswer:
        """Solve, and note whether time was what ended it."""
        begin = perf_counter()
        try:
            answer = solve()
        except QPKernelsError as error:
            self._machine = None
            answer = LabAnswer(setting, None, None, error)
        in_slices = setting.machine.choice.in_slices
        late = in_slices and time_limit is not None and perf_counter() - begin >= time_limit
        self._latest = replace(answer, is_unfinished=late and _may_improve(answer))
        return self._latest

    def _solved(self, setting: Setting, time_limit: float | None) -> LabAnswer:
        answer = self._followed(setting)
        if answer is not None:
            return answer
        self._forget()
        model = setting.state()
        limit = time_limit if setting.machine.choice.in_slices else None
        if isinstance(model, Model):
            self._machine, self._before = Incremental(model, tol=self._tol, time_limit=limit), setting
            return LabAnswer(setting, model, self._machine.solution, None)
        return LabAnswer(setting, model, model.solve(max_iter=_MOST_ITERATIONS, time_limit=limit), None)

    def _followed(self, setting: Setting) -> LabAnswer | None:
        """Return the answer by a small change of the machine before; None where it needs another."""
        if self._machine is None or self._before is None:
            return None
        solution = _follow(self._machine, self._before, setting)
        if solution is None:
            return None
        self._before = setting
        return LabAnswer(setting, self._machine.model, solution, None)

    def _forget(self) -> None:
        """Drop the answer before, and the memory of a large kernel matrix, which models and forms hold in circles."""
        large = self._latest is not None and len(self._latest.setting.points) > LARGE
        self._machine = self._before = self._latest = None
        if large:
            gc.collect()


def _may_improve(answer: LabAnswer) -> bool:
    """Whether more time may help: there is a point that is not proved, or nobody has found one yet."""
    if isinstance(answer.solution, RelevanceSolution):
        return not answer.solution.converged
    if isinstance(answer.solution, Solution):
        return answer.solution.status is not Status.OPTIMAL
    return isinstance(answer.error, SolverFailedError)


# From one setting to the next ---------------------------------------------------------------------------------


def _follow(machine: Incremental[Any], before: Setting, after: Setting) -> Solution | None:
    """Let a machine that answers a setting follow to the next one, and return its answer; None where it cannot.

    Points were moved, with their labels or targets or without, or added after the others, or removed; or the values of
    the machine were changed.
    """
    if before.machine.choice is not after.machine.choice or before.kernel != after.kernel:
        return None
    solution: Solution | None = None
    if before.machine.values != after.machine.values:
        if np.array_equal(before.points, after.points):
            solution = machine.set_params(**after.machine.values)
    elif len(before.points) == len(after.points):
        solution = _moved(machine, before, after)
    elif len(before.points) < len(after.points):
        solution = _added(machine, before, after)
    elif (gone := _gone(before.points, after.points)) is not None and _SHARE * gone.size <= len(before.points):
        solution = machine.remove(gone)
    return solution


def _moved(machine: Incremental[Any], before: Setting, after: Setting) -> Solution | None:
    """Follow points that are where they were not, or whose labels or targets are others."""
    solution: Solution | None = machine.solution
    moved, changed = (before.X != after.X).any(axis=1), np.zeros(len(after.points), bool)
    if after.machine.choice.takes_labels:
        changed = before.y != after.y
    i = np.flatnonzero(moved | changed)
    if _SHARE * i.size > len(after.points):
        solution = None
    elif moved.any():
        solution = machine.move(i, after.X[i], after.y[i] if changed.any() else None)
    elif i.size:
        solution = machine.relabel(i, after.y[i])
    return solution


def _added(machine: Incremental[Any], before: Setting, after: Setting) -> Solution | None:
    """Follow points that came after the others."""
    known, choice = len(before.points), after.machine.choice
    if _SHARE * (len(after.points) - known) > known or len(after.points) > choice.most_points:
        return None
    if not np.array_equal(before.points, after.points[:known]):
        return None
    solution: Solution = machine.add(after.X[known:], after.y[known:] if choice.takes_labels else None)
    return solution


def _gone(before: Points, after: Points) -> Indices | None:
    """Return the points that are there no more, if the others are there in their order; else None."""
    gone, left, k = [], after.tolist(), 0
    for number, point in enumerate(before.tolist()):
        if k < len(left) and point == left[k]:
            k += 1
        else:
            gone.append(number)
    return np.array(gone, np.intp) if k == len(left) else None
