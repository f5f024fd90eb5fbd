# SPDX-License-Identifier: BSD-3-Clause
"""A page at work: the newest setting wins, faults are told and survived, and nothing stays when it has left."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from formulations.lab.background import THREADS
from formulations.lab.frames import Frame
from formulations.lab.server import desk
from formulations.lab.server.app import lab_app
from formulations.lab.session import Session
from formulations.lab.settings import Setting
from lab_client import TOKEN, Page, opened, setting

WAIT = 60.0
"""Seconds after which a test gives up."""


KEPT: set[threading.Thread] = set()
"""Threads of the pages that other tests keep open."""


def of_pages() -> set[threading.Thread]:
    """Return the threads of pages, but for those that were there before the test."""
    return {thread for thread in threading.enumerate() if thread.name.startswith(THREADS)} - KEPT


@pytest.fixture(autouse=True)
def _kept() -> None:
    KEPT.clear()
    KEPT.update(of_pages())


def gone() -> bool:
    """Wait for the threads of all pages to end."""
    for thread in of_pages():
        thread.join(WAIT)
    return not of_pages()


class Held(Session):
    """A session whose first frame, and each improved one, wait until they are let go."""

    made: list[Held] = []  # noqa: RUF012  each test begins with none

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.begun, self.go = threading.Semaphore(0), threading.Semaphore(0)
        self.left = 0
        self.seen: list[int] = []
        self.made.append(self)

    @property
    def is_unfinished(self) -> bool:
        return self.left > 0

    def frame(self, setting: Setting) -> Frame:
        self._wait(setting)
        return super().frame(setting)

    def improve(self, setting: Setting) -> Frame:
        self.left -= 1
        return self.frame(setting)

    def _wait(self, setting: Setting) -> None:
        self.seen.append(len(setting.points))
        self.begun.release()
        assert self.go.acquire(timeout=WAIT)

    def started(self) -> None:
        assert self.begun.acquire(timeout=WAIT)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Held]]:
    monkeypatch.setattr(desk, "Session", Held)
    Held.made.clear()
    yield Held.made
    Held.made.clear()
    assert gone()


def test_the_newest_setting_wins(held: list[Held]) -> None:
    with opened() as page:
        page.send(seq=1, setting=setting(4))
        held[0].started()
        for k in range(2, 30):
            page.send(seq=k, setting=setting(4 + k))
        page.send(seq=30, ask="nothing")
        page.socket.send_text("no JSON")
        assert "JSON" in page.receive()["refused"]
        held[0].go.release(2)
        assert page.awaited(1)["samples"] == 4
        assert page.awaited(29)["samples"] == 33
        assert "a page asks" in page.receive()["refused"]
        assert held[0].seen == [4, 33]


def test_an_answer_is_improved_while_nothing_waits(held: list[Held]) -> None:
    with opened() as page:
        held[0].left = 3
        held[0].go.release(2)
        page.send(seq=1, setting=setting(4))
        first, second = page.awaited(1), page.awaited(1)
        assert (first["unfinished"], second["unfinished"]) == (True, True)
        for _ in range(3):
            held[0].started()
        # The third is under way; a newer setting and its question come before the last one.
        held[0].left = 1
        page.send(seq=2, setting=setting(6))
        page.send(seq=3, ask="nothing")
        page.socket.send_text("no JSON")
        assert "JSON" in page.receive()["refused"]
        held[0].go.release(3)
        assert page.awaited(1)["samples"] == 4
        assert page.awaited(2)["unfinished"] is True
        assert page.receive()["seq"] == 3
        assert page.awaited(2)["unfinished"] is False
        assert held[0].seen == [4, 4, 4, 6, 6]


def test_a_page_that_leaves_meanwhile_leaves_nothing(held: list[Held]) -> None:
    app = lab_app(TOKEN)
    with opened(app) as page:
        page.send(seq=1, setting=setting(4))
        held[0].started()
        page.send(seq=2, setting=setting(8))
    # It has left, and what it asked for is still being solved; others are served.
    left = held.pop()
    with opened(app) as other:
        held[0].go.release(9)
        assert other.shown(1, **setting(6))["samples"] == 6
    assert left.seen == [4]
    left.go.release(9)
    assert gone()
    assert left.seen == [4]
    watched = weakref.ref(left)
    held.clear()
    del left, page, other
    assert watched() is None


def test_faults_are_told_and_survived(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    shown = Session.frame

    def broken(self: Session, asked: Setting) -> Frame:
        if len(asked.points) == 13:
            raise ZeroDivisionError("thirteen")
        frame = shown(self, asked)
        return Frame({"bad": float("nan")}) if len(asked.points) == 14 else frame

    monkeypatch.setattr(Session, "frame", broken)
    with opened() as page, opened() as other:
        page.shown(1, **setting(6))
        for seq, (samples, words) in enumerate([(13, "ZeroDivisionError: thirteen"), (14, "ValueError")], start=2):
            fault = page.shown(seq, **setting(samples))
            assert words in fault["error"]
            assert "fault of the program" in fault["error"]
            assert "proof" not in fault
            record = caplog.records.pop()
            assert record.exc_info is not None
            assert record.levelname == "ERROR"
            assert page.shown(10 * seq, **setting(6))["proof"]["status"] == "optimal"
        assert other.shown(1, **setting(8))["proof"]["status"] == "optimal"
        assert caplog.records == []


def test_faults_of_messages_and_questions(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: Any) -> Any:
        raise RecursionError("deep")

    with opened() as page:
        page.shown(1, **setting(6))
        monkeypatch.setattr(desk, "answer_to", broken)
        page.send(seq=2, ask="explain", sample=0)
        answer = page.receive()
        assert answer["seq"] == 2
        assert "RecursionError: deep" in answer["refused"]
        with monkeypatch.context() as patch:
            patch.setattr(desk, "read_message", broken)
            page.send(seq=3, setting=setting(6))
            assert "fault of the program" in page.receive()["refused"]
        assert [record.exc_info is not None for record in caplog.records] == [True, True]
        assert page.shown(4, **setting(6))["proof"]["status"] == "optimal"


def test_bad_points_are_answers_in_words() -> None:
    with opened() as page:
        alone = page.shown(1, points=[[0, 0, 1]])
        assert "one class" in alone["error"]
        many = page.shown(2, machine={"name": "relevance-classification"}, **setting(301))
        assert many["error"] == (
            "Relevance vectors is solved here for at most 300 points, but 301 came; remove some, or choose another "
            "machine."
        )
        assert page.shown(3, **setting(6))["proof"]["status"] == "optimal"


def test_questions_are_answered_or_refused() -> None:
    with opened() as page:
        page.send(seq=1, ask="explain", sample=0)
        assert "before there was a setting" in page.receive()["refused"]
        page.shown(2, **setting(6))
        page.send(seq=3, ask="explain", sample=0)
        answer = page.receive()
        assert answer["seq"] == 3
        assert "sample 0" in answer["answer"]
        page.send(seq=4, ask="explain", sample=6)
        assert page.receive()["seq"] == 4
        page.send(seq=5, ask="dance")
        assert "a page asks explain" in page.receive()["refused"]


def test_a_challenge_is_judged_by_the_answer_that_is_shown() -> None:
    with opened() as page:
        listed = {each["name"]: each for each in page.menu["challenges"]}
        start = listed["common-point"]["setting"]
        page.shown(1, **start)
        page.send(seq=2, ask="check", challenge="common-point")
        verdict = page.receive()["answer"]
        assert verdict["solved"] is False
        assert verdict["words"].startswith("A line separates these classes")
        crossed = {**start, "points": [[-2, -1.2, 1], *start["points"][1:]]}
        page.shown(3, **crossed)
        page.shown(4, **{**crossed, "view": {"name": "hulls", "step": 0}})
        page.send(seq=5, ask="check", challenge="common-point")
        assert page.receive()["answer"]["solved"] is True
        page.send(seq=6, ask="check")
        assert page.receive() == {"seq": 6, "refused": "there is no challenge to check; name one."}


def shown_by(page: Page, seq: int, samples: int) -> dict[str, Any]:
    return page.shown(seq, **setting(samples))["proof"]


def test_two_pages_do_not_disturb_each_other() -> None:
    app = lab_app(TOKEN)
    with opened(app) as one:
        alone = [shown_by(one, k, 6 + k) for k in range(1, 6)]
    with opened(app) as one, opened(app) as two:
        for k in range(1, 6):
            two.send(seq=k, setting=setting(20 - k))
            assert shown_by(one, k, 6 + k) == alone[k - 1]
            assert two.awaited(k)["samples"] == 20 - k
    assert gone()
