# SPDX-License-Identifier: BSD-3-Clause
"""A model of other samples, stated on what is known to be sound."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeVar

from formulations.inputs.samples import BoundSamples
from formulations.modelling import Model
from formulations.modelling.solving import Latest
from qpkernels.arrays import Vector, frozen
from qpkernels.gram import Gram

__all__ = ["restated"]

AnyModel = TypeVar("AnyModel", bound=Model[Any])


def restated(model: AnyModel, gram: Gram, y: Vector | None, parameters: Mapping[str, Any]) -> AnyModel:
    """Return the same model of the samples of ``gram``, with these labels as signs, or targets, and parameters."""
    other = object.__new__(type(model))
    kept = {name: value for name, value in vars(model).items() if not _is_derived(model, name)}
    if y is not None:
        kept["y"] = frozen(y)
    vars(other).update(kept, data=BoundSamples(gram, model.data.explicit), gram=gram, latest=Latest(), _frozen=False)
    other.make_parameters(parameters)
    other.check_parameters()
    other.freeze()
    return other


def _is_derived(model: Model[Any], name: str) -> bool:
    """Return whether an attribute was computed from others when it was first asked for."""
    return isinstance(getattr(type(model), name, None), cached_property)
