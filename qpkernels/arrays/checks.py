# SPDX-License-Identifier: BSD-3-Clause
"""Array types of the project, and what every entry point shares: checks, blocks of rows, names of array files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from qpkernels.errors import NonFiniteError, ParameterError, ShapeError

__all__ = [
    "Floats",
    "Indices",
    "Matrix",
    "Samples",
    "Vector",
    "check_count",
    "check_positive",
    "finite_matrix",
    "finite_samples",
    "finite_vector",
    "frozen",
    "is_integer",
    "is_sparse",
    "npz_path",
    "row_blocks",
]

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

_BLOCK_BYTES = 2**26


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices of ``range(rows)`` such that a block of float64 rows of that many columns stays within 64 MiB."""
    step = max(1, _BLOCK_BYTES // (8 * max(1, columns)))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


is_sparse: Callable[[object], bool] = issparse
"""Whether values are a sparse matrix in any format of SciPy."""


def finite_matrix(values: ArrayLike, name: str) -> Matrix:
    """Return ``values`` as a two-dimensional float64 array of finite numbers.

    Raises
    ------
    ShapeError
        If it is sparse, not two-dimensional, or empty.
    NonFiniteError
        If it holds NaN or infinity; the message names the first such entry.
    """
    if is_sparse(values):
        raise ShapeError(f"{name} must be a dense array, but a sparse matrix came; pass {name}.toarray().")
    matrix = _as_floats(values, name)
    _check_shape(matrix.shape, name)
    _check_finite(matrix, name)
    return matrix


def finite_samples(values: ArrayLike, name: str) -> Samples:
    """Return a copy of ``values`` as a float64 matrix of finite numbers: a csr_array if it is sparse, in any format.

    A csr_array has its entries sorted and duplicates of them added up; zeros that are stored stay so.

    Raises
    ------
    ShapeError
        If it is not two-dimensional, or empty, or no matrix of real numbers.
    NonFiniteError
        If it holds NaN or infinity; the message names the first such entry.
    """
    if not is_sparse(values):
        return finite_matrix(values, name)
    matrix: Any = values
    if matrix.dtype.kind not in "biuf":
        raise ShapeError(f"{name} must hold real numbers, but {matrix.dtype} came; convert it first.")
    _check_shape(matrix.shape, name)
    try:
        # In float64 before anything is added up: small integers would overflow.
        rows: Any = csr_array(matrix.astype(np.float64))
        rows.check_format(full_check=True)
    except ValueError as error:
        raise ShapeError(f"{name} is no valid sparse matrix: {error}; build it anew from its entries.") from error
    rows.sum_duplicates()
    finite = np.isfinite(rows.data)
    if not finite.all():
        first = int(np.argmin(finite))
        row = int(np.searchsorted(rows.indptr, first, side="right")) - 1
        raise _non_finite(name, f"{row}, {rows.indices[first]}", rows.data[first], int((~finite).sum()))
    return rows


def finite_vector(values: ArrayLike, name: str, length: int | None = None) -> Vector:
    """Return ``values`` as a one-dimensional float64 array of finite numbers; a scalar is repeated ``length`` times.

    Raises
    ------
    ShapeError
        If it has more than one dimension or the wrong length.
    NonFiniteError
        If it holds NaN or infinity.
    """
    vector = _as_floats(values, name)
    if vector.ndim == 0 and length is not None:
        vector = np.full(length, float(vector))
    if vector.ndim != 1:
        raise ShapeError(f"{name} must have one dimension, but its shape is {vector.shape}.")
    if length is not None and vector.size != length:
        raise ShapeError(f"{name} must have {length} entries, one for each sample, but it has {vector.size}.")
    _check_finite(vector, name)
    return vector


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether ``value`` is an integer of Python or NumPy; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_count(value: object, name: str, advice: str = "", *, least: int = 1) -> int:
    """Return ``value`` as an int if it is an integer of at least ``least``.

    Raises
    ------
    ParameterError
        Otherwise; ``advice`` ends the message.
    """
    if not is_integer(value) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, but {value!r} came{advice}.")
    return int(value)


def check_positive(value: float, name: str) -> float:
    """Return ``value`` as a float if it is a finite number above zero.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number above 0, but {value!r} came.") from None
    if not 0.0 < number < np.inf:
        raise ParameterError(f"{name} must be finite and above 0, but {number:g} came.")
    return number


def frozen(array: Container) -> Container:
    """Return a read-only view of ``array``; of a csr_array, one whose stored entries and their places are read-only."""
    whole: Any = array
    if not is_sparse(whole):
        return cast(Container, _read_only(whole))
    view: Any = csr_array(whole.shape)
    for part in ("data", "indices", "indptr"):
        setattr(view, part, _read_only(getattr(whole, part)))
    return cast(Container, view)


def npz_path(path: str | Path) -> Path:
    """Return ``path`` with the suffix .npz, which is appended if missing."""
    return Path(path) if str(path).endswith(".npz") else Path(f"{path}.npz")


def _as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    if np.ma.isMaskedArray(values):
        raise NonFiniteError(f"{name} is a masked array; fill or drop its masked entries first.")
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64)
        kind = str(array.dtype)
    except (TypeError, ValueError):
        kind = "rows of different length, or objects that are no numbers"
    raise ShapeError(f"{name} must be a rectangular array of real numbers, but {kind} came; convert it first.")


def _read_only(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise ShapeError(
            f"{name} must have two dimensions (samples x features), but its shape is {shape}; "
            f"a single feature is written {name}.reshape(-1, 1)."
        )
    if 0 in shape:
        raise ShapeError(f"{name} must hold at least one sample and one feature, but its shape is {shape}.")


def _check_finite(array: NDArray[np.float64], name: str) -> None:
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
