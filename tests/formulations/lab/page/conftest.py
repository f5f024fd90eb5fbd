# SPDX-License-Identifier: BSD-3-Clause
"""The page in a real browser: one server, one browser and few windows for all; for each test the lab is built anew."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
import uvicorn
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page

from benchmarks.lab.dragging import chromium, find_chromium
from formulations.lab.app import lab_app

TOKEN = "token-of-the-tests"

PATIENCE = 20.0
"""Seconds until something that is waited for must be there."""

CLASSES = [[-2, -1, -1], [-1.5, 0.5, -1], [-1, -0.5, -1], [0.4, 0.2, -1], [2, 1, 1], [1.5, -0.5, 1], [1, 0.6, 1]]
WAVE = [[-3, 0.9], [-2, 0.1], [-1, -1.1], [0, 0.3], [0.5, 2.2], [1, 1.2], [2, 0.2], [3, -1.1]]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Serve the page in a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(lab_app(TOKEN), log_level="error", ws="websockets-sansio", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if find_chromium() is None:
        pytest.skip("there is no Chromium: make browser installs it")
    with chromium() as browser:
        yield browser


LEAVE = """() => {
    window.lab?.end();
    const last = window.setTimeout(() => {});
    for (let timer = 1; timer <= last; timer++) window.clearTimeout(timer);
}"""
"""End what the lab in a window would still do: play on, or write its setting into the address."""

REMOUNT = """async (fragment) => {
    const modules = ["/lab.js", "/wire/socket.js", "/state/address.js", "/views/index.js"].map((name) => import(name));
    const [{ mount }, { socketTo }, { hashAddress }, { DIAGRAMS }] = await Promise.all(modules);
    document.body.replaceWith(document.createElement("body"));
    window.history.replaceState(null, "", `${window.location.pathname}${fragment}`);
    mount(document.body, socketTo(TOKEN), DIAGRAMS, hashAddress());
}""".replace("TOKEN", json.dumps(TOKEN))
"""What main.js does, in a window where the page is loaded: most of the time to open a window goes into loading it."""


UNTIL = """async (patience) => {
    const end = performance.now() + patience;
    while (!(CONDITION)) {
        if (performance.now() > end) return false;
        await new Promise((rest) => setTimeout(rest, 5));
    }
    return true;
}"""


class Lab:
    """A window with the page."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: said.type in ("error", "warning") and self.complaints.append(said.text))

    def open(self, setting: dict[str, Any] | None = None) -> Lab:
        """Open the page with a setting in its address; where the page is loaded already, only the lab is new."""
        fragment = f"#{quote(json.dumps(setting))}" if setting else ""
        if self.page.url.startswith(self.address):
            self.page.mouse.move(0, 0)
            self.leave()
            self.page.evaluate(REMOUNT, fragment)
        else:
            self.page.goto(f"{self.address}/?token={TOKEN}{fragment}")
        return self.settled()

    def leave(self) -> None:
        """End the lab in the window, and its connection, of which a server has few."""
        self.page.evaluate(LEAVE)

    def settled(self) -> Lab:
        """Wait until the picture is that of the setting."""
        self.until("window.lab?.frame && window.lab.frame.setting === window.lab.setting")
        return self

    def until(self, condition: str) -> None:
        """Wait in the page for a condition; the page allows no evaluation of strings by itself."""
        if not self.page.evaluate(UNTIL.replace("CONDITION", condition), 1000 * PATIENCE):
            raise AssertionError(f"never came true: {condition}; the page said {self.complaints}")

    @property
    def setting(self) -> dict[str, Any]:
        """The setting that the page shows."""
        return self.page.evaluate("() => window.lab.setting")

    @property
    def points(self) -> list[list[float]]:
        """The points of the setting."""
        return self.setting["points"]

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of the frame drawn last."""
        return self.page.evaluate("() => window.lab.frame.facts")

    def says(self, words: str, where: str = ".lab-status") -> None:
        """Wait until the status has these words; an answer that takes long is proved a little later."""
        self.until(f"document.querySelector('{where}')?.textContent.includes({json.dumps(words)})")

    def picture(self) -> NDArray[np.uint8]:
        """Return the colours of the picture, shape (rows, columns, 3)."""
        self.page.mouse.move(0, 0)
        drawn = self.page.locator(".lab-plane").screenshot()
        return np.asarray(Image.open(io.BytesIO(drawn)).convert("RGB"))

    def colours(self, where: str) -> int:
        """Return how many colours a canvas has."""
        return self.page.evaluate(
            """(where) => {
                const canvas = document.querySelector(where);
                const copy = new OffscreenCanvas(canvas.width, canvas.height);
                const drawing = copy.getContext("2d", { willReadFrequently: true });
                drawing.drawImage(canvas, 0, 0);
                const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height);
                return new Set(new Uint32Array(data.buffer)).size;
            }""",
            where,
        )

    def pixel(self, u: float, v: float) -> tuple[float, float]:
        """Return where a place in data units is in the window."""
        box = self.page.locator(".lab-over").bounding_box()
        assert box is not None
        left, right, bottom, top = self.setting["window"]
        return (
            box["x"] + (u - left) / (right - left) * box["width"],
            box["y"] + (top - v) / (top - bottom) * box["height"],
        )

    def click(self, u: float, v: float, **how: Any) -> None:
        """Click at a place in data units."""
        self.page.mouse.click(*self.pixel(u, v), **how)
        self.settled()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from a place in data units to another."""
        self.page.mouse.move(*self.pixel(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.pixel(*end), steps=5)
        self.page.mouse.up()
        self.settled()

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        self.settled()

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a select."""
        self.page.get_by_label(label, exact=True).select_option(option)
        self.settled()


@contextmanager
def opened(browser: Browser, address: str, how: Mapping[str, Any]) -> Iterator[Lab]:
    """Open a window; ``how`` it is (width, scheme, touch) is told as to ``Browser.new_context``."""
    context = browser.new_context(**{"viewport": {"width": 1300, "height": 900}, "reduced_motion": "reduce", **how})
    yield Lab(context.new_page(), address)
    context.close()


@pytest.fixture(scope="session")
def windows(browser: Browser, address: str) -> Iterator[Callable[[Mapping[str, Any]], Lab]]:
    """Return a function that returns the one window of a kind."""
    kept: dict[str, Lab] = {}
    with ExitStack() as stack:

        def window(how: Mapping[str, Any]) -> Lab:
            kind = json.dumps(how, sort_keys=True)
            if kind not in kept:
                kept[kind] = stack.enter_context(opened(browser, address, how))
            return kept[kind]

        yield window


@pytest.fixture
def window(windows: Callable[[Mapping[str, Any]], Lab], request: pytest.FixtureRequest) -> Iterator[Lab]:
    """Return the window of a kind, which the test opens; its page must not complain."""
    lab = windows(getattr(request, "param", {}))
    yield lab
    lab.leave()
    complaints, lab.complaints[:] = list(lab.complaints), []
    assert not complaints


@pytest.fixture
def fresh_window(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """Return a window that no other test has: for tests of loading, of history, of the network and of the scheme."""
    with opened(browser, address, getattr(request, "param", {})) as lab:
        yield lab
    assert not lab.complaints
