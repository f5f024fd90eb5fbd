# SPDX-License-Identifier: BSD-3-Clause
"""Times of nu-machines, whose level is found along with them, beside LIBSVM and beside another copy of this package.

python -m benchmarks.levels [--beside FOLDER] [--samples M ...] [--turns N] [--limit SECONDS]

Each copy solves in a process of its own, and the copies take turns at each machine. Seconds are those that processors
worked, the least of the turns; LIBSVM stops at its own tolerance of 1e-3, ours with a proof of the tolerance named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

TOLERANCES = (1e-3, 1e-6)

SAMPLES = {"normal, 5 features": (5, 0.2), "normal, 20 features": (20, 0.05), "normal, 5 features, linear": (5, None)}
"""Samples, and the gamma of their kernel; None: the linear one."""

MACHINES: dict[str, dict[str, float]] = {
    "NuSVC, nu = 0.1": {"nu": 0.1},
    "NuSVC, nu = 0.4": {"nu": 0.4},
    "NuSVR, nu = 0.4, C = 1": {"nu": 0.4, "C": 1.0},
    "NuSVR, nu = 0.4, C = 100": {"nu": 0.4, "C": 100.0},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print the rows as they come."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, help="folder of another copy of this package")
    parser.add_argument("--samples", type=int, nargs="*", default=[50, 200, 1000, 3000])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one solve, about")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        _work(options.limit)
        return
    folders = [folder for folder in (options.beside, Path(__file__).parent.parent) if folder is not None]
    workers = [_worker(folder, options.limit) for folder in folders]
    columns = [f"{who}, {tol:g}" for tol in TOLERANCES for who in ("beside", "ours")[2 - len(folders) :]]
    print(f"| samples | machine | {' | '.join(columns)} | LIBSVM |\n| --- | --- |{' ---: |' * (len(columns) + 1)}")
    for samples in options.samples:
        for name in SAMPLES:
            for machine in MACHINES:
                turns = options.turns if samples < 1000 else 1
                cells = list(_cells(workers, samples, name, machine, turns))
                print(f"| {samples}, {name} | {machine} | {' | '.join(cells)} |", flush=True)
    for worker in workers:
        worker.communicate()


def _worker(folder: Path, limit: float) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--worker", "--limit", str(limit)]
    path = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.Popen(command, env=path, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _cells(
    workers: Sequence[subprocess.Popen[str]], samples: int, name: str, machine: str, turns: int
) -> Iterator[str]:
    for tol in TOLERANCES:
        answers = [[_ask(worker, samples, name, machine, tol) for worker in workers] for _ in range(turns)]
        for each in zip(*answers, strict=True):
            best = min(each, key=lambda answer: float(answer["seconds"]))
            yield f"{1e3 * best['seconds']:.1f} ms{'' if best['proved'] else ', not proved'}"
    yield f"{1e3 * min(_ask(workers[-1], samples, name, machine, None)['seconds'] for _ in range(turns)):.1f} ms"


def _ask(worker: subprocess.Popen[str], *question: object) -> dict[str, Any]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(json.dumps(question) + "\n")
    worker.stdin.flush()
    answer: dict[str, Any] = json.loads(worker.stdout.readline())
    return answer


def _work(limit: float) -> None:
    """Answer questions, one on each line."""
    for line in sys.stdin:
        samples, name, machine, tol = json.loads(line)
        work = _libsvm(samples, name, machine) if tol is None else _ours(samples, name, machine, tol, limit)
        begun = process_time()
        proved = work()
        print(json.dumps({"seconds": process_time() - begun, "proved": proved}), flush=True)


def _data(samples: int, name: str, machine: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(samples, SAMPLES[name][0]))
    if machine.startswith("NuSVC"):
        return X, np.where(X[:, 0] + 0.8 * rng.normal(size=samples) > 0, 1.0, -1.0)
    return X, np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=samples)


def _ours(samples: int, name: str, machine: str, tol: float, limit: float) -> Callable[[], bool]:
    from formulations import NuMargin, NuTube
    from qpkernels import RBF, Linear

    gamma = SAMPLES[name][1]
    kernel = Linear() if gamma is None else RBF(gamma)
    family: Any = NuMargin if machine.startswith("NuSVC") else NuTube
    X, y = _data(samples, name, machine)

    def solve() -> bool:
        solution = family(X, y, kernel, **MACHINES[machine]).solve(tol=tol, time_limit=limit)
        return bool(solution.status == "optimal")

    return solve


def _libsvm(samples: int, name: str, machine: str) -> Callable[[], bool]:
    from sklearn.svm import NuSVC, NuSVR

    gamma = SAMPLES[name][1]
    kernel: dict[str, Any] = {"kernel": "linear"} if gamma is None else {"gamma": gamma}
    X, y = _data(samples, name, machine)
    estimator = (NuSVC if machine.startswith("NuSVC") else NuSVR)(**MACHINES[machine], **kernel)

    def fit() -> bool:
        estimator.fit(X, y)
        return False

    return fit


if __name__ == "__main__":
    main()
