# SPDX-License-Identifier: BSD-3-Clause
"""An upper bound of the optimal value: the objective at a point that satisfies all constraints exactly.

A nearly optimal x violates its active constraints by rounding errors. It is moved inward by a margin of some rounding
errors, along the least step that does so, or else along a direction that leads off all of them; its equations are then
solved exactly for some of its entries, which are intervals from there on; and the inequalities are verified for all of
the interval. Where a margin is too small for that, a larger one is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from qpkernels.arrays import Vector
from qpkernels.certificates.cone_program.residuals import kinds
from qpkernels.certificates.enclosures.cone_program.inequalities import inside, slack, slopes
from qpkernels.intervals import UNIT, Interval, enclose_point, inner, least_move, product, quadratic
from qpkernels.programs.cone_program import ConeProgram

__all__ = ["MARGINS", "upper_bound"]

MARGINS = tuple(UNIT * 32.0**k for k in range(1, 7))
"""Margins that are tried, as shares of the terms of a constraint: from 32 rounding errors to about 1e-7."""

_ACTIVE = 1e4
"""Multiple of the margin within which an inequality counts as active."""

_LEAST_GAIN = 1e-9
"""Share of its size by which each inequality must gain along a direction whose entries use up their room."""

_SECONDS = 10.0
"""What the search for a direction inward may take."""


def upper_bound(program: ConeProgram, x: Vector) -> float:
    """Return an upper bound of the optimal value; inf where no feasible point is proved near x."""
    constraints = _Constraints.of(program)
    for candidate in constraints.candidates(x):
        point = constraints.feasible(candidate)
        if point is not None:
            value = 0.5 * quadratic(program.P, point) + inner(program.q, point) + program.offset
            return float(value.upper)
    return float("inf")


@dataclass(frozen=True, eq=False)
class _Constraints:
    """A, by rows, and which of them are equations."""

    program: ConeProgram
    A: csr_array
    equations: NDArray[np.bool_]

    @classmethod
    def of(cls, program: ConeProgram) -> _Constraints:
        return cls(program, csr_array(program.A), kinds(program)[0])

    def feasible(self, x: Vector) -> Interval | None:
        """Return points near x of which one is feasible, proved; None where that fails."""
        point = enclose_point(self.A[self.equations], self.program.b[self.equations], x, _room(x))
        if point is None:
            return None
        return point if inside(self.program.cones, self.program.b - product(self.A, point)) else None

    def candidates(self, x: Vector) -> Iterator[Vector]:
        """Yield points that are ever further inside."""
        yield x
        for margin in MARGINS:
            moved = self._least_step(x, margin)
            if moved is not None:
                yield moved
        x, direction = self._way_inside(x)
        if direction is not None:
            for margin in MARGINS:
                yield x + margin * direction

    def _active(self, x: Vector, margin: float) -> tuple[csr_array, Vector, Vector]:
        """Return what moves active inequalities: derivatives by x, how far inside they are, sizes of their terms."""
        s = self.program.b - self.A @ x
        gradients, depth = slopes(self.program.cones, s), slack(self.program.cones, s)
        size = abs(gradients) @ (np.abs(self.program.b) + abs(self.A) @ _room(x))
        active = depth <= _ACTIVE * margin * size
        return csr_array(-(gradients[active] @ self.A)), depth[active], size[active]

    def _least_step(self, x: Vector, margin: float) -> Vector | None:
        for _ in range(2):
            slopes_of_active, depth, size = self._active(x, margin)
            missing = self.program.b[self.equations] - self.A[self.equations] @ x
            steps = csr_array(vstack([self.A[self.equations], slopes_of_active]))
            move = least_move(steps, np.concatenate([missing, margin * size - depth]), _room(x))
            if move is None:
                return None
            x = x + move
        return x

    def _way_inside(self, x: Vector) -> tuple[Vector, Vector | None]:
        """Return x where no active inequality is violated, and the direction along which all gain their size."""
        rows, depth, size = self._active(x, MARGINS[-1])
        if not size.any():
            return x, None
        room, n = _room(x), x.size
        E = self.A[self.equations]
        # In shares d = direction / room: the largest gain t <= 1, in sizes of terms, that all can have.
        gain = csr_array(np.ones((size.size, 1)))
        E_sizes = abs(E) @ room
        still = _scaled(E, room, np.where(E_sizes > 0, E_sizes, 1.0))
        search: Any = scipy.optimize.linprog  # Its stubs know no sparse matrices.
        found = search(
            np.append(np.zeros(n), -1.0),
            A_ub=hstack([-_scaled(rows, room, np.where(size > 0, size, 1.0)), gain]),
            b_ub=np.zeros(size.size),
            A_eq=hstack([still, csr_array((E.shape[0], 1))]),
            b_eq=np.zeros(E.shape[0]),
            bounds=[(-1.0, 1.0)] * n + [(0.0, 1.0)],
            method="highs",
            options={"time_limit": _SECONDS},
        )
        if found.x is None or not found.x[-1] > _LEAST_GAIN:
            return x, None
        direction = np.asarray(room * found.x[:-1] / found.x[-1])
        return x + float(np.maximum(0.0, -depth / np.where(size > 0, size, 1.0)).max()) * direction, direction


def _scaled(rows: csr_array, room: Vector, size: Vector) -> csr_array:
    return csr_array(rows.multiply(room[None, :]).multiply(1.0 / size[:, None]))


def _room(x: Vector) -> Vector:
    """Return how far each entry may move."""
    return np.abs(x) + (1e-3 * float(np.abs(x).max(initial=0.0)) or 1.0)
