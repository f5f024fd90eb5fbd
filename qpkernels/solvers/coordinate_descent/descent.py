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

Many machines on the same rows are solved by sweeps alone, each by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Samples, Vector, frozen, is_sparse
from qpkernels.gram import Gram
from qpkernels.kernels import Linear
from qpkernels.problems import KernelQP
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.gap import DualityGap, duality_gap
from qpkernels.problems.kernel_qp.program import diverges
from qpkernels.problems.sums import ProgramTerms, gap_sums
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

__all__ = ["DescentState", "Measured", "Sweeps", "compile_sweeps", "descend", "rows_of", "solve_in_rows", "sparse_rows"]

_FALL = 0.3
"""Part of the violation at the last measurement from which on another one is due."""

_VISITS, _SHARE = 4, 0.1
"""Visits to each sample, and part of all visits, after which one is due in any case."""

_HALVED = 0.5
"""Part of the gap at the last measurement above which the samples that were left out are looked at again."""

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
        return sparse_rows(Z), int(count)
    return _rows(np.arange(m + 1, dtype=np.uint64) * np.uint64(count), np.zeros(0, np.uint32), Z.ravel()), int(count)


def sparse_rows(Z: csr_array) -> Rows:
    """Return the rows of a matrix."""
    # Of an unsigned index compiled code need not ask whether it counts from the end.
    return _rows(Z.indptr.astype(np.uint64), Z.indices.astype(np.int32, copy=False).view(np.uint32), Z.data)


def _rows(*parts: Any) -> Rows:
    # Read-only as samples are, whatever they come from: loops are compiled once.
    starts, columns, values = map(frozen, parts)
    return Rows(starts, columns, values, squared_norms(starts, values))


class Sweeps:
    """Coefficients of rows within a box, and their w, which sweeps take to the minimum.

    Attributes
    ----------
    visits
        Steps in one coefficient so far, and passes over a row on a face.

    Parameters
    ----------
    rows, features
        The rows, and the number of features.
    box
        What is said of each row.
    samples
        Numbers of the rows whose coefficients may be other than 0.
    beta
        Where those of all rows begin.
    total
        The value of 1'beta; None: any.
    seed, shrinking
        As in :class:`~qpkernels.solvers.coordinate_descent.solver.CoordinateDescent`.
    """

    def __init__(
        self,
        rows: Rows,
        features: int,
        box: Box,
        samples: Indices,
        beta: Vector,
        total: float | None = None,
        seed: int = 0,
        *,
        shrinking: bool = True,
    ) -> None:
        self.visits, self._shrinking = 0, shrinking
        self._rows, self._features, self._box, self._samples = rows, features, box, samples
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)
        self._table = box.table(rows.squares)
        self._beta = self._table[:, BETA]
        self._beta[:] = beta
        self._penalty = 0.0 if total is None else (float(rows.squares.mean()) or 1.0)
        self._total, self._level = total or 0.0, 0.0
        self._worst = self._gap = np.inf
        self._gain = self._gained = 0.0
        self._measured = 0
        self._take_all()
        self.add_up()

    def _take_all(self) -> None:
        self._order, self._count, self._margin = self._samples.copy(), self._samples.size, np.inf

    def answer(self) -> tuple[Vector, Vector, Vector]:
        """Return the coefficients of the samples, w, and z_i'w."""
        return self._beta[self._samples], self._w, row_values(self._rows, self._samples, self._w)

    def add_up(self) -> None:
        """Make w and 1'beta of the coefficients: rounding has added up in what the steps kept up to date."""
        self._w = self._weights(self._beta)
        self._off = float(self._beta.sum()) - self._total

    def go_on(self, gap: float) -> None:
        """Be told the gap: unless it falls by the samples that are left in, go on with all."""
        if not gap <= _HALVED * self._gap:
            self._take_all()
        self._gap = gap

    def run(self, most: int, deadline: float = np.inf, goal: float = np.inf) -> bool:
        """Make sweeps until the gap is worth to be known; return whether a limit of visits or of time is reached.

        It is not as long as a sweep gains more than the part ``goal`` of what all gained from 0 on.
        """
        while True:
            violation = self.advance()
            over = self.visits >= most or perf_counter() >= deadline
            due = max(_VISITS * self._samples.size, _SHARE * self.visits)
            due_now = violation <= _FALL * self._worst or self.visits - self._measured >= due
            if over or (due_now and self._gain <= goal * self._gained):
                self._worst, self._measured = violation, self.visits
                return over

    def advance(self) -> float:
        """Make a sweep; return the largest slope that it met."""
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
        self._gain, self._gained = done.gain, self._gained + done.gain
        self._off += done.change
        self._count, self._margin = done.kept, done.violation or np.inf
        if done.violation <= self._penalty * abs(self._off):
            self._level += self._penalty * self._off
        return done.violation

    def _weights(self, beta: Vector) -> Vector:
        w = np.zeros(self._features)
        add_rows(self._rows, self._samples, np.ascontiguousarray(beta)[self._samples], w)
        return w


class DescentState(Sweeps):
    """A problem and where its descent stands."""

    def __init__(self, program: KernelQP, start: Vector | None, seed: int, *, shrinking: bool = True) -> None:
        vectors = (program.target, program.lower, program.upper, program.epsilon, program.ridge)
        beta = np.zeros(program.size) if start is None else program.project(start)
        box, everyone = Box(*(np.array(vector) for vector in vectors)), np.arange(program.size)
        self.program = program
        super().__init__(*rows_of(program), box, everyone, beta, program.total, seed, shrinking=shrinking)
        self._share, self._credit, self._accuracy = _WORK, 0.0, _LOOSE
        self._rate = 0.0
        if program.total is not None and start is not None:
            self._level = self._intercept(*self.answer()[::2])

    def advance(self) -> float:
        """Make a sweep, after a step on a face where one is due; return the largest slope that the sweep met."""
        if self._credit >= _PASSES * self._count:
            self._step_on_face()
        visits = self._count
        violation = super().advance()
        self._rate = self._gain / visits if visits else 0.0
        self._credit += self._share * self._count
        return violation

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
        """Return the feasible point near beta with its gap."""
        self.add_up()
        beta = self._beta.copy()
        feasible = self.program.project(beta)
        w = self._w if feasible is beta else self._weights(feasible)
        values = row_values(self._rows, self._samples, w)
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
        return point.intercept - float(
            (values - row_values(self._rows, self._samples, self._weights(point.beta))).mean()
        )


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
    progress = RoundingWatch(_IDLE)
    while True:
        over = descent.run(most, deadline)
        point = descent.measure()
        descent.go_on(point.gap.relative)
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


def solve_in_rows(
    rows: Rows, features: int, samples: Indices, terms: ProgramTerms, begin: Vector, goal: float, most: int
) -> tuple[Vector, Vector, Vector, int]:
    """Lower the relative gap of a machine to ``goal``, in about ``most`` visits to samples.

    Parameters
    ----------
    rows, features
        The rows that machines share, and the number of features.
    samples, terms
        Numbers of its own, and what each of these adds to its program.
    begin
        Coefficients of these.

    Returns
    -------
    Their coefficients, w, z_i'w, and the number of visits.
    """
    everywhere = np.zeros((6, rows.squares.size))
    everywhere[:, samples] = (terms.target, terms.lower, terms.upper, terms.epsilon, terms.ridge, begin)
    sweeps = Sweeps(rows, features, Box(*everywhere[:5]), samples, everywhere[5])
    # Further sweeps gain no more than the gap: before one gains as little, there is no use in knowing it.
    share = np.inf if begin.any() else goal
    while True:
        over = sweeps.run(most, goal=share)
        gap = _gap_without_rounding(terms, *sweeps.answer())
        if gap <= goal or over:
            sweeps.add_up()
            return *sweeps.answer(), sweeps.visits
        sweeps.go_on(gap)


def _gap_without_rounding(terms: ProgramTerms, beta: Vector, w: Vector, values: Vector) -> float:
    none, zero = np.empty(0), np.zeros(1)
    sums, _ = gap_sums(terms, beta, values, none, none, np.array([0, beta.size]), zero, zero)
    square = 0.5 * float(w @ w)
    primal, dual = square + float(sums.losses[0]), float(sums.linear[0] - sums.costs[0]) - square
    scale = max(abs(primal), abs(dual))
    return abs(primal - dual) / scale if scale > 0.0 else 0.0


@cache
def compile_sweeps() -> None:
    """Use all compiled code once on two samples."""
    program = KernelQP(Gram(Linear(), np.array([[1.0], [-1.0]])), np.array([1.0, -1.0]), -1.0, 1.0, 0.0)
    descent = DescentState(program, None, 0)
    for _ in range(3):
        descent.advance()
    descent.measure()
