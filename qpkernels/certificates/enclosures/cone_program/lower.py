# SPDX-License-Identifier: BSD-3-Clause
r"""A lower bound of the optimal value, from a dual point that is proved to be feasible.

Rows with one coefficient are bounds, l <= x <= u. With the multipliers z of the other rows in their dual cones, any
point y, and g = P y + q + A'z, every feasible x satisfies

    1/2 x'Px + q'x  >=  -1/2 y'Py - b'z + sum_j min { g_j t : l_j <= t <= u_j } - tau/2 ||x - y||^2

where tau is 0 if P is proved to be positive semidefinite, and else what it lacks. So an entry between two bounds pays
for the rounding in its g_j what its range makes of it; one with a single bound needs the sign of its g_j to be proved;
and one without bounds needs g_j = 0 exactly: y and z are moved so that one is right, and solved for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack, vstack

from qpkernels.arrays import Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.certificates.enclosures.cone_program.inequalities import inside, parts, slack, slopes
from qpkernels.certificates.enclosures.cone_program.upper import MARGINS
from qpkernels.intervals import (
    Interval,
    enclose_point,
    inner,
    least_move,
    product,
    quadratic,
    semidefinite_shift,
    up,
)
from qpkernels.programs.cone_program import ConeProgram
from qpkernels.programs.cones import Cone, Nonnegative, SecondOrder, Zero

__all__ = ["lower_bound"]

_PREFERRED = 1e6
"""How much rather y is moved than z: the objective notices a move of y in its square only."""

_INTERIOR = 1e-7
"""Share of the largest multiplier above which the multiplier of an inequality may move."""


@dataclass(frozen=True, eq=False)
class _Bounded:
    """A program whose rows with one coefficient became bounds of the variables.

    Attributes
    ----------
    A, b, cones
        The other rows.
    rows
        Which rows of the program these are.
    lower, upper
        The bounds, moved outward by rounding.
    """

    program: ConeProgram
    A: csr_array
    b: Vector
    cones: tuple[Cone, ...]
    rows: NDArray[np.bool_]
    lower: Vector
    upper: Vector

    @classmethod
    def of(cls, program: ConeProgram) -> _Bounded:
        A = csr_array(program.A, copy=True)
        A.eliminate_zeros()
        single, n = np.diff(A.indptr) == 1, program.q.size
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
        kept = np.ones(program.b.size, dtype=bool)
        cones: list[Cone] = []
        for cone, part in program.parts():
            if isinstance(cone, SecondOrder):
                cones.append(cone)
                continue
            rows = np.flatnonzero(single[part]) + part.start
            kept[rows] = False
            columns, a = A.indices[A.indptr[rows]], A.data[A.indptr[rows]]
            ends = Interval.of(program.b[rows]).divided_by(a)
            above, below = (a > 0) | isinstance(cone, Zero), (a < 0) | isinstance(cone, Zero)
            np.minimum.at(upper, columns[above], ends.upper[above])
            np.maximum.at(lower, columns[below], ends.lower[below])
            left = cone.size - rows.size
            cones.append(Zero(left) if isinstance(cone, Zero) else Nonnegative(left))
        return cls(program, csr_array(A[kept]), program.b[kept], tuple(cones), kept, lower, upper)

    @cached_property
    def lacking(self) -> float:
        """What P may lack of being positive semidefinite: a tau with P + tau I proved to be so."""
        with blas_threads_for(self.program.q.size):
            return semidefinite_shift(self.program.P)

    @cached_property
    def touched(self) -> NDArray[np.bool_]:
        """Which variables P knows."""
        return np.diff(csc_array(self.program.P).indptr) > 0

    @property
    def is_hopeless(self) -> bool:
        """Whether P may lack something that no bounds limit the cost of."""
        reach = (self.upper - self.lower)[self.touched]
        return self.lacking > 0 and not np.isfinite(reach).all()

    def value(self, y: Interval, z: Interval, g: Interval) -> float:
        """Return the bound, where the signs of g are proved."""
        # An infinite end, and the sign of g that would ask for it, are excluded: the other end stands for both.
        low = np.where(np.isfinite(self.lower), self.lower, np.where(np.isfinite(self.upper), self.upper, 0.0))
        high = np.where(np.isfinite(self.upper), self.upper, low)
        cost = (g * Interval(low, high)).lower
        dual = (
            -(0.5 * quadratic(self.program.P, y)) - inner(self.b, z) + Interval(cost, cost).sum() + self.program.offset
        )
        if self.lacking > 0:
            reach = (Interval(self.lower, self.upper) - y)[self.touched].square().sum()
            dual = dual - 0.5 * self.lacking * reach
        return float(dual.lower)


def lower_bound(program: ConeProgram, x: Vector, z: Vector) -> float:
    """Return a lower bound of the optimal value; -inf where no dual feasible point is proved near (x, z)."""
    bounded = _Bounded.of(program)
    if bounded.is_hopeless:
        return -np.inf
    start, y = _clipped(bounded.cones, z[bounded.rows]), np.clip(x, bounded.lower, bounded.upper)
    if not program.P.nnz and not program.q.any():
        start = np.zeros_like(start)
    for multipliers in (_without_noise(bounded.cones, start), start):
        for margin in (0.0, *MARGINS):
            value = _value(bounded, y, multipliers, margin)
            if value > -np.inf:
                return value
    return -np.inf


def _without_noise(cones: tuple[Cone, ...], z: Vector) -> Vector:
    """Return z with 0 in place of what is nothing but noise: equations among multipliers then hold where all are 0."""
    z, size = z.copy(), float(np.abs(z).max(initial=0.0))
    for cone, rows in parts(cones):
        if isinstance(cone, Nonnegative):
            z[rows] = np.where(z[rows] > _INTERIOR * size, z[rows], 0.0)
    return z


def _clipped(cones: tuple[Cone, ...], z: Vector) -> Vector:
    z = z.copy()
    for cone, rows in parts(cones):
        if isinstance(cone, Nonnegative):
            z[rows] = np.maximum(z[rows], 0.0)
        elif isinstance(cone, SecondOrder) and cone.size:
            z[rows.start] = max(z[rows.start], float(up(np.linalg.norm(z[rows][1:]))))
    return z


def _value(bounded: _Bounded, x: Vector, z: Vector, margin: float) -> float:
    P, q, At = csr_array(bounded.program.P), bounded.program.q, csr_array(bounded.A.T)
    no_lower, no_upper = np.isneginf(bounded.lower), np.isposinf(bounded.upper)
    free = no_lower & no_upper
    n, M = q.size, csr_array(hstack([P, At]))
    unit = _unit_of_multipliers(bounded, P, x)
    room = np.concatenate([_curved(P, x), _room(bounded, z, unit)])
    point = np.concatenate([x, z])
    if margin:
        spread = np.concatenate([_spread(x), _spread(z, unit)])
        moved = _dual_move(bounded, M, point, (room, spread), margin, (no_lower, no_upper))
        if moved is None:
            return -np.inf
        point = np.concatenate([moved[:n], _clipped(bounded.cones, moved[n:])])
    solved = enclose_point(M[free], -q[free], point, room)
    if solved is None:
        return -np.inf
    if not inside(bounded.cones, solved[n:]):
        return -np.inf
    g = product(M, solved) + q
    g = Interval(np.where(free, 0.0, g.lower), np.where(free, 0.0, g.upper))
    # An entry may only fall towards a bound that it has.
    if (no_lower & (g.upper > 0)).any() or (no_upper & (g.lower < 0)).any():
        return -np.inf
    return bounded.value(solved[:n], solved[n:], g)


def _dual_move(
    bounded: _Bounded,
    M: csr_array,
    point: Vector,
    reach: tuple[Vector, Vector],
    margin: float,
    unbounded: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> Vector | None:
    """Return a point near by whose g has the signs that are needed by a margin, and whose z is in its cones by one."""
    n, q = bounded.program.q.size, bounded.program.q
    no_lower, no_upper = unbounded
    room, spread = reach
    P = csc_array(bounded.program.P)
    # A free entry that P knows alone makes its g_j vanish by itself, wherever the multipliers go.
    alone = no_lower & no_upper & (np.diff(P.indptr) == 1) & (P.diagonal() > 0)
    for _ in range(2):
        g, size = M @ point + q, abs(M) @ spread + np.abs(q)
        near = 1e4 * margin * size
        # g >= margin where there is no upper bound, <= -margin where there is no lower one, 0 where there is neither.
        goal = margin * size * (no_upper.astype(float) - no_lower.astype(float))
        wanted = ~alone & (no_lower | no_upper) & ((no_lower & no_upper) | (np.where(no_upper, g, -g) <= near))
        z = point[n:]
        gradients = slopes(bounded.cones, z)
        depth, length = slack(bounded.cones, z), abs(gradients) @ np.abs(z)
        curved = np.diff(gradients.indptr) > 1
        tight = curved & (depth <= 1e4 * margin * length)
        cone_rows = hstack([csr_array((int(tight.sum()), n)), gradients[tight]])
        steps = csr_array(vstack([M[wanted], csr_array(cone_rows)]))
        target = np.concatenate([(goal - g)[wanted], margin * length[tight] - depth[tight]])
        move = least_move(steps, target, room)
        if move is None:
            return None
        point = point + move
    return point


def _curved(P: csr_array, x: Vector) -> Vector:
    """Return how far entries of y may move: those that P does not know at all need not."""
    return np.where(np.diff(P.indptr) > 0, _PREFERRED * _spread(x), 0.0)


def _unit_of_multipliers(bounded: _Bounded, P: csr_array, x: Vector) -> float:
    """Return the size of a multiplier that the slope of the objective could ask for."""
    steepest = float((abs(P) @ np.abs(x) + np.abs(bounded.program.q)).max(initial=0.0))
    return steepest / (float(np.abs(bounded.A.data).max(initial=0.0)) or 1.0)


def _room(bounded: _Bounded, z: Vector, unit: float) -> Vector:
    """Return how far multipliers may move: all of equations and second-order cones, and inequalities well inside."""
    size = float(np.abs(z).max(initial=0.0)) or 1.0
    room = _spread(z, unit)
    for cone, rows in parts(bounded.cones):
        if isinstance(cone, Nonnegative):
            room[rows] = np.where(z[rows] > _INTERIOR * size, z[rows], 0.0)
        elif isinstance(cone, SecondOrder) and cone.size and not z[rows].any():
            room[rows] = 0.0
    return room


def _spread(values: Vector, unit: float = 0.0) -> Vector:
    """Return how far entries may move: their size, and a small share of the largest one or of a unit."""
    return np.abs(values) + (1e-3 * max(unit, float(np.abs(values).max(initial=0.0))) or 1.0)
