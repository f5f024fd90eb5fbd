# SPDX-License-Identifier: BSD-3-Clause
"""The enclosure of the optimal value of a cone program by any candidate (x, z)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack, vstack

from qpkernels.arrays import Vector, finite_vector
from qpkernels.arrays.exact_algebra import enclose_point, least_move, semidefinite_shift
from qpkernels.arrays.intervals import UNIT, Interval, inner, product, quadratic, up
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import UnsupportedProgramError
from qpkernels.problems.cone_program.program import ConeProgram
from qpkernels.problems.cone_program.residuals import kinds
from qpkernels.problems.cones import Cone, Nonnegative, SecondOrder, Zero
from qpkernels.problems.enclosing import Enclosure

__all__ = [
    "MARGINS",
    "Bounded",
    "Constraints",
    "dual_points",
    "enclose_cone_program",
    "inside",
    "lower_bound",
    "parts",
    "room_of",
    "slack",
    "slopes",
    "upper_bound",
]


def parts(cones: Sequence[Cone]) -> list[tuple[Cone, slice]]:
    """Return each cone with its range of rows."""
    edges = np.cumsum([0, *(cone.size for cone in cones)]).tolist()
    return [(cone, slice(edges[k], edges[k + 1])) for k, cone in enumerate(cones)]


def slack(cones: Sequence[Cone], s: Vector) -> Vector:
    """Return how far s is inside its cone: s_i for each inequality, t - ||v|| for each second-order cone (t, v)."""
    found = [
        s[rows] if isinstance(cone, Nonnegative) else np.array([s[rows][0] - np.linalg.norm(s[rows][1:])])
        for cone, rows in parts(cones)
        if isinstance(cone, Nonnegative | SecondOrder) and cone.size
    ]
    return np.concatenate([np.zeros(0), *found])


def slopes(cones: Sequence[Cone], s: Vector) -> csr_array:
    """Return the derivatives of :func:`slack` by s, shape (slacks, rows)."""
    entries: list[tuple[Vector, Vector]] = []
    for cone, rows in parts(cones):
        index = np.arange(rows.start, rows.stop)
        if isinstance(cone, Nonnegative):
            entries.extend((np.ones(1), index[i : i + 1]) for i in range(index.size))
        elif isinstance(cone, SecondOrder) and cone.size:
            length = float(np.linalg.norm(s[rows][1:]))
            direction = s[rows][1:] / length if length > 0 else np.zeros(cone.size - 1)
            entries.append((np.append(1.0, -direction), index))
    pointers = np.cumsum([0, *(values.size for values, _ in entries)])
    values = np.concatenate([np.zeros(0), *(values for values, _ in entries)])
    columns = np.concatenate([np.zeros(0, dtype=np.intp), *(index for _, index in entries)])
    return csr_array((values, columns, pointers), shape=(len(entries), s.size))


def inside(cones: Sequence[Cone], s: Interval) -> bool:
    """Return whether every vector in s is proved to be in the cones, leaving out equations."""
    for cone, rows in parts(cones):
        part = s[rows]
        if isinstance(cone, Nonnegative) and not (part.lower >= 0).all():
            return False
        if isinstance(cone, SecondOrder) and cone.size:
            length = inner(part[1:], part[1:]).sqrt()
            if not float(part.lower[0]) >= float(length.upper):
                return False
    return True


MARGINS = tuple(UNIT * 32.0**k for k in range(1, 7))
"""Margins that are tried, as shares of the terms of a constraint: from 32 rounding errors to about 1e-7."""

_ACTIVE = 1e4
"""Multiple of the margin within which an inequality counts as active."""

_LEAST_GAIN = 1e-9
"""Share of its size by which each inequality must gain along a direction whose entries use up their room."""

_SECONDS = 10.0
"""The limits of the search for a direction inward."""


def upper_bound(program: ConeProgram, x: Vector) -> float:
    """Return an upper bound on the optimal value; inf if no point near x is proved to be feasible."""
    constraints = Constraints.of(program)
    for candidate in constraints.candidates(x):
        point = constraints.feasible(candidate)
        if point is not None:
            value = 0.5 * quadratic(program.P, point) + inner(program.q, point) + program.offset
            return float(value.upper)
    return float("inf")


@dataclass(frozen=True, eq=False)
class Constraints:
    """A, by rows, and which of them are equations."""

    program: ConeProgram
    A: csr_array
    equations: NDArray[np.bool_]

    @classmethod
    def of(cls, program: ConeProgram) -> Constraints:
        """Return those of a program."""
        return cls(program, csr_array(program.A), kinds(program)[0])

    def feasible(self, x: Vector) -> Interval | None:
        """Return points near x one of which is proved to be feasible, or None if that fails."""
        point = enclose_point(self.A[self.equations], self.program.b[self.equations], x, room_of(x))
        if point is None:
            return None
        return point if inside(self.program.cones, self.program.b - product(self.A, point)) else None

    def candidates(self, x: Vector) -> Iterator[Vector]:
        """Yield points that are further and further inside."""
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
        size = abs(gradients) @ (np.abs(self.program.b) + abs(self.A) @ room_of(x))
        active = depth <= _ACTIVE * margin * size
        return csr_array(-(gradients[active] @ self.A)), depth[active], size[active]

    def _least_step(self, x: Vector, margin: float) -> Vector | None:
        for _ in range(2):
            slopes_of_active, depth, size = self._active(x, margin)
            missing = self.program.b[self.equations] - self.A[self.equations] @ x
            steps = csr_array(vstack([self.A[self.equations], slopes_of_active]))
            move = least_move(steps, np.concatenate([missing, margin * size - depth]), room_of(x))
            if move is None:
                return None
            x = x + move
        return x

    def _way_inside(self, x: Vector) -> tuple[Vector, Vector | None]:
        """Return x where no active inequality is violated, and the direction along which all gain their size."""
        rows, depth, size = self._active(x, MARGINS[-1])
        if not size.any():
            return x, None
        room, n = room_of(x), x.size
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


def room_of(x: Vector) -> Vector:
    """Return how far each entry may move."""
    return np.abs(x) + (1e-3 * float(np.abs(x).max(initial=0.0)) or 1.0)


_PREFERRED = 1e6
"""How much rather y is moved than z: the objective notices a move of y in its square only."""

_INTERIOR = 1e-7
"""Share of the largest multiplier above which the multiplier of an inequality may move."""


@dataclass(frozen=True, eq=False)
class Bounded:
    """A program whose rows with one coefficient became bounds of the variables.

    Attributes
    ----------
    A, b, cones
        The other rows.
    rows
        The numbers of these rows in the program.
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
    def of(cls, program: ConeProgram) -> Bounded:
        """Return a program with its bounds."""
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
        """The bound of P's indefiniteness: a tau for which P + tau I is proved to be positive semidefinite."""
        with blas_threads_for(self.program.q.size):
            return semidefinite_shift(self.program.P)

    @cached_property
    def touched(self) -> NDArray[np.bool_]:
        """The variables that occur in P."""
        return np.diff(csc_array(self.program.P).indptr) > 0

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """The variables whose square alone occurs in P."""
        P = csc_array(self.program.P)
        return np.asarray((np.diff(P.indptr) == 1) & (P.diagonal() > 0))

    @property
    def is_hopeless(self) -> bool:
        """Whether P may lack something at a cost that no bounds limit."""
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
    """Return a lower bound on the optimal value; -inf if no point near (x, z) is proved to be dual feasible."""
    bounded = Bounded.of(program)
    if bounded.is_hopeless:
        return -np.inf
    if not program.P.nnz and not program.q.any():
        z = np.zeros_like(z)
    values = (_value(bounded, point, room) for point, room in dual_points(bounded, x, z))
    return next((value for value in values if value > -np.inf), -np.inf)


def dual_points(bounded: Bounded, x: Vector, z: Vector) -> Iterator[tuple[Vector, Vector]]:
    """Yield points (y, z) near (x, z) that are further and further inside, and how far their entries may move.

    The multipliers are those of the rows that are left; they may have lost what is nothing but noise.
    """
    program = bounded.program
    start, y = _clipped(bounded.cones, z[bounded.rows]), np.clip(x, bounded.lower, bounded.upper)
    M = csr_array(hstack([csr_array(program.P), csr_array(bounded.A.T)]))
    for multipliers in (_without_noise(bounded.cones, start), start):
        unit = _unit_of_multipliers(bounded, y)
        room = np.concatenate([_curved(program.P, y), _room_of_cones(bounded, multipliers, unit)])
        spread = np.concatenate([_spread(y), _spread(multipliers, unit)])
        point = np.concatenate([y, multipliers])
        yield point, room
        for margin in MARGINS:
            moved = _dual_move(bounded, M, point, (room, spread), margin)
            if moved is not None:
                yield np.concatenate([moved[: y.size], _clipped(bounded.cones, moved[y.size :])]), room


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


def _value(bounded: Bounded, point: Vector, room: Vector) -> float:
    n, q, M = bounded.program.q.size, bounded.program.q, csr_array(hstack([bounded.program.P, bounded.A.T]))
    no_lower, no_upper = np.isneginf(bounded.lower), np.isposinf(bounded.upper)
    free = no_lower & no_upper
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
    bounded: Bounded,
    M: csr_array,
    point: Vector,
    reach: tuple[Vector, Vector],
    margin: float,
) -> Vector | None:
    """Return a point near by whose g has the signs that are needed by a margin, and whose z is in its cones by one."""
    n, q = bounded.program.q.size, bounded.program.q
    no_lower, no_upper = np.isneginf(bounded.lower), np.isposinf(bounded.upper)
    room, spread = reach
    # A free entry that P knows alone makes its g_j vanish by itself, wherever the multipliers go.
    alone = no_lower & no_upper & bounded.alone
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


def _curved(P: csc_array, x: Vector) -> Vector:
    """Return how far entries of y may move: those that P does not know at all need not."""
    return np.where(np.diff(csr_array(P).indptr) > 0, _PREFERRED * _spread(x), 0.0)


def _unit_of_multipliers(bounded: Bounded, x: Vector) -> float:
    """Return the size of a multiplier that the slope of the objective could ask for."""
    steepest = float((abs(bounded.program.P) @ np.abs(x) + np.abs(bounded.program.q)).max(initial=0.0))
    return steepest / (float(np.abs(bounded.A.data).max(initial=0.0)) or 1.0)


def _room_of_cones(bounded: Bounded, z: Vector, unit: float) -> Vector:
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


def enclose_cone_program(program: ConeProgram, x: Vector, z: Vector) -> Enclosure:
    """Return an interval that holds the optimal value in exact arithmetic, for the matrices as stored in float64.

    x and z are moved by rounding errors: x to a point that is proved to satisfy every constraint exactly, and z to one
    that is proved to be dual feasible. If no such point is found on one side, that end is infinite. Reasons are a point
    far from optimal, dependent equations, a feasible set without interior, and free variables that P leaves flat.

    Parameters
    ----------
    program
        A program with equations, inequalities and second-order cones.
    x, z
        A point and its multipliers, nearly optimal; shapes (n,) and (rows,).

    Raises
    ------
    UnsupportedProgramError
        If the program has other cones.
    ShapeError, NonFiniteError
        If x or z do not fit, or hold NaN or infinity.

    Notes
    -----
    Source: Neumaier and Shcherbina, Safe bounds in linear and mixed-integer linear programming (2004); Jansson,
    Rigorous lower and upper bounds in linear programming (2004); Jansson, Chaykin and Keil, Rigorous error bounds for
    the optimal value in semidefinite programming (2007).

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems import enclose_cone_program
    >>> from qpkernels.solvers import find_solver
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).primal.lower().program
    >>> answer = find_solver("clarabel").solve(program, tol=1e-9)
    >>> enclosure = enclose_cone_program(program, answer.point, answer.multipliers)
    >>> print(enclosure.lower <= 0.5 <= enclosure.upper, enclosure.width < 1e-6)
    True True
    """
    other = sorted({type(cone).__name__ for cone in program.cones if not isinstance(cone, _ENCLOSED)})
    if other:
        raise UnsupportedProgramError(
            f"{program.name} has cones of kind {', '.join(other)}, for which there is no enclosure: "
            "nothing is known of the rounding of a point that is moved into them. Equations, inequalities and "
            "second-order cones have one; the values of its certificate hold up to the rounding that it states."
        )
    x, z = finite_vector(x, "x", program.q.size), finite_vector(z, "z", program.b.size)
    with np.errstate(over="ignore", invalid="ignore"):
        return Enclosure(lower_bound(program, x, z), upper_bound(program, x))


_ENCLOSED = (Zero, Nonnegative, SecondOrder)
