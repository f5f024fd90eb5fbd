# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a block of K: of a matrix that is there, or made when a step first asks for them.

A step reads the rows of the two coefficients that it changes. Of a few hundred samples or more, most are never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from qpkernels.arrays import Floats, Indices, Vector
from qpkernels.arrays.compiled import compiled
from qpkernels.gram.panels.loops import add_scaled, entries

__all__ = ["LazyRows", "Source", "row", "square"]


class Source(NamedTuple):
    """What rows come from: a ``matrix`` at ``columns`` of it; or, where that is empty, features in a product form.

    ``features`` has a row for each feature; of them and ``offsets`` the entries come as in panels. ``squares`` is the
    diagonal.
    """

    matrix: Floats
    columns: Indices
    squares: Vector
    features: Floats
    offsets: Floats
    degree: int


class LazyRows(NamedTuple):
    """A block of K, of which the rows ``made`` are there."""

    block: Floats
    made: NDArray[np.bool_]
    source: Source


@compiled
def _make(K: LazyRows, k: int) -> None:
    """Write row k."""
    source, target = K.source, K.block[k]
    if source.matrix.size:
        whole, columns = source.matrix[source.columns[k]], source.columns
        for c in range(columns.size):
            target[c] = whole[columns[c]]
    else:
        target[:] = 0
        for f in range(source.features.shape[0]):
            add_scaled(target, source.features[f, k], source.features[f])
        entries(target, source.offsets[k], source.offsets, source.degree)
    K.made[k] = True


def row(K: Any, k: int) -> Floats:
    """Return row k; in compiled code one of the two functions below takes its place."""
    return np.asarray(K[k])


def square(K: Any, k: int) -> float:
    """Return K_kk."""
    return float(K[k, k])


def _is_lazy(K: Any) -> bool:
    return isinstance(K, types.NamedTuple) and K.instance_class is LazyRows


@overload(row)  # type: ignore[untyped-decorator]
def _row_of(K: Any, k: int) -> Callable[[Any, int], Any]:
    del k
    return _lazy_row if _is_lazy(K) else _stored_row


@overload(square)  # type: ignore[untyped-decorator]
def _square_of(K: Any, k: int) -> Callable[[Any, int], Any]:
    del k
    return _lazy_square if _is_lazy(K) else _stored_square


def _lazy_row(K: Any, k: int) -> Any:
    if not K.made[k]:
        _make(K, k)
    return K.block[k]


def _stored_row(K: Any, k: int) -> Any:
    return K[k]


def _lazy_square(K: Any, k: int) -> Any:
    return K.source.squares[k]


def _stored_square(K: Any, k: int) -> Any:
    return float(K[k, k])
