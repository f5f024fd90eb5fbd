# SPDX-License-Identifier: BSD-3-Clause
"""The first thing wrong with a data file, and the error that reports it."""

from dataclasses import dataclass
from pathlib import Path

from qpkernels.errors import DataFormatError

__all__ = ["Fault", "quoted"]

_LONGEST_QUOTE = 40


@dataclass(frozen=True, slots=True)
class Fault:
    """One malformed place in a text file.

    Attributes
    ----------
    line, column
        Where, both counted from 1.
    expected, came, remedy
        The three parts of the message: what should stand there, what does, and what to do.
    column_name
        The column's name in the header, if there is one.
    """

    line: int
    column: int
    expected: str
    came: str
    remedy: str
    column_name: str | None = None

    def error(self, path: Path) -> DataFormatError:
        """Return the exception that reports this fault of the file ``path``."""
        named = f" ({self.column_name!r})" if self.column_name else ""
        return DataFormatError(
            f"{path}, line {self.line}, column {self.column}{named}: expected {self.expected}, "
            f"but {self.came} came; {self.remedy}.",
            line=self.line,
            column=self.column,
        )


def quoted(token: str) -> str:
    """Return ``token`` in quotes, cut to a length that fits a message."""
    return repr(token if len(token) <= _LONGEST_QUOTE else token[:_LONGEST_QUOTE] + "...")
