# SPDX-License-Identifier: BSD-3-Clause
"""From a loose answer of a quadratic program to one that satisfies the conditions of optimality to the last digits.

Two steps take turns. The first is that of the proximal method of multipliers (Rockafellar, 1976): from (x_k, z_k)
to the saddle point of

    1/2 x'Px + q'x + rho/2 ||x - x_k||^2 + z'(Ax - b) - mu/2 ||z - z_k||^2,    z_i >= 0 for inequalities,

which is found by Newton's method on a piecewise linear system, with an exact line search; it converges for degenerate
programs too, and on polyhedra in a few steps. The second takes the rows that this found active as equations and solves

    P x + q + A_a'z_a = 0,    A_a x = b_a,    z = 0 elsewhere

from there by refinement with the factors of the first (the polishing of Stellato et al., 2020, section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import block_array, csc_array, csr_array, diags_array, eye_array
from scipy.sparse.linalg import splu

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.problems import ConeProgram
from qpkernels.problems.cone_program.residuals import kinds

__all__ = ["PolishingWork", "factorise", "polished"]

_REGULARISATION = 1e-8
"""rho and mu, in units in which the coefficients are about 1."""

_STEPS, _NEWTON_STEPS, _REFINEMENTS, _SCALINGS, _BISECTIONS = 25, 40, 40, 10, 50

_DUST = 1e-9
"""Share of the largest coefficient of a row below which another, often what rounding left of 0, has no say in units."""

_WORK = 3e10
"""Operations in factorisations, all together, after which no further step is begun: some ten seconds of one core."""

_DENSE_ABOVE = 0.2
"""Share of nonzeros from which a matrix is factorised as a dense one."""

_FULL_ABOVE = 10.0
"""Columns with more nonzeros than this times the root of their length are full (Amestoy, Davis and Duff, 2004)."""

_LARGEST_BORDER = 5e7
"""Entries that all full columns may have together to be eliminated last, as dense ones."""


@dataclass(eq=False)
class PolishingWork:
    """Operations in factorisations so far, of all that is done for one answer."""

    operations: float = 0.0

    @property
    def suffices(self) -> bool:
        """Whether no further step is to be begun."""
        return self.operations > _WORK

    @property
    def exceeds(self) -> bool:
        """Whether a step is to be given up."""
        return self.operations > 2 * _WORK


def polished(program: ConeProgram, x: Vector, z: Vector, work: PolishingWork) -> Iterator[tuple[Vector, Vector]]:
    """Yield points with multipliers, two for each step and as a rule ever better.

    Programs with other cones than equations and inequalities are left alone.
    """
    if not program.is_quadratic:
        return
    units = _Units.of(program, x)
    scaled = units.scaled(program, work)
    x, z = x / units.x, units.cost * z / units.rows
    active = scaled.equal | (scaled.b - scaled.A @ x < z)
    for _ in range(_STEPS):
        if work.suffices:
            return
        if (answer := scaled.solve_equations(active, x, z)) is not None:
            yield units.back(answer)
        if (answer := scaled.proximal_step(x, z)) is None:
            return
        yield units.back(answer)
        if np.array_equal(answer.x, x) and np.array_equal(answer.z, z):
            return
        x, z, active = answer.x, answer.z, answer.active


@dataclass(frozen=True, eq=False)
class _Answer:
    x: Vector
    z: Vector
    active: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Scaled:
    """min 1/2 x'Px + q'x s.t. Ax = b in the rows ``equal``, Ax <= b in the others."""

    P: csc_array
    q: Vector
    A: csr_array
    b: Vector
    equal: NDArray[np.bool_]
    work: PolishingWork

    def solve_equations(self, active: NDArray[np.bool_], x: Vector, z: Vector) -> _Answer | None:
        """Solve the conditions with these rows active, near (x, z); None: their matrix has no factors."""
        A, b, n = csc_array(self.A[active]), self.b[active], x.size
        factors = self._factors(A)
        if factors is None:
            return None
        trial = best = np.concatenate([x, z[active]])
        least = np.inf
        for _ in range(_REFINEMENTS):
            residual = np.concatenate([-(self.P @ trial[:n] + self.q + A.T @ trial[n:]), b - A @ trial[:n]])
            size = float(np.abs(residual).max(initial=0.0))
            if not size < 1e3 * least or (size >= least and least < 1e-15):
                break
            if size < least:
                best, least = trial, size
            trial = trial + factors.solve(residual)
        multipliers = np.zeros_like(z)
        multipliers[active] = best[n:]
        return _Answer(best[:n], multipliers, active)

    def proximal_step(self, centre: Vector, multipliers: Vector) -> _Answer | None:
        """Return the saddle point by Newton's method; None: a matrix has no factors."""
        x, w = centre, self.A @ centre - self.b + _REGULARISATION * multipliers
        for _ in range(_NEWTON_STEPS):
            active = self.equal | (w > 0)
            slope = self.P @ x + self.q + _REGULARISATION * (x - centre)
            newton = self._newton(active, slope, w)
            if newton is None or self.work.exceeds:
                return None
            dx, z = newton
            dw = self.A @ dx
            if np.array_equal(self.equal | (w + dw > 0), active):
                return _Answer(x + dx, z, active)
            t = self._line_search(dx, slope, w, dw)
            x, w = x + t * dx, w + t * dw
        return _Answer(x, self._positive(w) / _REGULARISATION, self.equal | (w > 0))

    def _factors(self, A: csc_array) -> _Factors | None:
        factors = factorise(self.P, A, _REGULARISATION)
        self.work.operations += factors.work if factors else 0.0
        return factors

    def _newton(self, active: NDArray[np.bool_], slope: Vector, w: Vector) -> tuple[Vector, Vector] | None:
        A, n = csc_array(self.A[active]), slope.size
        factors = self._factors(A)
        if factors is None:
            return None
        right = -np.concatenate([slope, w[active]])
        d = factors.solve(right)
        for _ in range(2):
            dx, z = d[:n], d[n:]
            above = self.P @ dx + _REGULARISATION * dx + A.T @ z
            d = d + factors.solve(right - np.concatenate([above, A @ dx - _REGULARISATION * z]))
        if not np.isfinite(d).all():
            return None
        multipliers = np.zeros(w.size)
        multipliers[active] = d[n:]
        return d[:n], np.where(self.equal, multipliers, np.maximum(multipliers, 0.0))

    def _line_search(self, dx: Vector, slope: Vector, w: Vector, dw: Vector) -> float:
        """Return the t <= 1 at which the objective in x alone, piecewise quadratic, is least along dx."""
        start, curve = float(slope @ dx), float(dx @ (self.P @ dx) + _REGULARISATION * dx @ dx)

        def derivative(t: float) -> float:
            return start + t * curve + float(self._positive(w + t * dw) @ dw) / _REGULARISATION

        low, high = 0.0, 1.0
        if derivative(high) < 0:
            return high
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
        return high

    def _positive(self, w: Vector) -> Vector:
        return np.where(self.equal, w, np.maximum(w, 0.0))


@dataclass(frozen=True, eq=False)
class _Units:
    """Units of variables and rows in which no coefficient stands out, and that of the objective.

    First the coefficients of the constraints get a geometric mean of about 1 (of the smallest and the largest in each
    row and column), then the largest in each row and column of all gets 1 (Ruiz, 2001).
    """

    x: Vector
    rows: Vector
    cost: float

    @classmethod
    def of(cls, program: ConeProgram, point: Vector) -> _Units:
        """Return those in which the largest entry of a point, and of the slope of the objective, is 1."""
        P, A = csc_array(abs(program.P)), _without_dust(csc_array(abs(program.A)))
        x, rows = np.ones(program.q.size), np.ones(program.b.size)
        for _ in range(_SCALINGS):
            row = 1.0 / _typical(A, 1)
            A = csc_array(diags_array(row) @ A)
            column = 1.0 / _typical(A, 0)
            A = csc_array(A @ diags_array(column))
            x, rows = x * column, rows * row
        P = csc_array(diags_array(x) @ P @ diags_array(x))
        for _ in range(_SCALINGS):
            column = 1.0 / np.sqrt(np.maximum(_largest(P, 0, 0.0), _largest(A, 0)))
            row = 1.0 / np.sqrt(_largest(A, 1))
            P = csc_array(diags_array(column) @ P @ diags_array(column))
            A = csc_array(diags_array(row) @ A @ diags_array(column))
            x, rows = x * column, rows * row
        far = float(np.abs(point / x).max(initial=0.0)) or 1.0
        x, rows = far * x, rows / far
        size = max(float(np.abs(x * program.q).max(initial=0.0)), far**2 * float(P.max()) if P.nnz else 0.0)
        return cls(x, rows, 1.0 / size if size > 0 else 1.0)

    def back(self, answer: _Answer) -> tuple[Vector, Vector]:
        """Return a point and its multipliers in the units of the program."""
        return self.x * answer.x, self.rows * answer.z / self.cost

    def scaled(self, program: ConeProgram, work: PolishingWork) -> _Scaled:
        """Return the program in these units."""
        columns, (equal, _) = diags_array(self.x), kinds(program)
        return _Scaled(
            P=csc_array(self.cost * (columns @ program.P @ columns)),
            q=self.cost * self.x * program.q,
            A=csr_array(diags_array(self.rows) @ program.A @ columns),
            b=self.rows * program.b,
            equal=equal,
            work=work,
        )


def _largest(matrix: csc_array, axis: int, otherwise: float = 1.0) -> Vector:
    """Return the largest of the coefficients, none of them negative, along an axis; ``otherwise`` where all are 0."""
    return _extreme(np.maximum, matrix, axis, 0.0, otherwise)


def _typical(matrix: csc_array, axis: int) -> Vector:
    """Return the geometric mean of the largest and the smallest coefficient along an axis; 1 where all are 0."""
    return np.sqrt(_largest(matrix, axis) * _extreme(np.minimum, matrix, axis, np.inf, 1.0))


def _without_dust(matrix: csc_array) -> csc_array:
    """Return the coefficients that are no dust beside the largest of their row."""
    entries = csr_array(matrix)
    sizes = np.repeat(_largest(matrix, 1), np.diff(entries.indptr))
    entries.data[entries.data <= _DUST * sizes] = 0.0
    return csc_array(entries)


def _extreme(choose: np.ufunc, matrix: csc_array, axis: int, start: float, otherwise: float) -> Vector:
    entries = matrix.tocoo()
    some = entries.data > 0
    extreme = np.full(matrix.shape[1 - axis], start)
    choose.at(extreme, entries.coords[1 - axis][some], entries.data[some])
    return np.where(extreme == start, otherwise, extreme)


@dataclass(frozen=True, eq=False)
class _Factors:
    """A function that solves with a matrix, and about how many operations it took to get."""

    solve: Callable[[Vector], Vector]
    work: float


def factorise(P: csc_array, A: csc_array, regularisation: float) -> _Factors | None:
    """Return factors of [[P + t I, A'], [A, -t I]] for a regularisation t; None if it has none."""
    n, k = P.shape[0], A.shape[0]
    blocks: Any = [[P + regularisation * eye_array(n), A.T], [A, -regularisation * eye_array(k)]]
    K = csc_array(block_array(blocks) if k else blocks[0][0])
    full = np.diff(K.indptr) > _FULL_ABOVE * np.sqrt(K.shape[0])
    if K.nnz > _DENSE_ABOVE * K.shape[0] ** 2 or full.all():
        return _dense(K.toarray())
    return _bordered(K, full) if 0 < full.sum() * K.shape[0] <= _LARGEST_BORDER else _sparse(K)


def _dense(K: Matrix) -> _Factors:
    with blas_threads_for(K.shape[0]):
        factors = lu_factor(K, check_finite=False)
    return _Factors(lambda right: np.asarray(lu_solve(factors, right, check_finite=False)), K.shape[0] ** 3)


def _sparse(K: csc_array) -> _Factors | None:
    try:
        # Small pivots are exchanged, which an order for symmetric pivots (MMD_AT_PLUS_A) pays with full factors.
        factors = splu(K, permc_spec="COLAMD", diag_pivot_thresh=1e-3, options={"SymmetricMode": True})
    except RuntimeError:
        return None
    return _Factors(factors.solve, factors.nnz**2 / K.shape[0])


def _bordered(K: csc_array, full: NDArray[np.bool_]) -> _Factors | None:
    """Eliminate the rows and columns that are full last: among them an order that keeps others sparse cannot be found.

    [[S, B'], [B, D]] (x, y) = (u, v) is (D - B S^-1 B') y = v - B S^-1 u and S x = u - B'y.
    """
    S, B, D = csc_array(K[~full][:, ~full]), csc_array(K[full][:, ~full]), K[full][:, full].toarray()
    inner = _sparse(S)
    if inner is None:
        return None
    outer = _dense(D - B @ inner.solve(B.T.toarray()))

    def solve(right: Vector) -> Vector:
        solution = np.empty_like(right)
        solution[full] = outer.solve(right[full] - B @ inner.solve(right[~full]))
        solution[~full] = inner.solve(right[~full] - B.T @ solution[full])
        return solution

    return _Factors(solve, inner.work + outer.work + B.shape[0] * (B.nnz + S.nnz))
