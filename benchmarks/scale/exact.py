# SPDX-License-Identifier: BSD-3-Clause
"""Measure exact soft margins on ever more samples in a mapped file, and estimate the time for all of a large set.

``python -m benchmarks.scale.exact --data FOLDER --out docs/scale``

The samples are those of :mod:`benchmarks.scale.covertype`, generated. Seconds of processor time are what is
extrapolated, by the power of the number of samples that fits those runs that ended with a proof; ``--sizes`` may name
all 581,012, to be held against the estimate of the smaller ones.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import linear_regression
from time import perf_counter, process_time

import numpy as np

from benchmarks.computer import Setting, Watch, this_computer
from benchmarks.scale.covertype import FULL, Covertype
from formulations import SoftMargin
from qpkernels import RBF
from qpkernels.problems import Status

__all__ = ["Estimate", "Measured", "estimate", "main", "measure"]

FILE = "exact.json"

_SIZES = (20_000, 50_000, 100_000)

_TESTING = 20_000
"""Samples that the machines are tested on."""

_WARMING = 3000
"""Samples of a solve that is not measured."""


@dataclass(frozen=True)
class Measured:
    """One run.

    Attributes
    ----------
    where
        Computer and day, and how busy it was.
    samples, support, bounded
        Samples, those with a coefficient, and those of them at their bound.
    status, relative_gap
        What is proved.
    steps
        Pair steps.
    seconds, processor
        Seconds of the whole solve with its certificate: by the clock, and of all processors.
    accuracy
        Share of the samples for testing that are told right.
    peak
        MiB that the process held at most so far, pages of the mapped file among them.
    """

    where: Setting
    samples: int
    support: int
    bounded: int
    status: str
    relative_gap: float
    steps: int
    seconds: float
    processor: float
    accuracy: float
    peak: float


@dataclass(frozen=True)
class Estimate:
    """What the runs say of more samples.

    Attributes
    ----------
    samples
        How many.
    power
        p of seconds ~ samples^p.
    processor
        Hours of processor time.
    accuracy
        That of the largest run.
    """

    samples: int
    power: float
    processor: float
    accuracy: float


def measure(
    rows: Covertype, sizes: Sequence[int], C: float, gamma: float, tol: float, limit: float
) -> Iterator[Measured]:
    """Yield a run for each size, smallest first."""
    computer = this_computer()
    # Compiled code is loaded when it is first used, and would count.
    SoftMargin(rows.rows[:_WARMING], rows.classes[:_WARMING] == 2, RBF(gamma), C=C).solve("smo", tol=tol)
    with tempfile.TemporaryDirectory() as place:
        labels = rows.write(Path(place) / "testing.npy", _TESTING, testing=True)
        testing = np.load(Path(place) / "testing.npy", mmap_mode="r")
        for samples in sorted(sizes):
            path = Path(place) / "training.npy"
            y = rows.write(path, samples, testing=False)
            watch = Watch(computer)
            model = SoftMargin(np.load(path, mmap_mode="r"), y, RBF(gamma), C=C)
            begin, worked = perf_counter(), process_time()
            solution = model.solve("smo", tol=tol, time_limit=limit, verbose=True)
            seconds, processor = perf_counter() - begin, process_time() - worked
            yield Measured(
                where=watch.setting(),
                samples=samples,
                support=int(solution.support.indices.size),
                bounded=int(solution.support.bounded.size),
                status=str(solution.status),
                relative_gap=float(solution.certificate.relative_gap),
                steps=solution.iterations or 0,
                seconds=seconds,
                processor=processor,
                accuracy=float((solution.predict(testing) == labels).mean()),
                peak=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            )


def estimate(runs: Sequence[Measured], samples: int) -> Estimate | None:
    """Return what the proved runs on fewer samples say of so many, or None where there are less than two."""
    proved = [run for run in runs if run.status == Status.OPTIMAL and run.samples < samples]
    if len(proved) < 2:
        return None
    power = linear_regression(*np.log([(run.samples, run.processor) for run in proved]).T.tolist()).slope
    hours = proved[-1].processor * (samples / proved[-1].samples) ** power / 3600
    return Estimate(samples, round(power, 2), round(hours, 3), proved[-1].accuracy)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with covtype20k.xz")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(_SIZES), help="numbers of samples")
    parser.add_argument("--C", type=float, default=10.0)
    parser.add_argument("--gamma", type=float, default=1.0)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each run")
    parser.add_argument("--out", type=Path, default=Path("docs/scale"))
    options = parser.parse_args(arguments)
    rows = Covertype.read(options.data)
    runs: list[Measured] = []
    for run in measure(rows, options.sizes, options.C, options.gamma, options.tol, options.limit):
        runs.append(run)
        print(run, flush=True)
    whole = estimate(runs, FULL)
    record = {
        "C": options.C,
        "gamma": options.gamma,
        "tol": options.tol,
        "runs": [asdict(run) for run in runs],
        "estimate": None if whole is None else asdict(whole),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / FILE).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(whole)


if __name__ == "__main__":
    main()
