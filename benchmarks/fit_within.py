# SPDX-License-Identifier: BSD-3-Clause
"""Solve a question in a file by ours, with a cache of a given size, and tell the process's memory.

python -m benchmarks.fit_within QUESTION.npz CACHE_MIB
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.problems import Problem
from qpkernels.problems import certify_kernel_qp
from qpkernels.solvers import find_solver


def main(question: str, cache: int) -> None:
    """Read, solve, print JSON; the certificate comes after the memory was looked at."""
    with np.load(question) as file:
        X, y = file["X"], file["y"]
        C, gamma, tol, tube = file["numbers"].tolist()
    problem = Problem("", lambda _: (X, y), C, gamma, None if np.isnan(tube) else tube)
    solver = find_solver("smo")
    solver.load()
    before = _peak()
    begin = perf_counter()
    program = problem.program(X, y)
    outcome = solver.solve(program, tol=tol, cache_size=cache)
    seconds, peak = perf_counter() - begin, _peak()
    gap = certify_kernel_qp(program, outcome.point, float(outcome.multipliers[0])).relative_gap
    support = int(np.count_nonzero(outcome.point))
    print(json.dumps({"before": before, "peak": peak, "seconds": seconds, "gap": gap, "support": support}))


def _peak() -> float:
    """Return the largest resident memory so far, in MiB.

    On Linux from /proc: there ru_maxrss of a new process is at least that of the one that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
