# SPDX-License-Identifier: BSD-3-Clause
"""Several models on one kernel matrix that are linear systems: they share kernel values, or a factorisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from formulations.modelling.model import Model
from formulations.modelling.solution import Solution
from formulations.modelling.solving import SolveRequest
from formulations.modelling.structures import solve_structure
from qpkernels.problems import Bounds, LinearSystem, Status
from qpkernels.solvers import AutomaticSystem

__all__ = ["solve_systems"]

Answered = TypeVar("Answered", bound=Solution)


def solve_systems(models: Sequence[Model[Answered]], *, tol: float) -> list[Answered]:
    """Solve and certify each model, as its own ``solve`` does without a solver's name."""
    stated: list[tuple[Model[Answered], Bounds, LinearSystem | None]] = []
    for model in models:
        model.check_parameters()
        bounds = model.bounds()
        program = model.linear_system(bounds)
        own = program if isinstance(program, LinearSystem) and program.is_expansion else None
        stated.append((model, bounds, own))
    backend = AutomaticSystem([program for _, _, program in stated if program is not None])
    return [_solved(*each, backend, tol) for each in stated]


def _solved(
    model: Model[Answered], bounds: Bounds, program: LinearSystem | None, backend: AutomaticSystem, tol: float
) -> Answered:
    if program is not None:
        request = SolveRequest(None, tol, None, None, None, False, {})
        solution = solve_structure(model, program, backend, request, bounds)
        if solution.status is Status.OPTIMAL:
            return solution
    return model.solve(tol=tol)
