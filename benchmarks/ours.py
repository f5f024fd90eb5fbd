# SPDX-License-Identifier: BSD-3-Clause
"""A model as a user solves it, and its solver alone."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.answers import Point, Solved
from benchmarks.problems import Problem
from benchmarks.repetition import repeated
from formulations import OneVersusOne, SoftMargin, SoftTube
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector
from qpkernels.solvers import find_solver

__all__ = ["answered", "proved"]


def proved(problem: Problem, X: Matrix, y: Vector, tol: float, limit_seconds: float) -> Solved:
    """Solve ``problem`` to the relative gap ``tol`` as a user does: from the arrays to the certified answer."""
    kernel = RBF(problem.gamma)

    def several() -> tuple[Point, ...]:
        solutions = OneVersusOne(X, y, kernel, C=problem.C).solve(tol=tol, time_limit=limit_seconds).solutions
        return tuple(Point(solution.beta, solution.intercept) for solution in solutions)

    def one() -> tuple[Point, ...]:
        model: SoftMargin | SoftTube
        if problem.tube is None:
            model = SoftMargin(X, y, kernel, C=problem.C)
        else:
            model = SoftTube(X, y, kernel, C=problem.C, epsilon=problem.tube)
        solution = model.solve(tol=tol, time_limit=limit_seconds)
        return (Point(solution.beta, solution.intercept),)

    return _repeated(several if problem.several else one, limit_seconds)


def answered(problem: Problem, X: Matrix, y: Vector, tol: float, limit_seconds: float) -> Solved:
    """Solve ``problem`` by smo alone, machine by machine: from the arrays to an answer that nobody has certified."""

    def run() -> tuple[Point, ...]:
        solver, points = find_solver("smo"), []
        for machine in problem.machines(X, y):
            outcome = solver.solve(machine.program, tol=tol, time_limit=limit_seconds)
            points.append(Point(outcome.point, float(outcome.multipliers[0])))
        return tuple(points)

    return _repeated(run, limit_seconds)


def _repeated(run: Callable[[], tuple[Point, ...]], limit_seconds: float) -> Solved:
    seconds, points = repeated(run)
    return Solved(seconds, points, in_time=max(seconds) < limit_seconds)
