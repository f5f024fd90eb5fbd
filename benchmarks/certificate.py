# SPDX-License-Identifier: BSD-3-Clause
"""What the certificate takes beside the solver: ``python -m benchmarks.certificate --data FOLDER``.

Seconds are those that a processor works for the thread that calls, the least of some runs. Its part of the work is as
large as that of the others, so that the clock would show them where nothing else runs. The last columns are the
certificate with every value in float64, each kernel value made as often as it is needed, and how far both values of the
optimum are from those.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from time import thread_time
from typing import TypeVar

import numpy as np

from benchmarks.problems import Machine, named
from qpkernels.certificates import Certificate, KernelQPBounds, certify_kernel_qp
from qpkernels.gram import BoundedProduct
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.programs import KernelQP
from qpkernels.solvers import find_solver

__all__ = ["main"]

_HEADER = (
    f"{'problem':<12}{'samples':>9}{'support':>9}{'tol':>7}{'solve/s':>9}{'proof/s':>9}{'share':>7}{'gap':>9}"
    f"{'rounding':>10}{'float32':>9}{'64/s':>8}{'apart':>9}"
)

Result = TypeVar("Result")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each problem and tolerance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the data, as benchmarks/problems.py reads them")
    parser.add_argument("--only", nargs="+", default=["a9a C=1", "covtype20k", "mnist20k", "cadata"])
    parser.add_argument("--tol", nargs="+", type=float, default=[1e-3])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    find_solver("smo").load()
    print(_HEADER)
    for problem in named(options.only):
        X, y = problem.load(options.data)
        for tol in options.tol:
            for machine in problem.machines(X, y)[:1]:
                print(f"{problem.name:<12}" + _line(machine, tol, options.runs), flush=True)


def _line(machine: Machine, tol: float, runs: int) -> str:
    program, solver = machine.program, find_solver("smo")
    solving, outcome = _least(lambda: solver.solve(program, tol=tol), runs)
    beta, b, bounds = outcome.point, float(outcome.multipliers.sum()), KernelQPBounds(program)
    proving, product = _least(lambda: bounds.product(beta, b), runs)
    judging, certificate = _least(lambda: bounds.certify(beta, b, product=product), runs)
    in_float64, reference = _least(lambda: _in_float64(program, beta, b), runs)
    apart = max(
        abs(certificate.primal_value - reference.primal_value), abs(certificate.dual_value - reference.dual_value)
    )
    proving += judging
    return (
        f"{len(program):9d}{np.count_nonzero(beta):9d}{tol:7.0e}{solving:9.2f}{proving:9.2f}{proving / solving:7.0%}"
        f"{certificate.relative_gap:9.1e}{certificate.rounding / certificate.primal_value:10.1e}"
        f"{float((product.error > 0).mean()):9.0%}{in_float64:8.2f}{apart / certificate.primal_value:9.1e}"
    )


def _in_float64(program: KernelQP, beta: np.ndarray, intercept: float) -> Certificate:
    used, values, X = np.flatnonzero(beta), np.zeros(len(program)), program.gram.X
    add_kernel_sums(program.gram.kernel, X[used], beta[used], X, values)
    return certify_kernel_qp(program, beta, intercept, product=BoundedProduct(beta, values, np.zeros(len(program))))


def _least(run: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """Return the least seconds of this thread, and the last result."""
    seconds, result = np.inf, None
    for _ in range(runs):
        begin = thread_time()
        result = run()
        seconds = min(seconds, thread_time() - begin)
    assert result is not None
    return float(seconds), result


if __name__ == "__main__":
    main()
