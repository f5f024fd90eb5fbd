# SPDX-License-Identifier: BSD-3-Clause
"""One page over its WebSocket: the newest setting wins, and questions wait their turn.

Messages are read at once, so that a setting that came while another is solved replaces what waits: no queue of settings
is ever longer than one. Settings are solved in a thread of the page's own.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from starlette.websockets import WebSocket, WebSocketDisconnect

from formulations.lab.frames import Frame
from formulations.lab.server.messages import Ask, Show, read_message
from formulations.lab.server.questions import answer_to
from formulations.lab.session import Session
from qpkernels.errors import QPKernelsError

__all__ = ["Connection"]

_MOST_QUESTIONS = 16
"""Questions that wait; of more, the oldest are dropped."""


class Connection:
    """Reads the messages of one page, and sends its frames."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._session = Session()
        self._newest: Show | None = None
        self._waiting: Show | None = None
        self._questions: deque[Ask] = deque(maxlen=_MOST_QUESTIONS)
        self._something = asyncio.Event()

    async def run(self) -> None:
        """Serve the page until it leaves."""
        with ThreadPoolExecutor(1, "lab") as thread:
            working = asyncio.create_task(self._work(thread))
            try:
                await self._read()
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)

    async def _read(self) -> None:
        """Take every message as it comes."""
        while True:
            try:
                text = await self._socket.receive_text()
            except (WebSocketDisconnect, KeyError):
                return
            try:
                message = read_message(text, self._newest.setting if self._newest else None)
            except QPKernelsError as error:
                await self._socket.send_text(json.dumps({"refused": str(error)}))
                continue
            if isinstance(message, Show):
                self._newest = self._waiting = message
            else:
                self._questions.append(message)
            self._something.set()

    async def _work(self, thread: ThreadPoolExecutor) -> None:
        """Solve and send, the newest setting first."""
        loop = asyncio.get_running_loop()
        while True:
            await self._something.wait()
            if self._waiting is not None:
                show, self._waiting = self._waiting, None
                frame = await loop.run_in_executor(thread, self._session.frame, show.setting)
                await self._socket.send_bytes(_numbered(frame, show.seq))
            elif self._questions and self._newest is not None:
                ask = self._questions.popleft()
                said = await loop.run_in_executor(thread, answer_to, ask, self._session, self._newest.setting)
                await self._socket.send_text(said)
            else:
                self._questions.clear()
                self._something.clear()


def _numbered(frame: Frame, seq: int) -> bytes:
    return replace(frame, facts={**frame.facts, "seq": seq}).encode()
