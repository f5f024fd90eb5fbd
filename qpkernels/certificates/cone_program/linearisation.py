# SPDX-License-Identifier: BSD-3-Clause
"""The quadratic program that a cone program is near one of its points: a step of sequential quadratic programming.

A cone {s : g(s) <= 0} with a smooth convex g gives one inequality, g(s0) + grad g(s0)'(s - s0) <= 0 with s = b - Ax,
and with its multiplier m the curvature m A'(hess g)A of the Lagrangian, so that the steps converge quadratically.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from qpkernels.arrays import Matrix, Vector
from qpkernels.programs.cone_program import Block, ConeProgram
from qpkernels.programs.cones import Cone, Exponential, Nonnegative, Power, SecondOrder, Zero

__all__ = ["Linearised"]


@dataclass(frozen=True, eq=False)
class _Surface:
    """Value, gradient and Hessian of g at a point; the gradient is -1 or 1 at the entry ``axis``."""

    value: float
    gradient: Vector
    hessian: Matrix
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

    def multiplier(self, z: Vector) -> float:
        """Return m >= 0 with -m grad g = z at the axis."""
        return max(-float(z[self.axis] * self.gradient[self.axis]), 0.0)

    @classmethod
    def _second_order(cls, s: Vector, norm: float) -> _Surface:
        u = s[1:] / norm
        hessian = np.zeros((s.size, s.size))
        hessian[1:, 1:] = (np.eye(u.size) - np.outer(u, u)) / norm
        return cls(norm - float(s[0]), np.concatenate([[-1.0], u]), hessian, 0)

    @classmethod
    def _exponential(cls, s: Vector) -> _Surface:
        share = float(s[0] / s[1])
        grown, direction = float(np.exp(share)), np.array([1.0, -share, 0.0])
        gradient = np.array([grown, grown * (1.0 - share), -1.0])
        return cls(float(s[1]) * grown - float(s[2]), gradient, grown / s[1] * np.outer(direction, direction), 2)

    @classmethod
    def _power(cls, alpha: float, s: Vector) -> _Surface:
        reach = float(s[0] ** alpha * s[1] ** (1.0 - alpha))
        shares, direction = np.array([alpha / s[0], (1.0 - alpha) / s[1]]), np.array([1.0 / s[0], -1.0 / s[1], 0.0])
        gradient = np.array([*(-reach * shares), np.sign(s[2])])
        hessian = alpha * (1.0 - alpha) * reach * np.outer(direction, direction)
        return cls(abs(float(s[2])) - reach, gradient, hessian, 2)


@dataclass(frozen=True, eq=False)
class Linearised:
    """A quadratic program near a point, and the way of multipliers there and back.

    The rows of a cone that has no smooth surface at the point are held where they are.
    """

    original: ConeProgram
    program: ConeProgram
    multipliers: Vector

    @classmethod
    def at(cls, original: ConeProgram, x: Vector, z: Vector) -> Linearised:
        """Linearise at the point x with the multipliers z."""
        A, s = csr_array(original.A), original.b - original.A @ x
        P, rows, sides, cones, multipliers = original.P, [], [], [], []
        for cone, part in original.parts():
            block, surface = csr_array(A[part]), _surface(cone, s[part])
            if surface is None:
                held = not isinstance(cone, Zero | Nonnegative)
                rows.append(block)
                sides.append(block @ x if held else original.b[part])
                cones.append(Zero(cone.size) if held else cone)
                multipliers.append(z[part])
                continue
            multiplier = surface.multiplier(z[part])
            P = P + multiplier * (block.T @ csr_array(surface.hessian) @ block)
            rows.append(csr_array(-(surface.gradient @ block)[None, :]))
            sides.append(np.array([-surface.value - surface.gradient @ (block @ x)]))
            cones.append(Nonnegative(1))
            multipliers.append(np.array([multiplier]))
        P = csc_array(0.5 * (P + P.T))
        b = np.concatenate(sides)
        program = replace(
            original,
            P=P,
            q=original.q + original.P @ x - P @ x,
            A=csc_array(vstack(rows)),
            b=b,
            cones=tuple(cones),
            rows=(Block("rows", 0, b.size),),
        )
        return cls(original, program, np.concatenate(multipliers))

    def back(self, x: Vector, multipliers: Vector) -> Vector:
        """Return the multipliers of the original at x from those of the quadratic program."""
        return np.concatenate([np.zeros(0), *self._parts(self.original.b - self.original.A @ x, multipliers)])

    def _parts(self, s: Vector, multipliers: Vector) -> Iterator[Vector]:
        linearised = (part for _, part in self.program.parts())
        for (cone, part), given in zip(self.original.parts(), linearised, strict=True):
            values, surface = multipliers[given], _surface(cone, s[part])
            if values.size == s[part].size:
                yield values
            elif surface is None:
                yield np.zeros(s[part].size)
            else:
                yield -values[0] * surface.gradient


def _surface(cone: Cone, s: Vector) -> _Surface | None:
    return None if isinstance(cone, Zero | Nonnegative) else _Surface.of(cone, s)
