# SPDX-License-Identifier: BSD-3-Clause
"""A machine on its way to an answer: its data as compiled code takes them, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qpkernels.arrays import Floats, Indices, Vector
from qpkernels.batch.machine import Machine
from qpkernels.batch.matrix.rows import Rows
from qpkernels.batch.warm import carried
from qpkernels.problems import KernelQP
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


def begin_cold(task: Task, rows: Rows, start: Vector | None = None) -> None:
    """Begin at the feasible point near ``start``, of the order of the program, or near 0."""
    task.beta = task.ordered(task.program.project(np.zeros(len(task.program)) if start is None else start))
    task.values = np.zeros(task.beta.size)
    (used,) = np.nonzero(task.beta)
    if used.size:
        rows.add_to(task.values, rows.columns[used], task.beta[used])


def begin_after(task: Task, before: Task, rows: Rows, columns: Indices) -> None:
    """Begin at the answer of another task, whose samples are at these ``columns``.

    On the same samples, with bounds that are a multiple of those of the other, the start is a multiple of its point,
    whose K beta takes no row: the best one that is feasible. Where most coefficients are at a bound, that goes up with
    it; where none is, the point stays. Otherwise what was at a bound goes to that of now.
    """
    new, old = task.data, before.data
    same = columns.size == rows.columns.size and bool((columns == rows.columns).all())
    if same and _is_multiple(task, before):
        _begin_on_ray(task, before)
        return
    _, here, there = np.intersect1d(rows.columns, columns, assume_unique=True, return_indices=True)
    bounds = (old.lower[there], old.upper[there]), (new.lower[here], new.upper[here])
    start = np.zeros(rows.columns.size)
    start[here] = carried(before.beta[there], *bounds)
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


def _is_multiple(task: Task, before: Task) -> bool:
    """Return whether the bounds are one positive multiple of those of ``before``, and the sum is the same, or 0."""
    new, old = task.data, before.data
    (finite,) = np.nonzero(np.isfinite(old.upper) & (old.upper > 0))
    factor = float(new.upper[finite[0]] / old.upper[finite[0]]) if finite.size else 1.0
    total, was = task.program.total, before.program.total
    if not 0 < factor < np.inf or total != was or (total and factor != 1.0):
        return False
    pairs = ((new.lower, old.lower), (new.upper, old.upper))
    return all(np.isclose(a, factor * b, rtol=1e-12, atol=0.0).all() for a, b in pairs)


def _begin_on_ray(task: Task, before: Task) -> None:
    """Begin at the multiple of the other point at which the objective is least."""
    new, beta, values = task.data, before.beta, before.values
    bounds = np.where(beta > 0, new.upper, new.lower)
    (used,) = np.nonzero(beta)
    most = float((bounds[used] / beta[used]).min(initial=np.inf))
    curvature = float(beta @ (values + new.ridge * beta))
    gain = float(new.target @ beta - new.epsilon @ np.abs(beta))
    best = max(gain, 0.0) / curvature if curvature > 0 else 1.0
    factor = 1.0 if task.program.total else min(best, most)
    task.beta, task.values = np.clip(factor * beta, new.lower, new.upper), factor * values
    if factor == most:
        # What is at its bound is there exactly, whatever the rounding of the factor.
        at_bound = np.isclose(task.beta, bounds, rtol=1e-12, atol=0.0)
        task.beta[at_bound] = bounds[at_bound]
