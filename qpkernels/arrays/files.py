# SPDX-License-Identifier: BSD-3-Clause
"""Files: read and written whole, archives whose sizes are checked first, and what readers of text share.

Text may be compressed, numbers are spelt in one way, and errors name a place.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import os
import zlib
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from pathlib import Path
from shutil import copymode
from typing import IO, Any, NamedTuple, TextIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from qpkernels.arrays.arguments import shown
from qpkernels.arrays.checks import is_compressed
from qpkernels.errors import DataFormatError, FileFormatError, ParameterError, UnsupportedProgramError

__all__ = [
    "CHECK_THE_FILE",
    "COMPRESSIONS",
    "LARGEST_BYTES",
    "PlaceInFile",
    "check_compressed",
    "check_path",
    "check_regular",
    "check_size",
    "load_arrays",
    "npz_path",
    "open_text",
    "parsing",
    "read_bytes",
    "read_file",
    "read_number",
    "replacing",
    "sized",
]


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

    An existing file stays as it is until then, and if anything fails, such as on a full disk. A link stays one, to the
    new file; to devices and pipes, which hold nothing that could be lost, is written at once.

    Parameters
    ----------
    path
        Where the file is to be.
    encoding
        That of text, whose lines end as they are written; None: the file takes bytes.

    Raises
    ------
    FileNotFoundError
        If its folder does not exist.
    """
    mode, newline = ("wb", None) if encoding is None else ("w", "\n")
    if path.exists() and not path.is_file():
        with path.open(mode, encoding=encoding, newline=newline) as file:
            yield file
        return
    target = path.resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} for {target.name}; make the folder first.")
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


_MOST_ARRAYS = 1000
LARGEST_BYTES = 2**33
"""The memory that all arrays of one file may take together."""

_LARGEST_EXPANSION = 1032
"""A byte of a deflated stream expands to no more than this."""


@contextmanager
def parsing(path: str | Path, what: str) -> Iterator[None]:
    """Turn whatever a parser raises on bytes that it cannot read into a FileFormatError.

    Parameters
    ----------
    path, what
        The file, and what it should be ("a program in JSON"), for the message.
    """
    try:
        yield
    except (FileFormatError, UnsupportedProgramError):
        raise
    # Parsers of other libraries answer damaged bytes with exceptions of every type, MemoryError among them.
    except Exception as error:
        raise FileFormatError(
            f"{path} must be {what}, but it cannot be read as that ({type(error).__name__}: {error}); "
            "check that this is the right file, and that it was written completely."
        ) from error


def load_arrays(path: str | Path, what: str, names: Container[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a .npz file by name. Nothing is unpickled, so that a file from elsewhere cannot run code.

    If ``names`` are given, only those arrays are read. Shapes are compared with the sizes of the members, and those
    with what their compressed bytes can hold, before anything is allocated: memory stays within 1032 times the size of
    the file, and within 8 GiB.

    Raises
    ------
    FileFormatError
        If the file is no such archive, is damaged, or holds objects.
    FileNotFoundError
        If there is none; where only its suffix is missing, with the name of the one that there is.
    """
    file = check_path(path)
    if not file.exists() and (whole := npz_path(path)).exists():
        raise FileNotFoundError(f"there is no file {path}, but there is {whole}; pass that name.")
    content = read_file(file)
    with parsing(path, what), ZipFile(BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) > _MOST_ARRAYS:
            raise ValueError(f"it holds {len(members)} members")
        found = {member.filename.removesuffix(".npy"): member for member in members}
        wanted = {name: member for name, member in found.items() if names is None or name in names}
        check_size(path, sum(member.file_size for member in wanted.values()))
        return {name: _load_array(archive, member) for name, member in wanted.items()}


def check_size(path: str | Path, size: int) -> None:
    """Refuse to read arrays of that many bytes if they are more than a file may have.

    Raises
    ------
    FileFormatError
        If so.
    """
    if size > LARGEST_BYTES:
        raise FileFormatError(
            f"the arrays of a file may take {LARGEST_BYTES / 2**30:g} GiB, but those of {path} claim "
            f"{size / 2**30:.3g} GiB; if you need so many, keep a program sparse, in .mat or .json, and samples in a "
            'file of numpy.save, which numpy.load(path, mmap_mode="r") maps.'
        )


def check_compressed(starts: NDArray[Any], indices: NDArray[Any], values: NDArray[Any], shape: tuple[int, int]) -> None:
    """Refuse the parts of a compressed sparse matrix unless every index lies within it.

    Parameters
    ----------
    starts, indices, values
        ``indptr``, ``indices`` and ``data``.
    shape
        The size of the compressed dimension (columns in a csc_array), then that of the other.

    Raises
    ------
    FileFormatError
        If they are no such matrix.
    """
    real = values.ndim == 1 and values.dtype.kind in "biuf"
    if not (real and is_compressed(starts, indices, values, shape)):
        raise FileFormatError(
            f"the indices of a sparse matrix with {shape[0]} x {shape[1]} entries must lie within it, and its starts "
            "ascend from 0 to their number; check that the file was written completely."
        )


def sized(values: NDArray[Any], name: str, *shape: int | None) -> NDArray[np.float64]:
    """Return an array of real numbers of that shape, None for a free length, as float64.

    Raises
    ------
    FileFormatError
        If it is none.
    """
    fits = values.ndim == len(shape) and all(
        size in (None, length) for size, length in zip(shape, values.shape, strict=True)
    )
    if not fits or values.dtype.kind not in "biuf":
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise FileFormatError(
            f"{name} must be real numbers of shape ({wanted}), but {values.dtype} of shape {values.shape} came; "
            "write the file anew."
        )
    return np.asarray(values, dtype=np.float64)


def _load_array(archive: ZipFile, member: ZipInfo) -> NDArray[Any]:
    name, declared = member.filename, member.file_size
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or declared > _LARGEST_EXPANSION * member.compress_size:
        raise ValueError(f"{name} claims {declared} bytes out of {member.compress_size}")
    with archive.open(member) as stream:
        version = npy.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"{name} is of version {version}")
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read_header(stream)
        if dtype.hasobject:
            raise ValueError(
                f"{name} holds Python objects, which are not unpickled; save .astype(float), or text as .astype(str)"
            )
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != declared - stream.tell():
            raise ValueError(f"{name} has shape {shape} of {dtype}, but {declared - stream.tell()} bytes")
    with archive.open(member) as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    return array


COMPRESSIONS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
_DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
CHECK_THE_FILE = "check that this is the right file, and that it was written completely"


class PlaceInFile(NamedTuple):
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
    return PlaceInFile(path, 1, 1).error(f"a complete {path.suffix.lower()} file", came, remedy)


def read_bytes(path: Path) -> bytes:
    """Return the file's content, decompressed if its suffix is one of :data:`COMPRESSIONS`."""
    suffix = path.suffix.lower()
    content = read_file(path)
    # Apart from reading, for bz2 reports bad data as a plain OSError, as a file without read permission does.
    try:
        return COMPRESSIONS.get(suffix, bytes)(content)
    except _DAMAGED as error:
        raise _does_not_decompress(path, error) from error
