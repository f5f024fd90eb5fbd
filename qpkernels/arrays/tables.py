# SPDX-License-Identifier: BSD-3-Clause
"""Tables, as of pandas or polars, and text where numbers are wanted."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays.numbers import shown
from qpkernels.errors import ShapeError

__all__ = ["refuse_columns", "text_in"]


def refuse_columns(values: object, name: str) -> None:
    """Refuse a table, as of pandas or polars, with a column that holds something else than numbers.

    Raises
    ------
    ShapeError
        With the name of the first such column.
    """
    table: Any = values
    labels: Any = getattr(values, "columns", None)
    if labels is None or not hasattr(values, "__getitem__"):
        return
    for label in labels:
        try:
            column = np.asarray(table[label])
        except Exception:
            # What only looks like a table is judged as a whole.
            return
        numbers = column.dtype.kind == "O" and all(isinstance(entry, Real) for entry in column.ravel())
        if not (column.dtype.kind in "biuf" or numbers):
            what = "text" if text_in(column) is not None else str(column.dtype)
            raise ShapeError(
                f"{name} must hold real numbers, but its column {shown(label)} holds {what}; encode it as numbers, as "
                "sklearn.preprocessing.OneHotEncoder does, or leave it out."
            )


def text_in(array: NDArray[Any]) -> str | bytes | None:
    """Return the first text among the entries, or None if there is none."""
    if array.dtype.kind not in "OSU":
        return None
    return next((entry for entry in array.ravel().tolist() if isinstance(entry, str | bytes)), None)
