# SPDX-License-Identifier: BSD-3-Clause
"""Soft margins of rank 300 with their cost chosen by cross-validation, in the setting of published GPU figures.

python -m benchmarks.scale.tuning --data FOLDER [--rank 300] [--folds 5] [--costs 10]

TorchKM (arXiv 2606.06742) states for a9a, with 2000 landmarks, rank 300 and tuning included, 17.9 s on an L40S GPU and
a test accuracy of 0.851. Here the seconds are those from the samples in memory to the machine trained at the best cost.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import load_svmlight_file

from benchmarks.computer import Setting, Watch, this_computer
from formulations import SoftMargin, grid
from qpkernels import RBF, LowRank
from qpkernels.arrays import Matrix, Vector

__all__ = ["Tuned", "main"]

FILE = "tuning.json"


@dataclass(frozen=True)
class Tuned:
    """A machine and how it was found.

    Attributes
    ----------
    where, samples, rank, gamma, costs, folds, tol
        What was asked for.
    making, seconds
        Seconds of Z, and of everything.
    best, accuracy, proved
        The cost that was chosen, the share of the samples for testing that are told right, and whether every fit was
        proved.
    """

    where: Setting
    samples: int
    rank: int
    gamma: float
    costs: int
    folds: int
    tol: float
    making: float
    seconds: float
    best: float
    accuracy: float
    proved: bool


def _read(path: Path) -> tuple[Matrix, Vector]:
    with lzma.open(path) as file:
        X, y = load_svmlight_file(file, n_features=123)
    return X.toarray(), np.where(y > 0, 1.0, -1.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.tuning", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with a9a.xz and a9a.t.xz")
    parser.add_argument("--rank", type=int, default=300)
    parser.add_argument("--gamma", type=float, default=0.02)
    parser.add_argument("--costs", type=int, default=10)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--out", type=Path, default=Path("docs/scale"))
    options = parser.parse_args(arguments)
    (X, y), (X_test, y_test) = _read(options.data / "a9a.xz"), _read(options.data / "a9a.t.xz")
    costs = np.logspace(-1, 2, options.costs).tolist()
    # What is compiled is compiled here.
    grid(SoftMargin(LowRank(RBF(options.gamma), X[:2000], 50), y[:2000]), 2, C=[1.0, 10.0], progress=False)
    watch, begin = Watch(this_computer()), perf_counter()
    gram = LowRank(RBF(options.gamma), X, options.rank)
    making = perf_counter() - begin
    searched = grid(SoftMargin(gram, y), options.folds, C=costs, tol=options.tol, progress=False)
    seconds = perf_counter() - begin
    assert searched.best_solution is not None
    tuned = Tuned(
        where=watch.setting(),
        samples=len(y),
        rank=gram.rank,
        gamma=options.gamma,
        costs=options.costs,
        folds=options.folds,
        tol=options.tol,
        making=making,
        seconds=seconds,
        best=float(searched.best_params["C"]),
        accuracy=float((searched.best_solution.predict(X_test) == y_test).mean()),
        proved=all(fit is not None and str(fit.status) == "optimal" for point in searched.fits for fit in point),
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / FILE).write_text(json.dumps([asdict(tuned)], indent=1) + "\n")
    print(json.dumps(asdict(tuned)))


if __name__ == "__main__":
    main()
