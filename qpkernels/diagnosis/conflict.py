# SPDX-License-Identifier: BSD-3-Clause
r"""The irreducible infeasible subset (IIS): contradicting constraints, none of which can be left out.

A deletion filter leaves out one constraint at a time, and drops it for good if the others still contradict each other.
It starts from the support of Farkas multipliers and continues with the support of every new proof, so that it asks
about few constraints. Each subset that it finds is verified by Farkas multipliers for the subset and, for each member,
a point that satisfies all others. Source: Chinneck and Dravnieks (1991), ORSA Journal on Computing 3(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector, check_tolerance
from qpkernels.diagnosis.feasibility import Feasibility, Verdict, units_of
from qpkernels.errors import NoProofError, SolverFailedError
from qpkernels.problems import Certificate, ConeProgram
from qpkernels.solvers import SolverLike, find_solver

if TYPE_CHECKING:
    from qpkernels.files.proofs import Proof

__all__ = ["Conflict", "Group", "Member", "find_conflict", "groups_of"]

_SHOWN = 8
"""Rows of one constraint that are listed in words."""


@dataclass(frozen=True, eq=False)
class Group:
    """Rows that are kept or left out together: a constraint, and rows that only serve it.

    Attributes
    ----------
    name
        The name of the constraint.
    rows
        The rows of the constraint itself.
    auxiliary
        The rows that define terms of the constraint, such as t >= ||x|| if it is t <= 1.

    Examples
    --------
    >>> from formulations import HardMargin
    >>> from qpkernels.diagnosis.conflict import groups_of
    >>> program = HardMargin([[0.0], [1.0]], [-1, 1]).primal.lower().program
    >>> print([(group.name, group.rows.tolist()) for group in groups_of(program)])
    [('margin', [0, 1])]
    """

    name: str
    rows: Indices
    auxiliary: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    @property
    def all_rows(self) -> Indices:
        """All rows of the group."""
        return np.concatenate([self.rows, self.auxiliary])


@dataclass(frozen=True, eq=False)
class Member:
    """A constraint of an irreducible infeasible subset.

    Attributes
    ----------
    group
        The constraint.
    rows
        The numbers of its rows in the subset, within the constraint; these are irreducible as well.
    point
        A point that satisfies all other constraints of the subset; None if neither such a point nor a proof that there
        is none was found.
    row_points
        The same for each part of the constraint that can be left out, a row or a whole cone; the points satisfy the
        other rows of the subset.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> form = SoftMargin([[0.0], [1.0]], [-1, 1]).primal
    >>> both = form.extend((form.w >= 3).set_label("large"), (form.w <= 1).set_label("small"))
    >>> print([(member.group.name, member.rows.tolist()) for member in both.conflict().members])
    [("'large'", [0]), ("'small'", [0])]
    """

    group: Group
    rows: Indices
    point: Vector | None
    row_points: tuple[Vector | None, ...]

    def __str__(self) -> str:
        if self.rows.size in (0, self.group.rows.size):
            return self.group.name
        shown = ", ".join(map(str, self.rows[:_SHOWN])) + (", ..." if self.rows.size > _SHOWN else "")
        return f"row{'s' if self.rows.size > 1 else ''} {shown} of {self.group.name}"


@dataclass(frozen=True, eq=False)
class Conflict:
    """An irreducible infeasible subset of the constraints of a program, with its proof.

    Attributes
    ----------
    members
        The constraints, with their rows in the subset.
    multipliers
        Farkas multipliers of all rows of the program, 0 outside of the subset.
    certificate
        The certificate that the rows of the subset contradict each other.
    program
        The program that was asked about.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> form = SoftMargin([[0.0], [1.0]], [-1, 1]).primal
    >>> both = form.extend((form.w >= 3).set_label("large"), (form.w <= 1).set_label("small"))
    >>> conflict = both.conflict()
    >>> print(conflict.names, conflict.is_irreducible)
    ("'large'", "'small'") True
    """

    members: tuple[Member, ...]
    multipliers: Vector = field(repr=False)
    certificate: Certificate
    program: ConeProgram = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the constraints in the subset."""
        return tuple(member.group.name for member in self.members)

    @property
    def is_irreducible(self) -> bool:
        """Whether a verified point satisfies all others for each constraint and for each row."""
        return all(point is not None for member in self.members for point in (member.point, *member.row_points))

    def prove(self, path: str | Path | None = None) -> Proof:
        """Return the proof in exact arithmetic that the constraints contradict each other, for any reader to check.

        Where each row of the subset stands for itself, the proof also holds a point without each of them, and so says
        that the subset is irreducible. The program is that of the matrices in float64.

        Parameters
        ----------
        path
            Where to write it as well.

        Raises
        ------
        NoProofError
            If the constraints have other cones than equations, inequalities and norms, or rounding hides the proof.

        Examples
        --------
        >>> from formulations import HardMargin
        >>> conflict = HardMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]).primal.conflict()
        >>> print(conflict.prove().check()[-1])
        PROVED: there is no solution
        """
        from qpkernels.files.proofs import prove_infeasible  # few conflicts are proved, and it takes its time to import

        words = f"the constraints of {self.program.name}: {self}"
        try:
            proof = prove_infeasible(self.program, self.multipliers, words, self._points_of_rows())
        except NoProofError:
            proof = prove_infeasible(self.program, self.multipliers, words)
        if path is not None:
            proof.write(path)
        return proof

    def _points_of_rows(self) -> dict[int, Vector] | None:
        """Return a point without each row of the subset; None where a row is part of a cone, or serves others."""
        points: dict[int, Vector] = {}
        for member in self.members:
            rows = member.group.rows[member.rows]
            if rows.size != len(member.row_points):
                return None
            points.update((row, x) for row, x in zip(rows.tolist(), member.row_points, strict=True) if x is not None)
        return points if points.keys() == set(np.flatnonzero(self.multipliers).tolist()) else None

    def __str__(self) -> str:
        *others, last = map(str, self.members)
        named = f"{', '.join(others)} and {last}" if others else last
        alone = not others and len(self.members[0].row_points) < 2
        spared = "nothing satisfies it" if alone else "leave out any one, and a point satisfies the rest"
        ending = spared if self.is_irreducible else "whether all of it is needed was not settled"
        verb = "contradicts itself" if alone else "contradict each other"
        return f"{named} {verb} (proved to {self.certificate.dual_residual:.1e}); {ending}"


def groups_of(program: ConeProgram) -> tuple[Group, ...]:
    """Return each block of rows as a group of its own.

    Parameters
    ----------
    program
        The program, whose blocks name its rows.

    Examples
    --------
    >>> from formulations import HardMargin
    >>> from qpkernels.diagnosis.conflict import groups_of
    >>> program = HardMargin([[0.0], [1.0]], [-1, 1]).primal.lower().program
    >>> print([group.name for group in groups_of(program)])
    ['margin']
    """
    return tuple(Group(block.name, np.arange(block.start, block.stop)) for block in program.rows)


def find_conflict(
    program: ConeProgram, groups: Sequence[Group] | None = None, *, solver: SolverLike = "clarabel", tol: float = 1e-6
) -> Conflict | None:
    """Return an irreducible infeasible subset of the constraints, or None if a point satisfies them all.

    First constraints are left out until each is needed, then rows of these constraints. Other such subsets may exist.

    Parameters
    ----------
    program
        The program, whose objective is not used.
    groups
        The constraints, each left out or kept as a whole; they cover all rows. None stands for the blocks of rows.
    solver
        The name of a solver that takes the cones of the program.
    tol
        The residual within which points and proofs count.

    Raises
    ------
    SolverFailedError
        If neither a point nor a proof is found.

    Examples
    --------
    >>> from formulations import HardMargin
    >>> from qpkernels.diagnosis import find_conflict
    >>> program = HardMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]).primal.lower().program
    >>> conflict = find_conflict(program)
    >>> print(conflict.is_irreducible, conflict.names, conflict.members[0].rows)
    True ('margin',) [0 1 2]
    """
    oracle = Feasibility(program, find_solver(solver), check_tolerance(tol))
    groups = groups_of(program) if groups is None else tuple(groups)
    verdict = oracle.decide(np.ones(program.b.size, dtype=np.bool_))
    if verdict.point is not None:
        return None
    if verdict.multipliers is None:
        raise SolverFailedError(
            f"solver {solver!r} found neither a point that satisfies the constraints of {program.name} to {tol:g}, nor "
            "the proof that there is none; try another solver, or a larger tol."
        )
    none = np.zeros(program.b.size, dtype=np.bool_)
    whole = _filter(oracle, [group.all_rows for group in groups], none, verdict)
    kept = [groups[number] for number in whole.kept]
    base = oracle.mask(group.auxiliary for group in kept)
    owner = np.full(program.b.size, -1)
    for number, group in enumerate(kept):
        owner[group.rows] = number
    parts = [unit.rows for unit in units_of(program) if owner[unit.rows[0]] >= 0]
    single = _filter(oracle, parts, base, whole.verdict)
    assert single.verdict.multipliers is not None
    assert single.verdict.certificate is not None
    members = []
    for number, (group, point) in enumerate(zip(kept, whole.points, strict=True)):
        own = [k for k, part in enumerate(single.kept) if owner[parts[part][0]] == number]
        rows = oracle.mask(parts[single.kept[k]] for k in own)[group.rows]
        members.append(Member(group, np.flatnonzero(rows), point, tuple(single.points[k] for k in own)))
    return Conflict(tuple(members), single.verdict.multipliers, single.verdict.certificate, program)


@dataclass(frozen=True, eq=False)
class _Filtered:
    """Which sets of rows are left, a point without each of them, and the proof that they contradict each other."""

    kept: list[int]
    points: list[Vector | None]
    verdict: Verdict


def _filter(oracle: Feasibility, sets: list[Indices], base: NDArray[np.bool_], verdict: Verdict) -> _Filtered:
    """Leave out sets of rows until each is needed in addition to the rows of ``base``."""

    def used(proof: Verdict) -> set[int]:
        assert proof.multipliers is not None
        return {number for number in range(len(sets)) if proof.multipliers[sets[number]].any()}

    kept, points = used(verdict), dict[int, Vector | None]()
    while untried := sorted(kept - points.keys(), key=lambda number: -sets[number].size):
        candidate = untried[0]
        rows = oracle.mask(sets[number] for number in kept - {candidate}) | base
        without = oracle.decide(rows)
        if without.multipliers is None:
            points[candidate] = without.point
        else:
            # What was needed before is needed still, however small its multiplier.
            kept = (used(without) | points.keys()) - {candidate}
            verdict = without
    numbers, proved = sorted(kept), used(verdict)
    # A point without a set of no weight in the proof contradicts the proof: both are true to their tolerance only.
    return _Filtered(numbers, [points[number] if number in proved else None for number in numbers], verdict)
