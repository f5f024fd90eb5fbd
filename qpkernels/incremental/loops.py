# SPDX-License-Identifier: BSD-3-Clause
"""The compiled loops of an inverse whose rows come and go; see inverse.py."""

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled

__all__ = ["add_row", "drop_row"]


@compiled
def add_row(memory: Matrix, u: Vector, s: float) -> None:
    """Add a row to the inverse in the first rows of ``memory``, given u and the Schur complement s."""
    n = u.size
    _add_outer(memory, u, 1.0 / s)
    for k in range(n):
        memory[n, k] = memory[k, n] = -u[k] / s
    memory[n, n] = 1.0 / s


@compiled
def drop_row(memory: Matrix, n: int, k: int) -> None:
    """Leave out row k of the inverse in the first n rows of ``memory``; the last one takes its place."""
    _add_outer(memory, memory[k, :n].copy(), -1.0 / memory[k, k])
    # Loops, since assigned slices take seconds to compile.
    for a in range(n):
        memory[k, a] = memory[n - 1, a]
    for a in range(n):
        memory[a, k] = memory[a, n - 1]


@compiled
def _add_outer(memory: Matrix, u: Vector, factor: float) -> None:
    """Add factor uu' to the first rows and columns of ``memory``."""
    for i in range(u.size):
        add_scaled(memory[i, : u.size], factor * u[i], u)
