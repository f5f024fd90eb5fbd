# SPDX-License-Identifier: BSD-3-Clause
"""Changes of single samples against fits from the arrays, both to the proved answer.

A change removes a sample, adds one, moves one by a tenth of the spread of its features, or gives one the label or
target of another; all four kinds take turns. A fit from the arrays, of the same samples at that time, stands between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.computer import Computer, Watch
from benchmarks.problems import Problem, gaussians
from benchmarks.records import Changes
from formulations import Incremental, SoftMargin, SoftTube
from formulations.modelling import Model
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector

__all__ = ["Walk", "change", "curve", "walks"]

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

    def __init__(self, problem: Problem, X: Matrix, y: Vector, tol: float) -> None:
        self.problem, self.X, self.y, self._tol = problem, X, y, tol
        self._rng, self._spread = np.random.default_rng(2), 0.1 * X.std(axis=0)
        self._machine = Incremental(stated(problem, X, y), tol=tol)

    def change(self, kind: str) -> float:
        """Make a change, and return what it took."""
        i, j = (int(k) for k in self._rng.choice(len(self.y), 2, replace=False))
        machine, near = self._machine, self.X[i] + self._spread * self._rng.normal(size=self.X.shape[1])
        label = self.y[j]
        begin = perf_counter()
        match kind:
            case "remove":
                solution = machine.remove(i)
            case "add":
                solution = machine.add(near, label)
            case "move":
                solution = machine.move(i, near)
            case _:
                solution = machine.relabel(i, label)
        seconds = perf_counter() - begin
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
        begin = perf_counter()
        solution = stated(self.problem, self.X, self.y).solve(tol=self._tol)
        seconds = perf_counter() - begin
        assert solution.certificate.holds(self._tol), solution
        return seconds


def walks(
    folder: Path, sizes: Iterable[int], problems: Iterable[Problem], tol: float, count: int, computer: Computer
) -> Iterator[Changes]:
    """Change two clouds and a curve of each size, and other problems at the first size."""
    for position, size in enumerate(sizes):
        for problem in (gaussians(size), curve(size), *(problems if position == 0 else ())):
            X, y = problem.load(folder)
            chosen = np.random.default_rng(0).permutation(len(y))[:size]
            watch = Watch(computer)
            walk = Walk(problem, X[chosen], y[chosen], tol)
            changes, fits = change(walk, count)
            yield Changes(watch.setting(), problem.name, tol, len(chosen), KINDS, tuple(changes), tuple(fits))


def change(walk: Walk, count: int) -> tuple[list[float], list[float]]:
    """Return the seconds of so many changes, and of the fits between them; the first of each are not counted."""
    for kind in KINDS:
        walk.change(kind)
    walk.fit()
    changes, fits = [], []
    for number, kind in enumerate(islice(cycle(KINDS), count)):
        changes.append(walk.change(kind))
        if number % BETWEEN == 0:
            fits.append(walk.fit())
    return changes, fits
