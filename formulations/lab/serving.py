# SPDX-License-Identifier: BSD-3-Clause
"""Starting and ending the server."""

from __future__ import annotations

import errno
import gc
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from formulations.lab.app import HOSTS, lab_app
from formulations.lab.background import THREADS
from formulations.lab.settings import Setting
from formulations.lab.warming import begin_to_warm_up
from qpkernels.errors import ParameterError

__all__ = ["LONGEST_MESSAGE", "end_process", "serve"]

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

    Raises
    ------
    ParameterError
        If the port is another program's, or none.
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
