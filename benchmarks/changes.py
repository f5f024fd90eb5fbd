# SPDX-License-Identifier: BSD-3-Clause
"""Changes of single samples against fits from the arrays, both to the proved answer.

python -m benchmarks.changes                                 two clouds and a curve
python -m benchmarks.changes --data FOLDER --only abalone    data sets as well

A change removes a sample, adds one, moves one by a tenth of the spread of its features, or gives one the label or
target of another; all four kinds take turns. A fit from the arrays, of the same samples at that time, stands between.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.problems import Problem, gaussians, named
from formulations import Incremental, SoftMargin, SoftTube
from formulations.modelling import Model
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector
from qpkernels.solvers import find_solver

__all__ = ["Walk", "change", "curve"]

KINDS = ("remove", "add", "move", "relabel")
BETWEEN = 10
"""Changes between two fits from the arrays."""


def curve(samples: int, features: int = 3) -> Problem:
    """Return a smooth function of a few features with noise, which is mostly outside the tube, as that of abalone."""

    def load(folder: Path) -> tuple[Matrix, Vector]:
        del folder
        rng = np.random.default_rng(1)
        X = rng.uniform(-1.0, 1.0, size=(samples, features))
        return X, 4.0 * np.sin(3.0 * X[:, 0]) + 3.0 * X[:, 1] ** 2 + 2.0 * rng.normal(size=samples)

    return Problem(f"curve{samples}", load, 10.0, 1.0, 0.5)


def stated(problem: Problem, X: Matrix, y: Vector) -> Model[Any]:
    """Return the model of a problem."""
    kernel = RBF(problem.gamma)
    if problem.tube is None:
        return SoftMargin(X, y, kernel, C=problem.C)
    return SoftTube(X, y, kernel, C=problem.C, epsilon=problem.tube)


class Walk:
    """Random changes of a machine, each timed with the same samples at hand as arrays."""

    def __init__(self, problem: Problem, X: Matrix, y: Vector, tol: float, clock: Callable[[], float]) -> None:
        self.problem, self.X, self.y, self._tol, self._clock = problem, X, y, tol, clock
        self._rng, self._spread = np.random.default_rng(2), 0.1 * X.std(axis=0)
        self._machine = Incremental(stated(problem, X, y), tol=tol)

    def change(self, kind: str) -> float:
        """Make a change, and return what it took."""
        i, j = (int(k) for k in self._rng.choice(len(self.y), 2, replace=False))
        machine, near = self._machine, self.X[i] + self._spread * self._rng.normal(size=self.X.shape[1])
        label = self.y[j]
        begin = self._clock()
        match kind:
            case "remove":
                solution = machine.remove(i)
            case "add":
                solution = machine.add(near, label)
            case "move":
                solution = machine.move(i, near)
            case _:
                solution = machine.relabel(i, label)
        seconds = self._clock() - begin
        assert solution.certificate.holds(self._tol), solution
        if kind == "remove":
            self.X, self.y = np.delete(self.X, i, axis=0), np.delete(self.y, i)
        elif kind == "add":
            self.X, self.y = np.vstack([self.X, near]), np.append(self.y, label)
        elif kind == "move":
            self.X[i] = near
        else:
            self.y[i] = label
        return seconds

    def fit(self) -> float:
        """State and solve the model from the arrays, and return what it took."""
        begin = self._clock()
        solution = stated(self.problem, self.X, self.y).solve(tol=self._tol)
        seconds = self._clock() - begin
        assert solution.certificate.holds(self._tol), solution
        return seconds


def change(walk: Walk, count: int) -> tuple[Vector, Vector]:
    """Return the seconds of so many changes, and of the fits between them; the first of each are not counted."""
    for kind in KINDS:
        walk.change(kind)
    walk.fit()
    changes, fits = [], []
    for number, kind in enumerate(islice(cycle(KINDS), count)):
        changes.append(walk.change(kind))
        if number % BETWEEN == 0:
            fits.append(walk.fit())
    return np.array(changes), np.array(fits)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each problem and number of samples."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.changes", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(), help="folder with the data sets")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="names of data sets")
    parser.add_argument("--samples", type=int, nargs="+", default=[5000, 300])
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--processor", action="store_true", help="count processor time, which others disturb less")
    options = parser.parse_args(arguments)
    find_solver("smo").load()
    for problem, samples in _problems(options):
        X, y = problem.load(options.data)
        chosen = np.random.default_rng(0).permutation(len(y))[:samples]
        clock = process_time if options.processor else perf_counter
        walk = Walk(problem, X[chosen], y[chosen], options.tol, clock)
        changes, fits = change(walk, options.changes)
        cold, median = float(np.median(fits)), float(np.median(changes))
        kinds = ", ".join(f"{kind} {1e3 * np.median(changes[k::4]):.1f}" for k, kind in enumerate(KINDS))
        print(
            f"{problem.name}, {len(chosen)} samples: a fit {1e3 * cold:.1f} ms, a change {1e3 * median:.1f} ms "
            f"({cold / median:.1f}x; {kinds}; 95 % within {1e3 * np.quantile(changes, 0.95):.1f}, all within "
            f"{1e3 * changes.max():.1f})",
            flush=True,
        )


def _problems(options: argparse.Namespace) -> Iterator[tuple[Problem, int]]:
    for samples in options.samples:
        yield gaussians(samples), samples
        yield curve(samples), samples
        for problem in named(options.only) if options.only else ():
            yield problem, samples


if __name__ == "__main__":
    main()
