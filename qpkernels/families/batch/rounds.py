# SPDX-License-Identifier: BSD-3-Clause
"""Descent of the machines of a group, and their certificates, made of K beta in float64.

The machines descend with rows in float32 that they share, and one pass over K serves the certificates of all. One that
a round leaves unproved goes on from the exact values, as iterative refinement does for linear equations; one that gains
little by that is left to the solver of one machine, which has rows in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Vector
from qpkernels.arrays.threads import in_this_thread
from qpkernels.errors import QPKernelsError
from qpkernels.families.batch.groups import MachineGroup, Reading
from qpkernels.families.batch.machine import Fitted, Machine, Start, carried
from qpkernels.families.batch.matrix import Layout, Tiles, expansions, shared_matrix, tiles_of
from qpkernels.families.batch.schedule import Team
from qpkernels.gram import Gram
from qpkernels.gram.gram import BoundedProduct
from qpkernels.gram.panels.samples import make_product
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers.interface import Claim, Outcome
from qpkernels.solvers.smo.descent import DescentLimits, PairDescent, descend
from qpkernels.solvers.smo.iterate import intercept_of
from qpkernels.solvers.smo.rows import ONE_BLOCK, MatrixRows, ProductRows, SampleRows
from qpkernels.solvers.smo.steps import PATIENCE

__all__ = ["BatchLimits", "function_at", "solve_together"]

_GOAL, _ENOUGH = 0.8, 0.5
"""Parts of the tolerance that a descent goes for, and within which a start needs no step.

The rest is for what float32 does to the rows.
"""

_UNIT, _SINGLE_UNIT = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)

_ROUNDED = 1e-12
"""Part of a number by which rounding may change it."""

_GAIN = 0.3
"""Part of the gap that a round must get it down to; else another would gain little."""


class BatchLimits(NamedTuple):
    """The limits of a batch: the gap, steps and seconds for each machine, and bytes of kernel values."""

    tol: float
    max_iter: int
    seconds: float
    memory: int


@dataclass(eq=False)
class _Task:
    """A machine on its way to an answer.

    Attributes
    ----------
    number
        That of the machine in the group.
    program
        Its problem, on the matrix by which it is judged.
    rows
        Those that it descends by.
    beta, values
        The point and K beta; K beta from rows in float32, or in float64 after each round.
    steps, seconds
        Spent so far.
    error
        What the gap was after the last round.
    """

    number: int
    machine: Machine
    program: KernelQP
    rows: SampleRows
    beta: Vector
    values: Vector
    steps: int = 0
    seconds: float = 0.0
    error: float = np.inf


def solve_together(
    gram: Gram, group: MachineGroup, bounds: BatchLimits, team: Team
) -> Iterator[tuple[int, Fitted | QPKernelsError | Start]]:
    """Yield for each number of the group the answer, its error, or the start from which it is to go on alone."""
    machines, numbers = group.machines, group.numbers
    layout = Layout.of(machines, len(gram))
    tiles = tiles_of(gram, layout.order, np.float32)
    if tiles is None:
        yield from ((number, Start()) for number in numbers)
        return
    each = _kept_rows(machines, bounds) if group.reading is Reading.KEPT else _shared_rows(tiles, layout, team)
    tasks = [
        _task(k, machine, machine.program, rows) for k, (machine, rows) in enumerate(zip(machines, each, strict=True))
    ]
    work = _one_by_one if group.reading is Reading.KEPT else _side_by_side
    work(tasks, bounds, team, True)
    exact = tiles_of(gram, layout.order, np.float64)
    assert exact is not None
    while tasks:
        left = []
        for task, answer in _judged(gram, exact, layout, tasks, bounds, team):
            if isinstance(answer, _Task):
                left.append(answer)
            else:
                yield numbers[task.number], answer
        tasks = left
        work(tasks, bounds, team, False)


def _task(number: int, machine: Machine, program: KernelQP, rows: SampleRows) -> _Task:
    return _Task(number, machine, program, rows, np.empty(0), np.empty(0))


def _shared_rows(tiles: Tiles, layout: Layout, team: Team) -> list[SampleRows]:
    """Return the rows of each machine in a matrix over the samples of all."""
    matrix = shared_matrix(tiles, layout.trained, team.apply)
    return [MatrixRows(matrix, places) for places in layout.places]


def _kept_rows(machines: Sequence[Machine], bounds: BatchLimits) -> list[SampleRows]:
    """Return the rows of machines on the same samples: those that one has made serve the next, as memory allows."""
    gram = machines[0].program.gram
    form, X = gram.panels()
    assert form is not None
    return [ProductRows.with_cache(make_product(form, X, np.float32), bounds.memory)] * len(machines)


def _one_by_one(tasks: Sequence[_Task], bounds: BatchLimits, team: Team, first: bool) -> None:
    """Lower the gap of one task after the other, with all processors each."""
    del team
    for task in tasks:
        _lower(task, _before(task, tasks) if first else None, bounds, first)


def _side_by_side(tasks: Sequence[_Task], bounds: BatchLimits, team: Team, first: bool) -> None:
    """Lower the gap of all tasks, each after the one that it starts from if they are new."""
    # Fresh memory for each machine would take longer to get than to use.
    memory: list[Floats | None] = [None] * team.size
    room = max(size if size <= ONE_BLOCK else ONE_BLOCK for size in {len(task.program) for task in tasks} or {0})

    def work(k: int, worker: int) -> None:
        rows = tasks[k].rows
        assert isinstance(rows, MatrixRows)
        if memory[worker] is None:
            memory[worker] = np.empty(room**2, np.float32)
        rows.memory = memory[worker]
        with in_this_thread():
            _lower(tasks[k], _before(tasks[k], tasks) if first else None, bounds, first)
        rows.memory = None

    after = [task.machine.after if first else None for task in tasks]
    team.in_order(work, after, [float(len(task.program)) ** 2 for task in tasks])


def _before(task: _Task, tasks: Sequence[_Task] | Mapping[int, _Task]) -> _Task | None:
    return None if task.machine.after is None else tasks[task.machine.after]


def _lower(task: _Task, before: _Task | None, bounds: BatchLimits, first: bool) -> None:
    """Lower the gap of a task; if it is new, from where the one ``before`` ended, or near 0."""
    begin, program = perf_counter(), task.program.around(task.program.middle)
    if first:
        _begin(task, before)
    deadline, shrinking = begin + bounds.seconds - task.seconds, isinstance(task.rows, ProductRows)
    limits = DescentLimits(bounds.tol, bounds.max_iter, deadline, task.steps, shrinking)
    search = PairDescent(program, task.rows, task.beta, task.values)
    if not limits.over(0):
        _descend(search, program, limits)
    if not search.unshrunk:
        search.restore()
    task.beta, task.values = search.point()
    task.steps += search.steps
    task.seconds += perf_counter() - begin


def _descend(search: PairDescent, program: KernelQP, limits: DescentLimits) -> None:
    """Lower the gap to a part of the tolerance; rows that are there, or few, need no shrinking."""
    if not limits.shrinking:
        # At a kink the gradient is near epsilon, and float32 tells it from that no better.
        floor = 4 * (_UNIT * search.size + (0.0 if search.exact else _SINGLE_UNIT) * float(program.epsilon.max()))
        taken = 1
        while taken and search.idle <= PATIENCE and not limits.over(search.steps):
            taken = search.outer_iteration(limits.max_iter - limits.steps - search.steps, floor, _GOAL * limits.tol)
            taken = 0 if search.reached or search.settled else taken
        return
    gap = search.measure(limits.steps).gap.shortfall
    if gap > _ENOUGH * limits.tol:
        for iterate in descend(search, limits, gap, trusted=True):
            if iterate.proves(_GOAL * limits.tol) or limits.over(search.steps):
                return


def _begin(task: _Task, before: _Task | None) -> None:
    """Begin at the feasible point near 0, or near the answer of another task.

    On the same samples, with bounds that are a multiple of those of the other, the start is a multiple of its point,
    whose K beta takes no row: the best one that is feasible. Where most coefficients are at a bound, that goes up with
    it; where none is, the point stays. Otherwise what was at a bound goes to that of now.
    """
    program, known = task.program, np.zeros(len(task.program))
    if before is None:
        start, task.values = known, known.copy()
    else:
        same = np.array_equal(task.machine.samples, before.machine.samples)
        if same and _is_multiple(task.machine, before.machine):
            _begin_on_ray(task, before)
            return
        start = carried(task.machine, before.machine, before.beta)
        if same:
            known, task.values = before.beta, before.values.copy()
        else:
            task.values = known.copy()
    task.beta = program.project(start)
    delta = task.beta - known
    used = np.flatnonzero(delta)
    if used.size:
        task.rows.add_to(slice(None), used, delta[used], task.values)


def _is_multiple(machine: Machine, before: Machine) -> bool:
    """Return whether the bounds are one positive multiple of those of ``before``, and the sum is the same, or 0."""
    new, old = machine.program, before.program
    (finite,) = np.nonzero(np.isfinite(old.upper) & (old.upper > 0))
    factor = float(new.upper[finite[0]] / old.upper[finite[0]]) if finite.size else 1.0
    if not 0 < factor < np.inf or new.total != old.total or (new.total and factor != 1.0):
        return False
    pairs = ((new.lower, old.lower * factor), (new.upper, old.upper * factor))
    return all(bool(_are_equal(a, b).all()) for a, b in pairs)


def _are_equal(one: Vector, other: Vector) -> NDArray[np.bool_]:
    """Return which numbers are equal but for rounding, as two infinities are."""
    below, above = other * (1 - _ROUNDED), other * (1 + _ROUNDED)
    return np.asarray((np.minimum(below, above) <= one) & (one <= np.maximum(below, above)))


def _begin_on_ray(task: _Task, before: _Task) -> None:
    """Begin at the multiple of the other point at which the objective is least."""
    new, beta, values = task.program, before.beta, before.values
    target, bounds = new.target - new.middle, np.where(beta > 0, new.upper, new.lower)
    (used,) = np.nonzero(beta)
    most = float((bounds[used] / beta[used]).min(initial=np.inf))
    curvature = float(beta @ (values + new.ridge * beta))
    gain = float(target @ beta - new.epsilon @ np.abs(beta))
    best = max(gain, 0.0) / curvature if curvature > 0 else 1.0
    factor = 1.0 if new.total else min(best, most)
    task.beta, task.values = np.clip(factor * beta, new.lower, new.upper), factor * values
    if factor == most:
        # What is at its bound is there exactly, whatever the rounding of the factor.
        at_bound = _are_equal(task.beta, bounds)
        task.beta[at_bound] = bounds[at_bound]


def _judged(
    gram: Gram, exact: Tiles, layout: Layout, tasks: Sequence[_Task], bounds: BatchLimits, team: Team
) -> Iterator[tuple[_Task, _Task | Fitted | QPKernelsError | Start]]:
    """Yield each task with its answer, or itself where another round may prove it, or a start."""
    for task in tasks:
        task.beta = task.program.project(task.beta)
    if gram.features is None:
        sums = expansions(exact, layout, [t.number for t in tasks], [t.beta for t in tasks], team.apply)
    else:
        # By weights, which keep the digits that samples share.
        sums = [(t.program.gram.product(t.beta), function_at(gram, t.machine, t.beta)) for t in tasks]
    for task, (values, held_out) in zip(tasks, sums, strict=True):
        task.values = values
        try:
            yield task, _judge(task, held_out, bounds)
        except QPKernelsError as error:
            yield task, error


def _judge(task: _Task, held_out: Vector, bounds: BatchLimits) -> _Task | Fitted | Start:
    beta, values, program = task.beta, task.values, task.program
    intercept = intercept_of(program, beta, values)
    product = BoundedProduct(beta, values, np.zeros(values.size))
    certificate = certify_kernel_qp(program, beta, intercept, product=product)
    proved = certificate.holds(bounds.tol)
    if not proved and task.steps < bounds.max_iter and task.seconds < bounds.seconds:
        if not certificate.error < _GAIN * task.error:
            return Start(beta, task.steps, task.seconds)
        task.error = certificate.error
        return task
    limit = "" if proved else f"limit of {'iterations' if task.steps >= bounds.max_iter else 'time'}; "
    outcome = Outcome(
        beta,
        np.array([] if program.total is None else [intercept]),
        Claim.OPTIMAL if proved else Claim.STOPPED,
        f"{limit}relative gap {certificate.relative_gap:.1e}",
        task.steps,
        values,
        "smo",
        task.seconds,
    )
    return Fitted(outcome, certificate, None if task.machine.held_out is None else held_out + intercept)


def function_at(whole: Gram, machine: Machine, beta: Vector) -> Vector:
    """Return f without b at the samples held out."""
    if machine.held_out is None or machine.held_out.size == 0:
        return np.empty(0)
    if whole.is_formed and whole.correction is None:
        (used,) = np.nonzero(beta)
        places = len(whole) * machine.held_out[:, None] + machine.samples[used]
        return np.asarray(whole.dense.take(places) @ beta[used])
    gram = machine.program.gram
    coefficients = gram.expansion_coefficients(beta)
    (used,) = np.nonzero(coefficients)
    if used.size == 0:
        return np.zeros(machine.held_out.size)
    return whole.values(gram.expansion(coefficients[used], rows=used), machine.held_out)
