# SPDX-License-Identifier: BSD-3-Clause
"""The compiled loop of a change of rank one."""

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled

__all__ = ["add_outer"]


@compiled
def add_outer(memory: Matrix, u: Vector, factor: float) -> None:
    """Add factor uu' to the first rows and columns of ``memory``."""
    for i in range(u.size):
        add_scaled(memory[i, : u.size], factor * u[i], u)
