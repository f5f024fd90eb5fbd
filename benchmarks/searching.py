# SPDX-License-Identifier: BSD-3-Clause
"""Searches for C and gamma, 5 x 5 values and 5 splits: KernelSearchCV(SVC()) beside scikit-learn's GridSearchCV(SVC()).

    python -m benchmarks.searching              # both sets, three turns of each; a minute
    python -m benchmarks.searching --turns 10

Both have two jobs and begin with the turn of the other; what counts is the least of the turns. What is compiled once is
no part of them.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from formulations.estimators import SVC, KernelSearchCV
from qpkernels.arrays import Matrix

__all__ = ["SETS", "measured"]

JOBS, SPLITS = 2, 5
VALUES = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0], "gamma": [1e-3, 1e-2, 1e-1, 1.0, 10.0]}


def two_classes() -> tuple[Matrix, Any]:
    """Return the breast cancer set, standardised: 569 samples, 30 features."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def eleven_classes() -> tuple[Matrix, Any]:
    """Return 990 samples of eleven classes, each of three clouds in 10 dimensions."""
    rng = np.random.default_rng(0)
    centers, y = 1.2 * rng.normal(size=(11, 3, 10)), np.tile(np.arange(11), 90)
    return centers[y, rng.integers(0, 3, y.size)] + 0.6 * rng.normal(size=(y.size, 10)), y


SETS: dict[str, Callable[[], tuple[Matrix, Any]]] = {"two classes": two_classes, "eleven classes": eleven_classes}
"""The samples by name."""


def measured(X: Matrix, y: Any, turns: int) -> dict[str, Any]:
    """Return the least seconds of each, their choices, how many of our fits are proved, and scores that differ."""
    searches = {
        "ours": KernelSearchCV(SVC(), VALUES, cv=SPLITS, n_jobs=JOBS),
        "theirs": GridSearchCV(svm.SVC(), VALUES, cv=SPLITS, n_jobs=JOBS),
    }
    seconds: dict[str, list[float]] = {name: [] for name in searches}
    for search in searches.values():
        search.fit(X, y)
    for _ in range(turns):
        for name, search in searches.items():
            begun = perf_counter()
            search.fit(X, y)
            seconds[name].append(perf_counter() - begun)
    ours, theirs = (search.cv_results_ for search in searches.values())
    return {
        **{name: min(taken) for name, taken in seconds.items()},
        "choices": {name: search.best_params_ for name, search in searches.items()},
        "proved": int(SPLITS * np.count_nonzero(ours["proved"])),
        "scores that differ": sum(
            int(np.count_nonzero(ours[name] != theirs[name])) for k in range(SPLITS) if (name := f"split{k}_test_score")
        ),
    }


def main() -> None:
    """Print them."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3, help="turns of each")
    turns = parser.parse_args().turns
    for name, make in SETS.items():
        found = measured(*make(), turns)
        ours, theirs = found["ours"], found["theirs"]
        print(f"{name}: {ours:.3f} s, scikit-learn {theirs:.3f} s, {theirs / ours:.1f} times; {found}")


if __name__ == "__main__":
    main()
