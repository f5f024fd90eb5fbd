# SPDX-License-Identifier: BSD-3-Clause
"""What tells arrays from others: a digest of their entries, types and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays.checks import row_blocks
from qpkernels.arrays.sparse import is_sparse

__all__ = ["add_array", "add_samples"]


def add_array(digest: Any, array: NDArray[Any]) -> None:
    """Add an array to a digest of hashlib, by blocks of rows; of objects, what they show of themselves."""
    digest.update(f"{array.dtype.str}{array.shape}".encode())
    if array.dtype == object:
        digest.update(repr(array.tolist()).encode())
    elif array.ndim == 0:
        digest.update(array.tobytes())
    else:
        for rows in row_blocks(len(array), array[:1].size):
            digest.update(np.ascontiguousarray(array[rows]).tobytes())


def add_samples(digest: Any, X: Any) -> None:
    """Add samples to a digest of hashlib, dense or sparse."""
    for array in [X.data, X.indices, X.indptr, np.array(X.shape)] if is_sparse(X) else [X]:
        add_array(digest, array)
