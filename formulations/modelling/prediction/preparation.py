# SPDX-License-Identifier: BSD-3-Clause
"""The steps that prepare samples for the functions of a machine, and their form in a file.

These classes are the only steps, and their fields are numbers and arrays, so that a file can hold them. A file names
the class of a step, and nothing in it is executed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from qpkernels.arrays import (
    FeatureNames,
    Indices,
    Vector,
    check_count,
    check_feature_names,
    check_finite,
    finite_samples,
    finite_vector,
    is_sparse,
    shown,
)
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["Affine", "Blocks", "Choice", "OneHot", "Ordinal", "Preparation", "Step", "from_spec", "to_spec"]

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

    keeps_zeros = False

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
        The categories of each column.
    dropped
        For each column, the number of the category without a column of its own; -1: every category has one.
    ignores
        Whether 0 everywhere stands for an unknown category; otherwise unknown categories are refused.
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

    width = _Encoding.features

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        codes = self._codes(X, refuse=self.unknown is None)
        return np.where(codes < 0, 0.0 if self.unknown is None else self.unknown, codes.astype(np.float64))


def check_columns(columns: Any, known: int) -> None:
    """Refuse what are no numbers of columns."""
    listed = isinstance(columns, np.ndarray) and columns.ndim == 1 and columns.dtype.kind == "i"
    if not listed or not columns.size or columns.min() < 0 or columns.max() >= known:
        raise ShapeError(f"numbers of columns from 0 to {known - 1} were expected, but {columns!r} came.")


@dataclass(frozen=True, eq=False)
class Blocks(Step):
    """Choices of the columns side by side, each prepared in its own way; ``known`` is the number of columns."""

    parts: tuple[tuple[Indices, Preparation], ...]
    known: int

    def __post_init__(self) -> None:
        check_count(self.known, "the number of columns")
        if not self.parts:
            raise ShapeError("columns side by side need at least one, but none came.")
        for columns, preparation in self.parts:
            check_columns(columns, self.known)
            if preparation.features != columns.size:
                raise ShapeError(f"{columns.size} columns came to a step that takes {preparation.features}.")

    @property
    def features(self) -> int:
        """Number of columns taken."""
        return self.known

    @property
    def width(self) -> int:
        """Number of columns returned."""
        return sum(preparation.width for _, preparation in self.parts)

    @property
    def keeps_zeros(self) -> bool:
        """Whether sparse samples stay sparse."""
        return all(preparation.keeps_zeros for _, preparation in self.parts)

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        found = [preparation(X[:, columns]) for columns, preparation in self.parts]
        if not any(is_sparse(each) for each in found):
            return np.hstack(found)
        return csr_array(hstack([finite_samples(each, "X") for each in found]))


@dataclass(frozen=True, eq=False)
class Preparation(Step):
    """Steps one after the other.

    Attributes
    ----------
    known
        The number of columns of the samples.
    steps
        The steps in their order; without any, samples are not changed.
    names
        The columns of the table that it was fitted to; None: they have no names.
    """

    known: int
    steps: tuple[Step, ...]
    names: FeatureNames = None

    def __post_init__(self) -> None:
        width = check_count(self.known, "the number of columns")
        for step in self.steps:
            if step.features != width:
                raise ShapeError(f"{type(step).__name__} takes {step.features} columns, but {width} came to it.")
            width = step.width
        names = self.names
        if names is not None and not (len(names) == self.known and all(isinstance(each, str) for each in names)):
            raise ShapeError(f"{self.known} names of columns were expected, but {shown(names)} came.")

    @property
    def features(self) -> int:
        """Number of columns taken."""
        return self.known

    @property
    def width(self) -> int:
        """Number of columns returned."""
        return self.steps[-1].width if self.steps else self.known

    @property
    def keeps_zeros(self) -> bool:
        """Whether sparse samples stay sparse."""
        return all(step.keeps_zeros for step in self.steps)

    def __call__(self, X: Table) -> Table:
        """Return the samples mapped."""
        for step in self.steps:
            X = step(X)
        return X

    def transform(self, X: Any) -> Table:
        """Return samples as the functions of the machine take them.

        Parameters
        ----------
        X
            Raw samples, shape (n, features): an array or a table of numbers and text, or a sparse matrix.
        """
        check_feature_names(X, self.names)
        table = _table(X)
        if table.ndim != 2 or table.shape[1] != self.known:
            raise ShapeError(
                f"the preprocessing is that of samples with {self.known} features, one sample a row, but X has shape "
                f"{table.shape}."
            )
        return self(table)


_CLASSES: tuple[type[Step], ...] = (Affine, Choice, OneHot, Ordinal, Blocks, Preparation)


def to_spec(step: Step, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    """Return a step as a JSON object; its arrays are appended to ``arrays`` and named by position."""
    named: Any = step
    values = {each.name: _plain(getattr(step, each.name), arrays) for each in fields(named)}
    return {"step": type(step).__name__, **values}


def from_spec(spec: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Step:
    """Return the step that :func:`to_spec` wrote."""
    values = {name: _value(value, arrays) for name, value in spec.items() if name != "step"}
    return {each.__name__: each for each in _CLASSES}[spec["step"]](**values)


def _plain(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, Step):
        return to_spec(value, arrays)
    if isinstance(value, tuple):
        return [_plain(each, arrays) for each in value]
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    return value


def _value(value: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return tuple(_value(each, arrays) for each in value)
    if isinstance(value, dict):
        return from_spec(value, arrays) if "step" in value else arrays[value["array"]]
    return value


def _table(X: Any) -> Table:
    """Return samples as an array of whatever they hold, or a sparse matrix."""
    if is_sparse(X):
        return finite_samples(X, "X")
    if isinstance(X, np.ndarray):
        return X
    return np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else np.array(X, dtype=object))
