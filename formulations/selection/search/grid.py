# SPDX-License-Identifier: BSD-3-Clause
"""Grid search: every combination of hyper-parameters is cross-validated, and the best one trained on all samples.

The fits of one kernel share its matrix; inside each fold, those along a hyper-parameter start from each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from formulations.modelling import Model, Solution
from formulations.modelling.batch import Part
from formulations.selection.folds import Fold, Folds, checked_model, divide, truth
from formulations.selection.results import Fit, ResultsFile
from formulations.selection.running import Effort, Kept
from formulations.selection.scoring import Score, Scoring, scorer, scoring_name
from formulations.selection.search.points import Point, grid_points, where, with_numbers
from formulations.selection.search.table import GridSearch, ScoredPoints
from qpkernels.arrays import Matrix, check_flag
from qpkernels.display import progress_bar
from qpkernels.errors import QPKernelsError
from qpkernels.solvers import SolverLike

__all__ = ["grid"]


def grid(
    model: Model[Any],
    folds: Folds = 5,
    *,
    scoring: Scoring = None,
    refit: bool = True,
    tol: float = 1e-3,
    solver: SolverLike | None = None,
    n_jobs: int = -1,
    progress: bool = True,
    store: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **parameters: Iterable[Any],
) -> GridSearch:
    """Cross-validate the model at every point of a grid, prove each answer, and train it at the best one.

    Parameters
    ----------
    model
        Any model; what the grid does not name stays as it is.
    folds, scoring, solver, n_jobs, progress, store
        As in :func:`cross_validate`.
    refit
        Solve the model of all samples at the best point.
    tol
        Tolerance of every fit, and of the refit.
    options
        What else each ``solve`` is given, such as ``{"max_iter": 10_000}``.
    **parameters
        Values to try, by name: hyper-parameters of the model (C, epsilon ...), parameters of its kernel (gamma, degree
        ...; written ``kernel__nu`` where the model has a nu itself), or ``kernel``, a list of kernels. Fits start warm
        from each other in the order given: let C ascend.

    Returns
    -------
    GridSearch
        Of equal means the first point is the best, as in scikit-learn's GridSearchCV. A fit without an answer leaves
        its point without a score, and says why.

    Raises
    ------
    ParameterError, ShapeError, LabelError, OneClassError
        If a name is unknown, a value outside its range, or the folds do not divide the samples; nothing is computed
        then.
    ForeignResultsError, FileFormatError
        If the file is of other data, or damaged.
    QPKernelsError
        The error of the first fit, if no point has a score.

    Examples
    --------
    >>> from formulations import SoftMargin, grid
    >>> from qpkernels import RBF
    >>> X = [[0.0, 0.0], [1.0, 1.0], [0.1, 0.0], [1.0, 0.9], [0.0, 1.0], [1.0, 0.0], [0.1, 1.0], [1.0, 0.1]]
    >>> y = [-1, -1, -1, -1, 1, 1, 1, 1]
    >>> search = grid(SoftMargin(X, y, RBF(gamma=1.0)), 2, C=[1.0, 10.0], gamma=[0.01, 1.0], progress=False)
    >>> print(search.status, search.best_params, search.best_score)
    optimal {'C': 1.0, 'gamma': 1.0} 1.0
    """
    checked_model(model, "grid")
    check_flag(refit, "refit")
    effort = Effort(tol, solver, n_jobs, progress, store, options or {})
    score, points, divided = scorer(model, scoring), grid_points(model, parameters), divide(model, folds)
    _check_on_folds(model, points, divided)
    file = effort.file(model)
    found: dict[tuple[int, int], Fit | QPKernelsError] = {}
    with progress_bar(len(points) * len(divided), progress) as step:
        step("grid")
        for numbers in _by_kernel(points):
            found |= _of_kernel(model, {n: points[n] for n in numbers}, divided, effort, file, step)
    errors = {place: fit for place, fit in sorted(found.items()) if isinstance(fit, QPKernelsError)}
    scores = _scores(found, (len(points), len(divided)), divided, score, truth(model))
    if np.isnan(scores).any(axis=1).all() and errors:
        raise next(iter(errors.values()))
    fits = tuple(tuple(_fit(found[p, k]) for k in range(len(divided))) for p in range(len(points)))
    named = tuple(point.parameters for point in points)
    judged = (named, scores, fits, errors, scoring_name(model, scoring), tol)
    best = _at(model, points[ScoredPoints(*judged).best_index])
    return GridSearch(*judged, best, _refit(best, effort) if refit else None)


def _refit(best: Model[Any], effort: Effort) -> Solution:
    try:
        solution: Solution = best.solve(effort.solver, tol=effort.tol, **effort.options)
    except QPKernelsError as error:
        error.add_note("on all samples, at the best point; refit=False returns the scores")
        raise
    return solution


def _by_kernel(points: Sequence[Point]) -> list[list[int]]:
    """Return the numbers of the points with each kernel, in order."""
    kernels: list[Any] = []
    for point in points:
        if not any(point.kernel is known or point.kernel == known for known in kernels):
            kernels.append(point.kernel)

    def place(number: int) -> int:
        return next(
            k for k, known in enumerate(kernels) if points[number].kernel is known or points[number].kernel == known
        )

    return [list(group) for _, group in groupby(sorted(range(len(points)), key=place), key=place)]


def _of_kernel(
    model: Model[Any],
    points: Mapping[int, Point],
    folds: Sequence[Fold],
    effort: Effort,
    file: ResultsFile | None,
    step: Any,
) -> dict[tuple[int, int], Fit | QPKernelsError]:
    """Return the fits at the points of one kernel, by point and fold."""
    kernel = next(iter(points.values())).kernel
    try:
        whole = model if kernel == model.gram.kernel else model.with_kernel(kernel)
    except QPKernelsError as error:
        return {(p, k): error for p in points for k in range(len(folds))}
    order = list(points)
    parts: list[Part] = []
    for fold in folds:
        held, start = _on_fold(whole, points.values(), fold), len(parts)
        for point in points.values():
            after = None if point.after is None else start + order.index(point.after)
            parts.append(Part(with_numbers(held, point.numbers, fold.train), fold.train, after, fold.test))
    places = [(p, k) for k in range(len(folds)) for p in order]
    found = effort.run(
        whole.gram, parts, file, lambda number: step(where(points[places[number][0]].parameters, places[number][1]))
    )
    return {
        place: each.fit if isinstance(each, Kept) else _noted(each, points[place[0]], place[1])
        for place, each in zip(places, found, strict=True)
    }


def _check_on_folds(model: Model[Any], points: Sequence[Point], folds: Sequence[Fold]) -> None:
    """Refuse hyper-parameters that are outside their range for the samples of a fold."""
    seen: set[str] = set()
    for number, fold in enumerate(folds):
        try:
            held = _on_fold(model, points, fold)
        except QPKernelsError as error:
            raise _noted(error, points[0], number) from None
        for point in points:
            if (told := f"{number} {point.numbers}") in seen:
                continue
            seen.add(told)
            try:
                with_numbers(held, point.numbers, fold.train)
            except QPKernelsError as error:
                raise _noted(error, point, number) from None


def _on_fold(model: Model[Any], points: Iterable[Point], fold: Fold) -> Model[Any]:
    """Return the model on the samples of a fold, its hyper-parameters those of the first point."""
    return _with_all(model, next(iter(points))).on(fold.train)


def _with_all(model: Model[Any], point: Point) -> Model[Any]:
    return with_numbers(model, point.numbers, np.arange(len(model)))


def _at(model: Model[Any], point: Point) -> Model[Any]:
    whole = model if point.kernel == model.gram.kernel else model.with_kernel(point.kernel)
    return _with_all(whole, point)


def _scores(
    found: Mapping[tuple[int, int], Fit | QPKernelsError],
    shape: tuple[int, int],
    folds: Sequence[Fold],
    score: Score,
    y: Any,
) -> Matrix:
    scores = np.full(shape, np.nan)
    for (p, k), fit in found.items():
        if isinstance(fit, Fit):
            scores[p, k] = score(y[folds[k].test], fit.held_out)
    return scores


def _fit(found: Fit | QPKernelsError) -> Fit | None:
    return found if isinstance(found, Fit) else None


def _noted(error: QPKernelsError, point: Point, fold: int) -> QPKernelsError:
    error.add_note(f"at {where(point.parameters, fold)}")
    return error
