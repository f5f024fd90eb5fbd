# SPDX-License-Identifier: BSD-3-Clause
"""Machines that are trained together, from the arrays to the proved answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.computer import Computer, Watch
from benchmarks.many.workloads import Workload
from benchmarks.records import Training
from qpkernels import RBF, Gram
from qpkernels.families.batch import Fitted, solve_batch

__all__ = ["train"]


def train(
    workloads: Iterable[Workload], folder: Path, repeats: int, tol: float, computer: Computer
) -> Iterator[Training]:
    """Train each workload so many times after a first that is not counted."""
    for workload in workloads:
        yield _trained(workload, folder, repeats, tol, computer)


def _trained(workload: Workload, folder: Path, repeats: int, tol: float, computer: Computer) -> Training:
    X, y, gamma = workload.load(folder)
    seconds, busy = [], []
    watch = Watch(computer)
    for _ in range(repeats + 1):
        begin, used = perf_counter(), process_time()
        gram = Gram(RBF(gamma), X)
        answers = solve_batch(gram, workload.machines(gram, y), tol=tol)
        seconds.append((perf_counter() - begin,))
        busy.append(process_time() - used)
    fitted = [answer for answer in answers if isinstance(answer, Fitted)]
    return Training(
        where=watch.setting(),
        workload=workload.name,
        tol=tol,
        machines=len(answers),
        proved=sum(answer.certificate.holds(tol) for answer in fitted),
        steps=sum(answer.outcome.iterations or 0 for answer in fitted),
        gap=max((answer.certificate.relative_gap for answer in fitted), default=float("nan")),
        turns=tuple(seconds[1:]),
        processor=tuple(busy[1:]),
    )
