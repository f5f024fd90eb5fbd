# SPDX-License-Identifier: BSD-3-Clause
"""Measure, and write records, page and pictures after each problem: an interruption loses what was under way alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which

from benchmarks.auditing import examine_peer
from benchmarks.comparison import compare
from benchmarks.computer import Computer, this_computer
from benchmarks.estimators import beside_models
from benchmarks.many.changes import walks
from benchmarks.many.search import search
from benchmarks.many.training import train
from benchmarks.many.workloads import WORKLOADS
from benchmarks.peers import Peer, libsvm, onedal
from benchmarks.problems import PROBLEMS, Problem, named
from benchmarks.proving import prove
from benchmarks.records import Record, Results
from benchmarks.report import write_report
from qpkernels.solvers import find_solver

MEASUREMENTS = ("comparison", "training", "search", "changes", "proving", "auditing", "estimators")

PROVED_ALONE = ("cpusmall", "covtype20k", "mnist20k", "cadata", "a9a C=1")
"""Problems whose certificates are timed beside the solver."""

AUDITED = ("cpusmall", "a9a C=1")
"""Problems whose peers' machines are audited."""

CHANGED = ("abalone", "usps")
"""Problems whose samples change, beside simulated ones."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, write."""
    options = _parse(arguments)
    find_solver("smo").load()
    for record in _measure(options):
        print(*filter(None, [type(record).__name__, *map(str, record.key), record.summary]), flush=True)
        Results.load(options.out).adding([record]).save(options.out)
        write_report(options.out)


def _measure(options: argparse.Namespace) -> Iterator[Record]:
    """Yield the records that were asked for."""
    peers: list[Peer] = [] if options.skip_libsvm else [libsvm()]
    accelerated = onedal(options.intelex) if options.intelex else None
    if accelerated:
        peers.append(accelerated)
    computer = this_computer(accelerated.version("scikit-learn-intelex") if accelerated else None)
    for problem in _chosen(options) if "comparison" in options.measure else ():
        for tol in options.tol:
            yield compare(problem, options.data, peers, options.repeats, tol, options.limit_seconds, computer)
    yield from _many(options, computer)
    yield from _alone(options, computer)


def _chosen(options: argparse.Namespace) -> list[Problem]:
    return [problem for problem in PROBLEMS if not options.only or problem.name in options.only]


def _many(options: argparse.Namespace, computer: Computer) -> Iterator[Record]:
    """Yield the records of many machines at once."""
    folder, repeats, tol = options.data, options.repeats, options.tol[0]
    if "training" in options.measure:
        workloads = [each for each in WORKLOADS if not options.only or each.name in options.only]
        yield from train(workloads, folder, repeats, tol, computer)
    if "search" in options.measure:
        yield search(named(["svmguide1"])[0], folder, repeats, tol, computer)
    if "changes" in options.measure:
        yield from walks(folder, (5000, 300), named(list(CHANGED)), 1e-6, 200, computer)


def _alone(options: argparse.Namespace, computer: Computer) -> Iterator[Record]:
    """Yield the records of certificates, of answers of our own and of peers, and of estimators beside their models."""
    folder, repeats, tol = options.data, options.repeats, options.tol[0]
    for problem in _chosen(options) if "proving" in options.measure else ():
        if options.only or problem.name in PROVED_ALONE:
            yield prove(problem, folder, repeats, tol, computer)
    for problem in _chosen(options) if "auditing" in options.measure else ():
        if problem.name in AUDITED:
            yield examine_peer(problem, folder, repeats, tol, computer)
    if "estimators" in options.measure:
        yield from beside_models(2000, computer)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of problems and workloads; the others stay")
    parser.add_argument("--skip-libsvm", action="store_true", help="leave LIBSVM out of the comparison")
    parser.add_argument("--intelex", metavar="PYTHON", help="a Python that has scikit-learn-intelex")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each solver")
    parser.add_argument(
        "--tol", type=float, nargs="+", default=[1e-3, 1e-6], help="tolerances to compare at; the rest takes the first"
    )
    parser.add_argument("--limit-seconds", type=float, default=300.0, help="after which a run is ended")
    parser.add_argument(
        "--measure", nargs="+", choices=[*MEASUREMENTS, "all"], default=["comparison"], help="default: comparison"
    )
    parser.add_argument("--out", type=Path, default=Path("docs/performance"), help="folder of records and page")
    options = parser.parse_args(arguments)
    known = [*(problem.name for problem in PROBLEMS), *(workload.name for workload in WORKLOADS)]
    if unknown := [name for name in options.only or [] if name not in known]:
        parser.error(f"there is no problem {', '.join(map(repr, unknown))}; choose from {', '.join(known)}.")
    if options.repeats < 1:
        parser.error(f"--repeats must be at least 1, but {options.repeats} came.")
    if options.intelex and not which(options.intelex):
        parser.error(f"--intelex must name a Python that can be run, but {options.intelex} came.")
    if "all" in options.measure:
        options.measure = MEASUREMENTS
    return options


if __name__ == "__main__":
    main()
