# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of trials, and its file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

__all__ = ["FILE", "Proof", "Trial", "load", "save"]

FILE = "maros_meszaros.json"


@dataclass(frozen=True)
class Proof:
    """The least tolerance at which the certificate holds, both values, and in words what kept it from being less."""

    error: float
    primal: float
    dual: float
    worst: str


@dataclass(frozen=True)
class Trial:
    """A solver on a problem.

    Attributes
    ----------
    problem, size, published
        Its name, the number of its coefficients, and the optimal value that its authors state.
    solver, claim, message, seconds, value
        Who solved it, what it says, how long it took, and the objective at its point, feasible or not.
    came, repaired
        What is proved of its answer, and of the repair of that; None without an answer.
    judged
        Seconds of the repair and its proofs.
    constant
        That of the objective.
    lower, upper
        Ends of an interval that holds the optimal value in exact arithmetic; None where none is proved.
    """

    problem: str
    size: int
    published: float | None
    solver: str
    claim: str = "failed"
    message: str = ""
    seconds: float = 0.0
    value: float | None = None
    came: Proof | None = None
    repaired: Proof | None = None
    judged: float = 0.0
    constant: float = 0.0
    lower: float | None = None
    upper: float | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Problem and solver."""
        return self.problem, self.solver

    def with_answer(self, claim: str, message: str, seconds: float, value: float | None) -> Trial:
        """Return the trial once the solver has answered."""
        return replace(self, claim=claim, message=message[:200], seconds=round(seconds, 4), value=value)

    def with_proof(self, came: Proof) -> Trial:
        """Return the trial once the answer is judged, which is its repair until there is another."""
        return replace(self, came=came, repaired=came)

    def with_repair(self, repaired: Proof, judged: float) -> Trial:
        """Return the trial once the answer is repaired."""
        return replace(self, repaired=repaired, judged=round(judged, 4))

    def with_interval(self, lower: float, upper: float) -> Trial:
        """Return the trial with the finite ends of an interval."""
        return replace(self, lower=_finite(lower), upper=_finite(upper))

    def excludes(self, value: float) -> bool:
        """Return whether the optimal value is proved to be another, in exact arithmetic."""
        return (self.lower is not None and value < self.lower) or (self.upper is not None and value > self.upper)

    def ended(self, message: str) -> Trial:
        """Return the trial whose process came to an end."""
        return replace(self, message=f"{self.message}; {message}" if self.message else message)

    def accepted(self, tol: float) -> bool:
        """Return whether the answer, or its repair, is proved at ``tol``."""
        return self.repaired is not None and self.repaired.error <= tol


def _finite(end: float) -> float | None:
    return end if abs(end) < float("inf") else None


def save(folder: Path, trials: Iterable[Trial]) -> None:
    """Write the file, one line for each trial; it is there whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(asdict(trial)) for trial in trials)
    draft = folder / f"{FILE}.draft"
    draft.write_text(f"[\n{lines}\n]\n")
    draft.replace(folder / FILE)


def load(folder: Path) -> list[Trial]:
    """Read the file; without one there are no trials yet."""
    if not (folder / FILE).exists():
        return []
    return [_trial(entry) for entry in json.loads((folder / FILE).read_text())]


def _trial(entry: dict[str, object]) -> Trial:
    # Trials from before there were intervals have none.
    values: dict[str, object] = {field.name: entry.get(field.name) for field in fields(Trial)}
    for name in ("came", "repaired"):
        value = values[name]
        values[name] = Proof(**value) if isinstance(value, dict) else None
    return Trial(**values)  # type: ignore[arg-type]
