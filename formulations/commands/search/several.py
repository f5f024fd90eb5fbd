# SPDX-License-Identifier: BSD-3-Clause
"""A grid of machines of several classes: every point is cross-validated as a whole, by its votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.classification.meta.multiclass import OneVersusOne
from formulations.commands.samples import Training
from formulations.commands.stating import Asked
from formulations.display import Column, Report, Reported, Table, progress_bar
from formulations.selection.search.points import Point, cell, grid_points
from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels import Kernel

__all__ = ["SeveralSearch", "search_several"]

_SHOWN = 10
"""Points that the table of a large grid shows, the best first."""


@dataclass(frozen=True, eq=False, repr=False)
class SeveralSearch(Reported):
    """The accuracies of all points of a grid. Prints as a table, the best first.

    Attributes
    ----------
    points
        The hyper-parameters of each.
    scores
        Accuracy of each point and fold, shape (points, folds).
    statuses
        What is proved of the machines of each point and fold.
    """

    points: tuple[Point, ...]
    scores: Matrix
    statuses: tuple[str, ...]

    @property
    def mean(self) -> Vector:
        """Mean accuracy of each point."""
        return np.asarray(self.scores.mean(axis=1))

    @property
    def best(self) -> Point:
        """The best point; the first of several."""
        return self.points[int(np.argmax(self.mean))]

    def rows(self) -> list[dict[str, Any]]:
        """Return the table, one point a row."""
        return [
            {
                **{f"param_{name}": value for name, value in point.parameters.items()},
                "mean_test_score": float(scores.mean()),
                "std_test_score": float(scores.std()),
            }
            for point, scores in zip(self.points, self.scores, strict=True)
        ]

    def report(self) -> Report:
        """Return the best points, the best first."""
        order = np.argsort(-self.mean, kind="stable")[:_SHOWN]
        headings = (*self.points[0].parameters, "accuracy", "+/-")
        cells = tuple(
            (
                *(cell(value) for value in self.points[k].parameters.values()),
                f"{self.scores[k].mean():.6g}",
                f"{self.scores[k].std():.2g}",
            )
            for k in order.tolist()
        )
        proved = sum(status == "optimal" for status in self.statuses)
        at = ", ".join(f"{name}={cell(value)}" for name, value in self.best.parameters.items())
        title = f"best accuracy {self.mean.max():.6g} at {at}; {proved} of {len(self.statuses)} fits are proved"
        more = len(self.points) - len(cells)
        table = Table(tuple(map(Column, headings)), cells)
        return Report((table,), title, notes=(f"{more} more points",) if more else ())


def search_several(
    asked: Asked,
    training: Training,
    kernel: Kernel | None,
    values: Mapping[str, Iterable[Any]],
    folds: Any,
    tol: float,
    solver: str | None,
) -> SeveralSearch:
    """Cross-validate one machine for each pair of classes at every point.

    Parameters
    ----------
    values
        Values to try, by name.
    folds
        A splitter of scikit-learn.
    """
    machine: Any = asked.kind
    whole = OneVersusOne(training.X, training.y, kernel, machine=machine, **asked.values)
    points = grid_points(whole.model(next(whole.pairs())), dict(values))
    split = list(folds.split(np.zeros(training.y.size), training.y))
    scores, statuses = np.empty((len(points), len(split))), []
    explicit = kernel is None
    with progress_bar(scores.size, wanted=True) as step:
        for p, point in enumerate(points):
            for k, (train, test) in enumerate(split):
                step(", ".join(f"{name}={cell(value)}" for name, value in point.parameters.items()))
                chosen = None if explicit else point.kernel
                numbers = {**asked.values, **point.numbers}
                state = OneVersusOne(training.X[train], training.y[train], chosen, machine=machine, **numbers)
                solution = state.solve(solver, tol=tol, progress=False)
                scores[p, k] = (solution.predict(training.X[test]) == training.y[test]).mean()
                statuses.append(str(solution.status))
    return SeveralSearch(points, scores, tuple(statuses))
