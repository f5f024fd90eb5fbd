# SPDX-License-Identifier: BSD-3-Clause
"""Machines on many samples, one after the other: rows that one has made serve the next, and all processors each."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from qpkernels.batch.matrix.rows import KeptRows
from qpkernels.batch.task import Task, begin_after, begin_cold
from qpkernels.gram.panels.samples import form_and_samples, make_product
from qpkernels.solvers.smo.blocks import Limits, descend
from qpkernels.solvers.smo.rows.product_rows import ProductRows
from qpkernels.solvers.smo.shrinking import ShrinkingDescent

__all__ = ["descend_one_by_one", "kept_rows"]

_ENOUGH = 0.5
"""Part of the tolerance within which a start needs no step: the rest is for what float32 does to its values."""


def kept_rows(task: Task, columns: Sequence[np.ndarray], memory: int) -> list[KeptRows]:
    """Return the rows of machines on the samples of ``task``, which share those kept in ``memory`` bytes."""
    gram = task.program.gram
    form, X = form_and_samples(gram.kernel, gram.X)
    assert form is not None
    kept = ProductRows.with_cache(make_product(form, X, np.float32), memory)
    return [KeptRows(kept, each, task.inside) for each in columns]


def descend_one_by_one(
    tasks: Sequence[Task], rows: Sequence[KeptRows], tol: float, max_iter: int, seconds: float, *, first: bool
) -> None:
    """Lower the gap of all tasks, each after the one that it starts from if they are new."""
    for task, own in zip(tasks, rows, strict=True):
        begin, after = perf_counter(), task.machine.after
        if first and after is not None:
            begin_after(task, tasks[after], own, rows[after].columns)
        elif first:
            begin_cold(task, own)
        if task.seconds < seconds:
            _descend(task, own, Limits(tol, max_iter, begin + seconds - task.seconds, task.steps))
        task.seconds += perf_counter() - begin


def _descend(task: Task, rows: KeptRows, limits: Limits) -> None:
    program = task.program.around(task.program.middle)
    search = ShrinkingDescent(program, rows.kept, task.original(task.beta), task.original(task.values))
    gap = search.measure(limits.steps).violation
    if gap <= _ENOUGH * limits.tol:
        return
    for iterate in descend(program, search, limits, gap):
        if iterate.proves(limits.tol) or limits.over(search.steps):
            break
    if not search.unshrunk:
        search.restore()
    beta, values = search.point()
    task.beta, task.values = task.ordered(beta), task.ordered(values)
    task.steps += search.steps
