# SPDX-License-Identifier: BSD-3-Clause
"""Run the problems, interleaving the solvers, and write the medians as JSON and Markdown."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers import Answered, intelex, libsvm, limit, ours
from benchmarks.problems import PROBLEMS, Problem
from qpkernels.certificates import certify_kernel_qp
from qpkernels.solvers import find_solver


def measure(
    problem: Problem, folder: Path, peers: dict[str, Callable[..., Answered]], repeats: int, tol: float
) -> dict[str, Any]:
    """Return the row of ``problem``: for each solver its median seconds and the gap certified of its last answer.

    Peers stop by a tolerance of another kind, so ours runs twice: at ``tol``, and at the best gap that a peer reached.
    """
    X, y = problem.load(folder)
    program = problem.program(X, y)
    seconds: dict[str, list[float]] = {}
    gaps: dict[str, float] = {}
    limits: list[float] = []
    support = 0
    for _ in range(repeats):
        for name, solve in {**peers, "ours": ours, "ours, matched": ours}.items():
            aim = min([tol, *(gaps[peer] for peer in peers)]) if name == "ours, matched" else tol
            time, beta, b = solve(problem, X, y, aim)
            seconds.setdefault(name, []).append(time)
            if name not in gaps:
                gaps[name] = certify_kernel_qp(program, beta, b).relative_gap
            support = int((beta != 0).sum())
        limits.append(limit(X, support))
    return {
        "problem": problem.name,
        "samples": len(y),
        "features": X.shape[1],
        "support": support,
        "limit": median(limits),
        "solvers": {name: {"seconds": median(all_), "all": all_, "gap": gaps[name]} for name, all_ in seconds.items()},
    }


def to_markdown(rows: list[dict[str, Any]]) -> str:
    """Return the table: seconds, and the certified relative gap in brackets."""
    names = list(rows[0]["solvers"])
    lines = [f"| problem | samples | support | limit | {' | '.join(names)} |", "|" + "---|" * (4 + len(names))]
    for row in rows:
        cells = [f"{row['solvers'][n]['seconds']:.3g} s ({row['solvers'][n]['gap']:.0e})" for n in names]
        lines.append(
            f"| {row['problem']} | {row['samples']} | {row['support']} | {row['limit']:.3g} s | {' | '.join(cells)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the command line, measure, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--only", nargs="*", help="names of problems")
    parser.add_argument("--skip-libsvm", action="store_true")
    parser.add_argument("--intelex", help="a Python that has scikit-learn-intelex")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--out", type=Path, default=Path("benchmark"))
    options = parser.parse_args()
    peers: dict[str, Callable[..., Answered]] = {}
    if not options.skip_libsvm:
        peers["LIBSVM"] = libsvm
    if options.intelex:
        peers["oneDAL"] = partial(intelex, python=options.intelex)
    find_solver("smo").load()
    rows = []
    for problem in PROBLEMS:
        if options.only and problem.name not in options.only:
            continue
        rows.append(measure(problem, options.data, peers, options.repeats, options.tol))
        print(to_markdown(rows[-1:]).splitlines()[-1], flush=True)
        options.out.with_suffix(".json").write_text(json.dumps(rows, indent=1))
        options.out.with_suffix(".md").write_text(to_markdown(rows))


if __name__ == "__main__":
    main()
