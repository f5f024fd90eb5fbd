# SPDX-License-Identifier: BSD-3-Clause
"""What is still missing, by how the violation fell, and when a method that watches its progress hands over."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from qpkernels.solvers.trend import Trend, Watch


def noted(tol: float, points: list[tuple[float, float]]) -> Trend:
    trend = Trend(tol)
    for point in points:
        trend.note(*point)
    return trend


def test_steady_progress_is_extrapolated() -> None:
    trend = noted(1e-6, [(100 * k, 10.0 ** (-k / 4)) for k in range(1, 9)])
    # Two decades of six in 800 steps.
    assert trend.missing() == pytest.approx(1600)


def test_the_rate_is_that_of_the_second_half() -> None:
    trend = noted(1e-4, [(1, 1e-2), (2, 1e-2), (4, 1e-3)])
    # A decade in the last two, and one to go.
    assert trend.missing() == pytest.approx(2)


def test_an_answer_within_the_tolerance_misses_nothing() -> None:
    assert noted(1e-3, [(500, 1e-4)]).missing() == 0.0


def test_a_violation_that_rises_is_no_loss_of_what_was_reached() -> None:
    trend = noted(1e-6, [(100, 1e-3), (200, 0.5)])
    assert trend.missing() == float("inf")
    trend.note(300, 1e-4)
    assert trend.missing() == pytest.approx(400)


@dataclass
class Point:
    iterations: int
    violation: float


def told(watch: Watch, points: list[tuple[int, float]]) -> list[bool]:
    return [watch(Point(*point)) for point in points]


def test_nothing_is_concluded_from_the_first_steps() -> None:
    assert told(Watch(1000, 1e-6), [(100, 1.0), (200, 1.0), (499, 1.0)]) == [False] * 3


def test_no_progress_hands_over_early() -> None:
    assert told(Watch(1000, 1e-6), [(200, 1.0), (500, 1.0)]) == [False, True]


@pytest.mark.parametrize(("rate", "gives_up"), [(10.0, False), (0.5, True)])
def test_what_is_missing_is_held_against_the_other_method(rate: float, gives_up: bool) -> None:
    """With these decades in 1000 steps, 6 decades take 600 steps, or 12000."""
    points = [(k, max(10.0 ** (-rate * k / 1000), 2e-6)) for k in range(100, 1100, 100)]
    assert any(told(Watch(1000, 1e-6), points)) == gives_up
