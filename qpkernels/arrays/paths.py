# SPDX-License-Identifier: BSD-3-Clause
"""Paths of files, and the names of array files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from qpkernels.arrays.numbers import shown
from qpkernels.errors import ParameterError

__all__ = ["check_path", "npz_path"]


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
