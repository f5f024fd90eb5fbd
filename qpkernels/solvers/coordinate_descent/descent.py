# SPDX-License-Identifier: BSD-3-Clause
r"""Dual coordinate descent with w = sum_j beta_j z_j at hand, on fewer and fewer samples, until the gap is small.

Sweeps take an exact step in one coefficient after the other, in random order, each with one pass over the values of its
row; coefficients that are held at an end by their slopes are left out, and looked at again before a gap is computed
(Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008). Every so often, and the more often the more it gains for its
work, a step is taken in all free coefficients at once, by :mod:`~qpkernels.solvers.coordinate_descent.faces`: where
these depend much on each other, steps in one at a time are short.

With an intercept, 1'beta = total holds in the limit only, by the method of multipliers: what is minimised has the terms
b (1'beta - total) + penalty/2 (1'beta - total)^2, and b grows by penalty (1'beta - total) once the slopes of the
coefficients are smaller than that. Each subproblem is convex and is solved by exact steps in its coordinates, and each
b is one of the proximal point method on the dual, which converges whatever the penalty (Bertsekas, 1982, chapter 5).
The point that is measured, and returned, is the feasible one near beta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter

import numpy as np

from qpkernels.arrays import Samples, Vector, frozen, is_sparse
from qpkernels.gram import Gram
from qpkernels.kernels import Linear
from qpkernels.problems import KernelQP
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.gap import DualityGap, duality_gap
from qpkernels.problems.kernel_qp.program import diverges
from qpkernels.solvers.coordinate_descent.faces import face_of
from qpkernels.solvers.coordinate_descent.loops import (
    BETA,
    Box,
    Rows,
    add_rows,
    best_intercept,
    row_values,
    squared_norms,
    sweep,
)
from qpkernels.solvers.smo.iterate import RoundingWatch, intercept_of

__all__ = ["DescentState", "Measured", "compile_sweeps", "descend", "rows_of"]

_FALL = 0.3
"""Part of the violation at the last measurement from which on another one is due."""

_VISITS, _SHARE = 4, 0.1
"""Visits to each sample, and part of all visits, after which one is due in any case."""

_WORK, _LEAST_WORK, _MOST_WORK = 0.5, 0.25, 4.0
"""Work on faces as a part of that of sweeps: at first, at least and at most."""

_PASSES = 12
"""Passes over the rows of a face that a step on it is to take at least."""

_LOOSE, _TIGHT, _TIGHTER = 0.03, 1e-10, 0.1
"""Part of their descent by which an iteration of conjugate gradients must add to it, at most and at least, and what it
is multiplied by where a step met no bound."""

_IDLE = 20
"""Measurements without a better value or gap after which only rounding changes."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A feasible point with its intercept, and how far it is from optimal.

    Attributes
    ----------
    beta, intercept
        The point, and the b of the least P (0 in a model without b).
    gap
        Its duality gap.
    iterations
        Visits to samples so far.
    diverging
        beta grows along a direction that proves the objective unbounded, as far as float64 can tell.
    ended
        Why the descent ended before the gap was small, in words; empty: it did not.
    """

    beta: Vector
    intercept: float
    gap: DualityGap
    iterations: int
    diverging: bool
    ended: str = ""

    @property
    def violation(self) -> float:
        """The largest of what has to fall, as who watches a solver's progress asks for it."""
        return self.gap.shortfall

    @property
    def error(self) -> float:
        """That, or what of it may be rounding where this is more."""
        return max(self.gap.shortfall, relative(self.gap.rounding, self.gap.scale))


def rows_of(program: KernelQP) -> tuple[Rows, int]:
    """Return the features of a problem row by row, and their number; the factor of K where its kernel has none.

    Dense ones are taken around their mean where 1'beta = 0: that changes b only, and spares the descent the direction
    that all samples share.
    """
    gram = program.gram
    Z: Samples = gram.sparse_features
    if Z is None:
        explicit = gram.dense_features
        Z = gram.factor if explicit is None else explicit.matrix
        Z = np.ascontiguousarray(Z - Z.mean(axis=0) if program.total == 0.0 else Z, dtype=np.float64)
    m, count = Z.shape
    if is_sparse(Z):
        # Of an unsigned index compiled code need not ask whether it counts from the end.
        starts, columns = Z.indptr.astype(np.uint64), Z.indices.astype(np.int32, copy=False).view(np.uint32)
        values = Z.data
    else:
        starts, columns, values = (
            np.arange(m + 1, dtype=np.uint64) * np.uint64(count),
            np.zeros(0, np.uint32),
            Z.ravel(),
        )
    # Read-only as samples are, whatever they come from: loops are compiled once.
    starts, columns, values = (frozen(part) for part in (starts, columns, values))
    return Rows(starts, columns, values, squared_norms(starts, values)), int(count)


class DescentState:
    """A problem and where its descent stands.

    Attributes
    ----------
    visits
        Steps in one coefficient so far, and passes over a row on a face.
    """

    def __init__(self, program: KernelQP, start: Vector | None, seed: int, *, shrinking: bool = True) -> None:
        self.program, self.visits, self._shrinking = program, 0, shrinking
        self._rows, self._features = rows_of(program)
        vectors = (program.target, program.lower, program.upper, program.epsilon, program.ridge)
        self._box = Box(*(np.array(vector) for vector in vectors))
        self._all = np.arange(program.size)
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)
        self._table = self._box.table(self._rows.squares)
        self._beta = self._table[:, BETA]
        if start is not None:
            self._beta[:] = program.project(start)
        self._w = self._weights(self._beta)
        mean = float(self._rows.squares.mean())
        self._penalty = 0.0 if program.total is None else (mean or 1.0)
        self._level, self._off = 0.0, -(program.total or 0.0) + float(self._beta.sum())
        if program.total is not None and start is not None:
            self._level = self._intercept(self._beta.copy(), row_values(self._rows, self._all, self._w))
        self._order, self._count = self._all.copy(), program.size
        self._margin = self._violation = np.inf
        self._share, self._credit, self._accuracy = _WORK, 0.0, _LOOSE
        self._rate = 0.0

    def advance(self) -> float:
        """Make a sweep, after a step on a face where one is due; return the largest slope that the sweep met."""
        if self._credit >= _PASSES * self._count:
            self._step_on_face()
        done = sweep(
            self._rows,
            self._table,
            self._w,
            self._level + self._penalty * self._off,
            self._penalty,
            self._order,
            self._count,
            self._margin if self._shrinking else np.inf,
            self._seed,
        )
        self.visits += self._count
        self._rate = done.gain / self._count if self._count else 0.0
        self._off += done.change
        self._count, self._violation = done.kept, done.violation
        self._margin = done.violation or np.inf
        self._credit += self._share * done.kept
        if self._violation <= self._penalty * abs(self._off):
            self._level += self._penalty * self._off
        return self._violation

    def _step_on_face(self) -> None:
        """Move the free coefficients at once, and settle after how many sweeps again."""
        samples = self._order[: self._count]
        g = row_values(self._rows, samples, self._w) + (self._level + self._penalty * self._off)
        g += self._box.ridge[samples] * self._beta[samples] - self._box.target[samples]
        face = face_of(self._rows, self._features, self._box, samples, self._beta, g, self._penalty)
        if face is None:
            return
        step = face.step(self._accuracy, max(1, int(self._credit / (2 * face.samples.size))))
        self._beta[face.samples] = np.clip(face.beta + step.change, face.lower, face.upper)
        self._w += step.weights
        self._off += float(step.change.sum())
        visits = samples.size + step.passes * face.samples.size
        self.visits += visits
        self._credit = max(0.0, self._credit - visits)
        better = step.gain > self._rate * visits
        self._share = min(_MOST_WORK, 2.0 * self._share) if better else max(_LEAST_WORK, 0.5 * self._share)
        self._accuracy = max(_TIGHT, _TIGHTER * self._accuracy) if step.inside else _LOOSE

    def measure(self) -> Measured:
        """Return the feasible point near beta with its gap, and go on with all samples."""
        self._count, self._margin = self.program.size, np.inf
        # Rounding has added up in what the steps kept up to date.
        self._w, self._off = self._weights(self._beta), float(self._beta.sum()) - (self.program.total or 0.0)
        beta = self._beta.copy()
        feasible = self.program.project(beta)
        w = self._w if feasible is beta else self._weights(feasible)
        values = row_values(self._rows, self._all, w)
        b = self._intercept(feasible, values)
        gap = duality_gap(self.program, feasible, values, b)
        return Measured(feasible, b, gap, self.visits, diverges(self.program, feasible, values))

    def _intercept(self, beta: Vector, values: Vector) -> float:
        if self.program.total is None:
            return 0.0
        if self.program.is_hard:
            return intercept_of(self.program, beta, values)
        width = self._penalty * abs(self._off) + 1e-6 * float(np.abs(self._box.target).max()) + np.finfo(float).tiny
        return best_intercept(self._box, values, self.program.total, self._level, width)

    def intercept_for(self, point: Measured, values: Vector) -> float:
        """Return the b of a point whose K beta is ``values``: those of shifted rows differ from them by a constant."""
        if self.program.total is None:
            return 0.0
        return point.intercept - float((values - row_values(self._rows, self._all, self._weights(point.beta))).mean())

    def _weights(self, beta: Vector) -> Vector:
        w = np.zeros(self._features)
        add_rows(self._rows, self._all, np.ascontiguousarray(beta), w)
        return w


def descend(
    descent: DescentState, tol: float, most: int, deadline: float, watch: Callable[[Measured], bool] | None = None
) -> Iterator[Measured]:
    """Yield measured points; the last one is within ``tol``, or says why it is the last.

    Parameters
    ----------
    most
        Visits to samples.
    deadline
        ``time.perf_counter()`` after which no further sweep is begun.
    watch
        Called with each point; gives up by returning True.
    """
    progress, m = RoundingWatch(_IDLE), len(descent.program)
    worst, at = np.inf, 0
    while True:
        violation = descent.advance()
        over = descent.visits >= most or perf_counter() >= deadline
        due = violation <= _FALL * worst or descent.visits - at >= max(_VISITS * m, _SHARE * descent.visits)
        if not (over or due):
            continue
        point = descent.measure()
        worst, at = violation, descent.visits
        if point.error <= tol or point.diverging:
            yield point
            return
        ended = ""
        if over:
            ended = "limit of iterations; " if descent.visits >= most else "limit of time; "
        elif watch is not None and watch(point):
            ended = f"gave up after {descent.visits} visits; "
        elif progress.ended(point.gap):
            ended = "no step improves in float64; "
        yield replace(point, ended=ended)
        if ended:
            return


@cache
def compile_sweeps() -> None:
    """Use all compiled code once on two samples."""
    program = KernelQP(Gram(Linear(), np.array([[1.0], [-1.0]])), np.array([1.0, -1.0]), -1.0, 1.0, 0.0)
    descent = DescentState(program, None, 0)
    for _ in range(3):
        descent.advance()
    descent.measure()
