# SPDX-License-Identifier: BSD-3-Clause
"""Descent of all machines with shared rows in float32, and certificates of all from one pass over K in float64.

A machine that a round leaves unproved goes on from the exact values, as iterative refinement does for linear equations;
one that gains little by that is left to the solver of one machine, which has rows in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import thread_time

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.batch.alone import Start, function_at
from qpkernels.batch.descent.descent import Scratch, descend_in_blocks, descend_in_one_block
from qpkernels.batch.descent.kept import descend_one_by_one, kept_rows
from qpkernels.batch.groups import Group, Reading
from qpkernels.batch.machine import Fitted
from qpkernels.batch.matrix.layout import Layout
from qpkernels.batch.matrix.rows import CompiledRows, OwnRows, SharedRows, shared_matrix
from qpkernels.batch.matrix.tiles import Tiles, tiles_of
from qpkernels.batch.matrix.values import expansions
from qpkernels.batch.schedule import Team
from qpkernels.batch.task import Task, begin_after, begin_cold
from qpkernels.errors import QPKernelsError
from qpkernels.gram import BoundedProduct, Gram
from qpkernels.problems import certify_kernel_qp
from qpkernels.solvers.answer import Claim, Outcome
from qpkernels.solvers.smo.iterate import intercept_of
from qpkernels.solvers.smo.rows.rows import ONE_BLOCK

__all__ = ["Limits", "solve_together"]

_GOAL = 0.8
"""Part of the tolerance that a descent goes for: the rest is for what float32 does to the rows."""

_GAIN = 0.3
"""Part of the gap that a round must get it down to; else another would gain little."""

_AT_ONCE = 100_000
"""Steps between two looks at the clock, where there is a limit of time."""

_BLOCK, _PARTS = 1024, 4
"""Samples of a block where they are several, and the least number of parts."""


@dataclass(frozen=True)
class Limits:
    """What a batch is held to: the gap, steps and seconds for each machine, and bytes of kernel values."""

    tol: float
    max_iter: int
    seconds: float
    memory: int


def solve_together(
    gram: Gram, group: Group, limits: Limits, team: Team
) -> Iterator[tuple[int, Fitted | QPKernelsError | Start]]:
    """Yield for each number of the group the answer, its error, or the start from which it is to go on alone."""
    machines, numbers = group.machines, group.numbers
    layout = Layout.of(machines, len(gram))
    tiles = tiles_of(gram, layout.order, np.float32, by_feature=group.reading is Reading.OWN)
    tasks = [Task.of(k, *each) for k, each in enumerate(zip(machines, layout.inside, strict=True))]
    if tiles is None:
        yield from ((number, Start()) for number in numbers)
        return
    descend = _descent(tiles, layout, tasks, group.reading, limits, team)
    descend(tasks, True)
    exact = tiles_of(gram, layout.order, np.float64)
    assert exact is not None
    while tasks:
        left = []
        for task, answer in _judged(gram, exact, layout, tasks, limits, team):
            if isinstance(answer, Task):
                left.append(answer)
            else:
                yield numbers[task.number], answer
        tasks = left
        descend(tasks, False)


def _descent(
    tiles: Tiles, layout: Layout, tasks: Sequence[Task], reading: Reading, limits: Limits, team: Team
) -> Callable[[Sequence[Task], bool], None]:
    """Return what lowers the gap of tasks, from their start if they are new, else from where they are."""
    if reading is Reading.KEPT:
        kept = kept_rows(tasks[0], layout.columns, limits.memory)

        def one_by_one(some: Sequence[Task], first: bool) -> None:
            own = [kept[task.number] for task in some]
            descend_one_by_one(some, own, limits.tol, limits.max_iter, limits.seconds, first=first)

        return one_by_one
    rows: list[CompiledRows]
    if reading is Reading.SHARED:
        matrix = shared_matrix(tiles, layout.trained, team.apply)
        rows = [SharedRows.of(matrix, columns) for columns in layout.columns]
    else:
        rows = [OwnRows(tiles, layout.columns[t.number], t.ordered(t.program.gram.diagonal)) for t in tasks]

    def side_by_side(some: Sequence[Task], first: bool) -> None:
        if some:
            _descend_all(some, [rows[task.number] for task in some], limits, team, first=first)

    return side_by_side


def _descend_all(
    tasks: Sequence[Task], rows: Sequence[CompiledRows], limits: Limits, team: Team, *, first: bool
) -> None:
    """Lower the gap of all tasks, each after the one that it starts from if they are new."""
    block = max(_block_size(size) for size in {len(task.program) for task in tasks})
    memory: list[Scratch | None] = [None] * team.size

    def work(k: int, worker: int) -> None:
        if memory[worker] is None:
            memory[worker] = Scratch(np.empty(block * block, np.float32), np.empty(block, np.bool_))
        scratch = memory[worker]
        assert scratch is not None
        task, begin = tasks[k], thread_time()
        if first:
            after = task.machine.after
            if after is None:
                begin_cold(task, rows[k])
            else:
                begin_after(task, tasks[after], rows[k], rows[after].columns)
        _descend(task, rows[k], limits, scratch, begin)
        task.seconds += thread_time() - begin

    before = [task.machine.after if first else None for task in tasks]
    team.in_order(work, before, [float(len(task.program)) ** 2 for task in tasks])


def _block_size(samples: int) -> int:
    return samples if samples <= ONE_BLOCK else min(_BLOCK, samples // _PARTS)


def _descend(task: Task, rows: CompiledRows, limits: Limits, scratch: Scratch, begin: float) -> None:
    size = _block_size(task.beta.size)
    own = Scratch(scratch.block, scratch.made[:size])
    point = task.data, task.program.total is not None, task.beta, task.values, _GOAL * limits.tol
    source, taken, limit, deadline = rows.source, 0, 0, begin + limits.seconds - task.seconds
    while taken == limit and task.steps < limits.max_iter and thread_time() < deadline:
        limit = min(limits.max_iter - task.steps, _AT_ONCE if deadline < np.inf else limits.max_iter)
        if size == task.beta.size:
            taken = descend_in_one_block(source, *point, limit, own)
        else:
            taken = descend_in_blocks(source, rows.runs, *point, limit, own)
        task.steps += taken


def _judged(
    gram: Gram, exact: Tiles, layout: Layout, tasks: Sequence[Task], limits: Limits, team: Team
) -> Iterator[tuple[Task, Task | Fitted | QPKernelsError | Start]]:
    """Yield each task with its answer, or itself where another round may prove it, or a start."""
    for task in tasks:
        task.beta = task.ordered(task.program.project(task.original(task.beta)))
    if gram.features is None:
        sums = expansions(exact, layout, [t.number for t in tasks], [t.beta for t in tasks], team.apply)
    else:
        sums = [_by_features(gram, task) for task in tasks]
    for task, (values, held_out) in zip(tasks, sums, strict=True):
        task.values = values
        try:
            yield task, _judge(task, held_out, limits)
        except QPKernelsError as error:
            yield task, error


def _by_features(gram: Gram, task: Task) -> tuple[Vector, Vector]:
    """Return K beta at the samples, and f at those held out, by weights: these keep the digits that samples share."""
    beta = task.original(task.beta)
    return task.ordered(task.program.gram.product(beta)), function_at(gram, task.machine, beta)


def _judge(task: Task, held_out: Vector, limits: Limits) -> Task | Fitted | Start:
    beta, values = task.original(task.beta), task.original(task.values)
    program = task.program
    intercept = intercept_of(program, beta, values)
    product = BoundedProduct(beta, values, np.zeros(values.size))
    certificate = certify_kernel_qp(program, beta, intercept, product=product)
    over = task.steps >= limits.max_iter or task.seconds >= limits.seconds
    if not certificate.holds(limits.tol) and not over:
        if not certificate.error < _GAIN * task.violation:
            return Start(beta, task.steps, task.seconds)
        task.violation = certificate.error
        return task
    proved = certificate.holds(limits.tol)
    limit = "" if proved else f"limit of {'iterations' if task.steps >= limits.max_iter else 'time'}; "
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
