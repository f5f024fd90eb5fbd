# SPDX-License-Identifier: BSD-3-Clause
"""What it takes to finish somebody's answer: the model solved from there on, and how far that led."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.auditing.reading.machine import Machine
from formulations.modelling import Candidate, Solution
from formulations.regression.base import RegressionModel
from qpkernels.arrays import Vector
from qpkernels.problems import Bounds, ExpansionProgram, Support

__all__ = ["Finish", "finish"]

_ON_THE_BOUNDARY = 1e-6
"""Share of the largest decision value within which a sample lies on the boundary."""


@dataclass(frozen=True, eq=False)
class Finish:
    """An answer that was solved to the end.

    Attributes
    ----------
    machine
        Which of the machines of the estimator it is, in words.
    solution
        The certified answer.
    distance
        ||f - f*||: how far the function given is from that of the solution, in the space of the kernel.
    roles
        How many samples are another kind of support vector now: none, free, or at the bound.
    sides
        How many training samples are decided otherwise; None of real targets.
    """

    machine: str
    solution: Solution
    distance: float
    roles: int
    sides: int | None

    @property
    def seconds(self) -> float:
        """What it took, the certificate included."""
        return self.solution.seconds.total

    @property
    def iterations(self) -> int | None:
        """What it took, in the solver's own count."""
        return self.solution.iterations

    def __str__(self) -> str:
        steps = "" if self.iterations is None else f" and {self.iterations} iterations"
        sides = "" if self.sides is None else f", {self.sides} training samples change side"
        return (
            f"{self.machine}: {self.solution.status} after {self.seconds:.3g} s{steps} of {self.solution.solver}; "
            f"||f - f*|| = {self.distance:.3g}, {self.roles} samples change their role{sides}"
        )


def finish(machine: Machine, bounds: Bounds, tol: float, options: Mapping[str, Any]) -> Finish:
    """Solve the model from the answer on, where a solver of it can start from one."""
    model, answer = machine.model, machine.answer
    programs = model.programs(bounds)
    starts = bool(programs) and isinstance(programs[0], ExpansionProgram)
    start = answer.beta if starts and np.isfinite(answer.beta).all() else None
    solution = model.solve(tol=tol, warm_start=start, **options)
    before, after = model.support(answer, bounds), solution.support
    size = len(model)
    sides = None
    if not isinstance(model, RegressionModel):
        sides = int(np.count_nonzero(_sides(answer.decision) * _sides(solution.decision) < 0))
    return Finish(
        machine=machine.name,
        solution=solution,
        distance=_distance(answer, solution),
        roles=int(np.count_nonzero(_roles(before, size) != _roles(after, size))),
        sides=sides,
    )


def _sides(decision: Vector) -> Vector:
    """Return the signs, 0 of samples on the boundary."""
    return np.where(np.abs(decision) <= _ON_THE_BOUNDARY * np.abs(decision).max(), 0.0, np.sign(decision))


def _distance(answer: Candidate, solution: Solution) -> float:
    """Return ||f - f*||."""
    own, f = answer.coordinates, solution.function
    if own is not None:
        return float(np.linalg.norm(own - f.centers.T @ f.coefficients))
    values = solution.decision - solution.intercept
    moved = answer.beta - solution.beta
    return float(np.sqrt(max(float(moved @ (answer.at_samples.values - values)), 0.0)))


def _roles(support: Support, samples: int) -> Vector:
    roles = np.zeros(samples)
    roles[support.free], roles[support.bounded] = 1.0, 2.0
    return roles
