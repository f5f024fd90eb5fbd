# SPDX-License-Identifier: BSD-3-Clause
"""NumPy archives that hold a data set as the arrays ``X`` and ``y``."""

import zlib
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from qpkernels.datasets.dataset import Dataset
from qpkernels.errors import NonFiniteError, ShapeError

__all__ = ["read_archive"]


def read_archive(path: Path, name: str) -> Dataset:
    """Return the data set in a file written by ``numpy.savez(path, X=X, y=y)``.

    Nothing is unpickled, so that a file from elsewhere cannot run code.

    Parameters
    ----------
    path
        The file. ``X`` has shape (n, d) and holds real numbers; ``y`` has shape (n,) and holds numbers or
        text.
    name
        The data set's name.

    Raises
    ------
    ShapeError
        If the file is no such archive, lacks ``X`` or ``y``, holds Python objects, or the shapes disagree.
    NonFiniteError
        If ``X`` or ``y`` holds NaN or infinity.
    """
    X, y = _arrays(path)
    if X.dtype.kind not in "fiub":
        raise ShapeError(f"{path}: X must hold real numbers, but its type is {X.dtype}; save X.astype(float) instead.")
    try:
        return Dataset(name, X, y)
    except (NonFiniteError, ShapeError) as error:
        raise type(error)(f"{path}: {error}") from error


def _arrays(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        archive = np.load(BytesIO(path.read_bytes()), allow_pickle=False)
    except (BadZipFile, EOFError, ValueError) as error:
        raise _not_an_archive(path, f"its content is something else ({error})") from error
    if not isinstance(archive, NpzFile):
        raise _not_an_archive(path, "it holds a single array")
    missing = [key for key in ("X", "y") if key not in archive]
    if missing:
        raise ShapeError(
            f"{path} must hold the arrays X and y, but it lacks {' and '.join(missing)} and holds "
            f"{', '.join(archive) or 'nothing'}; save it with numpy.savez(path, X=X, y=y)."
        )
    return _member(path, archive, "X"), _member(path, archive, "y")


def _member(path: Path, archive: NpzFile, key: str) -> NDArray[Any]:
    try:
        return np.asarray(archive[key])
    except (BadZipFile, EOFError, ValueError, zlib.error) as error:
        expected, remedy = "real numbers", "X.astype(float)"
        if key == "y":
            expected, remedy = "real numbers or text", "y.astype(float) or y.astype(str)"
        raise ShapeError(
            f"{path}: {key} must be an array of {expected}, but it cannot be read ({error}); save {remedy} again."
        ) from error


def _not_an_archive(path: Path, came: str) -> ShapeError:
    return ShapeError(
        f"{path} must be an npz archive, but {came}; save it with numpy.savez(path, X=X, y=y), or give a "
        "file of another format the suffix of that format."
    )
