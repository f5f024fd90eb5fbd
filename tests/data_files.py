# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of readers share: files, compressed or not, and the place that an error names."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

from qpkernels.errors import DataFormatError

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def assert_place(error: DataFormatError, path: Path, line: int, column: int) -> None:
    assert (error.line, error.column) == (line, column), str(error)
    assert str(error).startswith(f"{path}, line {line}, column {column}")
    assert ": expected " in str(error)
    assert " came; " in str(error)
