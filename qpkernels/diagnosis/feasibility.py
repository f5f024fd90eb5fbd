# SPDX-License-Identifier: BSD-3-Clause
"""Whether a point satisfies some of the constraints of a program: a point, or Farkas multipliers, verified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import lsqr

from qpkernels.arrays import Indices, Vector
from qpkernels.diagnosis.circuits import circuit
from qpkernels.diagnosis.elastic import elastic, units_of
from qpkernels.errors import SolverFailedError
from qpkernels.problems import (
    PROVED,
    Block,
    Certificate,
    Cone,
    ConeProgram,
    Nonnegative,
    Zero,
    certify_cone_program,
    certify_infeasibility,
)
from qpkernels.solvers import Claim, Solver
from qpkernels.solvers.repair import repair_multipliers
from qpkernels.solvers.repair.answers import without_rounding

__all__ = ["Feasibility", "Verdict", "restricted", "violations"]

_REFINEMENTS = 4
"""Points tried next to one that a solver found."""

_SOLVER_ROUNDING = 1e-3
"""Share of the tolerance that the terms of an equation or inequality may leave in it."""

_TRIFLE = 1e-6
"""Weight of a row, its multiplier times its length, against the heaviest, below which it is tried to do without."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is proved of some rows; neither a point nor multipliers: nothing.

    Attributes
    ----------
    point
        x that satisfies them, shape (n,).
    multipliers
        Farkas multipliers that prove there is none, one for each row of the program, 0 for those not asked about.
    certificate
        How well that is proved.
    """

    point: Vector | None
    multipliers: Vector | None
    certificate: Certificate | None


def restricted(program: ConeProgram, kept: NDArray[np.bool_]) -> ConeProgram:
    """Return the feasibility problem of some rows, of whole cones where these are no equations or inequalities."""
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

    That is ``tol`` of the right-hand side and of the rounding that solvers leave in the terms of the row itself,
    whatever the size of other variables. A cone that is no equation or inequality counts as a whole.
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
    """The oracle of a search: which rows of a program a point satisfies, by a solver whose answers are verified.

    Attributes
    ----------
    tol
        Residual within which a point satisfies rows.
    program
        The program, whose objective does not count.
    solver
        Who is asked; its answers are checked.

    Notes
    -----
    Arguments of the methods:

    kept
        Which rows of the program count, shape (rows of A,); the others are left out.
    x
        A point, shape (variables,).
    z
        Multipliers, shape (rows of A,), 0 where rows are left out.
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
        """Find a point that satisfies the rows kept, or the proof that there is none."""
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
        """Return the verdict that x, or a point next to it, satisfies the rows kept; None where neither does."""
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
        """Return the verdict that multipliers z of the rows kept prove their contradiction, or None: they do not.

        The multipliers returned are 0 where they can be; those of inequalities and equations alone form a circuit.
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
