# SPDX-License-Identifier: BSD-3-Clause
"""Why a declared problem has no solution, in terms of its constraints."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array
from scipy.sparse.csgraph import connected_components

import formulations.modelling.cvx as cp
from formulations.modelling.lowering import Lowered
from qpkernels.arrays import Indices, Vector, shown
from qpkernels.diagnosis import Conflict, Feasibility, Group, Ray, Relaxation, Verdict, find_conflict, find_relaxation
from qpkernels.errors import ParameterError
from qpkernels.problems import Block, Certificate, certify_infeasibility
from qpkernels.problems.certificate import PROVED
from qpkernels.solvers import Claim, Outcome, Solver, SolverLike, find_solver

__all__ = [
    "Contradiction",
    "conflict_of",
    "declared_groups",
    "is_helper",
    "name_of",
    "proof_of",
    "relaxation_of",
]

_POINT_TOLERANCE = 1e-6
"""Residual within which a point counts as feasible, for a ray to start from."""

_LONGEST = 60
"""Letters of a constraint without a label that are shown."""

_TRIFLE = 1e-6
"""Multiplier, against the largest, whose constraint is not named."""


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Farkas multipliers that prove that no point satisfies the constraints, and the constraints that they weigh."""

    certificate: Certificate
    multipliers: Vector
    groups: tuple[Group, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The usual names of the constraints."""
        return tuple(group.name for group in self.groups)

    def among(self, rows: Indices) -> bool:
        """Return whether they weigh only some of these rows, and constraints that serve only these."""
        return all(group.rows.size > 0 and bool(np.isin(group.rows, rows).all()) for group in self.groups)


def conflict_of(lowered: Lowered, solver: SolverLike, tol: float) -> Conflict | None:
    """Return an irreducible infeasible subset of the declared constraints, or None if a point satisfies them all."""
    return find_conflict(lowered.program, declared_groups(lowered), solver=solver, tol=tol)


def relaxation_of(lowered: Lowered, labels: Collection[str], added: int, solver: SolverLike, tol: float) -> Relaxation:
    """Return the smallest total slack of declared constraints that makes them all satisfiable.

    Parameters
    ----------
    labels
        Labels of the constraints that may give way; by default the last ``added`` constraints, or all if that is 0.

    Raises
    ------
    ParameterError
        If no constraint has one of the labels.
    """
    constraints = lowered.problem.constraints
    names = [constraint.label or f"constraint {k}" for k, constraint in enumerate(constraints, start=1)]
    if unknown := [label for label in labels if not isinstance(label, str) or label not in names]:
        raise ParameterError(
            f"no constraint is labelled {shown(unknown[0])}; the labels are {', '.join(map(repr, names))}."
        )
    chosen = range(len(names) - added if added else 0, len(names))
    yielding = [k for k, name in enumerate(names) if name in labels] if labels else chosen
    return find_relaxation(lowered.program, declared_groups(lowered), relaxed=yielding, solver=solver, tol=tol)


def proof_of(outcome: Outcome, lowered: Lowered, backend: Solver) -> Contradiction | Ray | None:
    """Return the proof of a solver's claim that there is no solution, or None if its answer proves nothing.

    A problem is unbounded below along a ray only if there is a point to start from.
    """
    program = lowered.program
    everything = np.ones(program.b.size, dtype=np.bool_)
    if outcome.claim is Claim.INFEASIBLE:
        return _contradiction(
            lowered, Feasibility(program, backend, _POINT_TOLERANCE).prove(everything, outcome.multipliers)
        )
    ray = Ray.of(program, outcome.point)
    if not ray.certificate.holds(PROVED):
        return None
    for solver in dict.fromkeys((backend.name, "clarabel")):
        verdict = Feasibility(program, find_solver(solver), _POINT_TOLERANCE).decide(everything)
        if verdict.multipliers is not None:
            return _contradiction(lowered, verdict)
        if verdict.point is not None:
            return Ray.of(program, outcome.point, verdict.point)
    return None


def _contradiction(lowered: Lowered, verdict: Verdict | None) -> Contradiction | None:
    if verdict is None or verdict.multipliers is None:
        return None
    certificate = certify_infeasibility(lowered.program, verdict.multipliers)
    if not certificate.holds(PROVED):
        return None
    weighs = np.abs(verdict.multipliers) > _TRIFLE * np.abs(verdict.multipliers).max()
    groups = tuple(group for group in declared_groups(lowered) if weighs[group.all_rows].any())
    return Contradiction(certificate, verdict.multipliers, groups)


def declared_groups(lowered: Lowered) -> tuple[Group, ...]:
    """Return the declared constraints in their order, each with the rows that the reduction added only for it.

    Rows that were added for something else follow: the domains of the objective and of variables.
    """
    constraints = lowered.problem.constraints
    own = [_ConstraintRows() for _ in constraints]
    others: dict[str, list[Indices]] = {}
    for component in _components(lowered):
        owners = [lowered.numbers[k] for k in component if lowered.numbers[k] >= 0]
        added = [_range(lowered.program.rows[k]) for k in component if lowered.numbers[k] < 0]
        for k in component:
            if lowered.numbers[k] >= 0:
                own[lowered.numbers[k]].rows = _range(lowered.program.rows[k])
        if len(owners) == 1:
            own[owners[0]].auxiliary = added
        elif added:
            served = [name_of(constraints[owner], owner) for owner in owners]
            name = f"what {' and '.join(served)} share" if served else _domain(lowered, component)
            others.setdefault(name, []).extend(added)
    nothing = np.zeros(0, dtype=np.intp)
    groups = [
        Group(name_of(constraint, number), rows.rows, np.concatenate([nothing, *rows.auxiliary]))
        for number, (constraint, rows) in enumerate(zip(constraints, own, strict=True))
    ]
    return (*groups, *(Group(name, nothing, np.concatenate(added)) for name, added in others.items()))


@dataclass(eq=False)
class _ConstraintRows:
    """Rows of a constraint, collected."""

    rows: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    auxiliary: list[Indices] = field(default_factory=list)


def _range(block: Block) -> Indices:
    return np.arange(block.start, block.stop)


def name_of(constraint: cp.Constraint, number: int, words: str = "") -> str:
    """Return the name of a constraint: its label, or else its number from 1 and its statement.

    Parameters
    ----------
    constraint, number
        The constraint, and its number from 0.
    words
        Its statement, in words other than CVXPY's.
    """
    if constraint.label:
        return repr(constraint.label)
    statement = words or " ".join(str(constraint).split())
    shown = statement if len(statement) <= _LONGEST else f"{statement[:_LONGEST]}..."
    return f"constraint {number + 1} ({shown})"


def is_helper(lowered: Lowered) -> NDArray[np.bool_]:
    """Return for each column whether the reduction added its variable.

    Parameters
    ----------
    lowered
        The problem in matrices.
    """
    declared = {variable.name() for variable in lowered.problem.variables()}
    helper = np.zeros(lowered.program.q.size, dtype=np.bool_)
    for block in lowered.program.variables:
        helper[block.range] = block.name not in declared
    return helper


def _components(lowered: Lowered) -> list[Indices]:
    """Return the sets of blocks of rows that share variables of the reduction, as numbers of blocks."""
    program = lowered.program
    count = len(program.rows)
    block_of = np.repeat(np.arange(count), [block.stop - block.start for block in program.rows])
    uses = csc_array((np.ones(block_of.size), (block_of, np.arange(block_of.size))), shape=(count, block_of.size))
    touches = coo_array(uses @ csc_array(abs(program.A))[:, np.flatnonzero(is_helper(lowered))])
    nodes = count + touches.shape[1]
    graph = coo_array((touches.data, (touches.row, count + touches.col)), shape=(nodes, nodes))
    _, labels = connected_components(graph, directed=False)
    return [np.flatnonzero(labels[:count] == label) for label in np.unique(labels[:count])]


def _domain(lowered: Lowered, blocks: Indices) -> str:
    """Return what rows are about that the reduction added for no constraint."""
    program = lowered.program
    touched = np.zeros(program.q.size, dtype=bool)
    for k in blocks:
        touched |= np.asarray((program.A[program.rows[k].range] != 0).sum(axis=0)).ravel() > 0
    if (touched & is_helper(lowered)).any():
        return "the domain of the objective"
    return f"the domain of {', '.join(repr(each.name) for each in program.variables if touched[each.range].any())}"
