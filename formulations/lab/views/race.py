# SPDX-License-Identifier: BSD-3-Clause
"""Three solvers on the same data: what is proved of their iterates, against time."""

from __future__ import annotations

from typing import Any

import numpy as np

from formulations.lab.algorithms.limits import TOL
from formulations.lab.algorithms.race import Entrant, Mark, Race, record_race
from formulations.lab.views.base import Drawn, Scene, ViewKind
from formulations.lab.views.steps import percent, recorded, roles
from qpkernels.display import count

__all__ = ["RACE"]


def _draw(scene: Scene, step: int) -> Drawn:
    return recorded(scene, "race", record_race, _drawn, step)


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


RACE = ViewKind("race", "Race", _draw)
