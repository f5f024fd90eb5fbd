# SPDX-License-Identifier: BSD-3-Clause
"""What a grid search found: scores and certificates of all points, and the model at the best one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.modelling import Model, Solution
from formulations.selection.results import Fit, Judged
from formulations.selection.running import proved, weakest
from formulations.selection.search.points import cell, where
from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.display import Column, Report, Reported, Table, as_text
from qpkernels.errors import QPKernelsError
from qpkernels.problems import Status

__all__ = ["GridSearch", "ScoredPoints"]

_SHOWN = 10
"""Points that the table of a large grid shows, the best first."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoredPoints(Reported):
    """The scores of all points of a grid, each from certified fits. Prints as a table of the best.

    Attributes
    ----------
    points
        The hyper-parameters of each point by name; names sorted, the last one runs fastest.
    scores
        Score of each point and fold, shape (points, folds); NaN where a fit has no answer.
    fits
        What is proved of the fit of each point and fold; None where it has no answer.
    errors
        Why, by point and fold, both from 0.
    scoring
        Name of the score.
    tol
        The tolerance asked for.
    """

    points: tuple[Mapping[str, Any], ...]
    scores: Matrix
    fits: tuple[tuple[Judged | None, ...], ...]
    errors: Mapping[tuple[int, int], QPKernelsError]
    scoring: str
    tol: float

    @property
    def mean(self) -> Vector:
        """Mean score of each point."""
        return np.asarray(np.average(self.scores, axis=1))

    @property
    def std(self) -> Vector:
        """Standard deviation of the scores of each point."""
        return np.asarray(np.std(self.scores, axis=1))

    @property
    def rank(self) -> Indices:
        """Rank of each point, the best 1; equal means have an equal rank, and points without a score the last."""
        means = np.where(np.isnan(self.mean), -np.inf, self.mean)
        return np.array([1 + int((means > mean).sum()) for mean in means])

    @property
    def best_index(self) -> int:
        """Number of the best point; the first of several."""
        return int(np.argmin(self.rank))

    @property
    def best_params(self) -> Mapping[str, Any]:
        """The hyper-parameters of the best point."""
        return self.points[self.best_index]

    @property
    def best_score(self) -> float:
        """Mean score of the best point."""
        return float(self.mean[self.best_index])

    @property
    def status(self) -> Status:
        """``optimal`` if every fit is; otherwise the status of the first that is not."""
        each = (Status.FAILED if fit is None else fit.status for row in self.fits for fit in row)
        return next((status for status in each if status is not Status.OPTIMAL), Status.OPTIMAL)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, one point a row, in the words of scikit-learn's ``cv_results_``."""
        for point, scores, fits, rank in zip(self.points, self.scores, self.fits, self.rank, strict=True):
            made = [fit for fit in fits if fit is not None]
            yield {
                **{f"param_{name}": value for name, value in point.items()},
                **{f"split{k}_test_score": float(score) for k, score in enumerate(scores)},
                "mean_test_score": float(np.average(scores)),
                "std_test_score": float(np.std(scores)),
                "rank_test_score": int(rank),
                "proved": sum(fit.status is Status.OPTIMAL for fit in made),
                "relative_gap": weakest(made).certificate.relative_gap if made else float("nan"),
                "seconds": sum(fit.seconds for fit in made),
            }

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()))

    def report(self) -> Report:
        """Return the best points, the best first, and what went wrong."""
        rows = list(self.rows())
        order = sorted(range(len(rows)), key=lambda k: (rows[k]["rank_test_score"], k))[:_SHOWN]
        headings = ("rank", *self.points[0], self.scoring, "+/-", "proved", "rel. gap")
        cells = tuple(
            (
                str(rows[k]["rank_test_score"]),
                *(cell(value) for value in self.points[k].values()),
                as_text(rows[k]["mean_test_score"], ".6g"),
                as_text(rows[k]["std_test_score"], ".2g"),
                f"{rows[k]['proved']}/{self.scores.shape[1]}",
                as_text(rows[k]["relative_gap"], ".0e"),
            )
            for k in order
        )
        every = proved([fit for row in self.fits for fit in row], self.tol)
        best = ", ".join(f"{name}={cell(value)}" for name, value in self.best_params.items())
        title = f"best {self.scoring} {self.best_score:.6g} at {best}; {every}"
        notes = [f"{len(rows) - len(order)} more points"] if len(rows) > len(order) else []
        notes += [f"{where(self.points[p], k)}: {error}" for (p, k), error in list(self.errors.items())[:_SHOWN]]
        table = Table(tuple(map(Column, headings)), cells)
        return Report((table,), title, notes=tuple(notes))


@dataclass(frozen=True, eq=False, repr=False)
class GridSearch(ScoredPoints):
    """A grid of one model: the scores of all points, and the model at the best one.

    Attributes
    ----------
    best_model
        The model of all samples at the best point.
    best_solution
        Its certified solution; None if no refit was asked for.
    """

    fits: tuple[tuple[Fit | None, ...], ...]
    best_model: Model[Any]
    best_solution: Solution | None
