# SPDX-License-Identifier: BSD-3-Clause
"""Losses and models as the parameters of an estimator name them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from formulations.losses import MarginLoss, ResidualLoss
from qpkernels.arrays import check_choice, shown
from qpkernels.errors import ParameterError

__all__ = ["given_model", "named_loss"]

Kind = TypeVar("Kind", MarginLoss, ResidualLoss)

_DATA = ("X", "y", "kernel")
"""What a model takes from the estimator."""


def named_loss(loss: str | Kind | Callable[[Any], Any], known: Mapping[str, Kind]) -> Kind | Callable[[Any], Any]:
    """Return a loss given by its name, or as it is.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    if not isinstance(loss, str):
        return loss
    check_choice(loss, "loss", tuple(known))
    return known[loss]


def given_model(model: Any, parameters: Any, kind: Any, example: str) -> tuple[type[Any], dict[str, Any]] | None:
    """Return a model of that kind, and its hyper-parameters by name; None where there is no model.

    Raises
    ------
    ParameterError
        If it is no model of that kind, or its hyper-parameters are none, or there are some and no model.
    """
    if not isinstance(parameters, Mapping | None):
        raise ParameterError(
            f"parameters must map the names of hyper-parameters to values, such as {{'C': 10.0}}, but "
            f"{shown(parameters)} came."
        )
    given = dict(parameters or {})
    if model is None:
        if given:
            raise ParameterError(
                f"parameters are those of a model, but there is none: give model={example}, say, or leave "
                f"{', '.join(map(str, given))} out."
            )
        return None
    if not (isinstance(model, type) and issubclass(model, kind)):
        raise ParameterError(f"model must be the class of a model, such as {example}, but {shown(model)} came.")
    taken = [name for name in inspect.signature(model).parameters if name not in _DATA]
    unknown = [name for name in given if name not in taken]
    if unknown:
        raise ParameterError(
            f"{model.__name__} has the hyper-parameters {', '.join(taken)}, but parameters has {shown(unknown[0])}."
        )
    return model, given
