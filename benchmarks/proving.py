# SPDX-License-Identifier: BSD-3-Clause
"""What the certificate takes beside the solver.

Seconds are those that a processor works for the thread that calls, the least of some runs. Its part of the work is as
large as that of the others, so that the clock would show them where nothing else runs. Beside them stands the
certificate with every value in float64, each kernel value made as often as it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import thread_time
from typing import TypeVar

import numpy as np

from benchmarks.computer import Computer, Watch
from benchmarks.problems import Problem
from benchmarks.records import Proving
from qpkernels.arrays import Vector
from qpkernels.gram.gram import BoundedProduct
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.problems import Certificate, KernelQP, KernelQPBounds, certify_kernel_qp
from qpkernels.solvers import find_solver

__all__ = ["least", "prove"]

Result = TypeVar("Result")


def prove(problem: Problem, folder: Path, repeats: int, tol: float, computer: Computer) -> Proving:
    """Solve the first machine of a problem, and certify the answer."""
    program, solver = problem.machines(*problem.load(folder))[0].program, find_solver("smo")
    watch = Watch(computer)
    solving, outcome = least(lambda: solver.solve(program, tol=tol), repeats)
    beta, b, bounds = outcome.point, float(outcome.multipliers.sum()), KernelQPBounds(program)
    multiplying, product = least(lambda: bounds.product(beta, b), repeats)
    judging, certificate = least(lambda: bounds.certify(beta, b, product=product), repeats)
    in_float64, reference = least(lambda: _in_float64(program, beta, b), repeats)
    apart = max(
        abs(certificate.primal_value - reference.primal_value), abs(certificate.dual_value - reference.dual_value)
    )
    return Proving(
        where=watch.setting(),
        problem=problem.name,
        tol=tol,
        samples=len(program),
        support=int(np.count_nonzero(beta)),
        solving=solving,
        proving=multiplying + judging,
        in_float64=in_float64,
        gap=certificate.relative_gap,
        rounding=certificate.rounding / certificate.primal_value,
        single=float((product.error > 0).mean()),
        apart=apart / certificate.primal_value,
    )


def _in_float64(program: KernelQP, beta: Vector, intercept: float) -> Certificate:
    used, values, X = np.flatnonzero(beta), np.zeros(len(program)), program.gram.X
    add_kernel_sums(program.gram.kernel, X[used], beta[used], X, values)
    return certify_kernel_qp(program, beta, intercept, product=BoundedProduct(beta, values, np.zeros(len(program))))


def least(run: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """Return the least seconds of this thread, and the last result."""
    seconds, result = np.inf, None
    for _ in range(runs):
        begin = thread_time()
        result = run()
        seconds = min(seconds, thread_time() - begin)
    assert result is not None
    return float(seconds), result
