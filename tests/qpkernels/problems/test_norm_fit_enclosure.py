# SPDX-License-Identifier: BSD-3-Clause
"""Enclosures of fits hold optima that are known as rational numbers, from sharp answers and from loose ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from qpkernels.errors import NoEnclosureError
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Linear
from qpkernels.problems import Enclosure
from qpkernels.problems.norm_fit import NormFitBounds
from qpkernels.problems.norms import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    LargestResidualBounds,
    SquaredFitBounds,
)
from together import together

LINE = np.arange(5.0)[:, None]
RAISED = 2.0 * LINE[:, 0] + 1.0 + np.array([0.0, 0.0, 5.0, 0.0, 0.0])
"""The line 2x + 1 at 0, ..., 4, and 5 more in the middle."""

# Slope 2, level, multipliers and optimum, by hand.
SHARP: dict[type[NormFitBounds], tuple[float, list[float], float]] = {
    SquaredFitBounds: (2.0, [-2.0, -2.0, 8.0, -2.0, -2.0], 20.0),
    AbsoluteFitBounds: (1.0, [-0.25, -0.25, 1.0, -0.25, -0.25], 5.0),
    BalancedAbsoluteFitBounds: (2.0, [-0.4, -0.4, 1.6, -0.4, -0.4], 8.0),
    LargestResidualBounds: (3.5, [-0.25, 0.0, 0.5, 0.0, -0.25], 2.5),
}
every_norm = pytest.mark.parametrize("norm", SHARP)


def enclosed(bounds: NormFitBounds, w: np.ndarray, b: float, v: np.ndarray) -> Enclosure:
    return bounds.enclose(v, b, Expansion(Linear(), w[None, :], np.ones(1), b))


def state(norm: type[NormFitBounds], F: np.ndarray, y: np.ndarray = RAISED) -> NormFitBounds:
    return norm(F, y, True, F)


@every_norm
def test_an_optimum_known_by_hand_is_held(norm: type[NormFitBounds]) -> None:
    b, v, optimum = SHARP[norm]
    enclosure = enclosed(state(norm, LINE), np.array([2.0]), b, np.array(v))
    assert enclosure.contains(optimum)
    assert enclosure.width <= 100 * 2.0**-53 * 80


@together("norm", SHARP)
@together("size", [1e-12, 1e-3, 1.0])
def test_loose_answers_hold_it_too(norm: type[NormFitBounds], size: float) -> None:
    b, v, optimum = SHARP[norm]
    rng = np.random.default_rng(0)
    loose = np.array(v) + size * rng.normal(size=5)
    enclosure = enclosed(state(norm, LINE), np.array([2.0 + size]), b + size, loose)
    assert enclosure.contains(optimum)
    assert enclosure.lower >= 0.0
    assert enclosure.upper < 100.0


@every_norm
def test_features_that_repeat_or_are_constant_say_nothing_new(norm: type[NormFitBounds]) -> None:
    b, v, optimum = SHARP[norm]
    F = np.column_stack([LINE, np.full(5, 0.1), LINE, np.zeros(5)])
    enclosure = enclosed(state(norm, F), np.array([2.0, 0.0, 0.0, 0.0]), b, np.array(v))
    assert enclosure.contains(optimum)
    assert enclosure.width <= 1e-12


@every_norm
def test_features_that_depend_otherwise_leave_the_trivial_bound(norm: type[NormFitBounds]) -> None:
    b, v, optimum = SHARP[norm]
    F = np.column_stack([LINE, LINE**2, LINE + LINE**2])
    enclosure = enclosed(state(norm, F), np.array([2.0, 0.0, 0.0]), b, np.array(v))
    assert enclosure.lower == 0.0
    assert enclosure.contains(optimum)


def rational_least_squares(F: np.ndarray, y: np.ndarray) -> Fraction:
    """Return the least sum of squares by elimination of the normal equations, bordered by their right-hand side."""
    columns = [[Fraction(x) for x in column] for column in [*F.T.tolist(), [1.0] * len(y), y.tolist()]]
    left = [[sum(a * b for a, b in zip(one, two, strict=True)) for two in columns] for one in columns]
    while len(left) > 1:
        pivot, *rest = left[0]
        left = [[x - row[0] * other / pivot for x, other in zip(row[1:], rest, strict=True)] for row in left[1:]]
    return left[0][0]


@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_least_squares_are_held_as_rational_numbers(offset: float) -> None:
    rng = np.random.default_rng(1)
    F, y = rng.normal(size=(12, 3)) + offset, rng.normal(size=12) - offset
    optimum = rational_least_squares(F, y)
    bounds = state(SquaredFitBounds, F, y)
    w, b = bounds.least_squares()
    enclosure = enclosed(bounds, w, b, 2.0 * (y - F @ w - b))
    assert Fraction(enclosure.lower) <= optimum <= Fraction(enclosure.upper)
    sizes = np.abs(y) + np.abs(F) @ np.abs(w) + abs(b)
    assert enclosure.width <= 100 * 2.0**-53 * float(sizes @ (1.0 + np.abs(y - F @ w - b)))


def test_without_an_answer_nothing_is_known_but_the_sign() -> None:
    bounds = state(SquaredFitBounds, LINE)
    assert bounds.enclose(np.full(5, np.nan), 0.0, Expansion(Linear(), np.ones((1, 1)), np.ones(1))).upper == np.inf
    assert bounds.enclose(np.zeros(5), 0.0).lower == 0.0


def test_coordinates_of_a_kernel_are_no_data() -> None:
    with pytest.raises(NoEnclosureError, match="known up to rounding only"):
        SquaredFitBounds(LINE, RAISED, True).enclose(np.zeros(5), 0.0)
