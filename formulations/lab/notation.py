# SPDX-License-Identifier: BSD-3-Clause
"""What a page calls the values of a model: in the letters of the problem that it states, and of its dual.

f is the function, sum_i beta_i k(x_i, .), and f(x) + b the decision value, or what stands in its place; a are
multipliers, and beta is y a, a or a+ - a-.
"""

from __future__ import annotations

from typing import Any

from formulations.classification.one_class import OneClass
from formulations.lab.settings.machines import Stated
from formulations.modelling.model import Model
from formulations.regression.regression_model import RegressionModel
from qpkernels.display.maths import to_text

__all__ = ["coefficient_name", "decision_name", "multiplier_name", "place_name"]


def decision_name(model: Stated) -> str:
    """Return how the value is written whose sign, or which itself, predicts."""
    if isinstance(model, OneClass):
        return to_text("f(x) - rho")
    return "f(x)" if isinstance(model, Model) and not model.fit_intercept else "f(x) + b"


def place_name(model: Model[Any]) -> str:
    """Return how the margin or the residual of a sample is written."""
    decision = decision_name(model)
    if isinstance(model, RegressionModel):
        return to_text(f"residual r = y - {decision.replace('+', '-')}")
    return decision if isinstance(model, OneClass) else f"margin y ({decision})"


def coefficient_name(model: Model[Any]) -> str:
    """Return how a coefficient of f is written."""
    return to_text(model.entry.coefficient)


def multiplier_name(model: Model[Any]) -> str:
    """Return how minus the slope of the loss of a sample is written."""
    return f"coefficient {coefficient_name(model)}" if isinstance(model, RegressionModel) else "multiplier a"
