# SPDX-License-Identifier: BSD-3-Clause
r"""An interval that holds the optimal value of min Omega(||f||) + sum L_i(f(x_i) + b), in exact arithmetic.

From above, each L_i is evaluated at both ends of the interval of its decision value, being convex, with the proved
error of its evaluation. From below, D(beta) = -Omega*(sqrt(beta'K beta)) - sum L_i*(-beta_i) at a beta with the exact
sum ``total``, a little inside the domain of the conjugates, whose ends may be rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.enclosures.definiteness import farthest_square, least_shift, payment
from qpkernels.certificates.enclosures.enclosure import Enclosure, quiet
from qpkernels.certificates.enclosures.feasibility import exactly_feasible
from qpkernels.certificates.enclosures.functions import Judged, judged
from qpkernels.errors import NoEnclosureError
from qpkernels.gram import Expansion
from qpkernels.gram.enclosed import enclose_on_samples
from qpkernels.intervals import UNIT, Interval, sum_bounds, up

if TYPE_CHECKING:
    from qpkernels.certificates.models.fenchel import FenchelBounds
    from qpkernels.certificates.models.regularisers import Regulariser

__all__ = ["enclose_fenchel"]

_INSIDE = 1.0 - 8.0 * UNIT
"""Share of the domain of a conjugate that is used."""

_REGULARISER = 1.0 + 16.0 * UNIT
"""What rounding may take from a regulariser, or from its conjugate, of which both are a few operations."""


@quiet
def enclose_fenchel(
    bounds: FenchelBounds, beta: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Enclose the optimal value, given coefficients, b, and f where it is not the expansion in beta.

    Raises
    ------
    NoEnclosureError
        If the kernel, or a loss, states no bounds of its rounding errors.
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return Enclosure(-np.inf, np.inf)
    losses, gram = bounds.losses, bounds.gram
    lower, upper = losses.lower * _INSIDE, losses.upper * _INSIDE
    near = bounds.feasible(beta)
    point = exactly_feasible(near, lower, upper, bounds.total)
    coefficients = near if point is None else point
    at_point = enclose_on_samples(gram, coefficients)
    tau = least_shift(gram)
    candidates = [Judged(at_point.values, at_point.squared_norm, intercept, coefficients)]
    if function is not None and tau == 0.0:
        candidates.append(judged(function, gram, intercept))
    paid = 0.0
    if tau > 0.0:
        halved = bounds.regulariser.is_half_square
        paid = payment(tau, farthest_square(coefficients, losses.lower, losses.upper)) if halved else np.inf
    dual = -np.inf
    if point is not None:
        conjugates = np.append(
            _known(losses.largest_conjugate)(point), _conjugate_above(bounds.regulariser, at_point.squared_norm)
        )
        dual = -sum_bounds(conjugates)[1]
    return Enclosure(dual, min(_primal_value(bounds, each, paid) for each in candidates))


def _known(largest: Callable[[Any], Vector] | None) -> Callable[[Any], Vector]:
    if largest is None:
        raise NoEnclosureError(
            "these losses come without bounds of their rounding errors, so nothing is proved in exact arithmetic; "
            "give largest_value and largest_conjugate to SampleLosses."
        )
    return largest


def _conjugate_above(regulariser: Regulariser, squared_norm: Interval) -> float:
    return float(up(regulariser.conjugate(float(squared_norm.upper)) * _REGULARISER))


def _primal_value(bounds: FenchelBounds, candidate: Judged, paid: float) -> float:
    regulariser, square = bounds.regulariser, float(candidate.squared_norm.upper)
    shrinkage = regulariser.shrinkage(square)
    if shrinkage < 1.0:
        # Into the domain for certain, where the norm is the upper end and the factor is rounded.
        b = candidate.intercept
        candidate = candidate.times(shrinkage * _INSIDE).moved_to(b)
        square = min(square, float(candidate.squared_norm.upper))
        if regulariser.shrinkage(square) < 1.0:
            return float("inf")
    v = candidate.decision
    if not (np.isfinite(v.lower).all() and np.isfinite(v.upper).all()):
        return float("inf")
    value = float(up(regulariser.value(square) * _REGULARISER))
    return sum_bounds(np.concatenate([[value, paid], _known(bounds.losses.largest_value)(v)]))[1]
