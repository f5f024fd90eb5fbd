# SPDX-License-Identifier: BSD-3-Clause
"""A model as it is, of other samples: its hyper-parameters, and which of them single samples have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from formulations.inputs.samples import BoundSamples
from formulations.modelling import Model, Solution
from qpkernels.arrays import Vector, frozen
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram

__all__ = ["names_per_sample", "restated", "shared_value", "values_of"]

Answered = TypeVar("Answered", bound=Solution)


def restated(model: Model[Answered], gram: Gram, y: Vector | None, values: Mapping[str, Vector]) -> Model[Answered]:
    """Return the same model of the samples of ``gram``, with these labels as signs, or targets."""
    entries = {} if y is None else {"y": frozen(y)}
    return model.with_samples(BoundSamples(gram, model.data.explicit), entries, values)


def values_of(model: Model[Any]) -> dict[str, Vector]:
    """Return the values of the hyper-parameters."""
    return {each.name: model.value_of(each.name) for each in model.hyperparameters}


def names_per_sample(model: Model[Any]) -> tuple[str, ...]:
    """Return the names of those of which every sample has its own, such as C."""
    return tuple(each.name for each in model.hyperparameters if each.per_sample)


def shared_value(name: str, values: Vector) -> float:
    """Return the value that all samples have."""
    if values.min() != values.max():
        raise ParameterError(
            f"{name} differs from sample to sample, so a new one needs its own: add(x, y, {name}=...)."
        )
    return float(values[0])
