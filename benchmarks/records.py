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

from benchmarks.computer import Setting
from benchmarks.repetition import Turns, typical

__all__ = [
    "ANSWERED",
    "FILE",
    "MATCHED",
    "PROVED",
    "Comparison",
    "Growth",
    "Memory",
    "Prediction",
    "Record",
    "Results",
    "Run",
    "Start",
]

FILE = "results.json"

ANSWERED, PROVED, MATCHED = "smo, not proved", "ours, proved", "ours, matched"
"""Three names in ``runs``; the others are those of peers."""

R = TypeVar("R", bound="Record")


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
class Record:
    """Anything measured."""

    where: Setting

    @property
    def key(self) -> tuple[Any, ...]:
        """What another record of this kind must share to take the place of this one."""
        raise NotImplementedError


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
class Growth(Record):
    """Ours on a number of samples of one kind."""

    task: str
    tol: float
    samples: int
    support: int
    limit: Turns
    ours: Run

    @property
    def key(self) -> tuple[Any, ...]:
        """Task, tolerance and samples."""
        return self.task, self.tol, self.samples


@dataclass(frozen=True)
class Memory(Record):
    """The largest memory of a process, in MiB: ``before`` solving, with the data, and at its ``peak``."""

    problem: str
    tol: float
    samples: int
    features: int
    support: int
    cache: int
    before: float
    peak: float
    seconds: float
    gap: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem, tolerance and MiB of the cache."""
        return self.problem, self.tol, self.cache


@dataclass(frozen=True)
class Prediction(Record):
    """The decision values of ``tested`` samples by the same function: their times, size, and largest difference."""

    problem: str
    support: int
    tested: int
    ours: Turns
    libsvm: Turns
    difference: float
    size: float

    @property
    def key(self) -> tuple[Any, ...]:
        """The problem."""
        return (self.problem,)


@dataclass(frozen=True)
class Start(Record):
    """A fresh process, in seconds: its imports, its first solve, and the same again; with or without machine code."""

    compiled_before: bool
    samples: int
    imports: float
    first: float
    second: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Whether there was machine code."""
        return (self.compiled_before,)


_KINDS: dict[str, type[Record]] = {
    "comparisons": Comparison,
    "growth": Growth,
    "memory": Memory,
    "prediction": Prediction,
    "start": Start,
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
        return cls(tuple(_read(kind, entry) for name, kind in _KINDS.items() for entry in data[name]))


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
