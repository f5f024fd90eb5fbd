# SPDX-License-Identifier: BSD-3-Clause
"""Losses of one number, with their conjugates: of the margin in classification, of the residual in regression."""

from formulations.losses.expression import ExpressionLoss
from formulations.losses.loss import Loss, MarginLoss, ResidualLoss
from formulations.losses.margin import Hinge, LogisticLoss, SquaredHinge, SquaredMargin, ZeroOne
from formulations.losses.residual import (
    AbsolutePower,
    EpsilonInsensitive,
    Huber,
    LogisticResidual,
    Pinball,
    Squared,
    SquaredEpsilonInsensitive,
)

__all__ = [
    "AbsolutePower",
    "EpsilonInsensitive",
    "ExpressionLoss",
    "Hinge",
    "Huber",
    "LogisticLoss",
    "LogisticResidual",
    "Loss",
    "MarginLoss",
    "Pinball",
    "ResidualLoss",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "SquaredMargin",
    "ZeroOne",
]
