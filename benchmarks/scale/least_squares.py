# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression by conjugate gradients, beside a Cholesky factorisation where that is possible.

    python -m benchmarks.scale.least_squares cpusmall --ridge 1e-1 1e-4
    python -m benchmarks.scale.least_squares --samples 100000 --ridge 1 --only conjugate-gradient

Features and targets are scaled to mean 0 and variance 1; the kernel is RBF(1 / features). Each solver starts from the
samples: what is measured is the kernel matrix, the solution and its certificate.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks.computer import Watch, this_computer
from formulations import KernelRidge
from qpkernels.arrays import Matrix, Vector
from qpkernels.files import load_dataset
from qpkernels.kernels import RBF

__all__ = ["Measured", "measure"]

_SOLVERS = ("linear", "conjugate-gradient", "default")


@dataclass(frozen=True)
class Measured:
    """The answer of a solver at a ridge and tolerance.

    ``seconds`` are those of each repetition, from samples to certificate, and ``solving`` those of the last one without
    kernel matrix and certificate; ``residual`` is the norm of y - (K + D) beta relative to that of y.
    """

    samples: int
    features: int
    ridge: float
    tol: float
    solver: str
    seconds: tuple[float, ...]
    solving: float
    status: str
    relative_gap: float
    residual: float
    iterations: int | None
    message: str


def measure(
    X: Matrix,
    y: Vector,
    ridges: Sequence[float],
    tols: Sequence[float],
    solvers: Sequence[str],
    repetitions: int,
    limit: float,
) -> Iterator[Measured]:
    """Yield what each solver does at each ridge and tolerance, by turns; ``limit`` seconds end conjugate gradients."""
    for ridge in ridges:
        for tol in tols:
            turns: dict[str, list[Measured]] = {name: [] for name in solvers}
            for _ in range(repetitions):
                for name in solvers:
                    turns[name].append(_measured(X, y, ridge, tol, name, limit))
            for each in turns.values():
                yield Measured(**(asdict(each[-1]) | {"seconds": tuple(one.seconds[0] for one in each)}))


def _measured(X: Matrix, y: Vector, ridge: float, tol: float, name: str, limit: float) -> Measured:
    own = limit if name == "conjugate-gradient" else None
    begin = perf_counter()
    model = KernelRidge(X, y, RBF(1.0 / X.shape[1]), regularisation=ridge)
    solution = model.solve(None if name == "default" else name, tol=tol, time_limit=own)
    seconds = perf_counter() - begin
    unmet = y - solution.decision - ridge * solution.beta
    return Measured(
        len(X),
        X.shape[1],
        ridge,
        tol,
        name,
        (round(seconds, 3),),
        round(solution.seconds.solve, 3),
        str(solution.status),
        solution.certificate.relative_gap,
        float(np.linalg.norm(unmet) / np.linalg.norm(y)),
        solution.iterations,
        solution.message,
    )


def _samples(options: argparse.Namespace) -> tuple[Matrix, Vector]:
    if options.data is None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(options.samples, 8))
        y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=len(X))
    else:
        read = load_dataset(options.data, sparse=False)
        X, y = np.asarray(read.X), np.asarray(read.y, dtype=float)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), (y - y.mean()) / y.std()


def _row(measured: Measured) -> str:
    return (
        f"m = {measured.samples}, ridge {measured.ridge:.0e}, tol {measured.tol:.0e}, {measured.solver:18} "
        f"{median(measured.seconds):8.2f} s ({measured.solving:.2f} s solving), {measured.status}, relative gap "
        f"{measured.relative_gap:.1e}, residual {measured.residual:.1e}: {measured.message}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.least_squares", description=__doc__)
    parser.add_argument("data", nargs="?", help="name or file of a data set; without, one is generated")
    parser.add_argument("--samples", type=int, default=8192, help="of the generated one (default %(default)s)")
    parser.add_argument("--ridge", type=float, nargs="+", default=[10.0**-k for k in range(1, 9)], help="lambda")
    parser.add_argument("--tol", type=float, nargs="+", default=[1e-6], help="relative gaps asked for")
    parser.add_argument("--only", nargs="+", default=_SOLVERS, choices=_SOLVERS, help="solvers")
    parser.add_argument("--repetitions", type=int, default=1, help="turns of all solvers (default %(default)s)")
    parser.add_argument(
        "--limit-seconds", type=float, default=60.0, help="of conjugate gradients (default %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=Path("docs/scale/least_squares.json"), help="where results go")
    options = parser.parse_args(arguments)
    watch, results = Watch(this_computer()), []
    X, y = _samples(options)
    # Compiled code and BLAS are there before the first is timed.
    for name in options.only:
        _measured(X[:300], y[:300], 1.0, 1e-6, name, options.limit_seconds)
    given = (options.ridge, options.tol, options.only, options.repetitions, options.limit_seconds)
    for measured in measure(X, y, *given):
        print(_row(measured), flush=True)
        results.append(asdict(measured))
    record = {
        "data": Path(options.data).name if options.data else "generated",
        "setting": asdict(watch.setting()),
        "results": results,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
