# SPDX-License-Identifier: BSD-3-Clause
"""Losses of one number, with their conjugates: of the margin in classification, of the residual in regression."""

from formulations.losses.base import Loss, MarginLoss, ResidualLoss
from formulations.losses.margin import Hinge, LogisticLoss, SquaredHinge, ZeroOne
from formulations.losses.residual import (
    AbsolutePower,
    EpsilonInsensitive,
    Huber,
    LogisticResidual,
    Pinball,
    Squared,
)

__all__ = [
    "AbsolutePower",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "LogisticLoss",
    "LogisticResidual",
    "Loss",
    "MarginLoss",
    "Pinball",
    "ResidualLoss",
    "Squared",
    "SquaredHinge",
    "ZeroOne",
]
