# SPDX-License-Identifier: BSD-3-Clause
"""Losses as the parameters of an estimator name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from formulations.losses import MarginLoss, ResidualLoss
from qpkernels.arrays import check_choice

__all__ = ["named_loss"]

Kind = TypeVar("Kind", MarginLoss, ResidualLoss)


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
