# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra proved in exact arithmetic: solutions, points on linear equations, null vectors, semidefiniteness.

**Square systems.** With any approximate inverse R of B and any approximate solution x, the exact solution y of B y = c
satisfies, where alpha = ||I - R B|| < 1 in the norm of largest row sums,

    |y - x|  <=  |R (c - B x)| + alpha / (1 - alpha) ||R (c - B x)||

entry by entry, and B is then proved to be regular (Rump, Acta Numerica 2010, section 10).

**Fewer equations than unknowns.** All unknowns but a basis stay the floats that they are, and the basis is solved for.
Unknowns that a single equation has, and no other, are solved for by that equation alone, one after another; what is
left is a square system.

**Rational points** are found in the same order, and the square system is solved as null vectors are.

**Null vectors** of rational matrices come from Bareiss' elimination, which needs no fractions (Bareiss, Sylvester's
identity and multistep integer-preserving Gaussian elimination, 1968).

**Definiteness.** Where the Cholesky decomposition of a matrix H runs to its end in floating-point arithmetic, no
eigenvalue of H is below -gamma_{n+1} / (1 - gamma_{n+1}) tr H, up to underflow (Rump, Verification of positive
definiteness, BIT 46, 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, qr
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, issparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.intervals import TINY, UNIT, Interval, gamma, inner, product, up
from qpkernels.errors import NoProofError

__all__ = [
    "enclose_null_vector",
    "enclose_point",
    "enclose_solution",
    "exact_point",
    "exact_solution",
    "least_move",
    "near_factor",
    "semidefinite_shift",
]


def enclose_solution(B: Matrix, c: Interval | Vector) -> Interval | None:
    """Return an enclosure of the y with B y = c, of every c in an interval; None where B is not proved to be regular.

    Parameters
    ----------
    B
        Dense, shape (n, n).
    c
        Shape (n,).
    """
    right = c if isinstance(c, Interval) else Interval.of(c)
    n = len(B)
    if n == 0:
        return Interval.of(np.zeros(0))
    try:
        R = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(R).all():
        return None
    sizes = np.abs(R)
    # ||I - R B||: what is computed, and what rounding may have added to it.
    rounding = gamma(n + 1) * (sizes @ (np.abs(B) @ np.ones(n)) + 1.0)
    alpha = float(up((np.abs(np.eye(n) - R @ B).sum(axis=1) + rounding).max() * (1.0 + gamma(n))))
    if not alpha < 0.5:
        return None
    x = R @ right.middle
    for _ in range(2):
        x = x + R @ (right - product(B, x)).middle
    residual = product(R, right - product(B, x)).magnitude
    # Twice alpha / (1 - alpha) pays for the rounding of the division.
    return Interval.of(x, up(residual + 4.0 * alpha * float(residual.max())))


_RIDGE = 1e-14
"""Share of the largest diagonal entry that makes normal equations of dependent rows regular."""


_DENSE = 0.05
"""Share of nonzeros from which on normal equations are decomposed as a dense matrix."""


def least_move(M: csr_array, residual: Vector, room: Vector) -> Vector | None:
    """Return a small d with M d near ``residual``, each entry being the smaller the less room it has.

    It minimises sum (d_j / room_j)^2. Where the equations contradict each other, they are met in the sense of least
    squares; None where even that fails.
    """
    if M.shape[0] == 0:
        return np.zeros(M.shape[1])
    sizes = abs(M) @ room
    scale = 1.0 / np.where(sizes > 0, sizes, 1.0)
    scaled = csr_array(diags_array(scale) @ M @ diags_array(room))
    solve = _solver(csc_array(scaled @ scaled.T))
    if solve is None:
        return None
    weights, left = np.zeros(M.shape[0]), scale * residual
    for _ in range(3):
        weights = weights + solve(left - scaled @ (scaled.T @ weights))
    move = np.asarray(room * (scaled.T @ weights))
    return move if np.isfinite(move).all() else None


def _solver(normal: csc_array) -> Callable[[Vector], Vector] | None:
    """Return what solves the normal equations nearly; None where they cannot be decomposed."""
    ridge = _RIDGE * float(normal.diagonal().max())
    try:
        if normal.nnz > _DENSE * normal.shape[0] ** 2:
            factor = cho_factor(normal.toarray() + ridge * np.eye(normal.shape[0]), check_finite=False)
            return partial(cho_solve, factor, check_finite=False)
        return splu(csc_array(normal + ridge * eye_array(normal.shape[0]))).solve
    except (RuntimeError, LinAlgError):
        return None


@dataclass(frozen=True, eq=False)
class _Order:
    """The order in which equations M u = c are solved.

    Attributes
    ----------
    fixed
        The equations of which no unknown may move.
    rows, basis
        The equations that are solved together, and the unknowns that they are solved for, the best first.
    peeled
        Equations and, for each of them, an unknown that later ones do not have: to be solved from the last one on.
    """

    fixed: Indices
    rows: Indices
    basis: Indices
    peeled: list[tuple[Indices, Indices]]

    @classmethod
    def of(cls, M: csr_array, room: Vector) -> _Order:
        """Return the order for entries that may move so far."""
        fixed = abs(M) @ room == 0
        rows = np.flatnonzero(~fixed)
        peeled: list[tuple[Indices, Indices]] = []
        while rows.size:
            equations, unknowns = _alone(csc_array(M[rows]), room)
            if not equations.size:
                break
            peeled.append((rows[equations], unknowns))
            rows = np.delete(rows, equations)
            room = room.copy()
            room[unknowns] = 0.0
        (open_,) = np.nonzero(room > 0)
        if rows.size:
            dense = M[rows][:, open_].toarray() * room[open_]
            sizes = np.abs(dense).sum(axis=1)
            pivots = qr(dense / np.where(sizes > 0, sizes, 1.0)[:, None], mode="r", pivoting=True)[1]
            open_ = open_[pivots]
        return cls(np.flatnonzero(fixed), rows, open_[: rows.size], peeled)


def enclose_point(M: csr_array, c: Vector, u: Vector, room: Vector) -> Interval | None:
    """Return an enclosure, near u, of a point that satisfies M u = c exactly; None where none is found.

    Parameters
    ----------
    M, c
        Shapes (k, n) and (k,).
    u
        A point that nearly satisfies the equations.
    room
        Shape (n,): how far each entry may move; those with most are solved for, those with 0 never.
    """
    order = _Order.of(M, room)
    if not _hold_already(M[order.fixed], c[order.fixed], u) or order.basis.size < order.rows.size:
        return None
    point = Interval.of(u)
    if order.rows.size:
        left = _left(M, c, point, order.rows, order.basis)
        values = enclose_solution(M[order.rows][:, order.basis].toarray(), left)
        if values is None:
            return None
        point = _replaced(point, order.basis, values)
    for equations, unknowns in reversed(order.peeled):
        point = _substitute(M, c, point, equations, unknowns)
    return point


def exact_point(M: csr_array, c: Vector, u: Sequence[Fraction], room: Vector) -> list[Fraction] | None:
    """Return a rational point near u that satisfies M u = c exactly; None where none is found.

    Parameters
    ----------
    M, c, room
        As in :func:`enclose_point`. Equations may depend on each other.
    u
        A point that nearly satisfies the equations.

    Raises
    ------
    NoProofError
        As :func:`exact_solution` raises it.
    """
    order = _Order.of(M, room)
    point = list(u)

    def missing(row: int) -> Fraction:
        part = slice(M.indptr[row], M.indptr[row + 1])
        terms = zip(M.data[part].tolist(), M.indices[part].tolist(), strict=True)
        return Fraction(c[row]) - sum((Fraction(value) * point[j] for value, j in terms if value), Fraction(0))

    if any(map(missing, order.fixed)):
        return None
    steps = exact_solution(csr_array(M[order.rows][:, order.basis]), list(map(missing, order.rows)))
    if steps is None:
        return None
    for j, step in zip(order.basis.tolist(), steps, strict=True):
        point[j] += step
    for equations, unknowns in reversed(order.peeled):
        for row, j in zip(equations.tolist(), unknowns.tolist(), strict=True):
            point[j] += missing(row) / Fraction(float(M[row, j]))
    return point


_FILL = 8
"""Entries that the elimination of one unknown may add to a sparse system."""

_MOST_FILL = 1000
"""The same while more equations are left than are solved together."""

_MOST = 64
"""Equations that are solved together in rational arithmetic, whose time grows with more than the cube of them."""


def exact_solution(B: csr_array, c: Sequence[Fraction]) -> list[Fraction] | None:
    """Return a y with B y = c, of which as many entries are 0 as B allows; None where there is none.

    Unknowns are eliminated one after another while that leaves the system sparse; the dense rest is solved together.

    Parameters
    ----------
    B
        Shape (k, n), in floats.
    c
        Its k numbers.

    Raises
    ------
    NoProofError
        If the dense rest has more than 64 equations.
    """
    system = _Sparse.of(B, c)
    while system.eliminates():
        pass
    return system.substituted(_solved_together([*system.rows.values()], [*system.holders], B.shape[1]))


@dataclass(frozen=True, eq=False)
class _Sparse:
    """What is left of sparse equations, and what was eliminated from them.

    Attributes
    ----------
    rows
        The entries of equations by their numbers; the right-hand side has the number of unknowns as its number.
    holders
        The equations in which an unknown occurs.
    eliminated
        Unknowns, each with the equation that gives it.
    right
        The number of unknowns.
    """

    rows: dict[int, dict[int, Fraction]]
    holders: dict[int, set[int]]
    eliminated: list[tuple[int, dict[int, Fraction]]]
    right: int

    @classmethod
    def of(cls, B: csr_array, c: Sequence[Fraction]) -> _Sparse:
        """Return the system B y = c."""
        n, edges = B.shape[1], B.indptr.tolist()
        entries = list(zip(B.indices.tolist(), map(Fraction, B.data.tolist()), strict=True))
        rows: dict[int, dict[int, Fraction]] = {}
        holders: dict[int, set[int]] = {}
        for i, value in enumerate(c):
            rows[i] = {j: entry for j, entry in entries[edges[i] : edges[i + 1]] if entry}
            for j in rows[i]:
                holders.setdefault(j, set()).add(i)
            rows[i][n] = value
        return cls(rows, holders, [], n)

    def eliminates(self) -> bool:
        """Eliminate an unknown by the shortest equation, or the one that fewest have, while that fills in little."""
        for j in [j for j, holders in self.holders.items() if not holders]:
            del self.holders[j]
        if not self.holders:
            return False
        j = min(self.holders, key=lambda each: len(self.holders[each]))
        i = min(self.holders[j], key=lambda each: len(self.rows[each]))
        shortest = min((each for each in self.rows if len(self.rows[each]) > 1), key=lambda each: len(self.rows[each]))
        fewest = min(self.rows[shortest].keys() - {self.right}, key=lambda each: len(self.holders[each]))
        i, j = min((i, j), (shortest, fewest), key=self._fill)
        if self._fill((i, j)) > (_FILL if len(self.holders) <= _MOST else _MOST_FILL):
            return False
        pivot = self.rows.pop(i)
        for column in pivot.keys() - {self.right}:
            self.holders[column].discard(i)
        for other in self.holders.pop(j):
            self._subtract(other, self.rows[other].pop(j) / pivot[j], j, pivot)
        self.eliminated.append((j, pivot))
        return True

    def _fill(self, place: tuple[int, int]) -> int:
        """Return how many entries the elimination by this entry may add (Markowitz, 1957)."""
        i, j = place
        return (len(self.rows[i]) - 2) * (len(self.holders[j]) - 1)

    def _subtract(self, other: int, share: Fraction, j: int, pivot: dict[int, Fraction]) -> None:
        row = self.rows[other]
        for column, value in pivot.items():
            if column == j:
                continue
            row[column] = row.get(column, Fraction(0)) - share * value
            if column == self.right:
                continue
            if row[column]:
                self.holders[column].add(other)
            else:
                del row[column]
                self.holders[column].discard(other)

    def substituted(self, found: list[Fraction] | None) -> list[Fraction] | None:
        """Return the solution, from the values of the unknowns that were not eliminated."""
        if found is None:
            return None
        for j, row in reversed(self.eliminated):
            rest = (value * found[column] for column, value in row.items() if column not in (j, self.right))
            found[j] = (row[self.right] - sum(rest, Fraction(0))) / row[j]
        return found


def _solved_together(rows: list[dict[int, Fraction]], columns: list[int], n: int) -> list[Fraction] | None:
    """Return n entries, 0 except for those of these columns, that satisfy dense rows, whose right side has number n."""
    if min(len(rows), len(columns)) > _MOST:
        raise NoProofError(
            f"{len(rows)} equations have to be solved together in exact arithmetic, which is done up to {_MOST}."
        )
    dense = [_integers([row.get(j, Fraction(0)) for j in (*columns, n)]) for row in rows]
    solved, divisor = _eliminated(dense) if dense else ([], 1)
    if len(columns) in solved:
        return None
    found = [Fraction(0)] * n
    for row, column in enumerate(solved):
        found[columns[column]] = Fraction(dense[row][-1], divisor)
    return found


def _hold_already(M: csr_array, c: Vector, u: Vector) -> bool:
    """Return whether all equations are satisfied exactly by the floats u."""
    for row, right in enumerate(c):
        part = slice(M.indptr[row], M.indptr[row + 1])
        left = inner(M.data[part], u[M.indices[part]])
        if not float(left.lower) == float(left.upper) == right:
            return False
    return True


def _alone(M: csc_array, room: Vector) -> tuple[Indices, Indices]:
    """Return for equations that have an unknown of their own: their numbers, and the best such unknown of each."""
    counts = np.diff(M.indptr)
    (candidates,) = np.nonzero((counts == 1) & (room > 0))
    if not candidates.size:
        return candidates, candidates
    starts = M.indptr[candidates]
    equation, reach = M.indices[starts], np.abs(M.data[starts]) * room[candidates]
    order = np.lexsort((-reach, equation))
    chosen, first = np.unique(equation[order], return_index=True)
    return chosen.astype(np.intp), candidates[order][first]


def _substitute(M: csr_array, c: Vector, point: Interval, equations: Indices, unknowns: Indices) -> Interval:
    pivots = np.asarray(M[equations][:, unknowns].diagonal())
    return _replaced(point, unknowns, _left(M, c, point, equations, unknowns).divided_by(pivots))


def _left(M: csr_array, c: Vector, point: Interval, rows: Indices, unknowns: Indices) -> Interval:
    """Return c less the part of the equations that the other unknowns make up."""
    lower, upper = point.lower.copy(), point.upper.copy()
    lower[unknowns] = upper[unknowns] = 0.0
    return c[rows] - product(M[rows], Interval(lower, upper))


def _replaced(point: Interval, entries: Any, values: Interval) -> Interval:
    lower, upper = point.lower.copy(), point.upper.copy()
    lower[entries], upper[entries] = values.lower, values.upper
    return Interval(lower, upper)


_PRIME = 2**61 - 1


def enclose_null_vector(R: Any, v: Vector) -> Interval | None:
    """Return an enclosure of a vector w with R w = 0, near v where v is nearly one; None where only 0 is one.

    As many entries as R has independent columns are solved for, the largest of v first; the others stay as they are.

    Parameters
    ----------
    R
        Integers, fractions or floats, shape (n, k), as an array of objects.
    v
        Shape (k,), in floats.
    """
    order = np.argsort(-np.abs(v), kind="stable")
    rows = [_integers(row) for row in R[:, order].tolist()]
    if _is_regular(rows):
        return None
    solved, divisor = _eliminated(rows)
    free = [column for column in range(v.size) if column not in solved]
    if not free:
        return None
    values = [Fraction(value) for value in v[order].tolist()]
    for row, column in enumerate(solved):
        values[column] = -sum((rows[row][each] * values[each] for each in free), Fraction(0)) / divisor
    low, high = np.empty_like(v), np.empty_like(v)
    try:
        low[order], high[order] = zip(*map(_ends, values), strict=True)
    except OverflowError:
        return None
    return Interval(low, high)


def _integers(row: list[Any]) -> list[int]:
    entries = [Fraction(entry) for entry in row]
    unit = lcm(*(entry.denominator for entry in entries))
    return [entry.numerator * (unit // entry.denominator) for entry in entries]


def _is_regular(rows: list[list[int]]) -> bool:
    """Return whether the columns are independent modulo a prime, and so are independent."""
    left = [[entry % _PRIME for entry in row] for row in rows]
    for column in range(len(rows[0])):
        found = next((number for number, row in enumerate(left) if row[column]), None)
        if found is None:
            return False
        pivot = left.pop(found)
        inverse = pow(pivot[column], -1, _PRIME)
        for number, row in enumerate(left):
            if row[column]:
                share = row[column] * inverse % _PRIME
                left[number] = [(a - share * b) % _PRIME for a, b in zip(row, pivot, strict=True)]
    return True


def _eliminated(rows: list[list[int]]) -> tuple[list[int], int]:
    """Eliminate in place; return the columns solved for, each alone in a row, and the number that it has there."""
    solved: list[int] = []
    divisor = 1
    for column in range(len(rows[0])):
        rank = len(solved)
        found = next((number for number in range(rank, len(rows)) if rows[number][column]), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        pivot = rows[rank]
        for number, row in enumerate(rows):
            if number != rank:
                share, own = row[column], pivot[column]
                rows[number] = [(own * a - share * b) // divisor for a, b in zip(row, pivot, strict=True)]
        divisor = pivot[column]
        solved.append(column)
    return solved, divisor


def _ends(value: Fraction) -> tuple[float, float]:
    near = float(value)
    return (
        near if Fraction(near) <= value else float(np.nextafter(near, -np.inf)),
        near if Fraction(near) >= value else float(np.nextafter(near, np.inf)),
    )


_EXACT = 24
"""Order up to which a block that is not clearly definite is decomposed in rational arithmetic."""


_LARGEST = 10_000
"""Order above which a block of a sparse matrix is not made dense, and nothing proved of it."""


def semidefinite_shift(P: Any) -> float:
    """Return a tau >= 0, proved, such that P + tau I is positive semidefinite; inf where none is found.

    Parameters
    ----------
    P
        Symmetric, dense or sparse, shape (n, n). A matrix that is symmetric only up to rounding is read as 1/2 (P +
        P'), since x'P x is the same for both.

    Notes
    -----
    Each block of variables that P couples is treated separately. A clearly definite block needs one decomposition and
    no tau; a small one is decided in rational arithmetic; any other is proved up to a tau of about 4 n u trace.
    """
    if not issparse(P):
        return _shift_of(np.asarray(P, dtype=np.float64))
    rows = _rows(P)
    coupled = [members for members in _components(rows) if members.size > 1]
    if not rows.diagonal().min(initial=0.0) >= 0 or max(map(len, coupled), default=0) > _LARGEST:
        return float("inf")
    return max((_shift_of(rows[members][:, members].toarray()) for members in coupled), default=0.0)


def near_factor(P: Matrix) -> Matrix:
    """Return a lower triangle G of few digits with P - GG' diagonally dominant where P is definite enough, else small.

    Parameters
    ----------
    P
        Symmetric, and positive semidefinite up to rounding, shape (n, n).
    """
    least = 8.0 * UNIT * len(P) * (float(P.diagonal().max(initial=0.0)) or 1.0)
    shift = -least
    while True:
        try:
            G = cholesky(P + shift * np.eye(len(P)), lower=True, check_finite=False)
        except LinAlgError:
            shift = max(4.0 * shift, least / 64.0)
            continue
        # Products of multiples of one power of 2 are products of short integers.
        grid = 2.0 ** (np.frexp(np.abs(G).max(initial=0.0))[1] - 56)
        return np.asarray(np.round(G / grid) * grid)


def _components(rows: csr_array) -> list[Indices]:
    """Return the sets of variables that P couples."""
    count, label = connected_components(rows, directed=False)
    return np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label, minlength=count))[:-1])


def _rows(P: Any) -> csr_array:
    rows = csr_array(P, copy=True)
    rows.eliminate_zeros()
    return rows


def _shift_of(block: Matrix) -> float:
    diagonal = np.asarray(block.diagonal())
    if diagonal.size == 0:
        return 0.0
    if not np.isfinite(diagonal).all() or diagonal.min() < 0:
        return float("inf")
    symmetric, asymmetry = _symmetric(block)
    loss = asymmetry + _loss(diagonal)
    if _runs(symmetric, -2.0 * loss):
        return 0.0
    if diagonal.size <= _EXACT:
        return 0.0 if _is_semidefinite(block) else float("inf")
    tau = 2.0 * loss
    # The loss once more pays for the rounding of the shifted diagonal.
    return float(up(tau + loss)) if _runs(symmetric, tau) else float("inf")


def _symmetric(block: Matrix) -> tuple[Matrix, float]:
    """Return 1/2 (P + P') as it is rounded, and a bound of the spectral norm of what the rounding changed."""
    if np.array_equal(block, block.T):
        return block, 0.0
    symmetric = 0.5 * (block + block.T)
    return symmetric, float(up(2.0 * UNIT * np.abs(symmetric).sum(axis=1).max() * (1.0 + gamma(len(block)))))


def _loss(diagonal: Vector) -> float:
    n = diagonal.size
    g = gamma(n + 2)
    trace = float(np.sum(diagonal)) * (1.0 + gamma(n))
    return float(up(2.0 * g / (1.0 - g) * trace + 4.0 * n * (n + 1) * TINY))


def _runs(P: Matrix, shift: float) -> bool:
    moved = P.copy()
    moved[np.diag_indices(len(P))] += shift
    try:
        cholesky(moved, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _is_semidefinite(P: Matrix) -> bool:
    """Return whether P is, by its elimination in rational arithmetic."""
    left = [[Fraction(entry) for entry in row] for row in P.tolist()]
    left = [[entry + left[j][i] for j, entry in enumerate(row)] for i, row in enumerate(left)]
    while left:
        pivot, *rest = left[0]
        if pivot < 0 or (pivot == 0 and any(rest)):
            return False
        left = [
            [entry - row[0] * other / pivot if pivot else entry for entry, other in zip(row[1:], rest, strict=True)]
            for row in left[1:]
        ]
    return True
