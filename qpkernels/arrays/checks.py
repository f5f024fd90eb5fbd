# SPDX-License-Identifier: BSD-3-Clause
"""Array types of the project, and the checks and blocks of rows that every entry point shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from tempfile import TemporaryFile
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from qpkernels.arrays.arguments import shown
from qpkernels.errors import NonFiniteError, ShapeError

__all__ = [
    "MOST_FEATURES",
    "Floats",
    "Indices",
    "MappedRows",
    "Matrix",
    "Samples",
    "Vector",
    "add_array",
    "add_samples",
    "finite_matrix",
    "finite_rows",
    "finite_samples",
    "finite_vector",
    "finite_view",
    "float_array",
    "float_sparse",
    "float_vector",
    "frozen",
    "is_compressed",
    "is_mapped",
    "is_scalar",
    "is_sparse",
    "read_array",
    "refuse_columns",
    "row_blocks",
    "same_entries",
    "text_in",
]

is_sparse: Callable[[object], bool] = issparse
"""Whether values are a sparse matrix in any format of SciPy."""


def float_sparse(matrix: Any, name: str, make: Callable[[Any], Any]) -> Any:
    """Return a copy of a sparse matrix in float64, in the format that ``make`` makes, duplicates of entries added up.

    Entries may be NaN or infinite.

    Raises
    ------
    ShapeError
        If it does not hold real numbers, or if its indices are not within its shape.
    """
    if matrix.dtype.kind not in "biuf":
        raise ShapeError(f"{name} must hold real numbers, but {matrix.dtype} came; convert it first.")
    # In float64 before anything is added up: small integers would overflow.
    copied = make(matrix.astype(np.float64)) if _lies_within(matrix) else None
    if copied is None or (copied.format != matrix.format and not _lies_within(copied)):
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


def refuse_columns(values: object, name: str) -> None:
    """Refuse a table, such as one of pandas or polars, with a column that does not hold numbers.

    Raises
    ------
    ShapeError
        If there is such a column; the message names the first one.
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


class MappedRows:
    """Rows that are written to a temporary file block by block and then mapped from it as a matrix.

    The file has no name, and its space is free again once the matrix is no longer used.
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


Vector: TypeAlias = NDArray[np.float64]
"""One-dimensional float64 array."""

Matrix: TypeAlias = NDArray[np.float64]
"""Two-dimensional float64 array; samples are rows."""

Indices: TypeAlias = NDArray[np.intp]
"""One-dimensional array of sample numbers."""

Floats: TypeAlias = NDArray[Any]
"""Array of float32 or float64, as compiled loops take either."""


Samples: TypeAlias = Any
"""Validated samples in the container a kernel works on, its rows taken by ``X[rows]``: an array, or a SciPy csr_array.

Their number is ``X.shape[0]``; a csr_array has no ``len``.
"""

Container = TypeVar("Container")

MOST_FEATURES = 2**30
"""Samples have no more features, however sparse they are: a vector with an entry for each takes 8 GiB."""

_BLOCK_BYTES = 2**26

_FEW = 2**14
"""Entries that are looked at one by one in less time than it takes to have an overflow of their sum ignored."""


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices of ``range(rows)`` such that a block of float64 rows of that many columns stays within 64 MiB."""
    step = max(1, _BLOCK_BYTES // (8 * max(1, columns)))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def finite_matrix(values: object, name: str) -> Matrix:
    """Return ``values`` as a two-dimensional float64 array of finite numbers.

    Raises
    ------
    ShapeError
        If it is sparse, not two-dimensional, or empty.
    NonFiniteError
        If it holds NaN or infinity; the message names the first such entry.
    """
    return _finite(float_array(values, name), name)


def _finite(matrix: Matrix, name: str) -> Matrix:
    _check_shape(matrix.shape, name)
    _check_finite(matrix, name)
    return matrix


def finite_samples(values: ArrayLike, name: str) -> Samples:
    """Return a copy of ``values`` as a float64 matrix of finite numbers: a csr_array if it is sparse, in any format.

    A csr_array has its entries sorted and duplicates of them added up; zeros that are stored stay so. An array that
    ``numpy.load(path, mmap_mode="r")`` maps from a file of float64 is not copied: it stays there, and must not change.

    Raises
    ------
    ShapeError
        If it is not a nonempty two-dimensional matrix of real numbers, or if it has more than 2^30 features.
    NonFiniteError
        If it holds NaN or infinity; the message names the first such entry.
    """
    if not is_sparse(values):
        return _finite(np.asarray(values) if is_mapped(values) else float_array(values, name), name)
    matrix: Any = values
    _check_shape(matrix.shape, name)
    if (features := matrix.shape[1]) > MOST_FEATURES:
        raise ShapeError(
            f"{name} may have {MOST_FEATURES} features, but it has {features}, and a vector of so many takes "
            f"{8 * features / 2**30:.3g} GiB; leave out the columns without entries, or hash to fewer."
        )
    rows = float_sparse(values, name, csr_array)
    finite = np.isfinite(rows.data)
    if not finite.all():
        first = int(np.argmin(finite))
        row = int(np.searchsorted(rows.indptr, first, side="right")) - 1
        raise _non_finite(name, f"{row}, {rows.indices[first]}", rows.data[first], int((~finite).sum()))
    return rows


def finite_vector(values: object, name: str, length: int | None = None) -> Vector:
    """Return ``values`` as a one-dimensional float64 array of finite numbers; a scalar is repeated ``length`` times.

    Raises
    ------
    ShapeError
        If it has more than one dimension or the wrong length.
    NonFiniteError
        If it holds NaN or infinity.
    """
    vector = float_vector(values, name, length)
    _check_finite(vector, name)
    return vector


def finite_view(values: object, name: str, length: int) -> Vector:
    """Return ``values`` as :func:`finite_vector` does, or itself if it is such a vector; it must not be written to.

    Raises
    ------
    ShapeError, NonFiniteError
        As there.
    """
    if type(values) is np.ndarray and values.dtype == np.float64 and values.shape == (length,):
        _check_finite(values, name)
        return values
    return finite_vector(values, name, length)


def finite_rows(values: object, name: str, rows: int) -> Matrix:
    """Return ``values`` as a float64 array of finite numbers, of one dimension or two, with that many rows.

    Raises
    ------
    ShapeError, NonFiniteError
        If it is none.
    """
    array = float_array(values, name)
    if array.ndim not in (1, 2) or len(array) != rows:
        raise ShapeError(f"{name} must be a vector or matrix of {rows} rows, but the shape is {array.shape}.")
    _check_finite(array, name)
    return array


def float_vector(values: object, name: str, length: int | None = None) -> Vector:
    """Return ``values`` as :func:`finite_vector` does; they may be NaN or infinite.

    Raises
    ------
    ShapeError
        If it has more than one dimension or the wrong length.
    """
    if type(values) is float and length is not None:
        return np.full(length, values)
    if type(values) is np.ndarray and values.dtype == np.float64 and values.ndim == 1 and length in (None, values.size):
        return values.copy()
    vector = float_array(values, name)
    if vector.ndim == 0 and length is not None:
        vector = np.full(length, float(vector))
    if vector.ndim != 1:
        raise ShapeError(f"{name} must have one dimension, but its shape is {vector.shape}.")
    if length is not None and vector.size != length:
        raise ShapeError(f"{name} must have {length} entries, one for each sample, but it has {vector.size}.")
    return vector


def is_scalar(value: object) -> bool:
    """Return whether ``value`` has no dimensions; this is false for a list, and if NumPy cannot make an array of it."""
    try:
        return np.ndim(value) == 0 and not is_sparse(value)  # type: ignore[arg-type]
    except Exception:
        return False


def frozen(array: Container) -> Container:
    """Return a read-only view of ``array``; of a csr_array, one whose stored entries and their places are read-only."""
    whole: Any = array
    if isinstance(whole, np.ndarray) or not is_sparse(whole):
        view = whole.view()
        view.flags.writeable = False
        return cast(Container, view)
    view = csr_array(whole.shape)
    for part in ("data", "indices", "indptr"):
        setattr(view, part, frozen(getattr(whole, part)))
    return cast(Container, view)


def same_entries(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two arrays are equal; entries that are objects, if they are the same ones."""
    if one is other or one.dtype != object or other.dtype != object:
        return one is other or bool(np.array_equal(one, other))
    return one.shape == other.shape and all(a is b for a, b in zip(one.ravel(), other.ravel(), strict=True))


def read_array(values: object, name: str) -> NDArray[Any]:
    """Return ``values`` as an array of whatever type and shape.

    Raises
    ------
    NonFiniteError
        If it is a masked array or a list of such, since masked entries have no value.
    ShapeError
        If it is sparse, or if NumPy cannot make an array of it.
    """
    if type(values) is np.ndarray:
        return values
    rows = values if isinstance(values, list | tuple) else ()
    if np.ma.isMaskedArray(values) or any(np.ma.isMaskedArray(row) for row in rows):
        raise NonFiniteError(f"{name} is a masked array; fill or drop its masked entries first.")
    if is_sparse(values):
        raise ShapeError(f"{name} must be a dense array, but a sparse matrix came; pass {name}.toarray().")
    try:
        return np.asarray(values)
    except Exception as error:
        # NumPy asks the object itself, which may raise anything.
        raise ShapeError(
            f"{name} must be a rectangular array, but rows of different length came, or it is not "
            f"an array ({type(error).__name__}: {error}); convert it first."
        ) from error


def float_array(values: object, name: str) -> NDArray[np.float64]:
    """Return ``values`` as a float64 array of whatever shape; its entries may be NaN or infinite.

    Raises
    ------
    ShapeError
        If it holds anything other than real numbers.
    """
    array = read_array(values, name)
    if array.dtype == np.float64:
        return array.copy(order="K")
    refuse_columns(values, name)
    kind = str(array.dtype)
    # NumPy would read numbers from text.
    text = (
        next((entry for entry in array.ravel() if isinstance(entry, str | bytes)), None) if kind == "object" else None
    )
    if array.dtype.kind in "SU":
        text = array.ravel()[0].item() if array.size else ""
    if text is not None:
        raise ShapeError(f"{name} must hold real numbers, but text came, such as {shown(text)}; convert it first.")
    if kind == "object":
        kind = "objects that are no numbers"
    if array.dtype.kind in "biufO" and not (array.dtype.kind == "b" and array.ndim == 0):
        try:
            with np.errstate(over="ignore"):
                return array.astype(np.float64)
        except Exception as error:
            kind = f"{kind} of float64 ({type(error).__name__}: {error})"
    raise ShapeError(f"{name} must be a rectangular array of real numbers, but {kind} came; convert it first.")


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise ShapeError(
            f"{name} must have two dimensions (samples x features), but its shape is {shape}; "
            f"a single feature is written {name}.reshape(-1, 1)."
        )
    if 0 in shape:
        raise ShapeError(f"{name} must hold at least one sample and one feature, but its shape is {shape}.")


def _check_finite(array: NDArray[np.float64], name: str) -> None:
    if array.size <= _FEW and np.isfinite(array).all():
        return
    with np.errstate(over="ignore", invalid="ignore"):
        # Finite only if all entries are; if it is not, it may have overflowed.
        if np.isfinite(array.sum()):
            return
    bad = ~np.isfinite(array)
    if bad.any():
        first = tuple(int(k) for k in np.argwhere(bad)[0])
        raise _non_finite(name, ", ".join(map(str, first)), array[first], int(bad.sum()))


def _non_finite(name: str, where: str, value: Any, number: int) -> NonFiniteError:
    return NonFiniteError(
        f"{name} must hold finite numbers only, but {name}[{where}] is {value} "
        f"({number} such entries); drop or impute those samples first."
    )


def add_array(digest: Any, array: NDArray[Any]) -> None:
    """Add an array to a digest of hashlib, by blocks of rows; objects are added by their representation."""
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
