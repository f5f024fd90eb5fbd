# SPDX-License-Identifier: BSD-3-Clause
"""What the audit of a peer's machine takes beside the one product with the kernel matrix that it cannot do without.

Seconds are those that a processor works for the thread that calls, the least of some runs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.svm import SVC, SVR

from benchmarks.computer import Computer, Watch
from benchmarks.problems import Problem
from benchmarks.proving import least
from benchmarks.records import Auditing
from formulations import Audit, audit
from qpkernels.problems import KernelQPBounds

__all__ = ["examine_peer"]

_CACHE = 2048


def examine_peer(problem: Problem, folder: Path, repeats: int, tol: float, computer: Computer) -> Auditing:
    """Fit scikit-learn's machine to a problem of two classes or real targets, and audit it, table included."""
    X, y = problem.load(folder)
    options = {"C": problem.C, "gamma": problem.gamma, "tol": tol, "cache_size": _CACHE}
    machine = (SVC(**options) if problem.tube is None else SVR(epsilon=problem.tube, **options)).fit(X, y)
    program = problem.program(X, y)
    beta = np.zeros(len(program))
    beta[machine.support_] = machine.dual_coef_[0]
    bounds, b = KernelQPBounds(program), float(machine.intercept_[0])

    def examined() -> Audit:
        found = audit(machine, X, y)
        str(found)
        return found

    watch = Watch(computer)
    multiplying, _ = least(lambda: bounds.product(beta, b), repeats)
    auditing, found = least(examined, repeats)
    row = found.rows[0]
    return Auditing(
        where=watch.setting(),
        problem=problem.name,
        tol=tol,
        samples=row.samples,
        support=int(machine.support_.size),
        multiplying=multiplying,
        auditing=auditing,
        gap=row.relative_gap,
        certain=row.certain,
    )
