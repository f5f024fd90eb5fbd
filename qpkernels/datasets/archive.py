# SPDX-License-Identifier: BSD-3-Clause
"""NumPy archives that hold a data set as the arrays ``X`` and ``y``."""

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from qpkernels.errors import ShapeError

__all__ = ["read_archive"]

_SAVE = "save it with numpy.savez(path, X=X, y=y)"


def read_archive(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return X, of real numbers, and y of a file written by ``numpy.savez(path, X=X, y=y)``.

    Nothing is unpickled, so that a file from elsewhere cannot run code.
    """
    with path.open("rb") as file:
        try:
            archive = np.load(file, allow_pickle=False)
        except (BadZipFile, EOFError, ValueError) as error:
            raise _no_archive(path, f"its content is something else ({error})") from error
        if not isinstance(archive, NpzFile):
            raise _no_archive(path, "it holds a single array")
        if missing := " and ".join(key for key in ("X", "y") if key not in archive):
            came = f"it lacks {missing} and holds {', '.join(archive) or 'nothing'}"
            raise ShapeError(f"{path} must hold the arrays X and y, but {came}; {_SAVE}.")
        X = _member(path, archive, "X", "real numbers", "X.astype(float)")
        y = _member(path, archive, "y", "real numbers or text", "y.astype(float) or y.astype(str)")
    if X.dtype.kind not in "fiub":
        raise ShapeError(f"{path}: X must hold real numbers, but its type is {X.dtype}; save X.astype(float) instead.")
    return X, y


def _member(path: Path, archive: NpzFile, key: str, expected: str, remedy: str) -> NDArray[Any]:
    try:
        return np.asarray(archive[key])
    except (BadZipFile, EOFError, ValueError, zlib.error) as error:
        came = f"it cannot be read ({error})"
        raise ShapeError(f"{path}: {key} must be an array of {expected}, but {came}; save {remedy} again.") from error


def _no_archive(path: Path, came: str) -> ShapeError:
    remedy = f"{_SAVE}, or give a file of another format the suffix of that format"
    return ShapeError(f"{path} must be an npz archive, but {came}; {remedy}.")
