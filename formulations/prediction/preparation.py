# SPDX-License-Identifier: BSD-3-Clause
"""The steps that samples go through before they meet the functions of a machine, and their form in a file.

The classes here and in :mod:`formulations.prediction.steps` are all that there is, and their fields are numbers and
arrays, so that a file can hold them: it names the class of a step, and executes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from formulations.prediction.steps import Affine, Choice, OneHot, Ordinal, Step, Table, check_columns
from qpkernels.arrays import (
    FeatureNames,
    Indices,
    check_count,
    check_feature_names,
    finite_samples,
    is_sparse,
    shown,
)
from qpkernels.errors import ShapeError

__all__ = ["Blocks", "Preparation", "from_spec", "to_spec"]


@dataclass(frozen=True, eq=False)
class Blocks(Step):
    """Choices of the columns side by side, each prepared in its own way; ``known`` is how many columns there are."""

    parts: tuple[tuple[Indices, Preparation], ...]
    known: int

    def __post_init__(self) -> None:
        check_count(self.known, "the number of columns")
        if not self.parts:
            raise ShapeError("of columns side by side there must be some, but none came.")
        for columns, preparation in self.parts:
            check_columns(columns, self.known)
            if preparation.features != columns.size:
                raise ShapeError(f"{columns.size} columns came to what takes {preparation.features}.")

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
        How many columns samples have.
    steps
        What they go through; none: they stay as they are.
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
            Samples as they are, shape (n, features): an array or a table of numbers and text, or a sparse matrix.

        Raises
        ------
        ShapeError, FeatureNamesError, NonFiniteError
            If they are none such as those of the fit.
        ParameterError
            If one has a category that is not known, or they are sparse, and would be filled.
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
    """Return the step that :func:`to_spec` wrote.

    Raises
    ------
    KeyError, TypeError, IndexError, ShapeError, ParameterError, NonFiniteError
        If it is none: what reads files makes a FileFormatError of them.
    """
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
