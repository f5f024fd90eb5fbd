# SPDX-License-Identifier: BSD-3-Clause
"""One page over its WebSocket: messages are read as they come, and what they ask for is solved in a thread."""

from __future__ import annotations

import asyncio
import gc
import logging
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from starlette.websockets import WebSocket, WebSocketDisconnect

from formulations.lab.background import THREADS
from formulations.lab.server.desk import Desk
from formulations.lab.server.pace import Pace

__all__ = ["Connection"]

_RATE, _BURST = 200.0, 200
"""Messages a second of a page, and those at once: a pointer that is moved sends one for each picture of the screen."""

_INTERNAL_ERROR = 1011

_log = logging.getLogger(__name__)


class Connection:
    """Reads the messages of one page, and sends its frames."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._desk = Desk()
        self._something = asyncio.Event()
        self._pace = Pace(_RATE, _BURST)
        self._thread = ThreadPoolExecutor(1, f"{THREADS}page")

    async def run(self) -> None:
        """Serve the page until it leaves; what is being solved then ends with its slice of time, and is dropped."""
        working = asyncio.create_task(self._work())
        try:
            await self._read()
        finally:
            working.cancel()
            self._thread.submit(self._forget)
            self._thread.shutdown(wait=False)

    def _forget(self) -> None:
        """Return the memory of the session, whose models and forms hold each other in circles; nothing comes after."""
        del self._desk
        gc.collect()

    async def _read(self) -> None:
        """Take every message as it comes."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            refusal = self._desk.take(message.get("text"))
            if refusal is not None:
                await self._socket.send_text(refusal)
            self._something.set()
            if pause := self._pace.pause(monotonic()):
                await asyncio.sleep(pause)

    async def _work(self) -> None:
        """Solve and send until the page has left."""
        try:
            while True:
                await self._something.wait()
                # Before the desk is asked: what comes meanwhile sets it again.
                self._something.clear()
                await self._send_all()
        except WebSocketDisconnect:
            return
        except Exception as error:
            _log.error("the lab failed at sending", exc_info=error)
            await self._socket.close(_INTERNAL_ERROR, "the lab failed; its terminal shows where.")

    async def _send_all(self) -> None:
        """Send all that the page is owed."""
        solve = asyncio.get_running_loop().run_in_executor
        while (reply := await solve(self._thread, self._desk.reply)) is not None:
            if isinstance(reply, bytes):
                await self._socket.send_bytes(reply)
            else:
                await self._socket.send_text(reply)
