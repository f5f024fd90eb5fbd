# SPDX-License-Identifier: BSD-3-Clause
"""Sums that are exact as rational numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qpkernels.problems.enclosing import exactly_feasible
from together import together


def exact_sum(beta: np.ndarray) -> Fraction:
    return sum(map(Fraction, beta.tolist()), Fraction(0))


@together("total", [0.0, 1.0, 0.1])
@together("size", [1e-8, 1.0, 1e8])
@together("seed", range(5))
def test_a_point_near_by(seed: int, size: float, total: float) -> None:
    rng = np.random.default_rng(seed)
    beta = np.clip(rng.normal(size=40), -0.9, 0.7) * size
    beta[::5] = 0.0
    lower, upper = np.full(40, -0.9 * size), np.full(40, 0.7 * size)
    beta[3] += total - beta.sum()
    upper[3], lower[3] = np.inf, -np.inf
    point = exactly_feasible(beta, lower, upper, total)
    assert point is not None
    assert exact_sum(point) == Fraction(total)
    assert np.all((lower <= point) & (point <= upper))
    assert np.abs(point - beta).max() <= 1e-13 * (size + total)


def test_all_coefficients_but_one_at_bounds_of_many_digits() -> None:
    # The free one has a coarser last place than what is missing.
    lower, upper = np.full(13, 0.3 - 1.0), np.full(13, 0.3)
    beta = np.where(np.arange(13) % 4 == 0, lower, upper)
    beta[4] = -0.6000000000000001
    beta[8] = 0.3
    point = exactly_feasible(beta, lower, upper, float(np.round(beta.sum(), 12)))
    assert point is not None
    assert exact_sum(point) == Fraction(float(np.round(beta.sum(), 12)))
    assert np.all((lower <= point) & (point <= upper))


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=12))
def test_any_numbers(values: list[float]) -> None:
    beta = np.array(values)
    point = exactly_feasible(beta, np.full(beta.size, -1e8), np.full(beta.size, 1e8), 0.0)
    assert point is not None
    assert exact_sum(point) == 0


def test_without_a_sum_it_is_clipped() -> None:
    point = exactly_feasible(np.array([2.0, -3.0]), np.full(2, -1.0), np.full(2, 1.0), None)
    assert point is not None
    assert point.tolist() == [1.0, -1.0]


def test_what_the_bounds_do_not_allow() -> None:
    # Thirty times the float next to 1/30 is not 1.
    cost = np.full(30, np.nextafter(1 / 30, 0.0))
    assert exactly_feasible(cost, np.zeros(30), cost, 1.0) is None
