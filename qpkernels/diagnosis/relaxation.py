# SPDX-License-Identifier: BSD-3-Clause
"""The smallest total slack that makes constraints satisfiable, with a proof that no smaller one does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from qpkernels.arrays import Vector, check_tolerance
from qpkernels.diagnosis.conflict import Group, groups_of
from qpkernels.diagnosis.feasibility import Elastic, Feasibility, Unit, elastic, units_of
from qpkernels.errors import InfeasibleError, ParameterError, SolverFailedError
from qpkernels.problems import Certificate, ConeProgram, Exponential, Nonnegative, Power, Zero, certify_cone_program
from qpkernels.solvers import Claim, Outcome, Solver, SolverLike, find_solver
from qpkernels.solvers.repair import repair
from qpkernels.solvers.repair.answers import without_rounding
from qpkernels.solvers.repair.proofs import repair_multipliers

__all__ = ["Concession", "Relaxation", "find_relaxation"]

_SECOND = 1e-4
"""Share of the tolerance that a solver is asked for where its first answer is no proof."""

_SHOWN = 1e-6
"""Slack, against the largest, below which a constraint is not said to give way."""


@dataclass(frozen=True)
class Concession:
    """The amount by which one constraint, or one row of it, gives way, in the unit of the constraint.

    Attributes
    ----------
    name, row
        The constraint and the row within it; None if it gives way as a whole.
    amount
        Its slack, above 0.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> form = SoftMargin([[0.0], [1.0]], [-1, 1]).primal
    >>> both = form.extend((form.w >= 3).set_label("large"), (form.w <= 1).set_label("small"))
    >>> print([f"{each.name} by {each.amount:.3f}" for each in both.relaxation().concessions])
    ["'small' by 1.000", "'large' by 1.000"]
    """

    name: str
    row: int | None
    amount: float

    def __str__(self) -> str:
        place = self.name if self.row is None else f"row {self.row} of {self.name}"
        return f"{place} by {self.amount:.6g}"


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The smallest amount by which constraints must give way: the optimum of the elastic relaxation.

    Attributes
    ----------
    concessions
        The constraints that give way, with their slacks, the largest first.
    total
        The sum of all slacks; 0 if a point satisfies everything without slack.
    lower_bound
        The dual value: no slacks with a smaller sum make the constraints satisfiable.
    point
        A point that satisfies the constraints with these slacks, shape (n,).
    certificate
        The certificate of both.
    tol
        The tolerance that was asked for.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> form = SoftMargin([[0.0], [1.0]], [-1, 1]).primal
    >>> both = form.extend((form.w >= 3).set_label("large"), (form.w <= 1).set_label("small"))
    >>> print(f"{both.relaxation().total:.3f}", both.relaxation().is_proved)
    2.000 True
    """

    concessions: tuple[Concession, ...]
    total: float
    lower_bound: float
    point: Vector = field(repr=False)
    certificate: Certificate
    tol: float

    @property
    def is_proved(self) -> bool:
        """Whether the certificate holds at ``tol``."""
        return self.certificate.holds(self.tol)

    def __str__(self) -> str:
        if not self.concessions:
            return "the constraints are satisfiable as they are"
        least = (
            f"no less than {self.lower_bound:.6g} would do" if self.is_proved else "whether less would do is unproved"
        )
        listed = "; ".join(map(str, self.concessions[:8])) + ("; ..." if len(self.concessions) > 8 else "")
        return f"the constraints are satisfiable if they give way by {self.total:.6g} in all, and {least}: {listed}"


def find_relaxation(
    program: ConeProgram,
    groups: Sequence[Group] | None = None,
    *,
    relaxed: Collection[int] | None = None,
    solver: SolverLike = "clarabel",
    tol: float = 1e-6,
) -> Relaxation:
    """Return the smallest total slack of constraints with which a point satisfies all of them.

    Parameters
    ----------
    program
        The program, whose objective is not used.
    groups
        The constraints; None stands for the blocks of rows. Rows outside of all groups do not give way.
    relaxed
        The numbers of the constraints that may give way; None allows all.
    solver
        The name of a solver that takes the cones of the program.
    tol
        The relative gap and the residuals that the certificate must reach.

    Raises
    ------
    InfeasibleError
        If the constraints that do not give way contradict each other.
    SolverFailedError
        If the solver gives no answer.

    Examples
    --------
    >>> from formulations import HardMargin
    >>> from qpkernels.diagnosis import find_relaxation
    >>> program = HardMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]).primal.lower().program
    >>> relaxation = find_relaxation(program)
    >>> print(relaxation.is_proved, f"a slack of {relaxation.total:.3f} in all")
    True a slack of 2.667 in all
    """
    check_tolerance(tol)
    groups = groups_of(program) if groups is None else tuple(groups)
    chosen = range(len(groups)) if relaxed is None else sorted(relaxed)
    if not all(0 <= number < len(groups) for number in chosen):
        raise ParameterError(f"the constraints have numbers from 0 to {len(groups) - 1}, but {list(chosen)} came.")
    owner = np.full(program.b.size, -1)
    for number in chosen:
        owner[groups[number].rows] = number
    units = tuple(unit for unit in units_of(program) if owner[unit.rows[0]] >= 0)
    backend = find_solver(solver)
    # Without slacks the program is one of feasibility, whose rows are judged in their own terms.
    verdict = Feasibility(program, backend, tol).decide(np.ones(program.b.size, dtype=np.bool_))
    if verdict.point is not None and verdict.certificate is not None:
        return Relaxation((), 0.0, 0.0, verdict.point, verdict.certificate, tol)
    soft = elastic(program, units)
    point, certificate = _solved(program, soft, units, backend, tol)
    slacks = np.zeros(len(units))
    np.add.at(slacks, soft.owner, point[soft.n :])
    shown = [k for k in np.argsort(-slacks, kind="stable") if slacks[k] > _SHOWN * slacks.max(initial=0.0)]
    concessions = tuple(_concession(groups[owner[units[k].rows[0]]], units[k], float(slacks[k])) for k in shown)
    lower = max(0.0, certificate.dual_value)
    return Relaxation(concessions, float(slacks.sum()), lower, point[: soft.n], certificate, tol)


def _concession(group: Group, unit: Unit, amount: float) -> Concession:
    whole = group.rows.size == unit.rows.size
    return Concession(group.name, None if whole else int(np.flatnonzero(group.rows == unit.rows[0])[0]), amount)


def _solved(
    program: ConeProgram, soft: Elastic, units: tuple[Unit, ...], solver: Solver, tol: float
) -> tuple[Vector, Certificate]:
    """Return the optimum of the relaxation; a second time, to more digits, where the first is no proof."""
    for accuracy in (tol, _SECOND * tol):
        outcome = solver.solve(soft.program, tol=accuracy)
        if outcome.claim is Claim.INFEASIBLE:
            hard = Feasibility(soft.program, solver, tol)
            proof = hard.prove(np.ones(soft.program.b.size, dtype=np.bool_), outcome.multipliers)
            if proof is not None and proof.certificate is not None:
                raise InfeasibleError(
                    f"the constraints of {program.name} that do not give way contradict each other "
                    f"({proof.certificate.worst}); let more of them give way.",
                    proof.certificate,
                    proof.multipliers,
                )
        if not (np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all()):
            raise SolverFailedError(
                f"solver {solver.name!r} says {outcome.message!r} of the {soft.program.name}; try another solver."
            )
        point, certificate = _best(program, soft, units, outcome, tol)
        if certificate.holds(tol):
            break
    return point, certificate


def _best(
    program: ConeProgram, soft: Elastic, units: tuple[Unit, ...], outcome: Outcome, tol: float
) -> tuple[Vector, Certificate]:
    """Return the point with slacks as small as x allows, and the better proof of the two that its multipliers give."""
    x = outcome.point[: soft.n]
    for z in (_farkas(program, soft, outcome.multipliers), outcome.multipliers):
        for each in (x, without_rounding(x)):
            completed = np.append(each, _completed(program, soft, units, np.append(each, outcome.point[soft.n :])))
            certificate = certify_cone_program(soft.program, completed, z)
            if certificate.holds(tol):
                return completed, certificate
    repaired = repair(soft.program, outcome.point, outcome.multipliers, tol)
    return repaired.point, repaired.certificate


def _farkas(program: ConeProgram, soft: Elastic, multipliers: Vector) -> Vector:
    """Return the multipliers of the relaxation made exact: Farkas multipliers z of ``program``, as large as may be.

    With A'z = 0, any multiple of z is feasible in the dual of the relaxation whose E'z is at most 1.
    """
    z, _ = repair_multipliers(program, multipliers[: program.b.size])
    pull = -(soft.program.A[: program.b.size, soft.n :].T @ z)
    largest = float(pull.max(initial=0.0))
    factor = 1.0 / largest if largest > 0 else 0.0
    return np.concatenate([factor * z, 1.0 - factor * pull])


def _completed(program: ConeProgram, soft: Elastic, units: tuple[Unit, ...], point: Vector) -> Vector:
    """Return the least slacks that the point needs; those of cones without a formula for them stay."""
    s = program.b - program.A @ point[: soft.n]
    slacks = point[soft.n :].copy()
    for number, unit in enumerate(units):
        own = np.flatnonzero(soft.owner == number)
        rest = s[unit.rows]
        match unit.cone:
            case Zero():
                # Ax = b + t+ - t-.
                slacks[own] = np.maximum(0.0, [-rest[0], rest[0]])
            case Nonnegative():
                slacks[own] = max(0.0, -float(rest[0]))
            case Exponential() | Power():
                slacks[own] = np.maximum(slacks[own], 0.0)
            case _:
                slacks[own] = unit.cone.violation(rest)
    return slacks
