# SPDX-License-Identifier: BSD-3-Clause
"""One problem by all solvers, at several tolerances: what they claim, what is proved, and how long that takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from formulations.comparison.examination import CrossExamination, Trial
from formulations.comparison.pairs import (
    ALL,
    SECONDS,
    Comparable,
    checked_models,
    find_solvers,
    pairs_of,
)
from formulations.comparison.problems import Problem, problems_of
from formulations.comparison.row import Row
from formulations.modelling.solution import Solution
from qpkernels.arrays import check_positive, check_tolerance, shown
from qpkernels.display import progress_bar
from qpkernels.errors import NoEnclosureError, ParameterError, UnsupportedProgramError
from qpkernels.problems import Enclosure
from qpkernels.solvers import Solver, SolverLike

__all__ = ["cross_examine"]


def cross_examine(
    model: Comparable,
    solvers: SolverLike | Iterable[SolverLike] = ALL,
    tolerances: Iterable[float] = (1e-3, 1e-6, 1e-9),
    *,
    time_limit: float | None = SECONDS,
    progress: bool = True,
    **options: Any,
) -> CrossExamination:
    """Ask every solver for every tolerance, and hold what it claims against what is proved of its answer.

    All answers are measured by the one that is proved best, whoever gave it.

    Parameters
    ----------
    model
        A model, or one of its forms. Of a model, each solver is given what it takes first: the model as it is, or a
        form, the usual one before the others.
    solvers
        One name or Solver object, or several, or "all": every installed solver that takes it.
    tolerances
        What is asked of the solvers and of the certificates, each above 0 and below 1.
    time_limit
        Seconds for each answer; None: without end.
    progress
        Show a progress bar (on standard error) while it runs.
    **options
        Passed to every ``solve``.

    Returns
    -------
    CrossExamination
        One trial for each solver and tolerance. It prints as a table; ``CrossExaminationDisplay`` draws it.

    Raises
    ------
    ParameterError
        If ``model`` is none, or several, or a tolerance or ``time_limit`` is not above 0.
    UnknownSolverError
        If no solver has one of the names.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_examine
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> model = SoftMargin(X, y, C=1.0)
    >>> examination = cross_examine(model, ["smo", "clarabel"], [1e-3, 1e-6], progress=False, isolate=False)
    >>> for trial in examination:
    ...     print(trial.row.solver, f"{trial.tol:g}", trial.row.status)
    smo 0.001 optimal
    smo 1e-06 optimal
    clarabel 0.001 optimal
    clarabel 1e-06 optimal
    """
    stated = checked_models(model, "cross_examine")
    if len(stated) > 1:
        raise ParameterError(f"cross_examine takes one model or form, but {len(stated)} came; compare takes several.")
    if isinstance(tolerances, str) or not isinstance(tolerances, Iterable):
        raise ParameterError(f"tolerances must be a list of numbers, such as [1e-3], but {shown(tolerances)} came.")
    asked = tuple(sorted({check_tolerance(tol, "each of tolerances") for tol in tolerances}, reverse=True))
    if not asked:
        raise ParameterError("cross_examine needs at least one tolerance, but none came.")
    if time_limit is not None:
        check_positive(time_limit, "time_limit")
    (problem,) = problems_of(stated)
    known = find_solvers(solvers)
    answers: list[tuple[Row, float, Solution | None]] = []
    with progress_bar(len(known), progress) as show:
        for solver in known:
            show(f"{problem.label} by {solver.name}")
            answers += _answers(problem, solver, asked, time_limit, options, named=solvers != ALL)
    return _measured(problem, asked, answers)


def _answers(
    problem: Problem,
    solver: Solver,
    tolerances: tuple[float, ...],
    time_limit: float | None,
    options: dict[str, Any],
    named: bool,
) -> Iterator[tuple[Row, float, Solution | None]]:
    """Yield the answers of a solver to the first statement that it takes; if it takes none, and was named, why."""
    refused: Row | None = None
    for pair in pairs_of(problem, [solver]):
        try:
            for tol in tolerances:
                answer = pair.solve(tol, time_limit, options)
                yield pair.row(answer), tol, answer if isinstance(answer, Solution) else None
        except UnsupportedProgramError as error:
            refused = refused or pair.row(error)
        else:
            return
    if named and refused is not None:
        yield from ((refused, tol, None) for tol in tolerances)


def _measured(
    problem: Problem, tolerances: tuple[float, ...], answers: list[tuple[Row, float, Solution | None]]
) -> CrossExamination:
    """Hold the answers against the best of them."""
    judged = [(row, tol, answer) for row, tol, answer in answers if answer is not None and np.isfinite(row.accuracy)]
    if not judged:
        return CrossExamination(problem.label, tolerances, tuple(Trial(row, tol) for row, tol, _ in answers))
    row, tol, best = min(judged, key=lambda each: each[0].accuracy)
    reference = f"{row.formulation} by {row.solver} at {tol:g}"
    enclosure = _enclosure(problem, best)
    optimum = enclosure or Enclosure(*sorted((row.dual_value, row.primal_value)))
    trials = tuple(Trial.of(*each, best, optimum) for each in answers)
    return CrossExamination(problem.label, tolerances, trials, reference, optimum, rigorous=enclosure is not None)


def _enclosure(problem: Problem, best: Solution) -> Enclosure | None:
    """Return what is proved of the optimum in exact arithmetic; None: nothing is, or not of both ends."""
    try:
        enclosure = problem.forms[0].enclose(best)
    except (NoEnclosureError, UnsupportedProgramError):
        return None
    return enclosure if np.isfinite(enclosure.width) else None
