# SPDX-License-Identifier: BSD-3-Clause
"""The quadratic program that a cone program is near one of its points: a step of sequential quadratic programming.

A cone {s : g(s) <= 0} with a smooth convex g gives one inequality, g(s0) + grad g(s0)'(s - s0) <= 0 with s = b - Ax,
and with its multiplier m the curvature m A'(hess g)A of the Lagrangian, so that the steps converge quadratically. Of
semidefinite matrices, the eigenvalues that are to be 0 give equations, with a curvature of the same kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import block_diag, csc_array, csr_array

from qpkernels.arrays import Vector
from qpkernels.certificates.cone_program.surfaces import Local, local
from qpkernels.programs.cone_program import Block, ConeProgram

__all__ = ["Linearised"]


@dataclass(frozen=True, eq=False)
class Linearised:
    """A quadratic program near a point, and the way of multipliers there and back.

    The rows of a cone that has no smooth surface at the point are held where they are.
    """

    original: ConeProgram
    program: ConeProgram
    multipliers: Vector
    _locals: tuple[Local, ...]

    @classmethod
    def at(cls, original: ConeProgram, x: Vector, z: Vector) -> Linearised:
        """Linearise at the point x with the multipliers z."""
        A, s = csr_array(original.A), original.b - original.A @ x
        near = tuple(local(cone, s[part], z[part]) for cone, part in original.parts())
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
