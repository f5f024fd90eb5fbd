# SPDX-License-Identifier: BSD-3-Clause
"""Files that may be compressed."""

import bz2
import gzip
import lzma
import zlib
from pathlib import Path

from qpkernels.datasets.faults import Fault

__all__ = ["name_without_compression", "read_bytes"]

_DECOMPRESS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}


def name_without_compression(path: Path) -> str:
    """Return the file's name without ``.gz``, ``.bz2`` or ``.xz``."""
    return path.stem if path.suffix.lower() in _DECOMPRESS else path.name


def read_bytes(path: Path) -> bytes:
    """Return the file's content, decompressed if its suffix is ``.gz``, ``.bz2`` or ``.xz``.

    Raises
    ------
    DataFormatError
        If the content does not decompress. No line can be named then; line 1, column 1 is given.
    OSError
        If the file cannot be read.
    """
    suffix = path.suffix.lower()
    content = path.read_bytes()
    if suffix not in _DECOMPRESS:
        return content
    # Decompression is kept apart from reading: bz2 reports bad data as a plain OSError, which is also what a
    # file without read permission raises.
    try:
        return _DECOMPRESS[suffix](content)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise Fault(
            line=1,
            column=1,
            expected=f"a complete {suffix} file",
            came=f"data that do not decompress ({error})",
            remedy="copy the file again, or rename it if it is not compressed",
        ).error(path) from error
