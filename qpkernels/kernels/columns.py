# SPDX-License-Identifier: BSD-3-Clause
"""A kernel on some columns of the samples: sums and products combine numbers, categories and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, is_integer, shown
from qpkernels.arrays.containers import as_table
from qpkernels.display.maths import quoted
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels.derivatives import Axes, check_axes
from qpkernels.kernels.enclosed import EnclosedRows
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import Rational

__all__ = [
    "Columns",
]

Column: TypeAlias = str | int
"""A column by its name, or by its position from 0."""

_FEW = 6
"""The largest number of columns that a formula names."""


@dataclass(frozen=True)
class Columns(Kernel):
    """A kernel k on some columns of the samples: ``Columns(RBF(0.1), ["age", "bmi"]) + Columns(Spectrum(3), "text")``.

    The sum and the product of two kernels, each on its own columns, are kernels on all of these columns. Columns that
    are given by name may stand anywhere in a later table, which may have further columns.

    Parameters
    ----------
    base
        k.
    columns
        A column or a list of them: names of a data frame (pandas, polars) or structured array, or positions. A single
        column of text is handed to k as a list of sequences, anything else as a matrix; numbers among columns of text
        become text, that is, categories.

    Raises
    ------
    ParameterError
        If ``base`` is not a kernel, or if ``columns`` are not distinct names or distinct positions.

    Examples
    --------
    >>> from qpkernels import RBF, Columns, Matching
    >>> X = [["red", 0.0], ["red", 1.0], ["blue", 1.0]]
    >>> kernel = Columns(Matching(), 0) + Columns(RBF(gamma=0.5), 1)
    >>> print(kernel(X, X).round(3))
    [[2.    1.607 0.607]
     [1.607 2.    1.   ]
     [0.607 1.    2.   ]]
    """

    base: Kernel
    columns: Column | tuple[Column, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.base, Kernel):
            raise ParameterError(f"Columns takes a Kernel first, such as RBF(0.1), but {shown(self.base)} came.")
        given: Any = self.columns
        several = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
        chosen = tuple(map(_column, given)) if several else _column(given)
        object.__setattr__(self, "columns", chosen)
        if not self._listed or len(set(self._listed)) < len(self._listed):
            raise ParameterError(f"columns must be at least one, all different, but {shown(given)} came.")

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return k of the parts of x and z in these columns, which appear as indices."""
        written = [each if isinstance(each, int) else quoted(each) for each in self._listed[:_FEW]]
        more = [quoted("...")] if len(self._listed) > _FEW else []
        index = ", ".join(map(str, [*written, *more]))
        return self.base.formula(f"({x}_({index}))", f"({z}_({index}))")

    @property
    def _listed(self) -> tuple[Column, ...]:
        return self.columns if isinstance(self.columns, tuple) else (self.columns,)

    @property
    def positive_semidefinite(self) -> bool:
        """True when the base kernel is."""
        return self.base.positive_semidefinite

    @property
    def names(self) -> frozenset[str] | None:
        """The columns, if all of them are named."""
        named = [column for column in self._listed if isinstance(column, str)]
        return frozenset(named) if len(named) == len(self._listed) else None

    @property
    def takes_sparse(self) -> bool:
        """True when the base kernel does; columns are positions then."""
        return self.base.takes_sparse

    def samples(self, X: ArrayLike) -> Samples:
        """Return a table as a structured array with all its columns, and an array of numbers as it is.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            If ``X`` lacks one of these columns, or if the base kernel does not take them.
        """
        table = as_table(X)
        whole = super().samples(X) if table is None else table
        part = self._part(whole)
        try:
            self.base.samples(part)
        except (NonFiniteError, ParameterError, ShapeError) as error:
            raise type(error)(f"the columns {shown(self.columns)} do not suit {self.base!r}: {error}") from error
        return whole

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        left = self._own(X)
        return self.base.matrix(left, left if X is Z else self._own(Z))

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return those of the base kernel."""
        left = self._own(X)
        return self.base.enclosed(left, left if X is Z else self._own(Z))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        """Return the matrix of the base kernel."""
        return self.base.relating(self._own(X), self._own(Z))

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return the derivative of the base kernel along its own axes, and 0 along others; axes count all columns."""
        check_axes(X, Z, left, right)
        own = self._own(X)
        other = own if X is Z else self._own(Z)
        derivative = np.zeros((own.shape[0], other.shape[0]))
        # One column may be listed twice, by its name and by its position.
        for axes in product(*self._places(X, left), *self._places(Z, right)):
            derivative += self.base.derivative(own, other, axes[: len(left)], axes[len(left) :])
        return derivative

    def _places(self, X: Samples, axes: Axes) -> list[list[int]]:
        """Return the position of each axis among the columns of the base kernel."""
        names = X.dtype.names
        named = [names.index(self._name(each, names)) for each in self._listed] if names else None
        columns = self._positions(X.shape[1]) if named is None else named
        return [[place for place, column in enumerate(columns) if column == axis] for axis in axes]

    def diagonal(self, X: Samples) -> Vector:
        return self.base.diagonal(self._own(X))

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where the base kernel vanishes."""
        return self.base.vanishes(self._own(X))

    def features(self, X: Samples) -> Matrix | None:
        """Return those of the base kernel."""
        return self.base.features(self._own(X))

    def _own(self, X: Samples) -> Samples:
        """Return the columns as the base kernel takes them."""
        return self.base.samples(self._part(X))

    def _part(self, X: Samples) -> Any:
        names = getattr(X, "dtype", np.dtype(float)).names
        if not names:
            return X[:, self._positions(X.shape[1])]
        parts = [X[self._name(column, names)] for column in self._listed]
        if all(part.dtype.kind == "f" for part in parts):
            return np.column_stack(parts)
        return parts[0] if len(parts) == 1 else np.column_stack([part.astype(np.str_) for part in parts])

    def _positions(self, width: int) -> list[int]:
        for column in self._listed:
            if isinstance(column, str):
                raise ShapeError(
                    f"the samples have no names, so that {column!r} is none of their columns; pass a data "
                    "frame, or positions of columns."
                )
            if column >= width:
                raise ShapeError(f"the samples must have a column {column}, counted from 0, but they have {width}.")
        return [column for column in self._listed if isinstance(column, int)]

    @staticmethod
    def _name(column: Column, names: tuple[str, ...]) -> str:
        if isinstance(column, str) and column in names:
            return column
        if isinstance(column, int) and column < len(names):
            return names[column]
        raise ShapeError(
            f"the samples must have a column {column!r} of numbers or text, without missing text, but the columns of "
            f"that kind are {', '.join(names)}."
        )


def _column(column: Any) -> Column:
    if isinstance(column, str):
        return column
    if not is_integer(column) or column < 0:
        raise ParameterError(f"a column must be a name, or a position of at least 0, but {shown(column)} came.")
    return int(column)
