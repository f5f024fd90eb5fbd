# SPDX-License-Identifier: BSD-3-Clause
r"""From a point near the end of the central path to the one that it means, with every coefficient exactly at its bound.

Near the end each variable tells where it tends: to a bound, where the slack falls faster than its multiplier, else
inside. With those at bounds exactly there, the others F and b solve linear equations,

    (K E x)_F + b 1 + ridge_F x_F = goal_F,   1'x = total,

by the Newton system of the path with W = 1 / (ridge + small) at F, a proximal step, repeated with the residual that it
leaves. A variable that comes out beyond a bound is put there, one that its slope draws away from its bound is freed,
and the equations are solved again: the primal-dual active set method (M. Hintermueller, K. Ito, K. Kunisch, SIAM J.
Optim. 13, 2002). It need not end; what comes of it is judged as any other point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.solvers.interior_point.boxes import Boxes
from qpkernels.solvers.interior_point.path import CentralPath
from qpkernels.solvers.interior_point.systems import NewtonSystem

__all__ = ["vertex_from", "vertex_near"]

Places: TypeAlias = NDArray[np.int8]
"""Where each variable is: -1 at its lower bound, 1 at the upper one, 0 inside."""

_CHANGES, _REFINEMENTS = 6, 3
"""How often the places may change, and how often equations are refined."""

_DRAWN = 1e-10
"""Slope, in the units of the problem, from which a variable is freed."""

_PROXIMAL = 1e-9
"""The least proximal term, in the units of the problem."""


@dataclass(frozen=True, eq=False)
class Vertex:
    """Variables at their places, the others solving their equations.

    Attributes
    ----------
    settled
        Whether every variable is where its slope and its bounds want it.
    """

    x: Vector
    b: float
    settled: bool


def vertex_near(path: CentralPath) -> Vertex:
    """Return the vertex that a point near the end of the path means."""
    places = np.zeros(path.x.size, np.int8)
    places[path.below] -= path.to_lower
    places[path.above] += path.to_upper
    small = np.maximum(1.0 / path.inverse - path.boxes.ridge, _PROXIMAL)
    return _settle(path.boxes, path.system, path.x, path.b, places, np.minimum(small, 1e-6))


def vertex_from(boxes: Boxes, system: NewtonSystem, beta: Vector) -> Vertex:
    """Return the vertex with the places of ``beta``, in the units of the boxes, or those they lead to."""
    x = boxes.split(beta)
    places = (x >= boxes.upper).astype(np.int8) - (x <= boxes.lower)
    return _settle(boxes, system, x, 0.0, places, np.full(x.size, _PROXIMAL))


def _settle(boxes: Boxes, system: NewtonSystem, x: Vector, b: float, places: Places, small: Vector) -> Vertex:
    for _ in range(_CHANGES):
        places = boxes.one_sided(places, x)
        x = np.where(places < 0, boxes.lower, np.where(places > 0, boxes.upper, x))
        x, b = _solve_free(boxes, system, x, b, places == 0, small)
        slope = boxes.spread(system.product(boxes.fold(x)) + b) + boxes.ridge * x - boxes.goal
        wanted = np.where(places * slope > _DRAWN, 0, places)
        wanted = np.where(x > boxes.upper, 1, np.where(x < boxes.lower, -1, wanted)).astype(np.int8)
        if np.array_equal(wanted, places):
            return Vertex(x, b, True)
        places = wanted
    return Vertex(np.clip(x, boxes.lower, boxes.upper), b, False)


def _solve_free(
    boxes: Boxes, system: NewtonSystem, x: Vector, b: float, inside: NDArray[np.bool_], small: Vector
) -> tuple[Vector, float]:
    (free,) = np.nonzero(inside)
    if free.size == 0:
        return x, b
    samples = boxes.samples[free]
    part, ridge, weights = system.part(samples), boxes.ridge[free], 1.0 / (boxes.ridge + small)[free]
    part.factor(weights)
    x = x.copy()
    for _ in range(_REFINEMENTS):
        left = system.product(boxes.fold(x))[samples] + b + ridge * x[free] - boxes.goal[free]
        h, c = part.solve(-left * weights, boxes.total - float(x.sum()))
        x[free] += (-left - h) * weights
        b += c
    return x, b
