# SPDX-License-Identifier: BSD-3-Clause
r"""The engine's steps one at a time, with what each did: for who wants to see them.

A step over the pair (i, j) moves beta_i up and beta_j down by the same length d >= 0, which keeps 1'beta. With the
gradient g = K beta + ridge beta - target the objective changes by

    (g_i - g_j) d + epsilon_i (|beta_i + d| - |beta_i|) + epsilon_j (|beta_j - d| - |beta_j|)
        + 1/2 (K_ii + K_jj - 2 K_ij + ridge_i + ridge_j) d^2,

a convex parabola up to the kinks of |.|; the step goes to its minimum, or to the first bound on the way. i is where
going up costs least, and j, among those that gain by going down, where the parabola falls lowest: the working set
selection using second-order information of Fan, Chen and Lin (JMLR 6, 2005). Without 1'beta there is no pair, and a
step moves the one coefficient whose own parabola falls lowest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.descent import PairDescent
from qpkernels.solvers.smo.iterate import measure, slopes
from qpkernels.solvers.smo.passes import FLAT
from qpkernels.solvers.smo.rows import MatrixRows

__all__ = ["Change", "Stepper"]

_UNIT = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Change:
    """The changes that a step makes.

    Attributes
    ----------
    up, down
        The sample whose coefficient went up, and the one whose went down; None where a single one was moved.
    length
        By how much, above 0.
    slope, curvature
        Of the objective along the step: it falls at first by ``slope``, above 0, and its second derivative is
        ``curvature``, above 0.
    room
        The length at which the first of the coefficients comes to a bound; infinity where none does.
    """

    up: int | None
    down: int | None
    length: float
    slope: float
    curvature: float
    room: float

    @property
    def unbounded(self) -> float:
        """The length to the minimum of the parabola: that of the step, without bounds and kinks."""
        return self.slope / self.curvature

    @property
    def clipped(self) -> bool:
        """Whether a bound ended the step."""
        return self.length >= self.room


class Stepper:
    """Descends a KernelQP from 0, or a feasible point near it, by one step of the engine at a time.

    The steps are taken by the compiled code of the engine, in float64 and over all samples.

    Parameters
    ----------
    program
        The problem; its kernel matrix is formed.

    Attributes
    ----------
    iterate
        Where the descent stands, with its duality gap.
    """

    def __init__(self, program: KernelQP) -> None:
        self._program, self._level = program.around(program.middle), program.middle
        beta = self._program.project(np.zeros(program.size))
        values = program.gram.product(beta)
        self._descent = PairDescent(self._program, MatrixRows(program.gram.dense), beta, values)
        self.iterate = measure(self._program, beta, values, 0)

    @property
    def intercept(self) -> float:
        """The b of the iterate."""
        return self.iterate.intercept + (0.0 if self._program.total is None else self._level)

    def step(self) -> Change | None:
        """Take a step and return what it changed; None where none is left in float64."""
        descent = self._descent
        beta, values = (part.copy() for part in descent.point())
        size = max(float(np.abs(values).max()), float(np.abs(self._program.target).max()))
        descent.outer_iteration(1, 4 * _UNIT * size)
        moved = descent.point()[0] - beta
        if not moved.any():
            return None
        self.iterate = measure(self._program, *descent.point(), self.iterate.iterations + 1)
        return self._change(beta, values, moved)

    def _change(self, beta: Vector, values: Vector, moved: Vector) -> Change:
        """Return what ``moved`` says of the step that was taken at beta."""
        p, K = self._program, self._program.gram.dense
        up, down = int(moved.argmax()), int(moved.argmin())
        rises, falls = bool(moved[up] > 0), bool(moved[down] < 0)
        rise, fall = slopes(p.target, p.epsilon, p.ridge, p.lower, p.upper, beta, values)
        slope = curvature = squares = 0.0
        room = np.inf
        if rises:
            slope -= rise[up]
            squares += K[up, up]
            curvature += p.ridge[up]
            room = min(room, p.upper[up] - beta[up])
        if falls:
            slope += fall[down]
            squares += K[down, down]
            curvature += p.ridge[down]
            room = min(room, beta[down] - p.lower[down])
        cross = 2.0 * K[up, down] if rises and falls else 0.0
        after = self._descent.point()[0]
        at_bound = (rises and after[up] == p.upper[up]) or (falls and after[down] == p.lower[down])
        return Change(
            up if rises else None,
            down if falls else None,
            # At a bound the differences of coefficients are rounded, and the room is not.
            length=float(room if at_bound else min(np.abs(moved).max(), room)),
            slope=float(slope),
            curvature=float(max(squares - cross + curvature, FLAT * squares)),
            room=float(room),
        )
