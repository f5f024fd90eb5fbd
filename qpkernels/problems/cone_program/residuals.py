# SPDX-License-Identifier: BSD-3-Clause
"""The residuals of an answer to a cone program, row by row, and the multipliers that the bounds of variables absorb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from qpkernels.arrays import Indices, Vector
from qpkernels.problems.certificate import relative
from qpkernels.problems.cone_program.program import Block, ConeProgram
from qpkernels.problems.cones import Nonnegative, SecondOrder, Zero, least_share, towards_zero
from qpkernels.problems.rounding import EPS

__all__ = [
    "Terms",
    "VariableBounds",
    "distances_outside",
    "into_dual_cone",
    "kinds",
    "longest",
    "outside_dual_cones",
    "place",
    "products",
    "ratios",
]


_CANCELLED = 1e-3
"""Share of its terms to which t + v_k or t - v_k cancels where the rows t and v_k would hide it."""


@dataclass(frozen=True, eq=False)
class _Rays:
    """t + v_k and t - v_k of a second-order cone (t, v), as c - Bx with sums of coefficients that cancel before x."""

    rows: slice
    partner: int
    b: Vector
    A: csr_array

    def outside(self, x: Vector, s: Vector, sizes: Vector) -> float:
        """Return the least share d within which a point of the cone is, where a factor cancels; else 0."""
        own = np.abs(self.b) + abs(self.A) @ np.abs(x)
        if own.min() > _CANCELLED * (sizes[self.rows.start] + sizes[self.partner]):
            return 0.0
        others = np.setdiff1d(np.arange(self.rows.start + 1, self.rows.stop), [self.partner])
        factors = self.b - self.A @ x
        return least_share(_within, np.concatenate([factors, s[others]]), np.concatenate([own, sizes[others]]))


def _within(s: Vector, slack: Vector) -> bool:
    """Return whether s is within the slack of {(p, q, v) : p q >= |v|^2, p >= 0, q >= 0}."""
    p, q = s[:2] + slack[:2]
    return bool(p >= 0 and q >= 0 and np.linalg.norm(towards_zero(s[2:], slack[2:])) <= np.sqrt(p) * np.sqrt(q))


def _rays(program: ConeProgram) -> Iterator[_Rays]:
    """Yield those of each second-order cone, with that of its rows v_k that cancels most."""
    rows = csr_array(program.A)
    weights: Vector = np.abs(program.b) + np.asarray(abs(rows).sum(axis=1), dtype=np.float64).ravel()
    for cone, part in program.parts():
        if not isinstance(cone, SecondOrder):
            continue
        first = part.start
        own = weights[first + 1 : part.stop]
        # What cancels has terms of about the same size.
        alike = first + 1 + np.flatnonzero((own > 0.5 * weights[first]) & (own < 2.0 * weights[first]))
        best, least = None, 1.0
        for k in alike.tolist():
            b = program.b[first] + np.array([1.0, -1.0]) * program.b[k]
            A = csr_array(vstack([rows[[first]] + rows[[k]], rows[[first]] - rows[[k]]]))
            A.eliminate_zeros()
            left = float((np.abs(b) + np.asarray(abs(A).sum(axis=1)).ravel()).min() / (weights[first] + weights[k]))
            if left < least:
                best, least = _Rays(part, k, b, A), left
        if best is not None:
            yield best


@dataclass(frozen=True, eq=False)
class Terms:
    """The scales against which the points of one program are measured; they do not depend on the point.

    Attributes
    ----------
    program
        The program.
    P, A, transposed
        |P_jk|, |A_ij|, and |A_ij| by columns.
    curvature
        P_jj for each variable that P joins with no other, and 0 for the rest.
    unit
        The largest rounding error of a residual, as a share of its terms.
    rays
        For each second-order cone (t, v) that has a row v_k near t or -t in its coefficients: t + v_k and t - v_k.
    """

    program: ConeProgram
    P: csc_array
    A: csc_array
    transposed: csr_array
    curvature: Vector
    unit: float
    rays: tuple[_Rays, ...]

    @classmethod
    def of(cls, program: ConeProgram) -> Terms:
        """Compute the scales."""
        P, A = abs(program.P), abs(program.A)
        return cls(program, P, A, A.T, _curvature(program, P), longest(program) * EPS, tuple(_rays(program)))

    def rows(self, x: Vector) -> Vector:
        """Return |b_i| + sum_j |A_ij| |x_j| for each row."""
        return np.asarray(np.abs(self.program.b) + self.A @ np.abs(x))

    def outside(self, x: Vector) -> Vector:
        """Return how far b - Ax is from K, each row relative to its own terms, a coupled cone at its first row.

        A second-order cone has (t + v_k)(t - v_k) >= |v|^2 - v_k^2 as well: where the terms of t and v_k cancel in one
        of these factors to less than a thousandth, both factors are measured in their own terms too.
        """
        program, sizes = self.program, self.rows(x)
        s = program.b - program.A @ x
        distances = distances_outside(program, s, sizes)
        for rays in self.rays:
            distances[rays.rows.start] = max(distances[rays.rows.start], rays.outside(x, s, sizes))
        return distances

    def columns(self, y: Vector, z: Vector) -> Vector:
        """Return |q_j| + sum_k |P_jk| |y_k| + sum_i |A_ij| |z_i| for each column."""
        return np.asarray(np.abs(self.program.q) + self.P @ np.abs(y) + self.transposed @ np.abs(z))


def distances_outside(program: ConeProgram, s: Vector, sizes: Vector) -> Vector:
    """Return how far s is from K, each row relative to its own size; for a coupled cone it is at its first row.

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
    """Return the multipliers in K* near z, for example with the wrong signs of inequalities dropped."""
    return np.concatenate([np.zeros(0), *(cone.into_dual(z[rows]) for cone, rows in program.parts())])


def outside_dual_cones(program: ConeProgram, z: Vector) -> float:
    """Return how far the multipliers of a coupled cone are from its dual cone, relative to the largest of them."""
    distances = [0.0]
    for cone, rows in program.parts():
        if not isinstance(cone, Zero | Nonnegative):
            distances.append(relative(cone.dual_violation(z[rows]), float(np.abs(z[rows]).max(initial=0.0))))
    return max(distances)


def products(program: ConeProgram, s: Vector, z: Vector) -> Vector:
    """Return |s_i z_i| for each row; for a coupled cone it is at its first row.

    There it is |p'z| + |(p - s)'z| with p the point of K near s: the first term is the failure of complementarity, and
    the second is the gain of s from being outside, so that neither hides the other.
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
    """Return the number of terms in the longest sum of a residual."""
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
    """Return in words which entry of which block has the largest amount."""
    index = int(np.argmax(amounts)) if amounts.size else -1
    for block in blocks:
        if block.start <= index < block.stop:
            return f"{kind} {index - block.start} of {block.name!r}"
    return f"no {kind}"


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
    """The bounds l_j <= x_j <= u_j that rows with a single coefficient state.

    Attributes
    ----------
    lower, upper
        l and u, shape (n,), infinite where no row states a bound.
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
        r"""Return the bounds, where both have the same value if rows force it.

        Within l <= x <= u, a row a'x is at least m = sum_j min(a_j l_j, a_j u_j). Where it must be at most b = m, each
        of its variables is at the end that makes m (Brearley, Mitra and Williams, 1975). With m = 0 that is x_j = 0,
        compared with which no rounding is small: all terms of such a row violate it. Only exact cancellation counts.
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
        """Return multipliers that make the residual r of the columns 0 wherever bounds can, and the remaining residual.

        A residual above 0 is a slope that the lower bound holds up: its multiplier grows by r_j / |a|, once the
        multiplier of the upper bound has sunk to 0. Below 0 it is the reverse. An equation takes over either.
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
