# SPDX-License-Identifier: BSD-3-Clause
"""A page of the lab as tests play it: what it sends, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.types import ASGIApp

from formulations.lab.app import lab_app

HOST = "127.0.0.1:8123"
TOKEN = "right"


def points(count: int = 6, seed: int = 0) -> list[list[float]]:
    """Points of two classes that overlap."""
    random = np.random.default_rng(seed)
    labels = np.where(np.arange(count) % 2, 1, -1)
    places = random.normal(size=(count, 2)) + 0.7 * labels[:, None]
    return [[x, y, int(label)] for (x, y), label in zip(places.tolist(), labels, strict=True)]


def setting(count: int = 6, **parts: Any) -> dict[str, Any]:
    return {"points": points(count), **parts}


def client(app: ASGIApp | None = None) -> TestClient:
    return TestClient(app or lab_app(TOKEN), base_url=f"http://{HOST}")


@contextmanager
def opened(
    app: ASGIApp | None = None, token: str = TOKEN, origin: str = f"http://{HOST}", host: str = HOST
) -> Iterator[Page]:
    """Open a page, and close it."""
    headers = {"origin": origin, "host": host}
    with client(app).websocket_connect(f"ws://{HOST}/socket?token={token}", headers=headers) as socket:
        yield Page(socket)


class Page:
    """Speaks for a page; its menu has come."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.menu = socket.receive_json()["menu"]

    def send(self, **message: Any) -> None:
        self.socket.send_text(json.dumps(message))

    def receive(self) -> dict[str, Any]:
        """Return the next message: the facts of a frame, or what JSON says."""
        message = self.socket.receive()
        return facts(message["bytes"]) if message.get("bytes") is not None else json.loads(message["text"])

    def shown(self, seq: int, **asked: Any) -> dict[str, Any]:
        """Send a setting, and return the first frame of it."""
        self.send(seq=seq, setting=asked)
        return self.awaited(seq)

    def awaited(self, seq: int) -> dict[str, Any]:
        """Return the first frame of a setting that was sent."""
        while (message := self.receive()).get("seq") != seq or "arrays" not in message:
            assert "fault" not in str(message.get("refused")), message
        return message


def facts(frame: bytes) -> dict[str, Any]:
    """Return the head of a frame."""
    head: dict[str, Any] = json.loads(frame[4 : 4 + int.from_bytes(frame[:4], "little")])
    return head
