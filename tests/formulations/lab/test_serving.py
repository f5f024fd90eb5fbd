# SPDX-License-Identifier: BSD-3-Clause
"""The command qpkernels lab as a process of its own: a page is served, and it goes down cleanly, whatever it does."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from formulations.lab import serving
from formulations.lab.background import THREADS
from formulations.lab.serving import LONGEST_MESSAGE, serve
from lab_client import facts, points, setting
from qpkernels.errors import ParameterError

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

LONG = {"machine": {"name": "relevance-classification"}, "points": points(300)}
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


def test_it_ends_by_sigterm_without_pages() -> None:
    with served() as lab:
        lab.end_by(signal.SIGTERM)


def test_messages_of_bad_faith_end_a_connection_at_most() -> None:
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
            lab.end_by(signal.SIGINT)


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
    monkeypatch.setattr(serving.uvicorn.Server, "run", lambda *_: None)
    monkeypatch.setattr(serving, "begin_to_warm_up", lambda: None)


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
    serving.end_process()
    assert ended == []
    go = threading.Event()
    thread = threading.Thread(target=go.wait, name=f"{THREADS}_0")
    thread.start()
    try:
        serving.end_process()
    finally:
        go.set()
        thread.join()
    assert ended == [0]
