# SPDX-License-Identifier: BSD-3-Clause
"""How fast messages are read."""

from __future__ import annotations

import pytest

from formulations.lab.server.pace import Pace


def test_a_burst_passes_and_what_is_faster_waits() -> None:
    pace = Pace(10.0, 3)
    assert [pace.pause(100.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert pace.pause(100.0) == pytest.approx(0.1)
    assert pace.pause(100.1) == pytest.approx(0.1)
    assert pace.pause(100.35) == pytest.approx(0.0)


def test_who_keeps_to_the_rate_never_waits() -> None:
    pace = Pace(10.0, 1)
    assert [pace.pause(5.0 + k / 8.0) for k in range(100)] == [0.0] * 100
    # A long silence saves no more than a burst.
    assert pace.pause(1000.0) == 0.0
    assert pace.pause(1000.0) == pytest.approx(0.1)
