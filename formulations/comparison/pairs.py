# SPDX-License-Identifier: BSD-3-Clause
"""Who solves what: models and forms, each with a solver that is given time, and a process of its own where needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from formulations.comparison.problems import Problem
from formulations.comparison.row import Row
from formulations.modelling import Form, Model
from formulations.modelling.solution import Solution
from qpkernels.arrays import shown
from qpkernels.errors import ParameterError, QPKernelsError, UnsupportedProgramError
from qpkernels.problems import ConeProgram
from qpkernels.solvers import Solver, SolverLike, find_solver, installed_solvers

__all__ = ["ALL", "SECONDS", "Comparable", "Pair", "checked_models", "find_solvers", "pairs_of"]

Comparable: TypeAlias = Model[Any] | Form
"""A model stands for all its forms, a form for itself."""

ALL = "all"
"""What stands for every installed solver, without those that do not take the problem."""

SECONDS = 60.0
"""What an answer may take where nobody says otherwise: there are back-ends that hang."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A model or a form, and the solver it goes to."""

    problem: Problem
    statement: Comparable
    solver: Solver

    def solve(self, tol: float, time_limit: float | None, options: Mapping[str, Any]) -> Solution | QPKernelsError:
        """Return the answer, or the error that says why there is none; back-ends of others run apart.

        Raises
        ------
        UnsupportedProgramError
            If the solver does not take the statement.
        """
        own_limit = self.solver.foreign or "time_limit" in self.solver.options
        settings: dict[str, Any] = {"isolate": self.solver.foreign, "time_limit": time_limit if own_limit else None}
        try:
            solution: Solution = self.statement.solve(self.solver, tol=tol, **(settings | dict(options)))
        except UnsupportedProgramError:
            raise
        except QPKernelsError as error:
            return error
        return solution

    def row(self, answer: Solution | QPKernelsError) -> Row:
        """Return the row of an answer, or of the reason why there is none."""
        if isinstance(answer, Solution):
            return Row.of_solution(self.problem.label, self.statement.name, answer)
        return Row.of_error(self.problem.label, self.statement.name, self.solver.name, answer)


def pairs_of(problem: Problem, solvers: list[Solver]) -> Iterator[Pair]:
    """Yield who solves what: the model as it is by solvers of its structure, its forms by those of cone programs."""
    for solver in solvers:
        if ConeProgram not in solver.programs and not problem.is_extended:
            yield Pair(problem, problem.model, solver)
    for form in problem.forms:
        for solver in solvers:
            own = isinstance(form.linear_system(), solver.programs)
            if ConeProgram in solver.programs or own or problem.is_extended:
                yield Pair(problem, form, solver)


def checked_models(models: Any, caller: str) -> list[Comparable]:
    """Return the models and forms given, one or several.

    Raises
    ------
    ParameterError
        If there is none, or something else.
    """
    stated = [models] if isinstance(models, Model | Form) else _listed(models, Model | Form)
    if not stated:
        raise ParameterError(f"{caller} needs at least one model or form, and nothing else, but {shown(models)} came.")
    return stated


def find_solvers(names: SolverLike | Iterable[SolverLike]) -> list[Solver]:
    """Return the solvers of these names, installed or not.

    "all" is every installed solver, the project's own first. A solver stands for itself.

    Raises
    ------
    ParameterError
        If these are no names and no solvers, or two solvers have one name.
    UnknownSolverError
        If no solver has that name.
    """
    listed = [names] if isinstance(names, str | Solver) else _listed(names, str | Solver)
    if listed == [ALL]:
        return sorted(installed_solvers(), key=lambda solver: (solver.name != "smo", solver.name))
    if listed is None:
        raise ParameterError(f"solvers must be names of solvers, Solver objects, or 'all', but {shown(names)} came.")
    if not listed:
        raise ParameterError("solvers must name at least one solver, or be 'all', but an empty list came.")
    _refuse_namesakes(listed)
    return [find_solver(each) for each in listed]


def _refuse_namesakes(solvers: list[SolverLike]) -> None:
    """Refuse a solver that could not be told from another one in a table."""
    names = [solver if isinstance(solver, str) else solver.name for solver in solvers]
    for solver, name in zip(solvers, names, strict=True):
        if isinstance(solver, Solver) and names.count(name) > 1:
            raise ParameterError(f"two of the solvers are called {name!r}; give each of them a name of its own.")


def _listed(values: Any, kind: Any) -> list[Any] | None:
    """Return what ``values`` lists, or None if it is no list of that kind alone."""
    try:
        listed = list(values)
    except (TypeError, ValueError):
        return None
    return listed if all(isinstance(value, kind) for value in listed) else None
