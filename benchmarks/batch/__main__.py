# SPDX-License-Identifier: BSD-3-Clause
"""Train each workload several times, and print medians, from the arrays to the proved answers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from benchmarks.batch.workloads import WORKLOADS, Workload
from qpkernels import RBF, Gram
from qpkernels.batch import Fitted, solve_batch


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data of the LIBSVM page")
    parser.add_argument("--only", help="part of the name of a workload")
    parser.add_argument("--repeats", type=int, default=3, help="times each is trained; the first is not counted")
    parser.add_argument("--tol", type=float, default=1e-3, help="bound on each relative duality gap")
    options = parser.parse_args(arguments)
    print(f"{'workload':32s} {'machines':>8s} {'proved':>7s} {'seconds':>8s} {'CPU s':>8s} {'steps':>9s} largest gap")
    for workload in WORKLOADS:
        if options.only is None or options.only in workload.name:
            _measure(workload, options)


def _measure(workload: Workload, options: argparse.Namespace) -> None:
    X, y, gamma = workload.load(options.data)
    seconds, busy = [], []
    for _ in range(options.repeats + 1):
        begin, used = perf_counter(), process_time()
        gram = Gram(RBF(gamma), X)
        answers = solve_batch(gram, workload.machines(gram, y), tol=options.tol)
        seconds.append(perf_counter() - begin)
        busy.append(process_time() - used)
    fitted = [answer for answer in answers if isinstance(answer, Fitted)]
    proved = sum(answer.certificate.holds(options.tol) for answer in fitted)
    steps = sum(answer.outcome.iterations or 0 for answer in fitted)
    largest = max(answer.certificate.relative_gap for answer in fitted)
    print(
        f"{workload.name:32s} {len(answers):8d} {proved:7d} {np.median(seconds[1:]):8.2f} "
        f"{np.median(busy[1:]):8.2f} {steps:9d} {largest:.1e}",
        flush=True,
    )


if __name__ == "__main__":
    main()
