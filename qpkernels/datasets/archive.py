# SPDX-License-Identifier: BSD-3-Clause
"""NumPy archives that hold a data set as the arrays ``X`` and ``y``."""

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, is_zipfile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from qpkernels.errors import FileFormatError, ShapeError

__all__ = ["read_archive"]

_SAVE = "save it with numpy.savez(path, X=X, y=y)"


def read_archive(path: Path) -> list[NDArray[Any]]:
    """Return X and y of an npz file. Nothing is unpickled, so that a file from elsewhere cannot run code."""
    arrays = []
    with path.open("rb") as file:
        came = "it holds a single array"
        try:
            archive = np.load(file, allow_pickle=False)
        except (BadZipFile, EOFError, ValueError) as error:
            # NumPy takes what is no archive for pickled objects, and advises to load them.
            said = "" if not is_zipfile(path) else f" ({error})"
            came, archive = f"its content is something else{said}", None
        if not isinstance(archive, NpzFile):
            raise FileFormatError(
                f"{path} must be an npz archive, but {came}; {_SAVE}, or give the file another suffix."
            )
        if missing := " and ".join(key for key in ("X", "y") if key not in archive):
            came = f"it lacks {missing} and holds {', '.join(archive) or 'nothing'}"
            raise FileFormatError(f"{path} must hold the arrays X and y, but {came}; {_SAVE}.")
        for key, also, remedy in ("X", "", ""), ("y", " or text", " or y.astype(str)"):
            try:
                arrays.append(archive[key])
            except (BadZipFile, EOFError, MemoryError, ValueError, zlib.error) as error:
                why = "Python objects are not unpickled" if "pickle" in str(error) else str(error)
                came, remedy = f"it cannot be read ({why})", f"save {key}.astype(float){remedy} again"
                raise FileFormatError(
                    f"{path}: {key} must be an array of real numbers{also}, but {came}; {remedy}."
                ) from error
    if (kind := arrays[0].dtype).kind not in "fiub":
        raise ShapeError(f"{path}: X must hold real numbers, but its type is {kind}; save X.astype(float) instead.")
    return arrays
