# SPDX-License-Identifier: BSD-3-Clause
"""The server, and its application: one page with its files, and a WebSocket that only that page can open.

Any web site that the user visits can send requests to this computer. So a request must name this computer as its host
(which a name that was rebound to its address does not), and the WebSocket takes the page's own origin and the token
that the user was given alone. Messages are read as they come, and what they ask for is solved in a thread.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from secrets import compare_digest
from time import monotonic
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from formulations.lab.background import THREADS
from formulations.lab.desk import Desk, menu
from formulations.lab.session import begin_to_warm_up, notice
from formulations.lab.settings import Setting
from qpkernels.errors import ParameterError

__all__ = ["LONGEST_MESSAGE", "MOST_PAGES", "Pace", "end_process", "lab_app", "serve"]


HOSTS = ("127.0.0.1", "localhost")
"""The names of this computer under which the page is served."""

MOST_PAGES = 8
"""Pages at once; each may hold a kernel matrix."""

_PAGE = Path(__file__).parent / "page"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}

_POLICY_VIOLATION, _TRY_LATER, _INTERNAL_ERROR = 1008, 1013, 1011

_RATE, _BURST = 200.0, 200
"""Messages a second of a page, and those at once: a pointer that is moved sends one for each picture of the screen."""

_log = logging.getLogger(__name__)


def lab_app(token: str, start: Setting | None = None) -> Starlette:
    """Return the application whose WebSocket asks for ``token``.

    A page whose address states no setting shows ``start``; None: what it likes.
    """
    pages: set[_Connection] = set()

    async def socket(websocket: WebSocket) -> None:
        if not _is_own(websocket, token):
            await websocket.close(_POLICY_VIOLATION)
            return
        await websocket.accept()
        if len(pages) >= MOST_PAGES:
            await websocket.close(_TRY_LATER, f"There are {MOST_PAGES} pages already; close one of them.")
            return
        page = _Connection(websocket)
        pages.add(page)
        try:
            await websocket.send_text(json.dumps({"menu": menu(start)}))
            if (words := notice()) is not None:
                await websocket.send_text(json.dumps({"notice": words}))
            await page.run()
        except WebSocketDisconnect:
            pass
        finally:
            pages.discard(page)

    routes = [WebSocketRoute("/socket", socket), Mount("/", StaticFiles(directory=_PAGE, html=True))]
    return Starlette(routes=routes, middleware=[Middleware(_Headers), Middleware(TrustedHostMiddleware, HOSTS)])


def _is_own(websocket: WebSocket, token: str) -> bool:
    """Whether the page that opens the WebSocket came from here, and shows the token."""
    came = websocket.query_params.get("token", "")
    from_here = websocket.headers.get("origin") == f"http://{websocket.headers.get('host')}"
    # As bytes: text that is not ASCII cannot be compared in constant time.
    return compare_digest(came.encode(errors="replace"), token.encode()) and from_here


class _Headers:
    """Adds the headers that confine a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def confined(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, confined)


class _Connection:
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


class Pace:
    """At most ``burst`` messages at once, and ``rate`` a second on the average (a token bucket).

    Who sends faster is read later: nothing is lost, and TCP lets the sender wait.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._counted = float(burst), 0.0

    def pause(self, now: float) -> float:
        """Count a message that came at ``now``, in seconds, and return how long to wait before the next is read."""
        self._left = min(self._burst, self._left + self._rate * (now - self._counted)) - 1.0
        self._counted = now
        return max(0.0, -self._left / self._rate)


LONGEST_MESSAGE = 1 << 20
"""Bytes of a message from a page; a longer one ends its connection."""

_MOST_CONNECTIONS = 64

_FOR_TERMINALS = ("www-browser", "links", "elinks", "lynx", "w3m")
"""Browsers that would run in this terminal, and show no page with scripts."""


def serve(
    port: int = 0,
    browser: bool = True,
    start: Setting | None = None,
    fragment: str = "",
    say: Callable[[str], None] = print,
) -> None:
    """Serve the page, on this computer alone, until Ctrl-C or SIGTERM.

    Parameters
    ----------
    port
        From 0 to 65535; 0 takes a free one.
    browser
        Whether to open the page.
    start
        What a page shows whose address states no setting.
    fragment
        What the address has behind #: a setting, percent-encoded.
    say
        Told the address, and how to end.
    """
    token = secrets.token_urlsafe(16)
    server = uvicorn.Server(
        uvicorn.Config(
            lab_app(token, start),
            log_level="warning",
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=LONGEST_MESSAGE,
            ws_per_message_deflate=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=1,
        )
    )
    # Whoever has been told the address may end the server at once.
    with _listening(port) as listening, _ended_by_signals(server):
        address = f"http://{HOSTS[0]}:{listening.getsockname()[1]}/?token={token}"
        address += f"#{fragment}" if fragment else ""
        begin_to_warm_up()
        say(f"The lab is at {address}")
        say("Whoever has this address can use it. Ctrl-C ends it.")
        if browser and not _open(address):
            say("There is no browser to open here; open the address in one.")
        # What is loaded stays: collections of garbage need not look at it, which are between frames.
        gc.freeze()
        server.run([listening])
        gc.unfreeze()


def end_process() -> None:
    """End this process with status 0, if a thread still solves what a page has asked for.

    Nothing can interrupt compiled code, and there is nothing to save; without this the interpreter would wait for it.
    """
    if any(thread.name.startswith(THREADS) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _listening(port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise ParameterError(f"port must be from 0 to 65535, but {port} came; 0 takes a free one.")
    try:
        listening = socket.create_server((HOSTS[0], port))
        # So have its connections: else the end of an answer waits 40 ms until the browser acknowledges the rest.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        reason = {
            errno.EADDRINUSE: "another program listens there",
            errno.EACCES: "this user may not listen there",
        }.get(error.errno or 0, str(error))
        raise ParameterError(f"port must be free, but of {port} {reason}; take another, or 0 for a free one.") from None


def _open(address: str) -> bool:
    """Open the page, and return whether there is a browser with a window of its own."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    if Path(found.name).name in _FOR_TERMINALS:
        return False
    # Some wait until the browser has ended, and the page must be served meanwhile.
    threading.Thread(target=found.open, args=(address,), daemon=True).start()
    return True


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the server, and nothing else: uvicorn raises them once more when it has ended."""

    def end(*_: Any) -> None:
        server.should_exit = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
