# SPDX-License-Identifier: BSD-3-Clause
"""Several models on one kernel matrix that are linear systems: those of one matrix share its factorisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from formulations.modelling.default import preferred
from formulations.modelling.model import Model
from formulations.modelling.solution import Solution
from formulations.modelling.solving import SolveRequest
from formulations.modelling.structures import solve_structure
from qpkernels.certificates import Status
from qpkernels.programs import LinearSystem
from qpkernels.solvers.linear import LinearAlgebra

__all__ = ["solve_systems"]

Answered = TypeVar("Answered", bound=Solution)


def solve_systems(models: Sequence[Model[Answered]], *, tol: float) -> list[Answered]:
    """Solve and certify each model, as its own ``solve`` does without a solver's name."""
    backend = LinearAlgebra(keeps_factor=True)
    return [_solved(model, backend, tol) for model in models]


def _solved(model: Model[Answered], backend: LinearAlgebra, tol: float) -> Answered:
    model.check_parameters()
    bounds = model.bounds()
    programs = preferred(model.programs(bounds))
    if programs and isinstance(programs[0], LinearSystem):
        request = SolveRequest("linear", tol, None, None, None, False, {})
        solution = solve_structure(model, programs[0], backend, request, bounds)
        if solution.status is Status.OPTIMAL:
            return solution
    return model.solve(tol=tol)
