# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that hold the optimal value of a model whose level is free, in exact arithmetic.

See :mod:`qpkernels.problems.level_qp.bounds` for both problems. From above, f, b and the level l may be any;
losses are completed upward. From below, beta must satisfy 1'beta = 0, |beta_i| <= C_i and 1'|beta| <= nu 1'C (between
labels, >=) exactly: it is scaled by a few units of rounding until it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.intervals import Interval, inner, sum_bounds, up
from qpkernels.gram import Gram
from qpkernels.gram.exact import enclose_on_samples
from qpkernels.gram.functions import Expansion
from qpkernels.problems.enclosing import (
    Enclosure,
    Judged,
    exactly_feasible,
    farthest_square,
    judged,
    least_shift,
    payment,
    quiet,
)

__all__ = [
    "FreeLevel",
    "enclose_free_level",
    "within_budget",
]

_STEPS = 12
"""Times that the room for the budget is quadrupled, from 2^-52 of the budget on."""


@dataclass(frozen=True, eq=False)
class FreeLevel:
    """The problem of a margin or a tube, as these functions need it.

    Attributes
    ----------
    gram, nu, costs, total
        As in the bounds of the model.
    target
        t of the dual.
    lower, upper
        The bounds of beta.
    least
        Whether 1'|beta| is at least the budget nu 1'C; otherwise it is at most the budget.
    largest_losses
        Upper bounds of e_i for decision values in an interval.
    level
        A good level for such losses.
    """

    gram: Gram
    nu: float
    costs: Vector
    total: float | None
    target: Vector
    lower: Vector
    upper: Vector
    least: bool
    largest_losses: Callable[[Interval], Vector]
    level: Callable[[Vector], float]


@quiet
def enclose_free_level(
    problem: FreeLevel, near: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Enclose the optimal value, given a nearly feasible point, b, and f if it is not the expansion in that point.

    Raises
    ------
    NoEnclosureError
        If the kernel does not state bounds on its rounding errors.
    """
    if not (np.isfinite(near).all() and np.isfinite(intercept)):
        return Enclosure(-np.inf, np.inf)
    point = within_budget(problem, near)
    coefficients = near if point is None else point
    at_point = enclose_on_samples(problem.gram, coefficients)
    tau = least_shift(problem.gram)
    candidates = [Judged(at_point.values, at_point.squared_norm, intercept, coefficients)]
    if function is not None and tau == 0.0:
        candidates.append(judged(function, problem.gram, intercept))
    paid = payment(tau, farthest_square(coefficients, problem.lower, problem.upper)) if tau > 0 else 0.0
    lower = -np.inf
    if point is not None:
        lower = sum_bounds(np.array([inner(problem.target, point).lower, -0.5 * at_point.squared_norm.upper]))[0]
    return Enclosure(lower, min(_primal_value(problem, each, paid) for each in candidates))


def _primal_value(problem: FreeLevel, candidate: Judged, paid: float) -> float:
    losses = problem.largest_losses(candidate.decision)
    if not np.isfinite(losses).all():
        return float("inf")
    level = problem.level(losses)
    slacks = np.maximum(up(losses - level), 0.0)
    slacks[losses <= level] = 0.0
    spent = Interval.of(problem.nu) * Interval.of(problem.costs).sum() * level
    charged = (Interval.of(problem.costs) * slacks).sum()
    parts = [0.5 * float(candidate.squared_norm.upper), float(spent.upper), float(charged.upper), paid]
    return sum_bounds(np.array(parts))[1]


def within_budget(problem: FreeLevel, near: Vector) -> Vector | None:
    """Return a point near ``near`` that meets all constraints in exact arithmetic; None where none was found."""
    budget = Fraction(problem.nu) * sum(map(Fraction, problem.costs.tolist()))
    for step in range(-1, _STEPS):
        room = 2.0 ** (2 * step - 52) if step >= 0 else 0.0
        scaled = near * (1.0 + room if problem.least else 1.0 - room)
        point = exactly_feasible(scaled, problem.lower, problem.upper, problem.total)
        if point is None:
            continue
        spent = sum_bounds(np.abs(point))
        if (Fraction(spent[0]) >= budget) if problem.least else (Fraction(spent[1]) <= budget):
            return point
    return None
