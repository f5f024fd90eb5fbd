# SPDX-License-Identifier: BSD-3-Clause
"""All forms of a model by all solvers, into one table: who agrees, and who is proved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from formulations.comparison.pairs import (
    ALL,
    SECONDS,
    Comparable,
    checked_models,
    find_solvers,
    pairs_of,
)
from formulations.comparison.problems import Problem, problems_of
from formulations.comparison.table import Comparison
from qpkernels.arrays import check_positive, check_tolerance
from qpkernels.display import progress_bar
from qpkernels.errors import UnsupportedProgramError
from qpkernels.solvers import SolverLike

__all__ = ["compare"]


def compare(
    models: Comparable | Iterable[Comparable],
    solvers: SolverLike | Iterable[SolverLike] = "all",
    *,
    tol: float = 1e-6,
    time_limit: float | None = SECONDS,
    progress: bool = True,
    **options: Any,
) -> Comparison:
    """Solve every form of the models by every solver, certify each answer, and hold all against common bounds.

    Parameters
    ----------
    models
        One model or form, or several. A model stands for all its forms. Solvers that take a model as it is (smo,
        linear) solve it once, whatever its forms.
    solvers
        One name or Solver object, or several, or "all": every installed solver, with those pairs left out that the
        solver does not take.
    tol
        Tolerance of the certificates, and of the solvers as far as they have one.
    time_limit
        Seconds for each pair; None: without end.
    progress
        Show a progress bar (on standard error) while it runs.
    **options
        Passed to every ``solve``; a solver without that option is a row that says so. ``isolate=False`` runs the
        back-ends of others in this process, and not in one of their own, where nothing they do can end this one.

    Returns
    -------
    Comparison
        One row for each pair. Its ``objective`` is ``factor`` times the value of the model: -1 times in a dual that is
        minimised, and 2 lambda/m times where the textbook divides by m. A pair that fails is a row with its reason. A
        solver that calls its answer optimal without passing the certificate is ``uncertified``. Answers to one problem,
        primal or dual, are proved to agree or said to disagree.

    Raises
    ------
    ParameterError
        If ``models`` holds none, or something else, or ``tol`` or ``time_limit`` is not above 0.
    UnknownSolverError
        If no solver has one of the names; one that is not installed is a row.

    Examples
    --------
    >>> from formulations import SoftMargin, compare
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> comparison = compare(SoftMargin(X, y, C=1.0), ["smo", "clarabel"], progress=False, isolate=False)
    >>> for row in comparison:
    ...     print(row.formulation, row.solver, row.status, f"{row.objective:.3f}")
    SoftMargin smo optimal 2.889
    SoftMarginPrimal clarabel optimal 2.889
    SoftMarginHinge clarabel optimal 2.889
    SoftMarginDual clarabel optimal -2.889
    """
    problems = problems_of(checked_models(models, "compare"))
    known = find_solvers(solvers)
    check_tolerance(tol)
    if time_limit is not None:
        check_positive(time_limit, "time_limit")
    pairs = [pair for problem in problems for pair in pairs_of(problem, known)]
    rows = []
    with progress_bar(len(pairs), progress) as show:
        for pair in pairs:
            show(f"{pair.statement.name} by {pair.solver.name}")
            try:
                rows.append(pair.row(pair.solve(tol, time_limit, options)))
            except UnsupportedProgramError as error:
                if solvers != ALL:
                    rows.append(pair.row(error))
    labels, scales = tuple(problem.label for problem in problems), tuple(filter(None, map(_scales, problems)))
    return Comparison(tuple(rows), tol, labels, _differences(problems), scales)


def _scales(problem: Problem) -> str:
    """Say in which scale a model counts, and which of its forms have another; nothing of an extended form."""
    own = problem.model.scale
    if problem.is_extended or not own.objective:
        return ""
    scaled = [(form.name, form.scale) for form in problem.forms if form.factor_formula]
    others = (f"; the objective of {name} is {scale.words}, {scale.times} times as large" for name, scale in scaled)
    return f"The value of {problem.label} is {own.words}{''.join(others)}"


def _differences(problems: list[Problem]) -> tuple[str, ...]:
    """Say of models of one kind that they are different problems, and in what."""
    remarks = []
    for k, first in enumerate(problems):
        for second in problems[k + 1 :]:
            if first.model.name == second.model.name and not (first.is_extended or second.is_extended):
                what = ", ".join(first.differences(second)) or "their data"
                remarks.append(f"{first.label} and {second.label} are different problems: they differ in {what}.")
    return tuple(remarks)
