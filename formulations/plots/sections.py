# SPDX-License-Identifier: BSD-3-Clause
"""Planes and lines through the space of the features, on which a function is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, check_count, finite_vector, is_sparse, shown
from qpkernels.arrays.checks import float_array
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["Feature", "Section", "only"]

Feature: TypeAlias = int | str
"""A feature by its number, or by its name where the samples come as a table."""

_FEW = 4
"""Features that are fixed and named one by one."""

_MARGIN = 0.06
"""Share of the range of the samples by which a section goes beyond them on each side."""


@dataclass(frozen=True, eq=False)
class Section:
    """The samples seen along one or two features, all others being fixed.

    Attributes
    ----------
    X
        All features of the samples, shape (m, d).
    features
        Numbers of those that vary.
    point
        Where the others are fixed, shape (d,).
    labels
        What the axes are called.
    held
        In words where the others are fixed; empty where there are none.
    table
        Makes of rows with all features what the function takes.
    """

    X: Matrix
    features: tuple[int, ...]
    point: Vector
    labels: tuple[str, ...]
    held: str
    table: Callable[[Matrix], Any]

    @classmethod
    def of(
        cls,
        X: Any,
        features: Sequence[Feature] | None,
        fixed: ArrayLike | None,
        count: int,
        known: Sequence[str] | None = None,
    ) -> Section:
        """Read what a user asks for: ``count`` features of the samples X, the rest at ``fixed`` or at their median.

        Features have the names of the columns of a table, or those ``known`` from elsewhere.

        Raises
        ------
        ShapeError
            If X is no matrix of numbers, or ``fixed`` is not a value for each feature.
        ParameterError
            If a feature is unknown, or none are chosen where there are more than ``count``.
        """
        columns = getattr(X, "columns", known)
        names = None if columns is None else [str(name) for name in columns]
        samples = _matrix(X)
        width = samples.shape[1]
        chosen = _chosen(features, names, width, count)
        point = np.median(samples, axis=0) if fixed is None else finite_vector(fixed, "fixed", width)
        known_as = names or (["$x$"] if width == 1 else [f"$x_{{{k + 1}}}$" for k in range(width)])
        labels = tuple(known_as[k] for k in chosen)
        others = {known_as[k]: float(point[k]) for k in range(width) if k not in chosen}
        held = _held(others, "their medians" if fixed is None else "the point given")
        table = _Table(type(X), X.columns) if hasattr(X, "columns") else _same
        return cls(samples, chosen, point, labels, held, table)

    @property
    def seen(self) -> Matrix:
        """The samples in the features that vary, shape (m, len(features))."""
        return self.X[:, self.features]

    def grids(self, extent: ArrayLike | None, resolution: int) -> tuple[Vector, ...]:
        """Return values of each feature that varies, from end to end: those of ``extent``, or beyond the samples.

        Raises
        ------
        ParameterError
            If ``extent`` is not a pair for each feature, the lower end first, or the resolution below 2.
        """
        count = check_count(resolution, "grid_resolution", least=2)
        names = ("left", "right", "bottom", "top")[: 2 * len(self.features)]
        given = None if extent is None else float_array(extent, "extent")
        if given is None:
            ends = [_ends(values) for values in self.seen.T]
        else:
            ends = [(float(low), float(high)) for low, high in given.reshape(-1, 2)] if given.size % 2 == 0 else []
        if len(ends) != len(self.features) or not all(-np.inf < low < high < np.inf for low, high in ends):
            raise ParameterError(f"extent must be ({', '.join(names)}), lower ends first, but {shown(extent)} came.")
        return tuple(np.linspace(low, high, count) for low, high in ends)

    def samples(self, values: Matrix) -> Any:
        """Return points of the section with all features, given those that vary, shape (n, len(features))."""
        full = np.tile(self.point, (len(values), 1))
        full[:, self.features] = values
        return self.table(full)

    def partial(self, function: Callable[[Any], Any], residuals: Vector) -> Vector:
        """Return the partial residuals: the function on the section below or above each sample, and its residual."""
        return np.asarray(function(self.samples(self.seen))) + residuals

    @property
    def target(self) -> str:
        """The label of the axis of targets: for a section they are partial residuals."""
        return "$y$" if self.X.shape[1] == len(self.features) else "$y$, as partial residuals"


@dataclass(frozen=True)
class _Table:
    """Rows as a table with the columns of the user's."""

    kind: Any
    columns: Any

    def __call__(self, rows: Matrix) -> Any:
        return self.kind(rows, columns=self.columns)


def _held(others: dict[str, float], where: str) -> str:
    """Return in words where the other features are fixed."""
    if len(others) > _FEW:
        return f"with the {len(others)} other features at {where}"
    return "at " + ", ".join(f"{name} = {value:.3g}" for name, value in others.items()) if others else ""


def _ends(values: Vector) -> tuple[float, float]:
    """Return numbers a little beyond the least and the largest."""
    low, high = float(values.min()), float(values.max())
    beyond = _MARGIN * (high - low) or 1.0
    return low - beyond, high + beyond


def _same(rows: Matrix) -> Matrix:
    return rows


def _matrix(X: Any) -> Matrix:
    dense = X.toarray() if is_sparse(X) else X
    try:
        samples = np.asarray(dense, dtype=np.float64)
    except (TypeError, ValueError):
        samples = np.zeros(0)
    if samples.ndim != 2 or 0 in samples.shape:
        raise ShapeError(f"X must be a matrix of numbers, samples x features, to be drawn, but {shown(X)} came.")
    return samples


def _chosen(features: Sequence[Feature] | None, names: list[str] | None, width: int, count: int) -> tuple[int, ...]:
    wanted = {1: "one feature", 2: "two different features"}[count]
    if features is None:
        if width == count:
            return tuple(range(count))
        raise ParameterError(
            f"samples with {width} features are drawn along {wanted} of them; say which, as in "
            f"{'feature=0' if count == 1 else 'features=(0, 1)'}."
            if width > count
            else f"the picture takes {wanted}, but the samples have {width}."
        )
    numbers = tuple(_number(each, names, width) for each in features)
    if len(set(numbers)) != count or len(numbers) != count:
        raise ParameterError(f"the picture takes {wanted}, but {shown(tuple(features))} came.")
    return numbers


def _number(feature: Feature, names: list[str] | None, width: int) -> int:
    if isinstance(feature, str):
        if names is not None and feature in names:
            return names.index(feature)
        has = f"they are {', '.join(names)}" if names else "X has no names of columns, so give a number"
        raise ParameterError(f"no feature is called {feature!r}; {has}.")
    if isinstance(feature, bool) or not isinstance(feature, int | np.integer) or not 0 <= feature < width:
        raise ParameterError(f"a feature is a number from 0 to {width - 1}, or a name, but {shown(feature)} came.")
    return int(feature)


def only(feature: Feature | None) -> tuple[Feature] | None:
    """Return the one feature of a line as a section takes it."""
    return None if feature is None else (feature,)
