# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that stay in a file, mapped to memory."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MappedRows", "is_mapped"]


class MappedRows:
    """Rows that are written to a temporary file block by block, and then are a matrix mapped from it.

    The file has no name, and its space is free again once nobody has the matrix.
    """

    def __init__(self) -> None:
        # It is closed when the matrix maps it.
        self._file: Any = TemporaryFile()  # noqa: SIM115
        self._width = 0

    def append(self, block: NDArray[np.float64]) -> None:
        """Write a block, shape (rows, features)."""
        self._width = block.shape[1]
        self._file.write(np.ascontiguousarray(block).tobytes())

    def matrix(self) -> NDArray[np.float64]:
        """Return them all, read-only."""
        with self._file as file:
            file.flush()
            return np.memmap(file, np.float64, "r").reshape(-1, self._width)


def is_mapped(values: object) -> bool:
    """Return whether ``values`` are rows of float64 in a file that is mapped to memory to be read only."""
    if not isinstance(values, np.ndarray) or values.dtype != np.dtype(np.float64) or not values.flags.c_contiguous:
        return False
    whole: Any = values
    while isinstance(whole, np.ndarray) and not isinstance(whole, np.memmap):
        whole = whole.base
    return isinstance(whole, np.memmap) and not whole.flags.writeable
