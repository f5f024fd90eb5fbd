# SPDX-License-Identifier: BSD-3-Clause
"""What an answer to a cone program leaves over, row by row and column by column, and against what it is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import relative
from qpkernels.certificates.rounding import EPS
from qpkernels.programs.cone_program import Block, ConeProgram
from qpkernels.programs.cones import Nonnegative, Zero

__all__ = [
    "Terms",
    "distances_outside",
    "into_dual_cone",
    "kinds",
    "longest",
    "outside_dual_cones",
    "place",
    "products",
    "ratios",
]


@dataclass(frozen=True, eq=False)
class Terms:
    """What the points of one program are measured against: all that does not depend on the point, worked out once.

    Attributes
    ----------
    program
        The program.
    P, A, transposed
        |P_jk|, |A_ij|, and |A_ij| by columns.
    curvature
        P_jj for each variable that P joins with no other, and 0 for the rest.
    unit
        The largest share of its terms that rounding is of a residual.
    """

    program: ConeProgram
    P: csc_array
    A: csc_array
    transposed: csr_array
    curvature: Vector
    unit: float

    @classmethod
    def of(cls, program: ConeProgram) -> Terms:
        """Work them out."""
        P, A = abs(program.P), abs(program.A)
        return cls(program, P, A, A.T, _curvature(program, P), longest(program) * EPS)

    def rows(self, x: Vector) -> Vector:
        """Return |b_i| + sum_j |A_ij| |x_j| for each row."""
        return np.asarray(np.abs(self.program.b) + self.A @ np.abs(x))

    def columns(self, y: Vector, z: Vector) -> Vector:
        """Return |q_j| + sum_k |P_jk| |y_k| + sum_i |A_ij| |z_i| for each column."""
        return np.asarray(np.abs(self.program.q) + self.P @ np.abs(y) + self.transposed @ np.abs(z))


def distances_outside(program: ConeProgram, s: Vector, sizes: Vector) -> Vector:
    """Return how far s is from K, each row relative to its own size; that of a coupled cone is at its first row.

    There it is the least share d such that a point of the cone is within d of the size of each row, proved by a point.
    """
    distances = np.zeros(s.size)
    for cone, rows in program.parts():
        if isinstance(cone, Zero):
            distances[rows] = ratios(np.abs(s[rows]), sizes[rows])
        elif isinstance(cone, Nonnegative):
            distances[rows] = ratios(np.maximum(-s[rows], 0.0), sizes[rows])
        else:
            distances[rows.start] = cone.share_outside(s[rows], sizes[rows])
    return distances


def into_dual_cone(program: ConeProgram, z: Vector) -> Vector:
    """Return the multipliers of K* near z: with the wrong signs of inequalities dropped, say."""
    return np.concatenate([np.zeros(0), *(cone.into_dual(z[rows]) for cone, rows in program.parts())])


def outside_dual_cones(program: ConeProgram, z: Vector) -> float:
    """Return how far the multipliers of a coupled cone are from its dual cone, relative to the largest of them."""
    distances = [0.0]
    for cone, rows in program.parts():
        if not isinstance(cone, Zero | Nonnegative):
            distances.append(relative(cone.dual_violation(z[rows]), float(np.abs(z[rows]).max(initial=0.0))))
    return max(distances)


def products(program: ConeProgram, s: Vector, z: Vector) -> Vector:
    """Return |s_i z_i| for each row; that of a coupled cone is at its first row.

    There it is |p'z| + |(p - s)'z| with p the point of K near s: what complementarity leaves over, and what s gains by
    being outside, so that neither hides the other.
    """
    shares = np.abs(s * z)
    for cone, rows in program.parts():
        if not isinstance(cone, Zero | Nonnegative):
            inside = cone.into(s[rows])
            shares[rows] = 0.0
            shares[rows.start] = abs(inside @ z[rows]) + abs((inside - s[rows]) @ z[rows])
    return shares


def kinds(program: ConeProgram) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each row whether it is an equation, and whether it is an inequality."""
    equal, one_sided = np.zeros((2, program.b.size), dtype=np.bool_)
    for cone, rows in program.parts():
        equal[rows] = isinstance(cone, Zero)
        one_sided[rows] = isinstance(cone, Nonnegative)
    return equal, one_sided


def longest(program: ConeProgram) -> int:
    """Return the number of terms in the longest sum that a residual is made of."""
    columns = np.diff(csc_array(program.P).indptr) + np.diff(csc_array(program.A).indptr)
    rows = np.diff(csr_array(program.A).indptr)
    return int(max(columns.max(initial=0), rows.max(initial=0))) + 2


def _curvature(program: ConeProgram, sizes: csc_array) -> Vector:
    diagonal = np.asarray(program.P.diagonal(), dtype=np.float64)
    alone = sizes.sum(axis=0) == np.abs(diagonal)
    return np.where(alone & (diagonal > 0), diagonal, 0.0)


def ratios(amounts: Vector, sizes: Vector) -> Vector:
    """Return amounts / sizes, with 0 / 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(amounts == 0, 0.0, amounts / sizes)


def place(blocks: tuple[Block, ...], amounts: Vector, kind: str = "row") -> str:
    """Return in words which entry of which block has the largest of the amounts."""
    index = int(np.argmax(amounts)) if amounts.size else -1
    for block in blocks:
        if block.start <= index < block.stop:
            return f"{kind} {index - block.start} of {block.name!r}"
    return f"no {kind}"
