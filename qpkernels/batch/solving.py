# SPDX-License-Identifier: BSD-3-Clause
"""Many machines on samples of one kernel matrix, each proved as it would be alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.batch.machine import Fitted, Machine
from qpkernels.batch.warm import warm_start
from qpkernels.certificates import KernelQPBounds
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.gram import Gram
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.solvers.smo import SMO

__all__ = ["solve_batch"]


def solve_batch(
    gram: Gram,
    machines: Sequence[Machine],
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    cache_size: float = 2048,
    n_jobs: int = -1,
    report: Callable[[int, Fitted | QPKernelsError], None] | None = None,
) -> list[Fitted | QPKernelsError]:
    """Solve all ``machines``; one that fails gives its error in the place of an answer.

    Parameters
    ----------
    gram
        The kernel matrix that the machines share.
    machines
        The problems, in any order but that each comes later than the one it starts from.
    tol
        Bound on the relative duality gap of each.
    max_iter
        Steps for each machine.
    time_limit
        Seconds for all together; the best answers so far are returned then.
    cache_size
        MiB that kernel values may take.
    n_jobs
        Threads; -1: one for each processor.
    report
        Called with the number of a machine and its answer as soon as that is there.

    Raises
    ------
    ParameterError
        If a machine does not belong to ``gram``, or comes before the one it starts from.
    """
    del n_jobs
    _check(gram, machines)
    deadline = None if time_limit is None else perf_counter() + time_limit
    answers: list[Fitted | QPKernelsError] = []
    for number, machine in enumerate(machines):
        before = None if machine.after is None else answers[machine.after]
        start = None
        if isinstance(before, Fitted) and machine.after is not None:
            start = warm_start(machine, machines[machine.after], before.outcome.point)
        left = None if deadline is None else max(1e-3, deadline - perf_counter())
        try:
            answers.append(_solve_alone(gram, machine, start, tol, max_iter, left, cache_size))
        except QPKernelsError as error:
            answers.append(error)
        if report is not None:
            report(number, answers[-1])
    return answers


def _solve_alone(
    gram: Gram,
    machine: Machine,
    start: Vector | None,
    tol: float,
    max_iter: int | None,
    time_limit: float | None,
    cache_size: float,
) -> Fitted:
    program = machine.program
    program.gram.require_psd()
    outcome = SMO().solve(
        program, tol=tol, max_iter=max_iter, time_limit=time_limit, warm_start=start, cache_size=cache_size
    )
    intercept = float(outcome.multipliers.sum())
    certificate = KernelQPBounds(program).certify(outcome.point, intercept)
    held_out = None
    if machine.held_out is not None:
        c = program.gram.expansion_coefficients(outcome.point)
        held_out = np.full(machine.held_out.size, intercept)
        add_kernel_sums(gram.kernel, program.gram.X[c != 0], c[c != 0], gram.X[machine.held_out], held_out)
    return Fitted(outcome, certificate, held_out)


def _check(gram: Gram, machines: Sequence[Machine]) -> None:
    for number, machine in enumerate(machines):
        for name, numbers in (("samples", machine.samples), ("held_out", machine.held_out)):
            if numbers is not None and numbers.size and not 0 <= numbers.min() <= numbers.max() < len(gram):
                raise ParameterError(
                    f"machine {number} must have {name} within the {len(gram)} of the shared matrix, but they run from "
                    f"{numbers.min()} to {numbers.max()}."
                )
        if not machine.program.gram.is_part_of(gram, machine.samples):
            raise ParameterError(
                f"machine {number} must be stated on samples of the shared matrix; give its program "
                "gram.part(samples), or that matrix itself."
            )
        if machine.after is not None and machine.after >= number:
            raise ParameterError(
                f"machine {number} starts from machine {machine.after}, which must come before it; change their order."
            )
