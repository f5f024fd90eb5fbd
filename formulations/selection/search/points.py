# SPDX-License-Identifier: BSD-3-Clause
"""The points of a grid: values of hyper-parameters and of the parameters of a kernel, checked before any is tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from formulations.modelling import Model
from qpkernels.arrays import Indices, is_scalar, shown
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel

__all__ = ["Point", "cell", "grid_points", "listed", "where", "with_numbers"]


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a grid.

    Attributes
    ----------
    parameters
        What was asked for, by the names it was asked by.
    kernel
        The kernel there.
    numbers
        The hyper-parameters of the model there.
    after
        Number of the point one step back along the first hyper-parameter that is not at its first value, with the same
        kernel: what a fit starts warm from. None where there is none.
    """

    parameters: Mapping[str, Any]
    kernel: Kernel
    numbers: Mapping[str, Any]
    after: int | None


def grid_points(model: Model[Any], parameters: Mapping[str, Any]) -> tuple[Point, ...]:
    """Return the points of the grid in scikit-learn's order: names sorted, the last one runs fastest.

    Names are hyper-parameters of the model, ``kernel``, or parameters of its kernel, as ``set_params`` of the model
    takes them.

    Raises
    ------
    ParameterError, ShapeError
        If a name is unknown, or a value outside its range.
    """
    if not parameters:
        raise ParameterError("a grid needs values, such as C=[1, 10], but none came.")
    names = sorted(parameters)
    values = {name: listed(name, parameters[name]) for name in names}
    known = {each.name: each for each in model.hyperparameters}
    own = [name for name in names if name in known]
    for name in own:
        for value in values[name]:
            known[name].checked(value, len(model))
    points: list[Point] = []
    places: dict[tuple[int, ...], int] = {}
    for place in product(*(range(len(values[name])) for name in names)):
        chosen = {name: values[name][k] for name, k in zip(names, place, strict=True)}
        kernel = model.kernel_with({name: value for name, value in chosen.items() if name not in known})
        back = _one_step_back(place, [names.index(name) for name in own])
        places[place] = len(points)
        after = None if back is None else places[back]
        points.append(Point(chosen, kernel, {name: chosen[name] for name in own}, after))
    return tuple(points)


def listed(name: str, values: Any) -> Sequence[Any]:
    """Return the values of a name.

    Raises
    ------
    ParameterError
        If they are no list, or an empty one.
    """
    if (
        isinstance(values, str | Kernel)
        or not isinstance(values, Iterable)
        or is_scalar(values)
        or not len(found := list(values))
    ):
        raise ParameterError(f"{name} must be a list of values to try, such as [0.1, 1, 10], but {shown(values)} came.")
    return [value.item() if isinstance(value, np.generic) else value for value in found]


def with_numbers(model: Model[Any], numbers: Mapping[str, Any], rows: Indices) -> Model[Any]:
    """Return a copy of a model of the samples ``rows`` with these hyper-parameters.

    Of a value for each sample of all, the entries of these samples are taken.
    """
    return model.copy().set_params(
        **{name: value if is_scalar(value) else np.asarray(value)[rows] for name, value in numbers.items()}
    )


def where(parameters: Mapping[str, Any], fold: int) -> str:
    """Return the words for a point and a fold, which is counted from 0."""
    return ", ".join(f"{name}={cell(value)}" for name, value in parameters.items()) + f", fold {fold + 1}"


def cell(value: Any) -> str:
    """Return a value as a cell of a table."""
    return f"{value:.6g}" if isinstance(value, float) else shown(value)


def _one_step_back(place: tuple[int, ...], own: Sequence[int]) -> tuple[int, ...] | None:
    for k in own:
        if place[k] > 0:
            return (*place[:k], place[k] - 1, *place[k + 1 :])
    return None
