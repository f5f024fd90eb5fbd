# SPDX-License-Identifier: BSD-3-Clause
"""Paths of files, the names of array files, and how files are read and written whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from shutil import copymode
from typing import IO, Any

from qpkernels.arrays.numbers import shown
from qpkernels.errors import FileFormatError, ParameterError

__all__ = ["check_path", "check_regular", "npz_path", "read_file", "replacing"]


def check_path(path: object, name: str = "path") -> Path:
    """Return ``path`` as a Path if it is one, or a str.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if not isinstance(path, str | PathLike):
        raise ParameterError(f"{name} must be the path of a file, a str or a Path, but {shown(path)} came.")
    return Path(path)


def npz_path(path: str | Path) -> Path:
    """Return ``path`` with the suffix .npz, which is appended if missing."""
    checked = check_path(path)
    return checked if str(path).endswith(".npz") else Path(f"{path}.npz")


def check_regular(path: Path) -> Path:
    """Return the path unless there is something else there than a file: devices and pipes may never end.

    Raises
    ------
    FileFormatError
        If so.
    """
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a device or a pipe"
        raise FileFormatError(f"{path} must be a regular file, but it is {what}; copy what it gives to a file first.")
    return path


def read_file(path: Path) -> bytes:
    """Return the content of a regular file.

    Raises
    ------
    FileFormatError
        If it is none.
    FileNotFoundError
        If there is nothing.
    """
    return check_regular(path).read_bytes()


@contextmanager
def replacing(path: Path, encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open a file beside ``path`` that takes its place in one step, with its permissions, once all is written.

    What is there stays as it is until then, and if anything fails, such as on a full disk. A link stays one, to the
    new file; to devices and pipes, which hold nothing that could be lost, is written at once.

    Parameters
    ----------
    path
        Where the file is to be.
    encoding
        That of text, whose lines end as they are written; None: the file takes bytes.
    """
    mode, newline = ("wb", None) if encoding is None else ("w", "\n")
    if path.exists() and not path.is_file():
        with path.open(mode, encoding=encoding, newline=newline) as file:
            yield file
        return
    target = path.resolve()
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open(mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            copymode(target, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
