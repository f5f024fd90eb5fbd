# SPDX-License-Identifier: BSD-3-Clause
"""All forms of a model by all solvers, into one table: who agrees, and who is proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from formulations.comparison.problems import Problem, problems_of
from formulations.comparison.table import Comparison, Row
from formulations.modelling import Form, Model
from qpkernels.arrays import check_positive, shown
from qpkernels.errors import ParameterError, QPKernelsError, UnknownSolverError, UnsupportedProgramError
from qpkernels.programs import ConeProgram
from qpkernels.solvers import Solver, find_solver, installed_solvers

__all__ = ["Comparable", "compare"]

Comparable: TypeAlias = Model[Any] | Form
"""A model stands for all its forms, a form for itself."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A model or a form, and the solver it goes to."""

    problem: Problem
    statement: Comparable
    solver: Solver

    def solve(self, tol: float, time_limit: float | None, options: Mapping[str, Any]) -> Row:
        """Return the row of the answer, or of the reason why there is none."""
        limit = time_limit if "time_limit" in self.solver.options else None
        try:
            solution = self.statement.solve(self.solver.name, tol=tol, time_limit=limit, **options)
        except UnsupportedProgramError:
            raise
        except QPKernelsError as error:
            return Row.of_error(self.problem.label, self.statement.name, self.solver.name, error)
        return Row.of_solution(self.problem.label, self.statement.name, solution)


def compare(
    models: Comparable | Iterable[Comparable],
    solvers: str | Iterable[str] = "all",
    *,
    tol: float = 1e-6,
    time_limit: float | None = None,
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
        One name or several, or "all": every installed solver, with those pairs left out that the solver does not take.
    tol
        Tolerance of the certificates, and of the solvers as far as they have one.
    time_limit
        Seconds for each pair; asked of every solver that has such a limit (see ``qpkernels solvers``).
    progress
        Show a progress bar (on standard error) while it runs.
    **options
        Passed to every ``solve``; a solver without that option is a row that says so.

    Returns
    -------
    Comparison
        One row for each pair. A pair that fails is a row with its reason. A solver that calls its answer optimal
        without passing the certificate is ``uncertified``. Answers to one problem, primal or dual, are proved to agree
        or said to disagree.

    Raises
    ------
    ParameterError
        If ``models`` holds none, or something else, or ``tol`` or ``time_limit`` is not above 0.
    """
    stated = [models] if isinstance(models, Model | Form) else _listed(models, Model | Form)
    if not stated:
        raise ParameterError(f"compare needs at least one model or form, and nothing else, but {shown(models)} came.")
    names = [solvers] if isinstance(solvers, str) else _listed(solvers, str)
    if not names:
        raise ParameterError(f"solvers must be names of solvers, or 'all', but {shown(solvers)} came.")
    known, unknown = (_installed(), []) if names == ["all"] else _found(names)
    check_positive(tol, "tol")
    if time_limit is not None:
        check_positive(time_limit, "time_limit")
    problems = problems_of(stated)
    pairs = [pair for problem in problems for pair in _pairs(problem, known)]
    rows = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    terminal = Console(stderr=True)
    with Progress(*columns, console=terminal, transient=True, disable=not (progress and terminal.is_terminal)) as bar:
        task = bar.add_task("comparing", total=len(pairs))
        for pair in pairs:
            bar.update(task, description=f"{pair.statement.name} by {pair.solver.name}")
            try:
                rows.append(pair.solve(tol, time_limit, options))
            except UnsupportedProgramError as error:
                if names != ["all"]:
                    rows.append(Row.of_error(pair.problem.label, pair.statement.name, pair.solver.name, error))
            bar.advance(task)
    rows += [Row.of_error(each.label, each.model.name, name, error) for each in problems for name, error in unknown]
    return Comparison(tuple(rows), tol, tuple(problem.label for problem in problems), _differences(problems))


def _listed(values: Any, kind: Any) -> list[Any]:
    """Return what ``values`` lists, or nothing if it is no list of that kind alone."""
    try:
        listed = list(values)
    except (TypeError, ValueError):
        return []
    return listed if all(isinstance(value, kind) for value in listed) else []


def _pairs(problem: Problem, solvers: Iterable[Solver]) -> Iterator[Pair]:
    """Yield who solves what: the model as it is by solvers of its structure, its forms by those of cone programs."""
    for solver in solvers:
        if ConeProgram not in solver.programs and not problem.is_extended:
            yield Pair(problem, problem.model, solver)
    for form in problem.forms:
        for solver in solvers:
            own = isinstance(form.linear_system(), solver.programs)
            if ConeProgram in solver.programs or own or problem.is_extended:
                yield Pair(problem, form, solver)


def _differences(problems: list[Problem]) -> tuple[str, ...]:
    """Say of models of one kind that they are different problems, and in what."""
    remarks = []
    for k, first in enumerate(problems):
        for second in problems[k + 1 :]:
            if first.model.name == second.model.name and not (first.is_extended or second.is_extended):
                what = ", ".join(first.differences(second)) or "their data"
                remarks.append(f"{first.label} and {second.label} are different problems: they differ in {what}.")
    return tuple(remarks)


def _found(names: Iterable[str]) -> tuple[list[Solver], list[tuple[str, UnknownSolverError]]]:
    """Return the solvers of these names, and the names that no solver has, with the error that says so."""
    known, unknown = [], []
    for name in names:
        try:
            known.append(find_solver(name))
        except UnknownSolverError as error:
            unknown.append((name, error))
    return known, unknown


def _installed() -> list[Solver]:
    """Return the installed solvers, the project's own first."""
    return sorted(installed_solvers(), key=lambda solver: (solver.name != "smo", solver.name))
