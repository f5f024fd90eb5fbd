# SPDX-License-Identifier: BSD-3-Clause
"""A grid of machines of several classes: every point is cross-validated as a whole, by its votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.commands.stating.samples import Training
from formulations.commands.stating.statements import Asked
from formulations.selection.search.points import grid_points, where
from formulations.selection.search.table import ScoredPoints
from qpkernels.display import progress_bar
from qpkernels.errors import QPKernelsError
from qpkernels.kernels import Kernel
from qpkernels.problems import Certificate, Status

__all__ = ["search_several"]


@dataclass(frozen=True)
class _Machines:
    """What is proved of the machines of all pairs together: the certificate is that of the weakest."""

    certificate: Certificate
    status: Status
    seconds: float


def search_several(
    asked: Asked,
    training: Training,
    kernel: Kernel | None,
    values: Mapping[str, Iterable[Any]],
    folds: Any,
    tol: float,
    solver: str | None,
) -> ScoredPoints:
    """Cross-validate one machine for each pair of classes at every point.

    Parameters
    ----------
    values
        Values to try, by name.
    folds
        A splitter of scikit-learn.

    Raises
    ------
    ParameterError
        If a name is unknown.
    QPKernelsError
        The error of the first fit, if no point has a score.
    """
    whole = asked.of_several(training.X, training.y, kernel)
    points = grid_points(whole.model(next(whole.pairs())), dict(values))
    split = list(folds.split(np.zeros(training.y.size), training.y))
    scores = np.full((len(points), len(split)), np.nan)
    fits: list[list[_Machines | None]] = [[None] * len(split) for _ in points]
    errors: dict[tuple[int, int], QPKernelsError] = {}
    with progress_bar(scores.size, wanted=True) as step:
        for p, point in enumerate(points):
            there = asked.at(point.numbers)
            for k, (train, test) in enumerate(split):
                step(where(point.parameters, k))
                chosen = None if kernel is None else point.kernel
                state = there.of_several(training.X[train], training.y[train], chosen)
                try:
                    solution = state.solve(solver, tol=tol, progress=False)
                except QPKernelsError as error:
                    errors[p, k] = error
                    continue
                scores[p, k] = (solution.predict(training.X[test]) == training.y[test]).mean()
                fits[p][k] = _Machines(solution.certificate, solution.status, solution.seconds)
    if np.isnan(scores).any(axis=1).all() and errors:
        raise next(iter(errors.values()))
    named = tuple(point.parameters for point in points)
    return ScoredPoints(named, scores, tuple(map(tuple, fits)), errors, "accuracy", tol)
