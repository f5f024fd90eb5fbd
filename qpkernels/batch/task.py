# SPDX-License-Identifier: BSD-3-Clause
"""A machine on its way to an answer: its data as compiled code takes them, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qpkernels.arrays import Floats, Indices, Vector
from qpkernels.batch.machine import Machine
from qpkernels.batch.rows import SharedRows
from qpkernels.programs import KernelQP
from qpkernels.solvers.smo.descent.passes import Arrays

__all__ = ["Task", "begin_after", "begin_cold"]

_NO_MATRIX: Floats = np.empty((0, 0), np.float32)


@dataclass(eq=False)
class Task:
    """A machine whose samples are in the order of a layout.

    Attributes
    ----------
    number
        That of the machine in the batch.
    program
        Its problem, with targets around their middle.
    inside
        Which of its samples comes where.
    data
        Target, epsilon, ridge and bounds in that order.
    beta, values
        The point and K beta, in that order; K beta from rows in float32, or in float64 after each round.
    steps, seconds
        Spent so far.
    """

    number: int
    machine: Machine
    program: KernelQP
    inside: Indices
    data: Arrays
    beta: Vector = field(default_factory=lambda: np.empty(0))
    values: Vector = field(default_factory=lambda: np.empty(0))
    steps: int = 0
    seconds: float = 0.0
    violation: float = np.inf

    @classmethod
    def of(cls, number: int, machine: Machine, inside: Indices) -> Task:
        """Return the task of a machine, with no point yet."""
        program = machine.program
        target = program.target[inside] - program.middle
        parts = (part[inside] for part in (program.epsilon, program.ridge, program.lower, program.upper))
        return cls(number, machine, program, inside, Arrays(_NO_MATRIX, target, *parts))

    def ordered(self, beta: Vector) -> Vector:
        """Return ``beta``, or values, in the order of the layout."""
        return beta[self.inside]

    def original(self, beta: Vector) -> Vector:
        """Return ``beta``, or values, in the order of the program."""
        result = np.empty_like(beta)
        result[self.inside] = beta
        return result


def begin_cold(task: Task, rows: SharedRows, start: Vector | None = None) -> None:
    """Begin at the feasible point near ``start``, of the order of the program, or near 0."""
    task.beta = task.ordered(task.program.project(np.zeros(len(task.program)) if start is None else start))
    task.values = np.zeros(task.beta.size)
    (used,) = np.nonzero(task.beta)
    rows.add_to(task.values, rows.columns[used], task.beta[used])


def begin_after(task: Task, before: Task, rows: SharedRows, columns: Indices) -> None:
    """Begin at the answer of another task, whose samples are at these ``columns``.

    Bounds that are a multiple of those of the other make a multiple of its point feasible: near an optimum where most
    coefficients are at a bound, and its K beta takes no row. Otherwise what was at a bound goes to that of now.
    """
    new, old = task.data, before.data
    same = columns.size == rows.columns.size and bool((columns == rows.columns).all())
    if same and (factor := _multiple(task, before)) is not None:
        task.beta, task.values = factor * before.beta, factor * before.values
        for bound, now in ((old.lower, new.lower), (old.upper, new.upper)):
            at_bound = (before.beta == bound) & (bound != 0)
            task.beta[at_bound] = now[at_bound]
        return
    _, here, there = np.intersect1d(rows.columns, columns, assume_unique=True, return_indices=True)
    moved = before.beta[there]
    for bound, now in ((old.lower[there], new.lower[here]), (old.upper[there], new.upper[here])):
        at_bound = (moved == bound) & (bound != 0) & np.isfinite(now)
        moved = np.where(at_bound, now, moved)
    start = np.zeros(rows.columns.size)
    start[here] = moved
    task.beta = task.ordered(task.program.project(task.original(start)))
    task.values = np.zeros(task.beta.size)
    if here.size < task.beta.size:
        (used,) = np.nonzero(task.beta)
        rows.add_to(task.values, rows.columns[used], task.beta[used])
        return
    # All of its samples belong to the other, whose K beta is known there: what changed is added to it.
    task.values[:] = before.values[there]
    delta = -before.beta
    delta[there] += task.beta[here]
    (used,) = np.nonzero(delta)
    rows.add_to(task.values, columns[used], delta[used])


def _multiple(task: Task, before: Task) -> float | None:
    """Return the factor by which bounds and sum are those of ``before``, or None if there is none."""
    new, old = task.data, before.data
    (finite,) = np.nonzero(np.isfinite(old.upper) & (old.upper > 0))
    factor = float(new.upper[finite[0]] / old.upper[finite[0]]) if finite.size else 1.0
    if not (factor > 0 and np.isfinite(factor)):
        return None
    total, was = task.program.total, before.program.total
    pairs = ((new.lower, old.lower), (new.upper, old.upper), (total or 0.0, was or 0.0))
    fits = all(np.isclose(a, factor * b, rtol=1e-12, atol=0.0).all() for a, b in pairs)
    return factor if fits and (total is None) == (was is None) else None
