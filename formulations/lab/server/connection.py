# SPDX-License-Identifier: BSD-3-Clause
"""One page over its WebSocket: the newest setting wins, questions wait their turn, and then the gap is closed.

Messages are read as they come, so that a setting that came while another is solved replaces what waits: no queue of
settings is ever longer than one. Settings are solved in a thread of the page's own. While nothing waits, an answer that
is not proved yet is improved, and a frame with the same ``seq`` follows each time.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from formulations.lab.frames import Frame
from formulations.lab.server.messages import Ask, Show, read_message
from formulations.lab.server.pace import Pace
from formulations.lab.server.questions import answer_to
from formulations.lab.session import FIRST, Session
from formulations.lab.settings import Setting
from qpkernels.errors import ParameterError, QPKernelsError

__all__ = ["THREADS", "Connection"]

THREADS = "lab-page"
"""What the names of threads begin with in which settings are solved."""

_MOST_QUESTIONS = 16
"""Questions that wait; of more, the oldest are dropped."""

_RATE, _BURST = 200.0, 200
"""Messages a second of a page, and those at once: a pointer that is moved sends one for each picture of the screen."""

_INTERNAL_ERROR = 1011

_log = logging.getLogger(__name__)

Made = TypeVar("Made")


class Connection:
    """Reads the messages of one page, and sends its frames."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._session = Session(first=FIRST)
        self._newest: Show | None = None
        self._waiting: Show | None = None
        self._questions: deque[Ask] = deque(maxlen=_MOST_QUESTIONS)
        self._something = asyncio.Event()
        self._pace = Pace(_RATE, _BURST)
        self._thread = ThreadPoolExecutor(1, THREADS)

    async def run(self) -> None:
        """Serve the page until it leaves; what is being solved then ends with its slice of time, and is dropped."""
        working = asyncio.create_task(self._work())
        try:
            await self._read()
        finally:
            working.cancel()
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def _read(self) -> None:
        """Take every message as it comes."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                self._take(message.get("text"))
            except QPKernelsError as error:
                await self._socket.send_text(json.dumps({"refused": str(error)}))
            except Exception as error:
                await self._socket.send_text(json.dumps({"refused": _fault("reading a message", error)}))
            if pause := self._pace.pause(monotonic()):
                await asyncio.sleep(pause)

    def _take(self, text: str | None) -> None:
        if text is None:
            raise ParameterError("a message must be text, but bytes came.")
        message = read_message(text, self._newest.setting if self._newest else None)
        if isinstance(message, Show):
            self._newest = self._waiting = message
        elif self._newest is None:
            raise ParameterError("a question came before there was a setting; send one first.")
        else:
            self._questions.append(message)
        self._something.set()

    async def _work(self) -> None:
        """Solve and send until the page has left."""
        try:
            while True:
                await self._something.wait()
                await self._do_next()
        except WebSocketDisconnect:
            return
        except Exception as error:
            _fault("sending", error)
            await self._socket.close(_INTERNAL_ERROR, "the lab failed; its terminal shows where.")

    async def _do_next(self) -> None:
        """Show the newest setting, else answer a question, else improve what is shown, else let there be nothing."""
        if self._waiting is not None:
            show, self._waiting = self._waiting, None
            await self._show(show, self._session.frame)
        elif self._questions and self._newest is not None:
            said = partial(self._said, self._questions.popleft(), self._newest.setting)
            await self._socket.send_text(await self._in_thread(said))
        elif self._newest is not None and self._session.is_unfinished:
            await self._show(self._newest, self._session.improve)
        else:
            self._questions.clear()
            self._something.clear()

    async def _show(self, show: Show, frame_of: Callable[[Setting], Frame]) -> None:
        await self._socket.send_bytes(await self._in_thread(partial(self._drawn, show, frame_of)))

    async def _in_thread(self, make: Callable[[], Made]) -> Made:
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)

    def _drawn(self, show: Show, frame_of: Callable[[Setting], Frame]) -> bytes:
        """Return the frame of a setting as it is sent; where the lab itself fails, one that says so."""
        try:
            return _numbered(frame_of(show.setting), show.seq)
        except Exception as error:
            # What the session has kept may be half of something.
            self._session = Session(first=FIRST)
            return _numbered(Frame({"error": _fault("showing this setting", error), "unfinished": False}), show.seq)

    def _said(self, ask: Ask, setting: Setting) -> str:
        try:
            return answer_to(ask, self._session, setting)
        except Exception as error:
            return json.dumps({"seq": ask.seq, "refused": _fault("answering a question", error)})


def _numbered(frame: Frame, seq: int) -> bytes:
    return replace(frame, facts={**frame.facts, "seq": seq}).encode()


def _fault(what: str, error: Exception) -> str:
    """Log an exception that is a fault of the program, and return what the page says of it."""
    _log.error("the lab failed at %s", what, exc_info=error)
    return (
        f"The lab failed at {what}, which is a fault of the program: {type(error).__name__}: {error}. The terminal "
        "shows where. Change the setting to go on."
    )
