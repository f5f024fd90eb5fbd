# SPDX-License-Identifier: BSD-3-Clause
"""Forms x solvers: which answers agree and are proved; solvers x tolerances: which claims are proved."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from formulations.judging.comparison import Comparison, Row
from formulations.judging.examination import CrossExamination, Trial
from formulations.modelling import Form, Model
from formulations.modelling.solution import Solution
from qpkernels.arrays import check_positive, check_tolerance, shown
from qpkernels.display import progress_bar
from qpkernels.errors import NoEnclosureError, ParameterError, QPKernelsError, UnsupportedProgramError
from qpkernels.problems import ConeProgram, Enclosure
from qpkernels.solvers import Solver, SolverLike, find_solver, installed_solvers

if TYPE_CHECKING:
    from formulations.language import Machine, MachineSolution

__all__ = ["compare", "cross_examine", "find_solvers"]


Comparable: TypeAlias = Model[Any] | Form
"""A model stands for all its forms, a form for itself."""

ALL = "all"
"""The word for every installed solver, without those that do not take the problem."""

SECONDS = 60.0
"""The seconds that an answer may take unless the caller says otherwise: there are back-ends that hang."""


def compare(
    models: Comparable | Machine | Iterable[Comparable | Machine],
    solvers: SolverLike | Iterable[SolverLike] = "all",
    *,
    tol: float = 1e-6,
    time_limit: float | None = SECONDS,
    progress: bool = True,
    **options: Any,
) -> Comparison:
    """Solve every form of the models by every solver, certify each answer, and compare all with common bounds.

    Parameters
    ----------
    models
        One model or form, or several. A model stands for all its forms. Solvers that take the model itself (smo,
        linear) solve it once, whatever its forms are. A statement about functions (:class:`~formulations.Machine`) is
        solved as its own program by solvers that take this, and in coordinates by others.
    solvers
        One name or Solver object, or several, or "all": every installed solver, without pairs that the solver does not
        take.
    tol
        Tolerance of the certificates, and of the solvers that have one.
    time_limit
        Seconds for each pair; None: no limit.
    progress
        Whether to show a progress bar (on standard error).
    **options
        Passed to every ``solve``. A solver without that option is a row that says so. ``isolate=False`` runs back-ends
        from other packages in this process, not in one of their own, where nothing they do can end this process.

    Returns
    -------
    Comparison
        One row for each pair. Its ``objective`` is ``factor`` times the value of the model; the factor is -1 for a dual
        that is minimised, and 2 lambda/m where the textbook divides by m. A pair that fails is a row with its reason. A
        solver whose answer is claimed to be optimal but does not pass the certificate is ``uncertified``. Answers to
        one problem, primal or dual, are proved to agree or reported to disagree.

    Raises
    ------
    ParameterError
        If ``models`` is empty or holds something else, or ``tol`` or ``time_limit`` is not above 0.
    UnknownSolverError
        If one of the names belongs to no solver. A solver that is not installed is a row.

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
    machines, others = _apart(models)
    problems = [] if machines and not others else problems_of(checked_models(others, "compare"))
    known = find_solvers(solvers)
    check_tolerance(tol)
    if time_limit is not None:
        check_positive(time_limit, "time_limit")
    pairs = [pair for problem in problems for pair in pairs_of(problem, known)]
    pairs += [Pair(label, machine, solver) for label, machine in machines for solver in known]
    rows = []
    with progress_bar(len(pairs), progress) as show:
        for pair in pairs:
            show(f"{pair.statement.name} by {pair.solver.name}")
            try:
                rows.append(pair.row(pair.solve(tol, time_limit, options)))
            except UnsupportedProgramError as error:
                if solvers != ALL:
                    rows.append(pair.row(error))
    labels = (*(problem.label for problem in problems), *(label for label, _ in machines))
    scales = tuple(filter(None, map(_scales, problems)))
    return Comparison(tuple(rows), tol, labels, _different(problems), scales)


def _apart(models: Any) -> tuple[list[tuple[str, Machine]], Any]:
    """Return statements about functions, each with its label, and all that is none."""
    # Who has one has imported CVXPY, for which nobody else waits.
    kind = getattr(sys.modules.get("formulations.language"), "Machine", ())
    if isinstance(models, kind):
        return [(models.name, models)], []
    if not isinstance(models, list | tuple):
        return [], models
    machines = [each for each in models if isinstance(each, kind)]
    names = [each.name for each in machines]
    labels = [name if names.count(name) == 1 else f"{name} #{k + 1}" for k, name in enumerate(names)]
    return list(zip(labels, machines, strict=True)), [each for each in models if not isinstance(each, kind)]


def _scales(problem: Problem) -> str:
    """Say in which scale a model counts, and which of its forms have another; nothing of an extended form."""
    own = problem.model.scale
    if problem.is_extended or not own.objective:
        return ""
    scaled = [(form.name, form.scale) for form in problem.forms if form.factor_formula]
    others = (f"; the objective of {name} is {scale.words}, {scale.times} times as large" for name, scale in scaled)
    return f"The value of {problem.label} is {own.words}{''.join(others)}"


def _different(problems: list[Problem]) -> tuple[str, ...]:
    """Say of models of one kind that they are different problems, and in what."""
    remarks = []
    for k, first in enumerate(problems):
        for second in problems[k + 1 :]:
            if first.model.name == second.model.name and not (first.is_extended or second.is_extended):
                what = ", ".join(_differences(first.model, second.model)) or "their data"
                remarks.append(f"{first.label} and {second.label} are different problems: they differ in {what}.")
    return tuple(remarks)


def cross_examine(
    model: Comparable,
    solvers: SolverLike | Iterable[SolverLike] = ALL,
    tolerances: Iterable[float] = (1e-3, 1e-6, 1e-9),
    *,
    time_limit: float | None = SECONDS,
    progress: bool = True,
    **options: Any,
) -> CrossExamination:
    """Ask every solver for every tolerance, and compare its claim with what is proved about its answer.

    All answers are compared with the one that is proved best, whichever solver gave it.

    Parameters
    ----------
    model
        A model, or one of its forms. Each solver is given the first statement of a model that it takes: the model
        itself, or a form, beginning with the usual one.
    solvers
        One name or Solver object, or several, or "all": every installed solver that takes it.
    tolerances
        Tolerances of the solvers and of the certificates, each above 0 and below 1.
    time_limit
        Seconds for each answer; None: no limit.
    progress
        Whether to show a progress bar (on standard error).
    **options
        Passed to every ``solve``.

    Returns
    -------
    CrossExamination
        One trial for each solver and tolerance. It prints as a table; ``CrossExaminationDisplay`` draws it.

    Raises
    ------
    ParameterError
        If ``model`` is not one model or form, or a tolerance or ``time_limit`` is not above 0.
    UnknownSolverError
        If one of the names belongs to no solver.

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


@dataclass(frozen=True, eq=False)
class Problem:
    """A model with its label, and the forms of it that are compared; an extended form is a problem of its own."""

    label: str
    model: Model[Any]
    forms: tuple[Form, ...]

    @property
    def is_extended(self) -> bool:
        """Whether it is that of an extended form."""
        return any(form.is_extended for form in self.forms)


def problems_of(stated: Iterable[Model[Any] | Form]) -> list[Problem]:
    """Return the problems that models and forms state, in order; equal models on equal data are one."""
    found: list[tuple[Model[Any], list[Form]]] = []
    for each in stated:
        model, forms = (each, _forms(each)) if isinstance(each, Model) else (each.model, [each])
        if any(form.is_extended for form in forms):
            found.append((model, forms))
            continue
        for known, others in found:
            if not any(form.is_extended for form in others) and _is_same(known, model):
                others.extend(form for form in forms if _statement(form) not in map(_statement, others))
                break
        else:
            found.append((model, forms))
    names = [model.name + (" extended" if any(f.is_extended for f in forms) else "") for model, forms in found]
    return [
        Problem(name if names.count(name) == 1 else f"{name} #{names[:k].count(name) + 1}", model, tuple(forms))
        for k, (name, (model, forms)) in enumerate(zip(names, found, strict=True))
    ]


def _forms(model: Model[Any]) -> list[Form]:
    return [form for form in model.forms.values() if isinstance(form, Form)]


def _statement(form: Form) -> tuple[type[Form], bool]:
    """Return what tells the forms of equal models apart: a primal in w is another than that in u."""
    return type(form), form.model.data.explicit


def _is_same(first: Model[Any], second: Model[Any]) -> bool:
    return first is second or (type(first) is type(second) and next(_differences(first, second), None) is None)


def _differences(first: Model[Any], second: Model[Any]) -> Iterator[str]:
    for parameter in first.entry.parameters:
        values = [model.value_of(parameter.name) for model in (first, second)]
        if not np.array_equal(values[0], values[1]):
            shown = [f"{np.ravel(each)[0]:g}" if np.ptp(each) == 0 else "one for each sample" for each in values]
            yield f"{parameter.name} ({shown[0]} and {shown[1]})"
    yield from first.gram.differences(second.gram)
    if not np.array_equal(getattr(first, "y", 0.0), getattr(second, "y", 0.0)):
        yield "the targets"
    if first.fit_intercept != second.fit_intercept:
        yield "the intercept"
    if getattr(first, "loss", None) != getattr(second, "loss", None):
        yield "the loss"


@dataclass(frozen=True, eq=False)
class Pair:
    """A model, form or statement of a problem so called, and the solver it goes to."""

    label: str
    statement: Comparable | Machine
    solver: Solver

    def solve(
        self, tol: float, time_limit: float | None, options: Mapping[str, Any]
    ) -> Solution | MachineSolution | QPKernelsError:
        """Return the answer, or the error that says why there is none; back-ends of others run apart."""
        own_limit = self.solver.foreign or "time_limit" in self.solver.options
        settings: dict[str, Any] = {"isolate": self.solver.foreign, "time_limit": time_limit if own_limit else None}
        try:
            solution: Solution | MachineSolution = self.statement.solve(
                self.solver, tol=tol, **(settings | dict(options))
            )
        except UnsupportedProgramError:
            raise
        except QPKernelsError as error:
            return error
        return solution

    def row(self, answer: Solution | MachineSolution | QPKernelsError) -> Row:
        """Return the row of an answer, or of the reason why there is none."""
        if isinstance(answer, QPKernelsError):
            return Row.of_error(self.label, self.statement.name, self.solver.name, answer)
        if isinstance(answer, Solution):
            return Row.of_solution(self.label, self.statement.name, answer)
        return Row.of_statement(self.label, answer)


def pairs_of(problem: Problem, solvers: list[Solver]) -> Iterator[Pair]:
    """Yield who solves what: the model as it is by solvers of its structure, its forms by those of cone programs."""
    for solver in solvers:
        if ConeProgram not in solver.programs and not problem.is_extended:
            yield Pair(problem.label, problem.model, solver)
    for form in problem.forms:
        for solver in solvers:
            own = isinstance(form.linear_system(), solver.programs)
            if ConeProgram in solver.programs or own or problem.is_extended:
                yield Pair(problem.label, form, solver)


def checked_models(models: Any, caller: str) -> list[Comparable]:
    """Return the models and forms given, one or several."""
    stated = [models] if isinstance(models, Model | Form) else _listed(models, Model | Form)
    if not stated:
        raise ParameterError(f"{caller} needs at least one model or form, and nothing else, but {shown(models)} came.")
    return stated


def find_solvers(names: SolverLike | Iterable[SolverLike]) -> list[Solver]:
    """Return the solvers of these names, installed or not.

    "all" is every installed solver, the project's own first. A solver stands for itself.
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
