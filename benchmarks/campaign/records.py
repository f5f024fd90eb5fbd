# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a campaign: a line of JSON for each problem, written when all its trials are over.

Of the trials at each tolerance that is the default and the fastest proof of another route: no other decides anything.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

__all__ = ["DEFAULT", "FILE", "Examined", "Trial", "append", "load", "save"]

FILE = "campaign.jsonl"

DEFAULT = "default"
"""The route of ``model.solve()``."""

_PROVED = ("optimal", "infeasible", "unbounded")


@dataclass(frozen=True)
class Trial:
    """A route to an answer at a tolerance.

    Attributes
    ----------
    route, tol, solver
        Who was asked: the default, or a form (or the model as it is) by a solver; for what; who says it answered.
    status, error, message
        What became of it: a word of :class:`qpkernels.problems.Status`, or "ended"; the accuracy proved.
    seconds, cpu
        From the arrays to the certified answer, by the clock and of all processors.
    """

    route: str
    tol: float
    status: str
    solver: str = ""
    error: float | None = None
    seconds: float = math.inf
    cpu: float = math.inf
    message: str = ""

    @property
    def proved(self) -> bool:
        """Whether it is proved what becomes of the problem: an optimum, or that there is none."""
        return self.status in _PROVED

    def timed(self, seconds: float, cpu: float) -> Trial:
        """Return the trial with its times."""
        return replace(self, seconds=seconds, cpu=cpu)


@dataclass(frozen=True)
class Examined:
    """A problem with all its trials, each within ``limit`` seconds on so many processors."""

    number: int
    family: str
    words: str
    trials: list[Trial]
    limit: float
    processors: int

    def decisive(self) -> Examined:
        """Return it without the trials that decide nothing."""
        kept: list[Trial] = []
        for tol in dict.fromkeys(trial.tol for trial in self.trials):
            asked = [trial for trial in self.trials if trial.tol == tol]
            proofs = [trial for trial in asked if trial.proved and trial.route != DEFAULT]
            kept += [trial for trial in asked if trial.route == DEFAULT]
            kept += sorted(proofs, key=lambda trial: trial.seconds)[:1]
        # What a solver said of what is proved tells nothing more.
        return replace(self, trials=[replace(trial, message="") if trial.proved else trial for trial in kept])


def append(path: Path, examined: Examined) -> None:
    """Write a line at the end of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(_line(examined))


def save(path: Path, campaign: Iterable[Examined]) -> None:
    """Write a file of these in place of the one that is there."""
    beside = path.with_suffix(".new")
    beside.write_text("".join(_line(each) for each in campaign), encoding="utf-8")
    beside.replace(path)


def _line(examined: Examined) -> str:
    entry = asdict(examined.decisive())
    for trial in entry["trials"]:
        for name in ("error", "seconds", "cpu"):
            value = trial[name]
            trial[name] = float(f"{value:.6g}") if value is not None and math.isfinite(value) else None
    return json.dumps(entry) + "\n"


def load(path: Path) -> list[Examined]:
    """Read the file; without one there is nothing yet. A line that a kill cut off is left out."""
    found: list[Examined] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        found.append(Examined(**(entry | {"trials": _trials(entry["trials"])})))
    return sorted(found, key=lambda each: each.number)


def _trials(entries: Iterable[dict[str, object]]) -> list[Trial]:
    trials = []
    for entry in entries:
        times = {name: math.inf if entry[name] is None else entry[name] for name in ("seconds", "cpu")}
        trials.append(Trial(**(entry | times)))  # type: ignore[arg-type]
    return trials
