# SPDX-License-Identifier: BSD-3-Clause
r"""Whether a point satisfies some of the constraints of a program: a point, or Farkas multipliers, verified.

**Circuits** are proofs of infeasibility that need each of their rows. By Farkas' lemma the inequalities Ax <= b
contradict each other exactly when w >= 0 exists with A'w = 0 and b'w < 0. A basic solution of

    A'w = 0,  -b'w = 1,  w >= 0

has rows A_i, i in its support, any proper subset of which is linearly independent: they form a circuit. Every proper
subset of these inequalities then has a solution, namely one of the equations A_i x = b_i. The basic solutions are
exactly the irreducible infeasible subsets. Source: Gleeson and Ryan (1990), ORSA Journal on Computing 2(1).

**The elastic relaxation** says how far constraints must give way for a point to satisfy them all. With a direction e
into the cone of each constraint that may give way::

    min  1't   s.t.  Ax + s = b + E t,   s in K,  t >= 0

An inequality row gives way to Ax <= b + t, an equation to |Ax - b| <= t, a second-order cone to ||v|| <= u + t, and a
semidefinite matrix by t times the identity. The optimum is 0 exactly if a point satisfies everything (or points come
arbitrarily close); otherwise its multipliers are Farkas multipliers. Source: Chinneck (2008), Feasibility and
Infeasibility in Optimization, chapter 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array, hstack, vstack
from scipy.sparse.linalg import lsqr

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.errors import SolverFailedError
from qpkernels.problems import (
    Block,
    Certificate,
    Cone,
    ConeProgram,
    Exponential,
    Nonnegative,
    Power,
    PSDTriangle,
    Zero,
    certify_cone_program,
    certify_infeasibility,
)
from qpkernels.problems.certificate import PROVED
from qpkernels.solvers import Claim, Solver
from qpkernels.solvers.repair.answers import without_rounding
from qpkernels.solvers.repair.proofs import repair_multipliers

__all__ = [
    "Elastic",
    "Feasibility",
    "Unit",
    "Verdict",
    "basic_combination",
    "circuit",
    "elastic",
    "restricted",
    "units_of",
    "violations",
]

_ROUNDING = 1e-9
"""Residual of an equation, against its terms, that is nothing but rounding."""

_DEPENDENT = 1e-10
"""Singular value of rows of unit length, against the largest, that counts as 0."""


def basic_combination(columns: Matrix, target: Vector) -> Vector | None:
    """Return w >= 0 with columns @ w = target over linearly independent columns, or None if none was found.

    Parameters
    ----------
    columns, target
        Shapes (k, n) and (k,). At most k entries of w, shape (n,), are not 0 (Caratheodory).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.diagnosis.feasibility import basic_combination
    >>> columns = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> print(basic_combination(columns, np.array([2.0, 1.0])))
    [1. 0. 1.]
    >>> print(basic_combination(columns, np.array([-1.0, 0.0])))
    None
    """
    try:
        weights, _ = scipy.optimize.nnls(columns, target)
    except RuntimeError:  # it ran out of iterations
        return None
    terms = np.abs(columns) @ weights + np.abs(target)
    return np.asarray(weights) if (np.abs(columns @ weights - target) <= _ROUNDING * terms).all() else None


def circuit(rows: Matrix, bounds: Vector) -> Vector | None:
    """Return w >= 0 with rows' w = 0 and bounds' w < 0 whose support is a circuit, or None if none was found.

    Parameters
    ----------
    rows, bounds
        A and b of the inequalities Ax <= b, shapes (k, n) and (k,).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.diagnosis.feasibility import circuit
    >>> rows, bounds = np.array([[1.0], [-1.0], [1.0]]), np.array([1.0, -2.0, 5.0])
    >>> print(circuit(rows, bounds))
    [5. 5. 0.]
    """
    lengths = np.linalg.norm(rows, axis=1)
    units = np.where(lengths > 0, lengths, np.where(bounds != 0, np.abs(bounds), 1.0))
    scaled, gains = rows / units[:, None], -bounds / units
    largest = float(np.abs(gains).max(initial=0.0))
    if largest == 0:
        return None
    found = basic_combination(np.vstack([scaled.T, gains / largest]), np.append(np.zeros(rows.shape[1]), 1.0))
    if found is None:
        return None
    weights = _refined(scaled, found) / units
    return weights if bounds @ weights < 0 else None


def _refined(rows: Matrix, weights: Vector) -> Vector:
    """Return the weights to full accuracy: a circuit has them up to a factor only."""
    (used,) = np.nonzero(weights)
    _, sizes, directions = np.linalg.svd(rows[used].T)
    null = directions[-1] if sizes.size < used.size or sizes[-1] <= _DEPENDENT * sizes[0] else None
    if null is None:
        return weights
    null = null * np.sign(null.sum())
    if null.min() <= 0:
        return weights
    refined = np.zeros_like(weights)
    refined[used] = null * (weights.sum() / null.sum())
    return refined


@dataclass(frozen=True, eq=False)
class Unit:
    """The smallest part of a program that can give way or be left out: an equation, an inequality or another cone."""

    rows: Indices
    cone: Cone

    @property
    def directions(self) -> Iterator[Vector]:
        """How much each slack relaxes the rows."""
        match self.cone:
            case Zero():
                yield from (np.ones(1), -np.ones(1))
            case PSDTriangle(order):
                identity = np.zeros(self.rows.size)
                identity[np.cumsum(np.arange(1, order + 1)) - 1] = 1.0
                yield identity
            case Exponential():
                yield np.array([-1.0, 1.0, 1.0])
            case Power():
                yield np.array([1.0, 1.0, 0.0])
            case _:
                # An inequality, or the first component of a second-order cone.
                yield np.eye(1, self.rows.size)[0]


def units_of(program: ConeProgram) -> tuple[Unit, ...]:
    """Return the units of a program in the order of its rows."""
    units: list[Unit] = []
    for cone, part in program.parts():
        rows = np.arange(part.start, part.stop)
        if isinstance(cone, Zero | Nonnegative):
            units += (Unit(row, type(cone)(1)) for row in rows[:, None])
        else:
            units.append(Unit(rows, cone))
    return tuple(units)


@dataclass(frozen=True, eq=False)
class Elastic:
    """The relaxation of a program, and the meaning of its slack columns.

    Attributes
    ----------
    program
        The relaxation; its first variables and rows are those of the original program.
    owner
        The number of the unit that each slack belongs to.
    """

    program: ConeProgram
    owner: Indices

    @property
    def n(self) -> int:
        """The number of variables of the original program."""
        return int(self.program.q.size - self.owner.size)


def elastic(program: ConeProgram, units: tuple[Unit, ...]) -> Elastic:
    """Return the relaxation of ``program`` in which ``units`` may give way, and nothing else."""
    pairs = [(number, direction) for number, unit in enumerate(units) for direction in unit.directions]
    k, (rows, n) = len(pairs), program.A.shape
    E = csc_array(
        (
            np.concatenate([direction for _, direction in pairs] or [np.zeros(0)]),
            (
                np.concatenate([units[number].rows for number, _ in pairs] or [np.zeros(0, dtype=np.intp)]),
                np.repeat(np.arange(k), [units[number].rows.size for number, _ in pairs]),
            ),
        ),
        shape=(rows, k),
    )
    relaxed = ConeProgram(
        P=csc_array((n + k, n + k)),
        q=np.append(np.zeros(n), np.ones(k)),
        A=csc_array(vstack([hstack([program.A, -E]), hstack([csc_array((k, n)), -eye_array(k)])])),
        b=np.append(program.b, np.zeros(k)),
        cones=(*program.cones, Nonnegative(k)),
        variables=(*program.variables, Block("slack", n, n + k)),
        rows=(*program.rows, Block("slack", rows, rows + k)),
        name=f"elastic relaxation of {program.name}",
    )
    return Elastic(relaxed, np.array([number for number, _ in pairs], dtype=np.intp))


_REFINEMENTS = 4
"""Points tried next to one that a solver found."""

_SOLVER_ROUNDING = 1e-3
"""Share of the tolerance that the terms of an equation or inequality may leave in it."""

_TRIFLE = 1e-6
"""Weight of a row, its multiplier times its length, against the heaviest, below which it is tried to do without."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The proof about some rows; without a point and without multipliers it proves nothing.

    Attributes
    ----------
    point
        x that satisfies them, shape (n,).
    multipliers
        Farkas multipliers that prove that there is no such x, one for each row of the program, 0 for rows left out.
    certificate
        The certificate of the proof.
    """

    point: Vector | None
    multipliers: Vector | None
    certificate: Certificate | None


def restricted(program: ConeProgram, kept: NDArray[np.bool_]) -> ConeProgram:
    """Return the feasibility problem of some rows, with whole cones if they are not equations or inequalities."""
    cones: list[Cone] = []
    for cone, rows in program.parts():
        count = int(kept[rows].sum())
        if count and isinstance(cone, Zero | Nonnegative):
            cones.append(type(cone)(count))
        elif count:
            cones.append(cone)
    ends = np.append(0, np.cumsum(kept))
    n = program.q.size
    return ConeProgram(
        P=csc_array((n, n)),
        q=np.zeros(n),
        A=csc_array(csr_array(program.A)[kept]),
        b=program.b[kept],
        cones=tuple(cones),
        variables=program.variables,
        rows=tuple(Block(block.name, int(ends[block.start]), int(ends[block.stop])) for block in program.rows),
        name=f"feasibility of {program.name}",
    )


def violations(program: ConeProgram, x: Vector, tol: float) -> tuple[Vector, Vector]:
    """Return how far each row is from being satisfied by x, and how far counts as 0; shapes (rows,).

    The limit is ``tol`` times the right-hand side and the rounding that solvers leave in the terms of the row itself,
    whatever the size of other variables. A cone that is not an equation or an inequality counts as a whole.
    """
    s = program.b - program.A @ x
    allowed = tol * (np.abs(program.b) + _SOLVER_ROUNDING * (abs(program.A) @ np.abs(x)))
    outside = np.zeros(s.size)
    for cone, rows in program.parts():
        match cone:
            case Zero():
                outside[rows] = np.abs(s[rows])
            case Nonnegative():
                outside[rows] = np.maximum(-s[rows], 0.0)
            case _:
                outside[rows] = cone.violation(s[rows])
                allowed[rows] = tol * (np.abs(program.b[rows]) + abs(program.A[rows]) @ np.abs(x)).max()
    return outside, allowed


def _nearer(program: ConeProgram, x: Vector, outside: Vector) -> Vector:
    """Return the point next to x that meets all equations and the inequalities that x violates."""
    s = program.b - program.A @ x
    wrong = np.zeros(s.size, dtype=np.bool_)
    for cone, rows in program.parts():
        if isinstance(cone, Zero):
            wrong[rows] = True
        elif isinstance(cone, Nonnegative):
            wrong[rows] = outside[rows] > 0
    step = lsqr(csr_array(program.A)[wrong], s[wrong], atol=1e-15, btol=1e-15)[0] if wrong.any() else 0.0
    return np.asarray(x + step)


@dataclass(frozen=True, eq=False)
class Feasibility:
    """The oracle of a search: whether a point satisfies some rows of a program, by a solver whose answers are verified.

    Attributes
    ----------
    tol
        The residual within which a point satisfies rows.
    program
        The program, whose objective does not count.
    solver
        The solver that is asked; its answers are checked.

    Notes
    -----
    Arguments of the methods:

    kept
        Which rows of the program count, shape (rows of A,); the others are left out.
    x
        A point, shape (variables,).
    z
        Multipliers, shape (rows of A,), 0 for rows that are left out.
    rows
        Sets of row numbers.
    """

    program: ConeProgram
    solver: Solver
    tol: float

    def mask(self, rows: Iterable[Indices]) -> NDArray[np.bool_]:
        """Return which rows of the program are in one of these sets."""
        kept = np.zeros(self.program.b.size, dtype=np.bool_)
        for each in rows:
            kept[each] = True
        return kept

    def decide(self, kept: NDArray[np.bool_]) -> Verdict:
        """Find a point that satisfies the kept rows, or a proof that there is none."""
        origin = self.check(kept, np.zeros(self.program.q.size))
        if origin is not None:
            return origin
        part = restricted(self.program, kept)
        try:
            outcome = self.solver.solve(part, tol=self.tol)
        except SolverFailedError:
            outcome = None
        if outcome is not None:
            claimed = outcome.claim is Claim.INFEASIBLE
            found = self.prove(kept, outcome.multipliers) if claimed else self.check(kept, outcome.point)
            if found is not None:
                return found
        return self._by_relaxation(kept, part)

    def _by_relaxation(self, kept: NDArray[np.bool_], part: ConeProgram) -> Verdict:
        """Decide by the elastic relaxation of all rows, which always has a solution."""
        relaxed = elastic(part, units_of(part))
        try:
            outcome = self.solver.solve(relaxed.program, tol=self.tol)
        except SolverFailedError:
            return Verdict(None, None, None)
        point, multipliers = outcome.point[: relaxed.n], outcome.multipliers[: part.b.size]
        return self.check(kept, point) or self.prove(kept, multipliers) or Verdict(None, None, None)

    def check(self, kept: NDArray[np.bool_], x: Vector) -> Verdict | None:
        """Return the verdict that x, or a point next to it, satisfies the kept rows; None if neither does."""
        if not np.isfinite(x).all():
            return None
        part = restricted(self.program, kept)
        for candidate in (x, without_rounding(x)):
            nearby = candidate
            for _ in range(_REFINEMENTS):
                outside, allowed = violations(part, nearby, self.tol)
                if (outside <= allowed).all():
                    return Verdict(nearby, None, certify_cone_program(part, nearby, np.zeros(part.b.size)))
                nearby = _nearer(part, nearby, outside)
        return None

    def prove(self, kept: NDArray[np.bool_], z: Vector) -> Verdict | None:
        """Return the verdict that multipliers z prove that the kept rows contradict each other, or None.

        The multipliers are 0 where they can be; if only inequalities and equations take part, they form a circuit.
        """
        if not np.isfinite(z).all():
            return None
        # Of the rows kept alone: a repair may use any row that it is given.
        repaired, _ = repair_multipliers(restricted(self.program, kept), z)
        full, full_repaired = np.zeros((2, self.program.b.size))
        full[kept], full_repaired[kept] = z, repaired
        for candidate in (self._circuit(full), self._without_trifles(full), full_repaired):
            if candidate is None:
                continue
            used = self._units_used(candidate)
            certificate = certify_infeasibility(restricted(self.program, used), candidate[used])
            if certificate.holds(PROVED):
                return Verdict(None, candidate, certificate)
        return None

    def _weights(self, z: Vector) -> Vector:
        lengths = np.sqrt((self.program.A**2).sum(axis=1))
        return np.asarray(np.abs(z) * np.where(lengths > 0, lengths, np.abs(self.program.b)))

    def _without_trifles(self, z: Vector) -> Vector:
        weights = self._weights(z)
        return np.where(weights > _TRIFLE * weights.max(initial=0.0), z, 0.0)

    def _units_used(self, z: Vector) -> NDArray[np.bool_]:
        """Return the rows with a multiplier, and all rows of the cones that they belong to."""
        used: NDArray[np.bool_] = z != 0
        for cone, rows in self.program.parts():
            if not isinstance(cone, Zero | Nonnegative):
                used[rows] = used[rows].any()
        return used

    def _circuit(self, z: Vector) -> Vector | None:
        """Return multipliers of as few of these rows as it takes; None where other cones are among them."""
        used = self._without_trifles(z) != 0
        signs = np.zeros(z.size)
        for cone, rows in self.program.parts():
            if isinstance(cone, Nonnegative):
                signs[rows] = z[rows] > 0
            elif isinstance(cone, Zero):
                signs[rows] = np.sign(z[rows])
            elif used[rows].any():
                return None
        used &= signs != 0
        rows = csr_array(self.program.A)[used]
        (columns,) = np.nonzero(np.asarray((rows != 0).sum(axis=0)).ravel())
        weights = circuit(signs[used][:, None] * rows[:, columns].toarray(), signs[used] * self.program.b[used])
        if weights is None:
            return None
        proof = np.zeros(z.size)
        proof[used] = signs[used] * weights
        return proof
