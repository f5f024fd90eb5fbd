# SPDX-License-Identifier: BSD-3-Clause
"""Soft margins of low rank with up to a million samples: our solvers, LIBLINEAR and Clarabel on the same features.

python -m benchmarks.scale.low_rank [--only growth peers clarabel] [--samples 1e4 1e5 1e6] [--rank 300] [--repeats 1]

Samples are drawn in 20 features, their labels by a function of four of them with noise, and Z is made by LowRank. Every
answer is one of a process of its own, which reads Z from a file; seconds are those of the call that a user makes,
the certificate included, and the memory is the most that the process held. The gap of every answer is measured by the
certificate of the program, against which LIBLINEAR's regularised intercept is no other problem: a feature of ones is
added to Z, and no program has an intercept.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.computer import Computer, Setting, Watch, this_computer
from benchmarks.scale.saving import save_beside
from formulations import SoftMargin
from qpkernels import RBF, Gram, Linear, LowRank
from qpkernels.arrays import Matrix, Vector
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers import find_solver

__all__ = ["Answered", "main"]

FILE = "low_rank.json"

_TOLS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
"""Tolerances of LIBLINEAR, tried until its objective is within 1e-3 of the bound."""


@dataclass(frozen=True)
class Answered:
    """One answer.

    Attributes
    ----------
    where, measure
        On which computer and day, and which part of the benchmark.
    solver, samples, rank, C, tol
        What was solved, and what was asked for.
    making, seconds
        Seconds of Z, and of the solver.
    gap
        Relative gap of the answer: proved by its own bounds, or of LIBLINEAR against the bound of ours.
    memory
        Most bytes that the process held.
    """

    where: Setting
    measure: str
    solver: str
    samples: int
    rank: int
    C: float
    tol: float
    making: float
    seconds: float
    gap: float
    memory: int


def drawn(samples: int, seed: int = 1) -> tuple[Matrix, Vector]:
    """Return samples of two classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((samples, 20))
    values = np.sin(1.5 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    return X, np.where(values + 0.5 * rng.standard_normal(samples) > 0, 1.0, -1.0)


@dataclass(frozen=True)
class _Task:
    """What a process of its own is to solve."""

    solver: str
    folder: str
    C: float
    tol: float


def _program(task: _Task) -> KernelQP:
    Z = np.load(Path(task.folder) / "Z.npy", mmap_mode="r")
    y = np.load(Path(task.folder) / "y.npy")
    lower, upper = np.where(y > 0, 0.0, -task.C), np.where(y > 0, task.C, 0.0)
    return KernelQP(Gram(Linear(), Z), y, lower, upper, total=None)


def _by_ours(task: _Task) -> tuple[float, float, float, int]:
    program, solver = _program(task), find_solver(task.solver)
    solver.load(program)
    # What was mapped is read from the file here.
    program.gram.product(program.target)
    begin = perf_counter()
    outcome = solver.solve(program, tol=task.tol)
    certificate = certify_kernel_qp(program, outcome.point, 0.0)
    seconds = perf_counter() - begin
    return seconds, certificate.relative_gap, certificate.dual_value, _held()


def _by_liblinear(task: _Task) -> tuple[float, float, float, int]:
    from sklearn.svm import LinearSVC

    Z, y = np.load(Path(task.folder) / "Z.npy"), np.load(Path(task.folder) / "y.npy")
    machine = LinearSVC(loss="hinge", dual=True, C=task.C, tol=task.tol, fit_intercept=False, max_iter=200)
    begin = perf_counter()
    machine.fit(Z, y)
    seconds = perf_counter() - begin
    w = machine.coef_[0]
    objective = 0.5 * float(w @ w) + task.C * float(np.maximum(1.0 - y * (Z @ w), 0.0).sum())
    return seconds, objective, np.nan, _held()


def _held() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _apart(work: Callable[[_Task], tuple[float, float, float, int]], task: _Task) -> tuple[float, float, float, int]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, (task,))


def _prepared(folder: str, samples: int, rank: int) -> float:
    """Write Z, with a feature of ones, and y, and return the seconds that Z took."""
    X, y = drawn(samples)
    begin = perf_counter()
    factor = LowRank(RBF(0.02), X, rank - 1).factor
    seconds = perf_counter() - begin
    np.save(Path(folder) / "Z.npy", np.column_stack([factor, np.ones(samples)]))
    np.save(Path(folder) / "y.npy", y)
    return seconds


def _growth(options: argparse.Namespace, computer: Computer) -> Iterator[Answered]:
    """Ours, from few samples to many, beside the interior-point method and LIBLINEAR where they are asked for."""
    for samples in map(int, options.samples):
        with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
            making = _prepared(folder, samples, options.rank)
            for C in options.C:
                yield from _answers(options, computer, samples, C, making, folder)


def _answers(
    options: argparse.Namespace, computer: Computer, samples: int, C: float, making: float, folder: str
) -> Iterator[Answered]:
    def made(watch: Watch, solver: str, tol: float, seconds: float, gap: float, memory: int) -> Answered:
        setting = watch.setting()
        return Answered(setting, "growth", solver, samples, options.rank, C, tol, making, seconds, gap, memory)

    bound = np.nan
    for solver in options.solvers:
        for _ in range(options.repeats):
            watch = Watch(computer)
            if solver != "liblinear":
                seconds, gap, dual, memory = _apart(_by_ours, _Task(solver, folder, C, 1e-6))
                bound = np.fmax(bound, dual)
                yield made(watch, solver, 1e-6, seconds, gap, memory)
                continue
            for tol in _TOLS:
                watch = Watch(computer)
                seconds, objective, _, memory = _apart(_by_liblinear, _Task(solver, folder, C, tol))
                yield made(watch, solver, tol, seconds, (objective - bound) / objective, memory)
                if objective - bound <= 1e-3 * objective:
                    break


def _clarabel(options: argparse.Namespace, computer: Computer) -> Iterator[Answered]:
    """Clarabel on the factor, through CVXPY, beside ours."""
    (X, y), rank = drawn(20_000), 100
    begin = perf_counter()
    model = SoftMargin(LowRank(RBF(0.02), X, rank), y, C=1.0)
    making = perf_counter() - begin
    statements: dict[str, Any] = {
        "semismooth-newton": model,
        "clarabel, dual": model.dual,
        "clarabel, primal": model.primal,
    }
    model.solve(tol=1e-6)
    for name, statement in statements.items():
        for _ in range(options.repeats):
            watch, begin = Watch(computer), perf_counter()
            solution = statement.solve(name.partition(",")[0], tol=1e-8)
            seconds = perf_counter() - begin
            gap = solution.certificate.relative_gap
            yield Answered(watch.setting(), "clarabel", name, 20_000, rank, 1.0, 1e-8, making, seconds, gap, _held())


_MEASURES = {"growth": _growth, "clarabel": _clarabel}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, and write after each answer."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.low_rank", description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(_MEASURES), choices=list(_MEASURES))
    parser.add_argument("--samples", nargs="+", type=float, default=[1e4, 1e5, 1e6])
    parser.add_argument("--rank", type=int, default=300)
    parser.add_argument("--C", nargs="+", type=float, default=[1.0])
    parser.add_argument("--solvers", nargs="+", default=["semismooth-newton", "interior-point", "liblinear"])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument(
        "--scratch", default=None, help="folder for the features, 8 bytes each; default: that of the system"
    )
    parser.add_argument("--out", type=Path, default=Path("docs/scale"))
    options = parser.parse_args(arguments)
    computer = this_computer()
    for name in options.only:
        for answer in _MEASURES[name](options, computer):
            save_beside(options.out / FILE, asdict(answer), ("measure", "solver", "samples", "rank", "C", "tol"))
            print(json.dumps(asdict(answer)), flush=True)


if __name__ == "__main__":
    main()
