# SPDX-License-Identifier: BSD-3-Clause
r"""Convex functions of one number that are the optima of small quadratic programs, found piece by piece.

With a number s for each of them::

    L(s) = min over z of  1/2 z'Pz + q'z + 1/2 p s^2 + c s   s.t.   t s + G z <= d  (or = d, of some rows)

At an optimum some of the rows are active; with these as equations, z and the multipliers are affine in s, so that
L'(s) = t'lambda + p s + c is affine, on the interval where the other rows hold and no multiplier is negative. These
intervals cover where L is finite: L' is a non-decreasing function of pieces that are linear, with jumps. Every set of
rows is tried, for all functions at once. Source: A. Bemporad, M. Morari, V. Dua and E. Pistikopoulos, Automatica 38
(2002), "The explicit linear quadratic regulator for constrained systems", with one parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector

__all__ = ["ENTRIES", "MOST_ROWS", "LossEntries", "LossPieces", "SmallPrograms"]

MOST_ROWS = 10
"""Inequalities of one of them at most: twice as many sets of rows are tried for each more."""

_BALANCES = 20
"""Steps that bring the coefficients of rows and of variables near 1, in the mean of their logarithms."""

_BALANCED = 3.0
"""Logarithm to the base 2 up to which coefficients are near 1."""

_SINGULAR = 1e-10
"""Share of the largest singular value below which equations are taken for singular."""

_NEAR = 1e-10
"""Share of the sizes of the ends within which two numbers s are one."""

_ROUNDING = 1e-12
"""Share of the largest slope below which a slope is 0."""


@dataclass(frozen=True, eq=False)
class SmallPrograms:
    """k programs with the same numbers of rows R and of variables Z.

    Attributes
    ----------
    P, q
        Shapes (k, Z, Z) and (k, Z).
    G, t, d
        Shapes (k, R, Z), (k, R) and (k, R).
    equations
        Which rows are equations, shape (R,).
    p, c
        The terms in s alone, shape (k,).
    """

    P: NDArray[np.float64]
    q: Matrix
    G: NDArray[np.float64]
    t: Matrix
    d: Matrix
    equations: NDArray[np.bool_]
    p: Vector
    c: Vector

    def pieces(self) -> LossPieces | None:
        """Return all pieces of every L; None: some L is -inf, or nowhere finite, or its z is not determined."""
        units = _NaturalUnits.of(self)
        made = units.scaled(self)._pieces()
        return None if made is None else units.restored(made)

    def factors_to(self, q: Matrix, d: Matrix) -> Vector | None:
        """Return the numbers above 0 that all costs are multiplied by where q and d are others, shape (k,); or None.

        Parameters
        ----------
        q, d
            As the attributes.
        """
        if self.P.any() or self.p.any() or self.c.any() or not np.array_equal(self.d, d):
            return None
        rows, largest = np.arange(len(q)), np.abs(self.q).argmax(axis=1) if q.shape[1] else None
        own, other = (np.ones(len(q)) if largest is None else each[rows, largest] for each in (self.q, q))
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where((own == 0) & (other == 0), 1.0, other / own)
        same = np.abs(q - factors[:, None] * self.q) <= _ROUNDING * np.abs(q)
        return factors if (np.isfinite(factors) & (factors > 0)).all() and same.all() else None

    def _pieces(self) -> LossPieces | None:
        found = [piece for active in self._sets() if (piece := self._piece(active)) is not None]
        if not found:
            return None
        made = LossPieces(*(np.stack([getattr(piece, name) for piece in found], axis=1) for name in _FIELDS))
        return made.in_order()

    @cached_property
    def fixing(self) -> NDArray[np.bool_]:
        """Which equations are about s alone, shape (R,): L is finite at one s only."""
        return self.equations & ~self.G.any(axis=(0, 2))

    def _sets(self) -> Iterator[Indices]:
        (always,) = np.nonzero(self.equations & ~self.fixing)
        (others,) = np.nonzero(~self.equations)
        for count in range(others.size + 1):
            for chosen in combinations(others.tolist(), count):
                yield np.sort(np.concatenate([always, np.array(chosen, dtype=np.intp)]))

    def _piece(self, active: Indices) -> LossPieces | None:
        _, rows, size = self.G.shape
        if active.size > size + int(self.equations.sum()):
            return None
        z, multipliers, solvable = self._affine(active)
        if not solvable.any():
            return None
        # Rows that must hold, as (constant, slope) <= 0 in s: the others, and the signs of the active inequalities.
        idle = np.setdiff1d(np.arange(rows), active)
        signed, fixed = active[~self.equations[active]], self.fixing[idle]
        constant = np.einsum("krz,kz->kr", self.G[:, idle], z[0]) - self.d[:, idle]
        slope = np.einsum("krz,kz->kr", self.G[:, idle], z[1]) + self.t[:, idle]
        lower, upper = _interval(
            np.concatenate([constant, -constant[:, fixed], -multipliers[0][:, signed]], axis=1),
            np.concatenate([slope, -slope[:, fixed], -multipliers[1][:, signed]], axis=1),
        )
        lower, upper = np.where(solvable, lower, np.inf), np.where(solvable, upper, -np.inf)
        level = np.einsum("kr,kr->k", self.t, multipliers[0]) + self.c
        rise = np.einsum("kr,kr->k", self.t, multipliers[1]) + self.p
        return LossPieces(lower, upper, level, np.maximum(rise, 0.0), *z, *multipliers)

    def _affine(self, active: Indices) -> tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix], NDArray[np.bool_]]:
        """Return z and the multipliers of all rows as constants and slopes in s, and which of them are determined."""
        k, rows, size = self.G.shape
        n = size + active.size
        groups, of = self._groups
        system = np.zeros((groups.size, n, n))
        system[:, :size, :size] = self.P[groups]
        system[:, size:, :size] = self.G[groups][:, active]
        system[:, :size, size:] = system[:, size:, :size].transpose(0, 2, 1)
        values = np.linalg.svd(system, compute_uv=False) if n else np.ones((groups.size, 1))
        regular = values[:, -1] > _SINGULAR * values[:, 0]
        inverse = np.zeros_like(system)
        if regular.any():
            inverse[regular] = np.linalg.inv(system[regular])
        constant, slope = np.zeros((k, n)), np.zeros((k, n))
        constant[:, :size], constant[:, size:], slope[:, size:] = -self.q, self.d[:, active], -self.t[:, active]
        at, by = (np.einsum("kij,kj->ki", inverse[of], each) for each in (constant, slope))
        multipliers = np.zeros((k, rows)), np.zeros((k, rows))
        multipliers[0][:, active], multipliers[1][:, active] = at[:, size:], by[:, size:]
        return (at[:, :size], by[:, :size]), multipliers, regular[of]

    @cached_property
    def _groups(self) -> tuple[Indices, Indices]:
        """The first program of each kind of P and G, and of which kind each is."""
        k = self.q.shape[0]
        parts = [self.P.reshape(k, -1), self.G.reshape(k, -1)]
        stacked = np.ascontiguousarray(np.concatenate(parts, axis=1)) + 0.0
        if stacked.shape[1] == 0:
            return np.arange(1), np.zeros(k, dtype=np.intp)
        _, first, of = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
        return first, of.reshape(-1)


@dataclass(frozen=True, eq=False)
class _NaturalUnits:
    """Units in which the numbers of k programs are near 1, as tolerances want them: powers of 2, which round nothing.

    Attributes
    ----------
    s, cost
        Of s and of L, shape (k,).
    z
        Of the variables, shape (k, Z).
    rows
        Of the rows, shape (k, R).
    """

    s: Vector
    cost: Vector
    z: Matrix
    rows: Matrix

    @classmethod
    def of(cls, programs: SmallPrograms) -> _NaturalUnits:
        """Return those of programs: of their coefficients, then of the sizes of d, then of the costs."""
        sizes = np.abs(np.concatenate([programs.t[:, :, None], programs.G], axis=2))
        there = sizes > 0
        logarithms = np.log2(_or_one(sizes))
        rows, columns = np.zeros(sizes.shape[:2]), np.zeros((len(sizes), sizes.shape[2]))
        for _ in range(_BALANCES if np.abs(logarithms).max(initial=0.0) > _BALANCED else 0):
            rows = _mean(logarithms + columns[:, None, :], there, axis=2)
            columns = _mean(rows[:, :, None] - logarithms, there, axis=1)
        rows, columns = np.exp2(np.round(rows)), np.exp2(np.round(columns))
        ends = np.sort(np.where(programs.d != 0, np.abs(programs.d) / rows, np.inf), axis=1)
        middle = np.maximum(np.isfinite(ends).sum(axis=1) - 1, 0) // 2
        size = np.take_along_axis(ends, middle[:, None], axis=1)[:, 0] if ends.shape[1] else np.ones(len(ends))
        size = _power_of_two(np.where(np.isfinite(size), size, 1.0))[:, None]
        s, z = (columns[:, :1] * size)[:, 0], columns[:, 1:] * size
        bent = np.abs(programs.P * z[:, :, None] * z[:, None, :]).max(axis=(1, 2), initial=0.0)
        linear = np.abs(programs.q * z).max(axis=1, initial=0.0)
        own = np.maximum(np.abs(programs.p) * s**2, np.abs(programs.c) * s)
        cost = _power_of_two(_or_one(np.maximum(np.maximum(bent, linear), own)))
        return cls(s, cost, z, rows * size)

    def scaled(self, programs: SmallPrograms) -> SmallPrograms:
        """Return programs in these units."""
        s, cost, z, rows = self.s, self.cost, self.z, self.rows
        return SmallPrograms(
            programs.P * (z[:, :, None] * z[:, None, :] / cost[:, None, None]),
            programs.q * (z / cost[:, None]),
            programs.G * (z[:, None, :] / rows[:, :, None]),
            programs.t * (s[:, None] / rows),
            programs.d / rows,
            programs.equations,
            programs.p * (s**2 / cost),
            programs.c * (s / cost),
        )

    def restored(self, pieces: LossPieces) -> LossPieces:
        """Return pieces of programs in these units as those of the programs."""
        s, z, by = self.s[:, None], self.z[:, None], self.cost[:, None, None] / self.rows[:, None]
        slope = self.cost[:, None] / s
        return LossPieces(
            pieces.lower * s,
            pieces.upper * s,
            pieces.level * slope,
            pieces.rise * (slope / s),
            pieces.z * z,
            pieces.z_slope * (z / s[:, :, None]),
            pieces.multipliers * by,
            pieces.multiplier_slope * (by / s[:, :, None]),
        )


def _or_one(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sizes with 1 in place of 0."""
    return np.where(sizes > 0, sizes, 1.0)


def _mean(values: NDArray[np.float64], there: NDArray[np.bool_], axis: int) -> Matrix:
    """Return the means of the values that are there, 0 of none."""
    return np.asarray((values * there).sum(axis=axis) / np.maximum(there.sum(axis=axis), 1))


def _power_of_two(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp2(np.round(np.log2(sizes))))


_FIELDS = ("lower", "upper", "level", "rise", "z", "z_slope", "multipliers", "multiplier_slope")


ENTRIES = ("target", "epsilon", "ridge", "lower", "upper")
"""The part of a KernelQP that each loss makes."""


@dataclass(frozen=True, eq=False)
class LossEntries:
    """Losses of a KernelQP, L(s) = max over lower <= a <= upper of (target - s) a - epsilon |a| - ridge/2 a^2.

    A function with more kinks than one such loss has is the sum of several.

    Attributes
    ----------
    of
        The number of the function, shape (n,).
    target, epsilon, ridge, lower, upper
        Shape (n,).
    """

    of: Indices
    target: Vector
    epsilon: Vector
    ridge: Vector
    lower: Vector
    upper: Vector


@dataclass(frozen=True, eq=False)
class _Changes:
    """Where slopes below 0, or those above it, change: by ``size`` at the rate 1 / ridge, up to or from ``near``."""

    of: Indices
    near: Vector
    ridge: Vector
    size: Vector


@dataclass(frozen=True, eq=False)
class LossPieces:
    """The pieces of the functions, shape (k, n) and (k, n, ...), in ascending order of s; where lower > upper, none is.

    Attributes
    ----------
    lower, upper
        The interval of s.
    level, rise
        L'(s) = level + rise s there.
    z, z_slope, multipliers, multiplier_slope
        What z and the multipliers of the rows are, as constants and slopes in s.
    """

    lower: Matrix
    upper: Matrix
    level: Matrix
    rise: Matrix
    z: NDArray[np.float64]
    z_slope: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    multiplier_slope: NDArray[np.float64]

    def in_order(self) -> LossPieces | None:
        """Return them sorted, each s being in one of them; None: there is a function without any, or with a hole."""
        lower, upper = self.lower, self.upper
        with np.errstate(invalid="ignore"):
            room = _NEAR * np.where(np.isfinite(lower) & np.isfinite(upper), 1.0 + np.abs(lower) + np.abs(upper), 1.0)
            wide = upper - lower > room
        points = ~wide & (upper - lower >= -room) & np.isfinite(lower) & np.isfinite(upper)
        # A function that is finite at one s only has that point.
        kept = np.where(wide.any(axis=1, keepdims=True), wide, points)
        if not kept.any(axis=1).all():
            return None
        key = np.where(kept, lower, np.inf)
        order = np.argsort(key, axis=1, kind="stable")
        made = self._take(order)
        kept = np.take_along_axis(kept, order, axis=1)
        end = np.full(lower.shape[0], np.nan)
        for j in range(lower.shape[1]):
            low, high = made.lower[:, j], made.upper[:, j]
            near = _NEAR * (1.0 + np.abs(np.where(np.isfinite(end), end, 0.0)))
            # What lies within what came before is the same piece with other active rows.
            kept[:, j] &= np.isnan(end) | (high > end + near)
            if (kept[:, j] & ~np.isnan(end) & (low > end + near)).any():
                return None
            # Where z is not settled, pieces may overlap, and each s is to be in one of them.
            made.lower[:, j] = np.where(kept[:, j] & (low < end - near), end, low)
            end = np.where(kept[:, j], high, end)
        made.lower[~kept], made.upper[~kept] = np.inf, -np.inf
        order = np.argsort(np.where(kept, made.lower, np.inf), axis=1, kind="stable")
        return made._take(order[:, : int(kept.sum(axis=1).max())])

    def _take(self, order: Indices) -> LossPieces:
        def taken(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.take_along_axis(values, order.reshape(order.shape + (1,) * (values.ndim - 2)), axis=1)

        return LossPieces(*(taken(getattr(self, name)) for name in _FIELDS))

    def times(self, factors: Vector) -> LossPieces:
        """Return the pieces of multiples of the functions.

        Parameters
        ----------
        factors
            Above 0, shape (k,).
        """
        by, of_rows = factors[:, None], factors[:, None, None]
        return replace(
            self,
            level=self.level * by,
            rise=self.rise * by,
            multipliers=self.multipliers * of_rows,
            multiplier_slope=self.multiplier_slope * of_rows,
        )

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which pieces there are, shape (k, n): the first ones of each function."""
        return np.less_equal(self.lower, self.upper)

    @cached_property
    def counts(self) -> Indices:
        """The number of pieces of each function, shape (k,)."""
        return np.asarray(self.there.sum(axis=1))

    def slopes(self, s: Matrix) -> Matrix:
        """Return what L' would be at s in each piece, infinite of an infinite s where it rises."""
        with np.errstate(invalid="ignore"):
            return self.level + np.where(self.rise > 0, self.rise * s, 0.0)

    def entries(self) -> LossEntries | None:
        """Return the functions as sums of losses of a KernelQP, but for their least values.

        None: some L has no slope of 0, so that it has no minimum.
        """
        there, rows, last = self.there, np.arange(self.counts.size), self.counts - 1
        begin, end = self._cleaned(self.slopes(self.lower)), self._cleaned(self.slopes(self.upper))
        first_end, last_end = self.lower[:, 0], self.upper[rows, last]
        # A finite end is one of L itself, where its slopes go on to infinity.
        least = np.where(np.isfinite(first_end), -np.inf, begin[:, 0])
        most = np.where(np.isfinite(last_end), np.inf, end[rows, last])
        if (least > 0).any() or (most < 0).any():
            return None
        rising, inner = there & (self.rise > 0), there[:, 1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            zero = -self.level / self.rise
        parts = [
            (np.nonzero(rising)[0], self.lower, self.upper, begin, end, zero, self.rise, rising),
            (
                np.nonzero(inner)[0],
                *(self.lower[:, 1:],) * 2,
                end[:, :-1],
                begin[:, 1:],
                self.lower[:, 1:],
                None,
                inner,
            ),
        ]
        changes = [
            (of, *(each[where] for each in (low, high, first, then, at)), None if rate is None else 1.0 / rate[where])
            for of, low, high, first, then, at, rate, where in parts
        ]
        changes += [
            (rows, first_end, first_end, least, begin[:, 0], first_end, None),
            (rows, last_end, last_end, end[rows, last], most, last_end, None),
        ]
        return _paired(*(_one_side(changes, below=below, rounding=self._rounding) for below in (True, False)))

    @cached_property
    def _unit(self) -> Vector:
        """The largest finite slope at an end of a piece of each function, shape (k,)."""
        ends = np.concatenate([self.slopes(self.lower), self.slopes(self.upper)], axis=1)
        usable = np.concatenate([self.there, self.there], axis=1) & np.isfinite(ends)
        return np.asarray(np.where(usable, np.abs(ends), 0.0).max(axis=1))

    @cached_property
    def _rounding(self) -> Vector:
        """The slope of each function below which it is rounding, of slopes or of their two terms, shape (k,)."""
        terms = np.where(self.there, np.abs(self.level), 0.0).max(axis=1)
        return np.asarray(np.maximum(_ROUNDING * self._unit, 16 * np.finfo(float).eps * terms))

    def _cleaned(self, slopes: Matrix) -> Matrix:
        """Return slopes with those 0 that are rounding."""
        return np.where(np.abs(slopes) <= self._rounding[:, None], 0.0, slopes)

    def minima(self) -> Vector:
        """Return an s of slope 0 of each function, or where its slope jumps across 0, or L ends, shape (k,)."""
        begin, end = self._cleaned(self.slopes(self.lower)), self._cleaned(self.slopes(self.upper))
        reached = self.there & (end >= 0)
        # Slopes ascend, so that the first piece to end with none below 0 has the s, or else L ends before.
        at = np.where(reached.any(axis=1), reached.argmax(axis=1), self.counts - 1)[:, None]
        lower, upper, begin, end, level, rise = (
            np.take_along_axis(each, at, axis=1)[:, 0]
            for each in (self.lower, self.upper, begin, end, self.level, self.rise)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            zero = np.clip(np.where(rise > 0, -level / rise, 0.0), lower, upper)
        return np.asarray(np.where(begin > 0, lower, np.where(end < 0, upper, zero)))

    def at(self, s: Vector, slope: Vector) -> tuple[Matrix, Matrix]:
        """Return z at s, shape (k, Z), and multipliers for which t'lambda + p s + c is the slope of L, shape (k, R).

        Where the slope jumps across the one asked for, they are an average of those of both sides. They are those of an
        s that has this slope, which is near the s of an answer, and the same only of an exact one.
        """
        rows = np.arange(s.size)
        far = np.where(self.there, np.abs(np.clip(s[:, None], self.lower, self.upper) - s[:, None]), np.inf)
        z = self._value(self.z, self.z_slope, far.argmin(axis=1), s)
        begin, end = self.slopes(self.lower), self.slopes(self.upper)
        near = _NEAR * self._unit[:, None]
        inside = self.there & (begin - near <= slope[:, None]) & (slope[:, None] <= end + near)
        # Where there is none, it is between the last piece that ends below and the next one.
        before = np.maximum((self.there & (end < slope[:, None])).sum(axis=1) - 1, 0)
        low = np.where(inside.any(axis=1), inside.argmax(axis=1), before)
        high = np.where(inside.any(axis=1), low, np.minimum(before + 1, self.counts - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = np.where(self.rise[rows, low] > 0, (slope - self.level[rows, low]) / self.rise[rows, low], s)
            share = (slope - end[rows, low]) / (begin[rows, high] - end[rows, low])
        share = np.where(high > low, np.clip(np.nan_to_num(share), 0.0, 1.0), 0.0)[:, None]
        edge = np.where(high > low, self.upper[rows, low], wanted)
        left, right = (self._value(self.multipliers, self.multiplier_slope, piece, edge) for piece in (low, high))
        return z, (1.0 - share) * left + share * right

    def _value(self, constant: NDArray[np.float64], by: NDArray[np.float64], piece: Indices, s: Vector) -> Matrix:
        """Return what is affine in s, at the point of a piece next to s."""
        rows = np.arange(s.size)
        at = np.clip(s, self.lower[rows, piece], self.upper[rows, piece])
        return np.asarray(constant[rows, piece] + by[rows, piece] * at[:, None])


def _interval(constant: Matrix, slope: Matrix) -> tuple[Vector, Vector]:
    """Return the s for which constant + slope s <= 0 in every column; lower > upper where there is none."""
    size = 1.0 + np.abs(constant)
    flat = np.abs(slope) <= _NEAR
    impossible = (flat & (constant > _NEAR * size)).any(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        end = np.where(flat, 0.0, -constant / slope)
    upper = np.where(~flat & (slope > 0), end, np.inf).min(axis=1, initial=np.inf)
    lower = np.where(~flat & (slope < 0), end, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(impossible, np.inf, lower), np.where(impossible, -np.inf, upper)


def _one_side(changes: list[tuple[Any, ...]], *, below: bool, rounding: Vector) -> _Changes:
    """Return the changes of the slopes on one side of 0."""
    made = []
    for of, low, high, begin, end, zero, ridge in changes:
        with np.errstate(invalid="ignore"):
            # From infinity to infinity nothing changes.
            size = np.minimum(end, 0.0) - begin if below else end - np.maximum(begin, 0.0)
        near = np.where(end > 0, zero, high) if below else np.where(begin < 0, zero, low)
        kept = (begin < 0 if below else end > 0) & (size > rounding[of])
        steep = np.zeros(of.size) if ridge is None else ridge
        made.append((of[kept], near[kept], steep[kept], size[kept]))
    return _Changes(*(np.concatenate(each) for each in zip(*made, strict=True)))


def _paired(falling: _Changes, rising: _Changes) -> LossEntries:
    """Return entries with both sides where a function has a change on each at the same rate, the innermost first."""
    sides = [np.full(falling.of.size, 0), np.full(rising.of.size, 1)]
    of, side = np.concatenate([falling.of, rising.of]), np.concatenate(sides)
    near, ridge = np.concatenate([falling.near, rising.near]), np.concatenate([falling.ridge, rising.ridge])
    size = np.concatenate([falling.size, rising.size])
    # Rates that differ by rounding are the same.
    ascending = np.argsort(ridge)
    apart = np.diff(ridge[ascending]) > _NEAR * ridge[ascending][1:]
    rate = np.zeros(of.size, dtype=np.intp)
    rate[ascending[1:]] = np.cumsum(apart)
    order = np.lexsort((np.where(side == 0, -near, near), side, rate, of))
    # The number of each change among those of its function, rate and side, by which the two sides are matched.
    begins = np.diff(of[order]).astype(bool) | np.diff(rate[order]).astype(bool) | np.diff(side[order]).astype(bool)
    place = np.arange(of.size)
    rank = np.empty(of.size, dtype=np.intp)
    rank[order] = place - np.maximum.accumulate(np.where(np.append(True, begins)[: of.size], place, 0))
    order = np.lexsort((side, rank, rate, of))
    of, near, ridge, size, side = of[order], near[order], ridge[order], size[order], side[order]
    matched = ~(np.diff(of).astype(bool) | np.diff(rate[order]).astype(bool) | np.diff(rank[order]).astype(bool))
    first, second = np.append(matched, False)[: of.size], np.append(False, matched)[: of.size]
    made = [
        LossEntries(
            of[first], 0.5 * (near[first] + near[second]), np.maximum(0.5 * (near[second] - near[first]), 0.0),
            ridge[first], -size[second], size[first],
        )
    ]  # fmt: skip
    for number in (0, 1):
        alone = ~first & ~second & (side == number)
        zero = np.zeros(int(alone.sum()))
        ends = (zero, size[alone]) if number == 0 else (-size[alone], zero)
        made.append(LossEntries(of[alone], near[alone], zero, ridge[alone], *ends))
    numbers = np.concatenate([each.of for each in made])
    order = numbers.argsort(kind="stable")
    values = [np.concatenate([getattr(each, name) for each in made])[order] for name in ENTRIES]
    return LossEntries(numbers[order], *values)
