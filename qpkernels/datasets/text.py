# SPDX-License-Identifier: BSD-3-Clause
"""What the readers of text share: compressed files, the spelling of numbers, and errors that name a place."""

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import NamedTuple

from qpkernels.errors import DataFormatError

__all__ = ["CHECK_THE_FILE", "COMPRESSIONS", "Place", "read_bytes", "read_number"]

COMPRESSIONS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
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


def read_bytes(path: Path) -> bytes:
    """Return the file's content, decompressed if its suffix is one of :data:`COMPRESSIONS`."""
    suffix = path.suffix.lower()
    content = path.read_bytes()
    # Apart from reading, for bz2 reports bad data as a plain OSError, as a file without read permission does.
    try:
        return COMPRESSIONS.get(suffix, bytes)(content)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        came, remedy = f"data that do not decompress ({error})", "copy the file again, or rename it if not compressed"
        raise Place(path, 1, 1).error(f"a complete {suffix} file", came, remedy) from error
