# SPDX-License-Identifier: BSD-3-Clause
"""Samples that come in tables, whose columns have names or are of several kinds, or in blocks of Dask."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Set
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays.checks import is_sparse, read_array
from qpkernels.errors import FeatureNamesError, ShapeError

__all__ = [
    "FeatureNames",
    "as_table",
    "by_blocks",
    "check_feature_names",
    "feature_names",
    "first_twice",
    "is_dask",
    "rows_together",
]

FeatureNames: TypeAlias = tuple[str, ...] | None
"""The names of the columns in their order; None of samples without names."""

_SHOWN = 5


def feature_names(X: object) -> FeatureNames:
    """Return the names of the columns of a data frame, if all are text; None of anything else."""
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns):
        return None
    names = tuple(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def first_twice(names: Iterable[str]) -> str | None:
    """Return the first name that came before, or None if all differ."""
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return None


def check_feature_names(X: object, known: FeatureNames, taken: Set[str] | None = None) -> None:
    """Refuse a table whose columns are not those of the fit in their order; arrays have no names, and pass.

    Parameters
    ----------
    X, known
        The table, and the columns of the fit.
    taken
        The columns that are looked up by their names, if all are: only they must be there, in any order.

    Raises
    ------
    FeatureNamesError
        With the columns that are missing, or unknown, or that all are there in another order.
    """
    names = feature_names(X)
    if known is None or names is None or names == known:
        return
    there, fitted = frozenset(names), frozenset(known)
    if taken is not None:
        absent = [name for name in known if name in taken and name not in there]
        if absent:
            raise FeatureNamesError(
                f"the kernel takes the columns {_listed([name for name in known if name in taken])} by their names, "
                f"but X has no {_listed(absent)}; its columns are {_listed(names)}."
            )
        return
    unknown, missing = [name for name in names if name not in fitted], [name for name in known if name not in there]
    if not unknown and not missing and len(names) == len(known):
        raise FeatureNamesError(
            f"the columns of X must come in the order of the fit, {_listed(known)}, but they are {_listed(names)}; "
            f"pass X[{list(known[:_SHOWN])}{'' if len(known) <= _SHOWN else ' + ...'}]."
        )
    said = [f"{word} {_listed(found)}" for word, found in (("unknown:", unknown), ("missing:", missing)) if found]
    raise FeatureNamesError(
        f"the columns of X must be those of the fit, {_listed(known)}, but they are {_listed(names)} "
        f"({'; '.join(said) or 'some come twice'}); select the columns of the fit."
    )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f", ... ({len(names)} in all)" if len(names) > _SHOWN else "")


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
