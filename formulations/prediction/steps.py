# SPDX-License-Identifier: BSD-3-Clause
"""What a sample goes through before it meets the functions of a machine: affine maps, choices of columns, tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import (
    Indices,
    Vector,
    check_count,
    check_finite,
    finite_samples,
    finite_vector,
    is_sparse,
    shown,
)
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["Affine", "Choice", "OneHot", "Ordinal", "Step", "Table", "check_columns"]

Table: TypeAlias = Any
"""Samples, one a row: an array of numbers or text, or a csr_array."""

_LABELS = "biufU"
"""Kinds of arrays that categories are in."""


class Step(ABC):
    """A map of each sample by itself."""

    @property
    @abstractmethod
    def features(self) -> int:
        """How many columns it takes."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many columns it returns."""

    @property
    def keeps_zeros(self) -> bool:
        """Whether sparse samples stay sparse."""
        return True

    @abstractmethod
    def __call__(self, X: Table) -> Table:
        """Return the samples mapped; ``X`` has as many columns as it takes."""


@dataclass(frozen=True, eq=False)
class Affine(Step):
    """x_j -> (x_j - shift_j) factor_j + offset_j, each of shape (features,)."""

    shift: Vector
    factor: Vector
    offset: Vector

    def __post_init__(self) -> None:
        size = finite_vector(self.shift, "shift").size
        finite_vector(self.factor, "factor", size)
        finite_vector(self.offset, "offset", size)

    @property
    def features(self) -> int:
        """Number of columns taken."""
        return self.shift.size

    width = features

    @property
    def keeps_zeros(self) -> bool:
        """Whether sparse samples stay sparse."""
        return not (self.shift.any() or self.offset.any())

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        samples = finite_samples(X, "X")
        if not is_sparse(samples):
            return np.asarray((samples - self.shift) * self.factor + self.offset)
        if not self.keeps_zeros:
            raise ParameterError(
                "the preprocessing maps 0 to other numbers, which would fill sparse samples; pass X.toarray()."
            )
        samples.data *= self.factor[samples.indices]
        return samples


@dataclass(frozen=True, eq=False)
class Choice(Step):
    """Some of the columns, by their numbers, in this order; ``known`` is how many there are."""

    columns: Indices
    known: int

    def __post_init__(self) -> None:
        check_columns(self.columns, check_count(self.known, "the number of columns"))

    @property
    def features(self) -> int:
        """Number of columns taken."""
        return self.known

    @property
    def width(self) -> int:
        """Number of columns returned."""
        return self.columns.size

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        return X[:, self.columns]


@dataclass(frozen=True, eq=False)
class _Encoding(Step):
    categories: tuple[NDArray[Any], ...]

    def __post_init__(self) -> None:
        for known in self.categories:
            if not isinstance(known, np.ndarray) or known.ndim != 1 or known.dtype.kind not in _LABELS:
                raise ShapeError(f"the categories of a column must be a list of numbers or text, but {known!r} came.")

    @property
    def features(self) -> int:
        """Number of columns taken."""
        return len(self.categories)

    @property
    def keeps_zeros(self) -> bool:
        """Whether sparse samples stay sparse."""
        return False

    def _codes(self, X: Table, *, refuse: bool) -> Indices:
        """Return the number of the category of each entry, and -1 for what is none, which ``refuse`` refuses."""
        columns = X.toarray() if is_sparse(X) else X
        codes = np.empty(columns.shape, dtype=np.intp)
        for number, known in enumerate(self.categories):
            places = {value: place for place, value in enumerate(known.tolist())}
            codes[:, number] = [places.get(value, -1) for value in columns[:, number].tolist()]
            strange = np.flatnonzero(codes[:, number] < 0)
            if refuse and strange.size:
                raise ParameterError(
                    f"sample {strange[0]} has {shown(columns[strange[0], number])} in a column of which the machine "
                    f"knows the categories {shown(known.tolist())}; pass one of them."
                )
        return codes


@dataclass(frozen=True, eq=False)
class OneHot(_Encoding):
    """A column for each category, which is 1 where a sample has it.

    Attributes
    ----------
    categories
        Those of each column.
    dropped
        For each column the number of the category that has none; -1: every one has.
    ignores
        Whether 0 everywhere stands for what is none of the categories; otherwise it is refused.
    sparse
        Whether the columns are sparse.
    """

    dropped: Indices
    ignores: bool
    sparse: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = np.array([known.size for known in self.categories])
        if self.dropped.shape != sizes.shape or not ((self.dropped >= -1) & (self.dropped < sizes)).all():
            raise ShapeError(f"of each column one category is dropped, or -1, but {self.dropped!r} came.")

    @property
    def width(self) -> int:
        """Number of columns returned."""
        return sum(known.size for known in self.categories) - int(np.count_nonzero(self.dropped >= 0))

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        codes = self._codes(X, refuse=not self.ignores)
        has = (codes >= 0) & (codes != self.dropped)
        sizes = np.array([known.size for known in self.categories]) - (self.dropped >= 0)
        places = codes - ((codes > self.dropped) & (self.dropped >= 0)) + np.cumsum(sizes) - sizes
        rows = np.nonzero(has)[0]
        found = csr_array((np.ones(rows.size), (rows, places[has])), shape=(codes.shape[0], self.width))
        return found if self.sparse else found.toarray()


@dataclass(frozen=True, eq=False)
class Ordinal(_Encoding):
    """The number of its category; ``unknown`` stands for what is none, and None refuses that."""

    unknown: float | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unknown is not None:
            check_finite(self.unknown, "unknown")

    @property
    def width(self) -> int:
        """Number of columns returned."""
        return len(self.categories)

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        codes = self._codes(X, refuse=self.unknown is None)
        return np.where(codes < 0, 0.0 if self.unknown is None else self.unknown, codes.astype(np.float64))


def check_columns(columns: Any, known: int) -> None:
    """Refuse what are no numbers of columns.

    Raises
    ------
    ShapeError
        With what came.
    """
    listed = isinstance(columns, np.ndarray) and columns.ndim == 1 and columns.dtype.kind == "i"
    if not listed or not columns.size or columns.min() < 0 or columns.max() >= known:
        raise ShapeError(f"numbers of columns from 0 to {known - 1} were expected, but {columns!r} came.")
