# SPDX-License-Identifier: BSD-3-Clause
"""Sizes that make residuals free of units, row by row and column by column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array, vstack

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.cone_program.residuals import block_sizes, largest_coefficients
from qpkernels.programs.cone_program import ConeProgram
from qpkernels.programs.cones import Nonnegative, Zero

__all__ = ["Terms"]


@dataclass(frozen=True, eq=False)
class Terms:
    """Sizes that residuals are relative to: of the rows, of the columns, and of the multipliers' signs."""

    rows: Vector
    columns: Vector
    signs: Vector

    @classmethod
    def of(cls, program: ConeProgram, x: Vector, z: Vector, scale: float) -> Terms:
        """Return the sizes at the point x with the multipliers z, for an objective of the size ``scale``."""
        A, P = csc_array(abs(program.A)), abs(program.P)
        # Entries of a block are compared in the units that their coefficients give them, rows first.
        unit_z = largest_coefficients(A, axis=1)
        unit_x = largest_coefficients(diags_array(1.0 / unit_z) @ A, axis=0)
        size_x = block_sizes(program.variables, x * unit_x) / unit_x
        size_z = block_sizes(program.rows, z * unit_z) / unit_z
        slope = P @ size_x + np.abs(program.q)
        rows = np.abs(program.b) + A @ size_x
        columns = slope + A.T @ size_z
        At, costs = csc_array(A.T), np.abs(program.b)
        mended = _Moves.of(At, columns, costs, scale).coupled(program).one_sided(program).mended(columns)
        signs = _Moves.of(At, mended, costs, scale).noticed
        return cls(rows=_Moves.of(A, rows, slope, scale).mended(rows), columns=mended, signs=signs)


@dataclass(frozen=True, eq=False)
class _Moves:
    """How far an entry can move before a row that it enters, or the objective, notices.

    Attributes
    ----------
    sizes
        |A| with the sizes of the objective's coefficients as one more row; shape (rows + 1, entries).
    first, second
        For each entry: the move that the first row notices, and the one that the next row notices.
    nearest
        For each nonzero: whether its row is the one that notices first.
    """

    sizes: csc_array
    first: Vector
    second: Vector
    nearest: NDArray[np.bool_]

    @classmethod
    def of(cls, A: csc_array, rows: Vector, objective: Vector, scale: float) -> _Moves:
        sizes = csc_array(vstack([A, csc_array(objective[None, :])]))
        sizes.eliminate_zeros()
        reach = np.append(rows, scale)[sizes.indices] / sizes.data
        entry = _entries(sizes)
        first = _smallest(reach, entry, sizes.shape[1])
        (candidates,) = np.nonzero(reach == first[entry])
        _, chosen = np.unique(entry[candidates], return_index=True)
        nearest = np.zeros(reach.size, dtype=np.bool_)
        nearest[candidates[chosen]] = True
        second = _smallest(np.where(nearest, np.inf, reach), entry, sizes.shape[1])
        return cls(sizes, first, second, nearest)

    def coupled(self, program: ConeProgram) -> _Moves:
        """Let an entry that nothing else notices be noticed by its cone, whose entries share a unit."""
        second = self.second.copy()
        for cone, rows in program.parts():
            seen = self.first[rows][np.isfinite(self.first[rows])]
            if seen.size and not isinstance(cone, Zero | Nonnegative):
                second[rows] = np.where(np.isfinite(second[rows]), second[rows], seen.max())
        return replace(self, second=second)

    def one_sided(self, program: ConeProgram) -> _Moves:
        """Let the multipliers of inequalities mend nothing: they may not move below 0."""
        first, second = self.first.copy(), self.second.copy()
        for cone, rows in program.parts():
            if isinstance(cone, Nonnegative):
                first[rows] = second[rows] = np.inf
        return replace(self, first=first, second=second)

    @property
    def noticed(self) -> Vector:
        """For each entry, the move after which something notices; 0 where nothing ever does."""
        return np.where(np.isfinite(self.first), self.first, 0.0)

    def mended(self, rows: Vector) -> Vector:
        """Return the sizes of the rows, raised to what moving one entry changes in a row before another notices."""
        entry = _entries(self.sizes)
        others = np.where(self.nearest, self.second[entry], self.first[entry])
        raised = np.append(rows, 0.0)
        np.maximum.at(raised, self.sizes.indices, np.where(np.isfinite(others), self.sizes.data * others, 0.0))
        return raised[:-1]


def _entries(sizes: csc_array) -> Indices:
    """Return the column of each nonzero."""
    return np.repeat(np.arange(sizes.shape[1]), np.diff(sizes.indptr))


def _smallest(values: Vector, group: Indices, groups: int) -> Vector:
    smallest = np.full(groups, np.inf)
    np.minimum.at(smallest, group, values)
    return smallest
