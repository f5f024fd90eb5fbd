# SPDX-License-Identifier: BSD-3-Clause
"""Files of comma-separated values, one sample on each line."""

import math
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector
from qpkernels.datasets.delimited_layout import Layout, find_layout
from qpkernels.datasets.delimited_records import Record, read_records
from qpkernels.datasets.faults import Fault, quoted
from qpkernels.datasets.number_text import read_number

__all__ = ["read_delimited"]


@dataclass(frozen=True, slots=True)
class _Target:
    line: int
    text: str


def read_delimited(path: Path, target: str | int | None = None) -> tuple[Matrix, NDArray[Any]]:
    """Return the features and the target of a CSV file.

    The first line is a header if no field of it is a number, if it holds the name ``target``, or if only its
    target field is not a number while the targets of all other lines are. (A header whose feature names are
    all numbers cannot be told from a sample where the targets are class names.) Blank lines are skipped.

    Parameters
    ----------
    path
        The file, in UTF-8; ``.gz``, ``.bz2`` and ``.xz`` are decompressed.
    target
        The target column: its name in the header, or its number counted from 1 (also as text). If None, the
        last column.

    Returns
    -------
    X : array of shape (n, d), float64
        Every column but the target, in the file's order.
    y : array of shape (n,)
        float64 if the targets are numbers; text, without the spaces around it, if they are class names.

    Raises
    ------
    DataFormatError
        At the first line with a field too few or too many, or a feature that is empty, not a number, or not
        finite; at a target that is empty, not finite, or a number among class names (or the reverse).
    ParameterError
        If there is no column ``target``, or more than one.
    """
    records = read_records(path)
    first = next(records, None)
    if first is None:
        raise _no_samples().error(path)
    layout = find_layout(path, first, target)
    rows: list[Vector] = []
    targets: list[_Target] = []
    for record in records if layout.has_header else chain([first], records):
        rows.append(_features(path, record, layout))
        targets.append(_Target(record.line, record.fields[layout.target]))
    if not rows:
        raise _no_samples().error(path)
    if not layout.has_header and _first_names_the_target(targets):
        del rows[0], targets[0]
    return np.vstack(rows), _target_array(path, targets, layout)


def _no_samples() -> Fault:
    return Fault(
        line=1,
        column=1,
        expected="at least one sample",
        came="a file without any",
        remedy="check that this is the right file, and that it was written completely",
    )


def _features(path: Path, record: Record, layout: Layout) -> Vector:
    if len(record.fields) != layout.width:
        raise Fault(
            line=record.line,
            column=min(len(record.fields), layout.width) + 1,
            expected=f"{layout.width} fields as on the first line",
            came=f"{len(record.fields)}",
            remedy="add or delete fields, and put quotes around a field that holds a comma",
        ).error(path)
    numbers: list[float] = []
    for column, field in enumerate(record.fields, start=1):
        number = read_number(field)
        is_target = column - 1 == layout.target
        is_class_name = number is None and is_target and field != ""
        if not is_class_name and (number is None or not math.isfinite(number)):
            raise _field_fault(record, column, layout).error(path)
        if number is not None and not is_target:
            numbers.append(number)
    return np.array(numbers, dtype=np.float64)


def _field_fault(record: Record, column: int, layout: Layout) -> Fault:
    field = record.fields[column - 1]
    if not field:
        came, remedy = "an empty field", "fill it, or drop this sample"
    elif read_number(field) is None:
        came, remedy = quoted(field), "replace it by a number, or drop this column"
    else:
        came, remedy = quoted(field), "drop this sample, or replace the number"
    if record.line == layout.first_line and not layout.has_header:
        remedy += " (in a header, every column needs a name that is not a number)"
    is_target = column - 1 == layout.target
    return Fault(
        line=record.line,
        column=column,
        expected="a finite number or a class name" if is_target else "a finite number",
        came=came,
        remedy=remedy,
        column_name=layout.name_of(column),
    )


def _first_names_the_target(targets: list[_Target]) -> bool:
    first, *others = (read_number(target.text) is None for target in targets)
    return bool(others) and first and not any(others)


def _target_array(path: Path, targets: list[_Target], layout: Layout) -> NDArray[Any]:
    numbers = [number for target in targets if (number := read_number(target.text)) is not None]
    if len(numbers) == len(targets):
        return np.array(numbers, dtype=np.float64)
    if not numbers:
        return np.array([target.text for target in targets], dtype=np.str_)
    mostly_numbers = 2 * len(numbers) >= len(targets)
    odd = next(target for target in targets if (read_number(target.text) is None) == mostly_numbers)
    raise Fault(
        line=odd.line,
        column=layout.target + 1,
        expected="a number" if mostly_numbers else "a class name that is not a number",
        came=quoted(odd.text),
        remedy="write the targets of all samples as numbers, or all as text",
        column_name=layout.name_of(layout.target + 1),
    ).error(path)
