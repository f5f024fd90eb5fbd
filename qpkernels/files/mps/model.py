# SPDX-License-Identifier: BSD-3-Clause
"""What the sections of an MPS file say, and the program that follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array, eye_array, vstack

from qpkernels.arrays import Vector
from qpkernels.errors import FileFormatError
from qpkernels.files.row_bounds import INFINITY, from_row_bounds
from qpkernels.problems import ConeProgram

__all__ = ["Model"]


@dataclass
class Model:
    """Rows and columns by name, in order; numbers by their places.

    Attributes
    ----------
    sense
        -1 if the objective is to be maximised.
    objective
        Its row, the first of kind N.
    kinds
        N, E, L or G of each row.
    rows, columns
        Their numbers; rows of kind N have none.
    costs, entries, quadratic
        q by column, A by row and column, and P with both triangles.
    right, ranges
        Right-hand sides and ranges by the names of rows.
    lower, upper
        Bounds by column, where there are some.
    """

    name: str = "quadratic program"
    description: str | None = None
    sense: float = 1.0
    objective: str | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    costs: dict[int, float] = field(default_factory=dict)
    entries: dict[tuple[int, int], float] = field(default_factory=dict)
    right: dict[str, float] = field(default_factory=dict)
    ranges: dict[str, float] = field(default_factory=dict)
    lower: dict[int, float] = field(default_factory=dict)
    upper: dict[int, float] = field(default_factory=dict)
    quadratic: dict[tuple[int, int], float] = field(default_factory=dict)

    def program(self) -> ConeProgram:
        """Return the program; bounds of columns are rows behind the others."""
        if self.objective is None or not self.columns:
            raise FileFormatError("a program in MPS needs a row of kind N and a column; check that the file is whole.")
        n = len(self.columns)
        lower, upper = self._column_bounds()
        bounded = (lower > -INFINITY) | (upper < INFINITY)
        row_lower, row_upper = self._row_bounds()
        stacked = vstack([_matrix(self.entries, len(self.rows), n), csr_array(eye_array(n, format="csr"))[bounded]])
        costs = np.zeros(n)
        costs[list(self.costs)] = list(self.costs.values())
        return from_row_bounds(
            self.sense * _matrix(self.quadratic, n, n),
            self.sense * costs,
            csc_array(stacked),
            (np.append(row_lower, lower[bounded]), np.append(row_upper, upper[bounded])),
            -self.sense * self.right.get(self.objective, 0.0),
            self.description,
            self.name,
        )

    def _column_bounds(self) -> tuple[Vector, Vector]:
        lower, upper = np.zeros(len(self.columns)), np.full(len(self.columns), math.inf)
        for column, value in self.upper.items():
            if value < 0 and column not in self.lower:
                raise FileFormatError(
                    "a bound UP below 0 of a column without a lower bound is read differently by different programs; "
                    "state LO or MI beside it."
                )
            upper[column] = value
        for column, value in self.lower.items():
            lower[column] = value
        return lower, upper

    def _row_bounds(self) -> tuple[Vector, Vector]:
        """Return l and u: a range R of an equation is one-sided by its sign, and of an inequality |R|."""
        lower, upper = np.full(len(self.rows), -math.inf), np.full(len(self.rows), math.inf)
        for name, row in self.rows.items():
            kind, right, size = self.kinds[name], self.right.get(name, 0.0), self.ranges.get(name)
            if kind in "EL":
                upper[row] = right + max(size, 0.0) if kind == "E" and size is not None else right
            if kind in "EG":
                lower[row] = right + min(size, 0.0) if kind == "E" and size is not None else right
            if size is not None and kind == "L":
                lower[row] = right - abs(size)
            if size is not None and kind == "G":
                upper[row] = right + abs(size)
        return lower, upper


def _matrix(entries: dict[tuple[int, int], float], rows: int, columns: int) -> csc_array:
    places = np.array(list(entries), dtype=np.int64).reshape(-1, 2)
    values = np.array(list(entries.values()), dtype=np.float64)
    return csc_array(coo_array((values, (places[:, 0], places[:, 1])), shape=(rows, columns)))
