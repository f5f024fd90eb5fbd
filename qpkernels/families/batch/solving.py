# SPDX-License-Identifier: BSD-3-Clause
"""Many machines on samples of one kernel matrix, each proved as it would be alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qpkernels.arrays import Vector, check_count, check_positive, check_tolerance
from qpkernels.arrays.threads import threads, without_blas_threads
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.families.batch.arrays import solve_each
from qpkernels.families.batch.machine import Fitted, Machine, Start, carried
from qpkernels.families.batch.schedule import Team
from qpkernels.gram import Gram
from qpkernels.problems import KernelQPBounds
from qpkernels.solvers.interface import time_left
from qpkernels.solvers.smo import CACHE_SIZE, SMO

__all__ = ["Alone", "solve_batch"]


def solve_batch(
    gram: Gram,
    machines: Sequence[Machine],
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    cache_size: float = CACHE_SIZE,
    n_jobs: int = -1,
    report: Callable[[int, Fitted | QPKernelsError], None] | None = None,
) -> list[Fitted | QPKernelsError]:
    """Solve all ``machines``; one that fails returns its error in place of an answer.

    Parameters
    ----------
    gram
        The kernel matrix that the machines share.
    machines
        The problems, in any order in which each comes after the one that it starts from.
    tol
        A bound on the relative duality gap of each machine.
    max_iter
        The steps for each machine.
    time_limit
        The seconds for each machine, after which its best point so far is its answer. Shared work on kernel values and
        proofs does not count towards the limit, nor towards ``seconds`` of an outcome.
    cache_size
        The memory for kernel values, in MiB.
    n_jobs
        The number of threads; -1 stands for one per processor.
    report
        A function that is called with the number of a machine and its answer as soon as that is available.

    Raises
    ------
    ParameterError
        If a machine does not belong to ``gram``, or if it comes before the one that it starts from.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels.families.batch import Machine, solve_batch
    >>> model = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1])
    >>> programs = [model.set_params(C=C).qp() for C in (0.1, 1.0)]
    >>> answers = solve_batch(model.gram, [Machine(program, np.arange(4)) for program in programs], tol=1e-6)
    >>> print([f"{answer.certificate.primal_value:.3f}" for answer in answers])
    ['0.225', '0.500']
    """
    # It loads the compiler.
    from qpkernels.families.batch.groups import Reading, grouped
    from qpkernels.families.batch.rounds import BatchLimits, solve_together

    _check(gram, machines)
    memory = int(2**20 * check_positive(cache_size, "cache_size"))
    _check_memory(memory, machines)
    jobs = threads(n_jobs if n_jobs == -1 else check_count(n_jobs, "n_jobs"))
    seconds = np.inf if time_limit is None else check_positive(time_limit, "time_limit")
    bounds = BatchLimits(check_tolerance(tol), _steps(max_iter, machines), seconds, memory)
    alone = Alone(gram, machines, tol, max_iter, time_limit, cache_size)
    answers: dict[int, Fitted | QPKernelsError] = {}

    def answered(number: int, answer: Fitted | QPKernelsError) -> None:
        answers[number] = answer
        if report is not None:
            report(number, answer)

    groups, others = grouped(gram, machines, memory)
    starts: dict[int, Start] = {}
    found: Iterable[tuple[int, Fitted | QPKernelsError | Start]]
    with Team(jobs) as team, without_blas_threads():
        for group in groups:
            if group.reading is not Reading.ARRAYS:
                found = solve_together(gram, group, bounds, team)
            elif max_iter is None and time_limit is None:
                each = solve_each(gram, group.machines, bounds.tol, memory, jobs)
                found = ((group.numbers[k], answer) for k, answer in each)
            else:
                # Each by itself keeps to what a machine may take.
                found = ((number, Start()) for number in group.numbers)
            for number, answer in found:
                if isinstance(answer, Start):
                    starts[number] = answer
                else:
                    answered(number, answer)
    for number in sorted([*others, *starts]):
        answered(number, alone.solve(number, starts.get(number), answers))
    return [answers[number] for number in range(len(machines))]


@dataclass(frozen=True)
class Alone:
    """Machines that are solved one by one, by the solver of single machines.

    The limits hold for what was spent before and is spent now, together.
    """

    gram: Gram
    machines: Sequence[Machine]
    tol: float
    max_iter: int | None
    time_limit: float | None
    cache_size: float

    def solve(
        self, number: int, start: Start | None, answers: Mapping[int, Fitted | QPKernelsError]
    ) -> Fitted | QPKernelsError:
        """Return the answer from a ``start``, from that of the machine before, if there is one, or from 0."""
        from qpkernels.families.batch.rounds import function_at

        machine, max_iter, time_limit = self.machines[number], self.max_iter, self.time_limit
        point, steps, seconds = start or Start(self._after(machine, answers))
        try:
            program = machine.program
            program.gram.require_psd()
            found = SMO().solve(
                program,
                tol=self.tol,
                max_iter=None if max_iter is None else max(1, max_iter - steps),
                time_limit=None if time_limit is None else time_left(time_limit, seconds),
                warm_start=point,
                cache_size=self.cache_size,
            )
            outcome = replace(found, iterations=steps + (found.iterations or 0), seconds=seconds + found.seconds)
            intercept = float(outcome.multipliers.sum())
            certificate = KernelQPBounds(program).certify(outcome.point, intercept)
            out = None if machine.held_out is None else function_at(self.gram, machine, outcome.point) + intercept
        except QPKernelsError as error:
            return error
        return Fitted(outcome, certificate, out)

    def _after(self, machine: Machine, answers: Mapping[int, Fitted | QPKernelsError]) -> Vector | None:
        before = None if machine.after is None else answers.get(machine.after)
        if machine.after is None or not isinstance(before, Fitted):
            return None
        return carried(machine, self.machines[machine.after], before.outcome.point)


def _steps(max_iter: int | None, machines: Sequence[Machine]) -> int:
    if max_iter is not None:
        return check_count(max_iter, "max_iter")
    return max(10_000_000, 1000 * max((len(machine.program) for machine in machines), default=0))


def _check_memory(memory: int, machines: Sequence[Machine]) -> None:
    row = 8 * max((len(machine.program) for machine in machines), default=0)
    if memory < row:
        raise ParameterError(
            f"cache_size must hold a row of the kernel matrix, {row / 2**20:.2g} MiB for the largest machine, but "
            f"{memory / 2**20:.2g} MiB came; raise it."
        )


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
