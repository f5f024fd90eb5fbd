# SPDX-License-Identifier: BSD-3-Clause
"""Weights of samples and of classes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_class_weight

from formulations.modelling import Model
from qpkernels.arrays import Vector, check_positive, finite_vector, is_scalar, real_number, shown_label
from qpkernels.errors import OneClassError, ParameterError

__all__ = ["ClassWeight", "class_weights", "is_infinite", "sample_weights", "weighted"]

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
"""Label to weight; "balanced": inversely to how often a label occurs; None: 1."""


def sample_weights(sample_weight: ArrayLike | None, samples: int) -> Vector:
    """Return a weight for each sample: one of k is that of k copies, one of 0 that of an absent sample.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If these are no such numbers, one of them is below 0, or all are 0.
    """
    if sample_weight is None:
        return np.ones(samples)
    if is_scalar(sample_weight):
        sample_weight = np.full(samples, real_number(sample_weight, "sample_weight"))
    weights = finite_vector(sample_weight, "sample_weight", samples)
    if not (weights > 0).any():
        raise ParameterError(
            "Invalid input - all samples have zero or negative weights: sample_weight must be above 0 for some sample."
        )
    if (weights < 0).any():
        first = int(np.argmax(weights < 0))
        raise ParameterError(
            f"sample_weight must be at least 0, but sample_weight[{first}] is {weights[first]:g}: a sample cannot be "
            "there less than not at all; leave it out, or give it 0."
        )
    return weights


def class_weights(
    class_weight: ClassWeight, classes: NDArray[Any], y: NDArray[Any], weights: Vector, balance: Vector | None = None
) -> Vector:
    """Return the weight of each class; where "balanced", samples count as often as ``balance`` says, once for None.

    Raises
    ------
    OneClassError
        If samples of weight above 0 are of one class only.
    ParameterError
        If they are no weights of these classes.
    """
    present = classes if weights.all() else np.unique(y[weights > 0])
    if present.size < 2:
        raise OneClassError(
            f"The number of classes has to be greater than one; got {present.size} class: every sample with a weight "
            f"above 0 is of {shown_label(present.tolist()[0])}."
        )
    if class_weight is None:
        return np.ones(classes.size)
    try:
        found = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=balance)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"class_weight must be None, 'balanced', or the weights by label: {error}") from error
    return np.asarray(found, dtype=np.float64)


def is_infinite(cost: object) -> bool:
    """Return whether a cost is infinite, which stands for constraints without slack."""
    return isinstance(cost, float | np.floating) and bool(np.isposinf(cost))


def weighted(model: type[Model[Any]], parameters: Mapping[str, Any], weights: Vector) -> dict[str, Any]:
    """Return hyper-parameters that make each sample count so often, given those for samples that count once.

    Raises
    ------
    ParameterError
        If the model has a cost, and none for single samples, while weights differ.
    """
    found = dict(parameters)
    name = next((each.name for each in model.hyperparameters if each.per_sample), None)
    if name is not None:
        once = found.get(name, inspect.signature(model).parameters[name].default)
        found[name] = check_positive(once, name) * weights
    elif not model.hard and np.ptp(weights):
        raise ParameterError(
            f"{model.__name__} has no cost for single samples, so that they count alike; leave sample_weight and "
            "class_weight out, but for weights of 0."
        )
    return found
