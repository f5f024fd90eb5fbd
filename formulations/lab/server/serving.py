# SPDX-License-Identifier: BSD-3-Clause
"""Starting and ending the server."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from formulations.lab.server.app import HOSTS, lab_app

__all__ = ["serve"]

LONGEST_MESSAGE = 1 << 20
"""Bytes of a message from a page."""


def serve(port: int = 0, browser: bool = True, fragment: str = "", say: Callable[[str], None] = print) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    port
        0 takes a free one.
    browser
        Whether to open the page.
    fragment
        The setting that the page starts from, as its address has it behind #.
    say
        Told the address.
    """
    token = secrets.token_urlsafe(16)
    with socket.create_server((HOSTS[0], port)) as listening:
        address = f"http://{HOSTS[0]}:{listening.getsockname()[1]}/?token={token}"
        say(address)
        config = uvicorn.Config(
            lab_app(token),
            log_level="warning",
            ws="websockets-sansio",
            ws_max_size=LONGEST_MESSAGE,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
        )
        if browser:
            webbrowser.open(address + fragment)
        uvicorn.Server(config).run([listening])
