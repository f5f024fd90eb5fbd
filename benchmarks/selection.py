# SPDX-License-Identifier: BSD-3-Clause
"""The grid of a practical guide, by us and by scikit-learn: ``python -m benchmarks.selection --data FOLDER``.

10 values of C, 10 of gamma and 5 folds, on svmguide1 (Hsu, Chang and Lin, A Practical Guide to Support Vector
Classification). Printed are the seconds of each turn, ours and theirs in turns, and the points they choose.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks.problems import named
from formulations import GridSearch, SoftMargin, grid
from formulations.selection.running import proved
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector

__all__ = ["COSTS", "WIDTHS", "main", "ours", "theirs"]

COSTS = [2.0**k for k in range(-5, 15, 2)]
WIDTHS = [2.0**k for k in range(-15, 5, 2)]

_WARMING = 20
"""Of so many samples, one is in the search that compiles what is timed."""


def ours(X: Matrix, y: Vector, tol: float) -> GridSearch:
    """Search the grid, each fit certified, and train at the best point."""
    return grid(SoftMargin(X, y, RBF(1.0)), 5, C=COSTS, gamma=WIDTHS, tol=tol, progress=False)


def theirs(X: Matrix, y: Vector, jobs: int) -> GridSearchCV:
    """Search the grid, and train at the best point."""
    search = GridSearchCV(SVC(cache_size=1024), {"C": COSTS, "gamma": WIDTHS}, cv=5, n_jobs=jobs)
    return search.fit(X, y)


def main(arguments: list[str] | None = None) -> None:
    """Time both in turns, and print what they take and choose."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selection", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with svmguide1.xz")
    parser.add_argument("--tol", type=float, default=1e-3, help="tolerance of our certificates")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each")
    parser.add_argument("--jobs", type=int, default=2, help="processes of scikit-learn")
    chosen = parser.parse_args(arguments)
    X, y = named(["svmguide1"])[0].load(chosen.data)
    ours(X[::_WARMING], y[::_WARMING], chosen.tol)
    turns = []
    for _ in range(chosen.repeats):
        begin = perf_counter()
        own = ours(X, y, chosen.tol)
        between = perf_counter()
        peer = theirs(X, y, chosen.jobs)
        turns.append((between - begin, perf_counter() - between))
        print(f"ours {turns[-1][0]:.2f} s, GridSearchCV {turns[-1][1]:.2f} s", flush=True)
    mine, other = np.median(turns, axis=0)
    print(f"median: ours {mine:.2f} s, GridSearchCV(n_jobs={chosen.jobs}) {other:.2f} s: {other / mine:.2f} times")
    fits = [fit for row in own.fits for fit in row]
    print(f"ours:         {dict(own.best_params)}, score {own.best_score:.6f}; {proved(fits, chosen.tol)}")
    print(f"scikit-learn: {peer.best_params_}, score {peer.best_score_:.6f}")


if __name__ == "__main__":
    main()
