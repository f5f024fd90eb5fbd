# SPDX-License-Identifier: BSD-3-Clause
"""Three solvers on the same data, and what is proved of each of their iterates, against time.

A solver that nobody can watch is run anew with a limit of 1, 2, 3, ... iterations: all of them are deterministic, so
that the iterate is that of one long run, and the time that of a run which ends there. It is the time of the solver
alone, without stating the problem and without the certificate; of short runs it is the least of some. As a run of more
iterations does all that one of fewer does, none counts as longer than those after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from formulations.lab.settings import Setting
from formulations.lab.views.view import (
    TOL,
    Drawn,
    JudgedIterate,
    Route,
    form_route,
    model_to_record,
    percent,
    roles,
    stepped,
    structure_route,
)
from formulations.modelling.model import Model
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.display import count
from qpkernels.errors import QPKernelsError, UnsupportedProgramError
from qpkernels.problems import Bounds
from qpkernels.solvers import Claim, Outcome, find_solver

__all__ = ["RACE", "record_race"]

_OWN = ("conjugate-gradient", "smo", "interior-point", "newton")
"""Solvers that take models as they are: the first that takes this one runs."""

_CONIC = ("clarabel", "osqp", "scs")
"""Solvers of cone programs, of which those run that take the model's dual, until there are three; the usual first."""

_ENTRANTS = 3

_LONGEST, _BUDGET = 1.0, 1.0
"""Seconds for the run of a solver to its end, and for its shorter runs, of all of which there are at most _RUNGS."""

_RUNGS = 24

_SHORT, _REPEATS = 0.1, 7
"""A run is repeated for so many seconds, and so often, at most; of the repetitions the shortest counts."""


@dataclass(frozen=True, eq=False)
class Mark:
    """An iterate of a solver: after how many iterations and seconds, and its certificate."""

    iterations: int
    seconds: float
    judged: JudgedIterate


@dataclass(frozen=True, eq=False)
class Entrant:
    """A solver in the race.

    Attributes
    ----------
    name
        Of the solver.
    marks
        Its iterates, by rising iterations and seconds.
    message
        What the solver said at the end.
    ended
        Whether it ended by itself, and not because the time of the recording was over.
    """

    name: str
    marks: tuple[Mark, ...]
    message: str
    ended: bool

    @property
    def proved(self) -> Mark | None:
        """The first iterate that is proved, if any is."""
        return next((mark for mark in self.marks if mark.judged.proved), None)


@dataclass(frozen=True, eq=False)
class Race:
    """The entrants, and all their marks in the order of their seconds: (entrant, mark) by number."""

    entrants: tuple[Entrant, ...]
    events: tuple[tuple[int, int], ...]


def record_race(setting: Setting) -> Race:
    """Run three solvers on the machine of a setting."""
    model = model_to_record(setting)
    with blas_threads_for(len(model)):
        entrants = tuple(entrant for route in _routes(model, model.bounds()) if (entrant := _run(route)).marks)
    if len(entrants) < 2:
        raise UnsupportedProgramError(
            "a race needs two solvers with an answer, and this problem has "
            f"{f'only {entrants[0].name}' if entrants else 'none'}; move points, or choose another machine."
        )
    events = [(n, k) for n, entrant in enumerate(entrants) for k in range(len(entrant.marks))]
    return Race(entrants, tuple(sorted(events, key=lambda each: entrants[each[0]].marks[each[1]].seconds)))


def _routes(model: Model[Any], bounds: Bounds) -> list[Route]:
    programs, routes = model.programs(bounds), list[Route]()
    for name in _OWN:
        solver = find_solver(name)
        taken = next((program for program in programs if solver.refusal(program) is None), None)
        if taken is not None and not routes:
            routes.append(structure_route(model, bounds, solver, taken))
    for name in dict.fromkeys((model.entry.cone_solver, *_CONIC)):
        solver = find_solver(name)
        if len(routes) < _ENTRANTS and solver.installed:
            route = form_route(model, bounds, solver)
            if solver.refusal(route.program) is None:
                routes.append(route)
    return routes


def _run(route: Route) -> Entrant:
    """Run a solver to its end, and then with ever larger limits of iterations."""
    marks = list[Mark]()
    try:
        route.solver.prepare(route.program)
        whole = _shortest(route, time_limit=_LONGEST)
        begun = perf_counter()
        for limit in _limits(whole):
            outcome = _shortest(route, max_iter=limit)
            if outcome.claim is not Claim.STOPPED or perf_counter() - begun > _BUDGET:
                break
            _mark(route, outcome, limit, marks)
        _mark(route, whole, whole.iterations or 1, marks)
    except QPKernelsError as error:
        return Entrant(route.solver.name, tuple(marks), str(error), ended=True)
    least = np.minimum.accumulate([mark.seconds for mark in marks][::-1])[::-1] if marks else ()
    timed = (Mark(mark.iterations, float(time), mark.judged) for mark, time in zip(marks, least, strict=True))
    ended = whole.claim is not Claim.STOPPED or whole.seconds < _LONGEST
    return Entrant(route.solver.name, tuple(timed), whole.message, ended)


def _mark(route: Route, outcome: Outcome, iterations: int, marks: list[Mark]) -> None:
    """Take note of an iterate, if it has numbers and is not the proof that there is no answer."""
    judged = route.judge(outcome) if outcome.claim in (Claim.OPTIMAL, Claim.STOPPED) else None
    if judged is not None:
        marks.append(Mark(iterations, outcome.seconds, judged))


def _limits(whole: Outcome) -> Iterator[int]:
    """Yield limits of iterations by equal ratios, below the iterations of the whole run, or without end."""
    last = whole.iterations or 10**6
    rungs = max(3, min(_RUNGS, int(_BUDGET / whole.seconds)))
    ratio, limit = last ** (1.0 / rungs), 1
    while limit < last:
        yield limit
        limit = max(limit + 1, round(ratio * limit))


def _shortest(route: Route, **limit: Any) -> Outcome:
    """Return the outcome of a run, and of a short one the time of the shortest of some repetitions."""
    best = route.solver.solve(route.program, tol=TOL, **limit)
    spent, runs = best.seconds, 1
    while spent < _SHORT and runs < _REPEATS:
        again = route.solver.solve(route.program, tol=TOL, **limit)
        spent, runs = spent + again.seconds, runs + 1
        best = again if again.seconds < best.seconds else best
    return best


def _drawn(race: Race, step: int) -> Drawn:
    k = min(step, len(race.events) - 1)
    number, at = race.events[k]
    mark = race.entrants[number].marks[at]
    answer = mark.judged.answer
    return Drawn(
        {
            "words": _words(race, k),
            "steps": len(race.events) - 1,
            "step": k,
            "tol": TOL,
            "now": mark.seconds,
            "solver": race.entrants[number].name,
            "entrants": [_facts(entrant) for entrant in race.entrants],
        },
        {
            "seconds": np.array([mark.seconds for entrant in race.entrants for mark in entrant.marks]),
            "errors": np.array([mark.judged.error for entrant in race.entrants for mark in entrant.marks]),
        },
        function=answer.function,
        multipliers=answer.beta,
        roles=roles(answer.beta),
    )


def _facts(entrant: Entrant) -> dict[str, Any]:
    """Return whose curve is next in the arrays, how many marks it has, and the number of the first that is proved."""
    proved = entrant.proved
    return {
        "name": entrant.name,
        "marks": len(entrant.marks),
        "proved": None if proved is None else entrant.marks.index(proved),
        "message": entrant.message,
    }


def _words(race: Race, k: int) -> str:
    number, at = race.events[k]
    mark = race.entrants[number].marks[at]
    who = f"After {_time(mark.seconds)} {race.entrants[number].name} has made {count(mark.iterations, 'iteration')}"
    said = f"{who}: the certificate leaves {percent(mark.judged.error)} open."
    finishers = sorted(
        ((proved.seconds, entrant.name) for entrant in race.entrants if (proved := _proved_by(entrant, mark))),
        key=lambda each: each[0],
    )
    if finishers:
        said += f" Proved: {', '.join(f'{name} after {_time(seconds)}' for seconds, name in finishers)}."
    if k == len(race.events) - 1:
        said += "".join(_unproved(entrant) for entrant in race.entrants if entrant.proved is None)
        said += " Time is that of the solver alone, and differs from run to run; no solver's claim counts."
    return said


def _unproved(entrant: Entrant) -> str:
    if entrant.ended:
        return f" {entrant.name} ended without a proof; it says: {entrant.message}."
    return f" {entrant.name} was still running when the recording ended."


def _proved_by(entrant: Entrant, now: Mark) -> Mark | None:
    """Return the first iterate that is proved, if it came by now."""
    proved = entrant.proved
    return proved if proved is not None and proved.seconds <= now.seconds else None


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


RACE = stepped("race", "Race", record_race, _drawn)
