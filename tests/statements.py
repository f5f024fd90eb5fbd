# SPDX-License-Identifier: BSD-3-Clause
"""Statements that estimators are made of."""

from __future__ import annotations

from typing import Any

import cvxpy as cp

from formulations import Machine
from formulations.estimators import StatementClassifier, StatementRegressor

__all__ = ["STATEMENTS", "hinge", "tube"]


def hinge(f: Any, b: Any, X: Any, y: Any, C: float = 1.0) -> Machine:
    """State the soft margin."""
    return Machine(cp.Minimize(0.5 * f.squared_norm + C * cp.sum(cp.pos(1 - cp.multiply(y, f(X) + b)))))


def tube(f: Any, b: Any, X: Any, y: Any, C: float = 1.0, epsilon: float = 0.2) -> Machine:
    """State the soft tube."""
    return Machine(cp.Minimize(0.5 * f.squared_norm + C * cp.sum(cp.pos(cp.abs(f(X) + b - y) - epsilon))))


STATEMENTS: dict[Any, dict[str, Any]] = {
    StatementClassifier: {"statement": hinge},
    StatementRegressor: {"statement": tube},
}
"""What estimators must be given, and all others need not."""
