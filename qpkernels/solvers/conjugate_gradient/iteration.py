# SPDX-License-Identifier: BSD-3-Clause
r"""Conjugate gradients for several systems with one kernel matrix at a time.

The residuals of all systems that are not solved yet are the columns of one matrix, so that each kernel value is made
once for all of them. A border, 1'x = 0, is kept by every step: the preconditioner is followed by the projection

    g = P^{-1} (r - v 1),   v = (1'P^{-1} r) / (1'P^{-1} 1),     1'g = 0

which takes v 1 out of the residual, too: it is a part of b, beside which the rest would be lost in rounding.

With the residual r = rhs - (K + D) x - b 1 the duality gap of (x, b) is 1/2 sum r_i^2 / D_i, and b minimises it. Where
a D_i is 0, f(x_i) + b has to meet the target, and r_i is held against the spread of the targets.

Source: Gould, Hribar and Nocedal, On the solution of equality constrained quadratic programming problems arising in
optimization (SIAM J. Sci. Comput., 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.errors import SolverFailedError
from qpkernels.gram import Gram
from qpkernels.problems import LinearSystem
from qpkernels.problems.certificate import relative
from qpkernels.solvers.conjugate_gradient.preconditioner import Factor, Preconditioner

__all__ = ["Iterates"]

_HARD = 0.1
"""Share of the tolerance that is asked of a residual without a ridge: the function is rescaled to meet all targets."""


@dataclass(frozen=True, eq=False)
class _Kind:
    """Systems of one ridge and border: their numbers, P^{-1}, and with a border P^{-1} 1."""

    numbers: Indices
    ridge: Vector
    precondition: Preconditioner
    border: Vector | None

    def directions(self, R: Matrix) -> tuple[Matrix, Vector]:
        """Return g of the residuals in these columns, and the multiples of 1 that it leaves out of them."""
        G = self.precondition(R)
        if self.border is None:
            return G, np.zeros(R.shape[1])
        levels = G.sum(axis=0) / self.border.sum()
        return G - self.border[:, None] * levels, levels

    def level(self, r: Vector) -> float:
        """Return the b of the least gap."""
        if self.border is None:
            return 0.0
        weights = 1.0 / self.ridge if self.ridge.all() else np.ones(r.size)
        return float(weights @ r / weights.sum())


class Iterates:
    """The points x of several systems, and their residuals.

    Attributes
    ----------
    X, R, levels
        Shapes (m, k), (m, k) and (k,): a column for each system, R + levels = rhs - (K + D) X.
    iterations
        Of each system, shape (k,).
    """

    def __init__(self, systems: Sequence[LinearSystem], factor: Factor, start: Vector | None) -> None:
        self._gram: Gram = systems[0].matrix.gram  # type: ignore[union-attr]
        self.targets = np.column_stack([system.rhs for system in systems])
        self._ridges = np.column_stack([system.matrix.ridge for system in systems])  # type: ignore[union-attr]
        self._kinds = _kinds(systems, self._ridges, factor)
        self._kind_of = {int(k): kind for kind in self._kinds for k in kind.numbers}
        self.X, self.R = np.zeros_like(self.targets), self.targets.copy()
        self.levels = np.zeros(len(systems))
        self.iterations = np.zeros(len(systems), dtype=np.intp)
        self._memory: tuple[Indices, Matrix, Vector] | None = None
        if start is not None:
            self.X[:] = start[:, None]
            self.renew(np.arange(len(systems)))

    def intercept(self, k: int) -> float:
        """Return b of a system."""
        return float(self.levels[k]) + self._kind_of[k].level(self.R[:, k])

    def residual(self, k: int) -> Vector:
        """Return rhs - (K + D) x - b 1 of a system."""
        return np.asarray(self.R[:, k] - self._kind_of[k].level(self.R[:, k]))

    def gap(self, k: int) -> float:
        """Return the duality gap of a system, relative to the larger of both values."""
        r, ridge, x = self.residual(k), self._ridges[:, k], self.X[:, k]
        dual = 0.5 * abs(float(x @ (self.targets[:, k] + r)))
        if ridge.all():
            gap = 0.5 * float(r @ (r / ridge))
            return relative(gap, dual + gap)
        unit = 0.5 * float(np.ptp(self.targets[:, k])) or float(np.abs(self.targets[:, k]).max())
        return max(relative(float(np.abs(r) @ np.abs(x)), dual), relative(float(np.abs(r).max()), unit)) / _HARD

    def values(self, k: int) -> Vector:
        """Return K x of a system."""
        return np.asarray(self.targets[:, k] - self.levels[k] - self.R[:, k] - self._ridges[:, k] * self.X[:, k])

    def renew(self, columns: Indices) -> None:
        """Compute the residuals of these systems from their points, and begin anew from there.

        What rounding, or a start, leaves of 1'x is taken out before.
        """
        for k in columns:
            border = self._kind_of[int(k)].border
            if border is not None:
                self.X[:, k] -= border * (self.X[:, k].sum() / border.sum())
        X = self.X[:, columns]
        self.R[:, columns] = self.targets[:, columns] - self._gram.products(X) - self._ridges[:, columns] * X
        self.levels[columns] = 0.0
        self._memory = None

    def advance(self, columns: Indices) -> None:
        """Take a step in each of these systems, which are among those of the step before.

        Raises
        ------
        SolverFailedError
            If a matrix proves not to be positive definite.
        """
        G = np.empty((len(self.targets), columns.size))
        for kind in self._kinds:
            own = np.flatnonzero(np.isin(columns, kind.numbers))
            G[:, own], levels = kind.directions(self.R[:, columns[own]])
            self.R[:, columns[own]] -= levels
            self.levels[columns[own]] += levels
        descent = np.einsum("ij,ij->j", self.R[:, columns], G)
        D = G
        if self._memory is not None:
            kept = np.searchsorted(self._memory[0], columns)
            D += self._memory[1][:, kept] * _ratio(descent, self._memory[2][kept])
        HD = self._gram.products(D) + self._ridges[:, columns] * D
        curvature = np.einsum("ij,ij->j", D, HD)
        if ((curvature <= 0) & (descent > 0)).any():
            self._gram.require_psd()
            raise SolverFailedError(
                "the matrix is not positive definite beyond rounding: two samples are equal to the kernel, or nearly, "
                "and the ridge is too small; raise it, or merge those samples."
            )
        length = _ratio(descent, curvature)
        self.X[:, columns] += D * length
        self.R[:, columns] -= HD * length
        self.iterations[columns] += 1
        self._memory = (columns, D, descent)


def _kinds(systems: Sequence[LinearSystem], ridges: Matrix, factor: Factor) -> list[_Kind]:
    numbers: dict[tuple[bytes, bool], list[int]] = {}
    for k, system in enumerate(systems):
        numbers.setdefault((ridges[:, k].tobytes(), system.bordered), []).append(k)
    kinds = []
    for (_, bordered), own in numbers.items():
        ridge = ridges[:, own[0]]
        precondition = Preconditioner(factor, ridge)
        border = precondition(np.ones((len(ridge), 1)))[:, 0] if bordered else None
        kinds.append(_Kind(np.array(own), ridge, precondition, border))
    return kinds


def _ratio(above: Vector, below: Vector) -> Vector:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
