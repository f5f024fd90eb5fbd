# SPDX-License-Identifier: BSD-3-Clause
r"""The elastic relaxation: how far constraints must give way for a point to satisfy them all.

With a direction e into the cone of each constraint that may give way::

    min  1't   s.t.  Ax + s = b + E t,   s in K,  t >= 0

An inequality row gives way to Ax <= b + t, an equation to |Ax - b| <= t, a second-order cone to ||v|| <= u + t, and a
semidefinite matrix by t times the identity. The optimum is 0 exactly where a point satisfies everything (or is
approached by points), and its multipliers are Farkas multipliers otherwise. Source: Chinneck (2008), Feasibility and
Infeasibility in Optimization, chapter 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, eye_array, hstack, vstack

from qpkernels.arrays import Indices, Vector
from qpkernels.problems import Block, Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, Zero

__all__ = ["Elastic", "Unit", "elastic", "units_of"]


@dataclass(frozen=True, eq=False)
class Unit:
    """The least part of a program that can give way or be left out: an equation, an inequality, or another cone."""

    rows: Indices
    cone: Cone

    @property
    def directions(self) -> Iterator[Vector]:
        """What each slack adds to the rows."""
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
    """The relaxation of a program, and what its columns of slacks are.

    Attributes
    ----------
    program
        The relaxation; its first variables and rows are those of the program relaxed.
    owner
        The number of the unit that each slack belongs to.
    """

    program: ConeProgram
    owner: Indices

    @property
    def n(self) -> int:
        """The number of variables of the program relaxed."""
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
