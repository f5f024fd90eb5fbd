# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs in the vocabulary of portable proofs, and answers that satisfy their constraints exactly.

Rows with one coefficient become bounds of variables, which are quotients. An answer is moved inside by rounding errors,
as an enclosure does it, and brought onto the equations in rational arithmetic: the point onto Ax = b, and the
multipliers onto Py + q + A'z = 0 for the variables without bounds. The y_j of a variable that occurs in P by its square
alone is the minimiser of the Lagrangian.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array, hstack

import proofcheck
from qpkernels.arrays import Vector
from qpkernels.arrays.exact_algebra import exact_point, near_factor
from qpkernels.arrays.exact_text import exact_text, exact_texts, triangle_texts
from qpkernels.errors import NoProofError
from qpkernels.files.proofs.document import JSON, Proof, downward, upward
from qpkernels.problems import Block, ConeProgram
from qpkernels.problems.cone_program.enclosure import Bounded, Constraints, dual_points, room_of
from qpkernels.problems.cones import Cone, Nonnegative, SecondOrder, Zero

__all__ = ["CONES", "prove_cone_program", "prove_infeasible"]

_KINDS: Mapping[type[Cone], str] = {Zero: "zero", Nonnegative: "nonnegative", SecondOrder: "second-order"}

CONES = tuple(_KINDS)
"""The cones that a portable proof has words for."""

_LARGEST_BLOCK = 1500
"""Coupled variables up to which the factor of P is written: checking it takes minutes then."""

End = Fraction | float
"""A bound of a variable: a rational number, or an infinity."""


def prove_cone_program(program: ConeProgram, x: Vector, z: Vector, words: str) -> Proof:
    """Return the proof of the interval that a point and its multipliers give.

    Parameters
    ----------
    program
        A program with equations, inequalities and second-order cones.
    x, z
        A point and its multipliers, nearly optimal; shapes (n,) and (rows,).
    words
        The problem as its users write it.

    Raises
    ------
    NoProofError
        If the program has other cones, or if no point near by proves anything.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.files.proofs import prove_cone_program
    >>> from qpkernels.solvers import find_solver
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).primal.lower().program
    >>> answer = find_solver("clarabel").solve(program, tol=1e-10)
    >>> proof = prove_cone_program(program, answer.point, answer.multipliers, "a soft margin")
    >>> print(proof.lower <= 0.5 <= proof.upper, proof.digits >= 6)
    True True
    """
    stated = _Stated.of(program)
    factor = stated.factor
    point = stated.feasible(x)
    if point is None:
        raise NoProofError(
            f"{words}: no point near the answer is found that satisfies all constraints exactly. Solve it to a smaller "
            "tol, and prove that answer."
        )
    dual = stated.dual(x, z)
    if dual is None:
        raise NoProofError(
            f"{words}: no multipliers near those of the answer are found that are dual feasible exactly. Solve it to a "
            "smaller tol, and prove that answer."
        )
    answer = {"x": exact_texts(point), "y": exact_texts(dual[0]), "z": exact_texts(dual[1]), **factor}
    return Proof.of_interval(words, stated.statement, answer)


def prove_infeasible(program: ConeProgram, z: Vector, words: str, spared: Mapping[int, Vector] | None = None) -> Proof:
    """Return the proof that no point satisfies the constraints of a program.

    Parameters
    ----------
    program
        A program with equations, inequalities and second-order cones.
    z
        Multipliers with A'z = 0 nearly, and b'z < 0; shape (rows,).
    words
        The problem as its users write it.
    spared
        A point for each row that z uses, which nearly satisfies the others of these rows. The proof then says that the
        rows are irreducible: no one of them can be left out.

    Raises
    ------
    NoProofError
        If the program has other cones, if no multipliers near z prove it, or if a point cannot be moved to where it
        satisfies the other rows exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import HardMargin
    >>> from qpkernels.files.proofs import prove_infeasible
    >>> program = HardMargin([[0.0], [1.0], [1.0]], [-1, -1, 1]).primal.lower().program
    >>> proof = prove_infeasible(program, np.array([0.0, 1.0, 1.0]), "a sample in both classes")
    >>> print(proof.check()[-1])
    PROVED: there is no solution
    """
    stated = _Stated.of(program, with_bounds=spared is None)
    claim: dict[str, Any] = {"kind": "infeasible"}
    if spared is not None:
        claim["irreducible"] = [[row, exact_texts(stated.without(row, z, point))] for row, point in spared.items()]
    multipliers = stated.farkas(z / (float(np.abs(z).max(initial=0.0)) or 1.0), spared)
    if multipliers is None:
        raise NoProofError(
            f"{words}: no multipliers near those of the answer are found that prove the contradiction exactly."
        )
    answer = {"y": exact_texts(np.zeros(program.q.size)), "z": exact_texts(multipliers)}
    proof = Proof(words, stated.statement, answer, claim)
    proof.check()
    return proof


@dataclass(frozen=True, eq=False)
class _Stated:
    """A program as a proof states it: rows, and bounds of its variables.

    Attributes
    ----------
    bounded
        The program, with its bounds as floats.
    lower, upper
        The bounds exactly.
    """

    bounded: Bounded
    lower: list[End]
    upper: list[End]

    @classmethod
    def of(cls, program: ConeProgram, *, with_bounds: bool = True) -> _Stated:
        """Return a program with rows of one coefficient as bounds, or, where they are to stay rows, without bounds."""
        other = sorted({type(cone).__name__ for cone in program.cones if not isinstance(cone, CONES)})
        if other:
            raise NoProofError(
                f"a portable proof has no words for cones of kind {', '.join(other)}: it knows equations, inequalities "
                "and second-order cones."
            )
        n = program.q.size
        lower: list[End] = [-inf] * n
        upper: list[End] = [inf] * n
        if not with_bounds:
            every, none = np.ones(program.b.size, dtype=np.bool_), np.full(n, inf)
            return cls(
                Bounded(program, csr_array(program.A), program.b, program.cones, every, -none, none), lower, upper
            )
        bounded, A = Bounded.of(program), csr_array(program.A, copy=True)
        A.eliminate_zeros()
        equations = Constraints.of(program).equations
        for row in np.flatnonzero(~bounded.rows).tolist():
            j, a = int(A.indices[A.indptr[row]]), Fraction(float(A.data[A.indptr[row]]))
            end = Fraction(float(program.b[row])) / a
            if a > 0 or equations[row]:
                upper[j] = min(upper[j], end)
            if a < 0 or equations[row]:
                lower[j] = max(lower[j], end)
        return cls(bounded, lower, upper)

    @property
    def program(self) -> ConeProgram:
        return self.bounded.program

    @cached_property
    def cones(self) -> list[list[Any]]:
        return [[_KINDS[type(cone)], cone.size] for cone in self.bounded.cones]

    @cached_property
    def statement(self) -> JSON:
        """Return the statement of the proof."""
        return {
            "problem": "cone-program",
            "variables": self.program.q.size,
            "constraints": self.bounded.b.size,
            "P": _symmetric(self.program.P),
            "A": _texts(self.bounded.A),
            "q": exact_texts(self.program.q),
            "h": exact_texts(self.bounded.b),
            "offset": exact_text(self.program.offset),
            "lower": exact_texts(self.lower),
            "upper": exact_texts(self.upper),
            "cones": self.cones,
        }

    @property
    def factor(self) -> JSON:
        """Return the rows of a triangle near the Cholesky factor of P; nothing where P is diagonal."""
        P = csr_array(self.program.P)
        coupled = np.flatnonzero(abs(P).sum(axis=1) > np.abs(P.diagonal()))
        if not coupled.size:
            return {}
        if coupled.size > _LARGEST_BLOCK:
            raise NoProofError(
                f"P couples {coupled.size} variables of {self.program.name}, and a factor is checked of up to "
                f"{_LARGEST_BLOCK}. If it is a kernel machine, prove the model, whose kernel values are computed anew."
            )
        G = np.diag(np.sqrt(np.maximum(P.diagonal(), 0.0)))
        block = P[coupled][:, coupled].toarray()
        G[np.ix_(coupled, coupled)] = near_factor(0.5 * (block + block.T))
        return {"factor": triangle_texts(G)}

    @cached_property
    def matrices(self) -> tuple[proofcheck.Matrix, proofcheck.Matrix, proofcheck.Matrix]:
        """Return P, A and A' as the checker reads them."""
        n, m, said = self.program.q.size, self.bounded.b.size, self.statement
        return proofcheck.entries(said["P"], n, n, "P")[0], *proofcheck.entries(said["A"], m, n, "A")

    def is_inside(self, x: list[Fraction], rows: NDArray[np.bool_] | None = None) -> bool:
        """Return whether a point is within all bounds and, in the rows asked about, the cones."""
        if not all(low <= value <= high for low, value, high in zip(self.lower, x, self.upper, strict=True)):
            return False
        asked = np.arange(self.bounded.b.size) if rows is None else np.flatnonzero(rows)
        Ax = proofcheck.product([self.matrices[1][i] for i in asked.tolist()], x)
        left = [Fraction(0)] * self.bounded.b.size
        for i, value in zip(asked.tolist(), Ax, strict=True):
            left[i] = Fraction(float(self.bounded.b[i])) - value
        return _holds(left, self.cones, dual=False)

    def feasible(self, x: Vector) -> list[Fraction] | None:
        """Return a point near x that satisfies all constraints exactly; None where none is found."""
        return self._moved(Constraints.of(self.program), x)

    def _moved(
        self, constraints: Constraints, x: Vector, rows: NDArray[np.bool_] | None = None
    ) -> list[Fraction] | None:
        """Return a point near x that satisfies ``constraints``: these rows of the program."""
        rows_of_equations = constraints.A[constraints.equations], constraints.program.b[constraints.equations]
        room = room_of(x)
        for near in constraints.candidates(x):
            inside = [
                _clipped(Fraction(value), low, high)
                for value, low, high in zip(near.tolist(), self.lower, self.upper, strict=True)
            ]
            # An entry at a bound stays there.
            reach = [
                float(min(value - low, high - value))
                for low, value, high in zip(self.lower, inside, self.upper, strict=True)
            ]
            point = exact_point(*rows_of_equations, inside, np.minimum(room, reach))
            if point is not None and self.is_inside(point, rows):
                return point
        return None

    def without(self, row: int, z: Vector, x: Vector) -> list[Fraction]:
        """Return a point near x that satisfies the rows which z uses, except for one."""
        used, program = z != 0, self.program
        used[row] = False
        (kept,) = np.nonzero(used)
        cones = tuple(Zero(1) if zero else Nonnegative(1) for zero in Constraints.of(program).equations[kept])
        A, rows = csc_array(csr_array(program.A)[kept]), (Block("rows", 0, kept.size),)
        part = ConeProgram(program.P, program.q, A, program.b[kept], cones, program.variables, rows)
        point = self._moved(Constraints.of(part), x, used)
        if point is None:
            raise NoProofError(f"no point near that of row {row} is found that satisfies the other rows exactly.")
        return point

    def dual(self, x: Vector, z: Vector) -> tuple[list[Fraction], list[Fraction]] | None:
        """Return (y, z) near (x, z) that are dual feasible exactly; None where none are found."""
        if not self.program.P.nnz and not self.program.q.any():
            z = np.zeros_like(z)
        found = (self._exactly_dual(*each) for each in dual_points(self.bounded, x, z))
        return next((each for each in found if each is not None), None)

    def farkas(self, z: Vector, used: Collection[int] | None) -> list[Fraction] | None:
        """Return multipliers near z of a contradiction, which use these rows alone; None where none are found."""
        program = self.program
        nothing = csc_array(program.P.shape)
        still = replace(self, bounded=replace(self.bounded, program=replace(program, P=nothing, q=0.0 * program.q)))
        support = np.concatenate([np.zeros(program.q.size), z[self.bounded.rows]]) != 0
        for point, room in dual_points(still.bounded, np.zeros(program.q.size), z):
            found = still._exactly_dual(point, np.where(support, room, 0.0))
            if found is not None and (used is None or {i for i, v in enumerate(found[1]) if v} == set(used)):
                return found[1]
        return None

    def _exactly_dual(self, point: Vector, room: Vector) -> tuple[list[Fraction], list[Fraction]] | None:
        bounded, n = self.bounded, self.program.q.size
        P, _, At = self.matrices
        free = np.isneginf(bounded.lower) & np.isposinf(bounded.upper) & ~bounded.alone
        M = csr_array(csr_array(hstack([csr_array(self.program.P), bounded.A.T]))[free])
        moved = exact_point(M, -self.program.q[free], list(map(Fraction, point.tolist())), room)
        if moved is None or not _holds(moved[n:], self.cones, dual=True):
            return None
        y, z = moved[:n], moved[n:]
        slopes = [Fraction(q) + g for q, g in zip(self.program.q.tolist(), proofcheck.product(At, z), strict=True)]
        for j in np.flatnonzero(bounded.alone).tolist():
            y[j] = _minimiser(slopes[j], P[j][j], self.lower[j], self.upper[j])
        for slope, curved, low, high in zip(slopes, proofcheck.product(P, y), self.lower, self.upper, strict=True):
            end = low if slope + curved > 0 else high
            if slope + curved and abs(end) == inf:
                return None
        return y, z


def _holds(s: list[Fraction], cones: list[list[Any]], *, dual: bool) -> bool:
    try:
        proofcheck.inside(s, cones, "a point", dual)
    except proofcheck.FailedError:
        return False
    return True


def _clipped(value: Fraction, low: End, high: End) -> Fraction:
    # A rational number is at no infinite end.
    return Fraction(min(max(value, low), high))


def _minimiser(slope: Fraction, curvature: Fraction, low: End, high: End) -> Fraction:
    """Minimise slope y + curvature y^2 / 2 over an interval, rounded so that a bound takes the slope."""
    least = _clipped(-slope / curvature, low, high)
    if low == -inf and high == inf:
        return least
    return Fraction(upward(least) if high == inf else downward(least))


def _triples(M: Any) -> Iterator[tuple[int, int, float]]:
    entries = coo_array(M)
    return zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True)


def _symmetric(P: csc_array) -> list[list[Any]]:
    """Return the entries of 1/2 (P + P'), which are those of P where it is symmetric."""
    if not abs(P - P.T).sum():
        return _texts(P)
    values = {(i, j): Fraction(value) for i, j, value in _triples(P)}
    places = dict.fromkeys(place for i, j in values for place in ((i, j), (j, i)))
    zero = Fraction(0)
    return [[i, j, exact_text((values.get((i, j), zero) + values.get((j, i), zero)) / 2)] for i, j in places]


def _texts(M: Any) -> list[list[Any]]:
    return [[i, j, exact_text(value)] for i, j, value in _triples(M)]
