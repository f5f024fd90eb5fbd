# SPDX-License-Identifier: BSD-3-Clause
r"""From a point near the end of the central path to the one that it means, with every coefficient exactly at its bound.

Near the end each variable tells where it tends: to a bound, where the slack falls faster than its multiplier, else
inside. With those at bounds exactly there, the others F and b solve linear equations,

    (K E x + R b)_F + ridge_F x_F = goal_F,   R'x = totals,

by the Newton system of the path with W = 1 / (ridge + small) at F, a proximal step, repeated with the residual that it
leaves. A variable that comes out beyond a bound is put there, one that its slope draws away
from its bound is freed, and the equations are solved again: the primal-dual active set method (M. Hintermueller, K. Ito
and K. Kunisch, SIAM J. Optim. 13, 2002). It need not end; what comes of it is judged as any other point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.problems import Certificate, KernelQP, KernelQPBounds, LevelQP, SemiparametricQP
from qpkernels.problems.level_qp.bounds import level_bounds
from qpkernels.problems.rounding import FunctionAtSamples
from qpkernels.problems.semiparametric_qp import SemiparametricBounds
from qpkernels.solvers.interior_point.path import CentralPath, Places, boxes_of
from qpkernels.solvers.newton_systems import Multipliers, NewtonSystem

__all__ = ["ScaledProgram", "VertexCandidate"]

_CHANGES, _REFINEMENTS = 6, 3
"""How often the places may change, and how often equations are refined."""

_DRAWN = 1e-10
"""Slope, in the units of the problem, from which a variable is freed."""

_LEAST, _MOST = 1e-9, 1e-6
"""Between these is the proximal term, in the units of the problem."""


@dataclass(frozen=True, eq=False)
class VertexCandidate:
    """A feasible beta with its b, or the coefficients of the free directions, K beta, and its certificate."""

    beta: Vector
    intercept: Multipliers
    values: Vector
    certificate: Certificate

    @property
    def error(self) -> float:
        """The least tolerance at which the certificate holds; infinity where it never does."""
        return self.certificate.error


class ScaledProgram:
    """A program, and the same in boxes and units of its own."""

    def __init__(self, program: KernelQP | LevelQP | SemiparametricQP, system: NewtonSystem) -> None:
        self.program, self.system = program, system
        self._bounds: Any
        match program:
            case LevelQP():
                self._bounds = level_bounds(program)
            case SemiparametricQP():
                self._bounds = SemiparametricBounds(program)
            case _:
                self._bounds = KernelQPBounds(program)
        self.boxes, self._start = boxes_of(program, system)

    def path(self) -> CentralPath:
        """Return a new path."""
        return CentralPath(self.boxes, self.system, self._start)

    def at(self, path: CentralPath) -> VertexCandidate:
        """Return the point where the path is."""
        return self._judged(path.beta, path.b)

    def meant_by(self, path: CentralPath, certain: bool) -> VertexCandidate | None:
        """Return the point with coefficients at their bounds that the path means; None: that is not ``certain``."""
        small = np.clip(1.0 / path.inverse - self.boxes.ridge, _LEAST, _MOST)
        beta, b, settled = self._settle(path.x, path.function, path.b, path.places, small)
        return self._judged(beta, b) if settled or not certain else None

    def near(self, beta: Vector) -> VertexCandidate:
        """Return the point with the coefficients of ``beta`` at bounds, or those it leads to."""
        boxes, program = self.boxes, self.program
        # What a budget takes from all coefficients would draw them from their bounds.
        beta = (beta if isinstance(program, LevelQP) else program.project(beta)) / boxes.coefficient
        x = boxes.split(beta)
        places = (x >= boxes.upper).astype(np.int8) - (x <= boxes.lower)
        meant, b, _ = self._settle(x, self.system.expand(beta), boxes.totals * 0.0, places, np.full(x.size, _LEAST))
        return self._judged(meant, b)

    def vanishing(self) -> VertexCandidate | None:
        """Return coefficients whose function is 0, which may prove an optimum of 0; None: there are none."""
        point = self._bounds.vanishing()
        if point is None:
            return None
        beta, zero = self._bounds.feasible(point[0]), FunctionAtSamples.zero(self.program.size)
        proof = self._bounds.certify(beta, point[1], zero)
        return VertexCandidate(beta, point[1], self.program.gram.product(beta), proof)

    def _judged(self, beta: Vector, b: Multipliers) -> VertexCandidate:
        boxes, feasible = self.boxes, self._bounds.feasible(self.boxes.coefficient * beta)
        values = self.program.gram.product(feasible)
        intercept: Multipliers = 0.0
        if isinstance(self.program, SemiparametricQP):
            intercept = boxes.value * np.asarray(b)
        elif self.program.total is not None:
            own = self.system.at_samples(self.system.expand(feasible / boxes.coefficient)) + (
                b if boxes.equations is None else np.mean(b)
            )
            intercept = float(np.mean(boxes.value * own + boxes.shift - values))
        return VertexCandidate(feasible, intercept, values, self._bounds.certify(feasible, intercept))

    def _settle(
        self, x: Vector, function: Vector, b: Multipliers, places: Places, small: Vector
    ) -> tuple[Vector, Multipliers, bool]:
        """Return the beta and b that these places lead to, and whether they are those that the slopes there want."""
        boxes, system, settled = self.boxes, self.system, False
        for _ in range(_CHANGES):
            places = boxes.one_sided(places, x)
            x = np.where(places < 0, boxes.lower, np.where(places > 0, boxes.upper, x))
            (inside,) = np.nonzero(places == 0)
            if inside.size:
                x, b = self._solve_inside(x, function, b, inside, small[inside])
            function = system.expand(boxes.fold(x))
            slope = boxes.values(system.at_samples(function), b) + boxes.ridge * x - boxes.goal
            wanted = np.where(places * slope > _DRAWN, 0, places)
            wanted = np.where(x > boxes.upper, 1, np.where(x < boxes.lower, -1, wanted)).astype(np.int8)
            settled = bool((wanted == places).all())
            if settled:
                break
            places = wanted
        return boxes.fold(np.clip(x, boxes.lower, boxes.upper)), b, settled

    def _solve_inside(
        self, x: Vector, function: Vector, b: Multipliers, inside: Indices, small: Vector
    ) -> tuple[Vector, Multipliers]:
        boxes, system = self.boxes, self.system
        samples, goal, ridge = boxes.samples[inside], boxes.goal[inside], boxes.ridge[inside]
        part, weights = system.part(samples), 1.0 / (ridge + small)
        part.factor(weights, boxes.border_inside(inside))
        f, x = system.restricted(function, samples), x.copy()
        for _ in range(_REFINEMENTS):
            left = part.at_samples(f) + part.level(b) + ridge * x[inside] - goal
            lag = system.restricted(system.expand(boxes.fold(x)), samples) - f
            change, c = part.solve(-left * weights, boxes.totals - boxes.sums(x), lag)
            x[inside] -= (left + part.at_samples(change) + part.level(c)) * weights
            f, b = f + change, b + c
        return x, b
