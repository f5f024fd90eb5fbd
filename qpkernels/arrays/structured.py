# SPDX-License-Identifier: BSD-3-Clause
"""Tables: samples whose columns have names, or are of several kinds, in one structured array of NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays.checks import is_sparse, read_array
from qpkernels.arrays.names import first_twice
from qpkernels.errors import ShapeError

__all__ = ["as_table"]


def as_table(X: Any) -> NDArray[Any] | None:
    """Return a table as a structured array: a float64 or text field for each column, by its name; None if it is none.

    Tables are data frames of pandas and polars, structured arrays, and two-dimensional arrays or lists with text in
    them, whose columns are named by their numbers. A column of anything else, or of text with missing values, is left
    out; missing numbers are NaN.

    Raises
    ------
    ShapeError
        If two columns have the same name, or there is none of numbers or text.
    """
    if isinstance(X, np.ndarray) and X.dtype.names and all(map(_is_plain, _dtypes(X))):
        return X
    named = _columns(X)
    if named is None:
        return None
    plain = {name: column for name, values in named if (column := _plain(values)) is not None}
    if not plain:
        raise ShapeError("X must have a column of numbers or text, but it has none; convert its columns first.")
    rows = len(next(iter(plain.values())))
    table = np.empty(rows, dtype=[(name, column.dtype) for name, column in plain.items()])
    for name, column in plain.items():
        table[name] = column
    return table


def _columns(X: Any) -> list[tuple[str, Any]] | None:
    """Return the columns of a table with their names, or None of what is no table."""
    if is_sparse(X):
        return None
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        labels = list(X.columns)
        names = [str(label) for label in labels]
        if (twice := first_twice(names)) is not None:
            raise ShapeError(f"the columns of X must have different names, but {twice!r} came more than once.")
        return [(name, np.asarray(X[label])) for name, label in zip(names, labels, strict=True)]
    array: NDArray[Any] = read_array(X, "X") if isinstance(X, np.ndarray | list | tuple) else np.empty(0)
    if array.dtype.names:
        return [(name, array[name]) for name in array.dtype.names]
    if array.dtype.kind in "OU" and array.ndim == 2 and array.size:
        # A list of rows with text would be text altogether.
        whole = array if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        return [(str(number), whole[:, number]) for number in range(whole.shape[1])]
    return None


def _plain(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return a column as float64 or text, or None."""
    if values.ndim != 1:
        return None
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    if values.dtype.kind == "U":
        return values
    items = values.tolist() if values.dtype.kind == "O" else []
    if items and all(isinstance(item, str) for item in items):
        return np.array(items, dtype=np.str_)
    if items and all(isinstance(item, Real) for item in items):
        return np.array(items, dtype=np.float64)
    return None


def _dtypes(X: NDArray[Any]) -> Iterator[np.dtype[Any]]:
    return (field[0] for field in (X.dtype.fields or {}).values())


def _is_plain(kind: np.dtype[Any]) -> bool:
    return kind == np.float64 or kind.kind == "U"
