# SPDX-License-Identifier: BSD-3-Clause
"""Work in the background: begun once or the newest first, and never waited for longer than asked."""

from threading import Event

from formulations.lab.background import Background, Recorder


def test_it_is_done_once() -> None:
    times: list[int] = []
    work = Background(lambda: times.append(1))
    assert work.is_done(10.0)
    assert work.is_done(0.0)
    assert times == [1]


def test_nobody_waits_longer_than_asked() -> None:
    may_end = Event()
    work = Background(may_end.wait)
    assert not work.is_under_way
    assert not work.is_done(0.0)
    assert work.is_under_way
    may_end.set()
    assert work.is_done(10.0)
    assert not work.is_under_way


def test_a_recording_that_is_short_is_waited_for() -> None:
    recorder = Recorder(10.0)
    assert [recorder.begin(lambda k=k: k).done() for k in range(3)] == [True, True, True]


def test_of_recordings_that_wait_the_newest_is_made() -> None:
    may_end = Event()
    recorder = Recorder(0.0)
    first = recorder.begin(lambda: may_end.wait(10.0))
    left, newest = recorder.begin(lambda: 1), recorder.begin(lambda: 2)
    assert left.cancelled()
    may_end.set()
    assert first.result(10.0)
    assert newest.result(10.0) == 2
