# SPDX-License-Identifier: BSD-3-Clause
"""What the readers of text share: compressed files, the spelling of numbers, and errors that name a place."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TextIO

from qpkernels.arrays.paths import check_regular, read_file
from qpkernels.errors import DataFormatError

__all__ = ["CHECK_THE_FILE", "COMPRESSIONS", "Place", "open_text", "read_bytes", "read_number"]

COMPRESSIONS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
_DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
CHECK_THE_FILE = "check that this is the right file, and that it was written completely"


class Place(NamedTuple):
    """A line and a column of a file, both counted from 1; ``name`` is the column's own in a header."""

    path: Path
    line: int
    column: int
    name: str | None = None

    def error(self, expected: str, came: str, remedy: str) -> DataFormatError:
        """Return the exception that says what should stand here, what does, and what to do."""
        place = f"{self.path}, line {self.line}, column {self.column}" + (f" ({self.name!r})" if self.name else "")
        return DataFormatError(f"{place}: expected {expected}, but {came} came; {remedy}.", self.line, self.column)


def read_number(text: str) -> float | None:
    """Return the number that ``text`` spells in decimals, perhaps NaN or infinite, or None if it spells none."""
    # ``float`` alone also takes white space and the digits of every script, and the identifier 1_0 for ten.
    if "_" in text or not text.isascii() or text != text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        return None


_OPENERS: dict[str, Callable[..., TextIO]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a file for reading line by line, decompressed if its suffix is one of :data:`COMPRESSIONS`."""
    suffix = path.suffix.lower()
    # The variant with a signature drops the mark that spreadsheets put in front of UTF-8.
    with _OPENERS.get(suffix, open)(check_regular(path), "rt", encoding="utf-8-sig", newline="") as lines:
        try:
            yield lines
        except _DAMAGED as error:
            if suffix not in COMPRESSIONS or isinstance(error, UnicodeDecodeError):
                raise
            raise _does_not_decompress(path, error) from error


def _does_not_decompress(path: Path, error: Exception) -> DataFormatError:
    came, remedy = f"data that do not decompress ({error})", "copy the file again, or rename it if not compressed"
    return Place(path, 1, 1).error(f"a complete {path.suffix.lower()} file", came, remedy)


def read_bytes(path: Path) -> bytes:
    """Return the file's content, decompressed if its suffix is one of :data:`COMPRESSIONS`."""
    suffix = path.suffix.lower()
    content = read_file(path)
    # Apart from reading, for bz2 reports bad data as a plain OSError, as a file without read permission does.
    try:
        return COMPRESSIONS.get(suffix, bytes)(content)
    except _DAMAGED as error:
        raise _does_not_decompress(path, error) from error
