# SPDX-License-Identifier: BSD-3-Clause
"""Files of comma-separated values, one sample on each line."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from reprlib import repr as abridged
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.checks import MappedRows
from qpkernels.arrays.files import CHECK_THE_FILE, PlaceInFile, open_text, read_bytes, read_number
from qpkernels.errors import DataFormatError, ParameterError

__all__ = [
    "Table",
    "first_fields",
    "read_delimited",
]

_LARGE = 2**28
"""Bytes of a file from which on its features are kept in another file rather than in memory."""

_BLOCK = 4096
"""Rows that are collected before they become part of the matrix."""


class _Layout(NamedTuple):
    """The fields of the first line, which column is the target (counted from 0), and whether the line is a header."""

    first: list[str]
    target: int
    has_header: bool

    def place(self, line: PlaceInFile, column: int) -> PlaceInFile:
        return line._replace(column=column + 1, name=self.first[column] if self.has_header else None)


class Table(NamedTuple):
    """The content of a file: features, targets and, where there is a header, their names.

    Features of a large file are a matrix that is mapped from a temporary one.
    """

    X: Matrix
    y: NDArray[Any]
    feature_names: tuple[str, ...] | None
    target_name: str | None


def read_delimited(path: Path, target: str | int | None = None) -> Table:
    """Return the features, in the file's order, and the target: numbers, or trimmed text if it is class names.

    The first line is a header if no field of it is a number, if it holds the name ``target``, or if only its
    target field is not a number while the targets of all other lines are. (A header whose feature names are
    all numbers cannot be told from a sample where the targets are class names.) Blank lines are skipped.
    """
    records = _read_records(path)
    rows, texts, places = _ParsedRows(path), [], array("q")
    known: dict[str, str] = {}
    layout = None
    if first := next(records, None):
        layout = _find_layout(*first, target)
        for place, fields in records if layout.has_header else chain([first], records):
            features, text = _sample(layout, place, fields)
            rows.append(features)
            # Names of classes are kept once.
            texts.append(known.setdefault(text, text))
            places.append(place.line)
    if layout is None or not texts:
        raise PlaceInFile(path, 1, 1).error("at least one sample", "a file without any", CHECK_THE_FILE)
    is_text = [read_number(text) is None for text in texts]
    if not layout.has_header and len(texts) > 1 and is_text[0] and not any(is_text[1:]):
        del texts[0], is_text[0], places[0]
        rows.drop_first()
    if any(is_text) and not all(is_text):
        odd = 2 * sum(is_text) <= len(is_text)
        number = is_text.index(odd)
        remedy = "write the targets of all samples as numbers, or all as text"
        place = layout.place(PlaceInFile(path, places[number], 1), layout.target)
        raise place.error("a number" if odd else "a class name that is not a number", abridged(texts[number]), remedy)
    targets = np.array(texts, dtype=np.str_ if is_text[0] else np.float64)
    names, name = None, None
    if layout.has_header:
        names, name = tuple(layout.first), layout.first[layout.target]
        names = names[: layout.target] + names[layout.target + 1 :]
    return Table(rows.matrix(), targets, names, name)


class _ParsedRows:
    """Rows of a matrix as they come: in memory, or of a large file in another one that is mapped to memory."""

    def __init__(self, path: Path) -> None:
        self._mapped = MappedRows() if path.stat().st_size > _LARGE else None
        self._rows: list[Vector] = []
        self._blocks: list[Matrix] = []
        self._skipped = 0

    def append(self, row: Vector) -> None:
        """Add a row."""
        self._rows.append(row)
        if len(self._rows) >= _BLOCK:
            self._flush()

    def drop_first(self) -> None:
        """Leave the first row out."""
        self._skipped = 1

    def _flush(self) -> None:
        if self._rows:
            block = np.vstack(self._rows)
            self._rows = []
            (self._blocks if self._mapped is None else self._mapped).append(block)

    def matrix(self) -> Matrix:
        """Return them all."""
        self._flush()
        whole = np.concatenate(self._blocks) if self._mapped is None else self._mapped.matrix()
        return np.asanyarray(whole[self._skipped :])


def first_fields(path: Path) -> tuple[str, ...]:
    """Return the fields of the first line, which may be a header; none of a file without lines."""
    _, fields = next(_read_records(path), (None, []))
    return tuple(fields)


def _read_records(path: Path) -> Iterator[tuple[PlaceInFile, list[str]]]:
    """Yield the trimmed fields of every line that is not blank, and its place; quoted fields may span lines."""
    place = PlaceInFile(path, 1, 1)
    try:
        with open_text(path) as lines:
            reader = csv.reader(lines, strict=True)
            for fields in reader:
                if fields:
                    yield place, [field.strip() for field in fields]
                place = PlaceInFile(path, reader.line_num + 1, 1)
    except UnicodeDecodeError as error:
        raise _undecodable(path) from error
    except csv.Error as error:
        came = f"a line the CSV reader refuses ({error})"
        remedy = 'close every quote, and write a quote inside a quoted field as ""'
        raise place.error("fields separated by commas, with balanced quotes", came, remedy) from error


def _undecodable(path: Path) -> DataFormatError:
    """Return the error of the first byte that is none of text in UTF-8."""
    content = read_bytes(path)
    try:
        content.decode("utf-8-sig")
        start = 0
    except UnicodeDecodeError as error:
        start = error.start
    before = content[:start]
    place = PlaceInFile(path, before.count(b"\n") + 1, before.rpartition(b"\n")[2].count(b",") + 1)
    return place.error("text in UTF-8", f"the byte 0x{content[start]:02x}", "save the file again in UTF-8")


def _find_layout(line: PlaceInFile, fields: list[str], target: str | int | None) -> _Layout:
    """Return the layout; text beside numbers in the first line is a slip in a sample, unless it is ``target``."""
    width = len(fields)
    if width < 2:
        expected = "at least two fields separated by commas, a feature and the target"
        raise line.error(expected, "one field", "replace other separators (semicolons, tabs) by commas")
    only_text = all(field and read_number(field) is None for field in fields)
    # Digits are a column's number even where the first line holds the same digits, which then are data.
    is_name = isinstance(target, str) and not (target.isascii() and target.isdigit())
    namesakes = fields.count(str(target)) if is_name else 0
    if namesakes == 1:
        return _Layout(fields, fields.index(str(target)), has_header=True)
    column = 0 if is_name else width if target is None else int(target)
    if 1 <= column <= width:
        return _Layout(fields, column - 1, has_header=only_text)
    names = f" or one of the names {', '.join(map(repr, fields))}" if only_text else ""
    several = f", the name of {namesakes} columns," if namesakes else ""
    raise ParameterError(
        f"The target column of {line.path} must be a number from 1 to {width}{names}, but {target!r}{several} came; "
        "name a column there is, or give its number."
    )


def _sample(layout: _Layout, line: PlaceInFile, fields: list[str]) -> tuple[Vector, str]:
    """Return the features of a sample, and the text of its target."""
    width, n = len(layout.first), len(fields)
    if n == width and (features := _numbers(fields, layout.target)) is not None and fields[layout.target]:
        text = fields[layout.target]
        if (number := read_number(text)) is None or math.isfinite(number):
            return features, text
    if n != width:
        remedy = "add or delete fields, and put quotes around a field that holds a comma"
        raise line._replace(column=min(n, width) + 1).error(f"{width} fields as on the first line", f"{n}", remedy)
    numbers = [read_number(field) for field in fields]
    for column, (field, number) in enumerate(zip(fields, numbers, strict=True)):
        is_target = column == layout.target
        if math.isfinite(number) if number is not None else is_target and field:
            continue
        remedy = "drop this sample, or replace the number"
        if number is None:
            remedy = "replace it by a number, or drop this column" if field else "fill it, or drop this sample"
        if fields is layout.first:
            remedy += " (in a header, every column needs a name that is not a number)"
        expected = "a finite number or a class name" if is_target else "a finite number"
        raise layout.place(line, column).error(expected, abridged(field) if field else "an empty field", remedy)
    del numbers[layout.target]
    return np.array(numbers, dtype=np.float64), fields[layout.target]


def _numbers(fields: list[str], target: int) -> Vector | None:
    """Return all fields but the target as finite numbers, or None if one is none: who looks closer says which."""
    others = fields[:target] + fields[target + 1 :]
    joined = "".join(others)
    if "_" in joined or not joined.isascii():
        return None
    try:
        numbers = np.fromiter(map(float, others), np.float64, len(others))
    except ValueError:
        return None
    return numbers if math.isfinite(float(numbers.sum())) else None
