# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices as they come: whether their arrays are one is settled before compiled code follows the indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from qpkernels.errors import ShapeError

__all__ = ["float_sparse", "is_compressed", "is_sparse"]

is_sparse: Callable[[object], bool] = issparse
"""Whether values are a sparse matrix in any format of SciPy."""


def float_sparse(matrix: Any, name: str, make: Callable[[Any], Any]) -> Any:
    """Return a copy of a sparse matrix in float64, in the format that ``make`` makes, duplicates of entries added up.

    Entries may be NaN or infinite.

    Raises
    ------
    ShapeError
        If it holds no real numbers, or its indices are not within its shape.
    """
    if matrix.dtype.kind not in "biuf":
        raise ShapeError(f"{name} must hold real numbers, but {matrix.dtype} came; convert it first.")
    # In float64 before anything is added up: small integers would overflow.
    copied = make(matrix.astype(np.float64)) if _lies_within(matrix) else None
    if copied is None or not _lies_within(copied):
        raise ShapeError(
            f"{name} is no valid sparse matrix: its indices, or where its rows start, are not within its shape "
            f"{matrix.shape}; build it anew from its entries."
        )
    copied.sum_duplicates()
    return copied


def is_compressed(starts: NDArray[Any], indices: NDArray[Any], values: NDArray[Any], shape: tuple[int, int]) -> bool:
    """Return whether these are a compressed sparse matrix: starts that ascend from 0 to its size, indices within it.

    SciPy's own full check passes over a matrix whose last start is 0, whatever the others are, and its compiled code
    then writes out of bounds.

    Parameters
    ----------
    starts, indices, values
        ``indptr``, ``indices`` and ``data``.
    shape
        The size of the compressed dimension (columns in a csc_array), then that of the other.
    """
    return (
        all(part.ndim == 1 and part.dtype.kind in "iu" for part in (starts, indices))
        and starts.size == shape[0] + 1
        and starts[0] == 0
        and bool((starts[1:] >= starts[:-1]).all())
        and starts[-1] == indices.size == len(values)
        and _within(indices, shape[1])
    )


def _lies_within(matrix: Any) -> bool:
    """Return whether a sparse matrix of SciPy has all its entries within its shape; room behind them does not count."""
    rows, columns = matrix.shape
    match matrix.format:
        case "csr" | "csc" | "bsr":
            height, width = matrix.data.shape[1:] if matrix.format == "bsr" else (1, 1)
            shape = (columns, rows) if matrix.format == "csc" else (rows // height, columns // width)
            end = int(matrix.indptr[-1])
            return is_compressed(matrix.indptr, matrix.indices[:end], matrix.data[:end], shape)
        case "coo":
            sizes = {matrix.data.size, *(places.size for places in matrix.coords)}
            return len(sizes) == 1 and all(map(_within, matrix.coords, matrix.shape))
        case _:
            return True


def _within(places: NDArray[Any], size: int) -> bool:
    return places.size == 0 or (int(places.min()) >= 0 and int(places.max()) < size)
