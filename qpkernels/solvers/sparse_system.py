# SPDX-License-Identifier: BSD-3-Clause
r"""The Newton system of many sparse features, by conjugate gradients: passes over the entries, and nothing to factor.

With (e, c) the changes of w and b it is

    (I + Z'W Z) e + Z'W 1 c = Z'q + lag,    1'W Z e + 1'W 1 c = 1'q - s,

a product with which takes two passes. What is left of the right side is a part of it; the next Newton step sees that
in the lag of f behind beta, so that the steps converge as fast as that part is small (Dembo, Eisenstat and Steihaug,
SIAM J. Numer. Anal. 19, 1982).
"""

from __future__ import annotations

from copy import copy

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Vector
from qpkernels.solvers.newton_systems import Border, NewtonSystem, power_of_two

__all__ = ["SparseSystem"]

_LEFT, _ITERATIONS = 1e-3, 1000
"""Part of the right side that may be left, in the norm of the preconditioner, and iterations at most."""


class SparseSystem(NewtonSystem):
    """K = Z Z' with a sparse Z."""

    def __init__(self, features: csr_array, bordered: bool) -> None:
        self.bordered = bordered
        self.unit = power_of_two(float(features.data @ features.data) / features.shape[0])
        self.offset = np.zeros(features.shape[0])
        self._hold(features / np.sqrt(self.unit))

    def _hold(self, Z: csr_array) -> None:
        self.Z = Z
        self._squares = Z.multiply(Z).tocsr()

    def __len__(self) -> int:
        return int(self.Z.shape[0])

    def part(self, rows: Indices) -> SparseSystem:
        """Return the same of some of the samples."""
        part = copy(self)
        part.offset = self.offset[rows]
        part._hold(self.Z[rows])
        return part

    def restricted(self, function: Vector, rows: Indices) -> Vector:
        """Return the same weights."""
        del rows
        return function

    def rescale(self, factor: float) -> None:
        """Multiply K by a factor, of which the unit takes account."""
        self.unit /= factor
        self._hold(self.Z * np.sqrt(factor))

    def expand(self, beta: Vector) -> Vector:
        """Return w = Z'beta."""
        return np.asarray(beta @ self.Z)

    def at_samples(self, function: Vector) -> Vector:
        """Return Z w."""
        return np.asarray(self.Z @ function)

    def factor(self, weights: Vector, border: Border | None = None) -> None:
        """Prepare the system with these W: the diagonal, which is the preconditioner."""
        assert border is None, "no solver that iterates has other equations"
        self.W, mass = weights, float(weights.sum())
        self._diagonal = np.append(1.0 + weights @ self._squares, mass if self.bordered and mass > 0 else 1.0)

    def solve(self, q: Vector, s: Vector, lag: Vector | float = 0.0) -> tuple[Vector, Vector]:
        """Return the change of w, and c."""
        found = np.zeros(self.Z.shape[1] + 1)
        rest = np.append(q @ self.Z + lag, float(q.sum() - s[0]) if self.bordered else 0.0)
        ahead = rest / self._diagonal
        size = first = float(rest @ ahead)
        for _ in range(_ITERATIONS):
            if size <= _LEFT**2 * first:
                break
            image = self._product(ahead)
            step = size / float(ahead @ image)
            found += step * ahead
            rest -= step * image
            scaled = rest / self._diagonal
            before, size = size, float(rest @ scaled)
            ahead = scaled + size / before * ahead
        return found[:-1], found[-1:] if self.bordered else found[:0]

    def _product(self, direction: Vector) -> Vector:
        e, c = direction[:-1], direction[-1] if self.bordered else 0.0
        weighted = self.W * (self.Z @ e + c)
        return np.append(e + weighted @ self.Z, float(weighted.sum()) if self.bordered else direction[-1])
