# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs from free MPS with QUADOBJ or QMATRIX.

Fields are separated by blanks, so that a fixed-format file is read too where no name has one. The conventions: the
first N row is the objective, and others are left out; the right-hand side of the objective row is the negative of its
constant; a variable without bounds has x >= 0. Entries that a file gives twice, integer variables, and a negative UP
without a lower bound, which readers understand differently, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import TypeVar

from qpkernels.arrays.archives import parsing
from qpkernels.arrays.paths import read_file
from qpkernels.datasets.text import Place, read_number
from qpkernels.errors import UnsupportedProgramError
from qpkernels.files.mps.model import Model
from qpkernels.files.mps.writer import DESCRIPTION
from qpkernels.problems import ConeProgram

__all__ = ["read_mps"]

_SENSES = {"MIN": 1.0, "MINIMIZE": 1.0, "MAX": -1.0, "MAXIMIZE": -1.0}
_INTEGER_BOUNDS = ("BV", "LI", "UI", "SC", "SI")
_K = TypeVar("_K", bound=Hashable)


class _RefusedError(Exception):
    """A line that breaks a rule: what was expected, and what came."""


def read_mps(path: Path) -> ConeProgram:
    """Read a program that :mod:`qpkernels.files.mps.writer` wrote, or any in free MPS.

    Raises
    ------
    DataFormatError
        If a line is malformed, with its number.
    FileFormatError
        If the file as a whole states no quadratic program.
    UnsupportedProgramError
        If it has integer variables, or sections of other extensions of MPS.
    """
    content = read_file(path)
    with parsing(path, "a quadratic program in MPS"):
        return _read_sections(path, content.decode("utf-8", errors="replace")).program()


def _read_sections(path: Path, text: str) -> Model:
    model, section = Model(), ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(DESCRIPTION):
            model.description = line.removeprefix(DESCRIPTION)
        if not line.strip() or line.startswith("*"):
            continue
        fields = line.split()
        try:
            if section == "OBJSENSE" and fields[0] in _SENSES:
                model.sense = _SENSES[fields[0]]
            elif not line[0].isspace():
                section = _head(model, fields)
                if section == "ENDATA":
                    return model
            elif section not in _SECTIONS:
                raise _RefusedError("a section", line.strip()[:40])
            else:
                _SECTIONS[section](model, fields)
        except _RefusedError as refusal:
            expected, came = refusal.args
            raise Place(path, number, 1).error(expected, repr(came), "correct the line") from None
    raise Place(path, text.count("\n") + 1, 1).error("ENDATA", "the end of the file", "copy the file again")


def _head(model: Model, fields: list[str]) -> str:
    """Take the line that opens a section, and return the section."""
    section = fields[0]
    if section == "NAME":
        model.name = " ".join(fields[1:]) or model.name
    elif section == "OBJSENSE" and len(fields) > 1:
        if fields[1] not in _SENSES:
            raise _RefusedError("MIN or MAX", fields[1])
        model.sense = _SENSES[fields[1]]
    elif section not in (*_SECTIONS, "OBJSENSE", "ENDATA"):
        raise UnsupportedProgramError(
            f"an MPS file is read with the sections NAME, OBJSENSE, {', '.join(_SECTIONS)}, but {section[:40]} came; "
            "state the program without it."
        )
    return section


def _row(model: Model, fields: list[str]) -> None:
    if len(fields) != 2 or fields[0] not in "NELG":
        raise _RefusedError("N, E, L or G and a name", " ".join(fields)[:40])
    kind, name = fields
    if name in model.kinds:
        raise _RefusedError("a new row", name)
    model.kinds[name] = kind
    if kind != "N":
        model.rows[name] = len(model.rows)
    elif model.objective is None:
        model.objective = name


def _entry(model: Model, fields: list[str]) -> None:
    if "'MARKER'" in fields:
        raise UnsupportedProgramError("the file has integer variables, so its program is not convex; relax them.")
    name, pairs = fields[0], _pairs(fields[1:])
    column = model.columns.setdefault(name, len(model.columns))
    for row, value in pairs:
        if _kind(model, row) != "N":
            _new(model.entries, (model.rows[row], column), value)
        elif row == model.objective:
            _new(model.costs, column, value)


def _right(model: Model, fields: list[str]) -> None:
    for row, value in _pairs(fields[len(fields) % 2 :]):
        _kind(model, row)
        _new(model.right, row, value)


def _range(model: Model, fields: list[str]) -> None:
    for row, value in _pairs(fields[len(fields) % 2 :]):
        if _kind(model, row) == "N":
            raise _RefusedError("a range of a row that is no objective", row)
        _new(model.ranges, row, value)


def _bound(model: Model, fields: list[str]) -> None:
    kind = fields[0]
    if kind in _INTEGER_BOUNDS:
        raise UnsupportedProgramError(f"the file has a bound {kind}, so its program is not convex; relax it.")
    valued = kind in ("UP", "LO", "FX")
    if not valued and kind not in ("FR", "MI", "PL"):
        raise _RefusedError("UP, LO, FX, FR, MI or PL", kind)
    # The name of the set of bounds may be left out; a bound without a value may carry one all the same.
    if not valued and len(fields) == 4:
        fields = fields[:3]
    if len(fields) not in (2 + valued, 3 + valued):
        raise _RefusedError("a bound of a column", " ".join(fields)[:40])
    name = fields[-1 - valued]
    if name not in model.columns:
        raise _RefusedError("a column of the section COLUMNS", name)
    column, value = model.columns[name], _number(fields[-1]) if valued else math.inf
    if kind in ("LO", "FX", "FR", "MI"):
        _new(model.lower, column, value if valued else -math.inf)
    if kind in ("UP", "FX", "FR", "PL"):
        _new(model.upper, column, value)


def _quadratic(mirrored: bool) -> Callable[[Model, list[str]], None]:
    """Return the reader of QUADOBJ, which has each entry off the diagonal once, or of QMATRIX, which has both."""

    def read(model: Model, fields: list[str]) -> None:
        if len(fields) != 3:
            raise _RefusedError("two columns and a number", " ".join(fields)[:40])
        for name in fields[:2]:
            if name not in model.columns:
                raise _RefusedError("a column of the section COLUMNS", name)
        i, j = (model.columns[name] for name in fields[:2])
        value = _number(fields[2])
        _new(model.quadratic, (i, j), value)
        if mirrored and i != j:
            _new(model.quadratic, (j, i), value)

    return read


def _pairs(fields: list[str]) -> Iterator[tuple[str, float]]:
    if not fields or len(fields) % 2:
        raise _RefusedError("pairs of a name and a number", " ".join(fields)[:40])
    for name, value in zip(fields[::2], fields[1::2], strict=True):
        yield name, _number(value)


def _number(text: str) -> float:
    value = read_number(text)
    if value is None or math.isnan(value):
        raise _RefusedError("a number", text[:40])
    return value


def _kind(model: Model, row: str) -> str:
    if row not in model.kinds:
        raise _RefusedError("a row of the section ROWS", row)
    return model.kinds[row]


def _new(values: dict[_K, float], key: _K, value: float) -> None:
    if key in values:
        raise _RefusedError("each number once", f"{value:g}, a second one,")
    values[key] = value


_SECTIONS: dict[str, Callable[[Model, list[str]], None]] = {
    "ROWS": _row,
    "COLUMNS": _entry,
    "RHS": _right,
    "RANGES": _range,
    "BOUNDS": _bound,
    "QUADOBJ": _quadratic(mirrored=True),
    "QMATRIX": _quadratic(mirrored=False),
}
