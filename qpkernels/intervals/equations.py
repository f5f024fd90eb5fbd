# SPDX-License-Identifier: BSD-3-Clause
"""Points that satisfy linear equations: moved onto them, and enclosed where they do so exactly.

Of M u = c with fewer equations than unknowns, all unknowns but a basis stay the floats that they are, and the basis is
solved for. Unknowns that a single equation has, and no other, are solved for by that equation alone, one after another;
what is left is a square system of its own, see :func:`~qpkernels.intervals.linear_system.enclose_solution`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr
from scipy.sparse import csc_array, csr_array, diags_array, eye_array
from scipy.sparse.linalg import splu

from qpkernels.arrays import Indices, Vector
from qpkernels.intervals.interval import Interval
from qpkernels.intervals.linear_system import enclose_solution
from qpkernels.intervals.products import inner, product

__all__ = ["enclose_point", "least_move"]

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
    point = Interval.of(u)
    fixed = abs(M) @ room == 0
    if not _hold_already(M[fixed], c[fixed], u):
        return None
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
    solved = _core(M, c, point, rows, room)
    for equations, unknowns in reversed(peeled):
        solved = None if solved is None else _substitute(M, c, solved, equations, unknowns)
    return solved


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


def _core(M: csr_array, c: Vector, point: Interval, rows: Indices, room: Vector) -> Interval | None:
    """Solve the equations ``rows`` for as many unknowns."""
    if not rows.size:
        return point
    (open_,) = np.nonzero(room > 0)
    if open_.size < rows.size:
        return None
    dense = M[rows][:, open_].toarray()
    sizes = np.abs(dense) @ room[open_]
    if not (sizes > 0).all():
        return None
    order = qr(dense * room[open_] / sizes[:, None], mode="r", pivoting=True)[1]
    basis = open_[order[: rows.size]]
    values = enclose_solution(M[rows][:, basis].toarray(), _left(M, c, point, rows, basis))
    return None if values is None else _replaced(point, basis, values)


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
