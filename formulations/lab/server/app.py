# SPDX-License-Identifier: BSD-3-Clause
"""The application: one page with its files, and a WebSocket that only that page can open.

Any web site that the user visits can send requests to this computer. So a request must name this computer as its host
(which a name that was rebound to its address does not), and the WebSocket takes the page's own origin and the token
that the user was given alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from secrets import compare_digest

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from formulations.lab.server.connection import Connection
from formulations.lab.server.menu import menu
from formulations.lab.server.warming import notice
from formulations.lab.settings import Setting

__all__ = ["HOSTS", "MOST_PAGES", "lab_app"]

HOSTS = ("127.0.0.1", "localhost")
"""The names of this computer under which the page is served."""

MOST_PAGES = 8
"""Pages at once; each may hold a kernel matrix."""

_PAGE = Path(__file__).parent.parent / "page"

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

_POLICY_VIOLATION, _TRY_LATER = 1008, 1013


def lab_app(token: str, start: Setting | None = None) -> Starlette:
    """Return the application whose WebSocket asks for ``token``.

    Parameters
    ----------
    start
        What a page shows whose address states no setting; None: what the page likes.
    """
    pages: set[Connection] = set()

    async def socket(websocket: WebSocket) -> None:
        if not _is_own(websocket, token):
            await websocket.close(_POLICY_VIOLATION)
            return
        await websocket.accept()
        if len(pages) >= MOST_PAGES:
            await websocket.close(_TRY_LATER, f"There are {MOST_PAGES} pages already; close one of them.")
            return
        page = Connection(websocket)
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
