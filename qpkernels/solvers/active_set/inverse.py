# SPDX-License-Identifier: BSD-3-Clause
r"""The inverse M of A = K + diag(ridge) over samples that come and go, by one step of elimination for each.

With a further sample of column a and corner alpha, u = M a and the Schur complement s = alpha - a'u; and without row k:

    [ M + uu'/s   -u/s ]
    [   -u'/s      1/s ],        M - M_k M_k' / M_kk   without row and column k.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotri

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.solvers.active_set.loops import add_row, drop_row

__all__ = ["Inverse", "inverted"]

_SINGULAR = 1e-10
"""Part of a diagonal entry below which a Schur complement is rounding: the sample depends on the others."""

_SPARE = 64
"""Rows of room for more."""


class Inverse:
    """The inverse of a symmetric positive definite matrix, whose rows are named by numbers.

    Attributes
    ----------
    members
        The numbers of its rows, in their order.
    """

    def __init__(self) -> None:
        self.members: Indices = np.empty(0, np.intp)
        self.memory: Matrix = np.empty((0, 0))

    @property
    def matrix(self) -> Matrix:
        """M, to be left as it is."""
        n = self.members.size
        return self.memory[:n, :n]

    def rebuild(self, members: Indices, A: Matrix) -> None:
        """Invert A, of these ``members``.

        Raises
        ------
        LinAlgError
            If A is not positive definite, up to rounding.
        """
        self.members = np.empty(0, np.intp)
        M, n = inverted(A), members.size
        self._resize(n)
        self.memory[:n, :n] = M
        self.members = members.copy()

    def _resize(self, size: int) -> None:
        if size <= len(self.memory):
            return
        before, self.memory = self.matrix, np.zeros((size + size // 8 + _SPARE,) * 2)
        self.memory[: len(before), : len(before)] = before

    def add(self, member: int, column: Vector, corner: float) -> bool:
        """Take in a row; return False where it depends on the others, and is not taken."""
        u = self.matrix @ column
        s = corner - float(column @ u)
        if not s > _SINGULAR * corner:
            return False
        self._resize(self.members.size + 1)
        add_row(self.memory, u, s)
        self.members = np.append(self.members, member)
        return True

    def drop(self, k: int) -> None:
        """Leave out row k; the last one takes its place."""
        last = self.members.size - 1
        drop_row(self.memory, last + 1, k)
        self.members[k] = self.members[last]
        self.members = self.members[:last]


def inverted(A: Matrix) -> Matrix:
    """Return the inverse of a symmetric matrix.

    Raises
    ------
    LinAlgError
        If it is not positive definite, up to rounding.
    """
    factor, failed = dpotrf(A, lower=True)
    if failed or factor.diagonal().min() ** 2 <= _SINGULAR * A.diagonal().max():
        raise LinAlgError
    half, _ = dpotri(factor, lower=True)
    return np.asarray(np.tril(half) + np.tril(half, -1).T)
