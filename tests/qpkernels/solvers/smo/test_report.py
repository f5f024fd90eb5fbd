# SPDX-License-Identifier: BSD-3-Clause
"""What smo tells of its way."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from qpkernels.solvers.smo import report
from qpkernels.solvers.smo.report import Report


@dataclass
class Gap:
    relative: float

    @property
    def shortfall(self) -> float:
        return self.relative


@dataclass
class Point:
    iterations: int
    gap: Gap
    estimated: bool = False


def told(monkeypatch: pytest.MonkeyPatch, points: list[tuple[float, float]], earlier: float = 0.0) -> list[str]:
    """Return the lines for violations at these seconds."""
    clock, lines = [0.0], list[str]()
    monkeypatch.setattr(report, "perf_counter", lambda: clock[0])
    tell = Report(1e-4, lines.append, earlier)
    for seconds, violation in points:
        clock[0] = seconds
        tell(Point(7, Gap(violation)))  # type: ignore[arg-type]
    return lines


def test_a_line_holds_steps_gap_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = told(monkeypatch, [(2.0, 0.5)])
    assert line == "smo:         7 steps, relative gap       5.000e-01, 2 s"


def test_the_time_left_is_extrapolated_from_the_fall_of_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decade of the odds in each 100 seconds, and two decades to go; the first line comes after 10 seconds."""
    odds = [1.0, 10**-0.5, 0.1, 10**-1.5, 0.01]
    lines = told(monkeypatch, [(10.0 + 50.0 * k, each / (1.0 + each)) for k, each in enumerate(odds)])
    assert lines[-1].endswith(", 4 min, about 3 min left")
    assert lines[0].endswith(", 10 s")


def test_a_gap_near_1_is_on_its_way_before_it_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 0.98 to 0.85 the odds fall by a factor of 9; log v alone would say more than half an hour."""
    assert told(monkeypatch, [(1.0, 0.98), (31.0, 0.85)])[-1].endswith(", 31 s, about 3 min left")


@pytest.mark.parametrize(
    "points",
    [
        [(1.0, 1.0), (2.0, 0.1)],
        [(10.0, 0.5), (20.0, 0.1), (100.0, 0.1)],
        [(10.0, 0.5), (20.0, 1e-4)],
        [(10.0, 0.5), (20.0, 0.4999)],
        [(10.0, 0.99), (20.0, 0.92)],
    ],
    ids=["too early", "no gain", "there", "out of sight", "not yet on its way"],
)
def test_nothing_is_said_of_what_is_not_known(
    monkeypatch: pytest.MonkeyPatch, points: list[tuple[float, float]]
) -> None:
    assert "left" not in told(monkeypatch, points)[-1]


def test_seconds_of_earlier_runs_count(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = told(monkeypatch, [(10.0, 0.5)], earlier=7200.0)
    assert line.endswith(", 2.0 h")
