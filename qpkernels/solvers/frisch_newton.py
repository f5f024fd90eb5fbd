# SPDX-License-Identifier: BSD-3-Clause
r"""The interior-point method of Portnoy and Koenker for residuals that are as small as a norm says.

The dual of such a fit is a linear program in standard form with a dense matrix of few rows,

    min  c'x   s.t.  A x = a,   0 <= x <= u          max  a'y - u's   s.t.  A'y + z - s = c,   z, s >= 0

with x = v + 1 <= 2 for the sum of absolute values, and x = (v+, v-), of sum 1, for the largest. Both have a point
inside from which to start: v = 0, and the residuals of least squares. From there every step keeps both sides feasible,
so that x'z + (u - x)'s is the gap; a step, with Mehrotra's predictor and corrector, solves a system with A D A' for a
diagonal D, which takes m n^2 multiplications.

Sources: S. Portnoy and R. Koenker, Statistical Science 12 (1997), who call it Frisch-Newton; S. Mehrotra, SIAM J.
Optim. 2 (1992).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.log import report
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.problems import ResidualNorm
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

__all__ = ["FrischNewton"]

_ITERATIONS = 100

_INSIDE = 0.9995
"""Part of the way to the boundary that a step may take."""

_PART_OF_TOL = 0.1
"""Part of the tolerance at which the method ends: what is certified is a point near its last one."""

_LEAST = 1e-14
"""Part of the sizes of the targets at which a gap is rounding."""


class FrischNewton(Solver):
    """An interior-point method for fits in a norm; stops when the duality gap is at most a tenth of ``tol``.

    The work of an iteration is that of m n^2 multiplications, with n the rank of the features. max_iter counts
    iterations (default: 100); time_limit is checked after each.
    """

    name = "frisch-newton"
    foreign = False
    programs: ClassVar = (ResidualNorm,)
    options = frozenset({"tol", "max_iter", "time_limit"})
    module = "scipy"
    install = "pip install scipy"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def run(self, program: ResidualNorm, request: Request, **options: Any) -> Answer:
        """Minimise: the point is u, the multipliers are v."""
        del options
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        with blas_threads_for(max(program.basis.shape)):
            lp = _sum_of_residuals(program) if program.norm == "sum" else _largest_residual(program)
            claim, why, count = _minimise(lp, request, deadline)
        m, n = program.basis.shape
        v = lp.x - 1.0 if program.norm == "sum" else lp.x[:m] - lp.x[m:]
        return Answer(-lp.y[:n], v, claim, f"{why}relative gap {lp.relative_gap:.1e}", count)


def _minimise(lp: _BoundedLP, request: Request, deadline: float) -> tuple[Claim, str, int]:
    """Go on until the gap is small; return what became of it, why it ended early, and after how many steps."""
    count = 0
    try:
        while lp.relative_gap > _PART_OF_TOL * request.tol:
            if count == (request.max_iter or _ITERATIONS):
                return Claim.STOPPED, "limit of iterations; ", count
            if perf_counter() >= deadline:
                return Claim.STOPPED, "limit of time; ", count
            if not lp.advance():
                return Claim.STOPPED, "no step improves in float64; ", count
            count += 1
            if request.verbose:
                report(f"frisch-newton: {count:3d}, relative gap {lp.relative_gap:.2e}")
    except KeyboardInterrupt:
        return Claim.INTERRUPTED, "interrupted; ", count
    return Claim.OPTIMAL, "", count


def _sum_of_residuals(program: ResidualNorm) -> _BoundedLP:
    """State max target'v by x = v + 1, from v = 0 and the residuals of least squares."""
    B, target = program.basis, program.target
    u = B.T @ target
    residuals = target - B @ u
    away = 0.1 * float(np.abs(residuals).mean()) + np.finfo(float).tiny
    ones = np.ones(target.size)
    return _BoundedLP(
        A=np.ascontiguousarray(B.T),
        a=B.T @ ones,
        c=-target,
        upper=2.0 * ones,
        x=ones,
        y=-u,
        z=np.maximum(-residuals, 0.0) + away,
        s=np.maximum(residuals, 0.0) + away,
    )


def _largest_residual(program: ResidualNorm) -> _BoundedLP:
    """State max target'v by v = v+ - v-, 1'(v+ + v-) = 1, from v = 0 and the residuals of least squares."""
    B, target = program.basis, program.target
    m, n = B.shape
    u = B.T @ target
    residuals = target - B @ u
    largest = 1.1 * float(np.abs(residuals).max()) + np.finfo(float).tiny
    return _BoundedLP(
        A=np.block([[B.T, -B.T], [np.ones((1, 2 * m))]]),
        a=np.append(np.zeros(n), 1.0),
        c=np.concatenate([-target, target]),
        upper=None,
        x=np.full(2 * m, 0.5 / m),
        y=np.append(-u, -largest),
        z=np.concatenate([largest - residuals, largest + residuals]),
        s=np.zeros(2 * m),
    )


@dataclass
class _BoundedLP:
    """min c'x  s.t.  A x = a,  0 <= x <= upper, at a point inside both problems; ``upper`` None: no such bound."""

    A: Matrix
    a: Vector
    c: Vector
    upper: Vector | None
    x: Vector
    y: Vector
    z: Vector
    s: Vector

    @property
    def gap(self) -> float:
        """The duality gap x'z + (u - x)'s, both sides being feasible."""
        bounded = 0.0 if self.upper is None else float((self.upper - self.x) @ self.s)
        return float(self.x @ self.z) + bounded

    @property
    def relative_gap(self) -> float:
        """The gap over the larger of the values, which are not taken to be less than rounding makes them."""
        value = float(self.c @ self.x) - (0.0 if self.upper is None else 0.5 * float(self.c @ self.upper))
        least = _LEAST * float(np.abs(self.c) @ self.x)
        return self.gap / max(abs(value), abs(value + self.gap), least, np.finfo(float).tiny)

    def advance(self) -> bool:
        """Make a step, and return whether one could be made."""
        try:
            newton = _Newton(self)
        except LinAlgError:
            return False
        xz, ts = self.x * self.z, newton.room_times(self.s)
        affine = newton.direction(-xz, -ts)
        primal, dual = self._lengths(affine, newton.room)
        ahead = float((self.x + primal * affine.x) @ (self.z + dual * affine.z))
        if self.upper is not None:
            ahead += float((newton.room - primal * affine.x) @ (self.s + dual * affine.s))
        centre = self.gap / (self.x.size * (1 if self.upper is None else 2)) * (ahead / self.gap) ** 3
        step = newton.direction(centre - xz - affine.x * affine.z, centre - ts + affine.x * affine.s)
        primal, dual = self._lengths(step, newton.room)
        gap, before = self.gap, (self.x, self.y, self.z, self.s)
        self.x, self.y = self.x + primal * step.x, self.y + dual * step.y
        self.z, self.s = self.z + dual * step.z, self.s + dual * step.s
        if np.isfinite(self.gap) and self.gap < gap:
            return True
        self.x, self.y, self.z, self.s = before
        return False

    def _lengths(self, step: _PathDirection, room: Vector) -> tuple[float, float]:
        """Return how far x and (z, s) may go, 1 at most."""
        primal = min(_longest(self.x, step.x), _longest(room, -step.x))
        return primal, min(_longest(self.z, step.z), _longest(self.s, step.s))


@dataclass(frozen=True, eq=False)
class _PathDirection:
    """The changes of x, y, z and s."""

    x: Vector
    y: Vector
    z: Vector
    s: Vector


class _Newton:
    """The conditions of both problems to first order around a point, with the system A D A' factored.

    Attributes
    ----------
    room
        u - x; infinite where x has no upper bound.
    """

    def __init__(self, lp: _BoundedLP) -> None:
        self._lp = lp
        self._bounded = lp.upper is not None
        self.room = np.full(lp.x.size, np.inf) if lp.upper is None else lp.upper - lp.x
        self._D = 1.0 / (lp.z / lp.x + lp.s / self.room)
        scaled = lp.A * np.sqrt(self._D)
        self._factor = cho_factor(scaled @ scaled.T, check_finite=False)
        # Zero but for rounding.
        self._unmet = lp.c - lp.A.T @ lp.y - lp.z + lp.s
        self._lacking = lp.a - lp.A @ lp.x

    def room_times(self, s: Vector) -> Vector:
        """Return (u - x) s, and 0 where there is no bound."""
        return self.room * s if self._bounded else np.zeros(s.size)

    def direction(self, low: Vector, high: Vector) -> _PathDirection:
        """Return the step after which x z has changed by ``low``, and (u - x) s by ``high``, to first order."""
        lp = self._lp
        if not self._bounded:
            high = np.zeros(high.size)
        g = low / lp.x - high / self.room - self._unmet
        dy = cho_solve(self._factor, self._lacking - lp.A @ (self._D * g), check_finite=False)
        dx = self._D * (lp.A.T @ dy + g)
        return _PathDirection(dx, dy, (low - lp.z * dx) / lp.x, (high + lp.s * dx) / self.room)


def _longest(point: Vector, step: Vector) -> float:
    """Return the length, 1 at most, at which a step stays inside point > 0."""
    falling = step < 0
    if not falling.any():
        return 1.0
    return min(1.0, _INSIDE * float((point[falling] / -step[falling]).min()))
