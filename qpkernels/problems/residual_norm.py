# SPDX-License-Identifier: BSD-3-Clause
"""Residuals as small as a norm says, whose optimum is that of a linear program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qpkernels.arrays import Matrix, Vector
from qpkernels.problems.program import Program

__all__ = [
    "ResidualNorm",
]


@dataclass(frozen=True, eq=False)
class ResidualNorm(Program):
    r"""The least norm of target - B u over u, by the sum of absolute values or by the largest, and its dual.

    ::

        min  sum |r_i|      max  target'v   s.t.  B'v = 0,  |v_i| <= 1
        min  max |r_i|      max  target'v   s.t.  B'v = 0,  sum |v_i| <= 1

    Attributes
    ----------
    basis
        B, shape (m, n), with orthonormal columns.
    target
        Shape (m,).
    norm
        What is made least: the "sum" of all |r_i|, or the "largest" of them.
    name
        What the problem states.
    """

    usual_solver = "frisch-newton"

    basis: Matrix
    target: Vector
    norm: Literal["sum", "largest"]
    name: str = "fit in a norm"

    @property
    def sizes(self) -> tuple[int, int]:
        """How many numbers its point has, and how many multipliers."""
        return self.basis.shape[1], self.target.size
