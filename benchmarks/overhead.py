# SPDX-License-Identifier: BSD-3-Clause
"""The processor time of small models, from the arrays to the proved answer.

Beside each stands what is no Python of ours in it: the compiled steps, and the kernel's matrix. The least of many
solves counts, in thread time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import thread_time

import numpy as np

from benchmarks.computer import Computer, Watch
from benchmarks.records import Overhead
from formulations import OneClass, SoftMargin, SoftTube
from qpkernels import RBF
from qpkernels.gram.definiteness import kernel_matrix
from qpkernels.problems import KernelQPBounds
from qpkernels.solvers.smo.descent import PairDescent
from qpkernels.solvers.smo.rows import MatrixRows

__all__ = ["examine"]

_KERNEL = RBF(0.2)


def examine(sizes: tuple[int, ...], computer: Computer) -> Iterator[Overhead]:
    """Solve three models of each size."""
    for m in sizes:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(m, 5))
        y = np.where(X[:, 0] + 0.5 * rng.normal(size=m) > 0, 1.0, -1.0)
        models: dict[str, Callable[[], SoftMargin | SoftTube | OneClass]] = {
            "soft margin": partial(SoftMargin, X, y, _KERNEL),
            "soft tube": partial(SoftTube, X, X[:, 0], _KERNEL),
            "one class": partial(OneClass, X, _KERNEL),
        }
        kernel = _least(partial(kernel_matrix, _KERNEL, X, np.inf))
        for name, state in models.items():
            watch = Watch(computer)
            whole, steps = _least(partial(_solve, state)), _steps(state())
            yield Overhead(watch.setting(), name, m, whole, steps, kernel)


def _solve(state: Callable[[], SoftMargin | SoftTube | OneClass]) -> None:
    state().solve("smo", tol=1e-3)


def _steps(model: SoftMargin | SoftTube | OneClass) -> float:
    """Return what the compiled descent takes, from the beginning to where smo left it."""
    bounds = model.bounds()
    assert isinstance(bounds, KernelQPBounds)
    program = bounds.program
    beta = program.project(np.zeros(len(program)))
    values, count = program.gram.product(beta), model.solve("smo", tol=1e-3).iterations or 1

    def descend() -> None:
        PairDescent(program, MatrixRows(program.gram.dense), beta, values).outer_iteration(count, 0.0)

    return _least(descend)


def _least(work: Callable[[], object], repetitions: int = 60) -> float:
    """Return the least time of many calls, in microseconds."""
    times = []
    for _ in range(repetitions):
        begun = thread_time()
        work()
        times.append(thread_time() - begun)
    return 1e6 * min(times)
