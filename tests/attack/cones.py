# SPDX-License-Identifier: BSD-3-Clause
"""Coupled cones whose constants are far larger than what they demand, and the plain inequality that each implies."""

from __future__ import annotations

from collections.abc import Callable

import cvxpy as cp
import numpy as np
from numpy.random import Generator

__all__ = ["draw_cone"]


def draw_cone(rng: Generator, variable: cp.Variable) -> tuple[cp.Constraint, str, cp.Expression]:
    """Return a constraint on entries of a vector, its name, and an expression that it implies to be at least 0."""
    first, last = variable[0], variable[int(rng.integers(variable.shape[0]))]
    least, large = float(10.0 ** rng.uniform(-3, 3)), float(10.0 ** rng.uniform(0, 12))
    beyond = first - least
    at_least, at_most = first / least - 1.0, 1.0 - first / large
    small, shifted = 1e-3 * last, large - least
    # As it is in float64.
    lost = max(large - shifted, np.finfo(float).tiny)
    kinds: dict[str, Callable[[], tuple[cp.Constraint, cp.Expression]]] = {
        "power": lambda: (cp.PowCone3D(beyond, cp.Constant(large), small, 0.5), at_least),
        "geometric mean": lambda: (cp.geo_mean(cp.hstack([beyond, large, 1.0])) >= 0, at_least),
        "matrix": lambda: (cp.bmat([[large, small], [small, beyond]]) >> 0, at_least),
        "logarithm": lambda: (cp.log(first) >= np.log(least), at_least),
        "eigenvalue": lambda: (cp.lambda_max(cp.diag(cp.hstack([first, -large, last]))) <= large, at_most),
        "rotated": lambda: (cp.quad_over_lin(small, beyond) <= large, at_least),
        "second-order": lambda: (cp.SOC(first + shifted, cp.hstack([last, large])), first / lost - 1.0),
    }
    name = str(rng.choice(list(kinds)))
    cone, implied = kinds[name]()
    return cone, name, implied
