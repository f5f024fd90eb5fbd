# SPDX-License-Identifier: BSD-3-Clause
"""The solver of this project, as a user calls it."""

from __future__ import annotations

from benchmarks.answers import Point, Solved
from benchmarks.problems import Problem
from benchmarks.repetition import repeated
from formulations import OneVersusOne
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector
from qpkernels.solvers import find_solver

__all__ = ["ours"]


def ours(problem: Problem, X: Matrix, y: Vector, tol: float, limit_seconds: float) -> Solved:
    """Solve ``problem`` to the relative gap ``tol``; what is timed begins with the data and ends with the answer.

    With several classes that is the scheme of all machines, side by side, each with its certificate.
    """

    def several() -> tuple[Point, ...]:
        scheme = OneVersusOne(X, y, RBF(problem.gamma), C=problem.C)
        solutions = scheme.solve("smo", tol=tol, time_limit=limit_seconds).solutions
        return tuple(Point(solution.beta, solution.intercept) for solution in solutions)

    def one() -> tuple[Point, ...]:
        outcome = find_solver("smo").solve(problem.program(X, y), tol=tol, time_limit=limit_seconds)
        return (Point(outcome.point, float(outcome.multipliers[0])),)

    seconds, points = repeated(several if problem.several else one)
    return Solved(seconds, points, in_time=max(seconds) < limit_seconds)
