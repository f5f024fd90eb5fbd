# SPDX-License-Identifier: BSD-3-Clause
"""Let solvers try published problems, judge them, write records and page after each, and a picture at the end."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.trust.maros_meszaros import problems
from benchmarks.trust.page import page
from benchmarks.trust.picture import PROFILE, draw_profile
from benchmarks.trust.records import load, save
from benchmarks.trust.trial import attempt
from qpkernels.problems import ConeProgram
from qpkernels.solvers import find_solver, installed_solvers

_TOL = 1e-6
"""Accuracy asked of every solver."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, try, judge, write."""
    options = _parse(arguments)
    trials = {trial.key: trial for trial in load(options.out)}
    for problem in problems(options.data):
        if problem.size > options.largest or (options.only and problem.name not in options.only):
            continue
        for solver in options.solvers:
            if find_solver(solver).refusal(problem.program) or ((problem.name, solver) in trials and options.resume):
                continue
            trial = attempt(problem, solver, _TOL, options.limit_seconds, int(options.memory * 2**30))
            trials[trial.key] = trial
            proved = "nothing" if trial.repaired is None else f"{trial.repaired.error:.0e}"
            print(f"{problem.name} {solver}: {trial.claim}, proved {proved}, {trial.seconds:.3g} s", flush=True)
        save(options.out, trials.values())
        (options.out / "maros_meszaros.md").write_text(page(list(trials.values())))
    draw_profile(list(trials.values()), options.out / PROFILE)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the archive of problems")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="names of problems to try; the records of others stay"
    )
    parser.add_argument("--solvers", nargs="+", metavar="NAME", help="default: all installed ones that take them")
    parser.add_argument("--largest", type=int, default=100_000, help="coefficients of the largest problem tried")
    parser.add_argument("--limit-seconds", type=float, default=20.0, help="of a solver; of its judge, four times that")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of address space of each process")
    parser.add_argument("--resume", action="store_true", help="keep the trials that there are, and add the others")
    parser.add_argument("--out", type=Path, default=Path("docs/trust"), help="folder of records and page")
    options = parser.parse_args(arguments)
    cone_solvers = [solver.name for solver in installed_solvers() if ConeProgram in solver.programs]
    options.solvers = options.solvers or cone_solvers
    if unknown := sorted(set(options.solvers) - set(cone_solvers)):
        parser.error(f"--solvers takes {', '.join(cone_solvers)}, but {', '.join(unknown)} came.")
    return options


if __name__ == "__main__":
    main()
