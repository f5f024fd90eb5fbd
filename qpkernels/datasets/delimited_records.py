# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a CSV file, split into fields."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from qpkernels.datasets.compression import read_bytes
from qpkernels.datasets.faults import Fault

__all__ = ["Record", "read_records"]


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one sample, trimmed of white space, and the line it starts on, counted from 1."""

    line: int
    fields: tuple[str, ...]


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a CSV file one by one, without its blank lines.

    Raises
    ------
    DataFormatError
        If the file is not UTF-8, does not decompress, or has an unbalanced quote.
    """
    reader = csv.reader(StringIO(_decoded(path), newline=""), strict=True)
    while True:
        # A quoted field may span lines, so the reader's line number after a record is where it ends.
        line = reader.line_num + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise Fault(
                line=line,
                column=1,
                expected="fields separated by commas, with balanced quotes",
                came=f"a line the CSV reader refuses ({error})",
                remedy='close every quote, and write a quote inside a quoted field as ""',
            ).error(path) from error
        if fields is None:
            return
        if fields:
            yield Record(line, tuple(field.strip() for field in fields))


def _decoded(path: Path) -> str:
    content = read_bytes(path)
    try:
        # The variant with a signature drops the mark that spreadsheets put in front of UTF-8.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        raise Fault(
            line=before.count(b"\n") + 1,
            column=before.rpartition(b"\n")[2].count(b",") + 1,
            expected="text in UTF-8",
            came=f"the byte 0x{content[error.start]:02x}",
            remedy="save the file again in UTF-8",
        ).error(path) from error
