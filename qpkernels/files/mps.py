# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic programs as free MPS with QUADOBJ; read from QMATRIX too.

The objective is 1/2 x'Px + q'x + offset: QUADOBJ lists the upper triangle of P, each entry once, which is all of P that
a reader gets, and the right-hand side of the objective row is -offset. Every variable is free (FR). Names of rows and
columns are made of those of their blocks, without blanks; the true ones stand, with the cones, in a comment that
:func:`read_mps` reads and others skip. Numbers are written with the fewest digits that read back as the same float64.

Fields are separated by blanks, so that a fixed-format file is read too where no name has one. The first N row is the
objective, and others are left out; a variable without bounds has x >= 0. Entries that a file gives twice, integer
variables, and a negative UP without a lower bound, which readers understand differently, are refused.

HiGHS, which solves such programs, does not read them exactly: entries of a Hessian below 1e-9 are left out, four of 465
of a Gaussian kernel matrix of 30 samples, and a number that is none is read as 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array, eye_array, vstack

from qpkernels.arrays import Vector
from qpkernels.arrays.files import PlaceInFile, parsing, read_file, read_number, replacing
from qpkernels.errors import FileFormatError, UnsupportedProgramError
from qpkernels.files.structure import INFINITY, check_bounds, describe, from_row_bounds
from qpkernels.problems import Block, ConeProgram

__all__ = [
    "DESCRIPTION",
    "OBJECTIVE",
    "MPSModel",
    "read_mps",
    "write_mps",
]

DESCRIPTION = "* qpkernels "
"""The beginning of the comment that holds names and cones."""

OBJECTIVE = "objective"
_LONGEST_NAME = 32


def write_mps(program: ConeProgram, path: Path) -> None:
    """Write ``program`` to ``path``.

    Raises
    ------
    UnsupportedProgramError
        If it has other cones than equations and inequalities, or a right-hand side of 1e20 or more.
    """
    check_bounds(program)
    with replacing(path, "ascii") as file:
        file.writelines(f"{line}\n" for line in _lines(program))


def _lines(program: ConeProgram) -> Iterator[str]:
    columns, rows = _names(program.variables), _names(program.rows)
    yield f"NAME {_plain(program.name)}"
    yield f"{DESCRIPTION}{describe(program)}"
    yield "ROWS"
    yield f" N {OBJECTIVE}"
    yield from (f" {'E' if equal else 'L'} {row}" for row, equal in zip(rows, program.equations(), strict=True))
    yield "COLUMNS"
    yield from _columns(program, columns, rows)
    yield "RHS"
    if program.offset:
        yield f" RHS {OBJECTIVE} {-float(program.offset)!r}"
    yield from (f" RHS {row} {value!r}" for row, value in zip(rows, program.b.tolist(), strict=True) if value)
    yield "BOUNDS"
    yield from (f" FR BOUND {column}" for column in columns)
    upper = program.upper_triangle()
    upper.eliminate_zeros()
    if upper.nnz:
        yield "QUADOBJ"
        yield from (f" {columns[j]} {columns[i]} {value!r}" for j, entries in _by_column(upper) for i, value in entries)
    yield "ENDATA"


def _columns(program: ConeProgram, columns: list[str], rows: list[str]) -> Iterator[str]:
    costs = program.q.tolist()
    for j, entries in _by_column(program.A):
        # A column is declared by an entry, if only by a cost of 0.
        if costs[j] or not entries:
            yield f" {columns[j]} {OBJECTIVE} {costs[j]!r}"
        yield from (f" {columns[j]} {rows[i]} {value!r}" for i, value in entries)


def _by_column(matrix: csc_array) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    matrix = csc_array(matrix, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    indices, values, starts = matrix.indices.tolist(), matrix.data.tolist(), matrix.indptr.tolist()
    for j in range(matrix.shape[1]):
        part = slice(starts[j], starts[j + 1])
        yield j, list(zip(indices[part], values[part], strict=True))


def _names(blocks: Iterable[Block]) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    for number, block in enumerate(blocks):
        plain = _plain(block.name)
        base = plain if plain not in taken else f"{plain}.{number}"
        taken.add(base)
        names.extend(f"{base}[{k}]" for k in range(block.stop - block.start))
    return names


def _plain(name: str) -> str:
    """Return the name with every run of characters that some reader could stumble over replaced by one underscore."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_LONGEST_NAME] or "_"


@dataclass
class MPSModel:
    """Rows and columns by name, in order; numbers by their places.

    Attributes
    ----------
    sense
        -1 if the objective is to be maximised.
    objective
        Its row, the first of kind N.
    kinds
        N, E, L or G of each row.
    rows, columns
        Their numbers; rows of kind N have none.
    costs, entries, quadratic
        q by column, A by row and column, and P with both triangles.
    right, ranges
        Right-hand sides and ranges by the names of rows.
    lower, upper
        Bounds by column, where there are some.
    """

    name: str = "quadratic program"
    description: str | None = None
    sense: float = 1.0
    objective: str | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    costs: dict[int, float] = field(default_factory=dict)
    entries: dict[tuple[int, int], float] = field(default_factory=dict)
    right: dict[str, float] = field(default_factory=dict)
    ranges: dict[str, float] = field(default_factory=dict)
    lower: dict[int, float] = field(default_factory=dict)
    upper: dict[int, float] = field(default_factory=dict)
    quadratic: dict[tuple[int, int], float] = field(default_factory=dict)

    def program(self) -> ConeProgram:
        """Return the program; bounds of columns are rows behind the others."""
        if self.objective is None or not self.columns:
            raise FileFormatError("a program in MPS needs a row of kind N and a column; check that the file is whole.")
        n = len(self.columns)
        lower, upper = self._column_bounds()
        bounded = (lower > -INFINITY) | (upper < INFINITY)
        row_lower, row_upper = self._row_bounds()
        stacked = vstack([_matrix(self.entries, len(self.rows), n), csr_array(eye_array(n, format="csr"))[bounded]])
        costs = np.zeros(n)
        costs[list(self.costs)] = list(self.costs.values())
        return from_row_bounds(
            self.sense * _matrix(self.quadratic, n, n),
            self.sense * costs,
            csc_array(stacked),
            (np.append(row_lower, lower[bounded]), np.append(row_upper, upper[bounded])),
            -self.sense * self.right.get(self.objective, 0.0),
            self.description,
            self.name,
        )

    def _column_bounds(self) -> tuple[Vector, Vector]:
        lower, upper = np.zeros(len(self.columns)), np.full(len(self.columns), math.inf)
        for column, value in self.upper.items():
            if value < 0 and column not in self.lower:
                raise FileFormatError(
                    "a bound UP below 0 of a column without a lower bound is read differently by different programs; "
                    "state LO or MI beside it."
                )
            upper[column] = value
        for column, value in self.lower.items():
            lower[column] = value
        return lower, upper

    def _row_bounds(self) -> tuple[Vector, Vector]:
        """Return l and u: a range R of an equation is one-sided by its sign, and of an inequality |R|."""
        lower, upper = np.full(len(self.rows), -math.inf), np.full(len(self.rows), math.inf)
        for name, row in self.rows.items():
            kind, right, size = self.kinds[name], self.right.get(name, 0.0), self.ranges.get(name)
            if kind in "EL":
                upper[row] = right + max(size, 0.0) if kind == "E" and size is not None else right
            if kind in "EG":
                lower[row] = right + min(size, 0.0) if kind == "E" and size is not None else right
            if size is not None and kind == "L":
                lower[row] = right - abs(size)
            if size is not None and kind == "G":
                upper[row] = right + abs(size)
        return lower, upper


def _matrix(entries: dict[tuple[int, int], float], rows: int, columns: int) -> csc_array:
    places = np.array(list(entries), dtype=np.int64).reshape(-1, 2)
    values = np.array(list(entries.values()), dtype=np.float64)
    return csc_array(coo_array((values, (places[:, 0], places[:, 1])), shape=(rows, columns)))


_SENSES = {"MIN": 1.0, "MINIMIZE": 1.0, "MAX": -1.0, "MAXIMIZE": -1.0}
_INTEGER_BOUNDS = ("BV", "LI", "UI", "SC", "SI")
_K = TypeVar("_K", bound=Hashable)


class _RefusedError(Exception):
    """A line that breaks a rule: what was expected, and what came."""


def read_mps(path: Path) -> ConeProgram:
    """Read a program that :mod:`qpkernels.files.mps` wrote, or any in free MPS.

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


def _read_sections(path: Path, text: str) -> MPSModel:
    model, section = MPSModel(), ""
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
            raise PlaceInFile(path, number, 1).error(expected, repr(came), "correct the line") from None
    raise PlaceInFile(path, text.count("\n") + 1, 1).error("ENDATA", "the end of the file", "copy the file again")


def _head(model: MPSModel, fields: list[str]) -> str:
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


def _row(model: MPSModel, fields: list[str]) -> None:
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


def _entry(model: MPSModel, fields: list[str]) -> None:
    if "'MARKER'" in fields:
        raise UnsupportedProgramError("the file has integer variables, so its program is not convex; relax them.")
    name, pairs = fields[0], _pairs(fields[1:])
    column = model.columns.setdefault(name, len(model.columns))
    for row, value in pairs:
        if _kind(model, row) != "N":
            _new(model.entries, (model.rows[row], column), value)
        elif row == model.objective:
            _new(model.costs, column, value)


def _right(model: MPSModel, fields: list[str]) -> None:
    for row, value in _pairs(fields[len(fields) % 2 :]):
        _kind(model, row)
        _new(model.right, row, value)


def _range(model: MPSModel, fields: list[str]) -> None:
    for row, value in _pairs(fields[len(fields) % 2 :]):
        if _kind(model, row) == "N":
            raise _RefusedError("a range of a row that is no objective", row)
        _new(model.ranges, row, value)


def _bound(model: MPSModel, fields: list[str]) -> None:
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


def _quadratic(mirrored: bool) -> Callable[[MPSModel, list[str]], None]:
    """Return the reader of QUADOBJ, which has each entry off the diagonal once, or of QMATRIX, which has both."""

    def read(model: MPSModel, fields: list[str]) -> None:
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


def _kind(model: MPSModel, row: str) -> str:
    if row not in model.kinds:
        raise _RefusedError("a row of the section ROWS", row)
    return model.kinds[row]


def _new(values: dict[_K, float], key: _K, value: float) -> None:
    if key in values:
        raise _RefusedError("each number once", f"{value:g}, a second one,")
    values[key] = value


_SECTIONS: dict[str, Callable[[MPSModel, list[str]], None]] = {
    "ROWS": _row,
    "COLUMNS": _entry,
    "RHS": _right,
    "RANGES": _range,
    "BOUNDS": _bound,
    "QUADOBJ": _quadratic(mirrored=True),
    "QMATRIX": _quadratic(mirrored=False),
}
