# SPDX-License-Identifier: BSD-3-Clause
"""The quadratic program that a cone program is near one of its points: a step of sequential quadratic programming.

A cone {s : g(s) <= 0} with a smooth convex g gives one inequality, g(s0) + grad g(s0)'(s - s0) <= 0 with s = b - Ax,
and with its multiplier m the curvature m A'(hess g)A of the Lagrangian, so that the steps converge quadratically. The
eigenvalues of semidefinite matrices that are to be 0 give equations, with a curvature of the same kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import block_diag, csc_array, csr_array, eye_array

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.problems import Block, Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

__all__ = ["Linearised"]


@dataclass(frozen=True, eq=False)
class Linearised:
    """A quadratic program near a point, and the way of multipliers there and back.

    The rows of a cone that has no smooth surface at the point are held where they are.
    """

    original: ConeProgram
    program: ConeProgram
    multipliers: Vector
    _locals: tuple[_Local, ...]

    @classmethod
    def at(cls, original: ConeProgram, x: Vector, z: Vector) -> Linearised:
        """Linearise at the point x with the multipliers z."""
        A, s = csr_array(original.A), original.b - original.A @ x
        near = tuple(_local(cone, s[part], z[part]) for cone, part in original.parts())
        empty = csr_array((0, 0))
        rows = block_diag([empty, *(each.rows for each in near)], format="csr")
        root = block_diag([empty, *(each.curvature for each in near)], format="csr") @ A
        P = original.P + root.T @ root
        P = csc_array(0.5 * (P + P.T))
        b = rows @ original.b + np.concatenate([np.zeros(0), *(each.offset for each in near)])
        program = replace(
            original,
            P=P,
            q=original.q + original.P @ x - P @ x,
            A=csc_array(rows @ A),
            b=b,
            cones=tuple(each.cone for each in near),
            rows=(Block("rows", 0, b.size),),
        )
        return cls(original, program, np.concatenate([np.zeros(0), *(each.multipliers for each in near)]), near)

    def back(self, x: Vector, multipliers: Vector) -> Vector:
        """Return the multipliers of the original at x from those of the quadratic program."""
        s = self.original.b - self.original.A @ x
        pairs = zip(self.original.parts(), self.program.parts(), self._locals, strict=True)
        back = [each.back(s[part], multipliers[given]) for (_, part), (_, given), each in pairs]
        return np.concatenate([np.zeros(0), *back])


@dataclass(frozen=True, eq=False)
class _Local(ABC):
    """Rows that stand for a cone near its point s0: T s + t in a cone of inequalities or equations.

    Attributes
    ----------
    rows, offset
        T and t.
    cone
        Where T s + t has to be.
    multipliers
        Those of the rows.
    """

    rows: csr_array
    offset: Vector
    cone: Cone
    multipliers: Vector

    @property
    @abstractmethod
    def curvature(self) -> csr_array:
        """F, where F'F is the Hessian in s, times the multipliers, of what the rows leave out.

        A product keeps no negative eigenvalue, as a Hessian whose entries cancel among the columns of A may.
        """

    @abstractmethod
    def back(self, s: Vector, multipliers: Vector) -> Vector:
        """Return the multipliers of the cone at a point s near s0, made of those of the rows."""


def _local(cone: Cone, s: Vector, z: Vector) -> _Local:
    """Return the rows of a cone near s, with the multipliers z of it; where it has no surface there, it is held."""
    if isinstance(cone, Zero | Nonnegative):
        return _Flat(_identity(s.size), np.zeros(s.size), cone, z)
    if isinstance(cone, PSDTriangle):
        return _Semidefinite.at(cone, s, z)
    surface = _Surface.of(cone, s)
    if surface is None:
        return _Flat(_identity(s.size), -s, Zero(s.size), z)
    multiplier = max(-float(z[surface.axis] * surface.gradient[surface.axis]), 0.0)
    offset = surface.gradient @ s - surface.value
    rows = csr_array(-surface.gradient[None, :])
    return _Smooth(rows, np.array([offset]), Nonnegative(1), np.array([multiplier]), _of=cone, _surface=surface)


def _identity(size: int) -> csr_array:
    return csr_array(eye_array(size))


@dataclass(frozen=True, eq=False)
class _Flat(_Local):
    """Rows that are the cone, or that hold s where it is."""

    @property
    def curvature(self) -> csr_array:
        return csr_array((0, self.rows.shape[1]))

    def back(self, s: Vector, multipliers: Vector) -> Vector:  # noqa: ARG002
        return multipliers


@dataclass(frozen=True, eq=False)
class _Surface:
    """Value and gradient of g for {s : g(s) <= 0}, and R with the Hessian R'R; the gradient is -1 or 1 at ``axis``."""

    value: float
    gradient: Vector
    root: Matrix
    axis: int

    @classmethod
    def of(cls, cone: Cone, s: Vector) -> _Surface | None:
        """Return that of a cone; None where it is not smooth, or of a kind that has no such g here."""
        if isinstance(cone, SecondOrder):
            norm = float(np.linalg.norm(s[1:]))
            return None if norm == 0 else cls._second_order(s, norm)
        if isinstance(cone, Exponential) and s[1] > 0 and s[0] < 500 * s[1]:
            return cls._exponential(s)
        if isinstance(cone, Power) and s[0] > 0 and s[1] > 0 and s[2] != 0:
            return cls._power(cone.alpha, s)
        return None

    @classmethod
    def _second_order(cls, s: Vector, norm: float) -> _Surface:
        u = s[1:] / norm
        root = np.zeros((u.size, s.size))
        root[:, 1:] = (np.eye(u.size) - np.outer(u, u)) / np.sqrt(norm)
        return cls(norm - float(s[0]), np.concatenate([[-1.0], u]), root, 0)

    @classmethod
    def _exponential(cls, s: Vector) -> _Surface:
        share = float(s[0] / s[1])
        grown, direction = float(np.exp(share)), np.array([1.0, -share, 0.0])
        gradient = np.array([grown, grown * (1.0 - share), -1.0])
        return cls(float(s[1]) * grown - float(s[2]), gradient, np.sqrt(grown / s[1]) * direction[None, :], 2)

    @classmethod
    def _power(cls, alpha: float, s: Vector) -> _Surface:
        reach = float(s[0] ** alpha * s[1] ** (1.0 - alpha))
        shares, direction = np.array([alpha / s[0], (1.0 - alpha) / s[1]]), np.array([1.0 / s[0], -1.0 / s[1], 0.0])
        gradient = np.array([*(-reach * shares), np.sign(s[2])])
        root = np.sqrt(alpha * (1.0 - alpha) * reach) * direction[None, :]
        return cls(abs(float(s[2])) - reach, gradient, root, 2)


@dataclass(frozen=True, eq=False)
class _Smooth(_Local):
    """-g(s0) - grad g(s0)'(s - s0) >= 0."""

    _of: Cone
    _surface: _Surface

    @property
    def curvature(self) -> csr_array:
        return csr_array(np.sqrt(self.multipliers[0]) * self._surface.root)

    def back(self, s: Vector, multipliers: Vector) -> Vector:
        surface = _Surface.of(self._of, s)
        return np.zeros(s.size) if surface is None else np.asarray(-multipliers[0] * surface.gradient)


@dataclass(frozen=True, eq=False)
class _Semidefinite(_Local):
    r"""V'SV = 0 for the columns v_1, ..., v_k of V, eigenvectors of S with eigenvalues that are to be 0.

    With the others, W and L, the matrices near S with k eigenvalues 0 are those with V'SV - V'SW (W'SW)^-1 W'SV = 0;
    the multiplier Y of that, which is V'ZV, has the curvature 2 tr(Y V'dS W L^-1 W'dS V) (Overton and Womersley, 1995).
    """

    _order: int
    _kept: Matrix
    _others: Matrix
    _eigenvalues: Vector

    @classmethod
    def at(cls, cone: PSDTriangle, s: Vector, z: Vector) -> _Semidefinite:
        """Take as many eigenvalues of S to be 0 as the multipliers outweigh."""
        S, Z = cone.matrix(s), cone.matrix(z)
        sizes = max(float(np.abs(s).max(initial=0.0)), 1e-300), max(float(np.abs(z).max(initial=0.0)), 1e-300)
        with blas_threads_for(cone.order):
            k = int((np.linalg.eigvalsh(S / sizes[0] - Z / sizes[1]) < 0).sum())
            eigenvalues, vectors = np.linalg.eigh(S)
        V = vectors[:, :k]
        rows = _congruence(V)
        multipliers = _triangle(V.T @ Z @ V)
        cone_of_rows = Zero(multipliers.size)
        offset = np.zeros(multipliers.size)
        return cls(rows, offset, cone_of_rows, multipliers, cone.order, V, vectors[:, k:], eigenvalues[k:])

    @property
    def curvature(self) -> csr_array:
        weights, directions = np.linalg.eigh(PSDTriangle(self._kept.shape[1]).matrix(self.multipliers))
        factors: list[Vector] = []
        for weight, direction in zip(np.maximum(weights, 0.0), (self._kept @ directions).T, strict=True):
            for eigenvalue, w in zip(np.maximum(self._eigenvalues, 0.0), self._others.T, strict=True):
                if eigenvalue > 0:
                    along = _triangle(0.5 * (np.outer(direction, w) + np.outer(w, direction)))
                    factors.append(np.sqrt(2.0 * weight / eigenvalue) * along)
        return csr_array(np.array(factors).reshape(len(factors), self.rows.shape[1]))

    def back(self, s: Vector, multipliers: Vector) -> Vector:
        k = self._kept.shape[1]
        with blas_threads_for(self._order):
            vectors = np.linalg.eigh(PSDTriangle(self._order).matrix(s))[1][:, :k]
        # The basis of the eigenvectors of 0 is any; that nearest to the one in which the multipliers are meant counts.
        left, _, right = np.linalg.svd(vectors.T @ self._kept)
        V = vectors @ (left @ right)
        return _triangle(V @ PSDTriangle(k).matrix(multipliers) @ V.T)


def _triangle(matrix: Matrix) -> Vector:
    """Store a symmetric matrix."""
    columns, rows = np.tril_indices(matrix.shape[0])
    return np.asarray(np.where(rows == columns, 1.0, np.sqrt(2.0)) * matrix[rows, columns])


def _congruence(V: Matrix) -> csr_array:
    """Return T with T triangle(S) = triangle(V'SV)."""
    columns, rows = np.tril_indices(V.shape[1])
    scales = np.where(rows == columns, 1.0, np.sqrt(2.0))
    products: list[Any] = [
        scale * _triangle(0.5 * (np.outer(V[:, i], V[:, j]) + np.outer(V[:, j], V[:, i])))
        for scale, i, j in zip(scales, rows, columns, strict=True)
    ]
    order = V.shape[0]
    return csr_array(np.array(products).reshape(len(products), order * (order + 1) // 2))
