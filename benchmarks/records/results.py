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

from benchmarks.records.many import Changes, Search, Training
from benchmarks.records.record import Record
from benchmarks.records.single import (
    Auditing,
    Comparison,
    Estimator,
    Growth,
    Memory,
    Overhead,
    Prediction,
    Proving,
    Start,
)

__all__ = ["FILE", "Results"]

FILE = "results.json"

R = TypeVar("R", bound=Record)

_KINDS: dict[str, type[Record]] = {
    "comparisons": Comparison,
    "growth": Growth,
    "memory": Memory,
    "prediction": Prediction,
    "start": Start,
    "training": Training,
    "search": Search,
    "changes": Changes,
    "proving": Proving,
    "auditing": Auditing,
    "overhead": Overhead,
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
