# SPDX-License-Identifier: BSD-3-Clause
"""Limits that several solvers share."""

from __future__ import annotations

import pytest

from qpkernels.solvers import Budget
from qpkernels.solvers.automatic import budget


def test_without_limits_nothing_is_ever_spent() -> None:
    shared = Budget(None, None)
    shared.spend(10**9)
    assert not shared.is_spent
    assert shared.iterations_left is None
    assert shared.seconds_left is None


def test_iterations_are_counted_where_they_are_told() -> None:
    shared = Budget(100, None)
    shared.spend(60)
    shared.spend(None)
    assert (shared.iterations, shared.iterations_left, shared.is_spent) == (60, 40, False)
    shared.spend(50)
    assert (shared.iterations, shared.iterations_left, shared.is_spent) == (110, 1, True)


def test_seconds_run_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(budget, "perf_counter", lambda: now[0])
    shared = Budget(None, 5.0, begun=100.0)
    assert (shared.seconds_left, shared.is_spent) == (5.0, False)
    now[0] = 103.0
    assert (shared.seconds, shared.seconds_left) == (3.0, 2.0)
    now[0] = 105.0
    assert shared.is_spent
    assert 0 < (shared.seconds_left or 0) < 0.01
