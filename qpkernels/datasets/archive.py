# SPDX-License-Identifier: BSD-3-Clause
"""NumPy archives that hold a data set as the arrays ``X`` and ``y``."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from qpkernels.arrays.archives import load_arrays
from qpkernels.errors import FileFormatError, ShapeError

__all__ = ["read_archive"]

_SAVE = "save it with numpy.savez(path, X=X, y=y)"


def read_archive(path: Path) -> list[NDArray[Any]]:
    """Return X and y of an npz file, whose sizes are checked first; other arrays of it are left alone."""
    found = load_arrays(path, "an npz archive of numbers X and of numbers or text y", ("X", "y"))
    if missing := " and ".join(key for key in ("X", "y") if key not in found):
        raise FileFormatError(f"{path} must hold the arrays X and y, but it lacks {missing}; {_SAVE}.")
    if (kind := found["X"].dtype).kind not in "fiub":
        raise ShapeError(f"{path}: X must hold real numbers, but its type is {kind}; save X.astype(float) instead.")
    return [found["X"], found["y"]]
