# SPDX-License-Identifier: BSD-3-Clause
"""Many samples with the workers of Dask beside the same in one process: times, memory, and whether the answer is one.

python -m benchmarks.scale.cluster [--samples 10000000] [--rank 30] [--workers 2] [--memory 4GiB] [--kill]

Samples are made block by block from the number of the block, by workers too. Each way runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.computer import Setting, Watch, this_computer
from benchmarks.scale.saving import save_beside
from formulations import SoftMargin
from qpkernels import RBF, LowRank
from qpkernels.arrays import Matrix, Vector

__all__ = ["Comparison", "Question", "Run", "compare"]

FILE = "cluster.json"

FEATURES, GAMMA, C, NOISE = 4, 0.2, 1.0, 0.5


@dataclass(frozen=True)
class Question:
    """A soft margin, and with whom: no workers, or so many with a memory limit, one of which may be killed.

    Attributes
    ----------
    samples, block, rank, tol
        Samples, those of a block, columns of Z, and the relative gap that is to be proved.
    """

    samples: int
    block: int
    rank: int
    tol: float
    workers: int
    memory: str
    kill: bool

    @property
    def sizes(self) -> list[int]:
        """Samples of each block."""
        full, rest = divmod(self.samples, self.block)
        return full * [self.block] + ([rest] if rest else [])


@dataclass(frozen=True)
class Run:
    """One of both ways.

    Attributes
    ----------
    making, solving
        Seconds of Z, and of the machine with its certificate.
    peak
        Most memory of the process that asked, in MiB.
    primal_value, dual_value, steps, status
        The answer.
    killed
        Whether a worker was killed while it solved.
    """

    making: float
    solving: float
    peak: float
    primal_value: float
    dual_value: float
    steps: int
    status: str
    killed: bool


@dataclass(frozen=True)
class Comparison:
    """Both ways, and how far their answers are apart: relative values, and the largest decision values."""

    where: Setting
    question: Question
    serial: Run
    workers: Run
    primal_difference: float
    dual_difference: float
    decision_difference: float


def block(number: int, size: int) -> Matrix:
    """Return the samples of a block."""
    return np.random.default_rng([1, number]).normal(size=(size, FEATURES))


def labels(question: Question) -> Vector:
    """Return the labels of all samples."""
    found = []
    for number, size in enumerate(question.sizes):
        X, noise = block(number, size), np.random.default_rng([2, number]).normal(size=size)
        found.append(np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + NOISE * noise > 0, 1.0, -1.0))
    return np.concatenate(found)


def with_workers(question: Question, place: Path) -> Run:
    """Solve on blocks of Dask."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=question.workers, threads_per_worker=1, memory_limit=question.memory, dashboard_address=":0"
    )
    with cluster, Client(cluster) as client:
        made = [
            da.from_delayed(dask.delayed(block, pure=True)(number, size), (size, FEATURES), np.float64)
            for number, size in enumerate(question.sizes)
        ]
        return _solved(question, da.concatenate(made), place, partial(_kill_one, client) if question.kill else None)


def _kill_one(client: Any) -> None:
    os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


def serial(question: Question, place: Path) -> Run:
    """Solve in this process."""
    return _solved(question, np.concatenate([block(*each) for each in enumerate(question.sizes)]), place, None)


def _solved(question: Question, X: Any, place: Path, kill: Any) -> Run:
    begin = perf_counter()
    gram = LowRank(RBF(GAMMA), X, question.rank, memory_limit=2.0**40)
    making, model, begin = perf_counter() - begin, SoftMargin(gram, labels(question), C=C), perf_counter()
    killer = None if kill is None else threading.Timer(making / 2, kill)
    if killer is not None:
        killer.start()
    answer = model.solve("semismooth-newton", tol=question.tol)
    solving = perf_counter() - begin
    np.save(place, answer.decision)
    return Run(
        making,
        solving,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        answer.certificate.primal_value,
        answer.certificate.dual_value,
        answer.iterations or 0,
        answer.status,
        killer is not None and not killer.is_alive(),
    )


def compare(question: Question) -> Comparison:
    """Solve in both ways, each in a process of its own, one after the other."""
    watch = Watch(this_computer())
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / f"{way}.npy" for way in ("serial", "workers")]
        runs = [_apart(question, place) for place in places]
        one, other = (np.load(place, mmap_mode="r") for place in places)
        apart = float(np.abs(one - other).max())
    first, second = runs
    return Comparison(
        watch.setting(),
        question,
        first,
        second,
        abs(first.primal_value / second.primal_value - 1.0),
        abs(first.dual_value / second.dual_value - 1.0),
        apart,
    )


def _apart(question: Question, place: Path) -> Run:
    command = [sys.executable, "-m", "benchmarks.scale.cluster", "--run", str(place), json.dumps(asdict(question))]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, compare, and write the result beside those of other sizes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.cluster", description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--block", type=int, default=250_000)
    parser.add_argument("--rank", type=int, default=30)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="4GiB", help="memory limit of each worker")
    parser.add_argument("--kill", action="store_true", help="kill a worker while it solves")
    parser.add_argument("--out", type=Path, default=Path("docs/scale"))
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = vars(parser.parse_args(arguments))
    run, folder = options.pop("run"), options.pop("out")
    if run is not None:
        question, place = Question(**json.loads(run[1])), Path(run[0])
        print(json.dumps(asdict((serial if place.stem == "serial" else with_workers)(question, place))), flush=True)
        return
    compared = compare(Question(**options))
    print(json.dumps(asdict(compared), indent=1), flush=True)
    save_beside(folder / FILE, asdict(compared), ("question",))


if __name__ == "__main__":
    main()
