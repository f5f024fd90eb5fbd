# SPDX-License-Identifier: BSD-3-Clause
"""Files of comma-separated values, one sample on each line."""

import csv
import math
from collections.abc import Iterator
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector
from qpkernels.datasets.text import CHECK_THE_FILE, Place, quoted, read_bytes, read_number
from qpkernels.errors import DataFormatError, ParameterError

__all__ = ["read_delimited"]


class _Layout(NamedTuple):
    """What the first line says: its number and fields, which column is the target (from 0), whether it is a header."""

    path: Path
    line: int
    fields: list[str]
    target: int
    has_header: bool

    def place(self, line: int, column: int) -> Place:
        return Place(self.path, line, column + 1, self.fields[column] if self.has_header else None)


def read_delimited(path: Path, target: str | int | None = None) -> tuple[Matrix, NDArray[Any]]:
    """Return the features, in the file's order, and the target: numbers, or trimmed text if it is class names.

    The first line is a header if no field of it is a number, if it holds the name ``target``, or if only its
    target field is not a number while the targets of all other lines are. (A header whose feature names are
    all numbers cannot be told from a sample where the targets are class names.) Blank lines are skipped.
    """
    records = _read_records(path)
    first = next(records, None)
    samples: list[tuple[Vector, int, str]] = []
    if first is not None:
        layout = _find_layout(path, *first, target)
        samples += [_sample(layout, *record) for record in (records if layout.has_header else chain([first], records))]
    if not samples:
        raise Place(path, 1, 1).error("at least one sample", "a file without any", CHECK_THE_FILE)
    is_text = [read_number(text) is None for _, _, text in samples]
    if not layout.has_header and len(samples) > 1 and is_text[0] and not any(is_text[1:]):
        del samples[0], is_text[0]
    X = np.vstack([features for features, _, _ in samples])
    if all(is_text) or not any(is_text):
        return X, np.array([text for _, _, text in samples], dtype=np.str_ if is_text[0] else np.float64)
    rarer = 2 * sum(is_text) <= len(is_text)
    _, line, text = samples[is_text.index(rarer)]
    expected = "a number" if rarer else "a class name that is not a number"
    remedy = "write the targets of all samples as numbers, or all as text"
    raise layout.place(line, layout.target).error(expected, quoted(text), remedy)


def _read_records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the trimmed fields of every line that is not blank; quoted fields may span lines."""
    content = read_bytes(path)
    try:
        # The variant with a signature drops the mark that spreadsheets put in front of UTF-8.
        reader = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(path, before.count(b"\n") + 1, before.rpartition(b"\n")[2].count(b",") + 1)
        came = f"the byte 0x{content[error.start]:02x}"
        raise place.error("text in UTF-8", came, "save the file again in UTF-8") from error
    line = 1
    try:
        for fields in reader:
            if fields:
                yield line, [field.strip() for field in fields]
            line = reader.line_num + 1
    except csv.Error as error:
        came = f"a line the CSV reader refuses ({error})"
        remedy = 'close every quote, and write a quote inside a quoted field as ""'
        raise Place(path, line, 1).error("fields separated by commas, with balanced quotes", came, remedy) from error


def _find_layout(path: Path, line: int, fields: list[str], target: str | int | None) -> _Layout:
    """Return the layout; a first line that mixes text and numbers is a sample, though malformed, unless it has target."""
    width = len(fields)
    if width < 2:
        expected = "at least two fields separated by commas, a feature and the target"
        raise Place(path, line, 1).error(expected, "one field", "replace other separators (semicolons, tabs) by commas")
    only_text = all(field and read_number(field) is None for field in fields)
    # Digits are a column's number even where the first line holds the same digits, which then are data.
    is_name = isinstance(target, str) and not (target.isascii() and target.isdigit())
    if is_name and fields.count(str(target)) == 1:
        return _Layout(path, line, fields, fields.index(str(target)), has_header=True)
    position = 0 if is_name else width if target is None else int(target)
    if 1 <= position <= width:
        return _Layout(path, line, fields, position - 1, only_text)
    names = f" or one of the names {', '.join(map(repr, fields))}" if only_text else ""
    several = f", the name of {fields.count(str(target))} columns," if is_name and target in fields else ""
    raise ParameterError(
        f"The target column of {path} must be a number from 1 to {width}{names}, but {target!r}{several} came; "
        "name a column there is, or give its number."
    )


def _sample(layout: _Layout, line: int, fields: list[str]) -> tuple[Vector, int, str]:
    """Return the features of a sample, its line, and its target as written."""
    width, came = len(layout.fields), len(fields)
    if came != width:
        remedy = "add or delete fields, and put quotes around a field that holds a comma"
        place = Place(layout.path, line, min(came, width) + 1)
        raise place.error(f"{width} fields as on the first line", f"{came}", remedy)
    numbers = [read_number(field) for field in fields]
    for column, number in enumerate(numbers):
        is_class_name = column == layout.target and number is None and fields[column] != ""
        if not is_class_name and (number is None or not math.isfinite(number)):
            raise _field_fault(layout, line, column, fields[column])
    return np.array(numbers[: layout.target] + numbers[layout.target + 1 :], np.float64), line, fields[layout.target]


def _field_fault(layout: _Layout, line: int, column: int, field: str) -> DataFormatError:
    remedy = "drop this sample, or replace the number"
    if read_number(field) is None:
        remedy = "replace it by a number, or drop this column" if field else "fill it, or drop this sample"
    if line == layout.line:
        remedy += " (in a header, every column needs a name that is not a number)"
    expected = "a finite number or a class name" if column == layout.target else "a finite number"
    return layout.place(line, column).error(expected, quoted(field) if field else "an empty field", remedy)
