# SPDX-License-Identifier: BSD-3-Clause
"""What was measured, and its file: every record is kept until one with the same key takes its place.

A record is measured in one go, with the solvers taking turns, and is replaced as a whole: times of two runs on a
machine that may have had other things to do are never put side by side.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from benchmarks.computer import Setting
from benchmarks.repetition import Turns, typical

__all__ = [
    "ANSWERED",
    "FILE",
    "MATCHED",
    "PROVED",
    "Auditing",
    "Changes",
    "Comparison",
    "Estimator",
    "Proving",
    "Record",
    "Results",
    "Run",
    "Search",
    "Training",
]

FILE = "results.json"

ANSWERED, PROVED, MATCHED = "smo, not proved", "ours, proved", "ours, matched"
"""Three names in ``runs``; the others are those of peers."""


@dataclass(frozen=True)
class Record:
    """Anything measured."""

    where: Setting

    @property
    def key(self) -> tuple[Any, ...]:
        """What another record of this kind must share to take the place of this one."""
        raise NotImplementedError

    @property
    def summary(self) -> str:
        """What came of it, in a few words for the terminal."""
        return ""


@dataclass(frozen=True)
class Run:
    """All runs of one solver on one problem.

    Attributes
    ----------
    turns
        The seconds of each run.
    gap
        The largest relative gap certified of its answers; None: no answer came in time.
    tol
        What it was asked for: ours a relative gap, a peer a tolerance of its own kind.
    limit
        The seconds after which it was ended, where that happened.
    """

    turns: Turns
    gap: float | None
    tol: float
    limit: float | None = None

    @property
    def seconds(self) -> float:
        """What a run typically takes, or the limit where that was exceeded."""
        return typical(self.turns) if self.limit is None else self.limit


@dataclass(frozen=True)
class Comparison(Record):
    """A problem, by all solvers; ``support`` counts the support vectors of all its machines."""

    problem: str
    tol: float
    samples: int
    features: int
    machines: int
    support: int
    limit: Turns
    runs: dict[str, Run]

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol


@dataclass(frozen=True)
class Proving(Record):
    """A certificate beside the solver, in seconds of the thread that calls.

    Attributes
    ----------
    solving, proving
        What the solver and the certificate take; ``in_float64`` is the certificate with every value in float64.
    gap, rounding
        The relative gap, and the part of it that bounds what rounding may have changed.
    single
        Share of the samples that float32 settles.
    apart
        How far both values of the optimum are from those in float64 throughout, relative to them.
    """

    problem: str
    tol: float
    samples: int
    support: int
    solving: float
    proving: float
    in_float64: float
    gap: float
    rounding: float
    single: float
    apart: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol

    @property
    def summary(self) -> str:
        """Its share of the whole."""
        share = self.proving / (self.solving + self.proving)
        return f"{self.solving:.3g} s to solve, {self.proving:.3g} s to prove: {share:.0%}"


@dataclass(frozen=True)
class Auditing(Record):
    """The audit of scikit-learn's machine, in seconds of the thread that calls.

    Attributes
    ----------
    tol
        What scikit-learn was asked for.
    multiplying, auditing
        The one product that its certificate needs, and the audit with all that it shows.
    gap
        The relative gap that was found.
    certain
        For how many samples the optimal machine decides the same for certain; None of real targets.
    """

    problem: str
    tol: float
    samples: int
    support: int
    multiplying: float
    auditing: float
    gap: float
    certain: int | None

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol

    @property
    def summary(self) -> str:
        """The audit, in products."""
        return f"{self.auditing:.3g} s, {self.auditing / self.multiplying:.2f} products"


@dataclass(frozen=True)
class Estimator(Record):
    """An estimator of scikit-learn's interface beside its model, in seconds of all processors.

    Attributes
    ----------
    solving, fitting
        What the model takes from the arrays to the proved answer, and ``fit``.
    valuing, predicting
        What the model's function takes at so many ``new`` samples, and ``predict``.
    """

    estimator: str
    samples: int
    new: int
    solving: float
    fitting: float
    valuing: float
    predicting: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Estimator and samples."""
        return self.estimator, self.samples

    @property
    def summary(self) -> str:
        """How many times as long."""
        return f"fit {self.fitting / self.solving:.3f}, predict {self.predicting / self.valuing:.3f} times the model's"


@dataclass(frozen=True)
class Training(Record):
    """Machines on samples in common, from the arrays to the proved answers.

    ``proved`` of them are; ``gap`` is the largest of their relative gaps, ``steps`` counts those of all, and
    ``processor`` are the seconds of all processors, a turn each.
    """

    workload: str
    tol: float
    machines: int
    proved: int
    steps: int
    gap: float
    turns: Turns
    processor: tuple[float, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """Workload and tolerance."""
        return self.workload, self.tol

    @property
    def summary(self) -> str:
        """Its time, and how many are proved."""
        return f"{typical(self.turns):.3g} s, {self.proved} of {self.machines} proved, {self.steps} steps"


@dataclass(frozen=True)
class Search(Record):
    """A grid of hyper-parameters in folds, by us and by scikit-learn: times, the points chosen, and their scores."""

    problem: str
    tol: float
    fits: int
    proved: int
    jobs: int
    ours: Turns
    theirs: Turns
    our_choice: dict[str, float]
    their_choice: dict[str, float]
    our_score: float
    their_score: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol

    @property
    def summary(self) -> str:
        """Both times."""
        return f"ours {typical(self.ours):.3g} s, scikit-learn {typical(self.theirs):.3g} s"


@dataclass(frozen=True)
class Changes(Record):
    """Changes of single samples, of each kind in turns, and fits from the arrays between them, all proved: seconds."""

    problem: str
    tol: float
    samples: int
    kinds: tuple[str, ...]
    changes: tuple[float, ...]
    fits: tuple[float, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem, tolerance and samples."""
        return self.problem, self.tol, self.samples

    def of_kind(self, kind: str) -> float:
        """Return the median of one kind."""
        return float(np.median(self.changes[self.kinds.index(kind) :: len(self.kinds)]))

    @property
    def within(self) -> float:
        """What 95 of 100 changes take at most."""
        return float(np.quantile(self.changes, 0.95))

    @property
    def ratio(self) -> float:
        """Median of the fits over that of the changes."""
        return float(np.median(self.fits) / np.median(self.changes))

    @property
    def summary(self) -> str:
        """How many times faster than a fit."""
        return f"a change {1e3 * np.median(self.changes):.3g} ms, a fit {self.ratio:.3g} times that"


R = TypeVar("R", bound=Record)

_KINDS: dict[str, type[Record]] = {
    "comparisons": Comparison,
    "training": Training,
    "search": Search,
    "changes": Changes,
    "proving": Proving,
    "auditing": Auditing,
    "estimators": Estimator,
}


@dataclass(frozen=True)
class Results:
    """All records."""

    records: tuple[Record, ...] = ()

    def of(self, kind: type[R]) -> list[R]:
        """Return the records of a kind."""
        return [record for record in self.records if isinstance(record, kind)]

    def adding(self, new: Iterable[Record]) -> Results:
        """Return these results with ``new`` records, which take the place of those with the same key."""
        records = {(type(record), record.key): record for record in (*self.records, *new)}
        return Results(tuple(records.values()))

    def save(self, folder: Path) -> None:
        """Write the file, one line for each record; it is there whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        parts = []
        for name, kind in _KINDS.items():
            lines = ",\n".join(json.dumps(asdict(record)) for record in self.of(kind))
            parts.append(f'"{name}": [\n{lines}\n]' if lines else f'"{name}": []')
        draft = folder / f"{FILE}.draft"
        draft.write_text("{\n" + ",\n".join(parts) + "\n}\n")
        draft.replace(folder / FILE)

    @classmethod
    def load(cls, folder: Path) -> Results:
        """Read the file; without one there are no records yet."""
        if not (folder / FILE).exists():
            return cls()
        data = json.loads((folder / FILE).read_text())
        return cls(tuple(_read(kind, entry) for name, kind in _KINDS.items() for entry in data.get(name, [])))


def _read(kind: Any, value: Any) -> Any:
    """Make of JSON a value of that type: a dataclass, a tuple or dict of one type, or what JSON has."""
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{field.name: _read(hints[field.name], value[field.name]) for field in fields(kind)})
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], entry) for entry in value)
    if get_origin(kind) is dict:
        return {name: _read(get_args(kind)[1], entry) for name, entry in value.items()}
    return value
