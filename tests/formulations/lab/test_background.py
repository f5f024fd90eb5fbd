# SPDX-License-Identifier: BSD-3-Clause
"""Work in the background: begun once, and never waited for longer than asked."""

from threading import Event

from formulations.lab.background import Background


def test_it_is_done_once() -> None:
    times: list[int] = []
    work = Background(lambda: times.append(1))
    assert work.is_done(10.0)
    assert work.is_done(0.0)
    assert times == [1]


def test_nobody_waits_longer_than_asked() -> None:
    may_end = Event()
    work = Background(may_end.wait)
    assert not work.is_done(0.0)
    may_end.set()
    assert work.is_done(10.0)
