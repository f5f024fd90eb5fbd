# SPDX-License-Identifier: BSD-3-Clause
r"""Inequalities without the variables that only stand between others, such as those of a largest absolute value.

A variable c that costs nothing, is not less than some terms and not more than one other, or the reverse, can be chosen
exactly where each of the former is at most the latter (Fourier and Motzkin)::

    l_i <= c (all i),  c <= u        is        l_i <= u (all i)

With a single row on one side there are fewer rows afterwards. The multipliers of the rows in a sum are that of the sum,
each times its factor. Then rows that are implied by bounds of single variables are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array, eye_array

from qpkernels.arrays import Indices, Vector
from qpkernels.problems import Block, ConeProgram, Nonnegative, Zero

__all__ = ["Projection", "with_rows"]


def with_rows(program: ConeProgram, left: NDArray[np.bool_]) -> ConeProgram:
    """Return the program with those rows alone, of which other cones than those of single rows have all or none.

    Parameters
    ----------
    program, left
        The program, and which of its rows are left.
    """
    if left.all():
        return program
    cones = []
    for cone, part in program.parts():
        size = int(left[part].sum())
        if size:
            cones.append(replace(cone, length=size) if isinstance(cone, Zero | Nonnegative) else cone)
    names, start = [], 0
    for block in program.rows:
        size = int(left[block.range].sum())
        if size:
            names.append(Block(block.name, start, start + size))
            start += size
    A = csc_array(csr_array(program.A)[left])
    return replace(program, A=A, b=program.b[left], cones=tuple(cones), rows=tuple(names))


@dataclass(frozen=True, eq=False)
class Projection:
    """A program in whose rows some variables are not any more, and the way back.

    Attributes
    ----------
    program
        The program, with all columns.
    columns
        Those of the variables, in no row of it.
    """

    program: ConeProgram
    columns: Indices
    _steps: tuple[_Step, ...]

    @classmethod
    def of(cls, program: ConeProgram, candidates: Indices) -> Projection:
        """Return it without those candidates that stand between others.

        Parameters
        ----------
        program
            The program.
        candidates
            Columns that may go.
        """
        steps = list[_Step]()
        allowed = np.zeros(program.q.size, dtype=bool)
        allowed[candidates] = True
        allowed &= (program.q == 0) & (np.diff(csc_array(program.P).indptr) == 0)
        while (step := _Step.of(program, allowed)) is not None:
            steps.append(step)
            program = step.program
            allowed[step.columns] = False
        columns = np.concatenate([np.arange(0), *(step.columns for step in steps)])
        return cls(program, columns, tuple(steps))

    def expand(self, x: Vector, multipliers: Vector) -> Vector:
        """Write the variables to x, whose other entries are known, and return the multipliers of the rows as they were.

        Parameters
        ----------
        x, multipliers
            Of all columns, and of the rows that are left.
        """
        for step in reversed(self._steps):
            multipliers = step.expand(x, multipliers)
        return multipliers


@dataclass(frozen=True, eq=False)
class _Step:
    """Variables that have no row in common, gone at once.

    Attributes
    ----------
    program
        Without them in its rows.
    columns
        Of these variables.
    sums
        Which sums of the rows before the rows are.
    bounds
        The rows before that bound them on the side of several, and the columns that they bound.
    before
        The rows before.
    """

    program: ConeProgram
    columns: Indices
    sums: csr_array
    bounds: tuple[Indices, Indices]
    before: tuple[csr_array, Vector]

    @classmethod
    def of(cls, program: ConeProgram, allowed: NDArray[np.bool_]) -> _Step | None:
        A = csr_array(program.A)
        A.eliminate_zeros()
        inequality = np.zeros(program.b.size, dtype=bool)
        for cone, part in program.parts():
            inequality[part] = isinstance(cone, Nonnegative)
        entries, n = coo_array(A), program.q.size
        row, column, positive = entries.row, entries.col, entries.data > 0
        above, below = (np.bincount(column[side], minlength=n) for side in (positive, ~positive))
        elsewhere = np.bincount(column[~inequality[row]], minlength=n) > 0
        between = allowed & ~elsewhere & (np.minimum(above, below) == 1)
        # Of two with a row in common, the first.
        inside = between[column]
        first = np.full(program.b.size, n)
        np.minimum.at(first, row[inside], column[inside])
        behind = np.bincount(column[inside & (first[row] < column)], minlength=n) > 0
        chosen = between & ~behind
        if not chosen.any():
            return None
        inside = chosen[column]
        row, column, positive, a = row[inside], column[inside], positive[inside], entries.data[inside]
        alone = np.where(above[column] == 1, positive, ~positive)
        single, size = np.zeros((2, n))
        single[column[alone]], size[column[alone]] = row[alone], np.abs(a[alone])
        others, of, factors = row[~alone], column[~alone], np.abs(a[~alone])
        added = csr_array((factors / size[of], (others, single[of].astype(np.intp))), shape=(program.b.size,) * 2)
        sums = csr_array(eye_array(program.b.size, format="csr") + added)
        rows, b = csr_array(sums @ A), np.asarray(sums @ program.b)
        # What cancels may be left as rounding.
        rows = csr_array(rows - csr_array(rows.multiply(csr_array(chosen[None].astype(float)))))
        rows.eliminate_zeros()
        left = ~_implied(rows, b, inequality)
        left[row[alone]] = False
        made = with_rows(replace(program, A=csc_array(rows), b=b), left)
        return cls(made, np.flatnonzero(chosen), csr_array(sums[left]), (others, of), (A, program.b))

    def expand(self, x: Vector, multipliers: Vector) -> Vector:
        """Write the variables to x, and return the multipliers of the rows before."""
        (rows, of), (A, b) = self.bounds, self.before
        x[self.columns] = 0.0
        a = np.asarray(A[rows, of]).reshape(-1)
        ends = (b - A @ x)[rows] / a
        least, most = np.full(x.size, -np.inf), np.full(x.size, np.inf)
        np.maximum.at(least, of[a < 0], ends[a < 0])
        np.minimum.at(most, of[a > 0], ends[a > 0])
        found = np.where(np.isfinite(least), least, most)
        x[self.columns] = found[self.columns]
        return np.asarray(self.sums.T @ multipliers)


def _implied(A: csr_array, b: Vector, inequality: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which inequalities hold wherever the others do, as the bounds of single variables tell."""
    counts, n = np.diff(A.indptr), A.shape[1]
    single = np.flatnonzero(inequality & (counts == 1))
    column, a = A.indices[A.indptr[single]], A.data[A.indptr[single]]
    ends = np.zeros((2, n)) + np.array([[np.inf], [-np.inf]])
    np.minimum.at(ends[0], column[a > 0], (b[single] / a)[a > 0])
    np.maximum.at(ends[1], column[a < 0], (b[single] / a)[a < 0])
    entries = coo_array(A)
    largest = entries.data * np.where(entries.data > 0, ends[0][entries.col], ends[1][entries.col])
    implied = inequality & (counts > 1) & (np.bincount(entries.row, largest, minlength=b.size) <= b)
    # Of bounds of one variable on one side, the first of the tightest is enough.
    order = np.lexsort((np.abs(b[single] / a - ends[(a < 0).astype(int), column]), a < 0, column))
    repeated = (np.diff(column[order]) == 0) & (np.diff((a < 0)[order].astype(int)) == 0)
    implied[single[order[1:][repeated]]] = True
    return implied
