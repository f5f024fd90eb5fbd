# SPDX-License-Identifier: BSD-3-Clause
"""The grid of a practical guide, by us and by scikit-learn.

10 values of C, 10 of gamma and 5 folds, on svmguide1 (Hsu, Chang and Lin, A Practical Guide to Support Vector
Classification).
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks.computer import Computer, Watch
from benchmarks.problems import Problem
from benchmarks.records import Search
from formulations import GridSearch, SoftMargin, grid
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector
from qpkernels.problems import Status

__all__ = ["COSTS", "WIDTHS", "search"]

COSTS = [2.0**k for k in range(-5, 15, 2)]
WIDTHS = [2.0**k for k in range(-15, 5, 2)]

_WARMING = 20
"""Of so many samples, one is in the search that compiles what is timed."""


def search(problem: Problem, folder: Path, repeats: int, tol: float, computer: Computer) -> Search:
    """Search the grid in turns, each of our fits certified, and train at the point that each chooses."""
    X, y = problem.load(folder)
    _ours(X[::_WARMING], y[::_WARMING], tol)
    our_turns, their_turns = [], []
    watch = Watch(computer)
    for _ in range(repeats):
        begin = perf_counter()
        own = _ours(X, y, tol)
        between = perf_counter()
        peer = _theirs(X, y, computer.cores)
        our_turns.append((between - begin,))
        their_turns.append((perf_counter() - between,))
    fits = [fit for row in own.fits for fit in row]
    return Search(
        where=watch.setting(),
        problem=problem.name,
        tol=tol,
        fits=len(fits),
        proved=sum(fit is not None and fit.status is Status.OPTIMAL for fit in fits),
        jobs=computer.cores,
        ours=tuple(our_turns),
        theirs=tuple(their_turns),
        our_choice=dict(own.best_params),
        their_choice=dict(peer.best_params_),
        our_score=float(own.best_score),
        their_score=float(peer.best_score_),
    )


def _ours(X: Matrix, y: Vector, tol: float) -> GridSearch:
    return grid(SoftMargin(X, y, RBF(1.0)), 5, C=COSTS, gamma=WIDTHS, tol=tol, progress=False)


def _theirs(X: Matrix, y: Vector, jobs: int) -> GridSearchCV:
    chosen = GridSearchCV(SVC(cache_size=1024), {"C": COSTS, "gamma": WIDTHS}, cv=5, n_jobs=jobs)
    return chosen.fit(X, y)
