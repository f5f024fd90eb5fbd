# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of single variables among the rows of a cone program, and the multipliers they can take over."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.cone_program.residuals import kinds
from qpkernels.programs.cone_program import ConeProgram

__all__ = ["VariableBounds"]


@dataclass(frozen=True, eq=False)
class _Side:
    """For some variables, one each: the row a x_j <= b, or a x_j = b, that holds them most tightly."""

    columns: Indices
    rows: Indices
    coefficients: Vector
    values: Vector

    @classmethod
    def of(cls, columns: Indices, rows: Indices, coefficients: Vector, values: Vector, sign: float) -> _Side:
        """Choose for each variable the row with the least sign * value."""
        order = np.lexsort((sign * values, columns))
        chosen, first = np.unique(columns[order], return_index=True)
        picked = order[first]
        return cls(chosen, rows[picked], coefficients[picked], values[picked])

    def spread(self, n: int, otherwise: float) -> Vector:
        """Return the values of all n variables."""
        spread = np.full(n, otherwise)
        spread[self.columns] = self.values
        return spread

    def grow(self, z: Vector, r: Vector) -> None:
        """Let the multipliers take over all of the residual that their row can hold: z_i |a| grows by |r_j|."""
        held = -r[self.columns] / self.coefficients
        z[self.rows] += np.maximum(held, 0.0)
        r[self.columns[held > 0]] = 0.0

    def sink(self, z: Vector, r: Vector) -> None:
        """Let the multipliers give way to the residual, to 0 at most."""
        wanted = np.maximum(r[self.columns] / self.coefficients, 0.0)
        amount = np.minimum(wanted, z[self.rows])
        z[self.rows] -= amount
        r[self.columns] = np.where(
            amount == wanted, np.where(wanted > 0, 0.0, r[self.columns]), r[self.columns] - self.coefficients * amount
        )


@dataclass(frozen=True, eq=False)
class VariableBounds:
    """l_j <= x_j <= u_j, as far as rows with a single coefficient say so.

    Attributes
    ----------
    lower, upper
        l and u, shape (n,), infinite where no row bounds.
    """

    lower: Vector
    upper: Vector
    _fixed: _Side
    _below: _Side
    _above: _Side

    @classmethod
    def of(cls, program: ConeProgram) -> VariableBounds:
        """Find the tightest bounds."""
        n, A = program.q.size, csr_array(program.A, copy=True)
        A.eliminate_zeros()
        equal, one_sided = kinds(program)

        def side(mask: NDArray[np.bool_], sign: float) -> _Side:
            (rows,) = np.nonzero(mask & (np.diff(A.indptr) == 1))
            a = A.data[A.indptr[rows]]
            rows, a = rows[sign * a > 0], a[sign * a > 0]
            return _Side.of(A.indices[A.indptr[rows]].astype(np.int64), rows, a, program.b[rows] / a, sign)

        fixed = [side(equal, sign) for sign in (1.0, -1.0)]
        joined = _Side(*(np.concatenate(parts) for parts in zip(*(vars(each).values() for each in fixed), strict=True)))
        below, above = side(one_sided, -1.0), side(one_sided, 1.0)
        lower, upper = below.spread(n, -np.inf), above.spread(n, np.inf)
        lower[joined.columns] = upper[joined.columns] = joined.values
        return cls(lower, upper, joined, below, above)

    def forced(self, program: ConeProgram) -> VariableBounds:
        r"""Return the bounds, with both at the one value that is left where rows force it.

        Within l <= x <= u, a row a'x is at least m = sum_j min(a_j l_j, a_j u_j). Where it must be at most b = m, each
        of its variables is at the end that makes m (Brearley, Mitra and Williams, 1975). With m = 0 that is x_j = 0,
        beside which no rounding is small: all terms of such a row are a violation of it. Only what cancels exactly is
        taken.
        """
        lower, upper = self.lower.copy(), self.upper.copy()
        A = csr_array(program.A, copy=True)
        A.eliminate_zeros()
        equal, one_sided = kinds(program)
        fixed = -1
        while fixed < (fixed := int((lower == upper).sum())):
            _force(A, program.b, equal | one_sided, lower, upper)
            _force(-A, -program.b, equal, lower, upper)
        return replace(self, lower=lower, upper=upper)

    def take_over(self, z: Vector, r: Vector) -> tuple[Vector, Vector]:
        """Return multipliers that make the residual r of the columns 0 wherever bounds can, and what is left of it.

        A residual above 0 is a slope that the lower bound holds up: its multiplier grows by r_j / |a|, once that of the
        upper bound has sunk to 0; and the other way round. An equation takes over either.
        """
        z, left = z.copy(), r.copy()
        z[self._fixed.rows] -= left[self._fixed.columns] / self._fixed.coefficients
        left[self._fixed.columns] = 0.0
        for side in (self._below, self._above):
            side.sink(z, left)
        for side in (self._below, self._above):
            side.grow(z, left)
        return z, left

    def clip(self, x: Vector) -> Vector:
        """Return the point within the bounds that is nearest to x."""
        return np.asarray(np.minimum(np.maximum(x, self.lower), self.upper))


def _force(A: csr_array, b: Vector, rows: NDArray[np.bool_], lower: Vector, upper: Vector) -> None:
    """Fix in place what the ``rows`` of Ax <= b force."""
    row, column = np.repeat(np.arange(b.size), np.diff(A.indptr)), A.indices
    end = np.where(A.data > 0, lower[column], upper[column])
    bounded = np.isfinite(end)
    least = np.bincount(row, A.data * np.where(bounded, end, 0.0), minlength=b.size)
    unbounded = np.bincount(row, ~bounded, minlength=b.size) > 0
    forced = (rows & ~unbounded & (least == b))[row]
    lower[column[forced]] = upper[column[forced]] = end[forced]
