# SPDX-License-Identifier: BSD-3-Clause
"""Who may open what: the page and its files for this computer, the WebSocket for the page that has the token."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from starlette.websockets import WebSocketDisconnect

from formulations.lab.server.app import MOST_PAGES, lab_app
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS
from lab_client import HOST, TOKEN, client, opened, setting


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
