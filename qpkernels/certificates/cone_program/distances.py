# SPDX-License-Identifier: BSD-3-Clause
r"""How far the slacks s = b - Ax of a point are outside of their cones, each row as a share of its own terms.

For a cone K and sizes w >= 0 of its rows, that is the least share d such that some p in K has |p_i - s_i| <= d w_i in
every row i: so far would the coefficients of this row have to differ for x to be feasible. No row lends its size to its
neighbours, so that no large constant of one hides what another misses. In

* an equation or an inequality, |s_i| or max(-s_i, 0) over w_i;
* {(t, v) : ||v|| <= t}, with v_k the largest of v, the rows are those of t + v_k and t - v_k, made of the coefficients,
  and the others: (t + v_k)(t - v_k) >= sum of the other v_i^2. A constant that t and v_k share, as those of x^2 <= t y,
  is a term of the sum alone;
* {S : S positive semidefinite}, the least d at which S + d diag(w) is: minus the least eigenvalue of W S W, where
  W = diag(w)^(-1/2), which bounds the share from above;
* exponential and power cones, by bisection on d, since each of their rows moves in one direction only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import relative
from qpkernels.gram.panels.threads import blas_threads_for
from qpkernels.programs.cone_program import ConeProgram
from qpkernels.programs.cones import Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

__all__ = ["Slacks", "ratios"]

_SHARES = 2.0 ** np.arange(-64.0, 1.25, 0.25)
"""The shares that a bisection tells apart; above the last one a point is nowhere near the cone."""

_NEAR = 1e-6
"""Share of t within which v is as long as t, and what both have in common is taken out of them."""


def ratios(amounts: Vector, sizes: Vector) -> Vector:
    """Return amounts / sizes, with 0 / 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(amounts == 0, 0.0, amounts / sizes)


@dataclass(frozen=True, eq=False)
class Slacks:
    """The slacks b - Ax of a point, or -Ax of a direction, with the sizes of their terms.

    Attributes
    ----------
    A, b
        Coefficients by rows, and constants: those of the program, or 0 in place of b.
    x
        The point, shape (variables,).
    values, sizes
        b - Ax, and |b_i| + sum_j |A_ij| |x_j|, shape (rows,).
    """

    A: csr_array
    b: Vector
    x: Vector
    values: Vector
    sizes: Vector

    def outside(self, program: ConeProgram) -> Vector:
        """Return the distance of each row from its cone; that of a coupled cone is at its first row."""
        distances = np.zeros(self.values.size)
        for cone, rows in program.parts():
            s, sizes = self.values[rows], self.sizes[rows]
            if isinstance(cone, Zero):
                distances[rows] = ratios(np.abs(s), sizes)
            elif isinstance(cone, Nonnegative):
                distances[rows] = ratios(np.maximum(-s, 0.0), sizes)
            elif not np.isfinite(s).all():
                distances[rows.start] = np.inf
            elif isinstance(cone, SecondOrder):
                distances[rows.start] = self._second_order(rows)
            elif isinstance(cone, PSDTriangle):
                distances[rows.start] = _semidefinite(cone, s, sizes)
            elif isinstance(cone, Exponential):
                distances[rows.start] = _least_share(partial(_is_near_exponential, s, sizes))
            elif isinstance(cone, Power):
                distances[rows.start] = _least_share(partial(_is_near_power, cone.alpha, s, sizes))
        return distances

    def _second_order(self, rows: slice) -> float:
        s, sizes = self.values[rows], self.sizes[rows]
        t, v = float(s[0]), np.abs(s[1:])
        if v.size == 0:
            return relative(max(-t, 0.0), float(sizes[0]))
        if np.linalg.norm(v) <= (1.0 - _NEAR) * t:
            return 0.0
        k = int(np.argmax(v))
        ends = [self._combined(rows.start, rows.start + 1 + k, sign) for sign in (1.0, -1.0)]
        others, room = np.delete(v, k), np.delete(sizes[1:], k)

        def holds(share: float) -> bool:
            low, high = (value + share * size for value, size in ends)
            rest = np.maximum(others - share * room, 0.0)
            return min(low, high) >= 0 and float(np.linalg.norm(rest)) <= np.sqrt(low) * np.sqrt(high)

        return _least_share(holds)

    def _combined(self, first: int, second: int, sign: float) -> tuple[float, float]:
        """Return the sum of a row and another one, times ``sign``, and the size of its terms."""
        row = (self.A[[first]] + sign * self.A[[second]]).tocoo()
        constant = float(self.b[first] + sign * self.b[second])
        terms = row.data * self.x[row.coords[1]]
        return constant - float(terms.sum()), abs(constant) + float(np.abs(terms).sum())


def _least_share(holds: Callable[[float], bool]) -> float:
    """Return the least of the shares that are told apart at which something holds, and at all larger ones."""
    if holds(0.0):
        return 0.0
    low, high = -1, _SHARES.size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(float(_SHARES[middle])) else (middle, high)
    return float(_SHARES[high]) if high < _SHARES.size else np.inf


def _semidefinite(cone: PSDTriangle, s: Vector, sizes: Vector) -> float:
    S, diagonal = cone.matrix(s), np.diag(cone.matrix(sizes))
    # Of such a row nothing may move: all of it has to be 0.
    fixed = diagonal == 0
    if S[fixed].any():
        return np.inf
    units = np.where(fixed, 0.0, 1.0 / np.sqrt(np.where(fixed, 1.0, diagonal)))
    with blas_threads_for(cone.order):
        least = float(np.linalg.eigvalsh(units[:, None] * S * units).min(initial=0.0))
    return max(-least, 0.0)


def _is_near_exponential(s: Vector, sizes: Vector, share: float) -> bool:
    room = share * sizes
    x, w = float(s[0] - room[0]), float(s[2] + room[2])
    if abs(s[1]) <= room[1] and x <= 0.0 <= w:
        return True
    # In y the surface y exp(x / y) falls to y = x, and rises from there.
    levels = (s[1] - room[1], min(max(x, s[1] - room[1]), s[1] + room[1]), s[1] + room[1])
    with np.errstate(over="ignore"):
        return any(y > 0 and y * np.exp(x / y) <= w for y in levels)


def _is_near_power(alpha: float, s: Vector, sizes: Vector, share: float) -> bool:
    x, y = float(s[0] + share * sizes[0]), float(s[1] + share * sizes[1])
    return min(x, y) >= 0 and abs(float(s[2])) - share * float(sizes[2]) <= x**alpha * y ** (1.0 - alpha)
