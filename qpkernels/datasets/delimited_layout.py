# SPDX-License-Identifier: BSD-3-Clause
"""What the first line of a CSV file says about its columns."""

from dataclasses import dataclass
from pathlib import Path

from qpkernels.datasets.delimited_records import Record
from qpkernels.datasets.faults import Fault
from qpkernels.datasets.number_text import read_number
from qpkernels.errors import ParameterError

__all__ = ["Layout", "find_layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a CSV file.

    Attributes
    ----------
    width
        How many columns there are, at least 2.
    target
        Position of the target column, counted from 0.
    names
        The header, or None if the first line is a sample.
    first_line
        Number of the first line that is not blank, counted from 1.
    """

    width: int
    target: int
    names: tuple[str, ...] | None
    first_line: int

    @property
    def has_header(self) -> bool:
        """Whether the first line is known to be a header."""
        return self.names is not None

    def name_of(self, column: int) -> str | None:
        """Return the header's name of a column counted from 1, or None without a header."""
        return None if self.names is None else self.names[column - 1]


def find_layout(path: Path, first: Record, target: str | int | None) -> Layout:
    """Return the layout that the first line and the caller's choice of ``target`` imply.

    A first line without any number is a header, and so is one that holds the name ``target``. Mixed lines are
    taken for samples: a sample with a slip in it should be refused, not dropped as a header.

    Raises
    ------
    DataFormatError
        If there are fewer than two columns.
    ParameterError
        If there is no column ``target``, or more than one.
    """
    names = first.fields
    if len(names) < 2:
        raise Fault(
            line=first.line,
            column=1,
            expected="at least two fields separated by commas, a feature and the target",
            came="one field",
            remedy="replace other separators (semicolons, tabs) by commas",
        ).error(path)
    only_text = all(name and read_number(name) is None for name in names)
    position, by_name = _find_target(path, names, target, only_text)
    return Layout(len(names), position, names if only_text or by_name else None, first.line)


def _find_target(path: Path, names: tuple[str, ...], target: str | int | None, only_text: bool) -> tuple[int, bool]:
    if target is None:
        return len(names) - 1, False
    came = repr(target)
    # Digits are a column's number even where the first line holds the same digits, which then are data.
    if not isinstance(target, str) or (target.isascii() and target.isdigit()):
        if 1 <= int(target) <= len(names):
            return int(target) - 1, False
    elif names.count(target) == 1:
        return names.index(target), True
    elif target in names:
        came += f", the name of {names.count(target)} columns,"
    choices = f"a number from 1 to {len(names)}"
    if only_text:
        choices += f" or one of the names {', '.join(map(repr, names))}"
    raise ParameterError(
        f"The target column of {path} must be {choices}, but {came} came; name a column there is, or give its number."
    )
