# SPDX-License-Identifier: BSD-3-Clause
"""One attack from beginning to end: state, solve by two routes, check, forge."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from attack.checks import TOLERANCE, Answer, Failure, check_answer, check_enclosures, check_implied, check_pair
from attack.generator import Attack, Route, draw, extended
from attack.liars import check_liars
from attack.sabotage import check_forgeries
from formulations.modelling import Form, Model
from qpkernels.errors import QPKernelsError, UnsupportedProgramError
from qpkernels.solvers import find_solver

__all__ = ["Record", "attack"]

LIMIT = 0.5
"""Seconds asked of solvers that take such a limit."""

MOST = 200
"""Iterations asked of the others, where they take such a limit."""


@dataclass(frozen=True)
class Record:
    """What became of an attack; everything in it is plain, to be written as JSON.

    Attributes
    ----------
    model
        Its name, with the word "extended" where that is so.
    answers
        For each route its words, solver, status, P and D, and seconds.
    forgeries
        How many forged answers there were.
    failures
        Kinds and words of what was wrong.
    """

    seed: int
    model: str
    words: str
    answers: list[tuple[str, str, str, float, float, float]]
    forgeries: int
    failures: list[tuple[str, str]]


def attack(seed: int, tell: Callable[[str], None] = lambda _: None) -> Record:
    """Run the attack of that number; ``tell`` hears what begins, so that a hang has a name."""
    drawn = draw(seed)
    tell(str(drawn))
    failures: list[Failure] = []
    answers: list[Answer] = []
    forgeries = 0
    name = drawn.model.__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, error = _attempt(drawn.state)
        if model is None:
            return _record(drawn, name, [Answer(Route("", "constructor"), None, error)], 0, _untyped("state", error))
        extension, error = _attempt(lambda: extended(drawn, model))
        failures += _untyped("extend", error)
        form = extension.form if extension is not None else None
        name += " extended" if form is not None else ""
        for route in _routes(drawn, form):
            if any(answer.route.solver == route.solver for answer in answers):
                continue
            tell(f"{drawn}: {route}")
            answer = _solve(model, form, route)
            if answer is not None:
                answers.append(answer)
                failures += _guarded(check_answer, drawn, model, answer)
                if extension is not None:
                    failures += _guarded(check_implied, extension, answer)
            if len(answers) == 2:
                break
        if len(answers) == 2:
            failures += _guarded(check_pair, *answers)
        if form is None:
            failures += _guarded(check_enclosures, model, answers)
            tell(f"{drawn}: forgeries")
            for check in (check_forgeries, check_liars):
                tried, found = check(drawn, model, answers)
                forgeries += tried
                failures += found
    return _record(drawn, name, answers, forgeries, failures)


def _form(model: Model[Any], form: Form | None, route: Route) -> Form | None:
    return form if form is not None else (getattr(model, route.form) if route.form else None)


def _routes(drawn: Attack, form: Form | None) -> Iterator[Route]:
    for route in drawn.routes:
        yield route if form is None else Route(form.name, route.solver, extended=True)


def _solve(model: Model[Any], form: Form | None, route: Route) -> Answer | None:
    """Return the answer, or None where the solver does not take the program."""
    taken = find_solver(route.solver).options
    # ProxQP takes no limit of time, and minutes for what it does not solve.
    options: dict[str, Any] = {"time_limit": LIMIT} if "time_limit" in taken else {"max_iter": MOST}
    options = {name: value for name, value in options.items() if name in taken}
    begin = perf_counter()
    try:
        stated = _form(model, form, route) or model
        solution = stated.solve(route.solver, tol=TOLERANCE, **options)
        str(solution)
        if hasattr(solution, "function"):
            solution.explain(0)
    except UnsupportedProgramError:
        return None
    except Exception as error:
        return Answer(route, None, error, perf_counter() - begin)
    return Answer(route, solution, None, perf_counter() - begin)


def _attempt(make: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        return make(), None
    except Exception as error:
        return None, error


def _untyped(what: str, error: Exception | None) -> list[Failure]:
    if error is None or isinstance(error, QPKernelsError):
        return []
    return [Failure("untyped", f"{what}: {type(error).__name__}: {error}")]


def _guarded(check: Callable[..., Iterator[Failure]], *arguments: Any) -> list[Failure]:
    """Return what a check finds; that it raises is a finding too."""
    found: list[Failure] = []
    try:
        found += check(*arguments)
    except Exception as error:
        found.append(
            Failure("untyped" if not isinstance(error, QPKernelsError) else "raised", f"in a check: {error!r}")
        )
    return found


def _record(drawn: Attack, name: str, answers: list[Answer], forgeries: int, failures: list[Failure]) -> Record:
    rows = []
    for answer in answers:
        certificate = answer.solution.certificate if answer.solution is not None else None
        values = (certificate.primal_value, certificate.dual_value) if certificate else (float("nan"),) * 2
        rows.append((str(answer.route), answer.route.solver, answer.status, *values, round(answer.seconds, 3)))
    return Record(drawn.seed, name, str(drawn), rows, forgeries, [(each.kind, each.words) for each in failures])
