# SPDX-License-Identifier: BSD-3-Clause
"""Files of comma-separated values, one sample on each line."""

import csv
import math
from collections.abc import Iterator
from io import StringIO
from itertools import chain
from pathlib import Path
from reprlib import repr as abridged
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector
from qpkernels.datasets.text import CHECK_THE_FILE, Place, read_bytes, read_number
from qpkernels.errors import ParameterError

__all__ = ["Table", "first_fields", "read_delimited"]


class _Layout(NamedTuple):
    """The fields of the first line, which column is the target (counted from 0), and whether the line is a header."""

    first: list[str]
    target: int
    has_header: bool

    def place(self, line: Place, column: int) -> Place:
        return line._replace(column=column + 1, name=self.first[column] if self.has_header else None)


class Table(NamedTuple):
    """What a file holds: features, targets, and where there is a header, their names."""

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
    samples: list[tuple[Vector, Place, str]] = []
    if first := next(records, None):
        layout = _find_layout(*first, target)
        samples += [_sample(layout, *record) for record in (records if layout.has_header else chain([first], records))]
    if not samples:
        raise Place(path, 1, 1).error("at least one sample", "a file without any", CHECK_THE_FILE)
    is_text = [read_number(text) is None for _, _, text in samples]
    if not layout.has_header and len(samples) > 1 and is_text[0] and not any(is_text[1:]):
        del samples[0], is_text[0]
    if any(is_text) and not all(is_text):
        odd = 2 * sum(is_text) <= len(is_text)
        _, place, text = samples[is_text.index(odd)]
        remedy = "write the targets of all samples as numbers, or all as text"
        raise place.error("a number" if odd else "a class name that is not a number", abridged(text), remedy)
    targets = np.array([text for _, _, text in samples], dtype=np.str_ if is_text[0] else np.float64)
    names, name = None, None
    if layout.has_header:
        names, name = tuple(layout.first), layout.first[layout.target]
        names = names[: layout.target] + names[layout.target + 1 :]
    return Table(np.vstack([features for features, _, _ in samples]), targets, names, name)


def first_fields(path: Path) -> tuple[str, ...]:
    """Return the fields of the first line, which may be a header; none of a file without lines."""
    _, fields = next(_read_records(path), (None, []))
    return tuple(fields)


def _read_records(path: Path) -> Iterator[tuple[Place, list[str]]]:
    """Yield the trimmed fields of every line that is not blank, and its place; quoted fields may span lines."""
    content = read_bytes(path)
    try:
        # The variant with a signature drops the mark that spreadsheets put in front of UTF-8.
        reader = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(path, before.count(b"\n") + 1, before.rpartition(b"\n")[2].count(b",") + 1)
        came = f"the byte 0x{content[error.start]:02x}"
        raise place.error("text in UTF-8", came, "save the file again in UTF-8") from error
    place = Place(path, 1, 1)
    try:
        for fields in reader:
            if fields:
                yield place, [field.strip() for field in fields]
            place = Place(path, reader.line_num + 1, 1)
    except csv.Error as error:
        came = f"a line the CSV reader refuses ({error})"
        remedy = 'close every quote, and write a quote inside a quoted field as ""'
        raise place.error("fields separated by commas, with balanced quotes", came, remedy) from error


def _find_layout(line: Place, fields: list[str], target: str | int | None) -> _Layout:
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


def _sample(layout: _Layout, line: Place, fields: list[str]) -> tuple[Vector, Place, str]:
    """Return the features of a sample, and the place and text of its target."""
    width, n = len(layout.first), len(fields)
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
    return np.array(numbers, dtype=np.float64), layout.place(line, layout.target), fields[layout.target]
