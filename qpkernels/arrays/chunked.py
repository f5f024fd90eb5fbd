# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of Dask, which come in blocks of rows; Dask is imported by whoever has made one, and never here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.errors import ShapeError

__all__ = ["by_blocks", "is_dask", "rows_together"]


def is_dask(values: object) -> bool:
    """Return whether ``values`` are an array of Dask."""
    arrays = sys.modules.get("dask.array")
    return arrays is not None and isinstance(values, arrays.Array)


def rows_together(X: Any) -> Any:
    """Return samples of Dask in blocks of whole rows.

    Raises
    ------
    ShapeError
        If they have not two dimensions.
    """
    if X.ndim != 2:
        raise ShapeError(f"X must have two dimensions, samples and features, but its shape is {X.shape}.")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def by_blocks(function: Callable[[Any], Any], X: Any, columns: int | None, dtype: Any) -> NDArray[Any]:
    """Return ``function(X)``: an array of Dask too, of which nothing is computed before it is asked for.

    Parameters
    ----------
    function
        Called with the samples of a block, returns a row, or a number, for each.
    columns
        Numbers of a row; None: a number.
    """
    whole, empty = rows_together(X), np.empty(0 if columns is None else (0, columns), dtype)

    def answered(block: Any) -> Any:
        return function(block) if block.shape[0] else empty

    form: Any = {"drop_axis": 1} if columns is None else {"chunks": (whole.chunks[0], (columns,))}
    values: NDArray[Any] = whole.map_blocks(answered, dtype=empty.dtype, meta=empty, **form)
    return values
