# SPDX-License-Identifier: BSD-3-Clause
"""When a method that watches its progress hands over."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from qpkernels.solvers.automatic.watch import Watch


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
