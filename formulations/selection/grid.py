# SPDX-License-Identifier: BSD-3-Clause
"""Grid search: every combination of hyper-parameters is cross-validated, and the best is trained on all samples.

The fits of one kernel share its matrix. Inside each fold, fits along a hyper-parameter start from each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from formulations.modelling.inputs.restating import kernel_with
from formulations.modelling.machines import Scheme
from formulations.selection.fits import (
    Asked,
    Effort,
    Fit,
    Kept,
    ResultsFile,
    Rowed,
    Selectable,
    asked,
    proved,
    status_of_all,
    weakest,
)
from formulations.selection.folds import Fold, Folds, Score, Scoring, checked_model, divide, scorer, scoring_name, truth
from qpkernels.arrays import Indices, Matrix, Vector, check_flag, is_scalar, shown
from qpkernels.display import Column, TableReport, TextTable, as_text, progress_bar
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.kernels import Kernel
from qpkernels.problems import Status
from qpkernels.solvers import SolverLike

__all__ = ["GridSearch", "cell", "grid", "grid_points", "listed", "where", "with_numbers"]


@dataclass(frozen=True, eq=False)
class GridPoint:
    """A point of a grid.

    Attributes
    ----------
    parameters
        What was asked for, by the names it was asked by.
    kernel
        The kernel there.
    numbers
        The hyper-parameters of the model there.
    after
        Number of the point one step back along the first hyper-parameter that is not at its first value, with the same
        kernel: what a fit starts warm from. None where there is none.
    """

    parameters: Mapping[str, Any]
    kernel: Kernel
    numbers: Mapping[str, Any]
    after: int | None


def grid_points(model: Selectable, parameters: Mapping[str, Any]) -> tuple[GridPoint, ...]:
    """Return the points of the grid in scikit-learn's order: names sorted, the last one runs fastest.

    Names are hyper-parameters of the model, ``kernel``, or parameters of its kernel, as ``set_params`` of the model
    takes them.
    """
    if not parameters:
        raise ParameterError("a grid needs values, such as C=[1, 10], but none came.")
    names = sorted(parameters)
    values = {name: listed(name, parameters[name]) for name in names}
    known = {each.name: each for each in model.entry.parameters}
    own = [name for name in names if name in known]
    for name in own:
        for value in values[name]:
            known[name].checked(value, len(model))
    points: list[GridPoint] = []
    places: dict[tuple[int, ...], int] = {}
    for place in product(*(range(len(values[name])) for name in names)):
        chosen = {name: values[name][k] for name, k in zip(names, place, strict=True)}
        kernel = kernel_with(model, {name: value for name, value in chosen.items() if name not in known})
        back = _one_step_back(place, [names.index(name) for name in own])
        places[place] = len(points)
        after = None if back is None else places[back]
        points.append(GridPoint(chosen, kernel, {name: chosen[name] for name in own}, after))
    return tuple(points)


def listed(name: str, values: Any) -> Sequence[Any]:
    """Return the values of a name."""
    if (
        isinstance(values, str | Kernel)
        or not isinstance(values, Iterable)
        or is_scalar(values)
        or not len(found := list(values))
    ):
        raise ParameterError(f"{name} must be a list of values to try, such as [0.1, 1, 10], but {shown(values)} came.")
    return [value.item() if isinstance(value, np.generic) else value for value in found]


def with_numbers(model: Selectable, numbers: Mapping[str, Any], rows: Indices) -> Selectable:
    """Return a copy of a model of the samples ``rows`` with these hyper-parameters.

    Where there is a value for each of all samples, the entries of these samples are taken.
    """
    values = {name: value if is_scalar(value) else np.asarray(value)[rows] for name, value in numbers.items()}
    return model.with_params(**values) if isinstance(model, Scheme) else model.copy().set_params(**values)


def where(parameters: Mapping[str, Any], fold: int) -> str:
    """Return the words for a point and a fold, which is counted from 0."""
    return ", ".join(f"{name}={cell(value)}" for name, value in parameters.items()) + f", fold {fold + 1}"


def cell(value: Any) -> str:
    """Return a value as a cell of a table."""
    return f"{value:.6g}" if isinstance(value, float) else shown(value)


def _one_step_back(place: tuple[int, ...], own: Sequence[int]) -> tuple[int, ...] | None:
    for k in own:
        if place[k] > 0:
            return (*place[:k], place[k] - 1, *place[k + 1 :])
    return None


_SHOWN = 10
"""Points that the table of a large grid shows, the best first."""


@dataclass(frozen=True, eq=False, repr=False)
class GridSearch(Rowed):
    """A grid of one model: the scores of all points, from certified fits. It prints as a table of the best points.

    Attributes
    ----------
    points
        The hyper-parameters of each point by name. The names are sorted, and the last one varies fastest.
    scores
        Score of each point and fold, shape (points, folds); NaN where a fit has no answer.
    fits
        The proved fit of each point and fold; None where there is no answer.
    errors
        The reasons for missing answers, by point and fold, both numbered from 0.
    scoring
        Name of the score.
    tol
        The requested tolerance.
    best_model
        The model of all samples at the best point.
    best_solution
        Its certified solution; None without a refit.

    Examples
    --------
    >>> from formulations import SoftMargin, grid
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1])
    >>> search = grid(model, C=[0.1, 10.0], folds=2, progress=False)
    >>> print(search.status, search.best_params, search.best_score)
    optimal {'C': 0.1} 1.0
    """

    points: tuple[Mapping[str, Any], ...]
    scores: Matrix
    fits: tuple[tuple[Fit | None, ...], ...]
    errors: Mapping[tuple[int, int], QPKernelsError]
    scoring: str
    tol: float
    best_model: Any
    best_solution: Any

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
        """Rank of each point: the best has 1, equal means have equal ranks, and points without a score are last."""
        return _ranks(self.scores)

    @property
    def best_index(self) -> int:
        """Number of the best point, the first if there are several."""
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
        """``optimal`` if every fit is, and otherwise the status of the first fit that is not."""
        return status_of_all(fit for row in self.fits for fit in row)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, one point a row, with the names of scikit-learn's ``cv_results_``."""
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

    def report(self) -> TableReport:
        """Return the best points in order, and the errors."""
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
        table = TextTable(tuple(map(Column, headings)), cells)
        return TableReport((table,), title, notes=tuple(notes))


def _ranks(scores: Matrix) -> Indices:
    means = np.average(scores, axis=1)
    means[np.isnan(means)] = -np.inf
    return np.array([1 + int((means > mean).sum()) for mean in means])


def grid(
    model: Selectable,
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
        Any model, or OneVersusOne or OneVersusRest for several classes. Other hyper-parameters are not changed.
    folds, scoring, solver, n_jobs, progress, store
        As in :func:`cross_validate`.
    refit
        Whether to solve the model of all samples at the best point.
    tol
        Tolerance of every fit, and of the refit.
    options
        Further options of each ``solve``, such as ``{"max_iter": 10_000}``.
    **parameters
        Values to try, by name: hyper-parameters of the model (C, epsilon ...), parameters of its kernel (gamma, degree
        ...; written ``kernel__nu`` where the model has a nu itself), or ``kernel``, a list of kernels. Fits start warm
        from each other in the given order, so let C ascend.

    Returns
    -------
    GridSearch
        The first of several equal means is the best point, as in scikit-learn's GridSearchCV. If a fit has no answer,
        its point has no score, and ``errors`` says why.

    Raises
    ------
    ParameterError, ShapeError, LabelError, OneClassError
        If a name is unknown, a value outside its range, or the folds do not fit. Nothing is computed then.
    ForeignResultsError, FileFormatError
        If the file belongs to other data, or is damaged.
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
    fits = tuple(
        tuple(fit if isinstance(fit := found[p, k], Fit) else None for k in range(len(divided)))
        for p in range(len(points))
    )
    named = tuple(point.parameters for point in points)
    best = _at(model, points[int(np.argmin(_ranks(scores)))])
    solution = _refit(best, effort) if refit else None
    return GridSearch(named, scores, fits, errors, scoring_name(model, scoring), tol, best, solution)


def _refit(best: Selectable, effort: Effort) -> Any:
    try:
        return effort.solve(best)
    except QPKernelsError as error:
        error.add_note("on all samples, at the best point; refit=False returns the scores")
        raise


def _by_kernel(points: Sequence[GridPoint]) -> list[list[int]]:
    """Return the numbers of the points with each kernel, in order."""
    groups: list[list[int]] = []
    for number, point in enumerate(points):
        for group in groups:
            known = points[group[0]].kernel
            if point.kernel is known or point.kernel == known:
                group.append(number)
                break
        else:
            groups.append([number])
    return groups


def _of_kernel(
    model: Selectable,
    points: Mapping[int, GridPoint],
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
    parts: list[Asked] = []
    for number, fold in enumerate(folds):
        held, start = _on_fold(whole, points.values(), fold), len(parts)
        for point in points.values():
            after = None if point.after is None else start + order.index(point.after)
            try:
                parts.append(asked(with_numbers(held, point.numbers, fold.train), fold.train, after, fold.test))
            except QPKernelsError as error:
                # The machines of several classes are stated here, and those of the first kernel before all others.
                raise _noted(error, point, number) from None
    places = [(p, k) for k in range(len(folds)) for p in order]
    found = effort.run(
        whole.gram, parts, file, lambda number: step(where(points[places[number][0]].parameters, places[number][1]))
    )
    return {
        place: each.fit if isinstance(each, Kept) else _noted(each, points[place[0]], place[1])
        for place, each in zip(places, found, strict=True)
    }


def _check_on_folds(model: Selectable, points: Sequence[GridPoint], folds: Sequence[Fold]) -> None:
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


def _on_fold(model: Selectable, points: Iterable[GridPoint], fold: Fold) -> Selectable:
    """Return the model on the samples of a fold, its hyper-parameters those of the first point."""
    return _with_all(model, next(iter(points))).on(fold.train)


def _with_all(model: Selectable, point: GridPoint) -> Selectable:
    return with_numbers(model, point.numbers, np.arange(len(model)))


def _at(model: Selectable, point: GridPoint) -> Selectable:
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


def _noted(error: QPKernelsError, point: GridPoint, fold: int) -> QPKernelsError:
    error.add_note(f"at {where(point.parameters, fold)}")
    return error
