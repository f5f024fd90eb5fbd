# SPDX-License-Identifier: BSD-3-Clause
"""Files from elsewhere: what a parser raises on damaged bytes, and .npz archives whose sizes are checked first."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from qpkernels.arrays.paths import check_path, npz_path, read_file
from qpkernels.arrays.sparse import is_compressed
from qpkernels.errors import FileFormatError, UnsupportedProgramError

__all__ = ["LARGEST_BYTES", "check_compressed", "check_size", "load_arrays", "parsing", "sized"]

_MOST_ARRAYS = 1000
LARGEST_BYTES = 2**33
"""What the arrays of one file may take in memory together."""

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

    Of ``names``, if they are given, those that there are, and of others nothing is read. Shapes are compared with the
    sizes of the members, and those with what their compressed bytes can hold, before anything is allocated: memory
    stays within 1032 times the size of the file, and within 8 GiB.

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
            f"{size / 2**30:.3g} GiB; if they are meant, keep a program sparse, in .mat or .json, and samples in a "
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
