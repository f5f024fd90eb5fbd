# SPDX-License-Identifier: BSD-3-Clause
"""Who may open what: the page and its files for this computer, the WebSocket for the page that has the token."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import weakref
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from formulations.lab import app as server
from formulations.lab import desk
from formulations.lab.app import LONGEST_MESSAGE, MOST_PAGES, Pace, lab_app, serve
from formulations.lab.background import THREADS
from formulations.lab.drawing import Frame
from formulations.lab.session import Session
from formulations.lab.settings import Setting, read_setting
from formulations.lab.views import VIEWS
from lab_client import HOST, TOKEN, Page, client, facts, opened, points, setting
from qpkernels.errors import ParameterError


def test_the_page_and_its_files_are_confined() -> None:
    for path in ("/", "/index.html", "/main.js", "/style/base.css", "/views/index.js", "/nothing.js"):
        answer = client().get(path)
        assert answer.status_code == (404 if "nothing" in path else 200)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "/../server/app.py",
        "/..%2fserver%2fapp.py",
        "/%2e%2e/server/app.py",
        "/views/..%2f..%2fserver/app.py",
        "/%2fetc/passwd",
        "//etc/passwd",
        "/..%5cserver%5capp.py",
        "/index.html%00.js",
        "/" + "a" * 5000,
        "/views/",
        "/views",
        "/socket",
    ],
)
def test_nothing_else_is_served(path: str) -> None:
    answer = client().get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_files_are_only_read() -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert client().request(method, "/index.html").status_code == 405


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8123", "127.0.0.1.evil.example", "", "[::1", "0.0.0.0"])
def test_names_that_were_rebound_are_refused(host: str) -> None:
    answer = client().get("/", headers={"host": host})
    assert answer.status_code == 400
    assert "content-security-policy" in answer.headers
    with pytest.raises(WebSocketDisconnect), opened(host=host, origin=f"http://{host}"):
        pass


@pytest.mark.parametrize(
    ("token", "origin"),
    [
        ("", f"http://{HOST}"),
        ("wrong", f"http://{HOST}"),
        (TOKEN[:-1], f"http://{HOST}"),
        ("right%C3%A9%F0%9F%8D%8E", f"http://{HOST}"),
        ("%ff%fe", f"http://{HOST}"),
        ("%00", f"http://{HOST}"),
        (TOKEN, "http://evil.example"),
        (TOKEN, "http://127.0.0.1:9999"),
        (TOKEN, f"https://{HOST}"),
        (TOKEN, "null"),
        (TOKEN, ""),
    ],
)
def test_the_socket_is_for_the_page_with_the_token(token: str, origin: str) -> None:
    with pytest.raises(WebSocketDisconnect) as refused, opened(token=token, origin=origin):
        pass
    assert refused.value.code == 1008


def test_a_socket_elsewhere_is_refused() -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        client().websocket_connect(f"ws://{HOST}/views/?token={TOKEN}", headers={"origin": f"http://{HOST}"}),
    ):
        pass


def test_pages_are_bounded_and_leave_their_place() -> None:
    app = lab_app(TOKEN)
    with ExitStack() as stack:
        for _ in range(MOST_PAGES):
            stack.enter_context(opened(app))
        with pytest.raises(WebSocketDisconnect) as refused, opened(app):
            pass
        assert (refused.value.code, refused.value.reason) == (1013, "There are 8 pages already; close one of them.")
    with opened(app) as page:
        assert page.shown(1, **setting())["proof"]["status"] == "optimal"


def test_the_menu_has_the_setting_to_start_with() -> None:
    with opened() as page:
        assert page.menu["start"] is None
    start = read_setting(setting(machine={"name": "nu-margin", "values": {"nu": 0.5}}), VIEWS)
    with opened(lab_app(TOKEN, start)) as page:
        stated = page.menu["start"]
        assert stated["machine"] == {"name": "nu-margin", "values": {"nu": 0.5}}
        assert stated == read_setting(stated, VIEWS).stated()
        assert page.shown(1, **stated)["proof"]["status"] == "optimal"


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
        monkeypatch.setattr(desk.Desk, "_answer_to", broken)
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
            "Relevance classification is solved here for at most 300 points, but 301 came; remove some, or choose "
            "another machine."
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


ROOT = Path(__file__).parents[4]
PATIENCE = 120
"""Seconds after which a test gives up on a process."""


class Served:
    """A running lab."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.address = next(line.split()[-1] for line in process.stdout if line.startswith("The lab is at"))

    @property
    def page(self) -> str:
        return self.address.partition("?")[0]

    @contextmanager
    def connect(self, **settings: Any) -> Iterator[ClientConnection]:
        address = self.address.replace("http", "ws").replace("/?", "/socket?")
        with connect(address, **{"origin": self.page.rstrip("/"), **settings}) as page:
            assert "menu" in json.loads(page.recv(PATIENCE))
            yield page

    def end_by(self, number: signal.Signals) -> None:
        """Send a signal, and see that the process ends well, and without a word but of what it has compiled."""
        self.process.send_signal(number)
        out, error = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, (out, error)
        assert [line for line in error.splitlines() if "compiling loops" not in line] == []


@contextmanager
def served(*options: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "formulations.commands.app", "lab", "--no-browser", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    )
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()


def shown(page: ClientConnection, seq: int, **asked: Any) -> dict[str, Any]:
    """Send a setting, and return the first frame of it."""
    page.send(json.dumps({"seq": seq, "setting": asked}))
    while True:
        message = page.recv(PATIENCE)
        if isinstance(message, bytes) and (head := facts(message))["seq"] == seq:
            return head


def until_closed(page: ClientConnection) -> None:
    while True:
        page.recv(PATIENCE)


HARD = {"machine": {"name": "soft-margin", "values": {"C": 1e4}}, "points": points(5000)}
"""Classes that overlap, with errors that cost much: no computer is done with its first slice of time."""

LONG = {"machine": {"name": "relevance-classification"}, "points": points(150)}
"""A solve that has no slices."""


def test_ctrl_c_while_a_page_is_being_solved() -> None:
    with served() as lab, urlopen(lab.page) as answer:
        assert b"<!doctype html>" in answer.read(100)
        with lab.connect() as page, lab.connect() as other, lab.connect() as idle:
            assert shown(other, 1, **HARD)["unfinished"] is True
            assert shown(page, 1, **setting(6))["proof"]["status"] == "optimal"
            page.send(json.dumps({"seq": 2, "setting": LONG}))
            lab.end_by(signal.SIGINT)
            for each in (page, other, idle):
                with pytest.raises(ConnectionClosed):
                    until_closed(each)


def test_messages_of_bad_faith_end_a_connection_at_most_and_sigterm_ends_the_lab() -> None:
    with served() as lab:
        with pytest.raises(InvalidStatus), lab.connect(origin="http://evil.example"):
            pass
        with lab.connect() as long:
            long.send("x" * (LONGEST_MESSAGE + 1))
            with pytest.raises(ConnectionClosed) as ended:
                until_closed(long)
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1009
        with lab.connect() as half:
            # Parts of a message, and a close in the midst of it.
            half.send(iter(['{"seq": 1, "set', 'ting": {}}']))
            assert facts(bytes(half.recv(PATIENCE)))["seq"] == 1
            half.socket.sendall(b"\x01\xff")
            half.socket.shutdown(socket.SHUT_RDWR)
        with lab.connect() as page:
            page.send(b"\x00\xff")
            assert "must be text" in json.loads(page.recv(PATIENCE))["refused"]
            for _ in range(500):
                page.send("[]")
            for _ in range(500):
                assert "must be an object" in json.loads(page.recv(PATIENCE))["refused"]
            assert shown(page, 1, **setting(6))["proof"]["status"] == "optimal"
        lab.end_by(signal.SIGTERM)


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match=f"of {port} another program listens there; take another, or 0"):
            serve(port, browser=False)
    with pytest.raises(ParameterError, match="from 0 to 65535, but 65536 came"):
        serve(65536, browser=False)


class Browser:
    """What webbrowser returns."""

    def __init__(self, name: str) -> None:
        self.name, self.opened = name, threading.Event()

    def open(self, address: str) -> bool:
        self.address = address
        self.opened.set()
        return True


@pytest.fixture
def unserved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.uvicorn.Server, "run", lambda *_: None)
    monkeypatch.setattr(server, "begin_to_warm_up", lambda: None)


@pytest.mark.usefixtures("unserved")
def test_a_browser_is_opened_if_it_has_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    found = Browser("xdg-open")
    monkeypatch.setattr(webbrowser, "get", lambda: found)
    serve(fragment="%7B%7D", say=lines.append)
    assert found.opened.wait(PATIENCE)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{22}#%7B%7D", found.address)
    assert lines[0] == f"The lab is at {found.address}"
    assert len(lines) == 2

    monkeypatch.setattr(webbrowser, "get", lambda: Browser("/usr/bin/w3m"))
    serve(say=lines.append)
    assert "no browser" in lines[-1]

    def nothing() -> None:
        raise webbrowser.Error("none")

    monkeypatch.setattr(webbrowser, "get", nothing)
    serve(say=lines.append)
    assert "no browser" in lines[-1]


@pytest.mark.usefixtures("unserved")
def test_tokens_differ_and_signals_are_given_back() -> None:
    lines: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    serve(browser=False, say=lines.append)
    serve(browser=False, say=lines.append)
    assert lines[0].partition("token=")[2] != lines[2].partition("token=")[2]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_process_is_ended_while_a_thread_solves(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    # Pages that other tests keep open have threads as well.
    alive, kept = threading.enumerate, threading.enumerate()
    monkeypatch.setattr(threading, "enumerate", lambda: [thread for thread in alive() if thread not in kept])
    server.end_process()
    assert ended == []
    go = threading.Event()
    thread = threading.Thread(target=go.wait, name=f"{THREADS}_0")
    thread.start()
    try:
        server.end_process()
    finally:
        go.set()
        thread.join()
    assert ended == [0]
